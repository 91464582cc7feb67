"""AutoCluster on tables with categories, circles or dates: the part that works by source column.

Columns are screened as wholes (`weft.columns.mixed.screening`), rows are put along the main
directions of the kept columns, and k-means there takes the finest number of clusters on which
halves of the rows agree (`weft.choosing.stability`). The judge is not asked: it was trained on
clouds of numbers, and on rows that lie on a lattice it is a worse guide than agreement
(docs/decisions/0233).

If the clusters are the values of a category, or never mix a category's values, what the other
columns say without it is offered as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft._base.labels import number_by_first_row
from weft.auto.alternatives import Alternative
from weft.choosing.stability import MAX_CLUSTERS, StableClustering, cluster_by_stability
from weft.columns.mixed import (
    along_main_directions,
    describe_repetition,
    find_repetition,
    followed_columns,
    learn_main_view,
    screen,
)
from weft.columns.screening import Screening
from weft.columns.source import MixedTable

FEWEST_ROWS = 10
MOST_CONFIDENT = 0.6


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

    def coordinates_of_numbers(self, kept: Mask) -> Integers:
        """Return the coordinates of kept source columns that are plain numbers."""
        plain = [set(column.measures) == {"number"} for column in self.table.used]
        return np.flatnonzero((np.array(plain, dtype=bool) & kept)[self.owner])

    def spread(self, screening: Screening) -> Screening:
        """Return what was found of source columns for each of their coordinates."""
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
    """Clusters by source column; `found` is empty where there are none."""

    screening: Screening  # of source columns
    kept: Mask  # source columns that the clusters are made on
    found: tuple[StableClustering, ...] = ()  # the chosen one first
    without: tuple[Alternative, ...] = ()  # what columns say without those that clusters repeat
    caution: str = ""


def is_mixed(table: MixedTable) -> bool:
    """Say whether a table has columns that are not plain numbers."""
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

    With `low` there are clusters, and dependent columns will do where none is clumped.
    """
    screening = screen(sources.table, rate, rng)
    kept = screening.kept
    if kept.sum() < 2 and low is not None:
        kept = screening.dependent
        if kept.sum() < 2:
            kept = np.ones_like(kept)
    if kept.sum() < 2 or len(rows) < FEWEST_ROWS:
        return SourceAnswer(screening, np.zeros_like(kept))
    table = sources.table.take_rows(rows).take_columns(np.flatnonzero(kept))
    found = _clusterings(table, low, high, rng)
    if low is None and not found[0].is_stable:
        return SourceAnswer(screening, np.zeros_like(kept))
    repetition = find_repetition(found[0].labels, table)
    left_out = set(followed_columns(found[0].labels, table))
    caution = ""
    if repetition is not None and repetition.is_mere:
        caution = describe_repetition(repetition, table)
        left_out |= set(repetition.columns)
    others = [number for number in range(len(table.used)) if number not in left_out]
    without: tuple[Alternative, ...] = ()
    if left_out and len(others) >= 2:
        rest = _clusterings(table.take_columns(others), low, high, rng)
        without = as_alternatives(rest[:1], found[0].stability)
    return SourceAnswer(screening, kept, tuple(found), without, caution)


def _clusterings(
    table: MixedTable, low: int | None, high: int | None, rng: np.random.Generator
) -> list[StableClustering]:
    points = along_main_directions(learn_main_view(table), table.values)
    found = cluster_by_stability(points, low=low or 2, high=high or MAX_CLUSTERS, rng=rng)
    return [each._replace(labels=number_by_first_row(each.labels)) for each in found]


def as_alternatives(
    found: list[StableClustering] | tuple[StableClustering, ...], best: float
) -> tuple[Alternative, ...]:
    """Return clusterings as alternatives; their quality is their stability less the best one's."""
    return tuple(
        Alternative(each.stability - best, each.n_clusters, each.labels, method_of(each))
        for each in found
    )


def method_of(clustering: StableClustering) -> str:
    """Return what a clustering is called."""
    return f"main-directions-kmeans:{clustering.n_clusters}"


def confidence_of(clustering: StableClustering) -> float:
    """Return a cautious probability that a clustering is right, from its stability.

    On the sets of bench.mixed, 5 of the 8 answers on which halves agree by 0.9 and more are right
    (adjusted Rand index of at least 0.8), and none of the others: it rises from 0 to 0.6.
    """
    return MOST_CONFIDENT * float(np.clip(2.0 * clustering.stability - 1.0, 0.0, 1.0))
