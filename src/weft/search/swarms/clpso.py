"""Comprehensive-learning particle swarm optimisation.

Liang, Qin, Suganthan and Baskar 2006, in the form of Lu, Wang, Li and Zhou 2009 (eq. 12 and 13,
sections 3.1 and 4.2): a particle learns from one exemplar a move, the winner of a tournament of
two, and takes each number from it with the particle's own probability Pc.

========  =======  ===============================================================================
symbol    shape    meaning
========  =======  ===============================================================================
λ         ()       inertia, 0.9 falling linearly to 0.7
c1        ()       acceleration, 1.49445
r1        (P, 1)   a uniform number, one per particle, because the text says "a number"
Pc        (P,)     0.5 (e^f(i) - e^f(1)) / (e^f(s) - e^f(1)), f(i) = 5 i / (s - 1): from 0 to 0.5
CpBest    (P, D)   own best with numbers of the exemplar's best
========  =======  ===============================================================================

`PartitionCLPSO` does the same with partitions: particles learn whole clusters. The clusters of the
exemplar are matched with the particle's own by their overlap. Cluster 3 of one particle is not
related to cluster 3 of another, so learning number by number would mix unrelated clusters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from weft._base.arrays import Floats, Integers
from weft.search.swarms.base import nothing_known, remember

BOUNDS = ("clip", "repair", "neglect")


class CLPSOState(NamedTuple):
    """A swarm between two moves."""

    positions: Floats  # (P, D)
    velocities: Floats  # (P, D); (P, 0) for partitions
    own_best: Floats  # (P, D)
    own_best_fitness: Floats  # (P,)
    best_position: Floats  # (D,)
    best_fitness: float
    n_moves: int


def learning_probabilities(n_particles: int, low: float, high: float) -> Floats:
    """Return Pc of each particle: section 4.2 for ``low=0``, ``high=0.5``."""
    if n_particles == 1:
        return np.array([high])
    f = 5.0 * np.arange(1, n_particles + 1) / (n_particles - 1)
    rise = (np.exp(f) - np.exp(f[0])) / (np.exp(f[-1]) - np.exp(f[0]))
    return low + (high - low) * rise


def tournament(fitness: Floats, rng: np.random.Generator) -> Integers:
    """Return each particle's exemplar: the fitter of two others, drawn at random.

    The first drawn wins a tie. With two particles each learns from the other; a single particle
    learns from itself.
    """
    n_particles = len(fitness)
    exemplars: Integers = np.zeros(n_particles, dtype=np.int64)
    for i in range(n_particles):
        n_drawn = min(2, n_particles - 1)
        if n_drawn == 0:
            continue
        drawn = rng.choice(n_particles - 1, n_drawn, replace=False)
        drawn = drawn + (drawn >= i)  # all particles except itself
        exemplars[i] = drawn[int(fitness[drawn].argmax())]
    return exemplars


def _first(positions: Floats, velocities: Floats) -> CLPSOState:
    return CLPSOState(positions.copy(), velocities, *nothing_known(positions), 0)


@dataclass(frozen=True)
class CLPSO:
    """Settings of the swarm in a box; the defaults are the paper's."""

    n_generations: int
    inertia: tuple[float, float] = (0.9, 0.7)
    acceleration: float = 1.49445
    learning: tuple[float, float] = (0.0, 0.5)
    low: float = 0.0
    high: float = 1.0
    # "clip" stops a particle at the bound; "repair" reflects it and reverses its velocity;
    # "neglect" lets it leave the box: outside it has no fitness, and its CpBest pulls it back.
    bounds: str = "clip"

    @property
    def max_velocity(self) -> float:
        return 0.25 * (self.high - self.low)

    def start(self, positions: Floats, rng: np.random.Generator) -> CLPSOState:
        """Return the first state: nothing is known yet, velocities are random."""
        velocities = rng.uniform(-self.max_velocity, self.max_velocity, positions.shape)
        return _first(positions, velocities)

    def ask(self, state: CLPSOState, rng: np.random.Generator) -> CLPSOState:
        """Move every particle once."""
        learned = self.crossover(state, rng)
        pull = rng.uniform(size=(len(state.positions), 1)) * self.acceleration
        velocities = (  # eq. 13
            self._inertia(state.n_moves) * state.velocities + pull * (learned - state.positions)
        )
        velocities = np.clip(velocities, -self.max_velocity, self.max_velocity)
        positions = state.positions + velocities  # eq. 12
        if self.bounds == "repair":
            below, above = positions < self.low, positions > self.high
            velocities = np.where(below | above, -velocities, velocities)
            positions = np.where(below, 2.0 * self.low - positions, positions)
            positions = np.where(above, 2.0 * self.high - positions, positions)
        if self.bounds != "neglect":
            positions = np.clip(positions, self.low, self.high)
        return state._replace(positions=positions, velocities=velocities, n_moves=state.n_moves + 1)

    def tell(self, state: CLPSOState, fitness: Floats) -> CLPSOState:
        """Update each particle's best and the swarm's."""
        return remember(state, fitness)

    def crossover(self, state: CLPSOState, rng: np.random.Generator) -> Floats:
        """Return CpBest: each number from the exemplar with probability Pc, at least one."""
        n_particles, n_dimensions = state.positions.shape
        exemplars = tournament(state.own_best_fitness, rng)
        chance = learning_probabilities(n_particles, *self.learning)
        taken = rng.uniform(size=(n_particles, n_dimensions)) < chance[:, np.newaxis]
        spare: Integers = rng.integers(n_dimensions, size=(n_particles,))
        none = np.flatnonzero(~taken.any(axis=1))
        taken[none, spare[none]] = True
        return np.where(taken, state.own_best[exemplars], state.own_best)

    def _inertia(self, n_moves: int) -> float:
        first, last = self.inertia
        return first + (last - first) * min(1.0, n_moves / max(1, self.n_generations - 2))


@dataclass(frozen=True)
class PartitionCLPSO:
    """The swarm over partitions: a position holds the cluster of each row, -1 for rows in none.

    A particle moves directly to CpBest, because partitions have no velocity. Its learned clusters
    are those of the exemplar. Its other clusters keep the rows that are not in a learned cluster.
    Rows of the replaced clusters have no cluster until the objective assigns them.

    Equal particles cannot learn from each other. So a particle that has become equal to another
    loses its best and starts again: its position is -1 everywhere, and the objective makes a new
    partition for it. The best position of the swarm is always kept.
    """

    n_clusters: int
    learning: tuple[float, float] = (0.0, 0.5)

    def start(self, positions: Floats, rng: np.random.Generator) -> CLPSOState:
        """Return the first state."""
        return _first(positions, np.empty((len(positions), 0)))

    def ask(self, state: CLPSOState, rng: np.random.Generator) -> CLPSOState:
        """Move every particle to its CpBest."""
        n_particles = len(state.positions)
        exemplars = tournament(state.own_best_fitness, rng)
        chance = learning_probabilities(n_particles, *self.learning)
        taken = rng.uniform(size=(n_particles, self.n_clusters)) < chance[:, np.newaxis]
        spare: Integers = rng.integers(self.n_clusters, size=(n_particles,))
        positions = np.full_like(state.positions, -1.0)
        fitness = state.own_best_fitness.copy()
        for i, exemplar in enumerate(exemplars.tolist()):
            own, other = state.own_best[i], state.own_best[exemplar]
            match = match_clusters(own, other, self.n_clusters)
            differing = np.flatnonzero(clusters_differ(own, other, match))
            if len(differing) == 0 and i > exemplar:  # of two equal particles, one is kept
                fitness[i] = -np.inf
                continue
            # At least one cluster is learned, if possible one that differs.
            if len(differing) and not taken[i, differing].any():
                taken[i, differing[spare[i] % len(differing)]] = True
            positions[i] = learn_clusters(own, other, match, taken[i])
        return state._replace(
            positions=positions, own_best_fitness=fitness, n_moves=state.n_moves + 1
        )

    def tell(self, state: CLPSOState, fitness: Floats) -> CLPSOState:
        """Update each particle's best and the swarm's."""
        return remember(state, fitness)


def match_clusters(own: Floats, other: Floats, n_clusters: int) -> Integers:
    """Return the cluster of `other` that matches each of `own`: most rows in common."""
    both = (own >= 0) & (other >= 0)
    pairs = own[both].astype(np.int64) * n_clusters + other[both].astype(np.int64)
    table = np.bincount(pairs, minlength=n_clusters**2).reshape(n_clusters, n_clusters)
    return linear_sum_assignment(table, maximize=True)[1].astype(np.int64)


def clusters_differ(own: Floats, other: Floats, match: Integers) -> NDArray[np.bool_]:
    """Return which clusters of `own` have other rows than the matching cluster of `other`."""
    translated = np.append(match, -1)[own.astype(np.int64)]
    apart = translated != other
    differ = np.zeros(len(match) + 1, dtype=bool)  # the last entry stands for -1
    differ[own[apart].astype(np.int64)] = True
    differ[np.append(np.argsort(match), -1)[other[apart].astype(np.int64)]] = True
    return differ[:-1]


def learn_clusters(own: Floats, other: Floats, match: Integers, taken: NDArray[np.bool_]) -> Floats:
    """Return `own` with the clusters `taken` replaced by those of `other` that match them."""
    n_clusters = len(taken)
    # numbers of each partition's clusters in the new one; the last entry stands for -1
    kept = np.append(np.where(taken, -1.0, np.arange(n_clusters)), -1.0)
    learned = np.full(n_clusters + 1, -1.0)
    learned[match[taken]] = np.flatnonzero(taken)
    from_other = learned[other.astype(np.int64)]
    return np.where(from_other >= 0, from_other, kept[own.astype(np.int64)])
