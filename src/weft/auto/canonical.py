"""An order of rows and columns that follows from the values alone.

Tables that differ only in the order of their rows or columns are put into one order before
anything is computed, so that they get the same answer, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Integers
from weft.auto.ordering import canonical_order, mixed

# Larger tables are ordered by the bits of their values: sorting every column would take longer
# than the search. Ranks, which smaller tables are ordered by, do not change with a column's unit.
MAX_RANKED = 4_000_000
CHUNK_ROWS = 8192


class Canonical(NamedTuple):
    """The table in its own order, and the given row and column at each position."""

    table: Floats
    rows: Integers
    columns: Integers

    def scales(self) -> Floats:
        """Return the columns' standard deviations; 1 where a column is constant."""
        deviation = self.table.std(axis=0)
        # Rounding leaves a constant column a tiny deviation, which must not be blown up.
        varies = np.ptp(self.table, axis=0) > 0.0
        varies &= deviation > 1e-12 * np.abs(self.table).max(axis=0)
        return np.where(varies, deviation, 1.0)

    def standardised(self) -> Floats:
        """Return the table in units of its columns' deviations, constant columns as 0."""
        scales = self.scales()
        varies = np.ptp(self.table, axis=0) > 1e-12 * np.abs(self.table).max(axis=0)
        return np.where(varies, (self.table - self.table.mean(axis=0)) / scales, 0.0)


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
