"""Starts of a swarm: centres, weights, and the partitions that follow from them."""

from __future__ import annotations

import numpy as np

from weft._base.arrays import Floats, Integers, Labels
from weft.methods.projected.objectives import Space

INITS = ("k-means++", "random")
WEIGHT_INITS = ("near-one", "uniform")
# "near-one" draws in [0.9, 1]: the β-th powers of shares then differ little between clusters. Drawn
# in [0, 1], they differ so much that one cluster gets most rows in the first assignment.
_NEAR = 0.9


def draw_weights(shape: tuple[int, ...], weight_init: str, rng: np.random.Generator) -> Floats:
    """Draw first weights: ``"uniform"`` in [0, 1] as published, or ``"near-one"``."""
    return rng.uniform(_NEAR if weight_init == "near-one" else 0.0, 1.0, size=shape)


def draw_rows(space: Space, n_particles: int, init: str, rng: np.random.Generator) -> Integers:
    """Draw the rows that are each particle's first centres, (P, K)."""
    n_rows, n_clusters = space.shape[0], space.n_clusters
    if init == "random":
        draws = [rng.choice(n_rows, n_clusters, replace=False) for _ in range(n_particles)]
        return np.array(draws)
    step = space.n_starts_at_once(2 + int(np.log(n_clusters)))
    parts = [
        plus_plus(space, min(step, n_particles - first), rng)
        for first in range(0, n_particles, step)
    ]
    return np.vstack(parts)


def plus_plus(space: Space, n_particles: int, rng: np.random.Generator) -> Integers:
    """Draw greedy k-means++ starts for several particles at once, (P, K).

    A row is drawn with probability proportional to its squared distance to the nearest row drawn
    before. Of 2 + log K candidates, the one with the smallest sum of distances is chosen (Arthur
    and Vassilvitskii 2007, as in scikit-learn). The candidates of all particles are computed in one
    product: a swarm draws many starts, and drawn one by one they took a third of the time.
    """
    n_rows, n_clusters = space.shape[0], space.n_clusters
    n_trials = 2 + int(np.log(n_clusters))
    chosen = np.empty((n_particles, n_clusters), dtype=np.int64)
    chosen[:, 0] = rng.integers(n_rows, size=n_particles)
    nearest = space.squared_distances(chosen[:, 0])
    for number in range(1, n_clusters):
        draws = rng.uniform(size=(n_particles, n_trials))
        chosen[:, number], nearest = space.draw_next(nearest, draws)
    return chosen


def draw_centers(space: Space, n_particles: int, init: str, rng: np.random.Generator) -> Floats:
    """Draw rows as centres for each particle, (P, K, M)."""
    return np.stack([space.rows(rows) for rows in draw_rows(space, n_particles, init, rng)])


def draw_partitions(
    space: Space,
    n_particles: int,
    init: str,
    weight_init: str,
    rng: np.random.Generator,
) -> Labels:
    """Draw centres and weights for each particle and assign the rows to them, (P, n)."""
    rows = draw_rows(space, n_particles, init, rng)
    labels = np.empty((n_particles, space.shape[0]), dtype=np.int32)
    for p in range(n_particles):  # one by one, to avoid P dense matrices of sparse rows
        centers = space.rows(rows[p])
        weights = draw_weights(centers.shape, weight_init, rng)
        labels[p] = space.assign_by_weights(weights, centers)
    return labels
