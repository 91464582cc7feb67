"""Rounds that remember: bounds of distances, and sums that only rows that moved change.

Labels are those of exact distances, whatever the bounds spare. Sums are taken around the centres
of an earlier round; they are computed again before rounding errors add up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Labels
from weft.backends.cpu.kernels import bounds as kernels
from weft.backends.cpu.kernels import kmeans as squared
from weft.backends.cpu.screened import Bounds, nearest_by_screen
from weft.backends.rounds import Rounds

if TYPE_CHECKING:
    from weft.backends.cpu.kmeans import Rows

LEAST_ROWS = 4096  # a smaller table is done before a bound is updated
PART_ROWS = 2048  # a part with fewer rows is not worth a thread
MOST_PARTS = 64
MOST_NUMBERS = 2**23  # in the sums of all parts
CANCELLED = 1e-3  # share of a sum of squares below which a dispersion is taken again
ColumnCenters = Callable[["Rows", Integers, Integers, Floats], tuple[Floats, Floats]]
NONE_OPEN: Integers = np.empty(0, dtype=np.int64)


class Metric(NamedTuple):
    """What the last assignment went by."""

    centers: Floats
    factors: Floats


@dataclass
class Sums:
    """Σ m d and Σ m d² of each cluster around `origin`, for `labels`; `moved` rows since."""

    labels: Labels
    origin: Floats
    first: Floats
    second: Floats
    moved: int = 0


class BoundedRounds:
    """Rounds over a table without missing values."""

    def __init__(self, rows: Rows, plain: Rounds, column_centers: ColumnCenters) -> None:
        self.rows = rows
        self.plain = plain
        self.column_centers = column_centers
        self.bounds = Bounds.empty(len(rows.X))
        self.todo = np.empty(len(rows.X), dtype=np.uint8)
        self.last: Metric | None = None
        self.sums: Sums | None = None
        self.found: tuple[Labels, Floats, Floats] | None = None

    def nearest(self, centers: Floats, factors: Floats) -> tuple[Labels, Integers]:
        rows, screen = self.rows, self.rows.screen
        if self.last is None:
            self.todo[:] = 1
        else:
            self._loosen(self.last, centers, factors)
        if screen is None or not nearest_by_screen(
            *(rows.X, screen, centers, factors, rows.exponent, rows.run, self.todo, self.bounds)
        ):
            self.last = None
            return self.plain.nearest(centers, factors)
        self.last = Metric(centers.copy(), factors.copy())
        return self.bounds.labels.copy(), NONE_OPEN

    def _loosen(self, last: Metric, centers: Floats, factors: Floats) -> None:
        """Update the bounds for new centres and factors, and say which rows they leave open."""
        rows, (labels, upper, lower) = self.rows, self.bounds
        root = 1.0 / rows.exponent
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratios = (factors / last.factors) ** root
            ratios[np.isnan(ratios)] = 1.0  # 0 before and after
            moves = (last.factors * np.abs(centers - last.centers) ** rows.exponent).sum(axis=1)
        grow, shrink = ratios.max(axis=1), ratios.min(axis=1)
        move = moves**root
        shrink[np.isinf(shrink)] = 0.0
        keep, drop = _of_others(shrink, np.min, np.inf), _of_others(shrink * move, np.max, 0.0)
        counts: list[int] = []

        def loosen(start: int, stop: int) -> None:
            span = slice(start, stop)
            part = labels[span], grow, move, keep, drop, upper[span], lower[span], self.todo[span]
            counts.append(kernels.loosen_bounds(*part))

        def tighten(start: int, stop: int) -> None:
            span = slice(start, stop)
            kernels.tighten_bounds(
                *(rows.X[span], labels[span], centers, factors, rows.exponent),
                *(upper[span], lower[span], self.todo[span]),
            )

        rows.run(loosen, len(labels))
        if 0 < sum(counts) < 0.7 * len(labels):
            rows.run(tighten, len(labels))

    def centers_of(self, labels: Labels, previous: Floats) -> tuple[Floats, Floats]:
        if self.rows.plain:
            return self._means(labels, previous)
        return self._minkowski_centers(labels, previous)

    def _minkowski_centers(self, labels: Labels, previous: Floats) -> tuple[Floats, Floats]:
        """Solve for the clusters that rows left or joined; the others stay as they are."""
        n_clusters = len(previous)
        changed = np.ones(n_clusters, dtype=bool)
        centers, spread = previous.copy(), np.empty_like(previous)
        if self.found is not None and (self.found[1] == previous).all():
            moved = np.flatnonzero(labels != self.found[0])
            changed[:] = False
            changed[labels[moved]] = changed[self.found[0][moved]] = True
            spread = self.found[2].copy()
        which = np.flatnonzero(changed)
        if len(which):
            order = np.empty(len(labels), dtype=np.int64)
            starts = np.empty(n_clusters + 1, dtype=np.int64)
            squared.group_rows(labels, order, starts)
            if len(which) < n_clusters:
                spans = [order[starts[k] : starts[k + 1]] for k in which]
                order = np.concatenate(spans)
                starts = np.concatenate([[0], np.cumsum([len(span) for span in spans])])
            part = self.column_centers(self.rows, order, starts, previous[which])
            centers[which], spread[which] = part
        self.found = (labels.copy(), centers.copy(), spread.copy())
        return centers, spread

    def _means(self, labels: Labels, previous: Floats) -> tuple[Floats, Floats]:
        rows, sums = self.rows, self.sums
        moved = NONE_OPEN if sums is None else np.flatnonzero(labels != sums.labels)
        if sums is None or sums.moved + len(moved) > len(labels) // 4:
            sums = Sums(labels.copy(), previous.copy(), *self._moments(labels, previous))
        elif len(moved):
            first, second = self._moment_changes(sums, moved, labels)
            total = sums.moved + len(moved)
            sums = Sums(labels.copy(), sums.origin, sums.first + first, sums.second + second, total)
        self.sums = sums
        mass = np.bincount(labels, weights=rows.load, minlength=len(previous))
        filled = mass > 0.0
        share = sums.first[filled] / mass[filled, None]
        centers, spread = previous.copy(), np.zeros_like(previous)
        centers[filled] = sums.origin[filled] + share
        spread[filled] = sums.second[filled] - share * sums.first[filled]
        if (spread[filled] < CANCELLED * sums.second[filled]).any():
            spread = self._dispersions(labels, centers)
        return centers, spread

    def _in_parts(
        self, task: Callable[[int, slice, Floats], None], n_rows: int, shape: tuple[int, int]
    ) -> Floats:
        """Return the sum over parts of the rows of two (K, M) arrays, (2, K, M).

        The number of parts depends on the sizes alone, and they are added in their order.
        """
        room = max(MOST_NUMBERS // (2 * shape[0] * shape[1]), 2)
        height = max(PART_ROWS, -(-n_rows // min(MOST_PARTS, room)))
        parts = np.zeros((-(-n_rows // height), 2, *shape))

        def fill(start: int, stop: int) -> None:
            for part in range(start, stop):
                task(part, slice(part * height, (part + 1) * height), parts[part])

        self.rows.run(fill, len(parts))
        total: Floats = parts.sum(axis=0)
        return total

    def _moments(self, labels: Labels, origin: Floats) -> Floats:
        X, load = self.rows.X, self.rows.load

        def task(part: int, span: slice, out: Floats) -> None:
            kernels.cluster_moments(X[span], labels[span], load[span], origin, *out)

        return self._in_parts(task, len(labels), origin.shape)

    def _moment_changes(self, sums: Sums, moved: Integers, labels: Labels) -> Floats:
        X, load = self.rows.X, self.rows.load

        def task(part: int, span: slice, out: Floats) -> None:
            kernels.move_moments(X, load, moved[span], sums.labels, labels, sums.origin, *out)

        return self._in_parts(task, len(moved), sums.origin.shape)

    def _dispersions(self, labels: Labels, centers: Floats) -> Floats:
        X, load = self.rows.X, self.rows.load

        def task(part: int, span: slice, out: Floats) -> None:
            squared.cluster_dispersions(X[span], labels[span], load[span], centers, out[0])

        spread: Floats = self._in_parts(task, len(labels), centers.shape)[0]
        return spread


def _of_others(values: Floats, reduce: Callable[[Floats], float], alone: float) -> Floats:
    """Return the least (or largest) of all values but each one; `alone` if there is no other."""
    if len(values) == 1:
        return np.array([alone])
    order = np.argsort(values if reduce is np.min else -values, kind="stable")
    out = np.full(len(values), values[order[0]])
    out[order[0]] = values[order[1]]
    return out
