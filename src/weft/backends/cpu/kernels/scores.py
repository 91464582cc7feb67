"""Measures of a clustering: see the reference for the notation and the formulas."""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.power import positive_power_single


@njit(nogil=True, cache=True, error_model="numpy")
def add_cluster_sums(block, start, labels, root, sums):
    """Update `sums` (K, n): add the distances of rows start … to all rows to their cluster's sum.

    Distances are symmetric, so this is also each row's sum of distances *to* the cluster, and
    whole rows are added to whole rows.
    """
    n_block, n_rows = block.shape
    kind = block.dtype.type
    for offset in range(n_block):
        own = labels[start + offset]
        if own < 0:
            continue
        row = block[offset]
        total = sums[own]
        if root == 2.0:
            for j in range(n_rows):
                total[j] += np.sqrt(row[j])
        elif root == 1.0:
            for j in range(n_rows):
                total[j] += row[j]
        elif block.itemsize == 4:
            power = kind(1.0 / root)
            for j in range(n_rows):
                value = positive_power_single(row[j], power)
                total[j] += value if row[j] > kind(0.0) else kind(0.0)
        else:
            for j in range(n_rows):
                total[j] += row[j] ** (1.0 / root)


@njit(nogil=True, cache=True, error_model="numpy")
def _silhouette(a_sum, own, column, counts):
    """Return (b - a) / max(a, b) from one row's sums of distances to the clusters."""
    a = np.float64(a_sum) / (counts[own] - 1)
    b = np.inf
    for c in range(counts.shape[0]):
        if c != own:
            b = min(b, np.float64(column[c]) / counts[c])
    larger = max(a, b)
    return (b - a) / larger if larger > 0.0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def silhouette_rows(sums, labels, counts, out):
    """Fill `out` with (b - a) / max(a, b); 0 for singletons and where max(a, b) = 0.

    `sums` may have more columns than there are rows.
    """
    n_clusters, n_rows = sums.shape[0], labels.shape[0]
    for i in range(n_rows):
        own = labels[i]
        if own < 0 or counts[own] < 2 or n_clusters < 2:
            out[i] = 0.0
        else:
            out[i] = _silhouette(sums[own, i], own, sums[:, i], counts)


@njit(nogil=True, cache=True, error_model="numpy")
def silhouette_block(block, start, labels, counts, root, out):
    """Fill out[start …] as `silhouette_rows` does, row by row: slower, but without (K, n) sums.

    Sums have the same order and precision, so the bits are the same.
    """
    n_block, n_rows = block.shape
    n_clusters = counts.shape[0]
    # One more bin at the end is for rows without a label, which avoids a branch in the inner loop.
    sums = np.empty((n_clusters + 1, 1), dtype=block.dtype)
    rooted = np.empty((1, n_rows), dtype=block.dtype)
    zero_label = np.zeros(1, dtype=np.int64)
    for offset in range(n_block):
        i = start + offset
        own = labels[i]
        if own < 0 or counts[own] < 2 or n_clusters < 2:
            out[i] = 0.0
            continue
        rooted[:] = 0.0
        add_cluster_sums(block[offset : offset + 1], 0, zero_label, root, rooted)
        sums[:] = 0.0
        for j in range(n_rows):
            c = labels[j] if labels[j] >= 0 else n_clusters
            sums[c, 0] += rooted[0, j]
        out[i] = _silhouette(sums[own, 0], own, sums[:, 0], counts)


@njit(nogil=True, cache=True, error_model="numpy")
def nearest_by_label_block(block, start, labels, same, other):
    """Fill same[start …], other[start …]: powered distance to the nearest row of the own cluster
    and of any other; inf where there is none."""
    n_block, n_rows = block.shape
    for offset in range(n_block):
        i = start + offset
        same[i] = np.inf
        other[i] = np.inf
        if labels[i] < 0:
            continue
        row = block[offset]
        for j in range(n_rows):
            if j == i or labels[j] < 0:
                continue
            if labels[j] == labels[i]:
                same[i] = min(same[i], row[j])
            else:
                other[i] = min(other[i], row[j])


@njit(nogil=True, cache=True, error_model="numpy")
def connectedness_rows(indices, distances, labels, cap, out):
    """Fill `out` with Σ_k ±min(1/d(i,k), cap): plus for neighbours in the own cluster."""
    n_rows, k = indices.shape
    for i in range(n_rows):
        total = 0.0
        if labels[i] >= 0:
            for slot in range(k):
                mate = labels[indices[i, slot]]
                if mate >= 0:
                    # 1/0 is inf under the NumPy error model, and the cap limits it.
                    closeness = min(1.0 / distances[i, slot], cap)
                    total += closeness if mate == labels[i] else -closeness
        out[i] = total


@njit(nogil=True, cache=True, error_model="numpy")
def gaussian_scores(X, labels, n_clusters, noise, floor, own, best_other):
    """Fill `own` and `best_other` with log P(x|Model) P(Model), eq. 4.2's two terms."""
    n_rows, n_features = X.shape
    counts = np.zeros(n_clusters)
    means = np.zeros((n_clusters, n_features))
    spread = np.zeros((n_clusters, n_features))
    n_assigned = 0
    for i in range(n_rows):
        c = labels[i]
        if c >= 0:
            n_assigned += 1
            counts[c] += 1.0
            for f in range(n_features):
                means[c, f] += X[i, f]
    for c in range(n_clusters):
        for f in range(n_features):
            means[c, f] /= counts[c]
    for i in range(n_rows):
        c = labels[i]
        if c >= 0:
            for f in range(n_features):
                difference = X[i, f] - means[c, f]
                spread[c, f] += difference * difference
    constant = np.empty(n_clusters)
    for c in range(n_clusters):
        constant[c] = np.log(counts[c] / n_assigned) - 0.5 * n_features * np.log(2.0 * np.pi)
        for f in range(n_features):
            sd = max(np.sqrt(spread[c, f] / counts[c]) + noise, floor[f])
            constant[c] -= np.log(sd)
            spread[c, f] = 1.0 / sd
    for i in range(n_rows):
        own[i] = 0.0
        best_other[i] = 0.0
        if labels[i] < 0:
            continue
        best = -np.inf
        for c in range(n_clusters):
            total = 0.0
            for f in range(n_features):
                z = (X[i, f] - means[c, f]) * spread[c, f]
                total += z * z
            score = constant[c] - 0.5 * total
            if c == labels[i]:
                own[i] = score
            elif score > best:
                best = score
        best_other[i] = best
