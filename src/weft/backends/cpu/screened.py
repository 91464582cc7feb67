"""Nearest centres with a table in single precision: see `kernels.screen` for the notation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Labels, Singles
from weft.backends.cpu.kernels import screen as kernels
from weft.backends.cpu.kernels.kmeans import BLOCK
from weft.parallel.threads import Runner

_STRIPE = 4096  # rows whose minima and maxima are computed at once


class Screen(NamedTuple):
    """A table in single precision, and how its columns are scaled."""

    tiles: Singles
    middle: Floats
    half: Floats


class Bounds(NamedTuple):
    """Each row's nearest centre, and bounds of the roots of its distances, (n,) each."""

    labels: Labels
    upper: Floats
    lower: Floats

    @classmethod
    def empty(cls, n_rows: int) -> Bounds:
        return cls(np.empty(n_rows, dtype=np.int32), np.empty(n_rows), np.empty(n_rows))


def column_ends(X: Floats, run: Runner) -> tuple[Floats, Floats]:
    """Return the least and the largest value of each column, (M,) each."""
    n_stripes = -(-len(X) // _STRIPE)
    low, high = np.empty((2, n_stripes, X.shape[1]))

    def task(start: int, stop: int) -> None:
        for stripe in range(start, stop):
            rows = X[stripe * _STRIPE : (stripe + 1) * _STRIPE]
            rows.min(axis=0, out=low[stripe])
            rows.max(axis=0, out=high[stripe])

    run(task, n_stripes)
    return low.min(axis=0), high.max(axis=0)


def make_screen(X: Floats, run: Runner) -> Screen | None:
    """Scale X, which has no missing values; None if its scale is too large or too small."""
    low, high = column_ends(X, run)
    half = 0.5 * high - 0.5 * low
    if (half > 1e30).any() or (half < 1e-30)[half > 0.0].any():
        return None
    middle = low + half
    half = np.where(half > 0.0, half, 1.0)
    tiles = np.empty((-(-len(X) // BLOCK), X.shape[1], BLOCK), dtype=np.float32)

    def task(start: int, stop: int) -> None:
        kernels.fill_tiles(X[start * BLOCK : stop * BLOCK], middle, half, tiles[start:stop])

    run(task, len(tiles))
    return Screen(tiles, middle, half)


def nearest_by_screen(
    X: Floats,
    screen: Screen,
    centers: Floats,
    factors: Floats,
    exponent: float,
    run: Runner,
    todo: NDArray[np.uint8],
    out: Bounds,
) -> bool:
    """Fill `out` for the rows in `todo`; return whether the centres allow it."""
    tiles, middle, half = screen
    thin_centers = (centers - middle) / half
    with np.errstate(over="ignore"):
        wide = factors * half**exponent
    largest = wide.max()
    if np.abs(thin_centers).max() > 4.0 or not 0.0 < largest < np.inf:
        return False
    thin_factors = wide / largest
    if exponent == 2.0:
        thin_factors = np.sqrt(thin_factors)
        thin_centers = -thin_factors * thin_centers
    thin = thin_centers.astype(np.float32), thin_factors.astype(np.float32)
    unit = float(largest) ** (1.0 / exponent)

    def task(start: int, stop: int) -> None:
        rows = slice(start * BLOCK, stop * BLOCK)
        kernels.nearest_screened(
            *(X[rows], tiles[start:stop], middle, half, centers, factors, exponent),
            *(*thin, unit, todo[rows], out.labels[rows], out.upper[rows], out.lower[rows]),
        )

    run(task, len(tiles))
    return True
