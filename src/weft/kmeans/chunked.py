"""The alternation over blocks of rows: as `alternation.py`, but only sums are collected.

Every pass assigns the rows again and returns, for each cluster and feature, Σ m |d|^p around a
trial centre and its first two derivatives: (K, M) numbers. For p = 2 one such pass is a round: the
centre is one Newton step away, exactly, and the dispersion around it follows. For other powers
Newton's steps are repeated, inside a bracket, until they are too short to matter; near the end of a
fit this is true of the first step. Labels are never stored: they follow from centres and factors.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Mask
from weft.kmeans.alternation import Outcome, Start, alternate
from weft.kmeans.blocks import (
    Blocks,
    Step,
    Sums,
    Survey,
    add_costly,
    add_sums,
    costly,
    sums,
    units_of,
)
from weft.kmeans.data import Centers, make_data
from weft.kmeans.fitting import Settings, better, make_start
from weft.kmeans.sampling import Sample, draw_sample
from weft.kmeans.seeding import AnomalousPatterns, anomalous_patterns
from weft.kmeans.weights import Rule
from weft.parallel.threads import thread_runner

# In units of a column's range: a Newton step this short leaves an error of about its square.
SHORT_STEP = 1e-8
MAX_STEPS = 80


class Table(NamedTuple):
    """Blocks, and the settings of every pass over them."""

    blocks: Blocks
    survey: Survey
    exponent: float
    units: Floats  # (M,), powers of 2

    @classmethod
    def of(cls, blocks: Blocks, survey: Survey, exponent: float) -> Table:
        """Choose units in which every column's range is between 1 and 2."""
        return cls(blocks, survey, exponent, units_of(survey.low, survey.high))

    def step(self, centers: Floats, factors: Floats) -> Step:
        """Return a pass that assigns by, and sums around, `centers`."""
        return Step(centers, factors, centers, self.units, self.exponent, {})

    def run(self, step: Step) -> Sums:
        """Make one pass."""
        return self.blocks.fold(sums, add_sums, step)


class BlockFit(NamedTuple):
    """As `weft.kmeans.fitting.Fit`, with the mass of each cluster instead of labels."""

    outcome: Outcome
    patterns: AnomalousPatterns | None
    active: Mask
    factors: Floats
    mass: Floats
    sums: Sums  # around the returned centres, of the labels that follow from them
    n_passes: int


def solve_centers(table: Table, step: Step, first: Sums) -> tuple[Centers, int]:
    """Return each cluster's centre and dispersions, and how many passes it took beyond `first`.

    `first` are the sums around ``step.trial``; the rows of a cluster stay those of `step`.
    """
    p = table.exponent
    center, totals = step.trial, first
    low = np.broadcast_to(table.survey.low, center.shape).copy()
    high = np.broadcast_to(table.survey.high, center.shape).copy()
    last = np.full(center.shape, np.inf)
    n_passes = 0
    while True:
        with np.errstate(divide="ignore", invalid="ignore"):
            newton = -totals.slope / (totals.curve * (p - 1.0))
        newton = np.where(totals.curve > 0.0, newton, 0.0)
        # Taylor to the second order: exact at p = 2, and else the step is short.
        gain = 0.5 * p * (p - 1.0) * totals.curve * newton**2
        spread = np.maximum(totals.total - gain, 0.0) / table.units**p
        settled = np.abs(newton) <= SHORT_STEP
        if p == 2.0 or settled.all() or n_passes == MAX_STEPS:
            break
        low = np.where(totals.slope < 0.0, np.maximum(low, center), low)
        high = np.where(totals.slope > 0.0, np.minimum(high, center), high)
        trial = center + newton / table.units
        slow = np.abs(totals.slope) > 0.5 * last
        halve = ~settled & (~((low < trial) & (trial < high)) | slow)
        last = np.where(halve, np.inf, np.abs(totals.slope))
        center = np.where(halve, 0.5 * (low + high), trial)
        totals = table.run(step._replace(trial=center))
        n_passes += 1
    # A cluster without rows, or without a value of a feature, has sums of 0 and keeps its centre.
    lost = (first.seen <= 0.0) & (first.sizes > 0.0)[:, None]
    spread[lost] = np.nan
    return Centers(center + newton / table.units, spread), n_passes


def fill_empty_blocks(table: Table, step: Step, totals: Sums) -> tuple[Step, Sums, int]:
    """Give each empty cluster the row with the largest cost, as `fill_empty` does."""
    empty = np.flatnonzero(totals.n_rows == 0.0)
    if len(empty) == 0:
        return step, totals, 0
    # A row alone in its cluster stays, so at most one row per cluster is skipped.
    n_candidates = 2 * len(totals.n_rows)
    dearest = table.blocks.fold(costly, partial(add_costly, n_candidates), (step, n_candidates))
    count = totals.n_rows.copy()
    free = dearest.cost > 0.0
    refilled: dict[tuple[int, int], int] = {}
    for cluster in empty:
        open_to = free & (count[dearest.cluster] > 1.0)
        if not open_to.any():
            break
        row = int(open_to.argmax())
        free[row] = False
        count[dearest.cluster[row]] -= 1.0
        refilled[int(dearest.block[row]), int(dearest.row[row])] = int(cluster)
    if not refilled:
        return step, totals, 1
    step = step._replace(refilled=refilled)
    return step, table.run(step), 2


def alternate_blocks(
    table: Table, start: Start, rule: Rule, *, max_iter: int, tol: float = 0.0
) -> tuple[Outcome, Sums, int]:
    """Run the alternation of `weft.kmeans.alternation.alternate` over blocks."""
    centers, weights = start
    trace: list[float] = []
    converged = False
    check = None
    before = None
    allowed = tol * table.survey.mass
    n_iter = n_passes = 0
    for n_iter in range(1, max_iter + 1):
        factors = rule.factors(weights)
        step = table.step(centers, factors)
        if tol > 0.0:
            step = step._replace(before=before)
        totals = table.run(step)
        step, totals, extra = fill_empty_blocks(table, step, totals)
        n_passes += 1 + extra
        same = check is not None and bool((totals.check == check).all())
        if same or (before is not None and tol > 0.0 and totals.changed <= allowed):
            converged = True
            n_iter -= int(same)
            break
        check, before = totals.check, (centers, factors)
        (centers, spread), extra = solve_centers(table, step, totals)
        n_passes += extra
        weights = rule.weights(spread, totals.sizes)
        costs = np.nansum(rule.factors(weights) * spread, axis=1)
        trace.append(rule.total(costs, totals.sizes, weights))
    factors = rule.factors(weights)
    if not converged or step.refilled:
        totals = table.run(table.step(centers, factors))
        n_passes += 1
    costs = np.nansum(factors * totals.total / table.units**table.exponent, axis=1)
    criterion = rule.total(costs, totals.sizes, weights)
    labels = np.empty(0, dtype=np.int32)  # they follow from the centres, block by block
    outcome = Outcome(labels, centers, weights, criterion, n_iter, converged, trace)
    return outcome, totals, n_passes


def whole_center(table: Table, active: Mask) -> tuple[Centers, float]:
    """Return the centre and dispersions of the whole table, and the sum of its loads."""
    guess = table.survey.total / table.survey.seen  # every column has a value
    step = table.step(guess[None], active.astype(float)[None])
    first = table.run(step)
    centers, _ = solve_centers(table, step, first)
    return Centers(centers.centers[0], centers.dispersions[0]), float(first.sizes[0])


def fit_blocks(
    table: Table,
    active: Mask,
    settings: Settings,
    rule: Rule,
    center: Floats,
    rng: np.random.Generator,
) -> BlockFit:
    """Start on a weighted sample, then alternate over all rows.

    All starts run on the sample; the result of the best is the start for all rows.
    """
    patterns = None
    if isinstance(settings.init, str):
        sample = draw_sample(
            table.blocks,
            center,
            active,
            exponent=table.exponent,
            total_mass=table.survey.mass,
            seed=int(rng.integers(2**63)),
        )
        start, patterns = start_on_sample(sample, active, settings, rule, rng)
    else:
        few = Sample(settings.init, np.ones(len(settings.init)))
        start, _ = start_on_sample(few, active, replace(settings, max_iter=0), rule, rng)
    outcome, totals, n_passes = alternate_blocks(
        table, start, rule, max_iter=settings.max_iter, tol=settings.tol
    )
    return BlockFit(
        outcome, patterns, active, rule.factors(outcome.weights), totals.mass, totals, n_passes
    )


def start_on_sample(
    sample: Sample,
    active: Mask,
    settings: Settings,
    rule: Rule,
    rng: np.random.Generator,
) -> tuple[Start, AnomalousPatterns | None]:
    """Return the result of the best start on the sample."""
    with thread_runner(settings.n_jobs) as run:
        data = make_data(sample.rows, sample.mass, settings.exponent, run)
        patterns = None
        if isinstance(settings.init, str) and settings.init == "anomalous":
            patterns = anomalous_patterns(data, rule, active, enough=settings.n_clusters)
        best: Outcome | None = None
        for _ in range(settings.n_init):
            start = make_start(data, settings, rule, active, patterns, rng)
            if settings.max_iter == 0:
                return start, patterns
            outcome = alternate(data, start, rule, max_iter=settings.max_iter, tol=settings.tol)
            best = better(best, outcome)
    if best is None:
        raise RuntimeError("n_init=0 reached the fit; this is a bug.")
    return Start(best.centers, best.weights), patterns
