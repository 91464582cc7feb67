"""Clusters that a clustering of a mixed table misses, and categories that it merely repeats.

Two questions are asked about the clusterings that the judge ranks first:

- Are the rows of a cluster still clumped, compared with one cloud (`weft.columns.mixed.clumps`)?
  Then there are more clusters. Two clusters on which all methods agree may each consist of several,
  and stability alone would prefer the two.
- Are the clusters those of the other columns, split by the values of a category? Species by sex is
  such an answer: the sex is a column of the table, and the species are what was found.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.metrics import adjusted_rand_score

from weft._base.arrays import Integers
from weft.auto.source_family import LEAST_STABLE, SourceCandidate
from weft.auto.source_judge import ranked
from weft.columns.mixed import describe_repetition, find_repetition
from weft.columns.mixed.clumps import clumping
from weft.columns.mixed.dependence import make_cells
from weft.columns.source import MixedTable

N_CLOUDS = 10
FEWEST_ROWS = 30  # of a cluster that is examined
MOST_LOOKED = 4
LIKE = 0.9  # adjusted Rand index from which two clusterings are examined only once
MOST_TRIED = 6  # candidates that are tested for merely repeating a category
SAME = 0.8  # adjusted Rand index of clusters with the product of fewer clusters and categories


def look_into_clusters(
    found: Sequence[SourceCandidate], table: MixedTable, rng: np.random.Generator
) -> list[SourceCandidate]:
    """Return the candidates, best first, after examining the clusters of the leading ones.

    Clumps can only lower a candidate's score, so the search ends when the first candidate has been
    examined, or after `MOST_LOOKED` of them. Methods that agree share the result. A candidate that
    was not examined counts at least the clumps of those with more clusters; otherwise it could take
    the lead only because it was not examined.
    """
    order = ranked(found)
    looked: set[int] = set()
    for _ in range(MOST_LOOKED):
        first = order[0]
        if id(first.labels) in looked or first.stability < LEAST_STABLE:
            break
        remaining = remaining_clumps(first.labels, table, rng)
        for place, each in enumerate(order):
            if each.n_clusters == first.n_clusters and _is_same(each.labels, first.labels):
                looked.add(id(each.labels))
                order[place] = each._replace(remaining=remaining)
            elif each.n_clusters < first.n_clusters and id(each.labels) not in looked:
                order[place] = each._replace(remaining=max(each.remaining, remaining))
        order = ranked(order)
    return order


def _is_same(labels: Integers, others: Integers) -> bool:
    return float(adjusted_rand_score(labels, others)) >= LIKE


def remaining_clumps(labels: Integers, table: MixedTable, rng: np.random.Generator) -> float:
    """Return the largest clumping of the rows of one cluster, in deviations of clouds."""
    largest = 0.0
    for label in range(int(labels.max()) + 1):
        rows = np.flatnonzero(labels == label)
        if len(rows) >= FEWEST_ROWS:
            largest = max(largest, clumping(table.take_rows(rows), rng, N_CLOUDS))
    return largest


def put_repetitions_behind(
    found: list[SourceCandidate], table: MixedTable
) -> list[SourceCandidate]:
    """Return the candidates, the best one that does not merely repeat a category first."""
    repeating: list[SourceCandidate] = []
    for place, each in enumerate(found[:MOST_TRIED]):
        if each.stability < LEAST_STABLE:
            break
        repetition = find_repetition(each.labels, table)
        if repetition is None or not repetition.is_mere:
            return [each, *repeating, *found[place + 1 :]]
        repeating.append(each._replace(behind=describe_repetition(repetition, table)))
    return found  # all of them repeat a category


def is_product(
    labels: Integers, coarser: Integers, columns: Sequence[int], table: MixedTable
) -> bool:
    """Return whether clusters are those of fewer clusters, each split by the values of
    categories."""
    if len(np.unique(coarser)) >= len(np.unique(labels)):
        return False
    codes = make_cells(table).codes
    product = coarser.astype(np.int64)
    has = np.ones(len(labels), dtype=bool)
    for number in columns:
        own = codes[:, table.used[number].positions[0]]
        has &= own >= 0
        product = product * (int(own.max(initial=0)) + 1) + own
    return bool(has.any()) and float(adjusted_rand_score(labels[has], product[has])) >= SAME
