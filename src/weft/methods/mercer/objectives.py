"""Fitness of thresholds and centres: f = 1 / (CS + ε), eq. 11.

A particle has C activation thresholds and C centres, all numbers in [0, 1]; centres are scaled to
the range of the rows (section 4.1). Repairs are part of decoding and do not change the position, so
a position has the same fitness whenever it is evaluated.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.backends import CPU, Backend
from weft.methods.mercer.spaces import FeatureSpace
from weft.parallel.workers import SpreadObjective
from weft.search.swarms.base import Evaluation

EPSILON = 0.0002
# Number of differences of rows that are in memory at a time; all of them would be (n, n, d).
_DIFFERENCES_AT_ONCE = 2**21


class CenterObjective(SpreadObjective):
    """Base of both forms: the particle and eq. 11."""

    def __init__(
        self, rows: Floats, distances: Floats, max_clusters: int, backend: Backend, n_threads: int
    ) -> None:
        super().__init__(rows, n_threads, backend)
        self.distances = distances  # (n, n), squared, in feature space
        self.max_clusters = max_clusters
        self.low = rows.min(axis=0)
        self.span = rows.max(axis=0) - self.low
        self.data = self._loaded(backend)

    def _loaded(self, backend: Backend) -> Any:
        arrays = (self.rows, self.distances, self.low, self.span)
        return backend.mercer.load(*arrays, backend.device)

    def initial(self, rng: np.random.Generator, n_particles: int) -> Floats:
        """Draw thresholds in [0, 1], and rows as centres (step 1 of section 4.4)."""
        thresholds = rng.random((n_particles, self.max_clusters))
        chosen = rng.integers(len(self.rows), size=(n_particles, self.max_clusters))
        safe = np.where(self.span > 0.0, self.span, 1.0)
        centers = (self.rows[chosen] - self.low) / safe
        return np.hstack([thresholds, centers.reshape(n_particles, -1)])

    def __call__(self, positions: Floats) -> Evaluation:
        """Evaluate the whole swarm, (P, C + C q) → (P,)."""
        n_clusters, cs = self._evaluate(positions)
        fitness = np.where(np.isfinite(cs), 1.0 / (cs + EPSILON), 0.0)  # eq. 11
        return Evaluation(fitness, {"n_clusters": n_clusters})

    def labels_of(self, position: Floats) -> Integers:
        """Return the partition of a position."""
        raise NotImplementedError


class InputObjective(CenterObjective):
    """As published: centres in input space, Gaussian kernel, eq. 8, the repair of section 4.3."""

    def __init__(
        self,
        rows: Floats,
        max_clusters: int,
        *,
        gamma: float,
        n_threads: int = 1,
        backend: Backend = CPU,
    ) -> None:
        self.gamma = gamma
        distances = np.empty((len(rows), len(rows)))
        height = max(1, _DIFFERENCES_AT_ONCE // max(1, rows.size))
        for start in range(0, len(rows), height):
            block = slice(start, start + height)
            squared = ((rows[block, np.newaxis] - rows) ** 2).sum(axis=2)
            distances[block] = 2.0 * (1.0 - np.exp(-gamma * squared))  # eq. 5
        super().__init__(rows, distances, max_clusters, backend, n_threads)

    def evaluate_part(self, positions: Floats) -> tuple[Integers, Floats]:
        """Return the number of clusters and the measure of some of the particles."""
        operations = self.backend.mercer
        return operations.input_cs_swarm(self.data, positions, self.max_clusters, self.gamma)

    def centers_of(self, position: Floats) -> tuple[Floats, Integers]:
        """Return the repaired centres of a position, and their partition."""
        # A single position is decoded on the CPU, where its labels are needed.
        return CPU.mercer.input_partition(self._loaded(CPU), position, self.max_clusters)

    def labels_of(self, position: Floats) -> Integers:
        return self.centers_of(position)[1]


class SpaceObjective(CenterObjective):
    """Centres in feature space, moved by `steps` of k-means there; the weighted CS."""

    def __init__(
        self,
        space: FeatureSpace,
        max_clusters: int,
        *,
        steps: int = 1,
        least: int = 2,
        n_threads: int = 1,
        backend: Backend = CPU,
    ) -> None:
        self.steps = steps
        self.least = least
        distances = space.squared_distances()
        super().__init__(space.coordinates, distances, max_clusters, backend, n_threads)

    def evaluate_part(self, positions: Floats) -> tuple[Integers, Floats]:
        """Return the number of clusters and the measure of some of the particles."""
        counts, measures = self.backend.mercer.feature_cs_swarm(
            self.data, positions, self.max_clusters, self.steps, self.least
        )
        # Particles with the same partition differ only by rounding, which depends on the backend
        # and the processor. Rounding must not decide which of them leads the swarm.
        return counts, measures.astype(np.float32).astype(np.float64)

    def labels_of(self, position: Floats) -> Integers:
        return CPU.mercer.feature_partition(
            self._loaded(CPU), position, self.max_clusters, self.steps, self.least
        )
