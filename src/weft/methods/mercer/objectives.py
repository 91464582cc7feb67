"""Fitness of thresholds and centres: f = 1 / (CS + ε), eq. 11.

A particle has C activation thresholds and C centres, all numbers in [0, 1]; centres are spread
over the range of the rows they live among (section 4.1). Repairs belong to the decoding, not to
the position: the same position has the same fitness whenever it is evaluated.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.backends.cpu.kernels import mercer_cs as kernels
from weft.methods.mercer.spaces import FeatureSpace
from weft.parallel.parts import SpreadObjective
from weft.search.swarms.base import Evaluation

EPSILON = 0.0002


class CenterObjective(SpreadObjective):
    """What both forms share: the particle, eq. 11."""

    def __init__(self, rows: Floats, max_clusters: int, *, n_threads: int = 1) -> None:
        super().__init__(rows, n_threads)
        self.max_clusters = max_clusters
        self.low = rows.min(axis=0)
        self.span = rows.max(axis=0) - self.low

    def initial(self, rng: np.random.Generator, n_particles: int) -> Floats:
        """Draw thresholds in [0, 1], and rows as centres (step 1 of section 4.4)."""
        thresholds = rng.random((n_particles, self.max_clusters))
        chosen = rng.integers(len(self.rows), size=(n_particles, self.max_clusters))
        safe = np.where(self.span > 0.0, self.span, 1.0)
        centers = (self.rows[chosen] - self.low) / safe
        return np.hstack([thresholds, centers.reshape(n_particles, -1)])

    def __call__(self, positions: Floats) -> Evaluation:
        """Evaluate the whole swarm, (P, C + C q) → (P,)."""
        n_found, cs = self._evaluate(positions)
        fitness = np.where(np.isfinite(cs), 1.0 / (cs + EPSILON), 0.0)  # eq. 11
        return Evaluation(fitness, {"n_clusters": n_found})

    def evaluate_part(self, positions: Floats) -> tuple[Integers, Floats]:
        """Return the number of clusters and the measure of some of the particles."""
        n_particles = len(positions)
        n_found = np.empty(n_particles, dtype=np.int64)
        cs = np.empty(n_particles)

        def work(first: int, last: int) -> None:
            part = slice(first, last)
            self._fill(positions[part], n_found[part], cs[part])

        self._run(work, n_particles)
        return n_found, cs

    def _fill(self, positions: Floats, n_found: Integers, cs: Floats) -> None:
        raise NotImplementedError

    def labels_of(self, position: Floats) -> Integers:
        """Return the partition of a position."""
        raise NotImplementedError


class InputObjective(CenterObjective):
    """As printed: centres among the rows, Gaussian kernel, eq. 8, the repair of section 4.3."""

    def __init__(
        self, rows: Floats, max_clusters: int, *, gamma: float, n_threads: int = 1
    ) -> None:
        super().__init__(rows, max_clusters, n_threads=n_threads)
        self.gamma = gamma
        squared = ((self.rows[:, np.newaxis] - self.rows[np.newaxis]) ** 2).sum(axis=2)
        self.distances = 2.0 * (1.0 - np.exp(-gamma * squared))  # eq. 5

    def _fill(self, positions: Floats, n_found: Integers, cs: Floats) -> None:
        kernels.input_cs_swarm(
            positions,
            self.rows,
            self.columns,
            self.distances,
            self.max_clusters,
            self.low,
            self.span,
            self.gamma,
            n_found,
            cs,
        )

    def centers_of(self, position: Floats) -> tuple[Floats, Integers]:
        """Return the repaired centres of a position, and their partition."""
        labels = np.empty(len(self.rows), dtype=np.int64)
        arguments: tuple[Any, ...] = (self.max_clusters, self.low, self.span, labels)
        centers = kernels.decode_input(position, self.rows, self.columns, *arguments)
        return centers, labels

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
    ) -> None:
        super().__init__(space.coordinates, max_clusters, n_threads=n_threads)
        self.distances = space.squared_distances()
        self.steps = steps
        self.least = least

    def _fill(self, positions: Floats, n_found: Integers, cs: Floats) -> None:
        kernels.feature_cs_swarm(
            positions,
            self.rows,
            self.columns,
            self.distances,
            self.max_clusters,
            self.low,
            self.span,
            self.steps,
            self.least,
            n_found,
            cs,
        )

    def labels_of(self, position: Floats) -> Integers:
        labels = np.empty(len(self.rows), dtype=np.int64)
        kernels.decode_feature(
            position,
            self.rows,
            self.columns,
            self.max_clusters,
            self.low,
            self.span,
            self.steps,
            self.least,
            labels,
        )
        return labels
