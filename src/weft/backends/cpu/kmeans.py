"""Passes of the k-means family over rows in memory; where threads come in.

Every pass gives the same bits for any number of threads: a row's distance is computed by itself,
a Minkowski centre on one thread, and sums over rows in parts whose number depends on the data's
shape alone, added in their order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Integers, Labels
from weft.backends.cpu.kernels import centers as minkowski_centers
from weft.backends.cpu.kernels import kmeans as squared
from weft.backends.cpu.kernels import minkowski, powers
from weft.backends.cpu.kernels import screen as screening
from weft.parallel.threads import Runner

LEAST_ROWS = 2048  # a part with fewer rows is not worth a thread
MOST_PARTS = 64
NONE_OPEN: Integers = np.empty(0, dtype=np.int64)


class Screen(NamedTuple):
    """X in single precision, (x - middle) / half, each column within [-1, 1]."""

    scaled: NDArray[np.float32]
    middle: Floats
    half: Floats


@dataclass(frozen=True)
class Rows:
    """Rows ready for the passes below.

    Attributes
    ----------
    X : (n, M), NaN where a value is missing
    load : (n,), how much each row's distance counts
    screen : X in single precision and its scale, to find nearest centres faster; or None
    """

    X: Floats
    load: Floats
    exponent: float
    missing: bool
    run: Runner
    screen: Screen | None

    @property
    def plain(self) -> bool:
        """Whether distances are squared and every value is known: centres are then means."""
        return self.exponent == 2.0 and not self.missing

    @cached_property
    def columns(self) -> Floats:
        """X transposed, (M, n), for centres that are no means."""
        return np.ascontiguousarray(self.X.T)


def load(
    X: Floats, loads: Floats, exponent: float, missing: bool, run: Runner, device: str
) -> Rows:
    screened = exponent != 2.0 and not missing and exponent <= screening.LARGEST_EXPONENT
    screen = make_screen(X, run) if screened and len(X) else None
    return Rows(X, loads, exponent, missing, run, screen)


def take(rows: Rows, which: Integers, X: Floats) -> Rows:
    screen = rows.screen
    if screen is not None:
        screen = screen._replace(scaled=screen.scaled[which])
    return replace(rows, X=X, screen=screen)


def make_screen(X: Floats, run: Runner) -> Screen | None:
    """Scale X for `nearest`; None where its scale is out of the ordinary."""
    low, high = X.min(axis=0), X.max(axis=0)
    half = 0.5 * high - 0.5 * low
    if (half > 1e30).any() or (half < 1e-30)[half > 0.0].any():
        return None
    middle = low + half
    half = np.where(half > 0.0, half, 1.0)
    scaled = np.empty(X.shape, dtype=np.float32)

    def task(start: int, stop: int) -> None:
        scaled[start:stop] = (X[start:stop] - middle) / half

    run(task, len(X))
    return Screen(scaled, middle, half)


def distances(rows: Rows, centers: Floats, factors: Floats) -> Floats:
    out = np.empty((len(rows.X), len(centers)))

    def task(start: int, stop: int) -> None:
        minkowski.powered_distances(
            rows.X[start:stop], centers, factors, rows.exponent, out[start:stop]
        )

    rows.run(task, len(out))
    return out


def nearest(rows: Rows, centers: Floats, factors: Floats) -> tuple[Labels, Integers]:
    labels = np.empty(len(rows.X), dtype=np.int32)
    if rows.screen is not None and _screened(rows, rows.screen, centers, factors, labels):
        return labels, NONE_OPEN
    best = np.empty(len(rows.X))

    def task(start: int, stop: int) -> None:
        part, out, cost = rows.X[start:stop], labels[start:stop], best[start:stop]
        if rows.plain:
            squared.nearest_squared(part, centers, factors, out, cost)
        else:
            minkowski.nearest_centers(part, centers, factors, rows.exponent, out, cost)

    rows.run(task, len(labels))
    return labels, NONE_OPEN


def settle(X: Floats, centers: Floats, factors: Floats, exponent: float) -> Labels:
    labels = np.empty(len(X), dtype=np.int32)
    minkowski.nearest_centers(X, centers, factors, exponent, labels, np.empty(len(X)))
    return labels


def _screened(rows: Rows, screen: Screen, centers: Floats, factors: Floats, out: Labels) -> bool:
    """Fill `out` with nearest centres by way of the screen; say whether the centres allow it."""
    scaled, middle, half = screen
    thin_centers = ((centers - middle) / half).astype(np.float32)
    with np.errstate(over="ignore"):
        wide = factors * half**rows.exponent
    largest = wide.max()
    if np.abs(thin_centers).max() > 4.0 or not 0.0 < largest < np.inf:
        return False
    thin_factors = (wide / largest).astype(np.float32)

    def task(start: int, stop: int) -> None:
        screening.nearest_screened(
            *(rows.X[start:stop], scaled[start:stop], centers, factors, rows.exponent),
            *(thin_centers, thin_factors, out[start:stop]),
        )

    rows.run(task, len(out))
    return True


def own_distances(rows: Rows, labels: Labels, centers: Floats, factors: Floats) -> Floats:
    out = np.empty(len(rows.X))

    def task(start: int, stop: int) -> None:
        span = slice(start, stop)
        minkowski.own_distances(
            rows.X[span], labels[span], centers, factors, rows.exponent, out[span]
        )

    rows.run(task, len(out))
    return out


def centers_of(rows: Rows, labels: Labels, previous: Floats) -> tuple[Floats, Floats]:
    if rows.plain:
        return _means_of(rows, labels, previous)
    order = np.empty(len(labels), dtype=np.int64)
    starts = np.empty(len(previous) + 1, dtype=np.int64)
    squared.group_rows(labels, order, starts)
    return _column_centers(rows, order, starts, previous)


def center_of(rows: Rows, which: Integers, guess: Floats) -> tuple[Floats, Floats]:
    if rows.plain:
        part = replace(rows, X=rows.X[which], load=rows.load[which])
        centers, spread = _means_of(part, np.zeros(len(which), dtype=np.int32), guess[None])
    else:
        starts = np.array([0, len(which)])
        centers, spread = _column_centers(rows, which, starts, guess[None])
    return centers[0], spread[0]


def _column_centers(
    rows: Rows, order: Integers, starts: Integers, previous: Floats
) -> tuple[Floats, Floats]:
    centers = previous.copy()
    spread = np.empty_like(centers)
    load = rows.load[order]
    columns = rows.columns

    def task(start: int, stop: int) -> None:
        minkowski_centers.column_centers(
            columns, order, starts, load, rows.exponent, start, stop, centers, spread
        )

    rows.run(task, centers.shape[1])
    spread[starts[:-1] == starts[1:]] = 0.0
    return centers, spread


def _means_of(rows: Rows, labels: Labels, previous: Floats) -> tuple[Floats, Floats]:
    """`centers_of` for squared distances without missing values: means and variances."""
    n_clusters, n_features = previous.shape
    height = max(LEAST_ROWS, -(-len(labels) // MOST_PARTS))
    n_parts = -(-len(labels) // height)
    parts = np.empty((n_parts, n_clusters, n_features))

    def sums(start: int, stop: int) -> None:
        for part in range(start, stop):
            span = slice(part * height, (part + 1) * height)
            squared.cluster_sums(rows.X[span], labels[span], rows.load[span], parts[part])

    rows.run(sums, n_parts)
    weight = np.bincount(labels, weights=rows.load, minlength=n_clusters)
    filled = weight > 0.0
    centers = previous.copy()
    centers[filled] = parts.sum(axis=0)[filled] / weight[filled, None]

    def spreads(start: int, stop: int) -> None:
        for part in range(start, stop):
            span = slice(part * height, (part + 1) * height)
            squared.cluster_dispersions(
                rows.X[span], labels[span], rows.load[span], centers, parts[part]
            )

    rows.run(spreads, n_parts)
    return centers, parts.sum(axis=0)


def power_sums(
    rows: Rows, labels: Labels, centers: Floats, units: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    seen, total, slope, curve = (np.empty_like(centers) for _ in range(4))
    powers.cluster_powers(
        *(rows.X, labels, rows.load, centers, units, rows.exponent),
        *(seen, total, slope, curve),
    )
    return seen, total, slope, curve


def row_keys(X: Floats, multipliers: Floats) -> Floats:
    keys = np.empty(len(X))
    squared.row_keys(X, multipliers, keys)
    return keys
