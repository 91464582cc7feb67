"""The small judge of mixed tables: a score for each candidate, and how likely the best is right.

The score is a sum of the evidence of `weft.auto.source_family`, each times a weight, and the
confidence a logistic function of the winner's evidence. Both sets of numbers were fitted on
synthetic tables (`python -m bench.mixed.training`, kinds of tables in `bench/mixed/world.py`): the
weights so that the winner's adjusted Rand index is large on average, the confidence so that it is
the share of answers with an index of at least 0.8. Tables without clusters that pass the screening
are included.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from weft._base.arrays import Floats
from weft.auto.source_family import (
    CLASSES,
    DEPENDENT,
    LEAST_CLASS_GAIN,
    LEAST_STABLE,
    SMALL,
    SourceCandidate,
)

# Weights of: stability, smallest, agreement, both ratios, latent classes, dependent classes, log of
# the number of clusters.
SCORE = (2.29, 0.85, 1.71, 2.82, 3.13, 0.3, 1.52, -1.83)
# Clumps within a cluster count from `CLUMPED` deviations of clouds on, up to a maximum; each
# deviation in between lowers the score by `REMAINING_COST`. Chosen on the same tables.
CLUMPED, MOST_CLUMPED = 2.5, 3.0
REMAINING_COST = 1.0
# Constant and weights of the winner's: stability, agreement, gain up to `MOST_GAIN`.
CONFIDENCE = (-6.38, 3.54, 2.64, 2.97)
MOST_GAIN = 1.0
CLEAR = 0.8  # stability or agreement that counts as evidence for a clustering
MOST_CONFIDENT = 0.95  # there were too few tables to calibrate higher values
_HALVES, _ARI = "two halves of the rows give", "adjusted Rand index"


def score_features(candidate: SourceCandidate) -> Floats:
    """Return the evidence that enters the score."""
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


def confidence_features(candidate: SourceCandidate) -> Floats:
    """Return the evidence that enters the confidence."""
    gain = float(np.clip(candidate.gain, 0.0, MOST_GAIN))
    return np.array([1.0, candidate.stability, candidate.agreement, gain])


def score_of(candidate: SourceCandidate) -> float:
    """Return the judge's score: higher is better, comparable within a table."""
    return float(score_features(candidate) @ np.array(SCORE)) - cost_of_clumps(candidate.remaining)


def cost_of_clumps(remaining: float) -> float:
    """Return by how much clumps within a cluster lower the score."""
    return REMAINING_COST * float(np.clip(remaining - CLUMPED, 0.0, MOST_CLUMPED))


def confidence_of(candidate: SourceCandidate) -> float:
    """Return the estimated probability that the clustering is right (adjusted Rand index ≥ 0.8)."""
    x = float(confidence_features(candidate) @ np.array(CONFIDENCE))
    return min(1.0 / (1.0 + math.exp(-float(np.clip(x, -30.0, 30.0)))), MOST_CONFIDENT)


def reasons_of(candidate: SourceCandidate) -> dict[str, list[str]]:
    """Return the evidence for and against a clustering, in words."""
    stability, agreement = candidate.stability, candidate.agreement
    said: dict[str, list[str]] = {"for": [], "against": []}
    if stability >= CLEAR:
        said["for"].append(f"{_HALVES} nearly the same clusters ({_ARI} {stability:.2f})")
    elif stability < LEAST_STABLE:
        said["against"].append(f"{_HALVES} different clusters ({_ARI} {stability:.2f})")
    if agreement >= CLEAR:
        said["for"].append("other methods find nearly the same clusters")
    elif agreement < LEAST_STABLE:
        said["against"].append("other methods find different clusters")
    if max(candidate.gain, candidate.joint_gain) >= LEAST_CLASS_GAIN:
        said["for"].append("the clusters describe the rows better than one cloud does")
    elif max(candidate.gain, candidate.joint_gain) <= 0.0:
        said["against"].append("one cloud describes the rows as well as these clusters do")
    if cost_of_clumps(candidate.remaining) > 0.0:
        said["against"].append("the rows of at least one cluster form groups of their own")
    return said


def why_behind(candidate: SourceCandidate) -> str:
    """Return why a clustering is not the answer, whatever its score; empty if the score decides."""
    if candidate.stability < LEAST_STABLE:
        return f"{_HALVES} different clusters ({_ARI} {candidate.stability:.2f})"
    return candidate.behind


def ranked(candidates: Sequence[SourceCandidate]) -> list[SourceCandidate]:
    """Return the candidates, best first; those on which halves of the rows disagree come last."""
    return sorted(candidates, key=lambda each: (each.stability < LEAST_STABLE, -score_of(each)))
