"""The alternation: assign, centre, weigh, until the labels stay.

Each step minimises the criterion (eq. 3.6, or (9) of EWKM) with the other two held, so
it falls at every step, except where a constant is added to the dispersions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Labels
from weft.kmeans.data import Data, centers_of, mass_of, nearest, own_distances
from weft.kmeans.weights import Rule

Assign = Callable[[Data, Floats, Floats], Labels]


class DeadEnd(ValueError):
    """An assignment that finds no place for some rows; the message says which and why."""


class Start(NamedTuple):
    """Where an alternation begins: centres (K, M) and weights (K, M)."""

    centers: Floats
    weights: Floats


class Outcome(NamedTuple):
    """Where it ends. `trace` has the criterion after each update of centres and weights."""

    labels: Labels
    centers: Floats
    weights: Floats
    criterion: float
    n_iter: int
    converged: bool
    trace: list[float]


def fill_empty(data: Data, labels: Labels, centers: Floats, factors: Floats) -> bool:
    """Give each empty cluster the row that costs most where it is; say whether any was given.

    Rows at distance 0, and rows alone in their cluster, stay: with fewer distinct rows than
    clusters some clusters remain empty.
    """
    counts = np.bincount(labels, minlength=len(centers))
    empty = np.flatnonzero(counts == 0)
    if len(empty) == 0:
        return False
    cost = data.load * own_distances(data, labels, centers, factors)
    refilled = False
    for cluster in empty:
        cost[counts[labels] < 2] = 0.0
        row = int(cost.argmax())
        if cost[row] <= 0.0:
            break
        counts[labels[row]] -= 1
        labels[row] = cluster  # whose count stays: the row is alone there, and is not moved again
        refilled = True
    return refilled


def alternate(
    data: Data,
    start: Start,
    rule: Rule,
    *,
    max_iter: int,
    tol: float = 0.0,
    assign: Assign = nearest,
    refill: bool = True,
) -> Outcome:
    """Run algorithm 3.1 / 3.3 from `start`.

    Stops when the rows that change cluster make up at most the share `tol` of the mass, or after
    `max_iter` rounds. The labels returned are those of the centres and weights returned.
    """
    centers, weights = start
    n_clusters = len(centers)
    labels: Labels = np.full(len(data.X), -1, dtype=np.int32)
    trace: list[float] = []
    converged = settled = False
    allowed = tol * float(data.mass.sum())
    for n_iter in range(1, max_iter + 1):
        factors = rule.factors(weights)
        assigned = assign(data, centers, factors)
        refilled = refill and fill_empty(data, assigned, centers, factors)
        changed = assigned != labels
        labels = assigned
        if n_iter > 1 and data.mass[changed].sum() <= allowed:
            converged = True
            settled = not refilled
            n_iter -= int(not changed.any())  # a round that found nothing to do does not count
            break
        centers, spread = centers_of(data, labels, centers)
        sizes = mass_of(labels, data.load, n_clusters)
        weights = rule.weights(spread, sizes)
        costs = np.nansum(rule.factors(weights) * spread, axis=1)
        trace.append(rule.total(costs, sizes, weights))
    factors = rule.factors(weights)
    if not settled:
        labels = assign(data, centers, factors)
    best = own_distances(data, labels, centers, factors)
    costs = mass_of(labels, data.load * best, n_clusters)
    sizes = mass_of(labels, data.load, n_clusters)
    criterion = rule.total(costs, sizes, weights)
    return Outcome(labels, centers, weights, criterion, n_iter, converged, trace)
