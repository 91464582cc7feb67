"""Particles: how the numbers of a position become feature weights and exponents.

========  ===========  =====================================================================
symbol    shape        meaning
========  ===========  =====================================================================
position  (D,)         moved by the swarm; D = d, or 2d with exponents
c         (d,)         feature weights; 0 drops the feature
p         (d,)         feature exponents
========  ===========  =====================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from weft._base.arrays import Floats, Mask
from weft._base.validation import check_choice
from weft.backends.spaces import Solution

INITS = ("uniform", "small", "mixed", "screened")
# Xue, Zhang and Browne 2014: "small" swarms start from about a tenth of the features, as forward
# search would; "mixed" gives two thirds of the swarm to that and one third to large subsets.
_SMALL_SHARE = 0.1
_MIXED_SMALL = 2 / 3
_SPREAD = 2.0  # positions start in [-2, 2] (section 5.6.2)


@dataclass(frozen=True)
class WeightParticle:
    """PSO-FSW: one weight per feature; a value of at most 0 drops it (section 5.3)."""

    n_features: int

    @property
    def n_dimensions(self) -> int:
        return self.n_features

    def decode(self, position: Floats) -> Solution:
        """Return c_i = max(position_i, 0)."""
        return Solution(np.maximum(position, 0.0))

    def initial(
        self, rng: np.random.Generator, n_particles: int, init: Any, screened: Mask | None = None
    ) -> Floats:
        """Draw the first positions, (n_particles, n_dimensions)."""
        return _initial(rng, n_particles, self.n_features, self.n_dimensions, init, screened)


@dataclass(frozen=True)
class WeightExponentParticle(WeightParticle):
    """PSO-FSWE: weights, then exponents, 2d numbers (section 6.3).

    p_i = (position + 4) / 2, which maps the starting range [-2, 2] to [1, 3], the range of the
    paper. Exponents of positions outside the starting range are clipped to it.
    """

    @property
    def n_dimensions(self) -> int:
        return 2 * self.n_features

    def decode(self, position: Floats) -> Solution:
        """Return c_i = max(position_i, 0) and p_i = (position_{d+i} + 4) / 2 within [1, 3]."""
        weights = np.maximum(position[: self.n_features], 0.0)
        exponents = np.clip((position[self.n_features :] + 4.0) / 2.0, 1.0, 3.0)
        return Solution(weights, exponents)


@dataclass(frozen=True)
class SelectionParticle(WeightParticle):
    """Plain feature selection: a position of 0s and 1s, as binary PSO moves it."""

    def decode(self, position: Floats) -> Solution:
        """Return c_i = 1 where the bit is set."""
        return Solution((position > 0.0).astype(np.float64))

    def initial(
        self, rng: np.random.Generator, n_particles: int, init: Any, screened: Mask | None = None
    ) -> Floats:
        """Draw the first bits, (n_particles, n_dimensions)."""
        start = super().initial(rng, n_particles, init, screened)
        return (start > 0.0).astype(np.float64)


def make_particle(n_features: int, *, exponents: bool, bits: bool) -> WeightParticle:
    """Return the particle: weights (and exponents), or bits."""
    if not bits:
        return WeightExponentParticle(n_features) if exponents else WeightParticle(n_features)
    if exponents:
        raise ValueError(
            "exponents=True needs a swarm that moves weights, and 'binary' moves only bits; "
            "set exponents=False, or a swarm other than 'binary'."
        )
    return SelectionParticle(n_features)


def _initial(
    rng: np.random.Generator,
    n_particles: int,
    n_features: int,
    n_dimensions: int,
    init: Any,
    screened: Mask | None,
) -> Floats:
    if not isinstance(init, str):
        start = np.array(init, dtype=np.float64)
        if start.shape != (n_particles, n_dimensions) or not np.isfinite(start).all():
            raise ValueError(
                f"init as an array must be finite and of shape ({n_particles}, {n_dimensions}), "
                f"particles × dimensions, got shape {start.shape}; pass that or one of {INITS}."
            )
        return start
    check_choice("init", init, INITS)
    positions = rng.uniform(-_SPREAD, _SPREAD, (n_particles, n_dimensions))
    if init == "uniform":
        return positions
    if init == "screened":
        return _around(positions, n_features, screened)
    n_small = n_particles if init == "small" else round(_MIXED_SMALL * n_particles)
    kept = np.empty((n_particles, n_features), dtype=bool)
    for row in range(n_particles):
        share = _SMALL_SHARE if row < n_small else rng.uniform(0.5, 1.0)
        size = max(1, round(share * n_features))
        kept[row] = False
        kept[row, rng.choice(n_features, size, replace=False)] = True
    signs = np.where(kept, 1.0, -1.0)
    positions[:, :n_features] = signs * np.abs(positions[:, :n_features])
    return positions


def _around(positions: Floats, n_features: int, screened: Mask | None) -> Floats:
    """Start columns that matter above 0, and the others below 0, at random distances.

    The first particle has exactly the screened columns, all with weight 1.
    """
    if screened is None or not screened.any():
        return positions  # no column is known to matter: random starts
    features = np.abs(positions[:, :n_features])
    positions[:, :n_features] = np.where(screened, features, -features)
    positions[0, :n_features] = np.where(screened, 1.0, -1.0)
    return positions
