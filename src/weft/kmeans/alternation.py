"""The alternation: assign, centre, weigh, until the labels stay.

Each step minimises the criterion (eq. 3.6, or (9) of EWKM) while the other two are fixed, so it
falls at every step, except where a constant is added to the dispersions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Labels
from weft.backends.rounds import Advance
from weft.kmeans.data import Data, begin, mass_of, next_nearest, own_distances
from weft.kmeans.weights import Rule

Assign = Callable[[Data, Floats, Floats], Labels]


class DeadEnd(ValueError):
    """Some rows have no allowed cluster; the message says which and why."""


class Start(NamedTuple):
    """The start of an alternation: centres (K, M) and weights (K, M)."""

    centers: Floats
    weights: Floats


class Outcome(NamedTuple):
    """Its result. `trace` has the criterion after each update of centres and weights."""

    labels: Labels
    centers: Floats
    weights: Floats
    criterion: float
    n_iter: int
    converged: bool
    trace: list[float]


def fill_empty(data: Data, labels: Labels, centers: Floats, factors: Floats) -> bool:
    """Give each empty cluster the row with the largest cost; return whether any was given.

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
        labels[row] = cluster  # the count stays 0, so that this row is not moved again
        refilled = True
    return refilled


def alternate(
    data: Data,
    start: Start,
    rule: Rule,
    *,
    max_iter: int,
    tol: float = 0.0,
    assign: Assign | None = None,
    refill: bool = True,
) -> Outcome:
    """Run algorithm 3.1 / 3.3 from `start`.

    Stops when the rows that change cluster make up at most the share `tol` of the mass, or after
    `max_iter` rounds. `assign` replaces the assignment of rows to their nearest centre. The
    returned labels belong to the returned centres and weights.
    """
    centers, weights = start
    rounds = begin(data)

    def assigned_to(factors: Floats) -> Labels:
        if assign is None:
            return next_nearest(data, rounds, centers, factors)
        return assign(data, centers, factors)

    n_clusters = len(centers)
    labels: Labels = np.full(len(data.X), -1, dtype=np.int32)
    trace: list[float] = []
    converged = settled = False
    allowed = tol * float(data.mass.sum())
    # A backend that computes rounds itself uses the host only if it must.
    usual = assign is None and refill and hasattr(rule, "kind")
    advance = getattr(rounds, "advance", None) if usual else None
    n_iter = 0
    while n_iter < max_iter:
        if advance is not None:
            done: Advance = advance(
                *(labels, centers, weights, rule), max_rounds=max_iter - n_iter, allowed=allowed
            )
            labels, centers, weights, part, converged, any_changed = done
            trace.extend(part)
            n_iter += len(part) + int(converged and any_changed)
            settled = converged
            if converged or n_iter == max_iter:
                break
        n_iter += 1
        factors = rule.factors(weights)
        assigned = assigned_to(factors)
        refilled = refill and fill_empty(data, assigned, centers, factors)
        changed = assigned != labels
        labels = assigned
        if n_iter > 1 and data.mass[changed].sum() <= allowed:
            converged = True
            settled = not refilled
            n_iter -= int(not changed.any())  # a round without changes does not count
            break
        centers, spread = rounds.centers_of(labels, centers)
        sizes = mass_of(labels, data.load, n_clusters)
        weights = rule.weights(spread, sizes)
        costs = np.nansum(rule.factors(weights) * spread, axis=1)
        trace.append(rule.total(costs, sizes, weights))
    factors = rule.factors(weights)
    if not settled:
        labels = assigned_to(factors)
    best = own_distances(data, labels, centers, factors)
    costs = mass_of(labels, data.load * best, n_clusters)
    sizes = mass_of(labels, data.load, n_clusters)
    criterion = rule.total(costs, sizes, weights)
    return Outcome(labels, centers, weights, criterion, n_iter, converged, trace)
