"""Minkowski centres of a large table, by a series around a guess: see `kernels.expansion`.

The guess comes from steps in single precision; the first steps use only a part of the rows. Columns
for which the series does not converge (such as those with few distinct values) are marked and
solved one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import binom

from weft._base.arrays import Floats, Labels
from weft.backends.cpu.kernels import expansion as kernels
from weft.backends.cpu.kernels.centers import ROUGH_EXPONENT
from weft.backends.cpu.kernels.kmeans import group_rows
from weft.backends.cpu.kernels.screen import LARGEST_EXPONENT
from weft.parallel.threads import Runner

if TYPE_CHECKING:
    from weft.backends.cpu.kmeans import Rows

PART_ROWS = 2048  # for smaller parts a thread costs more than it saves
MOST_PARTS = 64
MOST_NUMBERS = 2**23  # in the sums of all parts
SAMPLE = 2048  # rows of a cluster that the first steps use
SAMPLE_STEPS = 5
FULL_STEPS = 3
CLOSE = 0.05  # of σ: after a step of this length the next Newton step ends within REACH
SERIES = 3  # number of series before columns are solved one by one
FAR_AWAY = 1e30
LISTED = 16  # at most one in this many of a cluster's rows may be near its centre


class Solved(NamedTuple):
    """Centres and dispersions (K, M), and for which of them they are final."""

    centers: Floats
    dispersions: Floats
    done: NDArray[np.bool_]


class Tried(NamedTuple):
    """One series: a step in units of σ and Σ m |a|^p there, (K, M) each, and how it ended.

    A pair of cluster and column is `crowded` if too many rows are near the guess.
    """

    step: Floats
    total: Floats
    solved: NDArray[np.bool_]
    crowded: NDArray[np.bool_]


def sums_in_parts(
    run: Runner, task: Callable[[int, slice, Floats], None], n_rows: int, shape: tuple[int, ...]
) -> Floats:
    """Return the sum over parts of the rows of arrays that `task` fills.

    The number of parts depends on the sizes alone, and they are added in their order.
    """
    height = part_height(n_rows, int(np.prod(shape)))
    parts = np.zeros((-(-n_rows // height), *shape))

    def fill(start: int, stop: int) -> None:
        for part in range(start, stop):
            task(part, slice(part * height, (part + 1) * height), parts[part])

    run(fill, len(parts))
    total: Floats = parts.sum(axis=0)
    return total


def part_height(n_rows: int, numbers: int) -> int:
    """Return how many rows a part has, if each part holds this many numbers."""
    return max(PART_ROWS, -(-n_rows // min(MOST_PARTS, max(MOST_NUMBERS // numbers, 2))))


def can_expand(rows: Rows, shape: tuple[int, int]) -> bool:
    """Return whether the series can be used: no missing values, enough memory for the sums."""
    usual = not rows.missing and ROUGH_EXPONENT <= rows.exponent <= LARGEST_EXPONENT
    return usual and kernels.TERMS * shape[0] * shape[1] <= MOST_NUMBERS


def expanded_centers(
    rows: Rows, labels: Labels, sizes: Floats, wanted: NDArray[np.bool_], previous: Floats
) -> Solved:
    """Return the centres of the clusters that are `wanted`; `sizes` (K,) are sums of masses."""
    guess, unit = _guess(rows, labels, sizes, wanted, previous)
    centers, spread = previous.copy(), np.zeros_like(previous)
    done = np.zeros(previous.shape, dtype=bool)
    open_pairs = wanted[:, None] & (unit > 0.0)
    for _ in range(SERIES):
        if not open_pairs.any():
            break
        tried = _series(rows, labels, open_pairs, guess, unit)
        with np.errstate(over="ignore", invalid="ignore"):
            trial = guess + tried.step * unit
            value = tried.total * unit**rows.exponent
        solved = tried.solved & open_pairs & np.isfinite(trial) & np.isfinite(value)
        centers[solved], spread[solved] = trial[solved], value[solved]
        done |= solved
        open_pairs &= ~solved & ~tried.crowded & np.isfinite(trial)
        guess = np.where(open_pairs, trial, guess)
    return Solved(centers, spread, done)


def _guess(
    rows: Rows, labels: Labels, sizes: Floats, wanted: NDArray[np.bool_], previous: Floats
) -> tuple[Floats, Floats]:
    """Return a guess of the centres and the unit σ of each, (K, M); 0 without a guess."""
    half = rows.screen.half if rows.screen is not None else np.ones(previous.shape[1])
    guess, unit = previous, np.broadcast_to(half, previous.shape)
    stride = max(1, len(labels) // (SAMPLE * max(int(wanted.sum()), 1)))
    taken = sizes
    if stride > 1:
        taken = np.asarray(
            np.bincount(labels[::stride], rows.load[::stride], minlength=len(sizes)), dtype=float
        )
    sigma = unit
    for _ in range(SAMPLE_STEPS):
        step, sigma = _rough_step(rows, labels, taken, wanted, guess, unit, stride)
        guess = guess + step
        unit = np.where(sigma > 0.0, sigma, unit)
        if (np.abs(step) <= CLOSE * unit).all():
            break
    # The error of a step: from the noise of the curvature, and from its change along the step.
    noise = 3.0 / np.sqrt(np.maximum(np.bincount(labels, minlength=len(sizes)), 1))[:, None]
    for _ in range(FULL_STEPS if stride > 1 else 0):
        step, spread = _rough_step(rows, labels, sizes, wanted, guess, unit, 1)
        guess = guess + step
        sigma = np.where(wanted[:, None], spread, sigma)
        unit = np.where(sigma > 0.0, sigma, unit)
        size = np.abs(step) / unit
        wanted = np.asarray((size * (noise + 0.3 * size) > 0.7 * kernels.REACH).any(axis=1))
        if not wanted.any():
            break
    return guess, sigma


def _rough_step(
    rows: Rows,
    labels: Labels,
    sizes: Floats,
    wanted: NDArray[np.bool_],
    guess: Floats,
    unit: Floats,
    stride: int,
) -> tuple[Floats, Floats]:
    """Return a step towards the centres and each one's σ, (K, M), from each `stride`-th row."""
    scale = np.where(unit > 0.0, 1.0 / np.where(unit > 0.0, unit, 1.0), 0.0)
    p = rows.exponent

    def task(part: int, span: slice, out: Floats) -> None:
        inside = slice(span.start * stride, span.stop * stride)
        kernels.rough_sums(
            *(rows.X[inside], labels[inside], rows.load[inside]),
            *(stride, wanted, guess, scale, p, out),
        )

    total, slope, curve = sums_in_parts(
        rows.run, task, -(-len(labels) // stride), (3, *guess.shape)
    )
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        sigma = unit * (total / sizes[:, None]) ** (1.0 / p)
        step = -slope / curve * unit
        # Far from the root, Newton's step is too long if p < 2; a step to the weighted mean is not.
        if p < 2.0:
            newton = np.abs(step) < 0.5 * (p - 1.0) * sigma
            step = np.where(newton, step / (p - 1.0), step)
        else:
            step = step / (p - 1.0)
    usable = np.isfinite(step) & np.isfinite(sigma) & (sigma > 0.0) & wanted[:, None]
    return np.where(usable, step, 0.0), np.where(usable, sigma, 0.0)


def _series(
    rows: Rows, labels: Labels, open_pairs: NDArray[np.bool_], guess: Floats, unit: Floats
) -> Tried:
    """Compute the series of the open pairs around the guess, and find its root."""
    n_clusters, n_features = guess.shape
    wanted = open_pairs.any(axis=1)
    # For a pair that is not wanted, the guess is set so that no row is near it.
    scale = 1.0 / np.where(open_pairs, unit, 1.0)
    guess = np.where(open_pairs, guess, FAR_AWAY)
    wide = (kernels.TERMS, n_clusters, n_features)
    n_parts = -(-len(labels) // part_height(len(labels), int(np.prod(wide))))
    near_values: dict[int, tuple[NDArray[np.int32], Floats, Floats]] = {}
    counts = np.empty((n_parts, n_clusters, n_features), dtype=np.int32)
    crowded = np.zeros((n_parts, n_clusters, n_features), dtype=bool)

    def task(part: int, span: slice, out: Floats) -> None:
        own = labels[span]
        limit = np.bincount(own, minlength=n_clusters) // LISTED + LISTED
        room = int(n_features * limit.sum())
        pairs, aways, masses = np.empty(room, np.int32), np.empty(room), np.empty(room)
        listed = kernels.expand(
            *(rows.X[span], own, rows.load[span], wanted, guess, scale, rows.exponent, limit),
            *(out, counts[part], pairs, aways, masses),
        )
        crowded[part] = counts[part] > limit[:, None]
        near_values[part] = pairs[:listed].copy(), aways[:listed].copy(), masses[:listed].copy()

    sums = sums_in_parts(rows.run, task, len(labels), wide).reshape(kernels.TERMS, -1)
    lists = zip(*(near_values[part] for part in range(n_parts)), strict=True)
    pairs, aways, masses = (np.concatenate(parts) for parts in lists)
    order = np.empty(len(pairs), dtype=np.int64)
    starts = np.empty(guess.size + 1, dtype=np.int64)
    group_rows(pairs, order, starts)
    too_many = np.asarray(crowded.any(axis=0))
    solved = (open_pairs & ~too_many).ravel()
    step, total = np.zeros(guess.size), np.zeros(guess.size)
    terms = np.arange(kernels.TERMS, dtype=float)
    binomials, powers = binom(rows.exponent - 1.0, terms), binom(rows.exponent, terms)

    def solve(start: int, stop: int) -> None:
        kernels.solve(
            *(sums, binomials, powers, order, starts, aways, masses, rows.exponent),
            *(start, stop, step, total, solved),
        )

    rows.run(solve, guess.size)
    shape = guess.shape
    return Tried(step.reshape(shape), total.reshape(shape), solved.reshape(shape), too_many)
