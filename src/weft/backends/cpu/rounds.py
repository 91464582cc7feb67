"""Rounds with memory: bounds of distances, and sums that are updated only for moved rows.

Labels are those of exact distances; the bounds only save time. Sums are around the centres of an
earlier round, and are computed again before rounding errors add up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Integers, Labels
from weft.backends.cpu.expanded import can_expand, expanded_centers, sums_in_parts
from weft.backends.cpu.kernels import bounds as kernels
from weft.backends.cpu.kernels import kmeans as squared
from weft.backends.cpu.screened import Bounds, nearest_by_screen
from weft.backends.rounds import Rounds

if TYPE_CHECKING:
    from weft.backends.cpu.kmeans import Rows

LEAST_ROWS = 4096  # for smaller tables, updating bounds takes longer than the distances
EXPAND_ROWS = 300_000  # with fewer rows a column fits in the cache: centres by columns are as fast
CANCELLED = 1e-3  # share of a sum of squares below which a dispersion is computed again
ColumnCenters = Callable[
    ["Rows", Integers, Integers, Floats, NDArray[np.bool_]], tuple[Floats, Floats]
]
NONE_OPEN: Integers = np.empty(0, dtype=np.int64)


class Metric(NamedTuple):
    """The centres and factors of the last assignment."""

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
        self.expands = True  # until a round in which the series fails for most centres

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
        """Update the bounds for new centres and factors, and mark the rows that they leave open."""
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
        """Compute the centres of clusters that rows left or joined; the others stay unchanged."""
        n_clusters = len(previous)
        changed = np.ones(n_clusters, dtype=bool)
        centers, spread = previous.copy(), np.empty_like(previous)
        if self.found is not None and (self.found[1] == previous).all():
            moved = np.flatnonzero(labels != self.found[0])
            changed[:] = False
            changed[labels[moved]] = changed[self.found[0][moved]] = True
            spread = self.found[2].copy()
        if changed.any():
            self._solve(labels, changed, centers, spread)
        self.found = (labels.copy(), centers.copy(), spread.copy())
        return centers, spread

    def _solve(
        self, labels: Labels, changed: NDArray[np.bool_], centers: Floats, spread: Floats
    ) -> None:
        """Update the centres and dispersions of the clusters that changed."""
        rows, previous = self.rows, centers.copy()
        wanted = np.repeat(changed[:, None], centers.shape[1], axis=1)
        large = len(labels) >= EXPAND_ROWS
        if large and self.expands and can_expand(rows, centers.shape):
            counts = np.bincount(labels, weights=rows.load, minlength=len(centers))
            sizes = np.asarray(counts, dtype=np.float64)
            solved = expanded_centers(rows, labels, sizes, changed & (sizes > 0.0), previous)
            centers[solved.done] = solved.centers[solved.done]
            spread[solved.done] = solved.dispersions[solved.done]
            self.expands = 2 * int(solved.done.sum()) > int(wanted.sum())
            wanted &= ~solved.done
        which = np.flatnonzero(wanted.any(axis=1))
        if not len(which):
            return
        order = np.empty(len(labels), dtype=np.int64)
        starts = np.empty(len(centers) + 1, dtype=np.int64)
        squared.group_rows(labels, order, starts)
        spans = [order[starts[k] : starts[k + 1]] for k in which]
        edges = np.concatenate([[0], np.cumsum([len(span) for span in spans])])
        part, away = self.column_centers(
            rows, np.concatenate(spans), edges, previous[which], wanted[which]
        )
        chosen = wanted[which]
        centers[wanted], spread[wanted] = part[chosen], away[chosen]

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

    def _moments(self, labels: Labels, origin: Floats) -> Floats:
        X, load = self.rows.X, self.rows.load

        def task(part: int, span: slice, out: Floats) -> None:
            kernels.cluster_moments(X[span], labels[span], load[span], origin, *out)

        return sums_in_parts(self.rows.run, task, len(labels), (2, *origin.shape))

    def _moment_changes(self, sums: Sums, moved: Integers, labels: Labels) -> Floats:
        X, load = self.rows.X, self.rows.load

        def task(part: int, span: slice, out: Floats) -> None:
            kernels.move_moments(X, load, moved[span], sums.labels, labels, sums.origin, *out)

        return sums_in_parts(self.rows.run, task, len(moved), (2, *sums.origin.shape))

    def _dispersions(self, labels: Labels, centers: Floats) -> Floats:
        X, load = self.rows.X, self.rows.load

        def task(part: int, span: slice, out: Floats) -> None:
            squared.cluster_dispersions(X[span], labels[span], load[span], centers, out[0])

        both = sums_in_parts(self.rows.run, task, len(labels), (2, *centers.shape))
        spread: Floats = both[0]
        return spread


def _of_others(values: Floats, reduce: Callable[[Floats], float], alone: float) -> Floats:
    """Return for each value the smallest (or largest) of the others; `alone` without others."""
    if len(values) == 1:
        return np.array([alone])
    order = np.argsort(values if reduce is np.min else -values, kind="stable")
    out = np.full(len(values), values[order[0]])
    out[order[0]] = values[order[1]]
    return out
