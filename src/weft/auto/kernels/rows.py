"""What single rows say of the clusters of a candidate: silhouettes, gaps, edges of the graph."""

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED


@njit(**COMPILED)
def silhouettes(labels, ids, sizes, sums, other, out):
    """Fill the mean silhouette of each cluster; gives minus the share of rows nearer to another.

    `other` is a buffer (n,). Rows of clusters of one row have 0, as in scikit-learn.
    """
    n = len(labels)
    k = len(ids)
    for c in range(k):
        out[c] = 0.0
    if k < 2:
        return -0.0
    for i in range(n):
        other[i] = np.inf
    for c in range(k):
        line = sums[ids[c]]
        scale = 1.0 / sizes[c]
        for i in range(n):  # without a branch, several rows at once
            mean = np.inf if labels[i] == c else line[i] * scale
            other[i] = mean if mean < other[i] else other[i]
    misplaced = 0
    n_labelled = 0
    for i in range(n):
        c = labels[i]
        if c < 0:
            continue
        n_labelled += 1
        own = sums[ids[c], i] * (1.0 / max(sizes[c] - 1, 1))
        larger = max(own, other[i])
        if sizes[c] > 1 and larger > 0.0:
            out[c] += (other[i] - own) / larger
            if other[i] < own * (1.0 - 1e-5):  # equal up to single precision is not misplaced
                misplaced += 1
    for c in range(k):
        out[c] /= sizes[c]
    return -(misplaced / max(n_labelled, 1))


@njit(inline="always", **COMPILED)
def separations(labels, ids, nearest, distance, partner):
    """Fill the mutual reachability distance to the nearest other cluster, and that cluster."""
    for c in range(len(ids)):
        distance[c] = np.inf if len(ids) > 1 else 0.0
        partner[c] = 0
        line = nearest[ids[c]]
        for i in range(len(labels)):
            if labels[i] >= 0 and labels[i] != c and line[i] < distance[c]:
                distance[c] = line[i]
                partner[c] = labels[i]


@njit(inline="always", **COMPILED)
def graph_evidence(labels, k, neighbours, degrees, core, inside, volume, border, crossing):
    """Fill, for each cluster, directed edges inside, total degree, and the sum over crossing edges
    of the larger log core distance, with their number; gives the modularity.

    Outliers count as clusters of one row.
    """
    n, m = neighbours.shape
    for c in range(k):
        inside[c] = 0.0
        volume[c] = 0.0
        border[c] = 0.0
        crossing[c] = 0.0
    total = 2.0 * n * m
    modularity = 0.0
    for i in range(n):
        c = labels[i]
        if c < 0:
            modularity -= (degrees[i] / total) ** 2
            continue
        volume[c] += degrees[i]
        for position in range(m):
            j = neighbours[i, position]
            if labels[j] == c:
                inside[c] += 1.0
            elif labels[j] >= 0:
                level = max(core[i], core[j])
                border[c] += level
                crossing[c] += 1.0
                border[labels[j]] += level
                crossing[labels[j]] += 1.0
    for c in range(k):
        modularity += 2.0 * inside[c] / total - (volume[c] / total) ** 2
    return modularity
