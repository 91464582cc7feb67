"""Mercer-kernel CS of swarms of centres: see the reference for the formulas."""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.prototypes import cluster_sums, nearest_prototypes


@njit(nogil=True, cache=True, error_model="numpy")
def mean_widths(distances, labels, n_clusters, widths):
    """Fill `widths` with the mean over a cluster's rows of the distance to its farthest mate."""
    n_rows = labels.shape[0]
    counts = np.zeros(n_clusters, dtype=np.int64)
    for i in range(n_rows):
        counts[labels[i]] += 1
    starts = np.zeros(n_clusters + 1, dtype=np.int64)
    for k in range(n_clusters):
        starts[k + 1] = starts[k] + counts[k]
    order = np.empty(n_rows, dtype=np.int64)
    filled = starts[:-1].copy()
    for i in range(n_rows):
        order[filled[labels[i]]] = i
        filled[labels[i]] += 1
    farthest = np.empty(n_rows)
    for k in range(n_clusters):
        first, last = starts[k], starts[k + 1]
        total = 0.0
        if 4 * counts[k] > n_rows:
            # A large cluster: maxima over whole rows of the matrix, four at a stride, are faster
            # than picking out the mates.
            farthest[:] = 0.0
            for a in range(first, last):
                row = distances[order[a]]
                for i in range(n_rows):
                    value, largest = row[i], farthest[i]
                    farthest[i] = value if value > largest else largest
            for a in range(first, last):
                total += farthest[order[a]]
        else:
            for a in range(first, last):
                row = distances[order[a]]
                widest = 0.0
                for b in range(first, last):
                    widest = max(widest, row[order[b]])
                total += widest
        widths[k] = total / counts[k] if counts[k] > 0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def active_centers(position, n_centers, n_features, low, span):
    """Return the active centres of a position in [0, 1]: thresholds above 0.5, two at least."""
    thresholds = position[:n_centers]
    active = np.empty(n_centers, dtype=np.bool_)
    n_active = 0
    for k in range(n_centers):
        active[k] = thresholds[k] > 0.5
        n_active += active[k]
    while n_active < 2:
        best = -1
        for k in range(n_centers):
            if not active[k] and (best < 0 or thresholds[k] > thresholds[best]):
                best = k
        active[best] = True
        n_active += 1
    centers = np.empty((n_active, n_features))
    filled = 0
    for k in range(n_centers):
        if active[k]:
            for f in range(n_features):
                value = position[n_centers + k * n_features + f]
                centers[filled, f] = low[f] + value * span[f]
            filled += 1
    return centers


@njit(nogil=True, cache=True, error_model="numpy")
def drop_small(columns, centers, least, labels):
    """Fill `labels`; drop the smallest cluster until all have `least` rows; return the centres.

    When a centre goes, its own rows alone look for another: the others keep theirs.
    """
    n_features, n_rows = columns.shape
    n_centers = centers.shape[0]
    nearest_prototypes(columns, np.arange(n_features), centers, labels, np.empty(n_rows))
    counts = np.zeros(n_centers, dtype=np.int64)
    for i in range(n_rows):
        counts[labels[i]] += 1
    alive = np.ones(n_centers, dtype=np.bool_)
    n_alive = n_centers
    while n_alive > 1:
        smallest = -1
        for k in range(n_centers):
            if alive[k] and (smallest < 0 or counts[k] < counts[smallest]):
                smallest = k
        if counts[smallest] >= least:
            break
        alive[smallest] = False
        n_alive -= 1
        for i in range(n_rows):
            if labels[i] != smallest:
                continue
            best = np.inf
            for k in range(n_centers):
                if alive[k]:
                    distance = 0.0
                    for f in range(n_features):
                        difference = columns[f, i] - centers[k, f]
                        distance += difference * difference
                    if distance < best:
                        best = distance
                        labels[i] = k
            counts[labels[i]] += 1
    if n_alive == n_centers:
        return centers
    number = np.cumsum(alive) - 1
    for i in range(n_rows):
        labels[i] = number[labels[i]]
    return centers[alive]


@njit(nogil=True, cache=True, error_model="numpy")
def nearest_average(rows, columns, centers):
    """Return each centre moved to the mean of its n/k nearest rows (section 4.3)."""
    n_rows, n_features = rows.shape
    n_centers = centers.shape[0]
    share = max(1, n_rows // n_centers)
    moved = np.zeros_like(centers)
    distance = np.empty(n_rows)
    for k in range(n_centers):
        distance[:] = 0.0
        for f in range(n_features):
            for i in range(n_rows):
                difference = columns[f, i] - centers[k, f]
                distance[i] += difference * difference
        # The share-th smallest distance is a bar: all below it, and of its equals the first ones.
        bar = np.partition(distance, share - 1)[share - 1]
        room = share
        for i in range(n_rows):
            room -= distance[i] < bar
        for i in range(n_rows):
            taken = distance[i] < bar
            if distance[i] == bar and room > 0:
                taken = True
                room -= 1
            if taken:
                for f in range(n_features):
                    moved[k, f] += rows[i, f]
        for f in range(n_features):
            moved[k, f] /= share
    return moved


@njit(nogil=True, cache=True, error_model="numpy")
def decode_input(position, rows, columns, n_centers, low, span, labels):
    """Fill `labels` by the printed rules and return the centres: input space, repaired."""
    n_rows, n_features = rows.shape
    centers = active_centers(position, n_centers, n_features, low, span)
    nearest_prototypes(columns, np.arange(n_features), centers, labels, np.empty(n_rows))
    counts = np.zeros(centers.shape[0], dtype=np.int64)
    for i in range(n_rows):
        counts[labels[i]] += 1
    if counts.min() < 2:
        centers = nearest_average(rows, columns, centers)
        # The repair may leave clusters of one row or none: those centres go.
        centers = drop_small(columns, centers, 2, labels)
    return centers


@njit(nogil=True, cache=True, error_model="numpy")
def decode_feature(position, rows, columns, n_centers, low, span, steps, least, labels):
    """Fill `labels` and return the means: `steps` of k-means in feature space, least size kept."""
    n_features = rows.shape[1]
    centers = active_centers(position, n_centers, n_features, low, span)
    centers = drop_small(columns, centers, least, labels)
    for _ in range(steps):
        if centers.shape[0] < 2:
            return centers
        counts = np.empty(centers.shape[0], dtype=np.int64)
        sums = np.empty_like(centers)
        cluster_sums(rows, labels, sums, counts)
        for k in range(centers.shape[0]):
            for f in range(n_features):
                centers[k, f] = sums[k, f] / counts[k]
        centers = drop_small(columns, centers, least, labels)
    return centers


@njit(nogil=True, cache=True, error_model="numpy")
def input_cs_swarm(
    positions, rows, columns, distances, n_centers, low, span, gamma, n_clusters, cs
):
    """Fill clusters and eq. 8 of each particle, Gaussian kernel; inf where undefined."""
    n_rows, n_features = rows.shape
    labels = np.empty(n_rows, dtype=np.int64)
    for p in range(positions.shape[0]):
        centers = decode_input(positions[p], rows, columns, n_centers, low, span, labels)
        k = centers.shape[0]
        n_clusters[p] = k
        cs[p] = np.inf
        if k < 2:
            continue
        widths = np.empty(k)
        mean_widths(distances, labels, k, widths)
        above = 0.0
        below = 0.0
        for a in range(k):
            nearest = np.inf
            for b in range(k):
                if a != b:
                    squared = 0.0
                    for f in range(n_features):
                        difference = centers[a, f] - centers[b, f]
                        squared += difference * difference
                    nearest = min(nearest, squared)
            above += widths[a]
            below += 2.0 * (1.0 - np.exp(-gamma * nearest))  # eq. 5
        if below > 0.0:
            cs[p] = above / below


@njit(nogil=True, cache=True, error_model="numpy")
def feature_cs_swarm(
    positions, rows, columns, distances, n_centers, low, span, steps, least, n_clusters, cs
):
    """Fill clusters and the weighted CS of each particle; inf where undefined.

    Means nearer than rounding are the same mean: twins must not become two clusters.
    """
    n_rows, n_features = rows.shape
    labels = np.empty(n_rows, dtype=np.int64)
    rounding = 1e-12 * (span * span).sum()
    for p in range(positions.shape[0]):
        centers = decode_feature(
            positions[p], rows, columns, n_centers, low, span, steps, least, labels
        )
        k = centers.shape[0]
        n_clusters[p] = k
        cs[p] = np.inf
        if k < 2:
            continue
        sums = np.empty((k, n_features))
        counts = np.empty(k, dtype=np.int64)
        cluster_sums(rows, labels, sums, counts)
        widths = np.empty(k)
        mean_widths(distances, labels, k, widths)
        total = 0.0
        for a in range(k):
            nearest = np.inf
            for b in range(k):
                if a != b:
                    squared = 0.0
                    for f in range(n_features):
                        difference = sums[a, f] / counts[a] - sums[b, f] / counts[b]
                        squared += difference * difference
                    nearest = min(nearest, squared)
            if nearest <= rounding:
                total = np.inf
                break
            total += counts[a] * (widths[a] / nearest)
        if np.isfinite(total):
            cs[p] = total / n_rows
