"""Many rows from few: a sample that stands for all of them, and their nearest known rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.backends.cpu.kernels.labelling import nearest_known
from weft.backends.cpu.kernels.neighbours import nearest_in_block
from weft.backends.cpu.spaces import BLOCK_ROWS, cross_blocks
from weft.backends.spaces import Solution
from weft.kmeans.data import make_data, nearest
from weft.parallel.blas import one_blas_thread
from weft.parallel.threads import map_ranges

# Rows per tile: with a few thousand known rows, a tile stays in the second-level cache.
_TILE_ROWS = 256
_MOST_CELLS = 256
_ROWS_PER_CELL = 8  # of the sample, on average
_WIDEST = 1e6  # new rows so many times farther out than the known ones are done in float64


class Nearest(NamedTuple):
    """Each row's nearest known row, and the powered distance to it."""

    indices: Integers
    powered: Floats


def representative_rows(
    X: Floats, size: int, rng: np.random.Generator, *, n_threads: int = 1
) -> Integers:
    """Return `size` row numbers, in order, drawn by density.

    Random rows cut the table into cells, each row going to the nearest. A cell gives as many rows
    as its share of all, at least one, drawn at random: dense regions give many, and a small group
    far from the others is not lost, as it is to plain luck.
    """
    n_rows = len(X)
    if size >= n_rows:
        return np.arange(n_rows)
    n_cells = max(1, min(_MOST_CELLS, size // _ROWS_PER_CELL))
    centers = np.ascontiguousarray(X[np.sort(rng.choice(n_rows, n_cells, replace=False))])

    def run(task: Callable[[int, int], None], total: int) -> None:
        map_ranges(task, total, n_threads)

    data = make_data(X, np.ones(1), 2.0, run)
    cells = nearest(data, centers, np.ones_like(centers))
    counts = np.bincount(cells, minlength=n_cells)
    quota = _shares(counts, size)
    order = np.lexsort((rng.random(n_rows), cells))
    first = np.cumsum(counts) - counts
    chosen = [order[a : a + n] for a, n in zip(first, quota, strict=True)]
    return np.sort(np.concatenate(chosen))


def _shares(counts: Integers, size: int) -> Integers:
    """Split `size` by `counts`: at least 1 where there is any, the rest by largest remainders."""
    quota = np.minimum(counts, 1)
    rest = size - int(quota.sum())
    left = counts - quota
    exact = rest * left / max(1, int(left.sum()))
    quota = quota + np.floor(exact).astype(np.int64)
    short = size - int(quota.sum())
    quota[np.argsort(np.floor(exact) - exact, kind="stable")[:short]] += 1
    return quota


def nearest_rows_of(X: Floats, known: Floats, solution: Solution, *, n_threads: int = 1) -> Nearest:
    """Return the nearest of the `known` rows for each row of `X`, the first on a tie, in tiles."""
    n_rows = len(X)
    found = Nearest(np.empty(n_rows, dtype=np.int64), np.empty(n_rows))
    kept = np.flatnonzero(solution.weights > 0.0)
    if solution.exponents is not None or len(kept) == 0:
        _exact(X, known, solution, found, n_threads)
        return found
    weights = solution.weights[kept]
    middle = known[:, kept].mean(axis=0)
    there = (known[:, kept] - middle) * weights
    reach = float(np.sqrt((there * there).sum(axis=1).max()))
    # A power of 2: scaling by it is exact.
    scale = 2.0 ** -np.ceil(np.log2(reach)) if 0.0 < reach < np.inf else 1.0
    there *= scale
    reach *= scale
    squares = (there * there).sum(axis=1)
    right = np.column_stack([there, squares]).astype(np.float32).T.copy()
    share = (len(kept) + 17) * 2.0**-23

    def task(start: int, stop: int) -> None:
        for number in range(start, stop):
            span = slice(number * _TILE_ROWS, (number + 1) * _TILE_ROWS)
            here = (X[span][:, kept] - middle) * weights * scale
            length = np.sqrt((here * here).sum(axis=1))
            if not length.max() < _WIDEST:
                part = Nearest(found.indices[span], found.powered[span])
                _exact(X[span], known, solution, part, 1)
                continue
            left = np.empty((len(here), len(kept) + 1), dtype=np.float32)
            left[:, :-1] = -2.0 * here
            left[:, -1] = 1.0
            slack = share * (length + reach) ** 2
            nearest_known(
                left @ right, slack, here, there, found.indices[span], found.powered[span]
            )
            found.powered[span] /= scale * scale

    with one_blas_thread():
        map_ranges(task, -(-n_rows // _TILE_ROWS), n_threads)
    return found


def _exact(X: Floats, known: Floats, solution: Solution, found: Nearest, n_threads: int) -> None:
    """Fill `found` by differences in float64, whatever the exponents."""
    columns = np.ascontiguousarray(known.T)

    def task(start: int, stop: int) -> None:
        for number in range(start, stop):
            span = slice(number * BLOCK_ROWS, (number + 1) * BLOCK_ROWS)
            rows = np.ascontiguousarray(X[span].T)
            indices = found.indices[span][:, None]
            powered = found.powered[span][:, None]
            for first, block in cross_blocks(rows, columns, solution):
                nearest_in_block(block, first, False, indices, powered)

    map_ranges(task, -(-len(X) // BLOCK_ROWS), n_threads)
