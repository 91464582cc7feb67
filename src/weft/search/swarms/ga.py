"""Genetic algorithm on strings of centres with gaps.

S. Bandyopadhyay and U. Maulik, "Genetic clustering for automatic evolution of clusters and
application to image classification", Pattern Recognition 35, 2002 (GCUK).

A string has G genes; gene g is a centre of q numbers, or a gap ("#"). A position holds G flags
(1: a centre, 0: a gap), then G·q numbers. Fitness must not be negative: parents are drawn in
proportion to it (roulette wheel).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats


class GAState(NamedTuple):
    """A population between two generations."""

    positions: Floats  # (P, G + G q)
    fitness: Floats  # (P,)
    best_position: Floats
    best_fitness: float


@dataclass(frozen=True)
class GA:
    """Settings; the defaults are those of table 2 of Abraham, Das and Konar."""

    n_genes: int
    gene_size: int
    crossover: float = 0.85
    mutation: float = 0.005

    def start(self, positions: Floats, rng: np.random.Generator) -> GAState:
        """Return the first population."""
        return GAState(positions.copy(), np.zeros(len(positions)), positions[0].copy(), -np.inf)

    def ask(self, state: GAState, rng: np.random.Generator) -> GAState:
        """Breed the next population."""
        parents = state.positions[self._draw_parents(state.fitness, rng)]
        children = self._mutate(self._cross(parents, rng), rng)
        return state._replace(positions=children)

    def tell(self, state: GAState, fitness: Floats) -> GAState:
        """Keep the best string so far: it replaces the worst one (elitism)."""
        positions, fitness = state.positions.copy(), fitness.copy()
        leader = int(fitness.argmax())
        best_position, best_fitness = state.best_position, state.best_fitness
        if fitness[leader] > best_fitness:
            best_position, best_fitness = positions[leader].copy(), float(fitness[leader])
        else:
            worst = int(fitness.argmin())
            positions[worst], fitness[worst] = best_position, best_fitness
        return GAState(positions, fitness, best_position, best_fitness)

    def _draw_parents(self, fitness: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
        weights = np.maximum(np.where(np.isfinite(fitness), fitness, 0.0), 0.0)
        total = weights.sum()
        if total <= 0.0:
            return rng.integers(len(fitness), size=len(fitness))
        return rng.choice(len(fitness), size=len(fitness), p=weights / total)

    def _cross(self, parents: Floats, rng: np.random.Generator) -> Floats:
        """Swap all genes from a random position on, between neighbours in the mating pool."""
        children = parents.copy()
        for first in range(0, len(parents) - 1, 2):
            if rng.random() < self.crossover:
                columns = self._genes(np.arange(self.n_genes) >= rng.integers(1, self.n_genes))
                pair = children[first : first + 2]
                pair[:, columns] = pair[::-1][:, columns]
        return children

    def _mutate(self, children: Floats, rng: np.random.Generator) -> Floats:
        """Change values v to v(1 ± 2δ), or ±2δ where v is 0, δ uniform in [0, 1]."""
        values = children[:, self.n_genes :]
        hit = rng.random(values.shape) < self.mutation
        delta = rng.uniform(-2.0, 2.0, values.shape)
        values[hit] = np.where(values == 0.0, delta, values * (1.0 + delta))[hit]
        return children

    def _genes(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the columns of a position that belong to the chosen genes."""
        return np.concatenate([chosen, np.repeat(chosen, self.gene_size)])
