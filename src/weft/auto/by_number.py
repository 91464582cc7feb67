"""The best candidate of each number of clusters, and the evidence for and against it.

It answers "why three and not four?": the judge's score and a few plain measures, number by number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.auto.alternatives import Alternative
from weft.auto.evidence import NAMES
from weft.auto.judge import Judge, Verdict
from weft.auto.reasons import reasons

MAX_NUMBERS = 12
NEAR = 2  # numbers that differ from the answer by at most this are always shown
# Measures that are shown, by the name that the evidence has.
MEASURES = {
    "silhouette": "silhouette_mean",
    "beyond_chance": "silhouette_beyond_chance",
    "shown_in_halves": "shown_in_halves",
    "agreement": "mean_agreement",
}


class NumberEvidence(NamedTuple):
    """The best candidate with `n_clusters` clusters."""

    n_clusters: int
    quality: float  # the judge's score minus that of the answer: below 0 for all others
    method: str
    n_candidates: int  # candidates of this number
    reasons: dict[str, list[str]]  # "for" and "against"
    measures: dict[str, float]
    labels: Integers  # of the rows that were clustered


def evidence_by_number(
    judge: Judge,
    labels: Sequence[Integers],
    methods: Sequence[str],
    values: Floats,
    verdict: Verdict,
) -> list[NumberEvidence]:
    """Return the best candidate of each number of clusters, in the order of the numbers.

    Parameters
    ----------
    judge : what `load` gave
    labels, methods : of the candidates, as an answer would have them
    values : (C, F) their evidence
    verdict : on them; for the winner's number of clusters, the winner is used whatever the scores
    """
    counts = np.array([int(own.max()) + 1 for own in labels])
    score_of = np.array(verdict.scores, dtype=np.float64)
    score_of[verdict.winner] = np.inf
    best = [_best(np.flatnonzero(counts == number), score_of) for number in np.unique(counts)]
    # Numbers next to the answer come first, because people ask "why not one more?".
    answer = counts[verdict.winner]
    chosen = sorted(best, key=lambda at: (abs(counts[at] - answer) > NEAR, -score_of[at]))
    chosen = chosen[:MAX_NUMBERS]
    columns = {name: NAMES.index(measure) for name, measure in MEASURES.items()}
    return [
        NumberEvidence(
            int(counts[place]),
            float(verdict.scores[place] - verdict.scores[verdict.winner]),
            methods[place],
            int((counts == counts[place]).sum()),
            reasons(judge, verdict.evidence[place]),
            {name: float(values[place, column]) for name, column in columns.items()},
            labels[place],
        )
        for place in sorted(chosen, key=lambda place: counts[place])
    ]


def of_alternatives(alternatives: Sequence[Alternative]) -> list[NumberEvidence]:
    """Return the best of each number for answers without the scores of a judge."""
    first: dict[int, Alternative] = {}
    for one in sorted(alternatives[1:], key=lambda one: -one.quality):
        first.setdefault(one.n_clusters, one)
    for one in alternatives[:1]:
        first[one.n_clusters] = one
    found = sorted(first.values(), key=lambda one: one.n_clusters)[:MAX_NUMBERS]
    return [
        NumberEvidence(
            one.n_clusters,
            one.quality - alternatives[0].quality,
            one.method,
            sum(other.n_clusters == one.n_clusters for other in alternatives),
            {"for": [], "against": []},
            {},
            one.labels,
        )
        for one in found
    ]


def _best(places: Integers, score_of: Floats) -> int:
    return int(places[np.argmax(score_of[places])])
