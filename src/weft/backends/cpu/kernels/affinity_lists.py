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
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.vectors import PIECE, above, below, largest, lowest_bit, sum_above


@njit(nogil=True, cache=True, error_model="numpy")
def listed_messages(S, keys, s, e, c, damping, max_iter, patience, exemplar):
    """Fill `exemplar`; return 1 if the messages converged, 0 if not, -1 if lists grew too long.

    `keys`, `s`, `e` and `c` are memory for the lists of all rows, one after the other: the rows,
    and s, E and C of each. Messages are in float64 for any precision of `S`. Lists are padded to
    whole pieces by entries with s = -inf.
    """
    n_rows = S.shape[0]
    keep, take = damping, 1.0 - damping
    length, extras = np.zeros(n_rows, np.int64), np.zeros(n_rows, np.int64)
    cut = np.empty(n_rows, S.dtype)
    M, B = np.zeros(n_rows), np.zeros(n_rows)
    support, next_support = np.zeros(n_rows), np.zeros(n_rows)
    own_a, own_r, own_e = np.zeros(n_rows), np.zeros(n_rows), np.zeros(n_rows)
    value, there = np.empty(n_rows + PIECE), np.empty(n_rows + PIECE)
    room = keys, s, e, c
    first, space = np.zeros(n_rows, np.int64), np.zeros(n_rows, np.int64)
    used = 0
    for i in range(n_rows):
        cut[i] = _first_cut(S[i])
        lists, used = _move(room, first, space, i, 0, used, n_rows // 8)
        while used >= 0:
            length[i] = _extend(S[i], i, cut[i], S.dtype.type(np.inf), lists, 0, 0)
            if length[i] >= 0:
                break
            lists, used = _move(room, first, space, i, 0, used, 2 * space[i])
        if used < 0:
            return -1
    before = 0.0  # c_t of the last round
    stood = 0
    exemplar[:] = False
    for _ in range(max_iter):
        now = keep * before + take
        most = B.max()
        next_support[:] = 0.0
        for i in range(n_rows):
            lists = _lists(room, first[i], space[i])
            _finish_availabilities(
                lists, length[i], before, M[i], keep, take, support, B, there, value
            )
            best, second, best_at = _two_best(value, length[i], S[i, i] + own_a[i])
            if cut[i] + most > second:
                best, second, other = _outside(
                    S[i],
                    i,
                    cut[i],
                    B,
                    lists,
                    length[i],
                    best,
                    second,
                )
                if other >= 0:
                    if length[i] == space[i]:
                        lists, used = _move(room, first, space, i, length[i], used, 2 * space[i])
                        if used < 0:
                            return -1
                    best_at = _append(lists, length[i], other, S[i, other])
                    length[i] += 1
                    extras[i] += 1
            m = keep * M[i] + take * best
            M[i] = m
            if now * cut[i] - m > 0.0:
                lower = S.dtype.type(m / now - 0.1 * abs(m / now))
                size = _extend(S[i], i, lower, cut[i], lists, length[i], extras[i])
                while size < 0:
                    lists, used = _move(room, first, space, i, length[i], used, 2 * space[i])
                    if used < 0:
                        return -1
                    size = _extend(S[i], i, lower, cut[i], lists, length[i], extras[i])
                length[i] = size
                cut[i] = lower
            # The best one is compared with the second best.
            own_e[i] *= keep
            if best_at >= 0:
                lists[2][best_at] += take * (best - second)
            else:
                own_e[i] += take * (best - second)
            _add_support(lists, length[i], now, m, there, next_support)
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
def _lists(room, first, space):
    keys, s, e, c = room
    last = first + space
    return keys[first:last], s[first:last], e[first:last], c[first:last]


@njit(nogil=True, cache=True, error_model="numpy")
def _move(room, first, space, i, length, used, wanted):
    """Move a list behind all others, with more memory; return its place and the memory in use.

    The second is -1 if there is not enough memory.
    """
    old = _lists(room, first[i], space[i])
    wanted = -(-wanted // PIECE) * PIECE
    if used + wanted > room[0].shape[0]:
        return old, -1
    first[i] = used
    space[i] = wanted
    new = _lists(room, used, wanted)
    size = -(-length // PIECE) * PIECE
    for slot in range(size):
        new[0][slot] = old[0][slot]
        new[1][slot] = old[1][slot]
        new[2][slot] = old[2][slot]
        new[3][slot] = old[3][slot]
    return new, used + wanted


@njit(nogil=True, cache=True, error_model="numpy")
def _outside(row, i, cut, B, lists, size, best, second):
    """Return the two largest of A + S over all rows, also those outside of the list.

    The third number is the best row if it is outside of the list; else -1.
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
            if k == i or not found > second or _is_listed(lists[0], size, k):
                continue
            if found > best:
                second, best, other = best, found, k
            else:
                second = found
    return best, second, other


@njit(nogil=True, cache=True, error_model="numpy")
def _add_support(lists, size, now, m, r, support):
    """Update `support` by the positive responsibilities of a list; `r` is memory for them."""
    where, s, e, _ = lists
    last = -(-size // PIECE) * PIECE
    for slot in range(last):
        r[slot] = now * s[slot] - m + e[slot]
    for low in range(0, size, PIECE):
        mask = above(r, low, 0.0)
        while mask != 0:
            slot = low + lowest_bit(mask)
            mask &= mask - 1
            support[where[slot]] += r[slot]


@njit(nogil=True, cache=True, error_model="numpy")
def _finish_availabilities(lists, size, before, m, keep, take, support, B, there, value):
    """Update C and E of a list by the last round's support; fill `value` with A + S.

    `there` is memory for the support of the list's rows: it is filled first, so that the other
    steps are vectorised.
    """
    where, s, e, c = lists
    last = -(-size // PIECE) * PIECE
    for slot in range(last):
        there[slot] = support[where[slot]]
        value[slot] = B[where[slot]]
    for slot in range(last):
        r = before * s[slot] - m + e[slot]
        change = min(there[slot] - r, 0.0) - min(there[slot], 0.0)
        c[slot] = keep * c[slot] + take * (change if r > 0.0 else 0.0)
    for slot in range(last):
        e[slot] *= keep
    for slot in range(last):
        value[slot] = value[slot] + c[slot] + s[slot]


@njit(nogil=True, cache=True, error_model="numpy")
def _two_best(value, size, own):
    """Return the largest of `value` and `own`, the second largest, and the position of the first.

    The position of `own` is -1. On a tie within the list the first wins. Its entry is overwritten.
    """
    best, best_at = -np.inf, -1
    for low in range(0, size, PIECE):
        top = largest(value, low)
        if top > best:
            best, best_at = top, low
    if not best > own:
        return own, best, -1
    best_at += lowest_bit(~below(value, best_at, best))
    value[best_at] = -np.inf
    second = own
    for low in range(0, size, PIECE):
        second = max(second, largest(value, low))
    return best, second, best_at


@njit(nogil=True, cache=True, error_model="numpy")
def _first_cut(row):
    """Return a value that about 1/20 of the row exceeds: the fourth largest of 64 entries."""
    top = np.full(4, -np.inf, row.dtype)
    for j in range(0, row.shape[0], max(row.shape[0] // 64, 1)):
        if row[j] > top[0]:
            slot = 0
            while slot < 3 and row[j] > top[slot + 1]:
                top[slot] = top[slot + 1]
                slot += 1
            top[slot] = row[j]
    return top[0]


@njit(nogil=True, cache=True, error_model="numpy")
def _append(lists, size, k, similarity):
    """Add row k to a list; return its position, or -1 if the list is full."""
    where, s, e, c = lists
    if size == where.shape[0]:
        return -1
    if size % PIECE == 0:
        where[size : size + PIECE] = 0
        s[size : size + PIECE] = -np.inf
        e[size : size + PIECE] = 0.0
        c[size : size + PIECE] = 0.0
    where[size] = k
    s[size] = similarity
    return size


@njit(nogil=True, cache=True, error_model="numpy")
def _is_listed(where, size, k):
    found = 0
    for slot in range(size):
        found += where[slot] == k
    return found > 0


@njit(nogil=True, cache=True, error_model="numpy")
def _extend(row, i, lower, upper, lists, size, n_extras):
    """Add the rows with lower ≤ s_ik < upper to a list; return its size, or -1 if too long."""
    n_rows = row.shape[0]
    before = size if n_extras > 0 else 0
    for low in range(0, n_rows, PIECE):
        start = min(low, n_rows - PIECE)
        mask = ~below(row, start, lower) & below(row, start, upper)
        mask &= ~np.int64(0) << np.int64(low - start)
        while mask != 0:
            k = start + lowest_bit(mask)
            mask &= mask - 1
            if k != i and not _is_listed(lists[0], before, k):
                if _append(lists, size, k, row[k]) < 0:
                    return -1
                size += 1
    return size
