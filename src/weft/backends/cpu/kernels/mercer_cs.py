"""Mercer-kernel CS of swarms of centres: see the reference for the formulas."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from weft._base.arrays import Floats
from weft.backends.cpu.kernels.kmeans import group_rows
from weft.backends.cpu.kernels.prototypes import (
    cluster_sizes,
    move_to_means,
    nearest_other,
    nearest_prototypes,
)


class Rows(NamedTuple):
    """The rows among which centres are searched."""

    rows: Floats  # (n, q)
    columns: Floats  # (q, n)
    distances: Floats  # (n, n)
    low: Floats  # (q,)
    span: Floats  # (q,)


@njit(nogil=True, cache=True, error_model="numpy")
def mean_widths(distances, labels, n_clusters, widths):
    """Fill `widths` with the mean over a cluster's rows of the distance to its farthest mate."""
    n_rows = labels.shape[0]
    order, starts = np.empty(n_rows, dtype=np.int64), np.empty(n_clusters + 1, dtype=np.int64)
    group_rows(labels, order, starts)
    farthest = np.empty(n_rows)
    for k in range(n_clusters):
        first, last = starts[k], starts[k + 1]
        total = 0.0
        if 4 * (last - first) > n_rows:
            # For a large cluster, maxima over whole rows of the matrix, four at a time, are faster
            # than selecting the rows of the cluster.
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
        widths[k] = total / (last - first) if last > first else 0.0


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
def count_nearest(columns, centers, labels):
    """Fill `labels` with the nearest centre and return how many rows each has."""
    n_features, n_rows = columns.shape
    nearest_prototypes(columns, np.arange(n_features), centers, labels, np.empty(n_rows))
    return cluster_sizes(labels, centers.shape[0])


@njit(nogil=True, cache=True, error_model="numpy")
def drop_small(columns, centers, least, labels):
    """Fill `labels`; drop the smallest cluster until all have `least` rows; return the centres.

    If a centre is dropped, only its own rows get another one.
    """
    n_features, n_rows = columns.shape
    n_centers = centers.shape[0]
    counts = count_nearest(columns, centers, labels)
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
        # The share-th smallest distance is the limit: all rows below it, and the first of those
        # equal to it.
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
def decode_input(data, position, n_centers, labels):
    """Fill `labels` by the printed rules and return the centres: input space, repaired."""
    centers = active_centers(position, n_centers, data.rows.shape[1], data.low, data.span)
    if count_nearest(data.columns, centers, labels).min() < 2:
        centers = nearest_average(data.rows, data.columns, centers)
        # The repair may leave clusters with one row or none: those centres are dropped.
        centers = drop_small(data.columns, centers, 2, labels)
    return centers


@njit(nogil=True, cache=True, error_model="numpy")
def decode_feature(data, position, n_centers, steps, least, labels):
    """Fill `labels` and return the means: `steps` of k-means in feature space, least size kept."""
    centers = active_centers(position, n_centers, data.rows.shape[1], data.low, data.span)
    centers = drop_small(data.columns, centers, least, labels)
    for _ in range(steps):
        if centers.shape[0] < 2:
            return centers
        move_to_means(data.rows, labels, centers, np.empty(centers.shape[0], dtype=np.int64))
        centers = drop_small(data.columns, centers, least, labels)
    return centers


@njit(nogil=True, cache=True, error_model="numpy")
def gaussian_cs(distances, labels, centers, gamma):
    """Return eq. 8 of a partition, Gaussian kernel; inf where it divides by zero."""
    k = centers.shape[0]
    widths = np.empty(k)
    mean_widths(distances, labels, k, widths)
    above = 0.0
    below = 0.0
    for a in range(k):
        above += widths[a]
        below += 2.0 * (1.0 - np.exp(-gamma * nearest_other(centers, a)))  # eq. 5
    return above / below if below > 0.0 else np.inf


@njit(nogil=True, cache=True, error_model="numpy")
def input_cs_swarm(data, positions, n_centers, gamma, n_clusters, cs):
    """Fill clusters and eq. 8 of each particle, Gaussian kernel; inf where undefined."""
    labels = np.empty(data.rows.shape[0], dtype=np.int64)
    for p in range(positions.shape[0]):
        centers = decode_input(data, positions[p], n_centers, labels)
        n_clusters[p] = centers.shape[0]
        cs[p] = np.inf
        if n_clusters[p] >= 2:
            cs[p] = gaussian_cs(data.distances, labels, centers, gamma)


@njit(nogil=True, cache=True, error_model="numpy")
def feature_cs_swarm(data, positions, n_centers, steps, least, n_clusters, cs):
    """Fill clusters and the weighted CS of each particle; inf where undefined.

    Means that differ only by rounding are the same mean: equal rows must not become two clusters.
    """
    n_rows = data.rows.shape[0]
    labels = np.empty(n_rows, dtype=np.int64)
    rounding = 1e-12 * (data.span * data.span).sum()
    for p in range(positions.shape[0]):
        centers = decode_feature(data, positions[p], n_centers, steps, least, labels)
        k = centers.shape[0]
        n_clusters[p] = k
        cs[p] = np.inf
        if k < 2:
            continue
        counts = np.empty(k, dtype=np.int64)
        move_to_means(data.rows, labels, centers, counts)
        widths = np.empty(k)
        mean_widths(data.distances, labels, k, widths)
        total = 0.0
        for a in range(k):
            nearest = nearest_other(centers, a)
            if nearest <= rounding:
                total = np.inf
                break
            total += counts[a] * (widths[a] / nearest)
        if np.isfinite(total):
            cs[p] = total / n_rows
