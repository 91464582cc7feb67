"""Ranks of columns whose order is known."""

from numba import njit

from weft._base.compiled import COMPILED


@njit(**COMPILED)
def fill_by_rank(columns, order, values, out, plain):
    """Fill each row of `out` (d, n) with the value of each number's rank, if the ranks are plain.

    `order` (d, n) sorts each row of `columns`; `values` (n,) belong to the ranks. A row with equal
    numbers or NaN is not plain: it is marked in `plain` (d,) and left out.
    """
    d, n = columns.shape
    for j in range(d):
        before = columns[j, order[j, 0]]
        rising = before == before
        for k in range(1, n):
            number = columns[j, order[j, k]]
            rising &= number > before
            before = number
        plain[j] = rising
        if rising:
            for k in range(n):
                out[j, order[j, k]] = values[k]


@njit(**COMPILED)
def fill_dense_ranks(columns, order, out):
    """Fill each row of `out` (d, n) with ranks from 0; equal numbers share a rank."""
    d, n = columns.shape
    for j in range(d):
        before = columns[j, order[j, 0]]
        rank = 0
        for k in range(n):
            number = columns[j, order[j, k]]
            rank += number != before
            before = number
            out[j, order[j, k]] = rank
