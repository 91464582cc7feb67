"""The attributes of a fitted clusterer that a summary needs, in one form for all classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

# Rows × columns that are made dense at once.
_LARGEST = 30_000_000


class Facts(NamedTuple):
    """Attributes of a fitted model; those that its class does not have are None."""

    labels: np.ndarray  # (n,), -1 for rows in no cluster
    n_clusters: int
    names: list[str]  # (M,)
    weights: np.ndarray  # (M,), ones where the method has none
    has_weights: bool
    selected: np.ndarray  # (M,) bool
    exponents: np.ndarray | None  # (M,)
    cluster_weights: np.ndarray | None  # (K, M)
    history: dict[str, np.ndarray]
    fitness: float | None
    n_iter: int | None
    params: dict[str, Any]
    n_searched: int | None = None  # rows of the search, where it ran on a sample
    agreement: float | None = None  # of the answer with another sample
    verdict: str | None = None  # the method's sentence about its answer
    kept_share: np.ndarray | None = None  # (M,) share of repeats that kept the column
    are_measured: bool = False  # weights were measured on given labels, not learned with them


def read_facts(model: Any, feature_names: Sequence[str] | None = None) -> Facts:
    """Read the attributes of a fitted model; those that its class does not have stay None."""
    if not hasattr(model, "labels_"):
        raise ValueError(
            f"a {type(model).__name__} has no labels_; give a fitted clusterer instead."
        )
    labels = np.asarray(model.labels_)
    weights = getattr(model, "feature_weights_", None)
    n_features = len(weights) if weights is not None else int(model.n_features_in_)
    filled = np.ones(n_features) if weights is None else np.asarray(weights, dtype=float)
    exponents = getattr(model, "feature_exponents_", None)
    own = getattr(model, "cluster_feature_weights_", None)
    fitness = getattr(model, "fitness_", None)
    n_iter = getattr(model, "n_iter_", None)
    if feature_names is None:
        feature_names = getattr(model, "feature_names_in_", [f"x{i}" for i in range(n_features)])
    return Facts(
        labels=labels,
        n_clusters=len(np.unique(labels[labels != -1])),
        names=[str(name) for name in feature_names],
        weights=filled,
        has_weights=weights is not None,
        selected=_selected(model, filled),
        exponents=None if exponents is None else np.asarray(exponents, dtype=float),
        cluster_weights=None if own is None else np.asarray(own, dtype=float),
        history={key: np.asarray(v) for key, v in (getattr(model, "history_", None) or {}).items()},
        fitness=None if fitness is None else float(fitness),
        n_iter=None if n_iter is None else int(n_iter),
        params=dict(model.get_params(deep=False)),
        n_searched=_searched(model, len(labels)),
        agreement=getattr(model, "sample_agreement_", None),
        verdict=getattr(model, "verdict_", None),
        kept_share=_kept_share(model),
        are_measured=bool(getattr(model, "weights_are_measured", False)),
    )


def method_name(model: Any) -> str:
    """Return the name of the method, as reports show it."""
    return str(getattr(model, "method_name", type(model).__name__))


def take_columns(facts: Facts, columns: np.ndarray) -> Facts:
    """Return the facts of some of the columns."""
    if len(columns) == len(facts.names):
        return facts
    own, share, exponents = facts.cluster_weights, facts.kept_share, facts.exponents
    return facts._replace(
        names=[facts.names[j] for j in columns],
        weights=facts.weights[columns],
        selected=facts.selected[columns],
        exponents=None if exponents is None else exponents[columns],
        cluster_weights=None if own is None else own[:, columns],
        kept_share=None if share is None else share[columns],
    )


def _kept_share(model: Any) -> np.ndarray | None:
    """Return the share of repeats that kept each column; None if nothing was repeated."""
    share = getattr(model, "feature_stability_", None)
    return share if getattr(model, "n_resamples", 1) else None


def _searched(model: Any, n_rows: int) -> int | None:
    searched = getattr(model, "n_samples_search_", None)
    return int(searched) if searched is not None and searched < n_rows else None


def _selected(model: Any, weights: np.ndarray) -> np.ndarray:
    if hasattr(model, "get_support"):
        return np.asarray(model.get_support(), dtype=bool)
    return weights > 0


def dense_rows(X: Any, facts: Facts) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows as float64, and which columns they hold.

    If a sparse table is too large to be made dense, only its heaviest columns are kept.
    """
    if not sparse.issparse(X):
        rows = np.asarray(X, dtype=float)
        if rows.ndim != 2 or rows.shape != (len(facts.labels), len(facts.names)):
            raise ValueError(
                f"X has shape {rows.shape} but the model was fitted on {len(facts.labels)} rows of "
                f"{len(facts.names)} columns; give the rows it was fitted on."
            )
        return rows, np.arange(rows.shape[1])
    if X.shape != (len(facts.labels), len(facts.names)):
        raise ValueError(
            f"X has shape {X.shape} but the model was fitted on {len(facts.labels)} rows of "
            f"{len(facts.names)} columns; give the rows it was fitted on."
        )
    room = max(_LARGEST // max(X.shape[0], 1), 2)
    columns = np.arange(X.shape[1])
    if X.shape[1] > room:
        columns = np.sort(np.argsort(-facts.weights, kind="stable")[:room])
    return sparse.csc_array(X)[:, columns].toarray().astype(float), columns
