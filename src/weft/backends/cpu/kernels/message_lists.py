"""Lists of rows and their messages in one memory, for affinity propagation (`affinity_lists`).

A list is extended downwards: its rows are the most similar ones first, in pieces of PIECE.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.vectors import PIECE, below, lowest_bit

# A list is extended in this many parts; the pieces of one part are equally likely to be needed.
PARTS = 4


@njit(nogil=True, cache=True, error_model="numpy")
def move_list(room, first, space, i, length, used, wanted):
    """Move a list behind all others, with more memory; return the memory in use, -1 if too much."""
    keys, s, e, c, bound, positive, seen, has_e = room
    wanted = -(-wanted // PIECE) * PIECE
    if used + wanted > keys.shape[0] // PIECE * PIECE:
        return -1
    shift = used - first[i]
    for old in range(first[i], first[i] + -(-length // PIECE) * PIECE):
        new = old + shift
        keys[new], s[new], e[new], c[new] = keys[old], s[old], e[old], c[old]
    for old in range(first[i] // PIECE, -(-(first[i] + length) // PIECE)):
        new = old + shift // PIECE
        bound[new], positive[new], seen[new] = bound[old], positive[old], seen[old]
        has_e[new] = has_e[old]
    first[i] = used
    space[i] = wanted
    return used + wanted


@njit(nogil=True, cache=True, error_model="numpy")
def first_cuts(row, cuts):
    """Fill `cuts` with descending values; about 1/20 of the row exceeds the last one.

    They are the four largest of 64 entries.
    """
    cuts[:] = -np.inf
    for j in range(0, row.shape[0], max(row.shape[0] // 64, 1)):
        if row[j] > cuts[PARTS - 1]:
            slot = PARTS - 1
            while slot > 0 and row[j] > cuts[slot - 1]:
                cuts[slot] = cuts[slot - 1]
                slot -= 1
            cuts[slot] = row[j]


@njit(nogil=True, cache=True, error_model="numpy")
def lower_cut(row, i, parts, cut, room, first, space, length, extras, used):
    """Add the rows down to several cuts, one after the other; return the memory in use, or -1."""
    for part in range(parts.shape[0]):
        if not parts[part] < cut[i]:
            continue
        while True:
            size = _extend(
                row, i, parts[part], cut[i], room, first[i], space[i], length[i], extras[i]
            )
            if size >= 0:
                break
            used = move_list(room, first, space, i, length[i], used, 2 * space[i])
            if used < 0:
                return -1
        length[i] = size
        cut[i] = parts[part]
    return used


@njit(nogil=True, cache=True, error_model="numpy")
def new_piece(room, slot, limit):
    """Empty the piece that begins at a slot; all rows added to it later have s < `limit`."""
    keys, s, e, c, bound, positive, seen, has_e = room
    for new in range(slot, slot + PIECE):
        keys[new], s[new], e[new], c[new] = 0, -np.inf, 0.0, 0.0
    q = slot // PIECE
    bound[q], positive[q], seen[q], has_e[q] = limit, 0, 0, False


@njit(nogil=True, cache=True, error_model="numpy")
def is_listed(where, size, k):
    """Return whether k is among the first `size` entries; without a branch in the loop."""
    found = 0
    for slot in range(size):
        found += where[slot] == k
    return found > 0


@njit(nogil=True, cache=True, error_model="numpy")
def _extend(row, i, lower, upper, room, first, space, size, n_extras):
    """Add the rows with lower ≤ s_ik < upper to a list; return its size, or -1 if too long."""
    n_rows = row.shape[0]
    # No function is called per entry: counting the references to its arrays would take longer than
    # everything else.
    keys, similarities = room[0], room[1]
    before = size if n_extras > 0 else 0
    for low in range(0, n_rows, PIECE):
        start = min(low, n_rows - PIECE)
        mask = ~below(row, start, lower) & below(row, start, upper)
        mask &= ~np.int64(0) << np.int64(low - start)
        while mask != 0:
            k = start + lowest_bit(mask)
            mask &= mask - 1
            if k == i or (before > 0 and is_listed(keys[first : first + before], before, k)):
                continue
            if size == space:
                return -1
            slot = first + size
            if slot % PIECE == 0:
                new_piece(room, slot, upper)
            keys[slot], similarities[slot] = k, row[k]
            size += 1
    return size
