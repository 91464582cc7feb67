"""Validity of swarms of centres in input space: see the reference for the formulas."""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.prototypes import cluster_sums, nearest_other, nearest_prototypes


@njit(nogil=True, cache=True, error_model="numpy")
def davies_bouldin(rows, labels, centers, counts):
    """Return the mean over clusters of the worst (S_i + S_j) / d_ij; inf where d_ij = 0."""
    n_clusters, n_features = centers.shape
    scatter = np.zeros(n_clusters)
    for i in range(rows.shape[0]):
        squared = 0.0
        for f in range(n_features):
            difference = rows[i, f] - centers[labels[i], f]
            squared += difference * difference
        scatter[labels[i]] += np.sqrt(squared)
    total = 0.0
    for a in range(n_clusters):
        scatter[a] /= counts[a]
    for a in range(n_clusters):
        worst = 0.0
        for b in range(n_clusters):
            if a != b:
                squared = 0.0
                for f in range(n_features):
                    difference = centers[a, f] - centers[b, f]
                    squared += difference * difference
                if squared == 0.0:
                    return np.inf
                worst = max(worst, (scatter[a] + scatter[b]) / np.sqrt(squared))
        total += worst
    return total / n_clusters


@njit(nogil=True, cache=True, error_model="numpy")
def string_swarm(positions, rows, columns, n_genes, n_clusters, index):
    """Fill clusters and the Davies–Bouldin index of each string of centres with gaps.

    Centres are moved to the means of their rows before the index is computed, as in GCUK; centres
    without a row are dropped. inf if fewer than two remain.
    """
    n_rows, n_features = rows.shape
    labels = np.empty(n_rows, dtype=np.int64)
    squared = np.empty(n_rows)
    features = np.arange(n_features)
    for p in range(positions.shape[0]):
        flags = positions[p, :n_genes] > 0.5
        values = positions[p, n_genes:].copy().reshape((n_genes, n_features))
        centers = values[flags]
        index[p] = np.inf
        n_clusters[p] = centers.shape[0]
        if centers.shape[0] < 2:
            continue
        nearest_prototypes(columns, features, centers, labels, squared)
        sums = np.empty_like(centers)
        counts = np.empty(centers.shape[0], dtype=np.int64)
        cluster_sums(rows, labels, sums, counts)
        filled = counts > 0
        number = np.cumsum(filled) - 1
        for i in range(n_rows):
            labels[i] = number[labels[i]]
        sizes = counts[filled]
        means = sums[filled]
        for k in range(means.shape[0]):
            for f in range(n_features):
                means[k, f] /= sizes[k]
        n_clusters[p] = means.shape[0]
        if means.shape[0] >= 2:
            index[p] = davies_bouldin(rows, labels, means, sizes)


@njit(nogil=True, cache=True, error_model="numpy")
def subset_swarm(positions, columns, pool, n_clusters, intra, inter):
    """Fill clusters, mean squared distance to, and least squared distance between, the centres
    of `pool` that a particle of bits selects; those without a row do not count."""
    n_features, n_rows = columns.shape
    labels = np.empty(n_rows, dtype=np.int64)
    squared = np.empty(n_rows)
    features = np.arange(n_features)
    for p in range(positions.shape[0]):
        centers = pool[positions[p] > 0.5]
        n_clusters[p] = centers.shape[0]
        intra[p] = np.inf
        inter[p] = 0.0
        if centers.shape[0] < 2:
            continue
        nearest_prototypes(columns, features, centers, labels, squared)
        used = np.zeros(centers.shape[0], dtype=np.bool_)
        total = 0.0
        for i in range(n_rows):
            used[labels[i]] = True
            total += squared[i]
        filled = centers[used]
        n_clusters[p] = filled.shape[0]
        if filled.shape[0] < 2:
            continue
        intra[p] = total / n_rows
        inter[p] = np.inf
        for a in range(filled.shape[0]):
            inter[p] = min(inter[p], nearest_other(filled, a))
