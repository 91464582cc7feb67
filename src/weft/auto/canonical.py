"""An order of rows and columns that follows from the values alone.

Tables that differ only in the order of their rows or columns are put into one order before
anything is computed, so that they get the same answer, bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Integers
from weft.auto.kernels.order import fill_scrambled, sum_over_columns, sum_over_rows
from weft.backends.cpu.ranks import dense_ranks

# Larger tables are ordered by the bits of their values: sorting every column would take longer
# than the search. Ranks, which smaller tables are ordered by, do not change with a column's unit.
MAX_RANKED = 4_000_000
CHUNK_ROWS = 8192
RANKED_TOGETHER = 500  # columns: they stay in a processor's cache
MAX_TIES = 64  # columns with the same role that are put into an order
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
Signatures = NDArray[np.uint64]


def mixed(values: Signatures) -> Signatures:
    """Scramble 64-bit numbers, so that their sums are signatures."""
    out = np.empty(values.shape, dtype=np.uint64)
    fill_scrambled(values.ravel(), out.ravel())
    return out


class Ranked(NamedTuple):
    """Each column in order."""

    ranks: NDArray[np.int32]  # (n, d) from 0; equal values share a rank
    quartiles: Floats  # (3, d) of the values, with 0 the smallest and 1 the largest


def rank_columns(X: Floats) -> Ranked:
    """Rank the values within each column.

    The fastest sort is used; that it is not stable does not matter here.
    """
    n, d = X.shape
    ranks = np.empty((n, d), dtype=np.int32)
    quartiles = np.empty((3, d))
    for first in range(0, d, RANKED_TOGETHER):
        part = slice(first, first + RANKED_TOGETHER)
        columns = np.ascontiguousarray(X[:, part].T)
        order = np.argsort(columns, axis=1)
        ranks[:, part] = dense_ranks(columns, order).T
        quartiles[:, part] = _quartiles(columns, order)
    return Ranked(ranks, quartiles)


def _quartiles(columns: Floats, order: Integers) -> Floats:
    """Return the quartiles (3, d) of columns (d, n), with 0 the smallest and 1 the largest.

    They are those of `np.quantile`, which would sort once more: `order` sorts each column.
    """

    def at(place: int) -> Floats:
        return columns[np.arange(len(columns)), order[:, place]]

    low = at(0)
    span = np.maximum(at(-1) - low, np.finfo(float).tiny)
    found = []
    for share in (0.25, 0.5, 0.75):
        place = share * (columns.shape[1] - 1)
        below, above = ((at(each) - low) / span for each in (int(place), math.ceil(place)))
        part = place - int(place)
        near = below + (above - below) * part
        far = above - (above - below) * (1.0 - part)
        found.append(far if part >= 0.5 else near)
    return np.stack(found)


def _refined(
    ranks: NDArray[np.int32], keys: Signatures, rows: Signatures, columns: Signatures
) -> tuple[Signatures, Signatures]:
    """Signatures of rows and columns, refined from each other in three rounds."""
    for _ in range(3):
        sums = np.empty_like(rows)
        sum_over_columns(ranks, keys, columns, sums)
        rows = mixed(sums + rows)
        totals = np.empty_like(columns)
        sum_over_rows(ranks, keys, rows, totals)
        columns = mixed(totals + columns)
    return rows, columns


def canonical_order(X: Floats) -> tuple[Integers, Integers]:
    """Orders of rows and of columns that follow from the values, not from the given order.

    Signatures of columns and rows are refined in turn from each other. They are sums of 64-bit
    integers, which are exact in any order. They are made of ranks, so that rounding errors that
    depend on the order of rows (as in standardising) do not change them. Columns with the same role
    (as in a full factorial design) are put into an order one after the other.

    Returns
    -------
    rows, columns : the given row and column at each canonical position
    """
    n, d = X.shape
    ranks, quartiles = rank_columns(X)
    coarse = np.round(quartiles * 1e5).astype(np.uint64)
    columns = mixed(coarse[0] + mixed(coarse[1] + mixed(coarse[2])))
    keys = mixed(np.arange(n, dtype=np.uint64) + GOLDEN)  # one for each rank
    rows, columns = _refined(ranks, keys, np.zeros(n, dtype=np.uint64), columns)
    for _ in range(min(d, MAX_TIES)):
        by_signature = np.argsort(columns, kind="stable")
        ordered = columns[by_signature]
        tied = np.flatnonzero(ordered[1:] == ordered[:-1])
        if tied.size == 0:
            break
        columns[by_signature[tied[0]]] ^= GOLDEN
        rows, columns = _refined(ranks, keys, rows, columns)
    column_order = np.argsort(columns, kind="stable")
    # Rows follow the values of the first column: neighbours in memory are then nearer.
    row_order = np.lexsort((rows, ranks[:, column_order[0]]))
    if (rows[row_order[1:]] == rows[row_order[:-1]]).any():
        row_order = np.lexsort(ranks[:, column_order[::-1]].T)
    return row_order, column_order


class Canonical(NamedTuple):
    """The table in its own order, and the given row and column at each position."""

    table: Floats
    rows: Integers
    columns: Integers

    def scales(self) -> Floats:
        """Return the columns' standard deviations; 1 where a column is constant."""
        deviation = self.table.std(axis=0)
        # Rounding gives a constant column a tiny deviation, by which it must not be divided.
        low, high = self.table.min(axis=0), self.table.max(axis=0)
        varies = (high > low) & (deviation > 1e-12 * np.maximum(-low, high))
        return np.where(varies, deviation, 1.0)

    def standardised(self, scales: Floats | None = None) -> Floats:
        """Return the table in units of its columns' deviations, constant columns as 0.

        `scales` are the deviations if they are known already.
        """
        low, high = self.table.min(axis=0), self.table.max(axis=0)
        table = self.table - self.table.mean(axis=0)
        table /= self.scales() if scales is None else scales
        table[:, ~(high - low > 1e-12 * np.maximum(-low, high))] = 0.0
        return table


def to_canonical(X: Floats) -> Canonical:
    """Return the table with rows and columns in the order of their values."""
    X = X + 0.0  # -0.0 and 0.0 are one value
    rows, columns = canonical_order(X) if X.size <= MAX_RANKED else order_by_bits(X)
    return Canonical(np.ascontiguousarray(X[np.ix_(rows, columns)]), rows, columns)


def order_by_bits(X: Floats) -> tuple[Integers, Integers]:
    """Return orders of rows and columns by signatures of their values' bits.

    Signatures are sums of 64-bit integers, which do not depend on the order of addition.
    """
    columns = np.zeros(X.shape[1], dtype=np.uint64)
    for bits in _chunks(X):
        columns += mixed(bits).sum(axis=0)
    columns = mixed(columns)
    rows = np.concatenate([mixed(bits ^ columns).sum(axis=1) for bits in _chunks(X)])
    return np.argsort(rows, kind="stable"), np.argsort(columns, kind="stable")


def _chunks(X: Floats) -> Iterator[NDArray[np.uint64]]:
    for first in range(0, len(X), CHUNK_ROWS):
        # -0.0 and 0.0 are one value.
        yield np.ascontiguousarray(X[first : first + CHUNK_ROWS] + 0.0).view(np.uint64)
