"""Where a swarm starts: centres, weights, and the partitions that they make."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import kmeans_plusplus

from weft.kmeans.seeding import plus_plus, random_rows
from weft.projected.dense import DenseSpace
from weft.projected.sparse import SparseSpace

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]

INITS = ("k-means++", "random")
WEIGHT_INITS = ("near-one", "uniform")
# "near-one" draws in [0.9, 1]: the β-th powers of shares then differ little between clusters. Drawn
# in [0, 1], they differ so much that one cluster takes most rows at the first assignment.
_NEAR = 0.9


def draw_weights(shape: tuple[int, ...], weight_init: str, rng: np.random.Generator) -> Floats:
    """Draw first weights: ``"uniform"`` in [0, 1] as printed, or ``"near-one"``."""
    return rng.uniform(_NEAR if weight_init == "near-one" else 0.0, 1.0, size=shape)


def draw_centers(
    space: DenseSpace | SparseSpace, n_particles: int, init: str, rng: np.random.Generator
) -> Floats:
    """Draw rows as centres for each particle, (P, K, M)."""
    return np.stack([_one_draw(space, init, rng) for _ in range(n_particles)])


def _one_draw(space: Any, init: str, rng: np.random.Generator) -> Floats:
    n_clusters = space.n_clusters
    if isinstance(space, DenseSpace):
        if init == "random":
            return random_rows(space.data, n_clusters, rng)
        active = np.ones(space.shape[1], dtype=bool)
        return plus_plus(space.data, active, n_clusters, rng)
    if init == "random":
        return space.rows(rng.choice(space.shape[0], n_clusters, replace=False))
    seed = int(rng.integers(np.iinfo(np.int32).max))
    return kmeans_plusplus(space.X, n_clusters, random_state=seed)[0]


def draw_partitions(
    space: DenseSpace | SparseSpace,
    n_particles: int,
    init: str,
    weight_init: str,
    rng: np.random.Generator,
) -> Labels:
    """Draw centres and weights for each particle and assign the rows to them, (P, n)."""
    labels = np.empty((n_particles, space.shape[0]), dtype=np.int32)
    for p in range(n_particles):
        centers = _one_draw(space, init, rng)
        weights = draw_weights(centers.shape, weight_init, rng)
        if isinstance(space, SparseSpace):
            labels[p] = space.similarities(weights, centers).argmax(axis=1)
            continue
        weights = space.criterion.pool(weights)
        factors = space.criterion.factors(space.criterion.shares(weights))
        alive = np.zeros((1, space.n_clusters), dtype=bool)
        labels[p] = space.assign(factors[np.newaxis], centers[np.newaxis], alive)[0][0]
    return labels
