"""Objectives of GCUK (strings of centres) and DCPSO (subsets of a pool of centres)."""

from __future__ import annotations

from copy import copy
from typing import Self

import numpy as np
from scipy.stats import norm

from weft._base.arrays import Floats, Integers
from weft.backends import CPU, Backend
from weft.parallel.workers import SpreadObjective
from weft.search.swarms.base import Evaluation


class StringObjective(SpreadObjective):
    """GCUK: flags and centres; fitness 1 / Davies–Bouldin, 0 where it is not defined."""

    def __init__(
        self,
        rows: Floats,
        max_clusters: int,
        *,
        n_threads: int = 1,
        backend: Backend = CPU,
    ) -> None:
        super().__init__(rows, n_threads, backend)
        self.max_clusters = max_clusters
        self.data = backend.prototypes.load(self.rows, backend.device)

    def initial(self, rng: np.random.Generator, n_particles: int) -> Floats:
        """Draw strings with 2 … max centres at random positions; each centre is a row."""
        n_genes, n_features = self.max_clusters, self.rows.shape[1]
        flags = np.zeros((n_particles, n_genes))
        numbers = rng.integers(2, n_genes, size=n_particles, endpoint=True)
        for string, n_centers in zip(flags, numbers, strict=True):
            string[rng.choice(n_genes, n_centers, replace=False)] = 1.0
        chosen = rng.integers(len(self.rows), size=(n_particles, n_genes))
        centers = self.rows[chosen].reshape(n_particles, n_genes * n_features)
        return np.hstack([flags, centers])

    def __call__(self, positions: Floats) -> Evaluation:
        """Evaluate the whole population."""
        n_clusters, index = self._evaluate(positions)
        # An index of 0, where each cluster is a point, is the best possible, so 1/index has a
        # limit.
        fitness = np.where(np.isfinite(index), 1.0 / np.maximum(index, 1e-12), 0.0)
        return Evaluation(fitness, {"n_clusters": n_clusters})

    def evaluate_part(self, positions: Floats) -> tuple[Integers, Floats]:
        """Return the clusters and the index of some of the strings."""
        return self.backend.prototypes.string_swarm(self.data, positions, self.max_clusters)

    def centers_of(self, position: Floats) -> Floats:
        """Return the centres that a string holds."""
        values = position[self.max_clusters :].reshape(self.max_clusters, -1)
        return values[position[: self.max_clusters] > 0.5]

    def labels_of(self, position: Floats) -> Integers:
        """Return the partition whose index is the fitness."""
        return assign(self.rows, self.centers_of(position))


class SubsetObjective(SpreadObjective):
    """DCPSO: bits that select centres from a pool; fitness 1 / Turi's index."""

    def __init__(
        self,
        rows: Floats,
        pool: Floats,
        *,
        penalty: float = 25.0,
        n_threads: int = 1,
        backend: Backend = CPU,
    ) -> None:
        super().__init__(rows, n_threads, backend)
        self.penalty = penalty
        self.data = backend.prototypes.load(self.rows, backend.device)
        self._set_pool(pool)

    def _set_pool(self, pool: Floats) -> None:
        self.pool = np.ascontiguousarray(pool)
        self.loaded_pool = self.backend.prototypes.load_pool(self.data, self.pool)

    def with_pool(self, pool: Floats) -> Self:
        """Return the objective of another pool on the same rows."""
        other = copy(self)
        other._set_pool(pool)
        return other

    def initial(self, rng: np.random.Generator, n_particles: int, share: float) -> Floats:
        """Draw bits, each set with probability `share`."""
        return (rng.random((n_particles, len(self.pool))) < share).astype(np.float64)

    def __call__(self, positions: Floats) -> Evaluation:
        """Evaluate the whole swarm."""
        n_clusters, intra, inter = self._evaluate(positions)
        # V = (c · N(2, 1) + 1) · intra / inter: the Gaussian is a penalty for few clusters.
        factor = self.penalty * norm.pdf(n_clusters, 2.0, 1.0) + 1.0
        valid = np.isfinite(intra) & (inter > 0.0)
        finite_intra = np.where(valid, np.maximum(intra, 1e-300), 1.0)
        fitness = np.where(valid, np.where(valid, inter, 1.0) / (factor * finite_intra), 0.0)
        return Evaluation(np.minimum(fitness, 1e300), {"n_clusters": n_clusters})

    def evaluate_part(self, positions: Floats) -> tuple[Integers, Floats, Floats]:
        """Return clusters, spread within and distance between of some of the particles."""
        return self.backend.prototypes.subset_swarm(self.loaded_pool, positions)

    def settle(self, centers: Floats, max_iter: int) -> Floats:
        """Return the centres that have rows, after k-means from `centers`."""
        moved, labels = self.backend.prototypes.lloyd(self.data, centers, max_iter)
        return moved[np.unique(labels)]

    def labels_of(self, position: Floats) -> Integers:
        """Return the partition of a position."""
        return assign(self.rows, self.pool[position > 0.5])


def assign(rows: Floats, centers: Floats) -> Integers:
    """Return the nearest centre of each row; 0 where there is no centre."""
    operations = CPU.prototypes
    data = operations.load(rows, CPU.device)
    return operations.nearest(data, np.arange(rows.shape[1]), centers)
