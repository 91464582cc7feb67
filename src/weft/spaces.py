"""The distances that a solution defines, handed out in blocks of rows.

A `Space` is all that clusterers and criteria see of the data: powered distances and the root that
turns them into distances. Whether they come from a matrix held in memory or are made again for
each pass is the space's own affair; the bits are the same, because each pair is summed over the
features in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.kernels.cpu import distances as kernels

Floats = NDArray[np.float64]

# Rows per block when distances are made on the fly: small enough that a block of 20,000 columns
# (20 MB) is no burden, large enough that the call does not count.
BLOCK_ROWS = 128


class Solution(NamedTuple):
    """What a particle says about the features."""

    weights: Floats  # (d,), >= 0; a feature with weight 0 is dropped
    exponents: Floats | None = None  # (d,), or None: 2 for all


class Buffers:
    """Working memory of one thread, allocated once and used for every particle."""

    def __init__(self, n_rows: int, *, hold_matrix: bool) -> None:
        self.n_rows = n_rows
        self.hold_matrix = hold_matrix
        self._arrays: dict[tuple[str, tuple[int, ...]], Floats] = {}

    def get(self, name: str, shape: tuple[int, ...]) -> Floats:
        """Return the array of that name and shape; what it holds is left from before."""
        key = (name, shape)
        if key not in self._arrays:
            self._arrays[key] = np.empty(shape)
        return self._arrays[key]


@dataclass
class Space:
    """Distances between n rows under feature weights (eq. 5.1) and exponents (eq. 6.1)."""

    columns: Floats  # (m, n): weighted, dropped features left out
    exponents: Floats | None  # (m,)
    root: float
    buffers: Buffers
    _matrix_ready: bool = field(default=False, repr=False)

    @classmethod
    def of(cls, columns: Floats, solution: Solution, buffers: Buffers) -> Space:
        """Build the space of `solution` over unweighted `columns` (d, n)."""
        kept = solution.weights > 0.0
        weighted = columns[kept] * solution.weights[kept, np.newaxis]
        if solution.exponents is None:
            return cls(weighted, None, 2.0, buffers)
        exponents = solution.exponents[kept]
        root = float(exponents.mean()) if kept.any() else 1.0
        return cls(weighted, exponents, root, buffers)

    @property
    def n_rows(self) -> int:
        return self.columns.shape[1]

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        """Yield (first row, powered distances of some rows to all rows)."""
        if self.buffers.hold_matrix:
            yield 0, self.matrix()
            return
        buffer = self.buffers.get("block", (BLOCK_ROWS, self.n_rows))
        for start in range(0, self.n_rows, BLOCK_ROWS):
            stop = min(start + BLOCK_ROWS, self.n_rows)
            block = buffer[: stop - start]
            _fill_block(self.columns, start, stop, self.columns, self.exponents, block)
            yield start, block

    def matrix(self) -> Floats:
        """Return all powered distances (n, n), in a buffer that the next particle overwrites."""
        out = self.buffers.get("matrix", (self.n_rows, self.n_rows))
        if not self._matrix_ready:
            if self.exponents is None:
                kernels.squared_matrix(self.columns, out)
            else:
                kernels.powered_matrix(self.columns, self.exponents, out)
            self._matrix_ready = True
        return out

    def consume_matrix(self) -> Floats:
        """Return the matrix to a caller that will spoil it; the next use makes it anew."""
        out = self.matrix()
        self._matrix_ready = False
        return out

    def to_distances(self, powered: Floats) -> Floats:
        """Take the root: distances from powered distances."""
        if self.root == 1.0:
            return powered
        return np.sqrt(powered) if self.root == 2.0 else powered ** (1.0 / self.root)

    def to_powered(self, distance: float) -> float:
        """Turn a distance into the powered distance that it compares with."""
        return float(distance**self.root)


class MatrixSpace(Space):
    """Distances that somebody else has computed."""

    def __init__(self, distances: Floats) -> None:
        self.distances = np.ascontiguousarray(distances, dtype=np.float64)
        buffers = Buffers(len(distances), hold_matrix=True)
        super().__init__(np.empty((0, len(distances))), None, 1.0, buffers)

    def matrix(self) -> Floats:
        return self.distances

    def consume_matrix(self) -> Floats:
        return self.distances.copy()


def cross_blocks(rows: Floats, columns: Floats, solution: Solution) -> Iterator[tuple[int, Floats]]:
    """Yield (first row, powered distances of some new rows to the known ones).

    `rows` (d, q) are new, `columns` (d, n) known, both unweighted.
    """
    kept = solution.weights > 0.0
    weights = solution.weights[kept, np.newaxis]
    left, right = rows[kept] * weights, columns[kept] * weights
    exponents = None if solution.exponents is None else solution.exponents[kept]
    n_new, n_known = left.shape[1], right.shape[1]
    for start in range(0, n_new, BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, n_new)
        block = np.empty((stop - start, n_known))
        _fill_block(left, start, stop, right, exponents, block)
        yield start, block


def _fill_block(
    left: Floats, start: int, stop: int, right: Floats, exponents: Floats | None, out: Floats
) -> None:
    if exponents is None:
        kernels.squared_block(left, start, stop, right, out)
    else:
        kernels.powered_block(left, start, stop, right, exponents, out)
