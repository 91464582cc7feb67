"""The whole of AutoCluster: rows in; clusters, weights, doubts and alternatives out.

1. Columns that matter are kept (`weft.columns.screening`); where none is, all get a second chance.
2. A wide family of clusterings competes on them (`candidates`).
3. Evidence that needs no labels is taken of each (`evidence`), and a judge that was trained on
   made-up tables ranks them (`judge`). It also says how likely it is that there are no clusters,
   and that the winner is right.
4. The search is repeated on parts of the rows: what comes out again is stable (`resampling`).

All draws but those of step 4 are fixed by the table, so that another seed gives the same clusters.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft._base.labels import number_by_first_row
from weft.auto.alternatives import Alternative, different, find_alternatives
from weft.auto.candidates import Candidate
from weft.auto.candidates.trees import flooded
from weft.auto.examining import FIXED, examine
from weft.auto.judge import Verdict, judge_candidates, load
from weft.auto.resampling import RepeatedSearch
from weft.auto.sources import Sources, as_alternatives, cluster_sources, confidence_of, method_of
from weft.auto.working import MAX_ROWS, Prepared
from weft.backends import CPU, Backend
from weft.columns.screening import Screening
from weft.columns.weights import association
from weft.parallel.blas import one_blas_thread

SURE = 0.5  # confidence from which clusters of the numbers alone are the answer of a mixed table


class Settings(NamedTuple):
    """What the user may set."""

    rate: float
    n_clusters: int | None
    min_clusters: int | None
    max_clusters: int | None
    min_cluster_size: int
    outliers: bool
    n_resamples: int
    time_limit: float | None
    seed: int
    backend: Backend = CPU


class Partition(NamedTuple):
    """The judge's choice for some rows; `labels` are all 0 where there are no clusters."""

    labels: Integers
    kept: Mask  # columns that it is made on
    screening: Screening
    confidence: float
    method: str = ""  # empty where there are no clusters
    verdict: Verdict | None = None
    candidates: tuple[Candidate, ...] = ()
    prepared: Prepared | None = None
    others: tuple[Alternative, ...] = ()  # answers of other views of the table
    caution: str = ""  # what to know before the answer is used

    @property
    def clustered(self) -> bool:
        """Whether clusters were found."""
        return bool(self.method)


class Answer(NamedTuple):
    """What was found; `labels` belong to `rows` alone."""

    rows: Integers
    labels: Integers
    partition: Partition
    weights: Floats  # (d,) 0 where a column was dropped
    alternatives: list[Alternative]
    cut_short_by: str  # who left rounds out; empty: nobody


def search(
    X: Floats, scales: Floats, settings: Settings, clock: Clock, sources: Sources | None = None
) -> Answer:
    """Find the clusters of X, which is in units of its columns' deviations, `scales`.

    With `sources`, the columns of X are coordinates of these source columns.
    """
    rows = np.arange(len(X))
    if len(X) > MAX_ROWS:
        rng = np.random.default_rng([FIXED, 7])
        rows = np.sort(rng.choice(len(X), MAX_ROWS, replace=False))
    with one_blas_thread():
        partition = partition_of(X, scales, rows, settings, sources)
        weights = np.zeros(X.shape[1])
        others: list[Alternative] = []
        if partition.clustered:
            inside = partition.labels >= 0
            table = X[np.ix_(rows[inside], np.flatnonzero(partition.kept))]
            weights[partition.kept] = association(table, partition.labels[inside])
            if sources is not None:
                weights = sources.share_weights(weights)
            if not clock.is_late(0.8):
                others = _alternatives(partition, settings)
    return Answer(rows, partition.labels, partition, weights, others, clock.stopped_by)


def repeated_search(
    X: Floats,
    scales: Floats,
    answer: Answer,
    settings: Settings,
    sources: Sources | None = None,
) -> RepeatedSearch:
    """Return the objective that repeats the search on parts of the answer's rows."""

    def repeat(places: Integers) -> tuple[Integers, Mask]:
        chosen = answer.rows[places]
        own = None if sources is None else sources.take(chosen)
        with one_blas_thread():
            part = partition_of(X[chosen], scales, np.arange(len(places)), settings, own)
        return part.labels, part.kept

    return RepeatedSearch(answer.labels, X.shape[1], settings.n_resamples, settings.seed, repeat)


def partition_of(
    X: Floats,
    scales: Floats,
    rows: Integers,
    settings: Settings,
    sources: Sources | None = None,
) -> Partition:
    """Return the choice for the rows; columns are screened on all of X."""
    if sources is not None and settings.n_clusters != 1:
        return _partition_of_sources(X, scales, rows, settings, sources)
    if settings.n_clusters == 1:
        kept = np.ptp(X, axis=0) > 0.0
        group = np.full(len(kept), -1, dtype=np.int64)
        screening = Screening(~kept & False, ~kept & False, group, np.zeros(len(kept)))
        return Partition(np.zeros(len(rows), dtype=np.int64), ~kept & False, screening, 1.0)
    most = settings.n_clusters or settings.max_clusters
    examined = examine(
        X, scales, rows, rate=settings.rate, backend=settings.backend, max_clusters=most
    )
    prepared, candidates = examined.prepared, examined.candidates
    nothing = Partition(
        np.zeros(len(rows), dtype=np.int64), np.zeros_like(examined.kept), examined.screening, 1.0
    )
    allowed = np.array([_fits(each.labels, settings) for each in candidates], dtype=bool)
    if prepared is None or not allowed.any():
        return nothing
    judge = load()
    verdict = judge_candidates(
        judge, examined.values, examined.table_values, examined.labels(), allowed
    )
    told = settings.n_clusters is not None or settings.min_clusters is not None
    if verdict.no_clusters >= judge.gate_threshold and not told:
        return nothing._replace(confidence=verdict.no_clusters, verdict=verdict)
    winner = candidates[verdict.winner]
    return Partition(
        _answer_labels(prepared, winner, settings),
        examined.kept,
        examined.screening,
        verdict.confidence,
        winner.generators[0],
        verdict,
        candidates,
        prepared,
    )


def _partition_of_sources(
    X: Floats, scales: Floats, rows: Integers, settings: Settings, sources: Sources
) -> Partition:
    """Return the clusters of a table with categories.

    If the numbers among the kept columns show clusters by themselves and the judge is sure of
    them, they are the answer: categories then describe it. Otherwise all kept columns decide.
    """
    found = cluster_sources(
        sources,
        rows,
        rate=settings.rate,
        low=settings.n_clusters or settings.min_clusters,
        high=settings.n_clusters or settings.max_clusters,
        rng=np.random.default_rng([FIXED, 10]),
    )
    screening = sources.spread(found.screening)
    if not found.found:
        nothing = np.zeros(len(rows), dtype=np.int64)
        return Partition(nothing, np.zeros_like(screening.kept), screening, 0.5)
    by_columns = as_alternatives(found.found, found.found[0].stability)
    numbers = sources.coordinates_of_numbers(found.kept)
    others: tuple[Alternative, ...] = ()
    if len(np.unique(sources.owner[numbers])) >= 2:
        # Asked without a number: a number that is forced on the numbers says less of them.
        free = settings._replace(n_clusters=None, min_clusters=None, max_clusters=None)
        part = partition_of(X[:, numbers], scales[numbers], rows, free)
        if part.clustered and part.confidence >= SURE and _fits(part.labels, settings):
            kept = np.zeros(X.shape[1], dtype=bool)
            kept[numbers] = part.kept
            return part._replace(kept=kept, screening=screening, others=by_columns[:1])
        others = tuple(_alternatives(part, settings)) if part.clustered else ()
    chosen = found.found[0]
    return Partition(
        chosen.labels,
        found.kept[sources.owner],
        screening,
        confidence_of(chosen),
        method_of(chosen),
        others=(by_columns[0], *found.without, *others, *by_columns[1:]),
        caution=found.caution,
    )


def _fits(labels: Integers, settings: Settings) -> bool:
    """Say whether number and sizes of the clusters are as asked for."""
    sizes = np.bincount(labels[labels >= 0])
    low = settings.n_clusters or settings.min_clusters or 2
    high = settings.n_clusters or settings.max_clusters or len(labels)
    return low <= len(sizes) <= high and int(sizes.min()) >= settings.min_cluster_size


def _answer_labels(prepared: Prepared, candidate: Candidate, settings: Settings) -> Integers:
    """Return a candidate's labels in the order of the given rows."""
    labels = candidate.labels
    if not settings.outliers and labels.min() < 0:
        labels = flooded(prepared.trees[1].edges, labels)
    return number_by_first_row(prepared.restore(labels))


def _alternatives(partition: Partition, settings: Settings) -> list[Alternative]:
    verdict, prepared = partition.verdict, partition.prepared
    if verdict is None or prepared is None:
        return different(partition.others)
    labels = [_answer_labels(prepared, each, settings) for each in partition.candidates]
    methods = [each.generators[0] for each in partition.candidates]
    found = find_alternatives(labels, methods, verdict.scores, verdict.winner)
    return different((found[0], *partition.others, *found[1:]))


class Clock:
    """How much of the time limit is gone, and whether somebody asked for an end before."""

    def __init__(self, limit: float | None, asked_by: Callable[[], str]) -> None:
        self.limit = limit
        self.asked_by = asked_by
        self.start = time.monotonic()
        self.stopped_by = ""

    def is_late(self, share: float) -> bool:
        """Say whether so much of the limit has passed; what is asked for is then left out."""
        who = self.asked_by()
        if self.limit is not None and time.monotonic() - self.start > share * self.limit:
            who = who or "the time limit"
        self.stopped_by = who or self.stopped_by
        return bool(who)
