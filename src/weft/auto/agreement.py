"""Candidates that may be right, and how far they agree with each other.

A score alone is noisy; a candidate that resembles most of the others that may be right is a safer
choice. The likely candidates of each representation count by odds that grow with their scores, as
in a softmax.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.auto.kernels.partitions import rand_between

LIKELY = 60  # best candidates of a representation that may be right
SHARPNESS = 2.0  # by which scores are multiplied before they become odds
TOLD_SHARE = 0.5  # weight of the agreement with candidates of the given number; the rest: with all


class Likely(NamedTuple):
    """The L candidates that may be right."""

    places: Integers  # (L,) among all candidates; each representation from its best on
    odds: Floats  # (L,), sum to 1
    part_of: Integers  # (L,) their representations
    alike: Floats  # (L, L) adjusted Rand index of every two

    def of_part(self, part: int) -> Likely:
        """Return the likely candidates of one representation, which has at least one."""
        own = np.flatnonzero(self.part_of == part)
        odds = self.odds[own] / self.odds[own].max()
        alike = self.alike[np.ix_(own, own)]
        return Likely(self.places[own], odds / odds.sum(), self.part_of[own], alike)

    def best(self) -> int:
        """Return the place of the candidate that agrees most with all likely candidates."""
        return int(self.places[np.argmax(self.alike @ self.odds)])


def likely_candidates(scores: Floats, labels: Integers, part_of: Integers) -> Likely:
    """Return the best candidates of each representation.

    Parameters
    ----------
    scores : (C,)
    labels : (C, n), -1 for outliers
    part_of : (C,) representations
    """
    order = np.argsort(-scores, kind="stable")
    places = np.concatenate([order[part_of[order] == part][:LIKELY] for part in np.unique(part_of)])
    odds = np.exp(SHARPNESS * (scores[places] - scores[places].max()))
    return Likely(places, odds / odds.sum(), part_of[places], rand_indices(labels[places]))


def rand_indices(labels: Integers, others: Integers | None = None) -> Floats:
    """Return the adjusted Rand index of every row of labels (C, n) with every row of others.

    Without others, the rows are compared with each other. -1 is a label like any other.
    """
    first = np.ascontiguousarray(labels, dtype=np.int64)
    second = first if others is None else np.ascontiguousarray(others, dtype=np.int64)
    out = np.empty((len(first), len(second)))
    rand_between(first, second, others is None, out)
    return out


def rand_index(a: Integers, b: Integers) -> float:
    """Return the adjusted Rand index of two labellings."""
    return float(rand_indices(np.asarray(a)[None], np.asarray(b)[None])[0, 0])


def best_of_told(told: Likely, told_labels: Integers, every: Likely, labels: Integers) -> int:
    """Return the place of the best one among the candidates of the given number.

    It agrees most with two sets of likely candidates: those of the given number, and those of all
    numbers. Some structure is clearer with another number of clusters.

    Parameters
    ----------
    told, told_labels : the likely ones of the given number; labels of all candidates of that number
    every, labels : the likely ones of all numbers; labels of all candidates
    """
    with_all = rand_indices(told_labels[told.places], labels[every.places]) @ every.odds
    agreement = TOLD_SHARE * (told.alike @ told.odds) + (1.0 - TOLD_SHARE) * with_all
    return int(told.places[np.argmax(agreement)])
