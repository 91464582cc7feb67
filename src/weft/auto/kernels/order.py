"""Signatures of rows and columns: sums of scrambled 64-bit integers, exact in any order."""

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED


@njit(**COMPILED)
def scrambled(value):
    """Return a 64-bit number with its bits mixed (splitmix64)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@njit(**COMPILED)
def fill_scrambled(values, out):
    """Fill the scrambled numbers."""
    for i in range(len(values)):
        out[i] = scrambled(values[i])


@njit(**COMPILED)
def sum_over_columns(ranks, keys, columns, out):
    """Fill for each row the sum over the columns of scrambled pairs of a rank and a column.

    `keys` are the numbers of the ranks, `columns` those of the columns.
    """
    n, d = ranks.shape
    for i in range(n):
        total = np.uint64(0)
        for j in range(d):
            total += scrambled(keys[ranks[i, j]] ^ columns[j])
        out[i] = total


@njit(**COMPILED)
def sum_over_rows(ranks, keys, rows, out):
    """Fill for each column the sum over the rows of scrambled pairs of a rank and a row."""
    n, d = ranks.shape
    for j in range(d):
        out[j] = np.uint64(0)
    for i in range(n):
        for j in range(d):
            out[j] += scrambled(keys[ranks[i, j]] ^ rows[i])
