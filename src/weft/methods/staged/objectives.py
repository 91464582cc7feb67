"""Stages 2 and 3: fitness of medoids and of centroids.

Lensen, Xue and Zhang, sections 3.2 and 3.3.

========  ====  ===========================================================================
symbol    shape meaning
========  ====  ===========================================================================
n, m      ()    rows, features
m'        (P,)  features a particle selects
K         (P,)  medoids in stage 2, clusters with at least one row in stage 3
T         ()    Between + Within, the same for every partition of the same rows
========  ====  ===========================================================================

fitness = quality × feature term × K term (eq. 2). The distances inside `quality` are over all
features, selected or not; rows are assigned over the selected ones. No selected feature, fewer
than 2 clusters or more than the cap: fitness 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft._base.labels import number_centers
from weft.backends import CPU, Backend
from weft.parallel.workers import SpreadObjective
from weft.search.swarms.base import Evaluation

QUALITIES = ("between-within", "calinski-harabasz")
FEATURE_TERMS = ("elliptical", "linear", "none")
# Within is the difference T - Between; values below this share of T are rounding errors.
_LEAST_WITHIN = 1e-12


@dataclass(frozen=True)
class Terms:
    """The three factors of eq. 2."""

    n_rows: int
    n_features: int
    total: float  # T
    max_clusters: int
    quality: str = "between-within"
    feature_term: str = "elliptical"
    k_term: str = "gaussian"  # or "inverse", "none"
    k_estimate: float = 2.0
    k_spread: float = 1.5

    def fitness(self, between: Floats, n_selected: Integers, n_clusters: Integers) -> Floats:
        """Return eq. 2 of each particle, 0 where there is no valid solution."""
        valid = (n_selected > 0) & (n_clusters >= 2) & (n_clusters <= self.max_clusters)
        k = np.where(valid, n_clusters, 2).astype(np.float64)
        within = np.maximum(self.total - between, _LEAST_WITHIN * self.total)
        # If all rows are equal, T = 0 and no particle is valid; the division must not warn.
        quality = between / np.where(within > 0.0, within, 1.0)  # eq. 3
        if self.quality == "calinski-harabasz":
            quality = quality * np.maximum(self.n_rows - k, 1.0) / (k - 1.0)
        value = quality * self._feature_factor(n_selected) * self._k_factor(k)
        return np.where(valid, value, 0.0)

    def _feature_factor(self, n_selected: Integers) -> Any:
        m = float(self.n_features)
        # With a single feature there is nothing to select, and both forms would be 0.
        if self.feature_term == "none" or self.n_features == 1:
            return 1.0
        if self.feature_term == "linear":
            return (m - n_selected) / m
        return np.sqrt(m * m - n_selected.astype(np.float64) ** 2) / m  # eq. 7

    def _k_factor(self, k: Floats) -> Any:
        if self.k_term == "gaussian":  # fig. 3b
            sigma = self.k_estimate / self.k_spread
            return np.exp(-((k - self.k_estimate) ** 2) / (2.0 * sigma**2))
        return 1.0 / (k + 1.0) if self.k_term == "inverse" else 1.0


class Partition(NamedTuple):
    """A decoded position."""

    labels: Integers  # (n,), 0 … K-1, numbered by first row, every number used
    features: Integers  # (m',), those that assign rows
    prototypes: Floats  # (K, m')
    polished_from: Integers | None = None  # the selected features, if others assign rows

    @classmethod
    def nearest(
        cls,
        rows: Floats,
        features: Integers,
        prototypes: Floats,
        *,
        selected: Integers | None = None,
    ) -> Partition:
        """Assign rows to the nearest of the prototypes (K, m'); those without rows are dropped."""
        data = CPU.prototypes.load(rows, CPU.device)
        nearest = partial(CPU.prototypes.nearest, data, features)
        labels, prototypes = number_centers(nearest, prototypes)
        return cls(labels, features, prototypes, selected)

    @classmethod
    def one_cluster(cls, rows: Floats) -> Partition:
        """Return all rows as one cluster around their mean, which is 0."""
        features = np.arange(rows.shape[1])
        return cls(np.zeros(len(rows), dtype=np.int64), features, np.zeros((1, len(features))))

    @property
    def selected(self) -> Integers:
        """The selected features."""
        return self.features if self.polished_from is None else self.polished_from


class MedoidObjective(SpreadObjective):
    """Stage 2: m features, n instances, and the threshold that makes an instance a medoid."""

    def __init__(
        self, rows: Floats, terms: Terms, *, n_threads: int = 1, backend: Backend = CPU
    ) -> None:
        super().__init__(rows, n_threads, backend)
        self.terms = terms
        self.data = backend.prototypes.load(self.rows, backend.device, medoids=True)

    @property
    def n_dimensions(self) -> int:
        return self.rows.shape[1] + len(self.rows) + 1

    def initial(self, rng: np.random.Generator, n_particles: int) -> Floats:
        """Draw first positions in [-1, 1]; at least one of them is a valid solution.

        With many rows most thresholds give far too many medoids. If no particle is valid, one gets
        a threshold that gives K_est medoids. Raising all thresholds is worse: best positions
        without common medoids pull the particles in different directions.
        """
        positions = rng.uniform(-1.0, 1.0, (n_particles, self.n_dimensions))
        if self(positions).fitness.max() > 0.0:
            return positions
        n_rows, n_features = self.rows.shape
        n_medoids = min(max(2, round(self.terms.k_estimate)), n_rows - 1)
        instances = np.sort(positions[0, n_features:-1])[::-1]
        positions[0, -1] = instances[n_medoids]  # the first instance that is not a medoid
        selected = rng.integers(n_features)
        positions[0, selected] = 0.5  # at least one feature is selected, but not all
        if n_features > 1 and (positions[0, :n_features] >= 0.0).all():
            positions[0, (selected + 1) % n_features] = -0.5
        return positions

    def __call__(self, positions: Floats) -> Evaluation:
        """Evaluate the whole swarm, (P, m + n + 1) → (P,)."""
        n_selected, n_clusters, between = self._evaluate(positions)
        fitness = self.terms.fitness(between, n_selected, n_clusters)
        return Evaluation(fitness, {"n_features": n_selected, "n_clusters": n_clusters})

    def evaluate_part(self, positions: Floats) -> tuple[Integers, Integers, Floats]:
        """Return selected features, clusters and Between of some of the particles."""
        return self.backend.prototypes.medoid_swarm(self.data, positions, self.terms.max_clusters)

    def decode(self, position: Floats) -> Partition:
        """Return the partition of a position whose fitness is above 0."""
        # A single position is decoded on the CPU, where its labels are needed.
        data = CPU.prototypes.load(self.rows, CPU.device)
        features, medoids = CPU.prototypes.medoids_of(data, position, self.terms.max_clusters)
        return Partition.nearest(self.rows, features, medoids)


class CentroidObjective(SpreadObjective):
    """Stage 3: K centroids over the m' features that stage 2 selected (fig. 4)."""

    def __init__(
        self,
        rows: Floats,
        features: Integers,
        terms: Terms,
        *,
        n_threads: int = 1,
        backend: Backend = CPU,
    ) -> None:
        super().__init__(rows, n_threads, backend)
        self.features = features
        self.terms = terms
        self.data = backend.prototypes.load(self.rows, backend.device)

    def __call__(self, positions: Floats) -> Evaluation:
        """Evaluate the whole swarm, (P, K · m') → (P,)."""
        n_clusters, between = self._evaluate(positions)
        n_selected = np.full(len(positions), len(self.features), dtype=np.int64)
        fitness = self.terms.fitness(between, n_selected, n_clusters)
        return Evaluation(fitness, {"n_features": n_selected, "n_clusters": n_clusters})

    def evaluate_part(self, positions: Floats) -> tuple[Integers, Floats]:
        """Return clusters and Between of some of the particles."""
        return self.backend.prototypes.centroid_swarm(self.data, positions, self.features)

    def decode(self, position: Floats) -> Partition:
        """Return the partition of a position."""
        return Partition.nearest(self.rows, self.features, position.reshape(-1, len(self.features)))
