"""The small judge of mixed tables: a score for each candidate, and how likely the best is right.

The score is a sum of the evidence of `weft.auto.source_family`, each times a weight, and the
confidence a logistic function of the winner's evidence. Both sets of numbers were fitted on
synthetic tables (`python -m bench.mixed.training`, kinds of tables in `bench/mixed/world.py`): the
weights so that the winner's adjusted Rand index is large on average, the confidence so that it is
the share of answers with an index of at least 0.8. Tables without clusters that pass the screening
count there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from weft._base.arrays import Floats
from weft.auto.source_family import (
    CLASSES,
    DEPENDENT,
    LEAST_STABLE,
    SMALL,
    SourceCandidate,
)

# Weights of: stability, smallest, agreement, both ratios, latent classes, dependent classes, log of
# the number of clusters.
SCORE = (2.69, 1.08, 1.67, 2.86, 3.21, 0.29, 1.49, -2.01)
# Clumps within a cluster count from so many deviations of clouds, and no more from so many beyond;
# each deviation between costs `REMAINING_COST` of the score. Chosen on the same tables.
CLUMPED, MOST_CLUMPED = 2.5, 3.0
REMAINING_COST = 1.0
# Constant and weights of the winner's: stability, agreement, gain up to `MOST_GAIN`, clumps that
# remain, and its lead over other numbers of clusters up to `MOST_LEAD`.
CONFIDENCE = (-4.07, 1.3, 2.21, 3.48, -0.5, 0.5)
MOST_GAIN = 1.0
MOST_LEAD = 2.0
MOST_CONFIDENT = 0.95  # more was not tried often enough


def score_features(candidate: SourceCandidate) -> Floats:
    """Return what the score weighs."""
    return np.array(
        [
            candidate.stability,
            candidate.smallest / SMALL,
            candidate.agreement,
            candidate.ratio,
            candidate.joint_ratio,
            float(candidate.way == CLASSES),
            float(candidate.way == DEPENDENT),
            math.log(candidate.n_clusters),
        ]
    )


def confidence_features(candidate: SourceCandidate, lead: float) -> Floats:
    """Return what the confidence weighs."""
    gain = float(np.clip(candidate.gain, 0.0, MOST_GAIN))
    clumps = float(np.clip(candidate.remaining - CLUMPED, 0.0, MOST_CLUMPED))
    return np.array([1.0, candidate.stability, candidate.agreement, gain, clumps, lead])


def margin_of(scores: Sequence[float], numbers: Sequence[int]) -> float:
    """Return the lead of the best score over the best with another number of clusters."""
    first = int(np.argmax(scores))
    others = [s for s, count in zip(scores, numbers, strict=True) if count != numbers[first]]
    return float(np.clip(scores[first] - max(others, default=-np.inf), 0.0, MOST_LEAD))


def score_of(candidate: SourceCandidate) -> float:
    """Return the judge's score: higher is better, comparable within a table."""
    return float(score_features(candidate) @ np.array(SCORE)) - cost_of_clumps(candidate.remaining)


def cost_of_clumps(remaining: float) -> float:
    """Return what clumps within a cluster take from the score."""
    return REMAINING_COST * float(np.clip(remaining - CLUMPED, 0.0, MOST_CLUMPED))


def confidence_of(found: Sequence[SourceCandidate]) -> float:
    """Return about how likely the first of some clusterings is right (adjusted Rand index of 0.8).

    The others are those that it competed with.
    """
    stable = [each for each in found if each.stability >= LEAST_STABLE] or list(found)
    lead = margin_of([score_of(each) for each in stable], [each.n_clusters for each in stable])
    if score_of(found[0]) < max(map(score_of, stable)):  # put in front for another reason
        lead = 0.0
    x = float(confidence_features(found[0], lead) @ np.array(CONFIDENCE))
    return min(1.0 / (1.0 + math.exp(-float(np.clip(x, -30.0, 30.0)))), MOST_CONFIDENT)


def ranked(candidates: Sequence[SourceCandidate]) -> list[SourceCandidate]:
    """Return the candidates, the best first; those that halves do not agree on come last."""
    return sorted(candidates, key=lambda each: (each.stability < LEAST_STABLE, -score_of(each)))
