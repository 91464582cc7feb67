"""Passes of the k-means family over rows in memory, on threads.

Every pass gives the same bits for any number of threads: each row's distance is computed
separately, each Minkowski centre on one thread. Sums over rows are computed in parts, whose number
depends only on the shape of the data, and added in their order.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Integers, Labels
from weft.backends.cpu.expanded import MOST_PARTS, PART_ROWS
from weft.backends.cpu.kernels import centers as minkowski_centers
from weft.backends.cpu.kernels import kmeans as squared
from weft.backends.cpu.kernels import minkowski
from weft.backends.cpu.kernels.screen import LARGEST_EXPONENT
from weft.backends.cpu.rounds import LEAST_ROWS, NONE_OPEN, BoundedRounds
from weft.backends.cpu.screened import Bounds, Screen, make_screen, nearest_by_screen
from weft.backends.rounds import PlainRounds, Rounds
from weft.parallel.threads import Runner


@dataclass(frozen=True)
class Rows:
    """Rows ready for the passes below.

    Attributes
    ----------
    X : (n, M), NaN where a value is missing
    load : (n,), how much each row's distance counts
    """

    X: Floats
    load: Floats
    exponent: float
    missing: bool
    run: Runner

    @property
    def plain(self) -> bool:
        """Whether distances are squared and every value is known: centres are then means."""
        return self.exponent == 2.0 and not self.missing

    @cached_property
    def screen(self) -> Screen | None:
        """X in single precision, to find nearest centres faster; None if that is not possible."""
        if self.missing or self.exponent > LARGEST_EXPONENT or not len(self.X):
            return None
        return make_screen(self.X, self.run)

    @cached_property
    def columns(self) -> Floats:
        """X transposed, (M, n), for centres other than means."""
        return np.ascontiguousarray(self.X.T)


def load(
    X: Floats, loads: Floats, exponent: float, missing: bool, run: Runner, device: str
) -> Rows:
    return Rows(X, loads, exponent, missing, run)


def take(rows: Rows, which: Integers, X: Floats) -> Rows:
    return replace(rows, X=X)


def begin(rows: Rows) -> Rounds:
    plain = PlainRounds(sys.modules[__name__], rows)
    if rows.missing or len(rows.X) < LEAST_ROWS:
        return plain
    return BoundedRounds(rows, plain, _column_centers)


def distances(rows: Rows, centers: Floats, factors: Floats) -> Floats:
    out = np.empty((len(rows.X), len(centers)))

    def task(start: int, stop: int) -> None:
        minkowski.powered_distances(
            rows.X[start:stop], centers, factors, rows.exponent, out[start:stop]
        )

    rows.run(task, len(out))
    return out


def nearest(rows: Rows, centers: Floats, factors: Floats) -> tuple[Labels, Integers]:
    n_rows = len(rows.X)
    if rows.exponent != 2.0 and rows.screen is not None:
        bounds = Bounds.empty(n_rows)
        arguments = (rows.X, rows.screen, centers, factors, rows.exponent, rows.run)
        if nearest_by_screen(*arguments, np.ones(n_rows, dtype=np.uint8), bounds):
            return bounds.labels, NONE_OPEN
    labels, best = np.empty(n_rows, dtype=np.int32), np.empty(n_rows)

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
    return _column_centers(rows, order, starts, previous, np.ones(previous.shape, dtype=bool))


def center_of(rows: Rows, which: Integers, guess: Floats) -> tuple[Floats, Floats]:
    if rows.plain:
        part = replace(rows, X=rows.X[which], load=rows.load[which])
        centers, spread = _means_of(part, np.zeros(len(which), dtype=np.int32), guess[None])
    else:
        starts = np.array([0, len(which)])
        wanted = np.ones((1, len(guess)), dtype=bool)
        centers, spread = _column_centers(rows, which, starts, guess[None], wanted)
    return centers[0], spread[0]


def _column_centers(
    rows: Rows,
    order: Integers,
    starts: Integers,
    previous: Floats,
    wanted: NDArray[np.bool_],
) -> tuple[Floats, Floats]:
    """Compute the `wanted` centres (K, M); the others stay, with a dispersion of 0."""
    centers = previous.copy()
    spread = np.zeros_like(centers)
    load = rows.load[order]
    columns = rows.columns

    def task(start: int, stop: int) -> None:
        minkowski_centers.column_centers(
            columns, order, starts, load, rows.exponent, wanted, start, stop, centers, spread
        )

    rows.run(task, centers.shape[1])
    spread[starts[:-1] == starts[1:]] = 0.0
    return centers, spread


def _means_of(rows: Rows, labels: Labels, previous: Floats) -> tuple[Floats, Floats]:
    """`centers_of` for squared distances without missing values: means and variances."""
    n_clusters, n_features = previous.shape
    height = max(PART_ROWS, -(-len(labels) // MOST_PARTS))
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
    minkowski.cluster_powers(
        *(rows.X, labels, rows.load, centers, units, rows.exponent),
        *(seen, total, slope, curve),
    )
    return seen, total, slope, curve


def row_keys(X: Floats, multipliers: Floats) -> Floats:
    keys = np.empty(len(X))
    squared.row_keys(X, multipliers, keys)
    return keys
