"""Kernel MEPSO exactly as published: repairs that change the particle, and eq. 8 of the result.

A. Abraham, S. Das and A. Konar, "Kernel based automatic clustering using modified particle swarm
optimization algorithm", GECCO 2007, sections 4.1 and 4.3. Symbols as in `mercer_cs`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.mercer_cs import count_nearest, gaussian_cs, nearest_average


@njit(nogil=True, cache=True, error_model="numpy")
def thresholded_centers(data, position, n_centers):
    """Return the numbers of the centres with a threshold above 0.5 (eq. 10), and the centres."""
    n_features = data.rows.shape[1]
    numbers = np.flatnonzero(position[:n_centers] > 0.5)
    centers = np.empty((len(numbers), n_features))
    for c in range(len(numbers)):
        for f in range(n_features):
            value = position[n_centers + numbers[c] * n_features + f]
            centers[c, f] = data.low[f] + value * data.span[f]
    return numbers, centers


@njit(nogil=True, cache=True, error_model="numpy")
def write_repairs(data, n_centers, draws, positions):
    """Fill `positions` with the repaired particles; `draws` (P, 4) are uniform in [0, 1).

    Thresholds are clipped, centres are not. Without an active centre two random thresholds get a
    random value between 0.5 and 1. Where a cluster has fewer than two rows, all active centres
    become the mean of their n/k nearest rows.
    """
    n_rows, n_features = data.rows.shape
    labels = np.empty(n_rows, dtype=np.int64)
    for p in range(positions.shape[0]):
        position = positions[p]
        any_active = False
        for k in range(n_centers):
            position[k] = min(max(position[k], 0.0), 1.0)
            any_active = any_active or position[k] > 0.5
        if not any_active:
            first = int(draws[p, 0] * n_centers)
            second = int(draws[p, 1] * (n_centers - 1))
            second += second >= first
            # 1 - u/2 lies in (0.5, 1], so the centre is active.
            position[first] = 1.0 - 0.5 * draws[p, 2]
            position[second] = 1.0 - 0.5 * draws[p, 3]
        numbers, centers = thresholded_centers(data, position, n_centers)
        if count_nearest(data.columns, centers, labels).min() >= 2:
            continue
        moved = nearest_average(data.rows, data.columns, centers)
        for c in range(len(numbers)):
            for f in range(n_features):
                if data.span[f] > 0.0:
                    place = n_centers + numbers[c] * n_features + f
                    position[place] = (moved[c, f] - data.low[f]) / data.span[f]


@njit(nogil=True, cache=True, error_model="numpy")
def printed_cs_swarm(data, positions, n_centers, gamma, n_clusters, cs):
    """Fill clusters and eq. 8 of each particle, unrepaired; inf where eq. 8 divides by zero."""
    labels = np.empty(data.rows.shape[0], dtype=np.int64)
    for p in range(positions.shape[0]):
        _, centers = thresholded_centers(data, positions[p], n_centers)
        n_clusters[p] = centers.shape[0]
        cs[p] = np.inf
        # One centre has no nearest other, and a cluster without rows has no mean width.
        if n_clusters[p] >= 2 and count_nearest(data.columns, centers, labels).min() > 0:
            cs[p] = gaussian_cs(data.distances, labels, centers, gamma)
