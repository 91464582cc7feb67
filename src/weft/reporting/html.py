"""The summary as one HTML page that works offline; all text in it is escaped.

The only script of the page is joined from ``assets/*.js``. The content security policy of the page
allows only the hash of this script, so text from a table can never run as a script.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

from weft._base.validation import import_optional
from weft.reporting import told
from weft.reporting.told import PERFECT

N_FEATURES = 15  # rows of the table shown before it is unfolded
N_TABLE = 5_000  # rows that it holds at most
N_COLOURS = 10
MANY = 14  # from this number of clusters on, cells of the heat map show no numbers
SCRIPTS = ("start", "charts", "choices", "groups", "columns", "map", "rows", "downloads")
NEAR = 3  # numbers of clusters this close to the answer are shown without a click
STRONGEST = 4.0  # effect of the deepest colour


def render(summary: dict[str, Any]) -> str:
    """Return the page for `summary`.

    Parameters
    ----------
    summary : dict
        From :func:`weft.reporting.summary.summarize`.

    Returns
    -------
    str
        HTML that needs no other files.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from weft import FeatureSwarm
    >>> from weft.reporting.html import render
    >>> from weft.reporting.summary import summarize
    >>> X = load_iris().data
    >>> page = render(summarize(FeatureSwarm(n_generations=2, random_state=0).fit(X), X))
    >>> page.startswith("<!doctype html>")
    True
    """
    clusters = sorted(summary["clusters"], key=lambda entry: (entry["label"] == -1, -entry["size"]))
    features = summary["features"][:N_TABLE]
    script = _script()
    return (
        _templates()
        .get_template("page.html.j2")
        .render(
            s=summary,
            told=told.told_numbers(summary),
            meanings=json.loads(str(_asset("meanings.json"))),
            headline=told.headline(summary),
            none_found=told.none_found(summary),
            **_numbers(summary),
            clusters=clusters,
            features=features,
            n_shown=N_FEATURES,
            n_left_out=len(summary["features"]) - len(features),
            top_share=max((entry["share"] for entry in features), default=0) or 1.0,
            drawn_columns=[
                column["name"] for column in (summary.get("distributions") or {}).get("columns", [])
            ],
            heat=_heat(summary),
            sure_by_label=_sure_by_label(summary),
            style=_asset("style.css"),
            island=_island(summary),
            script=script,
            policy=f"'sha256-{_digest(script)}'",
        )
    )


def _numbers(summary: dict[str, Any]) -> dict[str, Any]:
    """The candidates near the answer, and the others."""
    answer, candidates = summary["result"]["n_clusters"], summary.get("candidates", [])
    return {
        "near_numbers": [c for c in candidates if abs(c["n_clusters"] - answer) <= NEAR],
        "far_numbers": [c for c in candidates if abs(c["n_clusters"] - answer) > NEAR],
        "has_reasons": any(c["reasons"]["for"] or c["reasons"]["against"] for c in candidates),
    }


def _sure_by_label(summary: dict[str, Any]) -> dict[int, float]:
    """Mean silhouette of each cluster."""
    silhouettes = summary["silhouette"]
    if silhouettes is None:
        return {}
    pairs = zip(silhouettes["labels"], silhouettes["widths"], strict=True)
    return {label: sum(widths) / len(widths) for label, widths in pairs}


def _heat(summary: dict[str, Any]) -> dict[str, Any] | None:
    """Effects as cells: text, direction and depth of the colour in percent."""
    effects = summary["profile"]
    if effects is None:
        return None
    labels = effects["labels"]
    order = sorted(range(len(labels)), key=lambda k: (labels[k] == -1, labels[k]))
    rows = [
        {"name": name, "cells": [_cell(effects["effects"][k][j]) for k in order]}
        for j, name in enumerate(effects["features"])
    ]
    return {"labels": [labels[k] for k in order], "rows": rows, "many": len(labels) > MANY}


def _cell(effect: float) -> dict[str, str]:
    perfect = abs(effect) >= PERFECT
    depth = 75 if perfect else 62 * min(abs(effect) / STRONGEST, 1.0)
    way = "above" if effect > 0 else "below"
    return {
        "way": "u" if effect > 0 else "d",
        "depth": f"{depth:.0f}%",
        "text": told.signed(effect),
        "words": f"perfectly {way} the rest" if perfect else told.signed(effect),
    }


def _cluster_class(label: int) -> str:
    """Colour and, beyond ten clusters, shape of a cluster's badge."""
    return "cn" if label < 0 else f"c{label % N_COLOURS} s{label // N_COLOURS % 4}"


def _island(value: Any) -> Any:
    """Return JSON in which an HTML parser finds no end tag."""
    markup = import_optional("markupsafe", "app").Markup
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return markup(text)


@lru_cache(maxsize=1)
def _script() -> Any:
    """Return the page's script: all files in one function, so that names are not global."""
    parts = "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
    return import_optional("markupsafe", "app").Markup(
        f'"use strict";\n(function () {{\n{parts}}})();\n'
    )


@lru_cache(maxsize=64)
def _asset(name: str) -> Any:
    """Return a file of the page, with the line ends that an HTML parser produces."""
    markup = import_optional("markupsafe", "app").Markup
    text = files("weft.reporting").joinpath("assets", name).read_text(encoding="utf-8")
    return markup(text.replace("\r\n", "\n").replace("\r", "\n"))


@lru_cache(maxsize=2)
def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@lru_cache(maxsize=1)
def _templates() -> Any:
    jinja2 = import_optional("jinja2", "app")
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=jinja2.FunctionLoader(lambda name: str(_asset(name))),
    )
    environment.filters.update(
        percent=told.percent,
        number=told.number,
        signed=told.signed,
        compared=told.compared_means,
        two=told.two_digits,
        counted=told.counted,
        colour=_cluster_class,
    )
    return environment
