"""A fitted model and its data as one dict of plain JSON types: what page, terminal and file share.

Keys: ``schema`` ``data`` ``columns`` ``settings`` ``versions`` ``seconds`` ``result`` ``clusters``
``features`` ``search`` ``scores`` ``noise`` ``warnings``. Numbers that are not finite become None.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import weft
from weft.report.profile import describe_clusters, profile

SCHEMA = 1
_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


def summarize(
    model: Any,
    X: Any,
    *,
    feature_names: Sequence[str] | None = None,
    table: Mapping[str, Any] | None = None,
    label: Any = None,
    relevant: Any = None,
    seconds: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Summarise a fitted model as one dict of plain JSON types.

    Parameters
    ----------
    model : FeatureSwarm
        Fitted.
    X : array-like of shape (n_samples, n_features)
        The rows it was fitted on, in the units people know (scaling does not matter here).
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

    Returns
    -------
    dict

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
    values = np.asarray(X, dtype=float)
    labels = np.asarray(model.labels_)
    weights = np.asarray(model.feature_weights_, dtype=float)
    selected = np.asarray(model.get_support(), dtype=bool)
    names = _names(model, feature_names, values.shape[1])
    features = _features(model, names, weights, selected, relevant)
    clusters = describe_clusters(profile(values, labels), values, names, selected)
    described = dict(table or {})
    data = {
        "name": "data",
        "n_rows": len(values),
        "n_rows_used": len(values),
        "n_columns": values.shape[1],
        "n_features": values.shape[1],
        **described.get("data", {}),
    }
    summary = {
        "schema": SCHEMA,
        "data": data,
        "columns": described.get("columns", []),
        "settings": {"method": type(model).__name__, **_settings(model)},
        "versions": _versions(),
        "seconds": dict(seconds or {}),
        "result": {
            "n_clusters": model.n_clusters_,
            "n_clusters_given": model.get_params(deep=False).get("n_clusters") == model.n_clusters_,
            "n_unassigned": int((labels == -1).sum()),
            "n_selected": int(selected.sum()),
            "fitness": model.fitness_,
            "n_generations": model.n_iter_,
        },
        "clusters": clusters,
        "features": features,
        "search": {key: np.asarray(column) for key, column in model.history_.items()},
        "scores": None if label is None else _scores(np.asarray(label), labels, data.get("label")),
        "noise": None if relevant is None else _noise(features),
        "warnings": [*described.get("warnings", []), *_warnings(model, labels, weights, selected)],
    }
    return plain(summary)


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
    return getattr(value, "__name__", type(value).__name__)


def _names(model: Any, given: Sequence[str] | None, n_features: int) -> list[str]:
    if given is None:
        given = getattr(model, "feature_names_in_", [f"x{i}" for i in range(n_features)])
    return [str(name) for name in given]


def _settings(model: Any) -> dict[str, Any]:
    left_out = ("callbacks", "verbose", "random_state")
    params = {k: v for k, v in model.get_params(deep=False).items() if k not in left_out}
    seed = model.get_params(deep=False).get("random_state")
    return {**params, "seed": seed if isinstance(seed, (int, np.integer)) else None}


def _versions() -> dict[str, str]:
    found = {"weft": weft.__version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


def _features(
    model: Any, names: list[str], weights: np.ndarray, selected: np.ndarray, relevant: Any
) -> list[dict[str, Any]]:
    """One entry per feature, the heaviest first; equal weights keep the columns' order."""
    used = np.where(selected, np.maximum(weights, 0.0), 0.0)
    share = used / used.sum() if used.sum() > 0 else used
    exponents = getattr(model, "feature_exponents_", None)
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


def _warnings(
    model: Any, labels: np.ndarray, weights: np.ndarray, selected: np.ndarray
) -> list[str]:
    """What a careful reader would want to be told about this answer."""
    found = []
    sizes = np.unique(labels[labels != -1], return_counts=True)[1]
    n_clusters, n = len(sizes), len(labels)
    if n_clusters < 2 or not math.isfinite(model.fitness_):
        found.append(
            "The search found no usable grouping: no candidate split the rows into at least two "
            "clusters. Try another clusterer, or look at the columns."
        )
    elif sizes.max() >= 0.95 * sizes.sum() and n_clusters <= 3:
        found.append(
            f"One cluster holds {sizes.max() / n:.0%} of the rows: this looks like outliers "
            "against the rest rather than groups."
        )
    elif n_clusters == 2:
        found.append(
            "Only two clusters: searches like this one tend to end in one coarse split, the more "
            "so the more columns there are; finer groups may be there. Try another clusterer or "
            "criterion."
        )
    elif n_clusters > n / 3:
        found.append(f"{n_clusters} clusters for {n} rows: most are too small to mean much.")
    alone = int((sizes == 1).sum())
    if 2 <= n_clusters <= n / 3 and alone:
        which = "One cluster holds" if alone == 1 else f"{alone} clusters hold"
        found.append(f"{which} a single row: an outlier rather than a group.")
    unassigned = int((labels == -1).sum())
    if unassigned > n / 2:
        found.append(f"{unassigned} of {n} rows are in no cluster.")
    used = weights[selected]
    if not selected.any():
        found.append("No feature was selected.")
    elif len(weights) > 2 and selected.all() and used.min() > 0.9 * used.max():
        found.append("All weights are alike: the search prefers no feature to the others.")
    best = np.asarray(model.history_["best_fitness"], dtype=float)
    if len(best) > 1 and best[-1] <= best[0]:
        found.append(
            "The search never improved on its first random candidates: many weights may do as well "
            "as these. Try more particles or generations."
        )
    return found
