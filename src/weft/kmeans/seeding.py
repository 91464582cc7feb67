"""Where an alternation starts: anomalous patterns, random rows, k-means++, scattered rows.

Random rows are drawn by mass, in an order that depends only on the values of the rows. So a row of
mass 2 leads to the same draw as the same row twice, anywhere in the table.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Mask
from weft.kmeans.alternation import Start
from weft.kmeans.data import Data, center_of, distances, mass_of, nearest, rows_of
from weft.kmeans.ordering import Rows, canonical_order, starts_of_groups
from weft.kmeans.weights import Rule, uniform

PATTERN_STEPS = 100
Order = tuple[Rows, Floats] | None


class AnomalousPatterns(NamedTuple):
    """Anomalous patterns in the order in which they were found.

    Attributes
    ----------
    centers : (n_patterns, M)
    weights : (n_patterns, M), feature weights of each pattern
    sizes : (n_patterns,), the mass of each pattern's rows
    labels : (n,), the pattern of each row; -1 where the search stopped before
    """

    centers: Floats
    weights: Floats
    sizes: Floats
    labels: NDArray[np.int32]


class Membership(Protocol):
    """A rule for which of the remaining rows belong to a pattern."""

    def first(self, left: Rows, seed: int) -> Mask:
        """Return the first members: the row `seed`, and the rows that must be in its cluster."""

    def join(self, rest: Data, left: Rows, centers: Floats, factors: Floats) -> Mask:
        """Return the rows nearer to ``centers[1]`` than to ``centers[0]``."""


class Nearer:
    """Rows that are strictly nearer to the pattern's centre than to the reference point."""

    def first(self, left: Rows, seed: int) -> Mask:
        members = np.zeros(len(left), dtype=bool)
        members[seed] = True
        return members

    def join(self, rest: Data, left: Rows, centers: Floats, factors: Floats) -> Mask:
        # On a tie the reference point wins, which comes first.
        return nearest(rest, centers, factors) == 1


def anomalous_patterns(
    data: Data,
    rule: Rule,
    active: Mask,
    *,
    enough: int | None = None,
    membership: Membership | None = None,
) -> AnomalousPatterns:
    """Remove one anomalous pattern after another from the table (algorithms 2.5, 2.6, 3.2).

    The reference point is the Minkowski centre of the whole table and stays. Each pattern starts
    at the row farthest from it, with equal weights; a row belongs to the pattern if it is strictly
    nearer to the pattern's centre than to the reference point, both under the pattern's weights.

    With `enough`, the search stops once the rows left could not make one of the `enough` largest
    patterns.
    """
    membership = Nearer() if membership is None else membership
    n_rows, n_features = data.X.shape
    reference = center_of(data, np.arange(n_rows), np.zeros(n_features)).centers
    labels = np.full(n_rows, -1, dtype=np.int32)
    left = np.arange(n_rows)
    centers: list[Floats] = []
    weights: list[Floats] = []
    sizes: list[float] = []
    while len(left):
        if enough is not None and len(sizes) >= enough:
            smallest_kept = sorted(sizes, reverse=True)[enough - 1]
            if data.mass[left].sum() <= smallest_kept:
                break
        members, center, weight = _one_pattern(
            data, rows_of(data, left), left, reference, rule, active, membership
        )
        labels[left[members]] = len(sizes)
        centers.append(center)
        weights.append(weight)
        sizes.append(float(data.mass[left[members]].sum()))
        left = left[~members]
    return AnomalousPatterns(np.array(centers), np.array(weights), np.array(sizes), labels)


def _one_pattern(
    data: Data,
    rest: Data,
    left: Rows,
    reference: Floats,
    rule: Rule,
    active: Mask,
    membership: Membership,
) -> tuple[Mask, Floats, Floats]:
    """Return which of the rows left belong to the next pattern, its centre and its weights."""
    weight = uniform(active, 1)[0]
    away = distances(rest, reference[None], rule.factors(weight[None]))[:, 0]
    load = data.load[left] / data.mass[left]  # more where values are missing
    away *= load
    farthest = int(away.argmax())
    members = membership.first(left, farthest)
    if away[farthest] <= 0.0:  # all remaining rows equal the reference point
        return np.ones(len(left), dtype=bool), reference.copy(), weight
    # Missing values of the farthest row are taken from the reference point.
    seed = rest.X[farthest]
    center = np.where(np.isnan(seed), reference, seed)
    for _ in range(PATTERN_STEPS):
        factors = np.repeat(rule.factors(weight[None]), 2, axis=0)
        nearer = membership.join(rest, left, np.stack([reference, center]), factors)
        if not nearer.any():
            break  # the new weights would empty the pattern: the previous one is kept
        same = bool((nearer == members).all())
        members = nearer
        center, spread = center_of(data, left[members], center)
        weight = rule.pattern_weights(spread, float(data.load[left[members]].sum()))
        if same:
            break
    return members, center, weight


def from_patterns(
    data: Data,
    patterns: AnomalousPatterns,
    rule: Rule,
    active: Mask,
    *,
    n_clusters: int | None,
    min_size: float,
) -> Start:
    """Start from the largest patterns: all of at least `min_size`, or exactly `n_clusters`.

    If too few patterns reach `min_size`, smaller ones are added, the largest first. If there are
    still too few, rows far from all starts chosen so far are added.
    """
    ranked = np.argsort(-patterns.sizes, kind="stable")
    if n_clusters is None:
        chosen = ranked[patterns.sizes[ranked] >= min_size]
        chosen = ranked[:1] if len(chosen) == 0 else chosen
    else:
        chosen = ranked[:n_clusters]
    centers, weights = patterns.centers[chosen], patterns.weights[chosen]
    short = 0 if n_clusters is None else n_clusters - len(chosen)
    if short > 0:
        centers = scattered(data, active, len(centers) + short, centers)
        weights = np.vstack([weights, uniform(active, short)])
    return Start(centers, rule.pool(weights))


def plain_factors(active: Mask, n_centers: int) -> Floats:
    """Factors that give each varying feature the same weight."""
    return np.tile(active.astype(float), (n_centers, 1))


def complete(rows: Floats, data: Data) -> Floats:
    """Fill missing values of rows from the centre of the table, because a centre has no gaps."""
    if not np.isnan(rows).any():
        return rows.copy()
    center = center_of(data, np.arange(len(data.X)), np.zeros(data.X.shape[1])).centers
    return np.where(np.isnan(rows), center, rows)


def scattered(data: Data, active: Mask, n_clusters: int, centers: Floats | None = None) -> Floats:
    """Return rows far from each other: each is the farthest from those already taken.

    The first, unless `centers` are given to go on from, is the row farthest from the table's
    centre. Of rows equally far away, the first in canonical order is taken.
    """
    order, _ = canonical_order(data.X)

    def farthest(away: Floats) -> Floats:
        return complete(data.X[[order[away[order].argmax()]]], data)

    if centers is None:
        middle = center_of(data, np.arange(len(data.X)), np.zeros(data.X.shape[1])).centers
        away = _to_center(data, middle, active)
        centers = farthest(away)
    away = distances(data, centers, plain_factors(active, len(centers))).min(axis=1)
    while len(centers) < n_clusters:
        center = farthest(away)
        centers = np.vstack([centers, center])
        away = np.minimum(away, _to_center(data, center[0], active))
    return centers


def _to_center(data: Data, center: Floats, active: Mask) -> Floats:
    return distances(data, center[None], plain_factors(active, 1))[:, 0]


def random_rows(
    data: Data, n_clusters: int, rng: np.random.Generator, order_of: Order = None
) -> Floats:
    """Return different rows, drawn by mass; `order_of` is the table's `canonical_order`."""
    order, keys = order_of or canonical_order(data.X)
    first = starts_of_groups(data.X, order, keys)
    groups = np.cumsum(first) - 1  # rows of equal values form a group
    mass = mass_of(groups, data.mass[order], int(groups[-1]) + 1)
    members = order[first]
    chosen: list[int] = []
    for _ in range(n_clusters):
        if not mass.any():  # fewer distinct rows than clusters: the last row is repeated
            chosen.append(chosen[-1])
            continue
        group = _draw(mass, rng)
        mass[group] = 0.0
        chosen.append(int(members[group]))
    return complete(data.X[chosen], data)


def plus_plus(
    data: Data, active: Mask, n_clusters: int, rng: np.random.Generator, order_of: Order = None
) -> Floats:
    """Return rows drawn by their distance to the rows already drawn: greedy k-means++.

    Of 2 + log K candidates the one that lowers the sum of powered distances most is taken.
    `order_of` is the table's `canonical_order`.
    """
    order, _ = order_of or canonical_order(data.X)
    n_trials = 2 + int(np.log(n_clusters))
    first = order[_draw(data.mass[order], rng)]
    chosen = [first]
    away = _to_center(data, complete(data.X[[first]], data)[0], active)
    for _ in range(1, n_clusters):
        reach = (data.load * away)[order]
        if not reach.any():
            chosen.append(chosen[-1])
            continue
        candidates = order[_draws(reach, n_trials, rng)]
        to_candidates = distances(
            data, complete(data.X[candidates], data), plain_factors(active, n_trials)
        )
        np.minimum(to_candidates, away[:, None], out=to_candidates)
        take = int((data.load @ to_candidates).argmin())
        chosen.append(int(candidates[take]))
        away = to_candidates[:, take]
    return complete(data.X[chosen], data)


def _draw(mass: Floats, rng: np.random.Generator) -> int:
    """Return an index drawn with probability proportional to `mass`."""
    return int(_draws(mass, 1, rng)[0])


def _draws(mass: Floats, count: int, rng: np.random.Generator) -> Rows:
    """Return indices drawn independently with probability proportional to `mass`."""
    reached = np.cumsum(mass)
    chances = np.array([rng.random() for _ in range(count)])
    positions = np.searchsorted(reached, chances * reached[-1], side="right")
    last = len(mass) - 1 - int((mass[::-1] > 0.0).argmax())
    return np.minimum(positions, last).astype(np.int64)
