"""The distances that a solution defines, in blocks of rows.

Clusterers and criteria see only a `Space`, not the data: powered distances (the sum before the
root) and the root that turns them into distances. The space decides whether they are stored in a
matrix or computed again for each pass; the bits are the same.

Distances may be in float32. Then each has an error bound, and `kernels.neighbours` computes in
float64 everything that the bound leaves open. So no label depends on the precision.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats
from weft.backends.cpu.buffers import AnyFloats, Buffers
from weft.backends.cpu.kernels import distances as difference_kernels
from weft.backends.cpu.kernels import products as product_kernels
from weft.backends.cpu.kernels import swarm_powers as power_kernels
from weft.backends.spaces import Solution

# Rows per block if distances are not stored: one row of tiles.
BLOCK_ROWS = product_kernels.TILE


@dataclass(frozen=True)
class Table:
    """The unweighted data in the layouts that kernels need."""

    X: Floats  # (n, d)
    columns: Floats  # (d, n)
    centred: Floats  # (d, n), minus the columns' means: products lose fewer digits
    spread: Floats  # (d,), the largest absolute value of each centred column

    @classmethod
    def of(cls, X: Floats) -> Table:
        """Return the layouts of a table."""
        columns = np.ascontiguousarray(X.T)
        centred = columns - X.mean(axis=0)[:, np.newaxis]
        return cls(X, columns, centred, np.abs(centred).max(axis=1))

    @cached_property
    def halves(self) -> NDArray[np.float32]:
        """The centred columns as pairs of float32, where exponents differ between features."""
        return power_kernels.halves_of(self.centred)


class Rows(NamedTuple):
    """Weighted rows in tiles, for products; see `weft.backends.cpu.kernels.products`."""

    tiles: AnyFloats  # (T, m, TILE)
    norms: AnyFloats  # (T · TILE,)
    slack: AnyFloats  # (T · TILE,)
    columns: Floats  # (m, n)


class Powers(NamedTuple):
    """Input of powers in single precision; see `weft.backends.cpu.kernels.swarm_powers`."""

    halves: NDArray[np.float32]
    terms: power_kernels.Terms


class Doubt(NamedTuple):
    """Error bound of a powered distance: slack_i + slack_j + share · distance."""

    slack: AnyFloats  # (n,)
    share: float


@dataclass
class Space:
    """Distances between n rows under feature weights (eq. 5.1) and exponents (eq. 6.1)."""

    columns: Floats  # (m, n): weighted, dropped features left out
    exponents: Floats  # (m,), or (0,): 2 for all
    root: float
    doubt: Doubt
    buffers: Buffers
    # All numbers inside are `scale` times the true ones: a power of 2 that keeps squares in range.
    scale: float = 1.0
    rows: Rows | None = None  # if distances are computed by products
    powers: Powers | None = None  # if they are computed by powers in single precision
    tiles_ready: bool = False  # whether `tile_store` holds what `rows` give
    _matrix_ready: bool = False

    @classmethod
    def of(cls, table: Table, solution: Solution, buffers: Buffers) -> Space:
        """Build the space of `solution` over `table`."""
        kept = np.flatnonzero(solution.weights > 0.0)
        weights = solution.weights[kept]
        n_rows = len(table.X)
        if solution.exponents is None:
            scale = _scale_to_one(np.max(weights * table.spread[kept], initial=0.0))
            weights = weights * scale
            n_tiles = product_kernels.count_tiles(n_rows)
            width = n_tiles * product_kernels.TILE
            # In buffers: new memory pages for every particle would take a tenth of an evaluation.
            n_most = len(table.columns)
            tiles = (n_tiles, len(kept), product_kernels.TILE)
            rows = Rows(
                buffers.part("row tiles", tiles, n_most * width),
                buffers.get("row norms", (width,)),
                buffers.get("row slack", (width,)),
                buffers.part("rows", (len(kept), n_rows), n_most * n_rows, np.float64),
            )
            product_kernels.weighted_tiles(table.centred, table.columns, kept, weights, *rows)
            doubt = Doubt(rows.slack[:n_rows], 0.0)
            return cls(rows.columns, np.empty(0), 2.0, doubt, buffers, scale, rows)
        # Exponents differ between features, so there is no common scale to factor out.
        columns = table.columns[kept] * weights[:, np.newaxis]
        exponents = solution.exponents[kept]
        root = float(exponents.mean()) if len(kept) else 1.0
        powers = None
        slack, share = 0.0, difference_kernels.power_error(len(kept))
        if buffers.dtype == np.float32:
            terms = power_kernels.Terms.of(kept, weights, exponents)
            powers = Powers(table.halves, terms)
            slack, share = power_kernels.error_of(terms, weights * table.spread[kept])
        doubt = Doubt(np.full(n_rows, slack / 2.0, dtype=buffers.dtype), share)
        return cls(columns, exponents, root, doubt, buffers, powers=powers)

    @property
    def n_rows(self) -> int:
        return self.columns.shape[1]

    @property
    def exact(self) -> bool:
        """Whether the distances are given and exact, without columns to compute them from."""
        return False

    def blocks(self) -> Iterator[tuple[int, AnyFloats]]:
        """Yield (first row, powered distances of some rows to all rows)."""
        if self._matrix_ready or (self.buffers.hold_matrix and self.rows is None):
            yield 0, self.matrix()
            return
        buffer = self.buffers.get("block", (BLOCK_ROWS, self.n_rows))
        for start in range(0, self.n_rows, BLOCK_ROWS):
            stop = min(start + BLOCK_ROWS, self.n_rows)
            block = buffer[: stop - start]
            if self.rows is not None:
                product_kernels.product_block(*self.rows, start, block)
            elif self.powers is not None:
                power_kernels.powered_rows(
                    self.powers.halves, start, *self.powers.terms, block[np.newaxis]
                )
            else:
                difference_kernels.powered_block(
                    self.columns, start, stop, self.columns, self.exponents, block
                )
            yield start, block

    def tile_store(self) -> AnyFloats:
        """Return memory for the tiles of half the matrix, or for one if they are not stored."""
        n_tiles = product_kernels.count_tiles(self.n_rows)
        n_held = n_tiles * (n_tiles + 1) // 2 if self.buffers.hold_matrix else 1
        side = product_kernels.TILE
        return self.buffers.get("tiles", (n_held, side, side))

    def use_tiles(self, store: AnyFloats) -> None:
        """Use tiles of half the matrix that are already computed."""
        self.buffers.put("tiles", store)
        self.tiles_ready = self.buffers.hold_matrix

    def matrix(self) -> AnyFloats:
        """Return all powered distances (n, n), in a buffer that the next particle overwrites."""
        out = self.buffers.get("matrix", (self.n_rows, self.n_rows))
        if not self._matrix_ready:
            if self.rows is not None:
                product_kernels.product_matrix(*self.rows, out)
            elif self.powers is not None:
                power_kernels.powered_matrices(
                    self.powers.halves, *self.powers.terms, out[np.newaxis]
                )
            else:
                difference_kernels.powered_matrix(self.columns, self.exponents, out)
            self._matrix_ready = True
        return out

    @property
    def matrix_ready(self) -> bool:
        """Whether `matrix` is already computed."""
        return self._matrix_ready

    def exact_matrix(self, out: Floats) -> None:
        """Fill `out` (n, n) with all powered distances, feature by feature in float64."""
        difference_kernels.powered_matrix(self.columns, self.exponents, out)

    def forget_matrix(self) -> None:
        """Mark the matrix as overwritten."""
        self._matrix_ready = False

    def consume_matrix(self) -> AnyFloats:
        """Return the matrix to a caller that overwrites it; the next use computes it again."""
        out = self.matrix()
        self._matrix_ready = False
        return out

    def to_distances(self, powered: AnyFloats) -> Floats:
        """Return distances in float64 from powered distances, without the scale."""
        double = powered.astype(np.float64)
        if self.root == 2.0:
            return np.sqrt(double) / self.scale
        return double if self.root == 1.0 else double ** (1.0 / self.root)

    def to_powered(self, distance: float) -> float:
        """Convert a distance to a powered distance, for comparisons."""
        return float((distance * self.scale) ** self.root)


def with_matrices(spaces: list[Space], room: int) -> Iterator[Space]:
    """Yield spaces of one thread, with matrices computed together; each is valid until the next.

    At most `room` of them, and only for exponents in single precision, where the shared part is
    most of the work.
    """
    buffers, n_rows = spaces[0].buffers, spaces[0].n_rows
    powers = [space.powers for space in spaces if space.powers is not None]
    out = buffers.get("matrices", (room, n_rows, n_rows))[: len(spaces)]
    terms = power_kernels.Terms.joined([each.terms for each in powers])
    power_kernels.powered_matrices(powers[0].halves, *terms, out)
    for space, matrix in zip(spaces, out, strict=True):
        buffers.put("matrix", matrix)
        space._matrix_ready = True
        yield space


class MatrixSpace(Space):
    """Given distances."""

    def __init__(self, distances: Floats) -> None:
        self.distances = np.ascontiguousarray(distances, dtype=np.float64)
        n_rows = len(distances)
        buffers = Buffers(hold_matrix=True)
        doubt = Doubt(np.zeros(n_rows), 0.0)
        super().__init__(np.empty((0, n_rows)), np.empty(0), 1.0, doubt, buffers)

    @property
    def exact(self) -> bool:
        return True

    def matrix(self) -> AnyFloats:
        return self.distances

    def consume_matrix(self) -> AnyFloats:
        return self.distances.copy()


def _scale_to_one(largest: float) -> float:
    """Return the power of 2 that brings `largest` to about 1."""
    if not 0.0 < largest < np.inf:
        return 1.0
    return float(2.0 ** np.clip(-np.ceil(np.log2(largest)), -1000.0, 1000.0))


def cross_blocks(rows: Floats, columns: Floats, solution: Solution) -> Iterator[tuple[int, Floats]]:
    """Yield (first row, powered distances of some new rows to the known ones), in float64.

    `rows` (d, q) are new, `columns` (d, n) known, both unweighted.
    """
    kept = solution.weights > 0.0
    weights = solution.weights[kept, np.newaxis]
    left, right = rows[kept] * weights, columns[kept] * weights
    exponents = np.empty(0) if solution.exponents is None else solution.exponents[kept]
    n_new, n_known = left.shape[1], right.shape[1]
    for start in range(0, n_new, BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, n_new)
        block = np.empty((stop - start, n_known))
        difference_kernels.powered_block(left, start, stop, right, exponents, block)
        yield start, block
