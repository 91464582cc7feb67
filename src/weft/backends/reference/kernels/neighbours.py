"""Nearest rows and what hangs together: kNN graph and DBSCAN, from blocks of distances.

A block holds the distances (powered or not: only their order counts) of the rows
start … start + b - 1 to all n rows. Ties go to the row that comes first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from weft._base.arrays import Floats, Integers


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


def settled_nearest_in_block(
    block: Floats,
    start: int,
    guess: Integers,
    slack: Floats,
    share: float,
    columns: Floats,
    exponents: Floats,
    indices: Integers,
    values: Floats,
) -> None:
    """Fill as `nearest_in_block` does, from exact distances whatever `block` says."""
    exact = exact_block(block, start, columns, exponents)
    nearest_in_block(exact, start, True, indices, values)


def true_values(columns: Floats, exponents: Floats, indices: Integers, out: Floats) -> None:
    """Fill `out` (n, k) with the powered distances, in float64, of each row to k others."""
    n_rows = len(indices)
    exact = exact_block(np.empty((n_rows, n_rows)), 0, columns, exponents)
    out[:] = np.take_along_axis(exact, indices, axis=1)


def exact_block(block: Floats, start: int, columns: Floats, exponents: Floats) -> Floats:
    """Return the powered distances behind `block`, or `block` itself where nothing is behind it."""
    if len(columns) == 0:
        return block
    powers = exponents if len(exponents) else np.full(len(columns), 2.0)
    exact = np.zeros(block.shape)
    for column, power in zip(columns, powers, strict=True):
        gap = np.abs(column[np.newaxis, :] - column[start : start + len(block), np.newaxis])
        exact += gap * gap if power == 2.0 else gap**power
    return exact


def count_within(
    block: Floats,
    start: int,
    radius: float,
    slack: Floats,
    share: float,
    columns: Floats,
    exponents: Floats,
    counts: Integers,
) -> None:
    """Fill counts[start …] with how many rows (the row itself among them) lie within `radius`."""
    exact = exact_block(block, start, columns, exponents)
    counts[start : start + len(block)] = (exact <= radius).sum(axis=1)


def join_cores(
    block: Floats,
    start: int,
    radius: float,
    slack: Floats,
    share: float,
    columns: Floats,
    exponents: Floats,
    core: NDArray[np.bool_],
    parent: Integers,
) -> None:
    """Update `parent`: core rows within `radius` of each other get the same root."""
    for offset, row in enumerate(exact_block(block, start, columns, exponents)):
        i = start + offset
        if core[i]:
            for j in np.flatnonzero((row <= radius) & core):
                low, high = sorted((_root(parent, i), _root(parent, int(j))))
                parent[high] = low


def nearest_core(
    block: Floats,
    start: int,
    radius: float,
    slack: Floats,
    share: float,
    columns: Floats,
    exponents: Floats,
    core: NDArray[np.bool_],
    index: Integers,
    value: Floats,
) -> None:
    """Fill `index` and `value` from `start` on with each border row's nearest core row.

    Core rows themselves are passed over: they keep what they have. Where no core row is within
    `radius`, the index is -1 and the value inf.
    """
    exact = exact_block(block, start, columns, exponents)
    for offset, row in enumerate(np.where(core & (exact <= radius), exact, np.inf)):
        if not core[start + offset]:
            best = int(row.argmin())
            index[start + offset] = best if np.isfinite(row[best]) else -1
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
