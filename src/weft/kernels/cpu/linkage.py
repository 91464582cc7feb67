"""Complete linkage by the nearest-neighbour chain.

Müllner 2011, "Modern hierarchical, agglomerative clustering algorithms", section 3.1. SciPy's
linkage does the same but holds the interpreter lock, so particles would wait for each other.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.kernels.cpu.neighbours import _join, label_roots


@njit(nogil=True, cache=True, error_model="numpy")
def complete_linkage(distances, n_clusters, out):
    """Fill `out` with labels of the `n_clusters` clusters; `distances` (n, n) is used up."""
    n_rows = distances.shape[0]
    height = np.empty(n_rows - 1)
    left = np.empty(n_rows - 1, dtype=np.int64)
    right = np.empty(n_rows - 1, dtype=np.int64)
    alive = np.arange(n_rows)
    n_alive = n_rows
    chain = np.empty(n_rows, dtype=np.int64)
    length = 0
    for merge in range(n_rows - 1):
        if length == 0:
            chain[0] = alive[0]
            length = 1
        while True:
            tip = chain[length - 1]
            # The element before wins ties: otherwise the chain could run in a circle.
            nearest = chain[length - 2] if length > 1 else -1
            smallest = distances[tip, nearest] if length > 1 else np.inf
            row = distances[tip]
            for slot in range(n_alive):
                j = alive[slot]
                if j != tip and row[j] < smallest:
                    smallest = row[j]
                    nearest = j
                elif nearest < 0 and j != tip:
                    nearest = j
            if length > 1 and nearest == chain[length - 2]:
                break
            chain[length] = nearest
            length += 1
        low = min(tip, nearest)
        high = max(tip, nearest)
        length -= 2
        height[merge] = smallest
        left[merge] = low
        right[merge] = high
        # The merged cluster lives on as its lower row; the list of the living stays sorted.
        position = 0
        while alive[position] != high:
            position += 1
        for slot in range(position, n_alive - 1):
            alive[slot] = alive[slot + 1]
        n_alive -= 1
        for slot in range(n_alive):
            j = alive[slot]
            farthest = max(distances[low, j], distances[high, j])
            distances[low, j] = farthest
            distances[j, low] = farthest
    order = np.argsort(height, kind="mergesort")
    parent = np.arange(n_rows)
    for position in range(n_rows - n_clusters):
        merge = order[position]
        _join(parent, left[merge], right[merge])
    label_roots(parent, np.ones(n_rows, dtype=np.bool_), out)
