"""Global-best particle swarm optimisation.

Kennedy and Eberhart 1995, with the inertia of Shi and Eberhart 1998, in the form of O'Neill 2017
(section 2.5.1, eq. 2.1 and 2.2; parameters of section 5.6.2).

========  ======  =========================================================================
symbol    shape   meaning
========  ======  =========================================================================
ω         ()      inertia
c1, c2    ()      pull of the particle's own best and of the swarm's best
r1, r2    (P, 1)  one uniform number per particle. So the swarm keeps about half of the features,
                  as published; with one number per dimension it keeps far from half of them
========  ======  =========================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats
from weft._base.validation import check_real
from weft.search.swarms.base import nothing_known, remember


class PSOState(NamedTuple):
    """A swarm between two moves."""

    positions: Floats  # (P, D)
    velocities: Floats  # (P, D)
    own_best: Floats  # (P, D)
    own_best_fitness: Floats  # (P,)
    best_position: Floats  # (D,)
    best_fitness: float


@dataclass(frozen=True)
class PSO:
    """Global-best particle swarm optimisation; the defaults are those of the paper.

    Parameters
    ----------
    inertia : float, default=0.73
        How much of its velocity a particle keeps.
    cognitive, social : float, default=1.5
        Pull of the particle's own best position and of the swarm's.
    max_velocity : float, default=1.0
        Maximum step in a dimension.
    initial_velocity : float, default=2.0
        First velocities are uniform within ± this, then clamped.

    Examples
    --------
    >>> from weft import FeatureSwarm
    >>> from weft.search.swarms import PSO
    >>> FeatureSwarm(swarm=PSO(inertia=0.6)).swarm.inertia
    0.6
    """

    inertia: float = 0.73
    cognitive: float = 1.5
    social: float = 1.5
    max_velocity: float = 1.0
    # The paper draws first velocities in [-2, 2] and clamps at 1; weft clamps them immediately.
    initial_velocity: float = 2.0

    def __post_init__(self) -> None:
        check_real("inertia", self.inertia, low=0.0)
        check_real("cognitive", self.cognitive, low=0.0)
        check_real("social", self.social, low=0.0)
        check_real("max_velocity", self.max_velocity, low=0.0, open_low=True)
        check_real("initial_velocity", self.initial_velocity, low=0.0)

    def start(self, positions: Floats, rng: np.random.Generator) -> PSOState:
        """Return the first state: nothing is known yet, velocities are random."""
        velocities = rng.uniform(-self.initial_velocity, self.initial_velocity, positions.shape)
        return PSOState(positions.copy(), self._clamp(velocities), *nothing_known(positions))

    def ask(self, state: PSOState, rng: np.random.Generator) -> PSOState:
        """Move every particle once."""
        velocities = self._velocities(state, rng)
        positions = state.positions + velocities  # eq. 2.2
        return state._replace(positions=positions, velocities=velocities)

    def tell(self, state: PSOState, fitness: Floats) -> PSOState:
        """Update each particle's best and the swarm's; an equal fitness changes nothing."""
        return remember(state, fitness)

    def _velocities(self, state: PSOState, rng: np.random.Generator) -> Floats:
        n_particles = len(state.positions)
        r1 = rng.uniform(size=(n_particles, 1))
        r2 = rng.uniform(size=(n_particles, 1))
        return self._pulled(state, r1, r2)

    def _pulled(self, state: PSOState, r1: Floats, r2: Floats) -> Floats:
        """Return the next velocities, within the clamp."""
        velocities = (  # eq. 2.1
            self.inertia * state.velocities
            + r1 * self.cognitive * (state.own_best - state.positions)
            + r2 * self.social * (state.best_position - state.positions)
        )
        return self._clamp(velocities)

    def _clamp(self, velocities: Floats) -> Floats:
        return np.clip(velocities, -self.max_velocity, self.max_velocity)
