"""A dense table, and the fitness of partitions and weights in it.

The notation, and the passes over the table, are those of `weft.backends.reference.projected`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Integers, Labels
from weft.backends import CPU, Backend
from weft.methods.projected.criteria import Criterion, shares_of
from weft.parallel.threads import Runner

# Number of distances (of candidates to all rows) in memory at a time while starts are drawn.
_HELD = 2**22


class Settled(NamedTuple):
    """Partitions after some rounds, with their fitness."""

    labels: Labels  # (P, n)
    fitness: Floats  # (P,), minus F


class DenseSpace:
    """A table with weighted squared distances, on the backend that holds it."""

    def __init__(
        self,
        X: Floats,
        n_clusters: int,
        criterion: Criterion,
        run: Runner,
        backend: Backend = CPU,
    ) -> None:
        self.n_clusters = n_clusters
        self.criterion = criterion
        self.mean = X.mean(axis=0)
        self.X = X - self.mean
        self.operations = backend.projected
        self.table = self.operations.load(self.X, n_clusters, run, backend.device)

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape

    def rows(self, numbers: Integers) -> Floats:
        """Return a few rows as centres."""
        return self.X[numbers]

    def n_starts_at_once(self, n_trials: int) -> int:
        """Return how many particles' starts may be drawn at a time."""
        return max(1, _HELD // (n_trials * len(self.X)))

    def squared_distances(self, rows: Integers) -> Any:
        """Return squared distances of some rows to all rows, as an array of the backend."""
        return self.operations.squared_distances(self.table, rows)

    def draw_next(self, nearest: Any, draws: Floats) -> tuple[Integers, Any]:
        """Return each particle's next start, and the distances to all starts so far."""
        drawn: tuple[Integers, Any] = self.operations.draw_next(
            nearest, draws, self.squared_distances
        )
        return drawn

    def assign(
        self, factors: Floats, centers: Floats, dead: NDArray[np.bool_], *, exact: bool = False
    ) -> tuple[Labels, Floats]:
        """Return each row's nearest active centre for each particle, and its distance."""
        assigned: tuple[Labels, Floats] = self.operations.assign(
            self.table, factors, centers, dead, exact
        )
        return assigned

    def assign_by_weights(self, weights: Floats, centers: Floats) -> Labels:
        """Return each row's nearest centre (n,) under one particle's weights (K, M)."""
        factors = self.criterion.factors(shares_of(self.criterion.pool(weights)))
        dead = np.zeros((1, self.n_clusters), dtype=bool)
        return self.assign(factors[np.newaxis], centers[np.newaxis], dead)[0][0]

    def summarise(self, labels: Labels) -> tuple[Floats, Floats, Floats]:
        """Return sizes (P, K), centres and dispersions (P, K, M) of the clusters (eq. 17)."""
        partitions = self.operations.hold(self.table, labels)
        sizes, centers, spread = self.operations.summarise(
            self.table, partitions, np.arange(len(labels))
        )
        return sizes, centers, spread

    def settle(self, labels: Labels, n_rounds: int, *, exact: bool = False) -> Settled:
        """Run up to `n_rounds` of the closed-form alternation from each partition.

        A round computes weights, assigns rows and computes means. Rows in no cluster join one in
        the first round. A cluster without rows gets the row with the largest cost.
        """
        operations, table = self.operations, self.table
        partitions = operations.hold(table, labels)
        value = np.empty(len(labels))
        live = np.arange(len(labels))
        for number in range(n_rounds + 1):
            sizes, centers, spread = operations.summarise(table, partitions, live)
            shares = self.criterion.weights(spread, sizes)
            value[live] = self.criterion.value(shares, sizes, spread)
            if number == n_rounds:
                break
            factors = self.criterion.factors(shares)
            changed = operations.reassign(
                table, partitions, live, factors, centers, sizes == 0.0, exact
            )
            live = live[changed]
            if len(live) == 0:
                break
        return Settled(operations.fetch(partitions), -value)

    def lloyd(
        self, shares: Floats, centers: Floats, rng: np.random.Generator
    ) -> tuple[Labels, Floats, Floats]:
        """Assign once and take means once: labels, centres, fitness (eq. 16, 17, 14).

        The centre of an empty cluster becomes a random row (section 3.1).
        """
        factors = self.criterion.factors(shares)
        labels, _ = self.assign(factors, centers, np.zeros(centers.shape[:2], dtype=bool))
        sizes, means, spread = self.summarise(labels)
        empty = sizes == 0.0
        if empty.any():
            means[empty] = self.X[rng.integers(len(self.X), size=int(empty.sum()))]
        return labels, means, -self.criterion.value(shares, sizes, spread)
