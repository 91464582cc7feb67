"""From dispersions to feature weights: the closed forms of the family.

================  =======================================================  ====================
rule              weights given dispersions D                              factor in a distance
================  =======================================================  ====================
`Unweighted`      1 / M                                                    1
`PowerWeights`    w_v = 1 / Σ_u (D_v / D_u)^(1/(β-1)), eqs. 3.3 and 3.8    w^β
`EntropyWeights`  w_v ∝ exp(-D_v / γ), EWKM and LAC                        w
================  =======================================================  ====================

Weights are computed in the log domain: at β = 1.01 the ratio is raised to the power 100. A feature
that is constant in the whole table separates no clusters and gets weight 0; otherwise it would have
the smallest dispersion and get all the weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax, xlogy

from weft._base.arrays import Floats, Integers, Mask
from weft.kmeans.data import Data, center_of


class Rule(Protocol):
    """How dispersions become weights, weights factors of a distance, and costs a criterion.

    If a rule has a `kind`, a backend may compute it in its own way.

    ``total(costs, sizes, weights)`` takes each cluster's sum of powered distances and its mass.
    """

    def weights(self, dispersions: Floats, sizes: Floats) -> Floats: ...

    def pattern_weights(self, dispersions: Floats, size: float) -> Floats: ...

    def factors(self, weights: Floats) -> Floats: ...

    def total(self, costs: Floats, sizes: Floats, weights: Floats) -> float: ...

    def pool(self, weights: Floats) -> Floats: ...


def uniform(active: NDArray[np.bool_], n_clusters: int) -> Floats:
    """Return equal weights over the active features, one row per cluster."""
    return np.tile(active / active.sum(), (n_clusters, 1))


def known(dispersions: Floats) -> Floats:
    """Replace the NaN of a feature that a cluster never observed by its largest dispersion."""
    lost = np.isnan(dispersions)
    if not lost.any():
        return dispersions
    largest = np.max(np.where(lost, 0.0, dispersions), axis=-1, keepdims=True)
    return np.where(lost, largest, dispersions)


def power_weights(dispersions: Floats, beta: float, active: NDArray[np.bool_]) -> Floats:
    """Return the weights (K, M) that minimise Σ_v w_v^β D_v for Σ_v w_v = 1, w_v >= 0.

    At β = 1 the feature with the least dispersion gets all the weight (the first on a tie). Where a
    dispersion is 0 the minimum is 0, and is reached by any split over such features: they
    share equally.
    """
    spread = np.where(active, dispersions, np.inf)
    least = spread.min(axis=1, keepdims=True)
    if beta == 1.0:
        out = np.zeros_like(spread)
        out[np.arange(len(spread)), spread.argmin(axis=1)] = 1.0
        return out
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        # (D_least / D_v)^(1/(β-1)), eq. 3.8 with both sides divided by the largest weight's
        shares = np.exp((np.log(least) - np.log(spread)) / (beta - 1.0))
    shares = np.where(least == 0.0, spread == 0.0, shares)
    return shares / shares.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class Unweighted:
    """K-Means: all features have the same weight."""

    kind: ClassVar[str] = "unweighted"
    active: NDArray[np.bool_]

    def weights(self, dispersions: Floats, sizes: Floats) -> Floats:
        return np.full(dispersions.shape, 1.0 / dispersions.shape[1])

    def pattern_weights(self, dispersions: Floats, size: float) -> Floats:
        return np.full(dispersions.shape, 1.0 / len(dispersions))

    def factors(self, weights: Floats) -> Floats:
        return np.ones_like(weights)

    def total(self, costs: Floats, sizes: Floats, weights: Floats) -> float:
        return float(costs.sum())

    def pool(self, weights: Floats) -> Floats:
        return weights


def tied(dispersions: Floats, groups: Integers | None, active: NDArray[np.bool_]) -> Floats:
    """Return the mean dispersion of each feature's group, over the features that vary.

    Features of one group share a weight w. Minimising Σ_g w_g^β Σ_v D_v for Σ_g n_g w_g = 1, with
    n_g features in a group, gives w_g^(β-1) ∝ n_g / Σ_v D_v: the closed form with the mean.
    """
    if groups is None:
        return dispersions
    member = (groups[:, None] == np.unique(groups)) * active[:, None].astype(float)
    means = dispersions @ member / np.maximum(member.sum(axis=0), 1.0)
    return means[:, np.unique(groups, return_inverse=True)[1]]


@dataclass(frozen=True)
class PowerWeights:
    """WK- and MWK-Means: per cluster, or one set of weights for all (W-k-means).

    `groups` (M,) numbers the features that share a weight, such as the coordinates of a category.
    """

    kind: ClassVar[str] = "power"
    active: NDArray[np.bool_]
    beta: float
    offset: float | str = "mean"
    pattern_offset: float = 0.01
    per_cluster: bool = True
    groups: Integers | None = None

    def weights(self, dispersions: Floats, sizes: Floats) -> Floats:
        spread = tied(known(dispersions), self.groups, self.active)
        if not self.per_cluster:
            spread = spread.sum(axis=0, keepdims=True)
        # The mean of all dispersions of varying columns; it avoids D = 0 (chapter 3.2.1).
        offset = spread[:, self.active].mean() if self.offset == "mean" else float(self.offset)
        weights = power_weights(spread + offset, self.beta, self.active)
        return np.broadcast_to(weights, dispersions.shape).copy()

    def pattern_weights(self, dispersions: Floats, size: float) -> Floats:
        spread = tied(known(dispersions)[None], self.groups, self.active)
        spread = spread + self.pattern_offset  # chapter 3.3.3
        return power_weights(spread, self.beta, self.active)[0]

    def factors(self, weights: Floats) -> Floats:
        return weights**self.beta

    def total(self, costs: Floats, sizes: Floats, weights: Floats) -> float:
        return float(costs.sum())

    def pool(self, weights: Floats) -> Floats:
        """Return start weights; if all clusters share one set, it is the mean over clusters."""
        if self.per_cluster:
            return weights
        mean = weights.mean(axis=0)
        return np.tile(mean / mean.sum(), (len(weights), 1))


@dataclass(frozen=True)
class EntropyWeights:
    """EWKM (dispersions are sums) and LAC (they are means over a cluster's rows)."""

    kind: ClassVar[str] = "entropy"
    active: NDArray[np.bool_]
    gamma: float
    averaged: bool

    def weights(self, dispersions: Floats, sizes: Floats) -> Floats:
        spread = known(dispersions)
        if self.averaged:
            spread = spread / np.maximum(sizes, np.finfo(float).tiny)[:, None]
        spread = np.where(self.active, spread, np.inf)
        return softmax(-(spread - spread.min(axis=1, keepdims=True)) / self.gamma, axis=1)

    def pattern_weights(self, dispersions: Floats, size: float) -> Floats:
        return self.weights(dispersions[None], np.array([size]))[0]

    def factors(self, weights: Floats) -> Floats:
        return weights

    def total(self, costs: Floats, sizes: Floats, weights: Floats) -> float:
        if self.averaged:
            costs = costs / np.maximum(sizes, np.finfo(float).tiny)
        return float(costs.sum() + self.gamma * xlogy(weights, weights).sum())

    def pool(self, weights: Floats) -> Floats:
        return weights


def typical_dispersion(data: Data, active: Mask, n_clusters: int, averaged: bool) -> float:
    """Return the mean dispersion of a feature if rows were assigned to clusters at random."""
    every_row = np.arange(len(data.X))
    total = center_of(data, every_row, np.zeros(data.X.shape[1])).dispersions[active]
    return typical_share(total, float(data.load.sum()), n_clusters, averaged)


def typical_share(dispersions: Floats, load: float, n_clusters: int, averaged: bool) -> float:
    """Return a random cluster's share of the table's dispersions, given its sum of loads."""
    share = dispersions.mean() / (load if averaged else n_clusters)
    return float(share) if share > 0.0 else 1.0
