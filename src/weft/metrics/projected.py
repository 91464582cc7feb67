"""Measures of projected clusters: table 9 of Lu et al. 2009, and which features were found.

The paper says that no tested method recovers the relevant features; these functions measure how
well a method does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from weft._base.arrays import Mask
from weft._base.docstrings import documented
from weft._base.validation import check_choice
from weft.metrics._paragraphs import EXTERNAL
from weft.metrics.external import _contingency


@documented(EXTERNAL)
def fscore(y_true: ArrayLike, labels: ArrayLike) -> float:
    """FScore (Zhao and Karypis 2001): each class's best F over clusters, weighted by its size.

    Returns
    -------
    float
        In (0, 1]; 1 if every class has its own cluster. A cluster may be the best for several
        classes.

    Examples
    --------
    >>> from weft.metrics import fscore
    >>> fscore([0, 0, 1, 1], [0, 0, 0, 1])  # (F of 2/3 and 1 + F of 1 and 1/2) / 2
    0.7333333333333334
    """
    table, n_rows = _contingency(y_true, labels)
    class_sizes = np.unique(np.asarray(y_true), return_counts=True)[1]
    if len(table) == 0:
        return 0.0
    # F = 2 R P / (R + P) = 2 n_ri / (n_r + m_i)
    best = 2.0 * table / (class_sizes + table.sum(axis=1, keepdims=True))
    return float((class_sizes * best.max(axis=0)).sum() / n_rows)


def entropy(y_true: ArrayLike, labels: ArrayLike) -> float:
    """Entropy (Zhou et al. 2006): how mixed clusters are, weighted by their size; lower is better.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_samples,)
        Known classes and found clusters; rows labelled -1 are left out.

    Returns
    -------
    float
        0 if every cluster holds one class, 1 if every cluster holds all classes in equal shares.

    Examples
    --------
    >>> from weft.metrics import entropy
    >>> entropy([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    >>> entropy([0, 0, 1, 1], [0, 0, 1, 2])
    0.0
    """
    table, _ = _contingency(y_true, labels)
    sizes = table.sum(axis=1)
    n_classes = table.shape[1]
    if len(table) == 0 or n_classes < 2:
        return 0.0
    share = table / sizes[:, np.newaxis]
    logs = np.log(share, out=np.zeros_like(share), where=share > 0.0)
    mixed = -(share * logs).sum(axis=1) / np.log(n_classes)
    return float(abs(np.dot(sizes, mixed)) / sizes.sum())


class FoundFeatures(NamedTuple):
    """How well relevant features were found, over all clusters together."""

    precision: float
    recall: float
    f1: float


def select_features(weights: ArrayLike, *, rule: str = "split") -> Mask:
    """Return which features each cluster needs, from its weights.

    Parameters
    ----------
    weights : array-like of shape (n_clusters, n_features)
        Weights, at least 0.
    rule : {"split", "mean"}, default="split"
        ``"split"``: cut the cluster's sorted weights in two where the variance between the two
        sides is largest (Otsu 1979). ``"mean"``: weights above the cluster's mean.

    Returns
    -------
    ndarray of bool of shape (n_clusters, n_features)
        All false in a cluster whose weights are all the same.

    Examples
    --------
    >>> from weft.metrics import select_features
    >>> select_features([[0.4, 0.1, 0.38, 0.12]])
    array([[ True, False,  True, False]])
    """
    check_choice("rule", rule, ("split", "mean"))
    given = np.asarray(weights, dtype=np.float64)
    if given.ndim != 2 or not np.isfinite(given).all() or (given < 0.0).any():
        raise ValueError(
            f"weights has shape {given.shape}; give finite weights of at least 0, one row per "
            "cluster and one column per feature."
        )
    if rule == "mean":
        return given > given.mean(axis=1, keepdims=True)
    return np.array([row > _split(row) for row in given]).reshape(given.shape)


def _split(weights: NDArray[np.float64]) -> float:
    """Return the largest weight of the lower side of the best cut; inf where there is none."""
    ordered = np.sort(weights)
    if len(ordered) < 2 or ordered[0] == ordered[-1]:
        return np.inf
    below = np.arange(1, len(ordered))
    sums = np.cumsum(ordered)[:-1]
    above = len(ordered) - below
    # between-class variance, up to a constant: n1 n2 (mean2 - mean1)²
    gap = (ordered.sum() - sums) / above - sums / below
    return float(ordered[int((below * above * gap**2).argmax())])


def found_features(
    relevant: ArrayLike,
    weights: ArrayLike,
    y_true: ArrayLike,
    labels: ArrayLike,
    *,
    rule: str = "split",
) -> FoundFeatures:
    """Precision and recall of the relevant features, cluster by cluster.

    Each cluster is compared with its matching class: clusters are matched to classes so that as
    many rows as possible are right. A class without a cluster counts as missed.

    Parameters
    ----------
    relevant : array-like of bool of shape (n_classes, n_features)
        Which features each class needs, in the order of its sorted names.
    weights : array-like of shape (n_clusters, n_features)
        Weights, from which `select_features` selects features, or the selection itself (bool).
    y_true, labels : array-like of shape (n_samples,)
        Known classes and found clusters.
    rule : {"split", "mean"}, default="split"
        How features are selected by their weights.

    Returns
    -------
    FoundFeatures
        ``precision``, ``recall`` and their harmonic mean ``f1``; precision is 0 where nothing
        was chosen.

    Examples
    --------
    >>> from weft.metrics import found_features
    >>> relevant = [[True, False, False], [False, True, True]]
    >>> weights = [[0.0, 0.6, 0.4], [0.5, 0.5, 0.0]]
    >>> found = found_features(relevant, weights, [0, 0, 1, 1], [1, 1, 0, 0])
    >>> found.precision, found.recall  # 3 of the 4 chosen are right, none is missed
    (0.75, 1.0)
    """
    truth = np.asarray(relevant, dtype=bool)
    given = np.asarray(weights)
    chosen = given if given.dtype == bool else select_features(given, rule=rule)
    if truth.ndim != 2 or chosen.ndim != 2 or truth.shape[1] != chosen.shape[1]:
        raise ValueError(
            f"relevant has shape {truth.shape} and weights {chosen.shape}; give both as clusters "
            "× features of the same table."
        )
    classes = np.unique(np.asarray(y_true), return_inverse=True)[1]
    clusters = np.asarray(labels)
    if classes.ndim != 1 or classes.shape != clusters.shape or len(classes) == 0:
        raise ValueError(
            f"y_true has shape {np.shape(y_true)} and labels {clusters.shape}; pass one class and "
            "one label per row."
        )
    if classes.max() >= len(truth) or clusters.max() >= len(chosen):
        raise ValueError(
            f"y_true has {classes.max() + 1} classes and labels go up to {clusters.max()}, but "
            f"relevant has {len(truth)} rows and weights {len(chosen)}; give one row for each."
        )
    table = np.zeros((len(chosen), len(truth)), dtype=np.int64)
    np.add.at(table, (clusters[clusters >= 0], classes[clusters >= 0]), 1)
    rows, columns = linear_sum_assignment(table, maximize=True)
    hits = int((chosen[rows] & truth[columns]).sum())
    n_chosen, n_relevant = int(chosen[rows].sum()), int(truth.sum())
    precision = hits / n_chosen if n_chosen else 0.0
    recall = hits / n_relevant if n_relevant else 0.0
    f1 = 2.0 * hits / (n_chosen + n_relevant) if n_chosen + n_relevant else 0.0
    return FoundFeatures(precision, recall, f1)
