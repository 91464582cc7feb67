"""Other answers: no other is at least as good, with as few features and as few clusters.

Quality, the number of features and the number of clusters pull against each other: a finer cut
says more, fewer features are easier to explain. Quality is the modularity on the graph of
neighbours in all kept columns, which judges every answer by the same measure; answers that do not
come out again when rows are left out are not offered.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.auto.family import CENTRE_STARTS
from weft.auto.judging import Candidate, Resamples, stability_of
from weft.columns.weights import explained
from weft.kmeans.plain import kmeans
from weft.metrics.graph import modularity_of

LEAST_STABILITY = 0.5


class Alternative(NamedTuple):
    """One answer on the front of quality, few features and few clusters."""

    quality: float  # modularity on the graph of all kept columns, below 1
    stability: float  # mean adjusted Rand index over the resamples, 1 at best
    n_features: int
    n_clusters: int
    features: Integers  # columns of the table as given
    labels: Integers  # of the rows that were clustered
    method: str


def find_alternatives(
    table: Floats,
    columns: Integers,
    winner: Candidate,
    candidates: list[Candidate],
    data: Resamples,
) -> list[Alternative]:
    """Return the front over all candidates, and over fewer features for the winner's number."""
    graph = data.whole.neighbours
    found = []

    def offer(labels: Integers, stability: float, chosen: Integers, name: str) -> None:
        if labels.max() > 0 and stability >= LEAST_STABILITY:
            quality, number = modularity_of(labels, graph), int(labels.max()) + 1
            found.append(Alternative(quality, stability, len(chosen), number, chosen, labels, name))

    for one in [winner, *candidates]:
        offer(one.labels, one.stability, columns, one.name)
    strongest = np.argsort(-explained(table, winner.labels), kind="stable")
    n_features = len(columns) // 2
    while n_features >= 1 and data.rows:
        chosen = np.sort(strongest[:n_features])
        rows = np.ascontiguousarray(table[:, chosen])
        rng = np.random.default_rng([data.seed, 3, n_features])
        labels, *again = (
            kmeans(part, winner.n_clusters, CENTRE_STARTS, rng).labels
            for part in (rows, *(rows[which] for which in data.rows))
        )
        stability = stability_of(labels, again, data.rows)
        offer(labels, stability, columns[chosen], f"centres-{winner.n_clusters}")
        n_features //= 2
    return pareto_front(found)


def pareto_front(found: list[Alternative]) -> list[Alternative]:
    """Return those that no other beats in quality, features and clusters; best quality first."""
    front: list[Alternative] = []
    for one in sorted(found, key=lambda a: (-a.quality, a.n_features, a.n_clusters)):
        beaten = any(
            other.quality >= one.quality
            and other.n_features <= one.n_features
            and other.n_clusters <= one.n_clusters
            for other in front
        )
        if not beaten:
            front.append(one)
    return front
