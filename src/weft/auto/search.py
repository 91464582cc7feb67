"""The complete search of AutoCluster: from rows to clusters, weights, confidence and alternatives.

1. Columns that matter are kept (`weft.columns.screening`); if none is kept, all are used.
2. Many methods propose clusterings of these columns (`candidates`).
3. Evidence that needs no labels is measured for each (`evidence`), and a judge that was trained on
   synthetic tables ranks them (`judge`). It also estimates the probability that there are no
   clusters, and the probability that the winner is right.
4. The search is repeated on parts of the rows, to measure how stable the answer is (`resampling`).

All random draws except those of step 4 depend only on the table, so another seed gives the same
clusters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft._base.labels import number_by_first_row
from weft.auto.alternatives import Alternative, different, find_alternatives
from weft.auto.by_number import NumberEvidence, evidence_by_number, evidence_of_sources
from weft.auto.candidates import Candidate
from weft.auto.clock import Clock
from weft.auto.examining import FIXED, Examined, examine, most_clusters, without_outliers
from weft.auto.judge import Verdict, is_unfamiliar, judge_candidates, load
from weft.auto.pool import cluster_sizes
from weft.auto.resampling import Repeat, rows_of_round
from weft.auto.sources import Sources, as_alternatives, cluster_sources
from weft.auto.working import MAX_ROWS, Prepared
from weft.backends import CPU, Backend
from weft.columns.screening import Screening
from weft.columns.weights import association
from weft.parallel.ahead import ALONE, Helpers
from weft.parallel.blas import one_blas_thread

# If "no clusters" is less probable than this, the best clustering is offered as a weak alternative.
SURE_OF_NONE = 0.9


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
    one_unit: bool = False  # columns share a unit
    unit_rows: bool = False  # only the direction of a row counts


class Partition(NamedTuple):
    """The judge's choice for some rows; all `labels` are 0 if there are no clusters."""

    labels: Integers
    kept: Mask  # columns that were clustered
    screening: Screening
    confidence: float
    method: str = ""  # empty if there are no clusters
    verdict: Verdict | None = None
    examined: Examined | None = None
    others: tuple[Alternative, ...] = ()  # answers of other views of the table
    caution: str = ""  # a warning about the answer
    by_number: tuple[NumberEvidence, ...] = ()  # of a mixed table

    @property
    def clustered(self) -> bool:
        """Whether clusters were found."""
        return bool(self.method)


class Answer(NamedTuple):
    """The result; `labels` are those of `rows` only."""

    rows: Integers
    labels: Integers
    partition: Partition
    weights: Floats  # (d,) 0 where a column was dropped
    alternatives: list[Alternative]
    by_number: list[NumberEvidence]
    cut_short_by: str  # why rounds were left out; empty if none was


def search(
    X: Floats,
    scales: Floats,
    settings: Settings,
    clock: Clock,
    sources: Sources | None = None,
    *,
    helpers: Helpers = ALONE,
) -> Answer:
    """Find the clusters of X, which is in units of its columns' deviations, `scales`.

    With `sources`, the columns of X are coordinates of these source columns. `helpers` are threads
    that compute parts of the search.
    """
    rows = rows_of_search(len(X))
    with one_blas_thread():
        partition = partition_of(X, scales, rows, settings, sources, helpers=helpers)
        weights = np.zeros(X.shape[1])
        others: list[Alternative] = []
        by_number: list[NumberEvidence] = []
        if partition.clustered:
            inside = partition.labels >= 0
            table = X[np.ix_(rows[inside], np.flatnonzero(partition.kept))]
            weights[partition.kept] = association(table, partition.labels[inside])
            if sources is not None:
                weights = sources.share_weights(weights)
            if not clock.is_late(0.8):
                others, by_number = _others(partition, settings)
        else:  # a weak clustering is shown, but the answer is "no clusters"
            others = _weak_answers(partition)
    return Answer(rows, partition.labels, partition, weights, others, by_number, clock.stopped_by)


def round_of_search(
    X: Floats,
    scales: Floats,
    settings: Settings,
    sources: Sources | None = None,
    *,
    helpers: Helpers = ALONE,
) -> Callable[[int], Repeat]:
    """Return the function that repeats the search on part of the rows, given the round's number."""
    rows = rows_of_search(len(X))

    def repeat(number: int) -> Repeat:
        places = rows_of_round(len(rows), settings.seed, number)
        chosen = rows[places]
        own = None if sources is None else sources.take(chosen)
        with one_blas_thread():
            part = partition_of(
                X[chosen], scales, np.arange(len(places)), settings, own, helpers=helpers
            )
        return Repeat(places, part.labels, part.kept)

    return repeat


def rows_of_search(n_rows: int) -> Integers:
    """Return the rows that are clustered: all, or a sample of a large table."""
    if n_rows <= MAX_ROWS:
        return np.arange(n_rows)
    rng = np.random.default_rng([FIXED, 7])
    return np.sort(rng.choice(n_rows, MAX_ROWS, replace=False))


def partition_of(
    X: Floats,
    scales: Floats,
    rows: Integers,
    settings: Settings,
    sources: Sources | None = None,
    *,
    helpers: Helpers = ALONE,
) -> Partition:
    """Return the choice for the rows; columns are screened on all of X."""
    if sources is not None and settings.n_clusters != 1:
        return _partition_of_sources(X, scales, rows, settings, sources, helpers)
    if settings.n_clusters == 1:
        kept = np.ptp(X, axis=0) > 0.0
        group = np.full(len(kept), -1, dtype=np.int64)
        screening = Screening(~kept & False, ~kept & False, group, np.zeros(len(kept)))
        return Partition(np.zeros(len(rows), dtype=np.int64), ~kept & False, screening, 1.0)
    most = most_clusters(settings.n_clusters, settings.max_clusters, len(rows))
    examined = examine(
        X,
        scales,
        rows,
        rate=settings.rate,
        backend=settings.backend,
        max_clusters=most,
        one_unit=settings.one_unit,
        unit_rows=settings.unit_rows,
        helpers=helpers,
    )
    nothing = Partition(
        np.zeros(len(rows), dtype=np.int64), np.zeros_like(examined.kept), examined.screening, 1.0
    )
    if not examined.representations:
        return nothing
    pool = examined.pool()
    allowed = _fits(examined.labels(outliers=settings.outliers), settings)
    if not allowed.any():
        return nothing
    judge = load()
    told, unfamiliar = settings.n_clusters is not None, is_unfamiliar(len(rows), X.shape[1])
    verdict = judge_candidates(judge, pool, allowed, told=told, unfamiliar=unfamiliar)
    expected = settings.n_clusters is not None or settings.min_clusters is not None
    prepared, winner = examined.candidate(verdict.winner)
    labels = _answer_labels(prepared, winner, settings)
    if verdict.no_clusters >= judge.gate_threshold and not expected:
        weak = Alternative(np.nan, int(labels.max()) + 1, labels, winner.generators[0])
        others = (weak,) if verdict.no_clusters < SURE_OF_NONE else ()
        return nothing._replace(confidence=verdict.no_clusters, verdict=verdict, others=others)
    return Partition(
        labels,
        examined.kept,
        examined.screening,
        verdict.confidence,
        winner.generators[0],
        verdict,
        examined,
    )


def _partition_of_sources(
    X: Floats,
    scales: Floats,
    rows: Integers,
    settings: Settings,
    sources: Sources,
    helpers: Helpers,
) -> Partition:
    """Return the clusters of a table with categories.

    All kept columns are clustered; the clusters of the numbers alone are an alternative.
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
        return Partition(nothing, np.zeros_like(screening.kept), screening, 0.5, others=found.weak)
    by_columns = as_alternatives(found.found)
    numbers = sources.coordinates_of_numbers(found.kept)
    others: tuple[Alternative, ...] = ()
    if len(np.unique(sources.owner[numbers])) >= 2:
        # The numbers are clustered without a given number of clusters, which says more about them.
        free = settings._replace(n_clusters=None, min_clusters=None, max_clusters=None)
        part = partition_of(X[:, numbers], scales[numbers], rows, free, helpers=helpers)
        apart = _others(part, settings)[0] if part.clustered else []
        others = tuple(one._replace(quality=np.nan) for one in apart)  # scores of another judge
    chosen = found.found[0]
    return Partition(
        chosen.labels,
        found.kept[sources.owner],
        screening,
        found.confidence,
        chosen.method,
        others=(by_columns[0], *found.without, *others, *by_columns[1:]),
        caution=found.caution,
        by_number=tuple(evidence_of_sources(found.found)),
    )


def _fits(labels: Integers, settings: Settings) -> Mask:
    """Return for each candidate whether number and sizes of its clusters are as the user asked."""
    n_clusters, smallest = cluster_sizes(labels)
    low = settings.n_clusters or settings.min_clusters or 2
    high = settings.n_clusters or settings.max_clusters or labels.shape[1]
    allowed = (low <= n_clusters) & (n_clusters <= high)
    return np.asarray(allowed & (smallest >= settings.min_cluster_size))


def _answer_labels(prepared: Prepared, candidate: Candidate, settings: Settings) -> Integers:
    """Return a candidate's labels in the order of the given rows."""
    labels = candidate.labels
    if not settings.outliers:
        labels = without_outliers(prepared, labels)
    return number_by_first_row(prepared.restore(labels))


def _others(
    partition: Partition, settings: Settings
) -> tuple[list[Alternative], list[NumberEvidence]]:
    """Return other answers, and the best of each number of clusters."""
    verdict, examined = partition.verdict, partition.examined
    if verdict is None or examined is None:
        return different(partition.others), list(partition.by_number)
    every = [examined.candidate(place) for place in range(len(verdict.scores))]
    labels = [_answer_labels(prepared, each, settings) for prepared, each in every]
    methods = [each.generators[0] for _, each in every]
    found = find_alternatives(labels, methods, verdict.scores, verdict.winner)
    values = np.vstack([way.values for way in examined.representations])
    numbers = evidence_by_number(load(), labels, methods, values, verdict)
    return found, numbers


def _weak_answers(partition: Partition) -> list[Alternative]:
    """Return the answer "no clusters", and weak alternatives to it."""
    if not partition.others:
        return []
    return [Alternative(0.0, 1, partition.labels, "none"), *partition.others]
