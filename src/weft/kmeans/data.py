"""Rows, how much each counts, and the passes over them; where threads come in.

Every pass gives the same bits for any number of threads: a row's distance is computed by itself,
a Minkowski centre on one thread, and sums over rows in parts whose number depends on the data's
shape alone, added in their order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Labels
from weft.backends.cpu.kernels import centers as minkowski_centers
from weft.backends.cpu.kernels import kmeans as squared
from weft.backends.cpu.kernels import minkowski
from weft.backends.cpu.kernels import screen as screening
from weft.kmeans import on_device
from weft.parallel.threads import Runner

LEAST_ROWS = 2048  # a part with fewer rows is not worth a thread
MOST_PARTS = 64


class Screen(NamedTuple):
    """X in single precision, (x - middle) / half, each column within [-1, 1]."""

    scaled: NDArray[np.float32]
    middle: Floats
    half: Floats


class Data(NamedTuple):
    """A table ready for the passes below.

    Attributes
    ----------
    X : (n, M), NaN where a value is missing
    columns : (M, n), X transposed; None where squared distances never need it
    mass : (n,), how much each row counts
    load : (n,), `mass` times M / number of observed values: what a row's distance is multiplied by
    screen : X in single precision and its scale, to find nearest centres faster; or None
    missing : whether any value is missing
    exponent : float, the power p of the distance
    run : callable, ``run(task, size)`` calls ``task(start, stop)`` over spans of range(size)
    moved : the rows on a GPU, where the passes then run; or None
    """

    X: Floats
    columns: Floats | None
    mass: Floats
    load: Floats
    screen: Screen | None
    missing: bool
    exponent: float
    run: Runner
    moved: on_device.Moved | None = None


class Centers(NamedTuple):
    """Centres (K, M) and the dispersion of each feature around them (K, M)."""

    centers: Floats
    dispersions: Floats


def make_data(
    X: Floats, mass: Floats, exponent: float, run: Runner, *, device: str = "cpu"
) -> Data:
    """Return the table with what its passes need."""
    # A sum is NaN if anything in it is: a quick look before a long one.
    with np.errstate(over="ignore", invalid="ignore"):
        missing = bool(np.isnan(X.sum())) and bool(np.isnan(X).any())
    columns = None
    load = mass
    if missing:
        load = mass * (X.shape[1] / np.maximum(X.shape[1] - np.isnan(X).sum(axis=1), 1))
    if device != "cpu":
        moved = on_device.move(X, load, exponent, missing, device)
        return Data(X, None, mass, load, None, missing, exponent, run, moved)
    if missing or exponent != 2.0:
        columns = np.ascontiguousarray(X.T)
    screen = None
    if exponent != 2.0 and not missing and exponent <= screening.LARGEST_EXPONENT:
        screen = make_screen(X, run)
    return Data(X, columns, mass, load, screen, missing, exponent, run)


def rows_of(data: Data, rows: NDArray[np.int64]) -> Data:
    """Return some of the rows, for distances alone: loads and columns stay those of the table."""
    screen, moved = data.screen, data.moved
    if screen is not None:
        screen = screen._replace(scaled=screen.scaled[rows])
    if moved is not None:
        moved = on_device.take(moved, rows)
    return data._replace(X=data.X[rows], columns=None, screen=screen, moved=moved)


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
        screening.scale_rows(X[start:stop], middle, half, scaled[start:stop])

    run(task, len(X))
    return Screen(scaled, middle, half)


def distances(data: Data, centers: Floats, factors: Floats) -> Floats:
    """Return Σ_v f_kv |x_iv - c_kv|^p, (n, K)."""
    if data.moved is not None:
        return on_device.distances(data.moved, centers, factors)
    out = np.empty((len(data.X), len(centers)))

    def task(start: int, stop: int) -> None:
        minkowski.powered_distances(
            data.X[start:stop], centers, factors, data.exponent, out[start:stop]
        )

    data.run(task, len(out))
    return out


def nearest(data: Data, centers: Floats, factors: Floats) -> Labels:
    """Return each row's nearest centre, the first on a tie."""
    if data.moved is not None:
        return on_device.nearest(data.moved, data.X, centers, factors)
    labels = np.empty(len(data.X), dtype=np.int32)
    if data.screen is not None:
        scaled, middle, half = data.screen
        thin_centers = ((centers - middle) / half).astype(np.float32)
        with np.errstate(over="ignore"):
            wide = factors * half**data.exponent
        largest = wide.max()
        if np.abs(thin_centers).max() <= 4.0 and 0.0 < largest < np.inf:
            thin_factors = (wide / largest).astype(np.float32)

            def screened(start: int, stop: int) -> None:
                screening.nearest_screened(
                    data.X[start:stop],
                    scaled[start:stop],
                    centers,
                    factors,
                    data.exponent,
                    thin_centers,
                    thin_factors,
                    labels[start:stop],
                )

            data.run(screened, len(labels))
            return labels
    best = np.empty(len(data.X))

    def task(start: int, stop: int) -> None:
        rows, out, cost = data.X[start:stop], labels[start:stop], best[start:stop]
        if data.exponent == 2.0 and not data.missing:
            squared.nearest_squared(rows, centers, factors, out, cost)
        else:
            minkowski.nearest_centers(rows, centers, factors, data.exponent, out, cost)

    data.run(task, len(labels))
    return labels


def own_distances(data: Data, labels: Labels, centers: Floats, factors: Floats) -> Floats:
    """Return each row's powered distance to the centre of its own cluster, (n,)."""
    if data.moved is not None:
        return on_device.own_distances(data.moved, labels, centers, factors)
    out = np.empty(len(data.X))

    def task(start: int, stop: int) -> None:
        minkowski.own_distances(
            data.X[start:stop],
            labels[start:stop],
            centers,
            factors,
            data.exponent,
            out[start:stop],
        )

    data.run(task, len(out))
    return out


def centers_of(data: Data, labels: Labels, previous: Floats) -> Centers:
    """Return each cluster's Minkowski centre (eq. 3.7) and dispersions (eq. 3.9).

    A cluster without rows, or without an observed value of a feature, keeps what `previous` has
    there; its dispersion is then 0, or NaN for a feature it never saw.
    """
    if data.moved is not None:
        return Centers(*on_device.centers_of(data.moved, labels, previous))
    if data.columns is None:
        return _means_of(data, labels, previous)
    order = np.empty(len(labels), dtype=np.int64)
    starts = np.empty(len(previous) + 1, dtype=np.int64)
    squared.group_rows(labels, order, starts)
    return _column_centers(data, order, starts, previous)


def center_of(data: Data, rows: NDArray[np.int64], guess: Floats) -> Centers:
    """Return the centre (M,) and dispersions (M,) of some of the rows."""
    if data.moved is not None:
        part_there = on_device.take(data.moved, rows)
        one = np.zeros(len(rows), dtype=np.int32)
        found = Centers(*on_device.centers_of(part_there, one, guess[None]))
    elif data.columns is None:
        part = data._replace(X=data.X[rows], mass=data.mass[rows], load=data.load[rows])
        found = _means_of(part, np.zeros(len(rows), dtype=np.int32), guess[None])
    else:
        found = _column_centers(data, rows, np.array([0, len(rows)]), guess[None])
    return Centers(found.centers[0], found.dispersions[0])


def mass_of(labels: NDArray[Any], mass: Floats, count: int) -> Floats:
    """Return the sum of `mass` over the rows of each label, (count,)."""
    return np.bincount(labels, weights=mass, minlength=count).astype(np.float64, copy=False)


def _column_centers(
    data: Data, order: NDArray[np.int64], starts: NDArray[np.int64], previous: Floats
) -> Centers:
    centers = previous.copy()
    spread = np.empty_like(centers)
    load = data.load[order]

    def task(start: int, stop: int) -> None:
        minkowski_centers.column_centers(
            data.columns, order, starts, load, data.exponent, start, stop, centers, spread
        )

    data.run(task, centers.shape[1])
    spread[starts[:-1] == starts[1:]] = 0.0
    return Centers(centers, spread)


def _means_of(data: Data, labels: Labels, previous: Floats) -> Centers:
    """`centers_of` for squared distances without missing values: means and variances."""
    n_clusters, n_features = previous.shape
    rows = max(LEAST_ROWS, -(-len(labels) // MOST_PARTS))
    n_parts = -(-len(labels) // rows)
    parts = np.empty((n_parts, n_clusters, n_features))

    def sums(start: int, stop: int) -> None:
        for part in range(start, stop):
            span = slice(part * rows, (part + 1) * rows)
            squared.cluster_sums(data.X[span], labels[span], data.load[span], parts[part])

    data.run(sums, n_parts)
    weight = mass_of(labels, data.load, n_clusters)
    filled = weight > 0.0
    centers = previous.copy()
    centers[filled] = parts.sum(axis=0)[filled] / weight[filled, None]

    def spreads(start: int, stop: int) -> None:
        for part in range(start, stop):
            span = slice(part * rows, (part + 1) * rows)
            squared.cluster_dispersions(
                data.X[span], labels[span], data.load[span], centers, parts[part]
            )

    data.run(spreads, n_parts)
    return Centers(centers, parts.sum(axis=0))
