"""Other answers: no other is at least as good, with as few features and as few clusters.

Quality, the number of features and the number of clusters pull against each other; the answer that
was chosen is one point of their Pareto front, and these are the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.auto.judging import (
    Candidate,
    Resamples,
    make_resamples,
    run_members,
    stability_of,
)
from weft.auto.family import by_centres, by_tree

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Alternative(NamedTuple):
    """One answer on the front of quality, few features and few clusters."""

    quality: float  # stability under resampling, 1 at best
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
    from weft.auto.search import explained

    found = [
        Alternative(c.stability, len(columns), c.n_clusters, columns, c.labels, c.name)
        for c in [winner, *candidates]
        if c.n_clusters > 1
    ]
    strongest = np.argsort(-explained(table, winner.labels), kind="stable")
    n_features = len(columns) // 2
    while n_features >= 1 and len(data.rows) > 0:
        chosen = np.sort(strongest[:n_features])
        part = make_resamples(
            table[:, chosen], data.whole.most, len(data.rows), data.seed, data.n_jobs
        )
        members = {"compact": by_tree, f"centres-{winner.n_clusters}": by_centres(winner.n_clusters)}
        for name, (labels, *again) in run_members(members, part).items():
            if labels.max() > 0:
                quality = stability_of(labels, again, part.rows)
                number = int(labels.max()) + 1
                found.append(
                    Alternative(quality, n_features, number, columns[chosen], labels, name)
                )
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
