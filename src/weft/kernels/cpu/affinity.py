"""Affinity propagation: see the reference for the notation.

Written out, messages fill two matrices, and all of them pass through the processor every round.
Nearly all follow from two numbers per row and one per column. With damping λ and c_t = 1 - λ^t,

    r_ik = c_t s_ik - M_i + E_ik        M_i: damped best of row i;  E_ik = 0 unless k was the best
    a_ik = B_k + C_ik    (k ≠ i)        B_k: damped min(0, support of k);  C_ik = 0 unless r_ik > 0

and only rows k that are near to i can be its best or its second, or get r_ik > 0: a_ik ≤ max B, so
whatever is less similar than `cut_i` is out of the question, as long as

    second best of row i ≥ cut_i + max B     and     c_t cut_i ≤ M_i.

So each row has a list of the rows above its cut, with s, E and C. Where the first condition fails
the row is looked through; where the second does, the cut is lowered. Where lists would grow beyond
a third of the rows the matrices are cheaper, and the whole is done again with them: one pass a
round, the availabilities of a row finished and its next responsibilities made while the row is in
cache.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.kernels.cpu.power import bits_of
from weft.kernels.cpu.vectors import (
    PIECE,
    above,
    affine_above_zero,
    below,
    lowest_bit,
    scale_piece,
    sum_above,
)

_PIECE = 64


def affinity_propagation(S, R, A, damping, max_iter, patience, out):
    """Fill `out` with the exemplar of each row; return whether the messages settled.

    `S` (n, n) is read only and may be in float32. `R` and `A`, (n, n) in float64, are room to work
    in.
    """
    n_rows = len(S)
    exemplar = np.zeros(n_rows, dtype=np.bool_)
    state = -1
    if n_rows >= 2 * PIECE:
        # Unsigned: numba need not look whether a place counts from the end.
        size = n_rows**2 // 2
        e, keys = _views(R, size, np.float64, np.uint32)
        c, s = _views(A, size, np.float64, S.dtype)
        state = listed_messages(S, keys, s, e, c, damping, max_iter, patience, exemplar)
    if state < 0:
        state = dense_messages(S, R, A, damping, max_iter, patience, exemplar)
    assign_exemplars(S, exemplar, out)
    return state > 0


def _views(array, size, *dtypes):
    """Return arrays of `size` numbers, one after the other, in the memory of `array`."""
    raw = array.reshape(-1).view(np.uint8)
    found = []
    for dtype in dtypes:
        n_bytes = size * np.dtype(dtype).itemsize
        found.append(raw[:n_bytes].view(dtype))
        raw = raw[n_bytes:]
    return found


@njit(nogil=True, cache=True, error_model="numpy")
def listed_messages(S, keys, s, e, c, damping, max_iter, patience, exemplar):
    """Fill `exemplar`; return 1 if the messages settled, 0 if not, -1 if lists do not pay.

    `keys`, `s`, `e` and `c` are room for the lists of all rows, one behind the other: the rows, and
    s, E and C of each. Messages are in float64, whatever the precision of `S`. Lists end on whole
    pieces: what fills up has s = -inf.
    """
    n_rows = S.shape[0]
    keep, take = damping, 1.0 - damping
    length, extras = np.zeros(n_rows, np.int64), np.zeros(n_rows, np.int64)
    cut = np.empty(n_rows, S.dtype)
    M, B = np.zeros(n_rows), np.zeros(n_rows)
    support, next_support = np.zeros(n_rows), np.zeros(n_rows)
    own_a, own_r, own_e = np.zeros(n_rows), np.zeros(n_rows), np.zeros(n_rows)
    value = np.empty(n_rows + PIECE)
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
            _finish_availabilities(lists, length[i], before, M[i], keep, take, support, B, value)
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
            # The best one's rival is the second best.
            own_e[i] *= keep
            if best_at >= 0:
                lists[2][best_at] += take * (best - second)
            else:
                own_e[i] += take * (best - second)
            _add_support(lists, length[i], now, m, next_support)
            own_r[i] = now * S[i, i] - m + own_e[i]
            # R_kk itself stands in the sum, not its positive part.
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
    """Update a list's place: behind all others, with more room; return it, and what is used then.

    The second is -1 where the room does not suffice.
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
    """Return the two largest of A + S when rows outside of the list count too.

    The third number is the row that is the best, if it comes from there; else -1.
    """
    n_rows = row.shape[0]
    other = -1
    for low in range(0, n_rows, PIECE):
        # The last piece overlaps the one before it, whose bits it does not repeat.
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
def _add_support(lists, size, now, m, support):
    """Update `support` by the positive responsibilities of a list."""
    where, s, e, _ = lists
    for low in range(0, size, PIECE):
        mask = affine_above_zero(s, low, e, low, now, m)
        while mask != 0:
            slot = low + lowest_bit(mask)
            mask &= mask - 1
            support[where[slot]] += now * s[slot] - m + e[slot]


@njit(nogil=True, cache=True, error_model="numpy")
def _finish_availabilities(lists, size, before, m, keep, take, support, B, value):
    """Update C and E of a list by the last round's support; fill `value` with A + S."""
    where, s, e, c = lists
    for low in range(0, size, PIECE):
        mask = affine_above_zero(s, low, e, low, before, m)
        scale_piece(c, low, keep)
        while mask != 0:
            slot = low + lowest_bit(mask)
            mask &= mask - 1
            there = support[where[slot]]
            r = before * s[slot] - m + e[slot]
            c[slot] += take * (min(there - r, 0.0) - min(there, 0.0))
        scale_piece(e, low, keep)
    for slot in range(size):
        value[slot] = B[where[slot]] + c[slot] + s[slot]
    for slot in range(size, -(-size // PIECE) * PIECE):
        value[slot] = -np.inf


@njit(nogil=True, cache=True, error_model="numpy")
def _two_best(value, size, own):
    """Return the largest of `value` and `own`, the second largest, and the place of the first.

    The place of `own` is -1.
    """
    best, second, best_at = own, -np.inf, -1
    for low in range(0, size, PIECE):
        mask = above(value, low, second)
        while mask != 0:
            slot = low + lowest_bit(mask)
            mask &= mask - 1
            if value[slot] > best:
                second, best, best_at = best, value[slot], slot
            elif value[slot] > second:
                second = value[slot]
    return best, second, best_at


@njit(nogil=True, cache=True, error_model="numpy")
def _first_cut(row):
    """Return what about a twentieth of the row is above: the fourth largest of 64 in it."""
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
    """Update a list by row k; return its place, -1 if there is none left."""
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
    """Update a list by the rows with lower ≤ s_ik < upper; return its size, -1 if too long."""
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


@njit(nogil=True, cache=True, error_model="numpy")
def dense_messages(S, R, A, damping, max_iter, patience, exemplar):
    """Fill `exemplar`; return 1 if the messages settled, else 0."""
    n_rows = S.shape[0]
    zero = 0.0
    R[:] = zero
    A[:] = zero
    keep, take = damping, 1.0 - damping
    support = np.zeros(n_rows)
    next_support = np.empty(n_rows)
    candidate = np.empty(n_rows)
    exemplar[:] = False
    stood = 0
    for round_ in range(max_iter + 1):
        next_support[:] = zero
        changed = False
        n_exemplars = 0
        for i in range(n_rows):
            r = R[i]
            a = A[i]
            s = S[i]
            if round_ == 0:
                candidate[:] = s
            else:
                diagonal = keep * a[i] + take * (support[i] - r[i])
                _available(a, r, s, support, keep, take, candidate)
                a[i] = diagonal
                candidate[i] = diagonal + s[i]
                is_exemplar = diagonal + r[i] > zero
                changed |= is_exemplar != exemplar[i]
                exemplar[i] = is_exemplar
                n_exemplars += is_exemplar
            if round_ == max_iter:
                continue
            where, largest, second = _two_largest(candidate)
            _responsible(r[:where], s[:where], largest, keep, take, next_support[:where])
            _responsible(
                r[where : where + 1],
                s[where : where + 1],
                second,
                keep,
                take,
                next_support[where : where + 1],
            )
            _responsible(
                r[where + 1 :], s[where + 1 :], largest, keep, take, next_support[where + 1 :]
            )
            # R_kk itself stands in the sum, not its positive part.
            next_support[i] += r[i] - max(r[i], zero)
        support, next_support = next_support, support
        if round_ > 0:
            stood = 1 if changed else stood + 1
            if stood >= patience and n_exemplars > 0:
                return 1
    return 0


@njit(nogil=True, cache=True, error_model="numpy")
def _available(a, r, s, support, keep, take, candidate):
    """Update a row of A, and fill `candidate` with A + S of it."""
    zero = 0.0
    for k in range(a.shape[0]):
        value = support[k] - max(r[k], zero)
        new = keep * a[k] + take * min(value, zero)
        a[k] = new
        candidate[k] = new + s[k]


@njit(nogil=True, cache=True, error_model="numpy")
def _responsible(r, s, rival, keep, take, support):
    """Update part of a row of R, and add its positive part to `support`."""
    zero = 0.0
    for k in range(r.shape[0]):
        new = keep * r[k] + take * (s[k] - rival)
        r[k] = new
        support[k] += max(new, zero)


@njit(nogil=True, cache=True, error_model="numpy")
def _two_largest(values):
    """Return the place of the first largest value, it, and the largest of the others."""
    n_values = values.shape[0]
    largest = values.dtype.type(-np.inf)
    second = largest
    where = 0
    for low in range(0, n_values, _PIECE):
        high = min(low + _PIECE, n_values)
        piece = values[low:high]
        larger = 0
        for j in range(high - low):
            larger += piece[j] > second
        if larger > 0:
            for j in range(low, high):
                if values[j] > largest:
                    second = largest
                    largest = values[j]
                    where = j
                elif values[j] > second:
                    second = values[j]
    return where, largest, second


@njit(nogil=True, cache=True, error_model="numpy")
def assign_exemplars(S, exemplar, out):
    """Fill `out`: each row's most similar exemplar, after each cluster has chosen its best one."""
    chosen = np.flatnonzero(exemplar)
    out[:] = -1
    if chosen.shape[0] == 0:
        return
    _most_similar(S, chosen, out)
    for slot in range(chosen.shape[0]):
        members = np.flatnonzero(out == chosen[slot])
        sums = np.zeros(members.shape[0])
        for i in members:
            for position in range(members.shape[0]):
                sums[position] += S[i, members[position]]
        chosen[slot] = members[np.argmax(sums)]
    _most_similar(S, chosen, out)


@njit(nogil=True, cache=True, error_model="numpy")
def _most_similar(S, chosen, out):
    for i in range(S.shape[0]):
        best = S.dtype.type(-np.inf)
        for k in chosen:
            if S[i, k] > best:
                best = S[i, k]
                out[i] = k
    for k in chosen:
        out[k] = k


@njit(nogil=True, cache=True, error_model="numpy")
def break_ties(S):
    """Update `S`: move each entry by a few rounding steps, by a hash of its place."""
    n_rows, n_columns = S.shape
    unit = 2.0**-17 if S.itemsize == 4 else 2.0**-46
    least = 1e-37 if S.itemsize == 4 else 1e-300
    for i in range(n_rows):
        for j in range(n_columns):
            z = np.uint64(i) * np.uint64(0x9E3779B97F4A7C15)
            z += np.uint64(j) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            part = np.float64((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53
            S[i, j] += (unit * S[i, j] - least) * part


@njit(nogil=True, cache=True, error_model="numpy")
def upper_bins(D, shift, counts):
    """Fill `counts` with how many entries above the diagonal have which first bits.

    Entries are not negative, so their bits, as whole numbers, are in the entries' own order;
    `shift` is how many of the last bits are left out.
    """
    counts[:] = 0
    for i in range(D.shape[0]):
        row = D[i]
        for j in range(i + 1, D.shape[0]):
            counts[np.uint64(bits_of(row[j])) >> shift] += 1


@njit(nogil=True, cache=True, error_model="numpy")
def upper_between(D, shift, first, last, out):
    """Fill `out` with the entries above the diagonal whose first bits are first … last."""
    position = 0
    for i in range(D.shape[0]):
        row = D[i]
        for j in range(i + 1, D.shape[0]):
            bits = np.uint64(bits_of(row[j])) >> shift
            if bits >= first and bits <= last:
                out[position] = row[j]
                position += 1
