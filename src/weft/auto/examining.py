"""From rows to candidates and their evidence: columns, working table, family, measures.

The judge was trained on the output of this module. After a change, it must be trained again.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft.auto.candidates import Candidate, generate
from weft.auto.candidates.trees import flooded
from weft.auto.evidence import measure, measure_table
from weft.auto.evidence.lumps import one_lump_copies
from weft.auto.pool import Pool
from weft.auto.representations import FEWEST_FOR_AXES, on_even_axes, profiles_of
from weft.auto.working import MAX_AXES, Prepared, prepare
from weft.backends import CPU, Backend
from weft.columns.screening import USUAL_RATE, Screening, screen
from weft.columns.wide import is_wide, screen_wide
from weft.parallel.ahead import ALONE, Helpers
from weft.parallel.blas import one_blas_thread

FEWEST_ROWS = 10  # with fewer rows, no clustering can be distinguished from chance
FIXED = 0  # the seed of every draw that the answer depends on
WIDE_AXES = 12  # of a wide table: with few rows, later axes are mostly noise
ALL_TRIED = 20  # numbers of clusters up to this are all tried
COMMON_UNIT = 30.0  # columns whose deviations differ by a smaller factor may share a unit


class Representation(NamedTuple):
    """One representation of the rows: its candidates, and their evidence."""

    prepared: Prepared
    candidates: tuple[Candidate, ...]
    values: Floats  # (C, F) evidence of each candidate
    table_values: Floats  # (T,) evidence of the table

    def labels(self, *, outliers: bool = False) -> Integers:
        """Return the candidates' labels, (C, n), in the order of the given rows.

        With `outliers` an outlier is -1, otherwise it is placed by `without_outliers`.
        """
        rows = [
            each.labels if outliers else without_outliers(self.prepared, each.labels)
            for each in self.candidates
        ]
        return np.stack([self.prepared.restore(row) for row in rows])


class Examined(NamedTuple):
    """Candidates and evidence of some rows, before they are judged."""

    screening: Screening
    kept: Mask  # columns that the candidates are made on
    # Empty: too few rows, no column varies, or no candidate.
    representations: tuple[Representation, ...] = ()

    def labels(self, *, outliers: bool = False) -> Integers:
        """Return the labels of all candidates, (C, n)."""
        return np.vstack([way.labels(outliers=outliers) for way in self.representations])

    def pool(self) -> Pool:
        """Return the candidates of all representations as the judge takes them.

        Their labels are those that a user gets, without outliers: the judge is trained to find the
        best of these.
        """
        ways = self.representations
        return Pool(
            self.labels(),
            np.vstack([way.values for way in ways]),
            np.repeat(np.arange(len(ways)), [len(way.candidates) for way in ways]),
            np.stack([way.table_values for way in ways]),
        )

    def candidate(self, place: int) -> tuple[Prepared, Candidate]:
        """Return a candidate by its place in the pool, and the rows that it was made on."""
        for way in self.representations:
            if place < len(way.candidates):
                return way.prepared, way.candidates[place]
            place -= len(way.candidates)
        raise IndexError(place)


def without_outliers(prepared: Prepared, labels: Integers) -> Integers:
    """Return labels in which each outlier is in the cluster that the tree reaches first."""
    return flooded(prepared.trees[1].edges, labels) if labels.min() < 0 else labels


def examine(
    X: Floats,
    scales: Floats,
    rows: Integers,
    *,
    rate: float = USUAL_RATE,
    backend: Backend = CPU,
    max_clusters: int | None = None,
    one_unit: bool = False,
    unit_rows: bool = False,
    helpers: Helpers = ALONE,
) -> Examined:
    """Screen the columns of X, make candidates for the rows, and measure them.

    `X` (n, d) is in units of its columns' deviations, which are `scales` (d,). With `one_unit` it
    is treated as a wide table whose columns share a unit; with `unit_rows` only the direction of
    a row counts. With `helpers` the representations are computed side by side.
    """
    rng = np.random.default_rng([FIXED, 9])
    wide = one_unit or is_wide(*X.shape)
    screening = screen_wide(X, rate, rng) if wide else screen(X, rate, rng, backend=backend)
    # Nothing was kept: the columns of a grid of clusters, for example, do not depend on each other.
    kept = screening.kept if screening.kept.any() else np.ptp(X, axis=0) > 0.0
    if len(rows) < FEWEST_ROWS or not kept.any():
        return Examined(screening, kept)
    table = X[np.ix_(rows, np.flatnonzero(kept))]
    # Wide tables are mostly measurements of one kind, in which columns that vary more matter more.
    in_one_unit = one_unit or (wide and share_a_unit(scales[kept]))
    ways = [(table * scales[kept] if in_one_unit else table, not in_one_unit)]
    with one_blas_thread():
        if wide and not unit_rows:
            ways.append((profiles_of(table, scales[kept] if in_one_unit else None), False))
        elif not wide and table.shape[1] >= FEWEST_FOR_AXES:
            ways.append((on_even_axes(table), True))
    max_axes = WIDE_AXES if wide else MAX_AXES
    represented = helpers.side_by_side(
        [
            partial(_represent, way, standardise, max_axes, max_clusters, unit_rows)
            for way, standardise in ways
        ]
    )
    found = tuple(each for each in represented if each is not None)
    return Examined(screening, kept, found)


def _represent(
    table: Floats, standardise: bool, max_axes: int, max_clusters: int | None, unit_rows: bool
) -> Representation | None:
    """Return the candidates of a table with their evidence; None without a candidate."""
    prepared = prepare(
        table, FIXED, standardise=standardise, max_axes=max_axes, unit_rows=unit_rows
    )
    candidates = generate(prepared, max_clusters=max_clusters)
    if not candidates:
        return None
    with one_blas_thread():
        copies = one_lump_copies(prepared)
    values = measure(prepared, candidates, copies)
    table_values = measure_table(prepared, candidates, values, copies)
    return Representation(prepared, tuple(candidates), values, table_values)


def share_a_unit(scales: Floats) -> bool:
    """Return whether deviations are so similar that columns may have the same unit."""
    low, high = np.quantile(scales, [0.05, 0.95])
    return bool(0.0 < high < COMMON_UNIT * low)


def most_clusters(told: int | None, most: int | None, n_rows: int) -> int | None:
    """Return the largest number of clusters to try; None: all that are usual.

    Candidates of other numbers are needed as rivals, with which those of a given number are
    compared, as in the judge's training. A number that is not tried by default has to be included.
    """
    if told is None:
        return most
    return None if told <= min(ALL_TRIED, n_rows // 2) else told
