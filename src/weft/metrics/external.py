"""How well labels agree with known classes: ``f(y_true, labels)``, all in [0, 1].

A label of -1 means "belongs to no cluster" (DBSCAN's outliers). Such rows share a cluster with no
other row, not even with each other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from weft._base.docstrings import documented
from weft._base.validation import check_choice
from weft.metrics._paragraphs import EXTERNAL, HIGHER


def _contingency(y_true: ArrayLike, labels: ArrayLike) -> tuple[NDArray[np.int64], int]:
    """Return the table clusters × classes of the assigned rows, and the number of all rows."""
    truth = np.asarray(y_true)
    found = np.asarray(labels)
    if truth.ndim != 1 or truth.shape != found.shape:
        raise ValueError(
            f"y_true and labels must be vectors of equal length, got shapes {truth.shape} "
            f"and {found.shape}; pass one class and one label per row."
        )
    if len(truth) == 0:
        raise ValueError("y_true and labels are empty; pass at least one row.")
    _, classes = np.unique(truth, return_inverse=True)
    assigned = found != -1
    clusters = np.zeros(len(found), dtype=np.int64)
    names, clusters[assigned] = np.unique(found[assigned], return_inverse=True)
    table = np.zeros((len(names), int(classes.max()) + 1), dtype=np.int64)
    np.add.at(table, (clusters[assigned], classes[assigned]), 1)
    return table, len(truth)


class PairCounts(NamedTuple):
    """Pairs of rows: in the same class and cluster, only the same cluster, only the same class."""

    true_positive: int
    false_positive: int
    false_negative: int


def pair_counts(y_true: ArrayLike, labels: ArrayLike) -> PairCounts:
    """Count the pairs that `pair_f` needs."""
    table, _ = _contingency(y_true, labels)
    # Python's integers are exact at any size; n(n-1)/2 may exceed 2**63.
    together = sum(int(count) * (int(count) - 1) // 2 for count in table.ravel())
    in_cluster = sum(int(count) * (int(count) - 1) // 2 for count in table.sum(axis=1))
    class_sizes = np.unique(np.asarray(y_true), return_counts=True)[1]
    in_class = sum(int(count) * (int(count) - 1) // 2 for count in class_sizes)
    return PairCounts(together, in_cluster - together, in_class - together)


@documented(EXTERNAL)
def pair_f(y_true: ArrayLike, labels: ArrayLike) -> float:
    """F over pairs of rows, as Fowlkes and Mallows define it: √(precision · recall).

    A row labelled -1 adds false negatives only.

    Returns
    -------
    float
        1 if the partitions are equal, 0 if no pair agrees.

    Examples
    --------
    >>> from weft.metrics import pair_f
    >>> pair_f([0, 0, 1, 1], [5, 5, 7, 7])
    1.0
    >>> pair_f([0, 0, 1, 1], [5, 5, 5, 5])  # precision 2/6, recall 1
    0.5773502691896257
    """
    tp, fp, fn = pair_counts(y_true, labels)
    if tp == 0:
        # There is no pair to find and none was found, so the result is perfect.
        return 1.0 if fp == 0 and fn == 0 else 0.0
    return float(np.sqrt(tp / (tp + fp)) * np.sqrt(tp / (tp + fn)))


@documented(EXTERNAL, HIGHER)
def pair_f1(y_true: ArrayLike, labels: ArrayLike) -> float:
    """F over pairs of rows as the harmonic mean of precision and recall.

    Examples
    --------
    >>> from weft.metrics import pair_f1
    >>> pair_f1([0, 0, 1, 1], [5, 5, 5, 5])  # precision 2/6, recall 1
    0.5
    """
    tp, fp, fn = pair_counts(y_true, labels)
    if tp == 0:
        return 1.0 if fp == 0 and fn == 0 else 0.0
    return 2 * tp / (2 * tp + fp + fn)


@documented(EXTERNAL, HIGHER)
def purity(y_true: ArrayLike, labels: ArrayLike, *, average: str = "cluster") -> float:
    """Share of each cluster's rows that belong to its most common class.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_samples,)
        Known classes and found clusters; rows labelled -1 are left out.
    average : {"cluster", "row"}, default="cluster"
        ``"cluster"``: the plain mean over clusters (O'Neill 2017). ``"row"``: clusters count by
        their size, which is the more usual definition.

    Examples
    --------
    >>> from weft.metrics import purity
    >>> purity([0, 0, 0, 1, 1], [0, 0, 0, 0, 1])  # (3/4 + 1) / 2
    0.875
    >>> purity([0, 0, 0, 1, 1], [0, 0, 0, 0, 1], average="row")  # 4/5
    0.8
    """
    check_choice("average", average, ("cluster", "row"))
    table, _ = _contingency(y_true, labels)
    if len(table) == 0:
        return 0.0
    if average == "row":
        return float(table.max(axis=1).sum() / table.sum())
    return float((table.max(axis=1) / table.sum(axis=1)).mean())


@documented(EXTERNAL, HIGHER)
def accuracy(y_true: ArrayLike, labels: ArrayLike, *, mapping: str = "optimal") -> float:
    """Share of rows in the class that their cluster is matched with, one cluster per class.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_samples,)
        Known classes and found clusters; rows labelled -1 count as wrong.
    mapping : {"optimal", "greedy"}, default="optimal"
        How clusters are matched with classes: the assignment with the most correct rows, or, as
        in the papers, repeatedly the largest remaining cell of the confusion table.

    Examples
    --------
    >>> from weft.metrics import accuracy
    >>> accuracy([0, 0, 1, 1, 1], [1, 1, 0, 0, 1])
    0.8
    """
    check_choice("mapping", mapping, ("optimal", "greedy"))
    table, n_rows = _contingency(y_true, labels)
    if mapping == "optimal":
        rows, columns = linear_sum_assignment(table, maximize=True)
        return float(table[rows, columns].sum() / n_rows)
    left: Any = table.astype(np.float64)
    right = 0
    for _ in range(min(table.shape)):
        i, j = np.unravel_index(left.argmax(), left.shape)
        right += int(table[i, j])
        left[i, :] = -1.0
        left[:, j] = -1.0
    return float(right / n_rows)
