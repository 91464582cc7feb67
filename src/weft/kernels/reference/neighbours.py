"""Nearest rows and what hangs together: kNN graph and DBSCAN, from blocks of distances.

A block holds the distances (powered or not: only their order counts) of the rows
start … start + b - 1 to all n rows. Ties go to the row that comes first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def nearest_in_block(
    block: Floats, start: int, skip_self: bool, indices: Integers, values: Floats
) -> None:
    """Fill rows start … of `indices` and `values` (n, k) with the k nearest of each row."""
    k = indices.shape[1]
    for offset, row in enumerate(block):
        order = np.argsort(row, kind="stable")
        if skip_self:
            order = order[order != start + offset]
        indices[start + offset] = order[:k]
        values[start + offset] = row[order[:k]]


def graph_components(indices: Integers, out: Integers) -> int:
    """Fill `out` with the components of the undirected kNN graph; return their number.

    Components are numbered by the first row in each.
    """
    n_rows, k = indices.shape
    tails = np.repeat(np.arange(n_rows), k)
    graph = coo_array((np.ones(n_rows * k), (tails, indices.ravel())), shape=(n_rows, n_rows))
    _, labels = connected_components(graph, directed=False)
    out[:] = _number_by_first(labels)
    return int(out.max()) + 1


def count_within(block: Floats, start: int, radius: float, counts: Integers) -> None:
    """Fill counts[start …] with how many rows (the row itself among them) lie within `radius`."""
    counts[start : start + len(block)] = (block <= radius).sum(axis=1)


def join_cores(
    block: Floats, start: int, radius: float, core: NDArray[np.bool_], parent: Integers
) -> None:
    """Update `parent`: core rows within `radius` of each other get the same root."""
    for offset, row in enumerate(block):
        i = start + offset
        if core[i]:
            for j in np.flatnonzero((row <= radius) & core):
                low, high = sorted((_root(parent, i), _root(parent, int(j))))
                parent[high] = low


def nearest_core(
    block: Floats, start: int, core: NDArray[np.bool_], index: Integers, value: Floats
) -> None:
    """Fill `index` and `value` from `start` on with each row's nearest core row (-1, inf: none)."""
    masked = np.where(core, block, np.inf)
    for offset, row in enumerate(masked):
        best = int(row.argmin())
        found = np.isfinite(row[best])
        index[start + offset] = best if found else -1
        value[start + offset] = row[best]


def label_roots(parent: Integers, core: NDArray[np.bool_], out: Integers) -> int:
    """Fill `out` with the number of each core row's set, -1 elsewhere; return how many sets."""
    out[:] = -1
    roots = np.array([_root(parent, int(i)) for i in np.flatnonzero(core)], dtype=np.int64)
    if roots.size == 0:
        return 0
    out[core] = _number_by_first(roots)
    return int(out.max()) + 1


def _root(parent: Integers, i: int) -> int:
    while parent[i] != i:
        i = int(parent[i])
    return i


def _number_by_first(labels: Integers) -> Integers:
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]
