"""Affinity propagation: see the reference for the notation.

`listed_messages` keeps the few messages that matter. If there are too many, `dense_messages` stores
all messages in two matrices, with one pass per round: it finishes the availabilities of a row and
computes its next responsibilities while the row is in the cache.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.affinity_lists import listed_messages
from weft.backends.cpu.kernels.neighbours import fill_from
from weft.backends.cpu.kernels.power import bits_of
from weft.backends.cpu.kernels.vectors import PIECE


def affinity_propagation(S, R, A, damping, max_iter, patience, out):
    """Fill `out` with the exemplar of each row; return whether the messages converged.

    `S` (n, n) is read only and may be in float32. `R` and `A`, (n, n) in float64, are working
    memory.
    """
    n_rows = len(S)
    exemplar = np.zeros(n_rows, dtype=np.bool_)
    state = -1
    if n_rows >= 2 * PIECE:
        # Unsigned, so that numba does not check for negative indices.
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
def dense_messages(S, R, A, damping, max_iter, patience, exemplar):
    """Fill `exemplar`; return 1 if the messages converged, else 0."""
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
                fill_from(s, candidate)
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
            # The sum contains R_kk itself, not its positive part.
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
    """Return the position of the first largest value, the value, and the largest of the others."""
    n_values = values.shape[0]
    largest = values.dtype.type(-np.inf)
    second = largest
    where = 0
    for low in range(0, n_values, PIECE):
        high = min(low + PIECE, n_values)
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
    """Update `S`: move each entry by a few rounding steps, given by a hash of its position."""
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
    """Fill `counts` with the number of entries above the diagonal for each value of the first bits.

    Entries are not negative, so their bits, read as integers, have the same order as the entries.
    `shift` is the number of last bits that are left out.
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
