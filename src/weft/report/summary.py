"""A fitted model and its data as one dict of plain JSON types: what page, terminal and file share.

Keys: ``schema`` ``data`` ``columns`` ``settings`` ``versions`` ``seconds`` ``result`` ``clusters``
``features`` ``cluster_weights`` ``profile`` ``map`` ``silhouette`` ``search`` ``stability``
``scores`` ``noise`` ``warnings``. What cannot be said is None; so is a number that is not finite.
"""

from __future__ import annotations

import hashlib
import math
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import weft
from weft._base.records import named
from weft._base.validation import check_integer
from weft.parallel.blas import one_blas_thread
from weft.report.cautions import cautions
from weft.report.facts import Facts, dense_rows, read_facts
from weft.report.profile import Profile, describe_clusters, profile
from weft.report.schema import SCHEMA
from weft.report.space import draw_map, draw_silhouette, learned_metric
from weft.report.stability import measure_stability

N_SHOWN = 40  # features in a heat map
_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


def summarize(
    model: Any,
    X: Any = None,
    *,
    values: Any = None,
    feature_names: Sequence[str] | None = None,
    table: Mapping[str, Any] | None = None,
    label: Any = None,
    relevant: Any = None,
    seconds: Mapping[str, float] | None = None,
    stability: int = 0,
) -> dict[str, Any]:
    """Summarise a fitted model as one dict of plain JSON types.

    Parameters
    ----------
    model : estimator
        Any fitted clusterer of weft.
    X : array-like of shape (n_samples, n_features), optional
        The rows it was fitted on. Without them there is no map, no silhouette and nothing on what
        sets the clusters apart.
    values : array-like of shape (n_samples, n_features), optional
        The same rows in the units people know. Default: `X`.
    feature_names : sequence of str, optional
        Default: the model's own, or ``x0``, ``x1``, ...
    table : mapping, optional
        What was done with the table, from ``Table.describe()``.
    label : array-like of shape (n_samples,), optional
        Known classes as numbers, -1 where unknown; only compared with.
    relevant : array-like of bool of shape (n_features,), optional
        Which features are known not to be noise.
    seconds : mapping, optional
        How long what took.
    stability : int, default=0
        How often to fit again on four fifths of the rows to see how much of the answer comes back.

    Returns
    -------
    dict
        The summary.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from weft import FeatureSwarm
    >>> from weft.report.summary import summarize
    >>> X = load_iris().data
    >>> summary = summarize(FeatureSwarm(n_generations=2, random_state=0).fit(X), X)
    >>> summary["data"]["n_rows_used"]
    150
    """
    facts = read_facts(model, feature_names)
    n_repeats = check_integer("stability", stability, low=0)
    features = _features(facts, relevant)
    described = dict(table or {})
    data = {
        "name": "data",
        "n_rows": len(facts.labels),
        "n_rows_used": len(facts.labels),
        "n_columns": len(facts.names),
        "n_features": len(facts.names),
        **described.get("data", {}),
    }
    rows = columns = None
    drawn: dict[str, Any] = {"clusters": _sizes(facts), "profile": None, "map": None}
    drawn["silhouette"] = None
    if X is not None:
        rows, columns = dense_rows(X, facts)
        known = rows if values is None else dense_rows(values, facts)[0]
        drawn = _draw(model, rows, known, columns, facts)
    summary = {
        "schema": SCHEMA,
        "data": data,
        "columns": described.get("columns", []),
        "settings": {"method": type(model).__name__, **_settings(facts.params)},
        "versions": _versions(),
        "seconds": dict(seconds or {}),
        "result": {
            "n_clusters": facts.n_clusters,
            "n_clusters_given": facts.params.get("n_clusters") == facts.n_clusters,
            "n_unassigned": int((facts.labels == -1).sum()),
            "n_selected": int(facts.selected.sum()),
            "has_weights": facts.has_weights,
            "fitness": facts.fitness,
            "n_generations": facts.n_iter,
            "verdict": facts.verdict,
            "fingerprint": fingerprint(model),
        },
        **drawn,
        "features": features,
        "cluster_weights": _cluster_weights(facts),
        "search": _search(facts),
        "stability": None,
        "scores": None
        if label is None
        else _scores(np.asarray(label), facts.labels, data.get("label")),
        "noise": None if relevant is None else _noise(features),
        "warnings": [*described.get("warnings", []), *cautions(facts, rows, columns)],
    }
    if n_repeats and X is not None:
        summary["stability"] = measure_stability(model, X, facts, n_repeats=n_repeats)
    return plain(summary)


def fingerprint(model: Any) -> str:
    """The same for the same labels: tells whether a summary belongs to a model."""
    labels = np.ascontiguousarray(model.labels_, dtype=np.int64)
    return hashlib.sha256(labels.tobytes()).hexdigest()[:16]


def _draw(
    model: Any, rows: np.ndarray, values: np.ndarray, columns: np.ndarray, facts: Facts
) -> dict[str, Any]:
    """All that needs the rows; missing values count as their column's mean."""
    same = values is rows
    rows = _filled(rows)
    values = rows if same else _filled(values)
    names = [facts.names[j] for j in columns]
    compared = profile(values, facts.labels)
    metric = learned_metric(model, rows, facts, columns)
    with one_blas_thread():  # products this small lose by threads, on a busy machine a lot
        drawn = draw_map(metric, rows, values, facts, columns)
        widths = draw_silhouette(metric, rows, facts)
    return {
        "clusters": describe_clusters(compared, values, names, facts.selected[columns]),
        "profile": _profile(compared, names, facts.selected[columns]),
        "map": drawn,
        "silhouette": widths,
    }


def _filled(rows: np.ndarray) -> np.ndarray:
    if np.isfinite(rows.sum()):  # one pass without a mask, where nothing is missing
        return rows
    return np.where(np.isnan(rows), np.nanmean(rows, axis=0), rows)


def _sizes(facts: Facts) -> list[dict[str, Any]]:
    """The clusters when only their sizes are known."""
    found, sizes = np.unique(facts.labels, return_counts=True)
    total = len(facts.labels)
    return [
        {
            "label": int(label),
            "name": "no cluster" if label == -1 else f"cluster {label}",
            "size": int(size),
            "share": size / total,
            "traits": [],
            "sentence": f"{size} row{'s' if size != 1 else ''} ({size / total:.0%}).",
        }
        for label, size in zip(found, sizes, strict=True)
    ]


def _profile(compared: Profile, names: list[str], selected: np.ndarray) -> dict[str, Any] | None:
    """Effects of the features that set some cluster apart most; None with nothing to compare."""
    effects = np.where(np.isfinite(compared.effects), compared.effects, 0.0)
    if len(compared.labels) < 2 or not selected.any():
        return None
    strength = np.where(selected, np.abs(effects).max(axis=0), -1.0)
    best = np.argsort(-strength, kind="stable")[: min(N_SHOWN, int(selected.sum()))]
    return {
        "labels": compared.labels.tolist(),
        "features": [names[j] for j in best],
        "effects": np.round(effects[:, best], 3),
    }


def _cluster_weights(facts: Facts) -> dict[str, Any] | None:
    """The heaviest columns of the per-cluster weights, as shares within each cluster."""
    own = facts.cluster_weights
    if own is None or len(own) == 0:
        return None
    totals = own.sum(axis=1, keepdims=True)
    shares = np.divide(own, totals, out=np.zeros_like(own), where=totals > 0)
    best = np.argsort(-shares.max(axis=0), kind="stable")[:N_SHOWN]
    best = best[np.argsort(-facts.weights[best], kind="stable")]
    return {
        "labels": list(range(len(own))),
        "features": [facts.names[j] for j in best],
        "shares": shares[:, best],
        "n_features": own.shape[1],
    }


def _search(facts: Facts) -> dict[str, Any]:
    return {key: column for key, column in facts.history.items() if np.ndim(column) == 1}


def plain(value: Any) -> Any:
    """`value` in JSON's own types; numbers that are not finite become None."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return named(value)


def _settings(params: dict[str, Any]) -> dict[str, Any]:
    seed = params.get("random_state")
    kept = {key: value for key, value in params.items() if key not in ("callbacks", "random_state")}
    return {**kept, "seed": seed if isinstance(seed, (int, np.integer)) else None}


def _versions() -> dict[str, str]:
    found = {"weft": weft.__version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


def _features(facts: Facts, relevant: Any) -> list[dict[str, Any]]:
    """One entry per feature, the heaviest first; equal weights keep the columns' order."""
    names, weights, selected = facts.names, facts.weights, facts.selected
    used = np.where(selected, np.maximum(weights, 0.0), 0.0)
    share = used / used.sum() if used.sum() > 0 else used
    exponents = facts.exponents
    entries = []
    for j in np.lexsort((np.arange(len(names)), -used, ~selected)):
        entry = {
            "name": names[j],
            "weight": weights[j],
            "share": share[j],
            "selected": bool(selected[j]),
        }
        if exponents is not None:
            entry["exponent"] = exponents[j]
        if relevant is not None:
            entry["noise"] = not relevant[j]
        entries.append(entry)
    return entries


def _scores(truth: np.ndarray, labels: np.ndarray, name: str | None) -> dict[str, Any]:
    """Agreement with known classes, over the rows whose class is known."""
    from weft import metrics

    known = truth != -1
    y, found = truth[known], labels[known]
    return {
        "label": name,
        "n_classes": len(np.unique(y)),
        "n_rows": int(known.sum()),
        "pair_f": metrics.pair_f(y, found),
        "purity": metrics.purity(y, found),
        "accuracy": metrics.accuracy(y, found, mapping="optimal"),
    }


def _noise(features: list[dict[str, Any]]) -> dict[str, Any]:
    noise = [entry for entry in features if entry["noise"]]
    return {
        "n_columns": len(noise),
        "column_share": len(noise) / len(features),
        "weight_share": float(sum(entry["share"] for entry in noise)),
    }
