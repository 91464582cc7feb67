"""Other answers: the judge's next best that differ from the chosen one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.auto.judge import rand_index

SAME_STORY = 0.9  # adjusted Rand index from which two clusterings say the same
MAX_ALTERNATIVES = 6


class Alternative(NamedTuple):
    """One answer, the chosen one first."""

    quality: float  # the judge's score less that of the best candidate: 0 at best
    n_clusters: int
    labels: Integers  # of the rows that were clustered
    method: str


def find_alternatives(
    labels: list[Integers], methods: list[str], scores: Floats, winner: int
) -> list[Alternative]:
    """Return the winner, then further candidates by score that differ from all before them."""
    chosen: list[int] = [winner]
    for place in np.argsort(-scores, kind="stable"):
        if len(chosen) == MAX_ALTERNATIVES:
            break
        like = (rand_index(labels[place], labels[other]) for other in chosen)
        if all(index < SAME_STORY for index in like):
            chosen.append(int(place))
    best = float(scores.max())
    return [
        Alternative(float(scores[at]) - best, int(labels[at].max()) + 1, labels[at], methods[at])
        for at in chosen
    ]


def different(alternatives: tuple[Alternative, ...]) -> list[Alternative]:
    """Return the first, and those of the others that differ from all before them."""
    chosen: list[Alternative] = []
    for one in alternatives:
        like = (rand_index(one.labels, other.labels) for other in chosen)
        if len(chosen) < MAX_ALTERNATIVES and all(index < SAME_STORY for index in like):
            chosen.append(one)
    return chosen
