"""Squared distances as one matrix product per tile: |x|² + |y|² - 2 x·y.

A product runs near the machine's limit, a difference per feature does not; but near zero the sum
cancels. So each pair has an error bound, slack_i + slack_j, and pairs that are not well above it
are taken again feature by feature in float64: small distances keep three digits at least, and
equal rows are at distance 0 exactly.

========  ==========  =================================================================
symbol    shape       meaning
========  ==========  =================================================================
Z         (N, m)      weighted rows around the data's centre, in float32 or float64; N is
                      the number of rows n rounded up to whole tiles, the rest is zero
norms     (N,)        |z|²
slack     (n,)        |computed - true| ≤ slack_i + slack_j
columns   (m, n)      the weighted columns in float64
========  ==========  =================================================================

Tiles have one size, and the lower half is a copy of the upper: the bits of a pair depend neither
on which block of rows was asked for nor on how many threads ask.
"""

from __future__ import annotations

import numpy as np
from numba import njit

TILE = 128
# Pairs below this many error bounds are computed again.
_SAFE = 512.0


def padded(n_rows: int) -> int:
    """Return `n_rows` rounded up to whole tiles."""
    return -(-n_rows // TILE) * TILE


@njit(nogil=True, cache=True, error_model="numpy")
def weighted_rows(X, kept, weights, Z, norms, slack):
    """Fill `Z`, `norms` and `slack` from centred rows `X` (n, d) and the kept features."""
    n_rows = X.shape[0]
    n_kept = kept.shape[0]
    unit = 2.0**-24 if Z.itemsize == 4 else 2.0**-53
    Z[n_rows:] = 0.0
    norms[n_rows:] = 0.0
    for i in range(n_rows):
        total = 0.0
        for f in range(n_kept):
            value = X[i, kept[f]] * weights[f]
            Z[i, f] = value
            total += value * value
        norms[i] = total
        # m roundings in the product, and a few more for rounding Z and adding up.
        slack[i] = (n_kept + 16.0) * unit * total


@njit(nogil=True, cache=True, error_model="numpy")
def squared_difference(columns, i, j):
    """Return the squared distance of two rows, feature by feature."""
    total = 0.0
    for f in range(columns.shape[0]):
        difference = columns[f, j] - columns[f, i]
        total += difference * difference
    return total


@njit(nogil=True, cache=True, error_model="numpy")
def _tile(Z, norms, slack, columns, top, left, tile):
    """Fill `tile` with the squared distances of rows top … to rows left …; top ≤ left."""
    n_rows = slack.shape[0]
    np.dot(Z[top : top + TILE], Z[left : left + TILE].T, tile)
    width = min(TILE, n_rows - left)
    there = norms[left : left + width]
    doubt = slack[left : left + width]
    safe = slack.dtype.type(_SAFE)
    for r in range(min(TILE, n_rows - top)):
        row = tile[r, :width]
        here = norms[top + r]
        own = slack[top + r]
        doubtful = 0
        for c in range(width):
            value = here + there[c] - row[c] - row[c]
            row[c] = value
            doubtful += value < safe * (own + doubt[c])
        if doubtful > 0:
            for c in range(width):
                if row[c] < safe * (own + doubt[c]):
                    row[c] = squared_difference(columns, top + r, left + c)


@njit(nogil=True, cache=True, error_model="numpy")
def product_matrix(Z, norms, slack, columns, out):
    """Fill `out` (n, n) with the squared distances between all rows."""
    n_rows = out.shape[0]
    tile = np.empty((TILE, TILE), dtype=Z.dtype)
    for top in range(0, n_rows, TILE):
        height = min(TILE, n_rows - top)
        for left in range(top, n_rows, TILE):
            width = min(TILE, n_rows - left)
            _tile(Z, norms, slack, columns, top, left, tile)
            if left == top:
                for r in range(height):
                    for c in range(r, height):
                        out[top + r, top + c] = tile[r, c]
                        out[top + c, top + r] = tile[r, c]
                continue
            _copy(tile, height, width, out[top : top + height, left : left + width])
            _copy_transposed(tile, height, width, out[left : left + width, top : top + height])


@njit(nogil=True, cache=True, error_model="numpy")
def _copy(tile, height, width, out):
    """Fill `out` (height, width) with the tile."""
    for r in range(height):
        source, target = tile[r], out[r]
        for c in range(width):
            target[c] = source[c]


@njit(nogil=True, cache=True, error_model="numpy")
def _copy_transposed(tile, height, width, out):
    """Fill `out` (width, height) with the tile turned over, in squares that stay in registers."""
    for c0 in range(0, width, 8):
        for r0 in range(0, height, 8):
            if c0 + 8 <= width and r0 + 8 <= height:
                for c in range(8):
                    for r in range(8):
                        out[c0 + c, r0 + r] = tile[r0 + r, c0 + c]
            else:
                for c in range(c0, min(c0 + 8, width)):
                    for r in range(r0, min(r0 + 8, height)):
                        out[c, r] = tile[r, c]


@njit(nogil=True, cache=True, error_model="numpy")
def product_block(Z, norms, slack, columns, start, out):
    """Fill `out` (b, n) with the squared distances of rows start … to all rows.

    `start` is a multiple of the tile; the bits are those of `product_matrix`.
    """
    n_block, n_rows = out.shape
    tile = np.empty((TILE, TILE), dtype=Z.dtype)
    for left in range(0, n_rows, TILE):
        width = min(TILE, n_rows - left)
        if left > start:
            _tile(Z, norms, slack, columns, start, left, tile)
            _copy(tile, n_block, width, out[:, left : left + width])
        elif left < start:
            _tile(Z, norms, slack, columns, left, start, tile)
            _copy_transposed(tile, width, n_block, out[:, left : left + width])
        else:
            _tile(Z, norms, slack, columns, start, start, tile)
            for r in range(n_block):
                for c in range(r, n_block):
                    out[r, start + c] = tile[r, c]
                    out[c, start + r] = tile[r, c]


@njit(nogil=True, cache=True, error_model="numpy")
def add_symmetric_sums(Z, norms, slack, columns, first, last, labels, sums):
    """Update `sums` (K, n) by the distances of the pairs in tile rows first … last - 1.

    Each pair is computed once and added on both sides: to its column's sum for the row's cluster,
    and to its row's sum for the column's. All tile rows together give each row's sums of
    distances to the clusters.
    """
    n_rows = slack.shape[0]
    tile = np.empty((TILE, TILE), dtype=Z.dtype)
    turned = np.empty((TILE, TILE), dtype=Z.dtype)
    for top in range(first * TILE, min(last * TILE, n_rows), TILE):
        height = min(TILE, n_rows - top)
        for left in range(top, n_rows, TILE):
            width = min(TILE, n_rows - left)
            _tile(Z, norms, slack, columns, top, left, tile)
            for r in range(height):
                row = tile[r]
                for c in range(width):
                    row[c] = np.sqrt(row[c])
                _add_to_cluster(row, width, left, labels[top + r], sums)
            if left > top:
                _copy_transposed(tile, height, width, turned)
                for c in range(width):
                    _add_to_cluster(turned[c], height, top, labels[left + c], sums)


@njit(nogil=True, cache=True, error_model="numpy")
def _add_to_cluster(distances, width, start, own, sums):
    if own >= 0:
        total = sums[own, start : start + width]
        for c in range(width):
            total[c] += distances[c]
