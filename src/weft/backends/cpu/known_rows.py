"""The nearest known row of each new row in a learned metric, for predictions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.backends.cpu.kernels.labelling import nearest_known
from weft.backends.cpu.kernels.neighbours import nearest_in_block
from weft.backends.cpu.spaces import BLOCK_ROWS, cross_blocks
from weft.backends.spaces import Solution
from weft.parallel.blas import one_blas_thread
from weft.parallel.threads import map_ranges

# Rows per tile: with a few thousand known rows, a tile stays in the second-level cache.
_TILE_ROWS = 256
_WIDEST = 1e6  # new rows this many times farther out than the known ones are computed in float64


class Nearest(NamedTuple):
    """Each row's nearest known row, and the powered distance to it."""

    indices: Integers
    powered: Floats


def nearest_rows_of(X: Floats, known: Floats, solution: Solution, *, n_threads: int = 1) -> Nearest:
    """Return the nearest of the `known` rows for each row of `X`, the first on a tie, in tiles."""
    n_rows = len(X)
    nearest = Nearest(np.empty(n_rows, dtype=np.int64), np.empty(n_rows))
    kept = np.flatnonzero(solution.weights > 0.0)
    if solution.exponents is not None or len(kept) == 0:
        _exact(X, known, solution, nearest, n_threads)
        return nearest
    weights = solution.weights[kept]
    middle = known[:, kept].mean(axis=0)
    known_rows = (known[:, kept] - middle) * weights
    reach = float(np.sqrt((known_rows * known_rows).sum(axis=1).max()))
    # A power of 2: scaling by it is exact.
    scale = 2.0 ** -np.ceil(np.log2(reach)) if 0.0 < reach < np.inf else 1.0
    known_rows *= scale
    reach *= scale
    squares = (known_rows * known_rows).sum(axis=1)
    right = np.column_stack([known_rows, squares]).astype(np.float32).T.copy()
    share = (len(kept) + 17) * 2.0**-23

    def task(start: int, stop: int) -> None:
        for number in range(start, stop):
            span = slice(number * _TILE_ROWS, (number + 1) * _TILE_ROWS)
            new_rows = (X[span][:, kept] - middle) * weights * scale
            length = np.sqrt((new_rows * new_rows).sum(axis=1))
            if not length.max() < _WIDEST:
                part = Nearest(nearest.indices[span], nearest.powered[span])
                _exact(X[span], known, solution, part, 1)
                continue
            left = np.empty((len(new_rows), len(kept) + 1), dtype=np.float32)
            left[:, :-1] = -2.0 * new_rows
            left[:, -1] = 1.0
            slack = share * (length + reach) ** 2
            nearest_known(
                left @ right,
                slack,
                new_rows,
                known_rows,
                nearest.indices[span],
                nearest.powered[span],
            )
            nearest.powered[span] /= scale * scale

    with one_blas_thread():
        map_ranges(task, -(-n_rows // _TILE_ROWS), n_threads)
    return nearest


def _exact(X: Floats, known: Floats, solution: Solution, nearest: Nearest, n_threads: int) -> None:
    """Fill `nearest` by differences in float64, for any exponents."""
    columns = np.ascontiguousarray(known.T)

    def task(start: int, stop: int) -> None:
        for number in range(start, stop):
            span = slice(number * BLOCK_ROWS, (number + 1) * BLOCK_ROWS)
            rows = np.ascontiguousarray(X[span].T)
            indices = nearest.indices[span][:, None]
            powered = nearest.powered[span][:, None]
            for first, block in cross_blocks(rows, columns, solution):
                nearest_in_block(block, first, False, indices, powered)

    map_ranges(task, -(-len(X) // BLOCK_ROWS), n_threads)
