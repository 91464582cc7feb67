"""Which rows are within a radius of each other, by tiles of products: DBSCAN's two passes; see
`tiles`."""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.neighbours import join_sets, root_of
from weft.backends.cpu.kernels.products import (
    TILE,
    make_tile,
    squared_difference,
)
from weft.backends.cpu.kernels.tiles import above_diagonal, stored_tile
from weft.backends.cpu.kernels.vectors import (
    below,
    count_bits,
    count_piece,
    lowest_bit,
)


@njit(nogil=True, cache=True, error_model="numpy")
def _radius_bounds(radius, slack, i, most):
    """Return two limits: below the first a row is certainly within `radius`, from the second on it
    is not.

    The radius is rounded here: a step down and a step up.
    """
    kind = slack.dtype.type
    doubt = slack[i] + most
    inner = kind(radius) * kind(1.0 - 1e-6) - doubt
    # Distances are at least 0, and a distance of 0 may be within the radius.
    return inner, kind(radius) * kind(1.0 + 1e-6) + doubt + kind(1e-30)


@njit(nogil=True, cache=True, error_model="numpy")
def count_in_tiles(Z, norms, slack, columns, radius, store, counts):
    """Fill `counts` (T · TILE,), int32, with how many rows lie within `radius`; and `store`.

    The row itself is counted.
    """
    n_rows = columns.shape[1]
    n_tiles = Z.shape[0]
    most = slack.max()
    counts[:] = 1
    for top in range(n_tiles):
        for left in range(top, n_tiles):
            tile = stored_tile(store, n_tiles, top, left)
            make_tile(Z, norms, slack, columns, top, left, tile)
            for r in range(min(TILE, n_rows - top * TILE)):
                i = top * TILE + r
                inner, outer = _radius_bounds(radius, slack, i, most)
                possible = below(tile, r * TILE, outer)
                if left == top:
                    possible &= above_diagonal(r)
                if possible == 0:
                    continue
                within = possible & below(tile, r * TILE, inner)
                doubtful = possible & ~within
                while doubtful != 0:
                    c = lowest_bit(doubtful)
                    doubtful &= doubtful - 1
                    if squared_difference(columns, i, left * TILE + c) <= radius:
                        within |= np.int64(1) << c
                counts[i] += count_bits(within)
                count_piece(counts, left * TILE, within)


@njit(nogil=True, cache=True, error_model="numpy")
def join_in_tiles(Z, norms, slack, columns, radius, ready, store, core, parent, nearest, reach):
    """Update `parent`, `nearest` and `reach`: core rows join, border rows find their core row.

    Core rows within `radius` of each other get the same root. `nearest` (-1 before) becomes the
    nearest core row within `radius` of each other row, `reach` (inf before) its squared distance.
    `ready`: whether `store` holds all tiles.
    """
    n_rows = columns.shape[1]
    n_tiles = Z.shape[0]
    most = slack.max()
    for top in range(n_tiles):
        for left in range(top, n_tiles):
            tile = stored_tile(store, n_tiles, top, left)
            if not ready:
                make_tile(Z, norms, slack, columns, top, left, tile)
            for r in range(min(TILE, n_rows - top * TILE)):
                i = top * TILE + r
                inner, outer = _radius_bounds(radius, slack, i, most)
                possible = below(tile, r * TILE, outer)
                if left == top:
                    possible &= above_diagonal(r)
                while possible != 0:
                    c = lowest_bit(possible)
                    possible &= possible - 1
                    j = left * TILE + c
                    value = tile[r * TILE + c]
                    if core[i] and core[j]:
                        if parent[j] == parent[i] or root_of(parent, j) == root_of(parent, i):
                            continue
                        if value < inner or squared_difference(columns, i, j) <= radius:
                            join_sets(parent, i, j)
                    elif core[i]:
                        _reach_core(j, i, value, slack, columns, radius, nearest, reach)
                    elif core[j]:
                        _reach_core(i, j, value, slack, columns, radius, nearest, reach)


@njit(nogil=True, cache=True, error_model="numpy")
def _reach_core(border, core, value, slack, columns, radius, nearest, reach):
    """Update a border row's nearest core row, the first of equally near ones."""
    if value - (slack[border] + slack[core]) > reach[border]:
        return
    true = squared_difference(columns, border, core)
    if true <= radius and true < reach[border]:
        reach[border] = true
        nearest[border] = core
