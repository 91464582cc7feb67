"""The four objectives of soft projected clustering, for one partition or those of a swarm.

Lu, Wang, Li and Zhou 2009, eq. 14, 9, 6 and 1. Weights are shares w / Σ_j w of a cluster, so
that the swarm moves in a box, without an equality constraint (section 3.1).

=========  ===========================================  ============  =========================
name       F, to be minimised                           factor f_lj   best shares given D
=========  ===========================================  ============  =========================
psovw      Σ_l Σ_j w_lj^β D_lj                          (m w)^β       ∝ D^(-1/(β-1))
wkmeans    the same with one w for all clusters         (m w)^β       ∝ (Σ_l D_lj)^(-1/(β-1))
ewkm       Σ_l Σ_j (w_lj D_lj + γ w_lj log w_lj)        w             ∝ exp(-D / γ)
lac        Σ_l Σ_j (w_lj D_lj / n_l + h w log w)        w             ∝ exp(-D / (n_l h))
=========  ===========================================  ============  =========================

D_lj is the sum of squares around the centre of cluster l in feature j. Powers are computed of m w,
which is 1 on average, not of w. The factor m^-β of the printed form is the same for all solutions,
and too small for single precision.

`ScaledRule` turns a criterion into a rule of the k-means family, in the columns' own units. So the
closed-form alternation over blocks of rows or over batches works for both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from weft._base.arrays import Floats
from weft.kmeans.weights import EntropyWeights, PowerWeights, Rule, uniform

OBJECTIVES = ("psovw", "lac", "ewkm", "wkmeans")


@dataclass(frozen=True)
class Criterion:
    """One of the four, with its strength."""

    name: str
    exponent: float  # β of psovw and wkmeans
    strength: float  # γ of ewkm, h of lac
    # (M,), added to every D_lj of psovw and wkmeans: without it a cluster that is constant in one
    # feature has cost 0, regardless of its other features. 0 is the printed form.
    floor: Floats

    @property
    def shared(self) -> bool:
        """Whether all clusters have the same weights."""
        return self.name == "wkmeans"

    @property
    def powered(self) -> bool:
        return self.name in ("psovw", "wkmeans")

    def factors(self, weights: Floats) -> Floats:
        """Return the factors of a distance, given shares."""
        if not self.powered:
            return weights
        scaled = weights * weights.shape[-1]
        if self.exponent == 8.0:  # three products are faster than a power
            scaled = scaled * scaled
            scaled = scaled * scaled
            return scaled * scaled
        return scaled**self.exponent

    def value(self, shares: Floats, sizes: Floats, spread: Floats) -> Floats:
        """Return F of (…, K, M) shares and dispersions and (…, K) sizes."""
        factors = self.factors(shares)
        if self.powered:
            return np.einsum("...kj,...kj->...", factors, spread + self.floor)
        if self.name == "lac":
            spread = spread / np.maximum(sizes, 1.0)[..., np.newaxis]
        entropy = self.strength * xlogy(shares, shares)
        return (factors * spread + entropy).sum(axis=(-2, -1))

    def weights(self, dispersions: Floats, sizes: Floats) -> Floats:
        """Return the shares that minimise F for (…, K, M) dispersions and (…, K) sizes."""
        *outer, n_clusters, n_features = dispersions.shape
        spread = dispersions + self.floor if self.powered else dispersions
        spread = spread.reshape(-1, n_features)
        rule = self._rule(n_features)
        if self.shared and outer:
            parts = spread.reshape(-1, n_clusters, n_features)
            shares = np.stack([rule.weights(part, np.ones(n_clusters)) for part in parts])
        else:
            shares = rule.weights(spread, np.asarray(sizes, dtype=np.float64).ravel())
        return shares.reshape(dispersions.shape)

    def pool(self, weights: Floats) -> Floats:
        """Return the weights; if all clusters share one set, it is the mean over clusters."""
        if not self.shared:
            return weights
        return np.broadcast_to(weights.mean(axis=-2, keepdims=True), weights.shape).copy()

    def _rule(self, n_features: int) -> Rule:
        active = np.ones(n_features, dtype=bool)
        if self.powered:
            return PowerWeights(active, self.exponent, offset=0.0, per_cluster=not self.shared)
        return EntropyWeights(active, self.strength, averaged=self.name == "lac")


def shares_of(weights: Floats) -> Floats:
    """Return w / Σ_j w over the last axis; equal shares where all weights are 0."""
    total = weights.sum(axis=-1, keepdims=True)
    shares = weights / np.where(total > 0.0, total, 1.0)
    return np.where(total > 0.0, shares, 1.0 / weights.shape[-1])


@dataclass(frozen=True)
class ScaledRule:
    """Weights and factors of `criterion`, which uses active columns in standard units only."""

    criterion: Criterion
    active: NDArray[np.bool_]  # (M,)
    unit: Floats  # (M',), of the active columns

    def weights(self, dispersions: Floats, sizes: Floats) -> Floats:
        """Return the shares (K, M) that minimise the criterion; 0 in columns that never vary."""
        out = np.zeros_like(dispersions)
        spread = dispersions[:, self.active] / self.unit**2
        out[:, self.active] = self.criterion.weights(spread, sizes)
        return out

    def pattern_weights(self, dispersions: Floats, size: float) -> Floats:
        """Return equal weights: swarms do not start from patterns."""
        return uniform(self.active, 1)[0]

    def factors(self, weights: Floats) -> Floats:
        """Return the factors of a squared distance, given weights."""
        out = np.zeros_like(weights)
        out[:, self.active] = self.criterion.factors(weights[:, self.active]) / self.unit**2
        return out

    def total(self, costs: Floats, sizes: Floats, weights: Floats) -> float:
        """Return the criterion's value, given each cluster's sum of weighted squares."""
        shares = weights[:, self.active]
        if self.criterion.powered:
            return float(
                costs.sum() + (self.criterion.factors(shares) * self.criterion.floor).sum()
            )
        if self.criterion.name == "lac":
            costs = costs / np.maximum(sizes, 1.0)
        return float(costs.sum() + self.criterion.strength * xlogy(shares, shares).sum())

    def pool(self, weights: Floats) -> Floats:
        """Return the weights, pooled over clusters if these share one set."""
        return self.criterion.pool(weights)
