"""Choosing the number of clusters: several methods and their agreement."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from weft._base.reading import read_array
from weft._base.validation import check_choice, check_integer
from weft.choosing import counting
from weft.choosing.results import Curve, NumberOfClusters
from weft.choosing.stability import cluster_by_stability
from weft.columns.mixed import along_main_directions, learn_main_view
from weft.columns.source import MixedTable
from weft.methods.staged.estimate import largest_number
from weft.parallel.blas import one_blas_thread

METHODS = {
    "silhouette": counting.by_silhouette,
    "patterns": counting.by_patterns,
    "gap": counting.by_gap,
    "prediction": counting.by_prediction,
    "eigengap": counting.by_eigengap,
    "mixture": counting.by_mixture,
}
# Reliability of each method, to be multiplied by its clearness: see docs/decisions/0050.
TRUST = {
    "silhouette": 1.0,
    "patterns": 0.25,
    "gap": 0.75,
    "prediction": 1.0,
    "eigengap": 1.5,
    "mixture": 3.0,
}
MOST_CLUSTERS = 30


def choose_n_clusters(
    X: Any,
    *,
    methods: Iterable[str] | None = None,
    max_clusters: int | None = None,
    feature_weights: Any = None,
    random_state: Any = None,
) -> NumberOfClusters:
    """Estimate the number of clusters by a vote of several methods.

    Each method votes for its number. The weight of a vote is the reliability of the method in
    general, times how clear its curve is on this table. The number with the largest weight wins,
    and its share of all weights is the confidence.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or MixedTable
        Rows, best scaled. A table with categories, such as
        ``TablePreparer().fit(frame).mixed_table(frame)``, is analysed along its main directions.
    methods : iterable of str, default=None
        None: all of them. Most do not suit a MixedTable, whose rows lie on a lattice; for
        such a table, None gives the largest number of clusters on which halves of the rows agree.
        ``"silhouette"`` (over k-means, the median of 30 runs), ``"patterns"`` (anomalous patterns,
        iK-Means), ``"gap"`` (gap statistic), ``"prediction"`` (prediction strength), ``"eigengap"``
        (of the graph of nearest neighbours), ``"mixture"`` (Gaussian mixtures by BIC, components
        that run together joined).
    max_clusters : int, default=None
        Maximum number of clusters to try; None: the square root of n_samples, but at most 30.
    feature_weights : array-like of shape (n_features,), default=None
        Factors of the columns, such as ``FeatureSwarm.feature_weights_``.
    random_state : int, RandomState, Generator or None, default=None
        Seed of starts, samples and references.

    Returns
    -------
    NumberOfClusters
        ``n_clusters``; ``confidence`` in (0, 1]; ``curves``, a dict from each method to its
        answer, its clearness and its curve; ``table``; ``plot()``.

    Notes
    -----
    The silhouette uses at most 800 rows, the gap 1,000, prediction strength 2,000, the graph and
    the mixture 4,000, drawn at random. All methods except the silhouette can vote for a single
    cluster.

    Examples
    --------
    >>> from weft import choose_n_clusters
    >>> from weft.datasets import make_gaussians
    >>> X = make_gaussians(4, 5, cluster_size=60, random_state=0).data
    >>> choose_n_clusters(X, random_state=0).n_clusters
    4
    """
    if isinstance(X, MixedTable):
        if methods is None:
            return _of_table(X, max_clusters, feature_weights, random_state)
        X = main_rows(X, feature_weights)
        feature_weights = None
    rows = read_array(X, min_rows=4)
    rows = np.ascontiguousarray(rows if feature_weights is None else _weigh(rows, feature_weights))
    if isinstance(methods, str):
        methods = (methods,)
    methods = tuple(METHODS) if methods is None else methods
    wanted = [check_choice("methods", name, METHODS) for name in methods]
    if not wanted:
        raise ValueError(f"methods is empty; name at least one of {', '.join(METHODS)}.")
    if max_clusters is None:
        most = min(largest_number(len(rows)), MOST_CLUSTERS)
    else:
        most = check_integer("max_clusters", max_clusters, low=2, high=len(rows) - 1)
    seed = _seed(random_state)
    curves: dict[str, Curve] = {}
    # One thread: the products are small, and their bits must not depend on the machine's load.
    with one_blas_thread():
        for name in wanted:
            # Each method has its own random numbers, so its answer does not depend on the other
            # methods.
            rng = np.random.default_rng([seed, list(METHODS).index(name)])
            curves[name] = METHODS[name](rows, most, rng)
    return vote(curves)


def _of_table(
    table: MixedTable, max_clusters: int | None, feature_weights: Any, random_state: Any
) -> NumberOfClusters:
    """Return the largest number of clusters on which halves of a mixed table's rows agree."""
    rows = main_rows(table, feature_weights)
    most = MOST_CLUSTERS
    if max_clusters is not None:
        most = check_integer("max_clusters", max_clusters, low=2, high=len(rows) - 1)
    with one_blas_thread():
        clusterings = cluster_by_stability(
            rows, high=most, rng=np.random.default_rng(_seed(random_state))
        )
    chosen = clusterings[0]
    by_number = sorted(clusterings, key=lambda each: each.n_clusters)
    curve = Curve(
        chosen.n_clusters if chosen.is_stable else 1,
        chosen.stability,
        np.array([each.n_clusters for each in by_number]),
        np.array([each.stability for each in by_number]),
        "agreement of k-means on halves of the rows; the largest number whose agreement is nearly "
        "the best",
    )
    confidence = chosen.stability if chosen.is_stable else 1.0 - chosen.stability
    return NumberOfClusters(curve.n_clusters, confidence, {"stability": curve}, {"stability": 1.0})


def main_rows(table: MixedTable, feature_weights: Any) -> np.ndarray:
    """Return a mixed table along its main directions, without source columns of weight 0.

    Weights of source columns select columns and do not scale them: the main directions are those
    along which columns agree.
    """
    if feature_weights is not None:
        weights = np.asarray(feature_weights, dtype=np.float64)
        if weights.shape != (len(table.used),) or not (weights > 0.0).any():
            raise ValueError(
                f"feature_weights has shape {weights.shape}; give one weight for each of the "
                f"{len(table.used)} source columns that are used, one of them above 0."
            )
        table = table.take_columns(np.flatnonzero(weights > 0.0))
    return along_main_directions(learn_main_view(table), table.values)


def vote(curves: dict[str, Curve]) -> NumberOfClusters:
    """Count the votes; on a tie the number of the most reliable method wins."""
    weights = {name: TRUST[name] * max(curve.strength, 0.05) for name, curve in curves.items()}
    votes: dict[int, float] = {}
    for name in sorted(curves, key=lambda name: -TRUST[name]):
        number = curves[name].n_clusters
        votes[number] = votes.get(number, 0.0) + weights[name]
    winner = max(votes, key=lambda number: votes[number])  # the first on a tie
    confidence = votes[winner] / sum(weights.values())
    return NumberOfClusters(winner, float(confidence), curves, weights)


def _weigh(rows: np.ndarray, feature_weights: Any) -> np.ndarray:
    weights = np.asarray(feature_weights, dtype=np.float64)
    if weights.shape != (rows.shape[1],) or not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(
            f"feature_weights has shape {weights.shape}; give one finite, non-negative weight for "
            f"each of the {rows.shape[1]} columns."
        )
    if not weights.any():
        raise ValueError("feature_weights is zero for every column; give a weight above 0.")
    return rows[:, weights > 0.0] * weights[weights > 0.0]


def _seed(random_state: Any) -> int:
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    return int(check_random_state(random_state).randint(2**31 - 1))
