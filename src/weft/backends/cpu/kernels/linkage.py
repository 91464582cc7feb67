"""Complete linkage by the nearest-neighbour chain, row by row.

Müllner 2011, "Modern hierarchical, agglomerative clustering algorithms", section 3.1. SciPy's
linkage does the same but holds the interpreter lock, so particles would wait for each other.

A merge changes a row *and* a column of the matrix, and columns are slow to read from memory. So
merges are written to a log, and a row is updated from the log when it is read next. Many rows are
never read again.

Distances in single precision are for `settled_linkage`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.neighbours import join_sets, label_roots

_PIECE = 64


@njit(nogil=True, cache=True, error_model="numpy")
def complete_linkage(distances, n_clusters, out):
    """Fill `out` with labels of the `n_clusters` clusters; `distances` (n, n) is overwritten."""
    n_rows = distances.shape[0]
    height = np.empty(n_rows - 1)
    left = np.empty(n_rows - 1, dtype=np.int64)
    right = np.empty(n_rows - 1, dtype=np.int64)
    caught_up = np.zeros(n_rows, dtype=np.int64)
    dead = np.zeros(n_rows, dtype=np.bool_)
    chain = np.empty(n_rows, dtype=np.int64)
    length = 0
    first = 0
    for i in range(n_rows):
        distances[i, i] = np.inf
    for merge in range(n_rows - 1):
        if length == 0:
            while dead[first]:
                first += 1
            chain[0] = first
            length = 1
        while True:
            tip = chain[length - 1]
            catch_up(distances[tip], left, right, caught_up[tip], merge)
            caught_up[tip] = merge
            # The previous element wins ties: otherwise the chain could form a cycle.
            before = chain[length - 2] if length > 1 else -1
            bound = distances[tip, before] if length > 1 else np.inf
            nearest, smallest = first_below(distances[tip], bound)
            if nearest < 0 and length > 1:
                nearest = before
                break
            if nearest < 0:
                nearest = any_other(dead, tip)  # all are infinitely far: any of them can be used
            chain[length] = nearest
            length += 1
        low = min(tip, nearest)
        high = max(tip, nearest)
        length -= 2
        catch_up(distances[nearest], left, right, caught_up[nearest], merge)
        height[merge] = smallest
        left[merge] = low
        right[merge] = high
        dead[high] = True
        row, other = distances[low], distances[high]
        for j in range(n_rows):
            row[j] = max(row[j], other[j])
        row[low] = np.inf
        row[high] = np.inf
        caught_up[low] = merge + 1
    cut_tree(height, left, right, n_clusters, out)


@njit(nogil=True, cache=True, error_model="numpy")
def cut_tree(height, left, right, n_clusters, out):
    """Fill `out` with labels after the lowest merges, until `n_clusters` are left."""
    n_rows = out.shape[0]
    order = np.argsort(height, kind="mergesort")
    parent = np.arange(n_rows)
    for position in range(n_rows - n_clusters):
        merge = order[position]
        join_sets(parent, left[merge], right[merge])
    label_roots(parent, np.ones(n_rows, dtype=np.bool_), out)


@njit(nogil=True, cache=True, error_model="numpy")
def catch_up(row, left, right, begin, end):
    """Update a row by the merges since it was last read."""
    for merge in range(begin, end):
        low, high = left[merge], right[merge]
        row[low] = max(row[low], row[high])
        row[high] = np.inf


@njit(nogil=True, cache=True, error_model="numpy")
def first_below(row, bound):
    """Return the first position of the smallest entry below `bound` (-1: none), and the entry."""
    n_rows = row.shape[0]
    smallest = bound
    where = -1
    for low in range(0, n_rows, _PIECE):
        high = min(low + _PIECE, n_rows)
        piece = row[low:high]
        below = 0
        for j in range(high - low):
            below += piece[j] < smallest
        if below > 0:
            for j in range(low, high):
                if row[j] < smallest:
                    smallest = row[j]
                    where = j
    return where, smallest


@njit(nogil=True, cache=True, error_model="numpy")
def any_other(dead, tip):
    for j in range(dead.shape[0]):
        if not dead[j] and j != tip:
            return j
    return tip
