"""The summary as one page that opens from disk: no network, escaped throughout.

The page's only scripts are Plotly's and ``page.js``; its content security policy names both by
their hash, so that nothing else can run, whatever a name in a table says.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from weft._base.validation import import_optional
from weft.report import plots

N_FEATURES = 30  # rows of the table shown before it is unfolded
N_TABLE = 5_000  # rows that it holds at most
N_CLUSTERS = 40


class Chart(NamedTuple):
    """A figure on the page, and what it says to somebody who cannot see it."""

    id: str
    words: str
    figure: dict[str, Any]


def render(summary: dict[str, Any]) -> str:
    """Return the page for `summary`.

    Parameters
    ----------
    summary : dict
        From :func:`weft.report.summary.summarize`.

    Returns
    -------
    str
        HTML, complete in itself.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from weft import FeatureSwarm
    >>> from weft.report.html import render
    >>> from weft.report.summary import summarize
    >>> X = load_iris().data
    >>> page = render(summarize(FeatureSwarm(n_generations=2, random_state=0).fit(X), X))
    >>> page.startswith("<!doctype html>")
    True
    """
    clusters = sorted(summary["clusters"], key=lambda entry: (entry["label"] == -1, -entry["size"]))
    effects = [abs(t["effect"]) for c in clusters for t in c["traits"] if t["effect"] is not None]
    features = summary["features"][:N_TABLE]
    charts = _charts(summary)
    scripts = _scripts()
    return _template().render(
        s=summary,
        headline=_headline(summary),
        clusters=clusters[:N_CLUSTERS],
        more_clusters=clusters[N_CLUSTERS:],
        top_effect=max(effects, default=1.0) or 1.0,
        features=features,
        n_shown=N_FEATURES,
        n_left_out=len(summary["features"]) - len(features),
        top_share=max((entry["share"] for entry in features), default=0) or 1.0,
        has_exponents=any("exponent" in entry for entry in features),
        charts={chart.id: chart for chart in charts},
        figures=_island({chart.id: chart.figure for chart in charts}),
        scripts=scripts,
        policy=" ".join(f"'sha256-{_digest(script)}'" for script in scripts),
    )


def _charts(summary: dict[str, Any]) -> list[Chart]:
    drawn: list[tuple[str, Callable[[dict[str, Any]], Any], Callable[[dict[str, Any]], str]]] = [
        ("weights", plots.weights, _say_weights),
        ("heatmap", plots.heatmap, _say_heatmap),
        ("profile", plots.profile, _say_profile),
        ("map", plots.map, _say_map),
        ("silhouette", plots.silhouette, _say_silhouette),
        ("convergence", plots.convergence, _say_search),
    ]
    found = []
    for name, draw, say in drawn:
        figure = draw(summary)
        if figure is not None:
            found.append(Chart(name, say(summary), json.loads(figure.to_json(validate=False))))
    return found


def _say_weights(summary: dict[str, Any]) -> str:
    top = [f"{f['name'][:60]} {_percent(f['share'])}" for f in summary["features"][:3]]
    return f"Bar chart of the heaviest features' shares of the weight, led by {', '.join(top)}."


def _say_heatmap(summary: dict[str, Any]) -> str:
    found = summary["cluster_weights"]
    n_features, n_clusters = len(found["features"]), len(found["labels"])
    return f"Heat map of {n_features} features' weights in {n_clusters} clusters."


def _say_profile(summary: dict[str, Any]) -> str:
    found = summary["profile"]
    return (
        f"Heat map of how far {len(found['labels'])} clusters lie from the other rows in "
        f"{len(found['features'])} features; the cards above say the strongest in words."
    )


def _say_map(summary: dict[str, Any]) -> str:
    found = summary["map"]
    shares = found["explained"]
    return (
        f"Scatter plot of {len(found['x'])} rows in the learned metric, coloured by cluster; the "
        f"two directions hold {_percent(sum(shares))} of the variance."
    )


def _say_silhouette(summary: dict[str, Any]) -> str:
    found = summary["silhouette"]
    return (
        f"Silhouette widths of {found['n_rows']} rows by cluster, {found['mean']:.2f} on average; "
        f"{_percent(found['negative'])} of the rows are below 0."
    )


def _say_search(summary: dict[str, Any]) -> str:
    best = [value for value in summary["search"]["best_fitness"] if value is not None]
    first, last = _number(best[0]), _number(best[-1])
    return f"Line chart of the search: the best fitness goes from {first} to {last}."


def _island(value: Any) -> Any:
    """JSON that no HTML parser can take for the end of its element."""
    markup = import_optional("markupsafe", "app").Markup
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return markup(text)


@lru_cache(maxsize=1)
def _scripts() -> tuple[Any, ...]:
    """Plotly and the page's own script, with the line ends that an HTML parser makes."""
    markup = import_optional("markupsafe", "app").Markup
    import_optional("plotly", "app")
    library = files("plotly").joinpath("package_data", "plotly.min.js").read_text(encoding="utf-8")
    own = files("weft.report").joinpath("page.js").read_text(encoding="utf-8")
    return tuple(markup(text.replace("\r\n", "\n").replace("\r", "\n")) for text in (library, own))


@lru_cache(maxsize=2)
def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@lru_cache(maxsize=1)
def _template() -> Any:
    jinja2 = import_optional("jinja2", "app")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(percent=_percent, number=_number, signed=_signed)
    source = files("weft.report").joinpath("template.html.j2").read_text(encoding="utf-8")
    return environment.from_string(source)


def _headline(summary: dict[str, Any]) -> str:
    result, data = summary["result"], summary["data"]
    count = result["n_clusters"]
    none_found = count == 0 or (count == 1 and result.get("verdict"))
    groups = "no clusters" if none_found else f"{count} cluster{'s' if count != 1 else ''}"
    if not result["has_weights"]:
        return f"{groups} in {data['n_features']} features"
    if result["n_selected"] < data["n_features"] or data["n_features"] < 4:
        return f"{groups}, made by {result['n_selected']} of {data['n_features']} features"
    shares = itertools.accumulate(entry["share"] for entry in summary["features"])
    half = sum(1 for share in shares if share < 0.5) + 1
    return f"{groups}; half of the weight is on {half} of {data['n_features']} features"


def _percent(share: float | None) -> str:
    if share is None:
        return "–"
    return f"{share:.0%}" if share >= 0.0995 or share == 0 else f"{share:.1%}"


def _signed(value: float) -> str:
    return f"{value:+.1f}".replace("-", "−")


def _number(value: float | None, digits: int = 4) -> str:
    if value is None:
        return "–"
    if isinstance(value, int):
        return str(value)
    text = f"{value:.{digits}g}"
    if "e+" in text and abs(value) < 1e7:
        text = f"{value:.0f}"
    return text.replace("-", "−", 1) if text.startswith("-") else text
