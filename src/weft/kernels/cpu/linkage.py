"""Complete linkage by the nearest-neighbour chain, row by row.

Müllner 2011, "Modern hierarchical, agglomerative clustering algorithms", section 3.1. SciPy's
linkage does the same but holds the interpreter lock, so particles would wait for each other.

A merge changes a row *and* a column of the matrix, and columns are what caches are worst at. So
merges are written into a log, and a row catches up with the log when it is next looked at; many
rows never are. Distances are not negative, so their bits compare as integers do: integer minima
are vectorised where those of floats are not.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.kernels.cpu.neighbours import _join, label_roots

_INFINITY = np.int64(0x7FF0000000000000)  # the bits of inf
_PIECE = 64


@njit(nogil=True, cache=True, error_model="numpy")
def complete_linkage(distances, n_clusters, out):
    """Fill `out` with labels of the `n_clusters` clusters; `distances` (n, n) is used up."""
    n_rows = distances.shape[0]
    bits = distances.view(np.int64)
    for i in range(n_rows):
        bits[i, i] = _INFINITY
    height = np.empty(n_rows - 1, dtype=np.int64)
    left = np.empty(n_rows - 1, dtype=np.int64)
    right = np.empty(n_rows - 1, dtype=np.int64)
    caught_up = np.zeros(n_rows, dtype=np.int64)
    dead = np.zeros(n_rows, dtype=np.bool_)
    chain = np.empty(n_rows, dtype=np.int64)
    length = 0
    first = 0
    for merge in range(n_rows - 1):
        if length == 0:
            while dead[first]:
                first += 1
            chain[0] = first
            length = 1
        while True:
            tip = chain[length - 1]
            _catch_up(bits[tip], left, right, caught_up[tip], merge)
            caught_up[tip] = merge
            nearest, smallest = _smallest(bits[tip])
            # The element before wins ties: otherwise the chain could run in a circle.
            if length > 1 and bits[tip, chain[length - 2]] == smallest:
                nearest = chain[length - 2]
                break
            if smallest == _INFINITY:
                # Distances that overflowed: any living partner is as good as another.
                nearest = _any_other(dead, tip)
                if length > 1:
                    nearest = chain[length - 2]
                    break
            chain[length] = nearest
            length += 1
        low = min(tip, nearest)
        high = max(tip, nearest)
        length -= 2
        _catch_up(bits[nearest], left, right, caught_up[nearest], merge)
        height[merge] = smallest
        left[merge] = low
        right[merge] = high
        dead[high] = True
        row, other = bits[low], bits[high]
        for j in range(n_rows):
            row[j] = max(row[j], other[j])
        row[low] = _INFINITY
        row[high] = _INFINITY
        caught_up[low] = merge + 1
    order = np.argsort(height, kind="mergesort")
    parent = np.arange(n_rows)
    for position in range(n_rows - n_clusters):
        merge = order[position]
        _join(parent, left[merge], right[merge])
    label_roots(parent, np.ones(n_rows, dtype=np.bool_), out)


@njit(nogil=True, cache=True, error_model="numpy")
def _catch_up(row, left, right, begin, end):
    """Update a row by the merges that it has missed."""
    for merge in range(begin, end):
        low, high = left[merge], right[merge]
        row[low] = max(row[low], row[high])
        row[high] = _INFINITY


@njit(nogil=True, cache=True, error_model="numpy")
def _smallest(row):
    """Return the place and the value of the first smallest entry."""
    n_rows = row.shape[0]
    smallest = _INFINITY
    where = 0
    for low in range(0, n_rows, _PIECE):
        high = min(low + _PIECE, n_rows)
        least = _INFINITY
        for j in range(low, high):
            least = min(least, row[j])
        if least < smallest:
            smallest = least
            where = low
    while where < n_rows - 1 and row[where] != smallest:
        where += 1
    return where, smallest


@njit(nogil=True, cache=True, error_model="numpy")
def _any_other(dead, tip):
    for j in range(dead.shape[0]):
        if not dead[j] and j != tip:
            return j
    return tip
