"""Widths of clusters and distances to feature-space means: see the reference for the formulas."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def mean_widths(distances, labels, n_clusters, widths):
    """Fill `widths` with the mean over a cluster's rows of the distance to its farthest mate."""
    n_rows = labels.shape[0]
    counts = np.zeros(n_clusters, dtype=np.int64)
    for i in range(n_rows):
        counts[labels[i]] += 1
    # Rows sorted by cluster: each row is compared with its mates alone.
    starts = np.zeros(n_clusters + 1, dtype=np.int64)
    for k in range(n_clusters):
        starts[k + 1] = starts[k] + counts[k]
    order = np.empty(n_rows, dtype=np.int64)
    filled = starts[:-1].copy()
    for i in range(n_rows):
        order[filled[labels[i]]] = i
        filled[labels[i]] += 1
    for k in range(n_clusters):
        total = 0.0
        for a in range(starts[k], starts[k + 1]):
            row = distances[order[a]]
            farthest = 0.0
            for b in range(starts[k], starts[k + 1]):
                farthest = max(farthest, row[order[b]])
            total += farthest
        widths[k] = total / counts[k] if counts[k] > 0 else 0.0
