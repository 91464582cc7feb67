"""Evidence for the gate and for the confidence.

The gate ("are there clusters at all?") uses the best candidate of each representation, because
clear clusters in both representations are rarely due to chance. The confidence ("is the winner
right?") uses the winner. Both use how far the likely candidates agree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.auto.agreement import Likely
from weft.auto.pool import Pool, cluster_counts, rounded

TOP = 10  # candidates that a candidate is compared with


class Doubts(NamedTuple):
    """Evidence of one table, in the precision of the judge."""

    gate: Floats
    confidence: Floats


def doubts(features: Floats, scores: Floats, pool: Pool, likely: Likely, winner: int) -> Doubts:
    """Return the evidence for gate and confidence.

    Parameters
    ----------
    features : (C, 4 F) evidence of the candidates, as the ranker gets it
    scores : (C,) of the ranker
    pool : the candidates
    likely : those that may be right
    winner : position of the winner
    """

    def seen(place: int) -> Floats:
        return candidate_features(features, scores, pool, likely, place)

    parts = int(likely.part_of.min()), int(likely.part_of.max())
    best = [likely.of_part(part).best() for part in parts]
    agreement = agreement_features(scores, pool.labels, likely)
    first, second = (seen(place) for place in best)
    return Doubts(
        rounded(np.concatenate([first, second, agreement])),
        rounded(np.concatenate([seen(winner), agreement])),
    )


def candidate_features(
    features: Floats, scores: Floats, pool: Pool, likely: Likely, place: int
) -> Floats:
    """Return the evidence of a candidate, of the table, and how clearly the candidate leads."""
    table_values = rounded(pool.table_values[pool.part_of[place]])
    return np.concatenate([features[place], table_values, lead(scores, pool.labels, likely, place)])


def lead(scores: Floats, labels: Integers, likely: Likely, place: int) -> Floats:
    """Return how clearly a candidate leads and how far the best candidates agree with it.

    Parameters
    ----------
    scores : (C,) of the ranker
    labels : (C, n) of the candidates
    likely : those that may be right; the ten best are always among them
    place : position of a likely candidate, which need not have the largest score
    """
    own = int(np.flatnonzero(likely.places == place)[0])
    order = np.argsort(-scores[likely.places], kind="stable")
    others = order[order != own][:TOP]
    if len(others) == 0:
        return np.array([scores[place], 0.0, 0.0, 1.0, 0.0, 1.0])
    agreement = likely.alike[own, others]
    ranks = scores[likely.places]
    counts = np.log(cluster_counts(labels[likely.places[np.concatenate([[own], others])]]))
    different = others[agreement < 0.9]
    ahead = scores[place] - ranks[different[0] if len(different) else others[-1]]
    return np.array(
        [
            scores[place],
            scores[place] - scores.mean(),
            ahead,
            agreement.mean(),
            counts.std(),
            (agreement >= 0.9).mean(),
        ]
    )


def agreement_features(scores: Floats, labels: Integers, likely: Likely) -> Floats:
    """Return how far the likely candidates agree: all, within and across representations."""
    first = likely.of_part(int(likely.part_of.min()))
    second = likely.of_part(int(likely.part_of.max()))
    in_first = np.flatnonzero(likely.part_of == likely.part_of.min())
    in_second = np.flatnonzero(likely.part_of == likely.part_of.max())
    across = likely.alike[np.ix_(in_first, in_second)]
    with_all = likely.alike @ likely.odds
    best = [int(np.argmax(part.alike @ part.odds)) for part in (first, second)]
    sizes = np.log(np.maximum(cluster_counts(labels[likely.places]), 1))
    spread = sizes - sizes @ likely.odds
    return np.array(
        [
            with_all.max(),
            likely.odds @ with_all,
            np.sqrt(spread * spread @ likely.odds),
            across[best[0], best[1]],
            first.odds @ across @ second.odds,
            across.max(),
            first.odds @ first.alike @ first.odds,
            second.odds @ second.alike @ second.odds,
            scores[first.places].max() - scores[second.places].max(),
            float(likely.part_of[np.argmax(with_all)]),
        ]
    )
