"""Pairs of near rows, listed while the tiles of all distances are made.

The tiles are those of `weft.backends.cpu.kernels.products`, with the same bits; symbols are defined
there. A pair is near if its distance, minus its error bound, is below a limit. So the exact
distance of a pair that is not listed is at least the limit, except for rounding of the difference.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.products import _SAFE, TILE, mirror_tile
from weft.backends.cpu.kernels.settled_linkage import heights_at_cut
from weft.backends.cpu.kernels.tile_products import tile_products
from weft.backends.cpu.kernels.tiles import retake, stored_tile
from weft.backends.cpu.kernels.vectors import count_bits, finish_piece, lowest_bit

# Bits of a mask that are always read, even if fewer are set.
_AHEAD = 4


@njit(nogil=True, cache=True, error_model="numpy")
def near_limit(Z, norms, n_rows, share):
    """Return a distance that about this share of all pairs is below; n ≥ TILE.

    It is taken from the pairs of TILE rows that are spread over the table.
    """
    n_kept = Z.shape[1]
    sample = np.empty((n_kept, TILE), Z.dtype)
    size = np.empty(TILE, Z.dtype)
    step = n_rows // TILE
    for k in range(TILE):
        # Irregular steps: the rows of a table may repeat a pattern.
        i = k * n_rows // TILE + k * k * 7919 % step
        size[k] = norms[i]
        for f in range(n_kept):
            sample[f, k] = Z[i // TILE, f, i % TILE]
    products = np.dot(sample.T, sample)
    nearness = np.empty(TILE * (TILE - 1) // 2)
    position = 0
    for r in range(TILE):
        for c in range(r + 1, TILE):
            nearness[position] = 2.0 * products[r, c] - size[r] - size[c]
            position += 1
    _, limit = heights_at_cut(nearness, position - 1 - int(share * position))
    return Z.dtype.type(-limit)


@njit(nogil=True, cache=True, error_model="numpy")
def list_near(Z, norms, slack, columns, limit, store, first, second, values):
    """Fill `store` with all tiles, and the three others with the near pairs; return their number.

    Returns -1 if there is not enough memory for the pairs.
    """
    n_rows = columns.shape[1]
    n_tiles = Z.shape[0]
    kind = norms.dtype.type
    safe = kind(_SAFE)
    nothing = np.full(TILE, -np.inf, norms.dtype)
    spots = np.empty(TILE * TILE + _AHEAD, np.int64)
    n_pairs = 0
    for top in range(n_tiles):
        for left in range(top, n_tiles):
            tile = stored_tile(store, n_tiles, top, left)
            tile_products(Z, top, left, tile)
            if n_pairs + TILE * TILE > first.shape[0]:
                return -1
            most = slack[left * TILE : (left + 1) * TILE].max()
            n_spots = 0
            for r in range(min(TILE, n_rows - top * TILE)):
                i = top * TILE + r
                # A little higher, because of rounding; each pair is compared exactly below.
                near = (limit + slack[i] + most) * kind(1.0001)
                bound = max(near, safe * (slack[i] + most))
                mask = finish_piece(tile, r * TILE, norms, left * TILE, norms[i], bound, nothing, 0)
                n_spots = _add_places(mask, r * TILE, spots, n_spots)
            for spot in spots[:n_spots]:
                r, c = spot // TILE, spot % TILE
                i, j = top * TILE + r, left * TILE + c
                value = tile[spot]
                if value < safe * (slack[i] + slack[j]):
                    value = retake(tile, r, c, i, j, slack, columns)
                first[n_pairs] = i
                second[n_pairs] = j
                values[n_pairs] = value
                n_pairs += (j > i) & (value - slack[i] - slack[j] < limit)
            if left == top:
                mirror_tile(tile)
    return n_pairs


@njit(nogil=True, cache=True, error_model="numpy")
def _add_places(mask, start, places, n_places):
    """Fill `places`, from `n_places` on, with `start` plus the places of bits; return their number.

    The first _AHEAD are always written, without a branch, because the number of bits cannot be
    predicted. Entries beyond that number are overwritten later, so `places` needs room for _AHEAD
    more.
    """
    size = count_bits(mask)
    rest = mask
    for k in range(_AHEAD):
        places[n_places + k] = start + lowest_bit(rest)
        rest &= rest - 1
    if size > _AHEAD:
        k = n_places + _AHEAD
        while rest != 0:
            places[k] = start + lowest_bit(rest)
            rest &= rest - 1
            k += 1
    return n_places + size


@njit(nogil=True, cache=True, error_model="numpy")
def lists_of_rows(first, second, values, starts, keys, distances):
    """Fill the lists of all rows, one after the other; each pair is in the lists of both rows.

    `starts` (n + 1,) gets the positions in `keys` (other rows) and `distances` at which the lists
    begin.
    """
    n_rows = starts.shape[0] - 1
    place = np.zeros(n_rows + 1, np.int64)
    for pair in range(first.shape[0]):
        place[first[pair]] += 1
        place[second[pair]] += 1
    total = 0
    for i in range(n_rows):
        starts[i] = total
        total += place[i]
        place[i] = starts[i]
    starts[n_rows] = total
    for pair in range(first.shape[0]):
        i, j, value = first[pair], second[pair], values[pair]
        keys[place[i]], distances[place[i]] = j, value
        keys[place[j]], distances[place[j]] = i, value
        place[i] += 1
        place[j] += 1
