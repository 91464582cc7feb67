"""Results computed from each tile of the distances while it is in the cache.

The upper half of the matrix is computed once, tile by tile; each pair counts for its row and for
its column. Tiles may be stored for later steps (`store` holds all of them) or are computed again
(`store` is a single tile): the bits are the same. Symbols are those of
`weft.backends.cpu.kernels.products`.

All decisions are those of exact distances: if the error bound leaves a decision open, the distance
is computed in float64, feature by feature.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.neighbours import fill_from, insert
from weft.backends.cpu.kernels.products import (
    _SAFE,
    TILE,
    make_tile,
    mirror_tile,
    squared_difference,
    turn_tile,
    two_tiles,
)
from weft.backends.cpu.kernels.tile_products import tile_products
from weft.backends.cpu.kernels.vectors import (
    add_piece,
    finish_piece,
    lowest_bit,
)


@njit(nogil=True, cache=True, error_model="numpy")
def stored_tile(store, n_tiles, top, left):
    """Return the flat memory of a tile: its own in a store of all tiles, or the only one."""
    number = top * n_tiles - top * (top - 1) // 2 + left - top if store.shape[0] > 1 else 0
    return store[number].reshape(TILE * TILE)


@njit(nogil=True, cache=True, error_model="numpy")
def above_diagonal(r):
    """Return the mask of the columns after column r."""
    return ~np.int64(0) << np.int64(r) << np.int64(1)


@njit(nogil=True, cache=True, error_model="numpy")
def retake(tile, r, c, i, j, slack, columns):
    """Return a tile's entry; it is computed again in float64 if it is not well above its error."""
    kind = slack.dtype.type
    value = tile[r * TILE + c]
    if value < kind(_SAFE) * (slack[i] + slack[j]):
        value = kind(squared_difference(columns, i, j))
        tile[r * TILE + c] = value
    return value


@njit(nogil=True, cache=True, error_model="numpy")
def likely_limits(Z, slack, guess, limits):
    """Fill `limits` (T · TILE,): no row's g nearest are farther, if `guess` (n, g) are g others.

    Rows that are near in the full data are probably near under weights. Without a guess the limit
    is inf.
    """
    n_rows, n_guesses = guess.shape
    n_tiles, n_kept, _ = Z.shape
    kind = Z.dtype.type
    limits[:n_rows] = np.inf
    limits[n_rows:] = -np.inf
    if n_guesses == 0:
        return
    flat = Z.reshape(Z.size)
    most = slack.max()
    total, worst = np.empty(TILE, Z.dtype), np.empty(TILE, Z.dtype)
    place = np.empty(TILE, np.int64)
    for tile in range(n_tiles):
        first = tile * TILE
        height = min(TILE, n_rows - first)
        worst[:] = kind(0.0)
        for g in range(n_guesses):
            for r in range(height):
                j = guess[first + r, g]
                place[r] = (j // TILE) * n_kept * TILE + j % TILE
            total[:] = kind(0.0)
            for f in range(n_kept):
                here = Z[tile, f]
                for r in range(height):
                    difference = here[r] - flat[place[r] + f * TILE]
                    total[r] += difference * difference
            for r in range(height):
                worst[r] = max(worst[r], total[r])
        for r in range(height):
            # An upper bound of the product for these rows, also when it is computed again.
            bound = worst[r] * kind(1.001) + kind(4.0) * (slack[first + r] + most)
            limits[first + r] = bound if bound > kind(0.0) else kind(1e-30)


@njit(nogil=True, cache=True, error_model="numpy")
def nearest_in_tiles(Z, norms, slack, columns, limits, store, indices, values):
    """Fill `indices` and `values` (n, k) with the k nearest of each row, and `store`.

    The k + 1 nearest rows must be within `limits`, which is overwritten. The k rows are exactly the
    nearest. If their distances differ by less than the error bound, their order is that of the
    products.
    """
    n_rows, k = indices.shape
    n_tiles = Z.shape[0]
    kind = norms.dtype.type
    safe = kind(_SAFE)
    most = slack.max()
    # One more than requested: the next row shows whether the result is certain.
    best = np.full((n_rows, k + 1), np.inf, norms.dtype)
    where = np.full((n_rows, k + 1), -1)
    for top in range(n_tiles):
        for left in range(top, n_tiles):
            tile = stored_tile(store, n_tiles, top, left)
            tile_products(Z, top, left, tile)
            for r in range(min(TILE, n_rows - top * TILE)):
                i = top * TILE + r
                doubtful = safe * (slack[i] + most)
                limit = max(limits[i], doubtful)
                mask = finish_piece(
                    tile, r * TILE, norms, left * TILE, norms[i], limit, limits, left * TILE
                )
                while mask != 0:
                    c = lowest_bit(mask)
                    mask &= mask - 1
                    j = left * TILE + c
                    value = retake(tile, r, c, i, j, slack, columns)
                    if j <= i:
                        continue
                    if value < limits[i]:
                        insert(value, j, best[i], where[i])
                        limits[i] = min(limits[i], best[i, k])
                    if value < limits[j]:
                        insert(value, i, best[j], where[j])
                        limits[j] = min(limits[j], best[j, k])
            if left == top:
                mirror_tile(tile)
    for i in range(n_rows):
        # The true k-th distance is at most `upper`: rows that may be below it are uncertain.
        upper = kind(0.0)
        for slot in range(k):
            if where[i, slot] >= 0:
                upper = max(upper, best[i, slot] + slack[where[i, slot]])
        upper += slack[i]
        fill_from(where[i], indices[i])
        fill_from(best[i], values[i])
        if where[i, k - 1] < 0 or not best[i, k] - most - slack[i] > upper:
            if where[i, k - 1] < 0:
                upper = kind(np.inf)
            _settle_row(Z, slack, columns, i, upper, indices[i], values[i])


@njit(nogil=True, cache=True, error_model="numpy")
def _settle_row(Z, slack, columns, i, upper, where, best):
    """Fill `where` and `best` with the nearest rows by exact distances; none is beyond `upper`."""
    n_rows = columns.shape[1]
    k = where.shape[0]
    kind = slack.dtype.type
    exact = np.full(k, np.inf)
    where[:] = -1
    total = np.empty(TILE, Z.dtype)
    for tile in range(Z.shape[0]):
        total[:] = kind(0.0)
        for f in range(Z.shape[1]):
            here = Z[i // TILE, f, i % TILE]
            there = Z[tile, f]
            for c in range(TILE):
                difference = there[c] - here
                total[c] += difference * difference
        for c in range(min(TILE, n_rows - tile * TILE)):
            j = tile * TILE + c
            # Differences of rounded numbers have an error of less than twice the bound of products.
            if j != i and not total[c] - kind(2.0) * (slack[i] + slack[j]) > upper:
                value = squared_difference(columns, i, j)
                if value < exact[k - 1] or where[k - 1] < 0:
                    insert(value, j, exact, where)
    fill_from(exact, best)


@njit(nogil=True, cache=True, error_model="numpy")
def add_tile_sums(Z, norms, slack, columns, first, last, ready, store, labels, sums):
    """Update `sums` (K, T · TILE) by the distances of the pairs in tile rows first … last - 1.

    Each pair is added on both sides: to its column's sum for the row's cluster, and to its row's
    sum for the column's. All tile rows together give each row's sums of distances to the clusters.
    """
    n_rows = columns.shape[1]
    n_tiles = Z.shape[0]
    width = sums.shape[1]
    flat = sums.reshape(sums.size)
    rooted, turned = two_tiles(Z.dtype)
    for top in range(first, last):
        for left in range(top, n_tiles):
            tile = stored_tile(store, n_tiles, top, left)
            if not ready:
                make_tile(Z, norms, slack, columns, top, left, tile)
            for place in range(TILE * TILE):
                rooted[place] = np.sqrt(tile[place])
            for r in range(min(TILE, n_rows - top * TILE)):
                own = labels[top * TILE + r]
                if own >= 0:
                    add_piece(flat, own * width + left * TILE, rooted, r * TILE)
            if left > top:
                turn_tile(rooted, turned, TILE)
                for c in range(min(TILE, n_rows - left * TILE)):
                    own = labels[left * TILE + c]
                    if own >= 0:
                        add_piece(flat, own * width + top * TILE, turned, c * TILE)
