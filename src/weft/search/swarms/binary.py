"""Binary particle swarm optimisation: Kennedy and Eberhart 1997.

The velocity is the logit of the probability that a bit is set. Each move draws every bit again,
P(bit = 1) = 1 / (1 + exp(-v)), with one pair of random numbers per bit, as in the original.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from weft.search.swarms.pso import PSO, PSOState


@dataclass(frozen=True)
class BinaryPSO(PSO):
    """Binary PSO: a position says which features are used.

    With a clamp of 6, every bit keeps a probability of 0.25 % to flip.
    """

    max_velocity: float = 6.0

    moves_bits = True  # a position says which features are used, and has no weights

    @classmethod
    def of(cls, swarm: PSO) -> BinaryPSO:
        """Return the settings of a swarm of numbers for bits; the clamp is six times as large."""
        return cls(
            inertia=swarm.inertia,
            cognitive=swarm.cognitive,
            social=swarm.social,
            max_velocity=6.0 * swarm.max_velocity,
            initial_velocity=swarm.initial_velocity,
        )

    def ask(self, state: PSOState, rng: np.random.Generator) -> PSOState:
        """Draw every bit once."""
        shape = state.positions.shape
        r1, r2 = rng.uniform(size=shape), rng.uniform(size=shape)
        velocities = self._pulled(state, r1, r2)
        positions = (rng.uniform(size=shape) < expit(velocities)).astype(np.float64)
        return state._replace(positions=positions, velocities=velocities)
