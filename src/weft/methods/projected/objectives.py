"""Positions in, fitness out: for weights and for partitions.

`WeightObjective` is the paper's: a position is a weight matrix, and each particle carries its own
centres, which move by one assignment and one mean per evaluation. `PartitionObjective` takes
partitions and improves each by a few rounds of the closed-form alternation before it is scored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Integers, Labels
from weft.methods.projected.criteria import shares_of
from weft.methods.projected.dense import Settled
from weft.search.runs import check_like, restore_rng
from weft.search.swarms.base import Evaluation


class Space(Protocol):
    """Rows, dense or sparse, with the fitness of partitions and weights."""

    n_clusters: int

    @property
    def shape(self) -> tuple[int, int]: ...

    def rows(self, numbers: Integers) -> Floats: ...

    def n_starts_at_once(self, n_trials: int) -> int: ...

    def squared_distances(self, rows: Integers) -> Any: ...

    def draw_next(self, nearest: Any, draws: Floats) -> tuple[Integers, Any]: ...

    def assign_by_weights(self, weights: Floats, centers: Floats) -> Labels: ...

    def settle(self, labels: Labels, n_rounds: int) -> Settled: ...

    def lloyd(
        self, weights: Floats, centers: Floats, rng: np.random.Generator
    ) -> tuple[Labels, Floats, Floats]: ...


class Best(NamedTuple):
    """The best particle seen, with its centres at that time."""

    fitness: float
    weights: Floats  # (K, M)
    centers: Floats  # (K, M)


class PartitionObjective:
    """Fitness of partitions (P, n) after `n_steps` rounds.

    A position of -1 everywhere gets a new start, which `draw` draws with the generator `rng`.

    The improved partitions are written back to `positions`, so that particles remember them and
    learn from them.
    """

    def __init__(
        self,
        space: Space,
        n_steps: int,
        draw: Callable[[int], Labels],
        rng: np.random.Generator | None = None,
    ) -> None:
        self.space = space
        self.n_steps = n_steps
        self.draw = draw
        self.rng = rng

    def get_state(self) -> dict[str, Any]:
        """Return the state for a checkpoint."""
        return {"rng": None if self.rng is None else dict(self.rng.bit_generator.state)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore the state from a checkpoint."""
        if self.rng is not None:
            restore_rng(self.rng, state["rng"])

    def accepts(self, positions: Floats) -> bool:
        """Return whether positions from a file are partitions; compiled code indexes with them."""
        whole = positions == np.rint(positions)
        return bool((whole & (positions >= -1) & (positions < self.space.n_clusters)).all())

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
    """Fitness of weight matrices (P, G·M); G = K, or 1 if all clusters share their weights.

    Each call moves the centres, so the same position may have another fitness the next time, as
    published. The best position is stored together with its centres.

    A matrix with a weight outside [0, 1] is not valid: its rows are not assigned and its centres
    stay (section 3.1: "W is neglected"). Swarms that clip or reflect positions never produce one.
    """

    def __init__(
        self, space: Space, centers: Floats, n_groups: int, rng: np.random.Generator
    ) -> None:
        self.space = space
        self.centers = centers  # (P, K, M)
        self.n_groups = n_groups
        self.rng = rng
        self.best: Best | None = None

    def get_state(self) -> dict[str, Any]:
        """Return the state for a checkpoint; the loop saves the generator."""
        best = None if self.best is None else self.best._asdict()
        return {"centers": self.centers, "best": best}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore the state from a checkpoint."""
        self.centers = check_like(state["centers"], self.centers, "centers")
        saved = state["best"]
        if saved is None:
            self.best = None
            return
        like = self.centers[0]
        self.best = Best(
            check_like(saved["fitness"], 0.0, "fitness"),
            check_like(saved["weights"], like, "weights"),
            check_like(saved["centers"], like, "centers"),
        )

    def decode(self, positions: Floats) -> Floats:
        """Return (P, K, M) weights, each cluster's scaled to sum to 1."""
        n_features = self.space.shape[1]
        weights = positions.reshape(len(positions), self.n_groups, n_features)
        shape = (len(positions), self.space.n_clusters, n_features)
        return np.broadcast_to(shares_of(weights), shape)

    def __call__(self, positions: Floats) -> Evaluation:
        """Evaluate every particle inside the box, after one update of its centres."""
        inside = np.flatnonzero(((positions >= 0.0) & (positions <= 1.0)).all(axis=1))
        fitness = np.full(len(positions), -np.inf)
        n_clusters = np.zeros(len(positions), dtype=np.int64)
        if len(inside) > 0:
            weights = self.decode(positions[inside])
            labels, centers, values = self.space.lloyd(weights, self.centers[inside], self.rng)
            self.centers = self.centers.copy()  # a checkpoint may refer to the old array
            self.centers[inside] = centers
            fitness[inside] = values
            n_clusters[inside] = count_clusters(labels)
            leader = int(values.argmax())
            if self.best is None or values[leader] > self.best.fitness:
                self.best = Best(
                    float(values[leader]), weights[leader].copy(), centers[leader].copy()
                )
        return Evaluation(fitness, {"n_clusters": n_clusters})


def count_clusters(labels: Labels) -> NDArray[np.int64]:
    """Return how many clusters of each partition (P, n) have rows."""
    return np.array([np.count_nonzero(np.bincount(row[row >= 0])) for row in labels])
