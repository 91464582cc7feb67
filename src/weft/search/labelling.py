"""A sample of rows that represents all of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.kmeans.data import make_data, nearest
from weft.parallel.threads import map_ranges

_MAX_CELLS = 256
_ROWS_PER_CELL = 8  # of the sample, on average


def representative_rows(
    X: Floats, size: int, rng: np.random.Generator, *, n_threads: int = 1
) -> Integers:
    """Return `size` row numbers, in order, drawn by density.

    Each row belongs to the cell of the nearest of some random rows. Each cell contributes random
    rows in proportion to its size, at least one. So dense regions contribute many rows, and a small
    group far from the others is not missed, as it could be in a plain random sample.
    """
    n_rows = len(X)
    if size >= n_rows:
        return np.arange(n_rows)
    n_cells = max(1, min(_MAX_CELLS, size // _ROWS_PER_CELL))
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
    """Split `size` by `counts`: at least 1 for nonzero counts, the rest by largest remainders."""
    quota = np.minimum(counts, 1)
    rest = size - int(quota.sum())
    left = counts - quota
    exact = rest * left / max(1, int(left.sum()))
    quota = quota + np.floor(exact).astype(np.int64)
    short = size - int(quota.sum())
    quota[np.argsort(np.floor(exact) - exact, kind="stable")[:short]] += 1
    return quota
