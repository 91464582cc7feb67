"""AutoCluster on tables with categories, circles or dates: the part that works by source column.

Columns are screened as wholes (`weft.columns.mixed.screening`). The kept columns are clustered in
several ways (`weft.auto.source_family`), and a small judge that was fitted on synthetic tables of
this kind chooses the best clustering (`weft.auto.source_judge`). The judge of tables of numbers is
not used, because most of its evidence has another meaning on rows that lie on a lattice
(docs/decisions/0233, 0321).

If the clusters are the values of a category, or never mix a category's values, the clusters of the
other columns are offered as well. They are the answer if the clusters of all columns are the same
ones, split by the category, because the category is already in the table (`weft.auto.source_rest`).

If columns depend on each other, but rows are no more clumped than one cloud, there are no clusters.
The best clustering is still offered, as a weak answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft.auto.alternatives import Alternative
from weft.auto.source_family import LEAST_STABLE, SourceCandidate, source_candidates
from weft.auto.source_judge import confidence_of, ranked, score_of
from weft.auto.source_rest import is_product, look_into_clusters, put_repetitions_behind
from weft.columns.mixed import (
    describe_repetition,
    find_repetition,
    followed_columns,
    screen,
)
from weft.columns.mixed.gap_patterns import describe_gaps
from weft.columns.screening import Screening
from weft.columns.source import MixedTable

__all__ = [
    "SourceAnswer",
    "Sources",
    "as_alternatives",
    "cluster_sources",
    "is_mixed",
]

FEWEST_ROWS = 10


class Sources(NamedTuple):
    """A table by source column, its rows in the order of the coordinates' rows.

    Attributes
    ----------
    table : MixedTable
        The rows.
    owner : ndarray of shape (d,)
        The source column of each coordinate.
    """

    table: MixedTable
    owner: Integers

    def take(self, rows: Integers) -> Sources:
        """Return some of the rows."""
        return Sources(self.table.take_rows(rows), self.owner)

    def canonical_order(self) -> Integers:
        """Return the source columns in the order of their first coordinates."""
        return np.argsort(np.unique(self.owner, return_index=True)[1], kind="stable")

    def coordinates_of_numbers(self, kept: Mask) -> Integers:
        """Return the coordinates of kept source columns that are plain numbers."""
        plain = [set(column.measures) == {"number"} for column in self.table.used]
        return np.flatnonzero((np.array(plain, dtype=bool) & kept)[self.owner])

    def spread(self, screening: Screening) -> Screening:
        """Return values of source columns, repeated for each of their coordinates."""
        return Screening(
            screening.kept[self.owner],
            screening.dependent[self.owner],
            screening.group[self.owner],
            screening.strength[self.owner],
        )

    def share_weights(self, weights: Floats) -> Floats:
        """Return weights with the largest of each source column at all of its coordinates."""
        largest = np.zeros(len(self.table.used))
        np.maximum.at(largest, self.owner, weights)
        return largest[self.owner]


class SourceAnswer(NamedTuple):
    """Clusters by source column; `found` is empty if there are none."""

    screening: Screening  # of source columns
    kept: Mask  # source columns that were clustered
    found: tuple[SourceCandidate, ...] = ()  # the chosen one first
    without: tuple[Alternative, ...] = ()  # the answer without, or with, categories it repeats
    caution: str = ""
    confidence: float = 0.5  # how likely the first is right
    weak: tuple[Alternative, ...] = ()  # the best clustering if nothing is clumped


def is_mixed(table: MixedTable) -> bool:
    """Return whether a table has columns that are not plain numbers."""
    return any(measure != "number" for column in table.used for measure in column.measures)


def cluster_sources(
    sources: Sources,
    rows: Integers,
    *,
    rate: float,
    low: int | None,
    high: int | None,
    rng: np.random.Generator,
) -> SourceAnswer:
    """Screen the source columns on all rows, and cluster some of the rows.

    With `low` the user expects clusters, so dependent columns are used even if none is clumped.
    """
    order = sources.canonical_order()
    whole = sources.table.take_columns(order)
    screening = screen(whole, rate, rng)
    kept = screening.kept.copy()
    clumped = kept.sum() >= 2
    if not clumped:
        kept = screening.dependent.copy()
        if kept.sum() < 2 and low is not None:
            kept = np.ones_like(kept)
    if kept.sum() < 2 or len(rows) < FEWEST_ROWS:
        return SourceAnswer(_placed(screening, order), np.zeros_like(kept))
    table = whole.take_rows(rows).take_columns(np.flatnonzero(kept))
    found = _clusterings(table, low, high, clumped, rng)
    stable = found[0].stability >= LEAST_STABLE
    if low is None and not (clumped and stable):
        weak = _unscored(found[:1]) if stable else ()
        return SourceAnswer(_placed(screening, order), np.zeros_like(kept), weak=weak)
    repetition = find_repetition(found[0].labels, table)
    followed = followed_columns(found[0].labels, table)
    left_out = set(followed)
    cautions = []
    if repetition is not None and repetition.is_mere:
        cautions.append(describe_repetition(repetition, table))
        left_out |= set(repetition.columns)
    cautions.append(describe_gaps(found[0].labels, table))
    others = [number for number in range(len(table.used)) if number not in left_out]
    without: tuple[Alternative, ...] = ()
    if left_out and len(others) >= 2:
        rest = _clusterings(table.take_columns(others), low, high, clumped, rng)
        without = _unscored(rest[:1])
        split = [
            each
            for each in rest
            if each.stability >= LEAST_STABLE
            and is_product(found[0].labels, each.labels, followed, table)
        ]
        if followed and split and (low is None or low != high):
            # The category is already in the table; the clusters that it splits are the answer.
            kept[np.flatnonzero(kept)[list(followed)]] = False
            without = _unscored(found[:1])
            names = " and ".join(repr(table.used[number].name) for number in followed)
            behind = f"the clusters of all columns are those of the answer, split by {names}"
            others_of_rest = (each for each in rest if each is not split[0])
            found = [split[0], *(each._replace(behind=behind) for each in others_of_rest)]
            cautions = [describe_gaps(found[0].labels, table)]
    return SourceAnswer(
        _placed(screening, order),
        kept[np.argsort(order)],
        tuple(found),
        without,
        "; ".join(filter(None, cautions)),
        confidence_of(found[0]),
    )


def _placed(screening: Screening, order: Integers) -> Screening:
    """Return values of columns in canonical order, in the order of the table."""
    back = np.argsort(order)
    return Screening(
        screening.kept[back],
        screening.dependent[back],
        screening.group[back],
        screening.strength[back],
    )


def _clusterings(
    table: MixedTable, low: int | None, high: int | None, clumped: bool, rng: np.random.Generator
) -> list[SourceCandidate]:
    found = source_candidates(table, low=low or 2, high=high, with_classes=clumped, rng=rng)
    if not clumped or (low is not None and low == high):
        return ranked(found)
    return put_repetitions_behind(look_into_clusters(found, table, rng), table)


def as_alternatives(found: Sequence[SourceCandidate]) -> tuple[Alternative, ...]:
    """Return clusterings as alternatives; their quality is their score minus that of the first."""
    best = score_of(found[0]) if found else 0.0
    return tuple(
        Alternative(score_of(each) - best, each.n_clusters, each.labels, each.method)
        for each in found
    )


def _unscored(found: Sequence[SourceCandidate]) -> tuple[Alternative, ...]:
    """Return clusterings of other columns: scores are comparable for the same columns only."""
    return tuple(one._replace(quality=np.nan) for one in as_alternatives(found))
