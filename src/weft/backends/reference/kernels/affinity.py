"""Affinity propagation (Frey and Dueck 2007): messages between rows until exemplars stand.

========  ======  ==========================================================================
symbol    shape   meaning
========  ======  ==========================================================================
S         (n, n)  similarity, minus the squared distance; the preference on the diagonal
R         (n, n)  responsibility: how well k suits i, against the best other candidate
A         (n, n)  availability: how much others speak for k
========  ======  ==========================================================================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats


def affinity_propagation(
    S: Floats,
    R: Floats,
    A: Floats,
    damping: float,
    max_iter: int,
    patience: int,
    out: NDArray[np.int64],
) -> bool:
    """Fill `out` with the exemplar of each row; return whether the messages settled.

    They have settled when the set of exemplars, not empty, has stood for `patience` rounds.
    Without exemplars all of `out` is -1. `R` and `A`, in float64, are working space.
    """
    n_rows = len(S)
    R[:] = A[:] = 0.0
    rows = np.arange(n_rows)
    last, stood, settled = np.zeros(n_rows, dtype=bool), 0, False
    for _ in range(max_iter):
        candidate = A + S
        first = candidate.argmax(axis=1)
        largest = candidate[rows, first]
        candidate[rows, first] = -np.inf
        rival = np.repeat(largest[:, np.newaxis], n_rows, axis=1)
        rival[rows, first] = candidate.max(axis=1)
        R[:] = damping * R + (1.0 - damping) * (S - rival)
        positive = np.maximum(R, 0.0)
        np.fill_diagonal(positive, R.diagonal())
        support = positive.sum(axis=0)[np.newaxis, :] - positive
        own = support.diagonal().copy()
        support = np.minimum(support, 0.0)
        np.fill_diagonal(support, own)
        A[:] = damping * A + (1.0 - damping) * support
        exemplar = (A.diagonal() + R.diagonal()) > 0.0
        stood = stood + 1 if np.array_equal(exemplar, last) else 1
        last = exemplar
        if stood >= patience and exemplar.any():
            settled = True
            break
    assign_exemplars(S, last, out)
    return settled


def assign_exemplars(S: Floats, exemplar: NDArray[np.bool_], out: NDArray[np.int64]) -> None:
    """Fill `out`: each row's most similar exemplar, after each cluster has chosen its best one."""
    out[:] = -1
    chosen = np.flatnonzero(exemplar)
    if len(chosen) == 0:
        return
    for refine in (True, False):
        nearest = chosen[S[:, chosen].argmax(axis=1)]
        nearest[chosen] = chosen
        if refine:
            best = []
            for k in chosen:
                members = np.flatnonzero(nearest == k)
                best.append(members[S[np.ix_(members, members)].sum(axis=0).argmax()])
            chosen = np.array(best)
    out[:] = nearest


def break_ties(S: Floats) -> None:
    """Update `S`: move each entry by a few rounding steps, by a hash of its place.

    Rows that are equal would otherwise elect each other for ever. A hash instead of random draws
    keeps the result a function of the distances alone.
    """
    i, j = np.indices(S.shape, dtype=np.uint64)
    with np.errstate(over="ignore"):
        z = i * np.uint64(0x9E3779B97F4A7C15) + j * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    unit = ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53
    step, least = (2.0**-17, 1e-37) if S.itemsize == 4 else (2.0**-46, 1e-300)
    S += ((step * S.astype(np.float64) - least) * unit).astype(S.dtype)


def upper_bins(D: Floats, shift: int, counts: NDArray[np.int64]) -> None:
    """Fill `counts` with how many entries above the diagonal have which first bits.

    `shift` is how many of the last bits are left out.
    """
    counts[:] = np.bincount(_first_bits(D, shift), minlength=len(counts))


def upper_between(D: Floats, shift: int, first: int, last: int, out: Floats) -> None:
    """Fill `out` with the entries above the diagonal whose first bits are first … last."""
    bits = _first_bits(D, shift)
    out[:] = D[np.triu_indices(len(D), 1)][(bits >= first) & (bits <= last)]


def _first_bits(D: Floats, shift: int) -> NDArray[np.int64]:
    upper = D[np.triu_indices(len(D), 1)]
    return (upper.view(f"u{D.itemsize}") >> shift).astype(np.int64)
