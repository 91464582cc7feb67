"""Kernel MEPSO with the repairs as printed: they are written into the particle (decision 0240).

The same position may have another fitness when it is evaluated again, because a repair draws random
numbers, and clusters may still have fewer than two rows. `InputObjective` repairs during decoding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.backends.cpu.kernels import mercer_printed as kernels
from weft.methods.mercer.objectives import InputObjective
from weft.search.swarms.mepso import MEPSO, MEPSOState


class PrintedObjective(InputObjective):
    """Centres in input space, evaluated without further repairs; the data are on the CPU."""

    def evaluate_part(self, positions: Floats) -> tuple[Integers, Floats]:
        n_clusters, cs = np.empty(len(positions), dtype=np.int64), np.empty(len(positions))
        kernels.printed_cs_swarm(
            self.data, positions, self.max_clusters, self.gamma, n_clusters, cs
        )
        return n_clusters, cs

    def centers_of(self, position: Floats) -> tuple[Floats, Integers]:
        _, centers = kernels.thresholded_centers(self.data, position, self.max_clusters)
        labels = np.zeros(len(self.data.rows), dtype=np.int64)
        kernels.count_nearest(self.data.columns, centers, labels)
        return centers, labels

    def repair(self, positions: Floats, rng: np.random.Generator) -> Floats:
        """Return the particles with the repairs of sections 4.1 and 4.3 written into them."""
        repaired = positions.copy()
        draws = rng.random((len(positions), 4))
        kernels.write_repairs(self.data, self.max_clusters, draws, repaired)
        return repaired


@dataclass(frozen=True)
class RepairedMEPSO:
    """A swarm whose particles are repaired after each move."""

    swarm: MEPSO
    objective: PrintedObjective

    @classmethod
    def of(cls, swarm: MEPSO, objective: PrintedObjective) -> RepairedMEPSO:
        """Wrap a swarm; only thresholds are clipped, so its own bounds are removed."""
        return cls(replace(swarm, bounds=None), objective)

    def start(self, positions: Floats, rng: np.random.Generator) -> MEPSOState:
        """Return the first state, repaired."""
        return self.swarm.start(self.objective.repair(positions, rng), rng)

    def ask(self, state: MEPSOState, rng: np.random.Generator) -> MEPSOState:
        """Move every particle once, then repair it."""
        moved = self.swarm.ask(state, rng)
        return moved._replace(positions=self.objective.repair(moved.positions, rng))

    def tell(self, state: MEPSOState, fitness: Floats) -> MEPSOState:
        """Update the bests of the swarm."""
        return self.swarm.tell(state, fitness)
