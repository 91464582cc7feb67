"""Squared distances as one matrix product per tile: |x|² + |y|² - 2 x·y.

A product is much faster than a difference per feature, but the sum loses digits near zero. So each
pair has an error bound, slack_i + slack_j. Pairs that are not well above it are computed again in
float64, feature by feature. So small distances have at least three correct digits, and equal rows
have distance exactly 0.

========  ===============  ============================================================
symbol    shape            meaning
========  ===============  ============================================================
Z         (T, m, TILE)     weighted rows minus the mean, in float32 or float64; each tile is
                           transposed, and rows that pad the last tile are zero
norms     (T · TILE,)      |z|², and inf for rows of the padding, which are far from all
slack     (T · TILE,)      |computed - true| ≤ slack_i + slack_j
columns   (m, n)           the weighted columns in float64
========  ===============  ============================================================

All tiles have the same size, are computed in the same way, and are used for both halves of the
matrix. So the bits of a pair do not depend on the requested block of rows or on the number of
threads. The size is best for the smallest kernels of BLAS libraries and fits the first-level cache.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.power import aligned
from weft.backends.cpu.kernels.tile_products import tile_products
from weft.backends.cpu.kernels.vectors import PIECE, SQUARE, finish_piece, lowest_bit, turn_square

TILE = PIECE
# Pairs below this many error bounds are computed again.
_SAFE = 512.0


def count_tiles(n_rows: int) -> int:
    """Return the number of tiles; the last one may be filled in part."""
    return -(-n_rows // TILE)


@njit(nogil=True, cache=True, error_model="numpy")
def weighted_tiles(centred, X, kept, weights, Z, norms, slack, columns):
    """Fill `Z`, `norms`, `slack` and `columns` from (d, n) columns, centred and original."""
    n_tiles, n_kept, _ = Z.shape
    n_rows = X.shape[1]
    unit = 2.0**-24 if Z.itemsize == 4 else 2.0**-53
    totals = np.zeros(n_rows)
    for f in range(n_kept):
        source, middle = X[kept[f]], centred[kept[f]]
        weight = weights[f]
        target = columns[f]
        for i in range(n_rows):
            target[i] = source[i] * weight
        for tile in range(n_tiles):
            first = tile * TILE
            height = min(TILE, n_rows - first)
            z, values, total = Z[tile, f], middle[first : first + height], totals[first:]
            for r in range(height):
                value = values[r] * weight
                z[r] = value
                total[r] += value * value
            for r in range(height, TILE):
                z[r] = 0.0
    norms[n_rows:] = np.inf
    slack[n_rows:] = 0.0
    for i in range(n_rows):
        norms[i] = totals[i]
        # m roundings in the product, and a few more in Z and in the sum.
        slack[i] = (n_kept + 16.0) * unit * totals[i]


@njit(nogil=True, cache=True, error_model="numpy")
def squared_difference(columns, i, j):
    """Return the squared distance of two rows, feature by feature."""
    total = 0.0
    for f in range(columns.shape[0]):
        difference = columns[f, j] - columns[f, i]
        total += difference * difference
    return total


@njit(nogil=True, cache=True, error_model="numpy")
def two_tiles(dtype):
    """Return two empty, flat tiles as working memory."""
    return aligned(1, TILE * TILE, dtype)[0], aligned(1, TILE * TILE, dtype)[0]


@njit(nogil=True, cache=True, error_model="numpy")
def make_tile(Z, norms, slack, columns, top, left, out):
    """Fill `out`, a flat tile, with the squared distances of two tiles of rows; top ≤ left."""
    n_rows = columns.shape[1]
    tile_products(Z, top, left, out)
    kind = norms.dtype.type
    safe = kind(_SAFE)
    nothing = np.full(TILE, -np.inf, norms.dtype)
    doubt = slack[left * TILE : (left + 1) * TILE]
    most = doubt.max()
    for r in range(min(TILE, n_rows - top * TILE)):
        i = top * TILE + r
        mask = finish_piece(
            out, r * TILE, norms, left * TILE, norms[i], safe * (slack[i] + most), nothing, 0
        )
        while mask != 0:
            c = lowest_bit(mask)
            mask &= mask - 1
            if out[r * TILE + c] < safe * (slack[i] + doubt[c]):
                out[r * TILE + c] = squared_difference(columns, i, left * TILE + c)
    if left == top:
        mirror_tile(out)


@njit(nogil=True, cache=True, error_model="numpy")
def mirror_tile(tile):
    """Update a tile of the diagonal: copy its upper half to the lower one."""
    for r in range(TILE):
        for c in range(r):
            tile[r * TILE + c] = tile[c * TILE + r]


@njit(nogil=True, cache=True, error_model="numpy")
def turn_tile(tile, out, step):
    """Fill rows of `out`, `step` apart, with the columns of the tile; both are flat."""
    for c in range(0, TILE, SQUARE):
        for r in range(0, TILE, SQUARE):
            turn_square(tile, r * TILE + c, TILE, out, c * step + r, step)


@njit(nogil=True, cache=True, error_model="numpy")
def _copy(tile, height, width, out):
    """Fill `out` (height, width) with the tile."""
    for r in range(height):
        source, target = tile[r * TILE : (r + 1) * TILE], out[r]
        for c in range(width):
            target[c] = source[c]


@njit(nogil=True, cache=True, error_model="numpy")
def product_matrix(Z, norms, slack, columns, out):
    """Fill `out` (n, n) with the squared distances between all rows."""
    n_rows = out.shape[0]
    n_tiles = Z.shape[0]
    tile, turned = two_tiles(Z.dtype)
    flat = out.reshape(-1)
    for top in range(n_tiles):
        up = slice(top * TILE, min((top + 1) * TILE, n_rows))
        for left in range(top, n_tiles):
            across = slice(left * TILE, min((left + 1) * TILE, n_rows))
            make_tile(Z, norms, slack, columns, top, left, tile)
            height, width = up.stop - up.start, across.stop - across.start
            _copy(tile, height, width, out[up, across])
            if left > top and width == TILE:
                # Written directly to its place, which is a sixth faster than through `turned`.
                turn_tile(tile, flat[across.start * n_rows + up.start :], n_rows)
            elif left > top:
                turn_tile(tile, turned, TILE)
                _copy(turned, width, height, out[across, up])


@njit(nogil=True, cache=True, error_model="numpy")
def product_block(Z, norms, slack, columns, start, out):
    """Fill `out` (b, n) with the squared distances of rows start … to all rows, b ≤ TILE.

    `start` is a multiple of the tile; the bits are those of `product_matrix`.
    """
    n_block, n_rows = out.shape
    own = start // TILE
    tile, turned = two_tiles(Z.dtype)
    for other in range(Z.shape[0]):
        width = min(TILE, n_rows - other * TILE)
        there = out[:, other * TILE : other * TILE + width]
        if other >= own:
            make_tile(Z, norms, slack, columns, own, other, tile)
            _copy(tile, n_block, width, there)
        else:
            make_tile(Z, norms, slack, columns, other, own, tile)
            turn_tile(tile, turned, TILE)
            _copy(turned, n_block, width, there)
