"""The whole of AutoCluster: rows in; clusters, weights, doubts and alternatives out.

1. Columns come in units of their deviation; those that matter are kept (`screening`).
2. Columns that repeat each other share one column's weight.
3. The family of clusterings competes on the kept columns; the one that holds wins (`judging`).
4. Sharper weights are proposed (what the clusters explain of each column; a swarm), and taken if
   they tell the same clusters as steadily.
5. If nothing matters, or nothing holds, the answer is "no clusters": one label for all rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft.auto.alternatives import Alternative, find_alternatives
from weft.auto.family import Member, overlapping_members, separated_members
from weft.auto.judging import (
    CONVINCING,
    Candidate,
    Resamples,
    alike,
    choose,
    cluster_stability,
    judge_overlapping,
    judge_separated,
    make_resamples,
    run_members,
    stability_of,
)
from weft.backends import CPU, Backend
from weft.columns.screening import Screening, screen
from weft.columns.weights import explained

FEWEST_ROWS = 10  # below, no clustering could hold
MOST_ROWS = 2000  # that are clustered; the others follow their nearest neighbour
MOST_CLUSTERS = 50
REPEATS = 0.95  # correlation from which a column repeats another
SAME_STORY = 0.8  # adjusted Rand index from which two clusterings tell the same clusters
RESAMPLES_TO_SHARPEN = 2
AS_STEADY = 0.02  # stability that sharper weights may cost


class Settings(NamedTuple):
    """What the user may set."""

    rate: float
    max_clusters: int | None
    n_resamples: int
    time_limit: float | None
    n_jobs: int | None
    seed: int
    refine: bool = True
    swarm: bool = True
    backend: Backend = CPU


class Answer(NamedTuple):
    """What was found; `labels` belong to `rows` alone."""

    rows: Integers  # which rows were clustered
    labels: Integers
    weights: Floats  # (d,) times a column as given; 0 where it was dropped
    screening: Screening
    keep_share: Floats  # (d,) share of resamples that kept the column
    weight_interval: Floats  # (2, d) 5 % and 95 % over the resamples
    winner: Candidate | None
    cluster_stability: Floats
    alternatives: list[Alternative]
    hurried: str  # who left refinements out; empty: nobody


def search(
    X: Floats,
    settings: Settings,
    propose: Callable[..., Floats] | None,
    stopped_by: Callable[[], str] = str,
) -> Answer:
    """Find the clusters of X, whose columns have deviation 1, or 0 where they are constant.

    `propose(rows, labels, seed)` returns a swarm's weights. `stopped_by()` names who wants an end,
    if anybody does: refinements are then left out, as after the time limit.
    """
    rng = np.random.default_rng([settings.seed, 9])
    clock = _Clock(settings.time_limit, stopped_by)
    screening = screen(X, settings.rate, rng, backend=settings.backend)
    rows = np.arange(len(X))
    if len(X) > MOST_ROWS:
        rows = np.sort(rng.choice(len(X), MOST_ROWS, replace=False))
    keep_share, again = _screen_again(X, screening, settings, rng, clock)
    kept = screening.kept
    if not kept.any() or len(X) < FEWEST_ROWS:
        return _no_clusters(rows, screening, keep_share, X.shape[1], clock)
    flat = _shared_weight(X[np.ix_(rows, kept)])
    table = X[np.ix_(rows, kept)] * flat
    most = MOST_CLUSTERS if settings.max_clusters is None else settings.max_clusters
    n_resamples = settings.n_resamples if not clock.late(0.5) else min(2, settings.n_resamples)
    data = make_resamples(table, most, n_resamples, settings.seed, settings.n_jobs)
    separated = judge_separated(data)
    overlapping: list[Candidate] = []
    if separated[0].n_clusters < 2 or separated[0].score < CONVINCING:
        overlapping = judge_overlapping(data, most)
    winner = choose(separated, overlapping)
    if winner is None:
        return _no_clusters(rows, screening, keep_share, X.shape[1], clock)
    sharp = np.ones(int(kept.sum()))
    if settings.refine and not clock.late(0.7):
        proposals = [explained(table, winner.labels)]
        if propose is not None and settings.swarm and not clock.late(0.8):
            proposals.append(propose(table, winner.labels, settings.seed))
        winner, sharp = _sharpen(table, winner, proposals, most, data)
    weights = np.zeros(X.shape[1])
    weights[kept] = flat * sharp
    interval = _weight_interval(X, rows, weights, winner, data, again)
    others = (
        []
        if clock.late(0.9)
        else find_alternatives(
            table, np.flatnonzero(kept), winner, [*separated, *overlapping], data
        )
    )
    return Answer(
        rows,
        winner.labels,
        weights,
        screening,
        keep_share,
        interval,
        winner,
        cluster_stability(winner, data.rows[: len(winner.again)]),
        others,
        clock.hurried,
    )


class _Clock:
    """How much of the time limit is gone, and whether somebody wants an end before."""

    def __init__(self, limit: float | None, stopped_by: Callable[[], str]):
        self.limit = limit
        self.stopped_by = stopped_by
        self.start = time.monotonic()
        self.hurried = ""

    def late(self, share: float) -> bool:
        """Say whether so much of the limit has passed; what is asked for is then left out."""
        who = self.stopped_by()
        if self.limit is not None and time.monotonic() - self.start > share * self.limit:
            who = who or "the time limit"
        self.hurried = who or self.hurried
        return bool(who)


def _shared_weight(rows: Floats) -> Floats:
    """Return 1 / √(columns that repeat it, itself included): together they count once."""
    if rows.shape[1] < 2:
        return np.ones(rows.shape[1])
    repeats = np.abs(np.corrcoef(rows, rowvar=False)) >= REPEATS
    np.fill_diagonal(repeats, True)
    share: Floats = 1.0 / np.sqrt(repeats.sum(axis=1))
    return share


def _screen_again(
    X: Floats, first: Screening, settings: Settings, rng: np.random.Generator, clock: _Clock
) -> tuple[Floats, list[Mask]]:
    """Screen resamples of the rows; return each column's share of keeps, and the masks."""
    masks = []
    for _ in range(settings.n_resamples):
        if clock.late(0.4):
            break
        part = rng.choice(len(X), max(2, int(0.7 * min(len(X), 1400))), replace=False)
        again = screen(X[np.sort(part)], settings.rate, rng, backend=settings.backend)
        masks.append(again.kept)
    if not masks:
        return first.kept.astype(float), []
    return np.mean(masks, axis=0), masks


def _sharpen(
    table: Floats, winner: Candidate, proposals: list[Floats], most: int, data: Resamples
) -> tuple[Candidate, Floats]:
    """Return the winner in the steadiest of the proposed metrics that tells the same clusters."""
    members = {**separated_members(data.whole.few.shape[1]), **overlapping_members(most)}
    member: Member = members[winner.name]
    best, weights = winner, np.ones(table.shape[1])
    bar = winner.stability - AS_STEADY
    for proposal in proposals:
        moved = make_resamples(
            table * proposal,
            most,
            min(len(data.rows), RESAMPLES_TO_SHARPEN),
            data.seed,
            data.n_jobs,
        )
        labels, *again = run_members({winner.name: member}, moved)[winner.name]
        stability = stability_of(labels, again, moved.rows)
        if stability >= bar and alike(labels, winner.labels) >= SAME_STORY:
            best = winner._replace(labels=labels, stability=stability, again=again)
            weights, bar = proposal, max(bar, stability)
    return best, weights


def _weight_interval(
    X: Floats,
    rows: Integers,
    weights: Floats,
    winner: Candidate,
    data: Resamples,
    masks: list[Mask],
) -> Floats:
    """Return 5 % and 95 % of each column's weight: explained shares in the resamples' clusters."""
    if not winner.again:
        return np.stack([weights, weights])
    kept = weights > 0.0
    table = X[np.ix_(rows, kept)]
    centre = explained(table, winner.labels)
    drawn = np.zeros((len(winner.again), len(weights)))
    for number, (part, again) in enumerate(zip(data.rows, winner.again, strict=False)):
        if again.max() > 0:
            ratio = np.divide(
                explained(table[part], again), centre, out=np.ones_like(centre), where=centre > 0.0
            )
            drawn[number, kept] = weights[kept] * ratio
        if number < len(masks):
            drawn[number] *= masks[number]
    return np.quantile(drawn, [0.05, 0.95], axis=0)


def _no_clusters(
    rows: Integers, screening: Screening, keep_share: Floats, n_columns: int, clock: _Clock
) -> Answer:
    return Answer(
        rows,
        np.zeros(len(rows), dtype=np.int64),
        np.zeros(n_columns),
        screening,
        keep_share,
        np.zeros((2, n_columns)),
        None,
        np.zeros(1),
        [],
        clock.hurried,
    )
