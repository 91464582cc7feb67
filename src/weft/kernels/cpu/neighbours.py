"""Nearest rows and what hangs together: see the reference for the notation."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def nearest_in_block(block, start, skip_self, indices, values):
    """Fill rows start … of `indices` and `values` (n, k) with the k nearest of each row."""
    n_block, n_rows = block.shape
    k = indices.shape[1]
    for offset in range(n_block):
        i = start + offset
        row = block[offset]
        best = values[i]
        where = indices[i]
        best[:] = np.inf
        where[:] = -1
        worst = np.inf
        filled = 0
        for j in range(n_rows):
            value = row[j]
            if (value < worst or filled < k) and not (skip_self and j == i):
                # Insertion from the right keeps the earlier row ahead of its ties.
                slot = min(filled, k - 1)
                while slot > 0 and best[slot - 1] > value:
                    best[slot] = best[slot - 1]
                    where[slot] = where[slot - 1]
                    slot -= 1
                best[slot] = value
                where[slot] = j
                filled = min(filled + 1, k)
                if filled == k:
                    worst = best[k - 1]


@njit(nogil=True, cache=True, error_model="numpy")
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit(nogil=True, cache=True, error_model="numpy")
def _join(parent, i, j):
    # The smaller index becomes the root, so the result does not depend on the order of joins.
    a = _root(parent, i)
    b = _root(parent, j)
    if a < b:
        parent[b] = a
    elif b < a:
        parent[a] = b


@njit(nogil=True, cache=True, error_model="numpy")
def graph_components(indices, out):
    """Fill `out` with the components of the undirected kNN graph; return their number."""
    n_rows, k = indices.shape
    parent = np.arange(n_rows)
    for i in range(n_rows):
        for slot in range(k):
            _join(parent, i, indices[i, slot])
    return label_roots(parent, np.ones(n_rows, dtype=np.bool_), out)


@njit(nogil=True, cache=True, error_model="numpy")
def count_within(block, start, radius, counts):
    """Fill counts[start …] with how many rows (the row itself among them) lie within `radius`."""
    n_block, n_rows = block.shape
    for offset in range(n_block):
        row = block[offset]
        count = 0
        for j in range(n_rows):
            count += row[j] <= radius
        counts[start + offset] = count


@njit(nogil=True, cache=True, error_model="numpy")
def join_cores(block, start, radius, core, parent):
    """Update `parent`: core rows within `radius` of each other get the same root."""
    n_block = block.shape[0]
    for offset in range(n_block):
        i = start + offset
        if core[i]:
            row = block[offset]
            for j in range(i):
                if row[j] <= radius and core[j]:
                    _join(parent, i, j)


@njit(nogil=True, cache=True, error_model="numpy")
def nearest_core(block, start, core, index, value):
    """Fill `index` and `value` from `start` on with each row's nearest core row (-1, inf: none)."""
    n_block, n_rows = block.shape
    for offset in range(n_block):
        row = block[offset]
        best = np.inf
        where = -1
        for j in range(n_rows):
            if core[j] and row[j] < best:
                best = row[j]
                where = j
        index[start + offset] = where
        value[start + offset] = best


@njit(nogil=True, cache=True, error_model="numpy")
def label_roots(parent, core, out):
    """Fill `out` with the number of each core row's set, -1 elsewhere; return how many sets."""
    n_rows = parent.shape[0]
    number = np.full(n_rows, -1, dtype=np.int64)
    found = 0
    for i in range(n_rows):
        out[i] = -1
        if core[i]:
            root = _root(parent, i)
            if number[root] < 0:
                number[root] = found
                found += 1
            out[i] = number[root]
    return found
