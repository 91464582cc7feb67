"""The best candidate of each number of clusters, and the evidence for and against it.

It answers "why three and not four?": the judge's score and a few plain measures, number by number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.auto.evidence import NAMES
from weft.auto.judge import Judge, Verdict
from weft.auto.reasons import reasons
from weft.auto.source_family import SourceCandidate
from weft.auto.source_judge import reasons_of, score_of, why_behind

MAX_NUMBERS = 12
NEAR = 2  # numbers that differ from the answer by at most this are always shown
# Measures that are shown, by the name that the evidence has.
MEASURES = {
    "silhouette": "silhouette_mean",
    "beyond_chance": "silhouette_beyond_chance",
    "shown_in_halves": "shown_in_halves",
    "agreement": "mean_agreement",
}


# Only candidates that the user's settings exclude can have a higher score than the answer.
NOT_ASKED = "the number or the sizes of its clusters are not what you asked for"


class NumberEvidence(NamedTuple):
    """The best candidate with `n_clusters` clusters."""

    n_clusters: int
    quality: float  # the judge's score minus that of the answer
    method: str
    n_candidates: int  # candidates of this number
    reasons: dict[str, list[str]]  # "for" and "against"
    measures: dict[str, float]
    labels: Integers  # of the rows that were clustered
    behind: str = ""  # why it is not the answer in spite of a higher score; empty otherwise


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
            NOT_ASKED if verdict.scores[place] > verdict.scores[verdict.winner] else "",
        )
        for place in sorted(chosen, key=lambda place: counts[place])
    ]


def evidence_of_sources(found: Sequence[SourceCandidate]) -> list[NumberEvidence]:
    """Return the best of each number of clusters of a mixed table; the answer comes first."""
    first: dict[int, SourceCandidate] = {}
    for one in found:
        first.setdefault(one.n_clusters, one)
    answer = found[0]
    return [
        NumberEvidence(
            one.n_clusters,
            score_of(one) - score_of(answer),
            one.method,
            sum(other.n_clusters == one.n_clusters for other in found),
            reasons_of(one),
            {"stability": one.stability, "agreement": one.agreement, "gain": one.gain},
            one.labels,
            why_behind(one) if score_of(one) > score_of(answer) else "",
        )
        for one in sorted(first.values(), key=lambda one: one.n_clusters)
    ]


def _best(places: Integers, score_of: Floats) -> int:
    return int(places[np.argmax(score_of[places])])
