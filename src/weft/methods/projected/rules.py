"""A criterion of projected clustering as a rule of the k-means family, in the columns' own units.

So the closed-form alternation over blocks of rows, or over batches, serves both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from weft._base.arrays import Floats
from weft.kmeans.weights import uniform
from weft.methods.projected.criteria import Criterion


@dataclass(frozen=True)
class ScaledRule:
    """Weights and factors of `criterion`, which sees active columns in standard units only."""

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
        """Return what the weights amount to in a squared distance."""
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
        """Make weights of the right scope."""
        return self.criterion.pool(weights)
