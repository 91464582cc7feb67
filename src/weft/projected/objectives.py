"""Positions in, fitness out: what a swarm's weights, or partitions, are worth.

`WeightObjective` is the paper's: a position is a weight matrix, and each particle carries its own
centres, which move by one assignment and one mean per evaluation. `PartitionObjective` takes
partitions and improves each by a few rounds of the closed-form alternation before it is scored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from weft.projected.dense import Settled
from weft.swarms.base import Evaluation

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]


class Space(Protocol):
    """Rows, dense or sparse, that know what partitions and weights come to."""

    n_clusters: int

    @property
    def shape(self) -> tuple[int, int]: ...

    def settle(self, labels: Labels, n_rounds: int) -> Settled: ...

    def lloyd(
        self, weights: Floats, centers: Floats, rng: np.random.Generator
    ) -> tuple[Labels, Floats, Floats]: ...


class Best(NamedTuple):
    """The best particle seen, as it stood then."""

    fitness: float
    weights: Floats  # (K, M)
    centers: Floats  # (K, M)


class PartitionObjective:
    """Fitness of partitions (P, n) after `n_steps` rounds.

    A position of -1 throughout asks for a new start: `draw` makes as many as it is told.

    The particles stand where the rounds have brought them: `positions` is written back, so that
    what a particle remembers, and others learn from, is the improved partition.
    """

    def __init__(self, space: Space, n_steps: int, draw: Callable[[int], Labels]) -> None:
        self.space = space
        self.n_steps = n_steps
        self.draw = draw

    def __call__(self, positions: Floats) -> Evaluation:
        """Improve and evaluate the whole swarm."""
        labels = positions.astype(np.int32)
        blank = np.flatnonzero((labels < 0).all(axis=1))
        if len(blank):
            labels[blank] = self.draw(len(blank))
        labels, fitness = self.space.settle(labels, self.n_steps)
        positions[:] = labels
        return Evaluation(fitness, {"n_clusters": count_clusters(labels)})


class WeightObjective:
    """Fitness of weight matrices (P, G·M), G = K, or 1 where all clusters share their weights.

    Each call moves the centres, so the same position may be worth something else the next time:
    so the method is printed. What was best is kept with the centres that made it so.
    """

    def __init__(
        self, space: Space, centers: Floats, n_groups: int, rng: np.random.Generator
    ) -> None:
        self.space = space
        self.centers = centers  # (P, K, M)
        self.n_groups = n_groups
        self.rng = rng
        self.best: Best | None = None

    def decode(self, positions: Floats) -> Floats:
        """Return (P, K, M) weights, each cluster's scaled to sum to 1."""
        n_features = self.space.shape[1]
        weights = positions.reshape(len(positions), self.n_groups, n_features)
        total = weights.sum(axis=2, keepdims=True)
        shares = np.where(
            total > 0.0, weights / np.where(total > 0.0, total, 1.0), 1.0 / n_features
        )
        return np.broadcast_to(shares, (len(positions), self.space.n_clusters, n_features))

    def __call__(self, positions: Floats) -> Evaluation:
        """Move every particle's centres once and evaluate the whole swarm."""
        weights = self.decode(positions)
        labels, self.centers, fitness = self.space.lloyd(weights, self.centers, self.rng)
        leader = int(fitness.argmax())
        if self.best is None or fitness[leader] > self.best.fitness:
            self.best = Best(
                float(fitness[leader]), weights[leader].copy(), self.centers[leader].copy()
            )
        return Evaluation(fitness, {"n_clusters": count_clusters(labels)})


def count_clusters(labels: Labels) -> NDArray[np.int64]:
    """Return how many clusters of each partition (P, n) have rows."""
    return np.array([len(np.unique(row[row >= 0])) for row in labels])
