"""Measures of a clustering by its centres, and how fast a search reaches a good one.

`scatter_trace` and `sum_intra` are those of Lensen, Xue and Zhang (eq. 8 to 11); `cs` and
`kernel_cs` those of Abraham, Das and Konar 2007 (eq. 7 and 8), after Chou, Su and Lai 2004.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics.pairwise import pairwise_kernels

from weft._base.arrays import Floats, Integers
from weft._base.docstrings import documented
from weft._base.reading import read_array
from weft._base.validation import check_choice, check_real
from weft.backends import CPU
from weft.metrics._paragraphs import EXTERNAL, HIGHER, LOWER, PROTOTYPES, TWO_CLUSTERS
from weft.metrics.external import accuracy
from weft.metrics.internal import dense_labels


@documented(PROTOTYPES)
def scatter_trace(X: ArrayLike, labels: ArrayLike) -> float:
    """Trace of S_W⁻¹ S_B: how far apart clusters are, in units of their own spread.

    Returns
    -------
    float
        Higher is better; 0 for one cluster. Directions in which no cluster has any spread are left
        out (the pseudo-inverse takes the place of the inverse).

    Examples
    --------
    >>> from weft.metrics import scatter_trace
    >>> round(scatter_trace([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1]), 6)  # S_B 25, S_W 1
    25.0
    """
    rows, dense = _labelled(X, labels)
    means = _means(rows, dense)
    within = rows - means[dense]
    between = means[dense] - rows.mean(axis=0)
    n_rows = len(rows)
    s_w, s_b = within.T @ within / n_rows, between.T @ between / n_rows  # eq. 9, eq. 10
    return float(np.trace(np.linalg.pinv(s_w, hermitian=True) @ s_b))  # eq. 8


@documented(PROTOTYPES, LOWER)
def sum_intra(X: ArrayLike, labels: ArrayLike) -> float:
    """Sum over rows of the Euclidean distance to the mean of their cluster; lower is better.

    Examples
    --------
    >>> from weft.metrics import sum_intra
    >>> sum_intra([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    4.0
    """
    rows, dense = _labelled(X, labels)
    difference = rows - _means(rows, dense)[dense]
    return float(np.sqrt((difference**2).sum(axis=1)).sum())  # eq. 11


@documented(PROTOTYPES, TWO_CLUSTERS)
def cs(X: ArrayLike, labels: ArrayLike) -> float:
    """CS measure: width of the clusters over the distance to their nearest neighbour; lower is
    better.

    Examples
    --------
    >>> from weft.metrics import cs
    >>> cs([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])  # (2 + 2) / (10 + 10)
    0.2
    """
    rows, dense = _labelled(X, labels)
    n_clusters = int(dense.max()) + 1
    if n_clusters < 2:
        return math.inf
    distances = np.sqrt(_squared(rows, rows))
    means = _means(rows, dense)
    return _ratio(distances, dense, np.sqrt(_squared(means, means)), weighted=False)  # eq. 7


@documented(PROTOTYPES, TWO_CLUSTERS)
def kernel_cs(
    X: ArrayLike,
    labels: ArrayLike,
    *,
    kernel: str = "rbf",
    sigma: float = 1.1,
    centers: str = "input",
    weighted: bool = False,
    **kernel_params: Any,
) -> float:
    """CS measure with squared distances in a kernel's feature space; lower is better.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        A table, or the kernel matrix if ``kernel="precomputed"``.
    kernel : str, default="rbf"
        A kernel of scikit-learn, or ``"precomputed"``.
    sigma : float, default=1.1
        Width of the Gaussian kernel, exp(-|x - y|² / 2σ²); only for ``kernel="rbf"``.
    centers : {"input", "feature-space"}, default="input"
        Where the means are computed: among the rows and then mapped, as published, or among the
        mapped rows.
    weighted : bool, default=False
        Use the ratio of each cluster (its width over the distance to the nearest other mean),
        averaged over all rows, so that clusters count by their size. In the published form (one
        ratio of two plain sums) clusters of two near rows have the best value.
    **kernel_params
        Passed to the kernel.

    Examples
    --------
    >>> from weft.metrics import kernel_cs
    >>> X = [[0.0], [2.0], [10.0], [12.0]]
    >>> kernel_cs(X, [0, 0, 1, 1], kernel="linear")  # squares: (4 + 4) / (100 + 100)
    0.04
    >>> kernel_cs(X, [0, 0, 1, 1], kernel="linear", weighted=True)  # (2·4/100 + 2·4/100) / 4
    0.04
    """
    check_choice("centers", centers, ("input", "feature-space"))
    rows, dense = _labelled(X, labels)
    params = dict(kernel_params)
    if kernel == "rbf":
        width = check_real("sigma", sigma, low=0.0, open_low=True)
        params = {"gamma": 1.0 / (2.0 * width**2), **params}
    if kernel == "precomputed":
        if centers == "input":
            raise ValueError(
                "centers='input' needs the rows themselves, and kernel='precomputed' has none; "
                "set centers='feature-space'."
            )
        given, gram = np.asarray(labels) != -1, read_array(X)
        if gram.shape[0] != gram.shape[1]:
            raise ValueError(
                f"kernel='precomputed' needs a square matrix of inner products, got shape "
                f"{gram.shape}; name a kernel for a table."
            )
        gram = gram[np.ix_(given, given)]
    else:
        gram = pairwise_kernels(rows, metric=kernel, n_jobs=1, **params)
    n_clusters = int(dense.max()) + 1
    if n_clusters < 2:
        return math.inf
    if centers == "input":
        means = _means(rows, dense)
        between = _from_gram(pairwise_kernels(means, metric=kernel, n_jobs=1, **params))
    else:
        share = np.zeros((n_clusters, len(dense)))
        share[dense, np.arange(len(dense))] = 1.0
        share /= share.sum(axis=1, keepdims=True)
        between = _from_gram(share @ gram @ share.T)
    return _ratio(_from_gram(gram), dense, between, weighted=weighted)  # eq. 8


@documented(EXTERNAL, HIGHER)
def huang_accuracy(y_true: ArrayLike, labels: ArrayLike) -> float:
    """Huang's accuracy r: the share of rows in the class that corresponds to their cluster.

    Eq. 12 does not say which class that is; here it is the best one-to-one assignment, so clusters
    beyond the number of classes count as wrong. The same as :func:`accuracy`, under the paper's
    name.

    Examples
    --------
    >>> from weft.metrics import huang_accuracy
    >>> huang_accuracy([0, 0, 0, 1], [0, 0, 1, 2])
    0.75
    """
    return accuracy(y_true, labels)


def evaluations_to_reach(
    y_true: ArrayLike,
    labelings: Any,
    n_evaluations: ArrayLike,
    *,
    threshold: float,
) -> float:
    """Number of evaluations until a search first has the right number of clusters and accuracy.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Known classes.
    labelings : sequence of array-like of shape (n_samples,)
        The best clustering after each generation (or after each change of it).
    n_evaluations : array-like of shape (len(labelings),)
        How many evaluations had been made by then.
    threshold : float
        Accuracy to reach, in [0, 1].

    Returns
    -------
    float
        inf if the search never reached it.

    Examples
    --------
    >>> from weft.metrics import evaluations_to_reach
    >>> runs = [[0, 1, 2, 2], [0, 0, 1, 0], [0, 0, 1, 1]]
    >>> evaluations_to_reach([0, 0, 1, 1], runs, [40, 80, 120], threshold=0.9)
    120.0
    """
    check_real("threshold", threshold, low=0.0, high=1.0)
    n_classes = len(np.unique(np.asarray(y_true)))
    for labels, count in zip(labelings, np.asarray(n_evaluations), strict=True):
        clusters = dense_labels(labels)
        if clusters.max() + 1 == n_classes and accuracy(y_true, clusters) >= threshold:
            return float(count)
    return math.inf


def _labelled(X: ArrayLike, labels: ArrayLike) -> tuple[Floats, Integers]:
    """Return the rows that have a label, and their labels as 0 … K-1."""
    rows = read_array(X)
    if len(np.asarray(labels)) != len(rows):
        raise ValueError(
            f"labels has {len(np.asarray(labels))} entries for {len(rows)} rows; pass one per row."
        )
    dense = dense_labels(labels)
    if (dense < 0).all():
        raise ValueError("labels are all -1; pass at least one row that is in a cluster.")
    return rows[dense >= 0], dense[dense >= 0]


def _means(rows: Floats, dense: Integers) -> Floats:
    return np.stack([rows[dense == cluster].mean(axis=0) for cluster in range(dense.max() + 1)])


def _squared(left: Floats, right: Floats) -> Floats:
    return ((left[:, np.newaxis, :] - right[np.newaxis, :, :]) ** 2).sum(axis=2)


def _from_gram(gram: Floats) -> Floats:
    """Return squared distances from inner products (eq. 3)."""
    norms = np.diag(gram)
    # Rounding may leave a distance a little below 0.
    return np.maximum(norms[:, np.newaxis] - 2.0 * gram + norms[np.newaxis, :], 0.0)


def _ratio(distances: Floats, dense: Integers, between: Floats, *, weighted: bool) -> float:
    n_clusters = len(between)
    widest = CPU.mercer.mean_widths(distances, dense, n_clusters)
    apart = (between + np.diag(np.full(n_clusters, np.inf))).min(axis=1)
    if weighted:
        if not (apart > 0.0).all():
            return math.inf
        return float((np.bincount(dense) * widest / apart).sum() / len(dense))
    below = float(apart.sum())
    return float(widest.sum()) / below if below > 0.0 else math.inf
