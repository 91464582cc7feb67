"""The measures of a row of results, by the names that studies use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from weft import metrics
from weft.backends.cpu.buffers import Buffers
from weft.backends.cpu.features import Spaces
from weft.backends.cpu.spaces import Space, Table
from weft.backends.spaces import Solution
from weft.metrics.on_spaces import combine_csc


class Outcome(NamedTuple):
    """A clustering and everything that measures may use."""

    X: Any
    y: np.ndarray
    labels: np.ndarray
    model: Any  # None for methods without an estimator
    extra: dict[str, Any]  # measures of the method itself


def measure(name: str, outcome: Outcome) -> Any:
    """Return one measure of a clustering: a number, or a list of them."""
    if name in outcome.extra:
        return outcome.extra[name]
    if name not in MEASURES:
        raise ValueError(f"measure {name!r} is not known; the measures are {', '.join(MEASURES)}.")
    return MEASURES[name](outcome)


def _kept(outcome: Outcome) -> np.ndarray:
    if hasattr(outcome.model, "get_support"):
        return outcome.model.get_support()
    return np.ones(outcome.X.shape[1], dtype=bool)


def _csc(outcome: Outcome) -> float:
    """CSC as in table 4.3: silhouette on weighted features, connectedness on all."""
    weights = getattr(outcome.model, "feature_weights_", np.ones(outcome.X.shape[1]))
    exponents = getattr(outcome.model, "feature_exponents_", None)
    space = Space.of(Table.of(outcome.X), Solution(weights, exponents), Buffers(hold_matrix=False))
    return combine_csc(
        float(Spaces(space).silhouette(outcome.labels[None])[0]),
        _on_all(metrics.connectedness)(outcome),
    )


def _on_all(score: Callable[..., float]) -> Callable[[Outcome], float]:
    # Rows in no cluster form one more cluster, as in section 5.8.2 of the first thesis.
    return lambda o: score(o.X, o.labels, noise="cluster")


def _sizes(outcome: Outcome) -> np.ndarray:
    return np.unique(outcome.labels[outcome.labels >= 0], return_counts=True)[1]


def _covariances(outcome: Outcome) -> tuple[float, float]:
    """Table 5.6: spread of the variances and mean |cov| of the least spherical cluster."""
    found = []
    for cluster in np.unique(outcome.labels):
        covariance = np.cov(outcome.X[outcome.labels == cluster].T)
        off = ~np.eye(len(covariance), dtype=bool)
        found.append((float(np.diag(covariance).std()), float(np.abs(covariance[off]).mean())))
    return max(found)


def _weights(outcome: Outcome) -> list[float]:
    """Weights by cluster, with clusters in the order of their matching classes."""
    weights = outcome.model.cluster_feature_weights_
    order = [
        np.bincount(outcome.labels[outcome.y == each], minlength=len(weights)).argmax()
        for each in np.unique(outcome.y)
    ]
    return weights[order].ravel().tolist()


def _curve(outcome: Outcome) -> list[float] | None:
    """The best fitness after each generation."""
    history = getattr(outcome.model, "history_", None)
    return None if history is None else [float(value) for value in history["best_fitness"]]


MEASURES: dict[str, Callable[[Outcome], Any]] = {
    "f": lambda o: metrics.pair_f(o.y, o.labels),
    "f1": lambda o: metrics.pair_f1(o.y, o.labels),
    "accuracy": lambda o: 100 * metrics.accuracy(o.y, o.labels),
    "greedy": lambda o: 100 * metrics.accuracy(o.y, o.labels, mapping="greedy"),
    "huang": lambda o: 100 * metrics.huang_accuracy(o.y, o.labels),
    "purity": lambda o: metrics.purity(o.y, o.labels),
    "row purity": lambda o: metrics.purity(o.y, o.labels, average="row"),
    "fscore": lambda o: metrics.fscore(o.y, o.labels),
    "entropy": lambda o: metrics.entropy(o.y, o.labels),
    "clusters": lambda o: len(np.unique(o.labels[o.labels >= 0])),
    "kept": lambda o: float(_kept(o).mean()),
    "features": lambda o: int(_kept(o).sum()),
    "silhouette": _on_all(metrics.silhouette),
    "connectedness": _on_all(metrics.connectedness),
    "sparsity": _on_all(metrics.sparsity),
    "separation": _on_all(metrics.separation),
    "csc": _csc,
    "bcr": _on_all(metrics.bcr),
    "bcr assigned": lambda o: metrics.bcr(o.X, o.labels, noise="exclude"),
    "fitness": lambda o: float(o.model.fitness_),
    "scatter": lambda o: metrics.scatter_trace(o.X, o.labels),
    "intra": lambda o: metrics.sum_intra(o.X, o.labels),
    "rows": lambda o: len(o.y),
    "smallest": lambda o: int(_sizes(o).min()),
    "largest": lambda o: int(_sizes(o).max()),
    "assigned": lambda o: int((o.labels >= 0).sum()),
    "outliers": lambda o: int((o.labels < 0).sum()),
    "cov sd": lambda o: _covariances(o)[0],
    "cov off": lambda o: _covariances(o)[1],
    "weights": _weights,
    "curve": _curve,
}

# Which direction is good; the others only agree or differ.
HIGHER = ("f", "f1", "accuracy", "greedy", "huang", "purity", "row purity", "fscore", "scatter")
LOWER = ("entropy", "intra", "seconds", "reached")
