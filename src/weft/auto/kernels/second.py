"""Clusters of one candidate in the second view of the rows."""

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED, KEEPS_THE_LOCK


@njit(inline="always", **COMPILED)
def number_present(labels, out):
    """Fill `out` with the labels 0 … k - 1 of the clusters that have rows, in order; -1 stays.

    Returns k and the number of rows with a cluster.
    """
    most = 0
    for label in labels:
        most = max(most, label + 1)
    number = np.empty(most, dtype=np.int64)
    for label in range(most):
        number[label] = -1
    n = 0
    for label in labels:
        if label >= 0:
            number[label] = 0
            n += 1
    k = 0
    for label in range(most):
        if number[label] == 0:
            number[label] = k
            k += 1
    for i in range(len(labels)):
        out[i] = number[labels[i]] if labels[i] >= 0 else -1
    return k, n


@njit(**COMPILED)
def number_all_present(labels, out, n_clusters, n_rows):
    """Fill `number_present` of each row of `labels` (C, n)."""
    for c in range(len(labels)):
        n_clusters[c], n_rows[c] = number_present(labels[c], out[c])


# These two take a few microseconds for each of many candidates. Handing over the interpreter lock
# would take longer, so they keep it.


@njit(**KEEPS_THE_LOCK)
def fill_members(own, member, sizes):
    """Fill `member` (n, k) with 1 where a row is in a cluster, and `sizes` (k,); both are 0."""
    for i in range(len(own)):
        if own[i] >= 0:
            member[i, own[i]] = 1.0
            sizes[own[i]] += 1.0


@njit(**KEEPS_THE_LOCK)
def compare_clusters(sums, squares, near, own, sizes, widths, each, within):
    """Fill the silhouette of each row and of each cluster, and the squares within each cluster.

    `sums` and `squares` (n, k) are each row's distances, and squared ones, to the rows of each
    cluster, summed; `near` (n, m) are the nearest rows. Rows with -1 have no silhouette. Returns
    the share of nearest rows that are in the same cluster.
    """
    k = len(sizes)
    for c in range(k):
        each[c] = 0.0
        within[c] = 0.0
    same = 0
    place = 0
    for i in range(len(own)):
        c = own[i]
        if c < 0:
            continue
        inner = sums[i, c] / max(sizes[c] - 1.0, 1.0)
        outer = np.inf
        for other in range(k):
            if other != c:
                outer = min(outer, sums[i, other] / sizes[other])
        width = 0.0
        if sizes[c] > 1.0:
            width = (outer - inner) / max(max(outer, inner), 1e-300)
        widths[place] = width
        each[c] += width
        within[c] += squares[i, c]
        for m in range(near.shape[1]):
            same += own[near[i, m]] == c
        place += 1
    for c in range(k):
        each[c] /= sizes[c]
    return same / (place * near.shape[1])
