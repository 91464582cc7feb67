"""Affinity propagation: see the reference for the notation.

One pass a round: the availabilities of a row are finished, and its next responsibilities made,
while the row is in cache. Column sums wait for the end of the round.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def affinity_propagation(S, R, A, damping, max_iter, patience, out):
    """Fill `out` with the exemplar of each row; return whether the messages settled."""
    n_rows = S.shape[0]
    R[:] = 0.0
    A[:] = 0.0
    keep = damping
    take = 1.0 - damping
    support = np.zeros(n_rows)
    next_support = np.empty(n_rows)
    exemplar = np.zeros(n_rows, dtype=np.bool_)
    stood = 0
    settled = False
    for round_ in range(max_iter + 1):
        next_support[:] = 0.0
        changed = False
        n_exemplars = 0
        for i in range(n_rows):
            r = R[i]
            a = A[i]
            s = S[i]
            if round_ > 0:
                # Σ_i' max(0, R_i'k), with R_kk itself in place of its positive part.
                diagonal = keep * a[i] + take * (support[i] - r[i])
                for k in range(n_rows):
                    value = support[k] - max(r[k], 0.0)
                    a[k] = keep * a[k] + take * min(value, 0.0)
                a[i] = diagonal
                is_exemplar = diagonal + r[i] > 0.0
                changed |= is_exemplar != exemplar[i]
                exemplar[i] = is_exemplar
                n_exemplars += is_exemplar
            if round_ == max_iter:
                continue
            largest = -np.inf
            second = -np.inf
            where = -1
            for k in range(n_rows):
                value = a[k] + s[k]
                if value > largest:
                    second = largest
                    largest = value
                    where = k
                elif value > second:
                    second = value
            at_first = keep * r[where] + take * (s[where] - second)
            for k in range(n_rows):
                r[k] = keep * r[k] + take * (s[k] - largest)
            r[where] = at_first
            for k in range(n_rows):
                next_support[k] += max(r[k], 0.0)
            next_support[i] += r[i] - max(r[i], 0.0)
        support, next_support = next_support, support
        if round_ > 0:
            stood = 1 if changed else stood + 1
            if stood >= patience and n_exemplars > 0:
                settled = True
                break
    assign_exemplars(S, exemplar, out)
    return settled


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
        best = -np.inf
        for k in chosen:
            if S[i, k] > best:
                best = S[i, k]
                out[i] = k
    for k in chosen:
        out[k] = k


@njit(nogil=True, cache=True, error_model="numpy")
def break_ties(S):
    """Update `S`: move each entry by at most one rounding step, by a hash of its place."""
    n_rows, n_columns = S.shape
    for i in range(n_rows):
        for j in range(n_columns):
            z = np.uint64(i) * np.uint64(0x9E3779B97F4A7C15)
            z += np.uint64(j) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            unit = np.float64((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53
            S[i, j] += (2.0**-52 * S[i, j] - 1e-300) * unit
