"""Affinity propagation with lists of the messages that matter; the reference has the notation.

All messages fill two matrices, and every round would read all of them. But nearly all follow from
two numbers per row and one per column. With damping λ and c_t = 1 - λ^t,

    r_ik = c_t s_ik - M_i + E_ik        M_i: damped best of row i;  E_ik = 0 unless k was the best
    a_ik = B_k + C_ik    (k ≠ i)        B_k: damped min(0, support of k);  C_ik = 0 unless r_ik > 0

and only rows k near to i can be its best or second best, or have r_ik > 0: a_ik ≤ max B, so rows
that are less similar than `cut_i` can be ignored, as long as

    second best of row i ≥ cut_i + max B     and     c_t cut_i ≤ M_i.

So each row has a list of the rows above its cut, with s, E and C. If the first condition fails, the
whole row is searched; if the second fails, the cut is lowered. If lists would grow beyond a third
of the rows, the matrices of `affinity` are faster, and the computation starts again with them.

A list consists of pieces of PIECE rows, the most similar ones first. Late in the computation few
rows need more than one or two pieces. The two conditions, with the largest similarity in a piece
instead of the cut, say which pieces are needed. In a piece that is left out, E is 0 and C shrinks
by the damping; the rounds that it missed are computed when it is next used.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.message_lists import (
    PARTS,
    first_cuts,
    is_listed,
    lower_cut,
    move_list,
    new_piece,
)
from weft.backends.cpu.kernels.message_vectors import (
    responsibilities_of_piece,
    shrink_piece,
    values_of_piece,
)
from weft.backends.cpu.kernels.vectors import PIECE, below, largest, lowest_bit, sum_above


@njit(nogil=True, cache=True, error_model="numpy")
def listed_messages(S, keys, s, e, c, damping, max_iter, patience, exemplar):
    """Fill `exemplar`; return 1 if the messages converged, 0 if not, -1 if lists grew too long.

    `keys`, `s`, `e` and `c` are memory for the lists of all rows, one after the other: the rows,
    and s, E and C of each. Messages are in float64 for any precision of `S`. Lists are padded to
    whole pieces by entries with s = -inf.
    """
    n_rows = S.shape[0]
    keep, take = damping, 1.0 - damping
    first, space = np.zeros(n_rows, np.int64), np.zeros(n_rows, np.int64)
    length, extras = np.zeros(n_rows, np.int64), np.zeros(n_rows, np.int64)
    cut, parts = np.full(n_rows, np.inf, S.dtype), np.empty(PARTS, S.dtype)
    M, B = np.zeros(n_rows), np.zeros(n_rows)
    support, next_support = np.zeros(n_rows), np.zeros(n_rows)
    own_a, own_r, own_e = np.zeros(n_rows), np.zeros(n_rows), np.zeros(n_rows)
    values = np.empty(PIECE)
    n_pieces = keys.shape[0] // PIECE
    # Of each piece: an upper bound of s; a mask of the entries with r > 0 in the last round; how
    # many rounds its C includes; whether any E is not 0.
    bound, positive = np.empty(n_pieces, S.dtype), np.empty(n_pieces, np.int64)
    seen = np.empty(n_pieces, np.int64)
    has_e = np.empty(n_pieces, np.bool_)
    room = keys, s, e, c, bound, positive, seen, has_e
    used = 0
    for i in range(n_rows):
        used = move_list(room, first, space, i, 0, used, n_rows // 8)
        if used < 0:
            return -1
        first_cuts(S[i], parts)
        used = lower_cut(S[i], i, parts, cut, room, first, space, length, extras, used)
        if used < 0:
            return -1
    before = 0.0  # c_t of the last round
    stood = 0
    exemplar[:] = False
    for done in range(max_iter):
        now = keep * before + take
        most = B.max()
        next_support[:] = 0.0
        for i in range(n_rows):
            last = -(-(first[i] + length[i]) // PIECE)
            best, second, best_at = _two_best(
                keys, s, e, c, bound, positive, seen, has_e, first[i] // PIECE, last, done,
                before, keep, take, M[i], B, support, most, S[i, i] + own_a[i], values,
            )  # fmt: skip
            if cut[i] + most > second:
                listed = keys[first[i] : first[i] + length[i]]
                best, second, other = _outside(S[i], i, cut[i], B, listed, length[i], best, second)
                if other >= 0:
                    if length[i] == space[i]:
                        used = move_list(room, first, space, i, length[i], used, 2 * space[i])
                        if used < 0:
                            return -1
                    best_at = first[i] + length[i]
                    if best_at % PIECE == 0:
                        new_piece(room, best_at, cut[i])
                    keys[best_at], s[best_at] = other, S[i, other]
                    length[i] += 1
                    extras[i] += 1
            m = keep * M[i] + take * best
            M[i] = m
            if best_at >= 0:
                # The best one is compared with the second best.
                q = best_at // PIECE
                for _ in range(seen[q], done + 1):
                    shrink_piece(c, q * PIECE, keep)
                seen[q] = done + 1
                has_e[q] = True
                e[best_at] += take * (best - second)
            if now * cut[i] - m > 0.0:
                lower = S.dtype.type(m / now - 0.1 * abs(m / now))
                for part in range(PARTS):
                    share = (part + 1) / PARTS
                    parts[part] = cut[i] + share * (lower - cut[i]) if share < 1.0 else lower
                used = lower_cut(S[i], i, parts, cut, room, first, space, length, extras, used)
                if used < 0:
                    return -1
            own_e[i] *= keep
            if best_at < 0:
                own_e[i] += take * (best - second)
            last = -(-(first[i] + length[i]) // PIECE)
            _add_support(
                keys, s, e, bound, positive, has_e, first[i] // PIECE, last, now, m, values,
                next_support,
            )  # fmt: skip
            own_r[i] = now * S[i, i] - m + own_e[i]
            # The sum contains R_kk itself, not its positive part.
            next_support[i] += own_r[i]
        support, next_support = next_support, support
        before = now
        changed = False
        n_exemplars = 0
        for k in range(n_rows):
            B[k] = keep * B[k] + take * min(support[k], 0.0)
            own_a[k] = keep * own_a[k] + take * (support[k] - own_r[k])
            is_exemplar = own_a[k] + own_r[k] > 0.0
            changed |= is_exemplar != exemplar[k]
            exemplar[k] = is_exemplar
            n_exemplars += is_exemplar
        stood = 1 if changed else stood + 1
        if stood >= patience and n_exemplars > 0:
            return 1
    return 0


@njit(nogil=True, cache=True, error_model="numpy")
def _two_best(
    keys, s, e, c, bound, positive, seen, has_e, q, last, done, before, keep, take, m, B, support,
    most, own, values,
):  # fmt: skip
    """Update C and E of a list by the last round's support.

    Return the largest of A + S and `own`, the second largest, and the slot of the first (-1: own).
    Pieces that cannot have any of them, and did not have r > 0, are left out.
    """
    best, second, best_at = own, -np.inf, -1
    for piece in range(q, last):
        if positive[piece] == 0 and not has_e[piece] and not bound[piece] + most > second:
            continue
        low = piece * PIECE
        for _ in range(seen[piece], done + 1):
            shrink_piece(c, low, keep)
        seen[piece] = done + 1
        mask = positive[piece]
        while mask != 0:
            slot = low + lowest_bit(mask)
            mask &= mask - 1
            there = support[keys[slot]]
            r = before * s[slot] - m + e[slot]
            c[slot] += take * (min(there - r, 0.0) - min(there, 0.0))
        if has_e[piece]:
            shrink_piece(e, low, keep)
        top = values_of_piece(B, keys, c, s, low, values)
        if top > best:
            k = lowest_bit(~below(values, 0, top))
            values[k] = -np.inf
            second = max(best, largest(values, 0))
            best, best_at = top, low + k
        elif top > second:
            second = top
    return best, second, best_at


@njit(nogil=True, cache=True, error_model="numpy")
def _add_support(keys, s, e, bound, positive, has_e, q, last, now, m, values, support):
    """Update `support` by the positive responsibilities of a list."""
    for piece in range(q, last):
        positive[piece] = 0
        if not has_e[piece] and not now * bound[piece] - m > 0.0:
            continue
        low = piece * PIECE
        mask = responsibilities_of_piece(s, e, low, now, m, values)
        positive[piece] = mask
        while mask != 0:
            k = lowest_bit(mask)
            mask &= mask - 1
            support[keys[low + k]] += values[k]


@njit(nogil=True, cache=True, error_model="numpy")
def _outside(row, i, cut, B, listed, size, best, second):
    """Return the two largest of A + S over all rows, including those that are not in the list.

    The third number is the best row if it is not in the list, else -1.
    """
    n_rows = row.shape[0]
    other = -1
    for low in range(0, n_rows, PIECE):
        # The last piece overlaps the one before it; overlapping bits are not used again.
        start = min(low, n_rows - PIECE)
        mask = sum_above(row, start, B, start, cut, second)
        mask &= ~np.int64(0) << np.int64(low - start)
        while mask != 0:
            k = start + lowest_bit(mask)
            mask &= mask - 1
            found = row[k] + B[k]
            if k == i or not found > second or is_listed(listed, size, k):
                continue
            if found > best:
                second, best, other = best, found, k
            else:
                second = found
    return best, second, other
