"""Global-best particle swarm optimisation with one pair of random numbers per dimension.

F. van den Bergh, "An analysis of particle swarm optimizers", PhD thesis, University of Pretoria,
2006: the "standard parameters" of Lensen, Xue and Zhang. Differs from `pso` only in the random
numbers, and moves the whole swarm in one pass, because its particles have thousands of dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.backends.cpu.kernels.moves import move_particles
from weft.search.swarms.pso import PSO, PSOState


@dataclass(frozen=True)
class StandardPSO(PSO):
    """PSO with two random numbers per dimension, van den Bergh's settings, and a start at rest."""

    inertia: float = 0.729844
    cognitive: float = 1.49618
    social: float = 1.49618
    max_velocity: float = 6.0
    initial_velocity: float = 0.0

    def ask(self, state: PSOState, rng: np.random.Generator) -> PSOState:
        """Move every particle once."""
        positions, velocities = move_particles(
            state.positions,
            state.velocities,
            state.own_best,
            state.best_position,
            rng.random((2, *state.positions.shape)),
            np.array([self.inertia, self.cognitive, self.social]),
            self.max_velocity,
        )
        return state._replace(positions=positions, velocities=velocities)
