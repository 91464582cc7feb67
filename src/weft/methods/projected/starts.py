"""Where a swarm starts: centres, weights, and the partitions that they make."""

from __future__ import annotations

import numpy as np

from weft._base.arrays import Floats, Integers, Labels
from weft.methods.projected.dense import DenseSpace
from weft.methods.projected.on_device import DeviceSpace
from weft.methods.projected.sparse import SparseSpace

INITS = ("k-means++", "random")
WEIGHT_INITS = ("near-one", "uniform")
# "near-one" draws in [0.9, 1]: the β-th powers of shares then differ little between clusters. Drawn
# in [0, 1], they differ so much that one cluster takes most rows at the first assignment.
_NEAR = 0.9
# Distances of candidates that are held at a time when starts are drawn.
_HELD = 2**22


def draw_weights(shape: tuple[int, ...], weight_init: str, rng: np.random.Generator) -> Floats:
    """Draw first weights: ``"uniform"`` in [0, 1] as printed, or ``"near-one"``."""
    return rng.uniform(_NEAR if weight_init == "near-one" else 0.0, 1.0, size=shape)


def draw_rows(
    space: DenseSpace | SparseSpace, n_particles: int, init: str, rng: np.random.Generator
) -> Integers:
    """Draw the rows that are each particle's first centres, (P, K)."""
    n_rows, n_clusters = space.shape[0], space.n_clusters
    if init == "random":
        draws = [rng.choice(n_rows, n_clusters, replace=False) for _ in range(n_particles)]
        return np.array(draws)
    # Sparse rows become dense as candidates: those of one particle at a time.
    held = _HELD // ((2 + int(np.log(n_clusters))) * n_rows)
    step = 1 if isinstance(space, SparseSpace) else max(1, held)
    parts = [
        plus_plus(space, min(step, n_particles - first), rng)
        for first in range(0, n_particles, step)
    ]
    return np.vstack(parts)


def plus_plus(
    space: DenseSpace | SparseSpace, n_particles: int, rng: np.random.Generator
) -> Integers:
    """Draw greedy k-means++ starts for several particles at once, (P, K).

    A row is drawn by its squared distance to the nearest row drawn before; of 2 + log K candidates
    the one that leaves the least sum is taken (Arthur and Vassilvitskii 2007, as scikit-learn does
    it). All particles' candidates are one product: a swarm draws many starts, and one by one they
    took a third of a run.
    """
    if isinstance(space, DeviceSpace):
        return space.plus_plus(n_particles, rng)
    n_rows, n_clusters = space.shape[0], space.n_clusters
    n_trials = 2 + int(np.log(n_clusters))
    particles = np.arange(n_particles)
    chosen = np.empty((n_particles, n_clusters), dtype=np.int64)
    chosen[:, 0] = rng.integers(n_rows, size=n_particles)
    nearest = _squared_distances(space, chosen[:, 0])
    for number in range(1, n_clusters):
        reach = np.cumsum(nearest, axis=1)
        aims = rng.uniform(size=(n_particles, n_trials)) * reach[:, -1:]
        candidates = np.empty((n_particles, n_trials), dtype=np.int64)
        for p in particles:
            candidates[p] = np.searchsorted(reach[p], aims[p], side="right")
        candidates = np.minimum(candidates, n_rows - 1)  # all distances 0, or rounding at the end
        offered = _squared_distances(space, candidates.ravel())
        offered = offered.reshape(n_particles, n_trials, n_rows)
        np.minimum(offered, nearest[:, np.newaxis], out=offered)
        best = offered.sum(axis=2).argmin(axis=1)
        chosen[:, number] = candidates[particles, best]
        nearest = offered[particles, best]
    return chosen


def _squared_distances(space: DenseSpace | SparseSpace, rows: Integers) -> Floats:
    """Return squared distances of some rows to all rows, not below 0, and 0 to themselves."""
    out = space.norms[rows, np.newaxis] + space.norms - 2.0 * space.products(rows)
    np.maximum(out, 0.0, out=out)
    out[np.arange(len(rows)), rows] = 0.0
    return out


def draw_centers(
    space: DenseSpace | SparseSpace, n_particles: int, init: str, rng: np.random.Generator
) -> Floats:
    """Draw rows as centres for each particle, (P, K, M)."""
    return np.stack([space.rows(rows) for rows in draw_rows(space, n_particles, init, rng)])


def draw_partitions(
    space: DenseSpace | SparseSpace,
    n_particles: int,
    init: str,
    weight_init: str,
    rng: np.random.Generator,
) -> Labels:
    """Draw centres and weights for each particle and assign the rows to them, (P, n)."""
    rows = draw_rows(space, n_particles, init, rng)
    labels = np.empty((n_particles, space.shape[0]), dtype=np.int32)
    for p in range(n_particles):  # one by one: sparse rows must not become P dense matrices
        centers = space.rows(rows[p])
        weights = draw_weights(centers.shape, weight_init, rng)
        if isinstance(space, SparseSpace):
            labels[p] = space.similarities(weights, centers).argmax(axis=1)
            continue
        factors = space.criterion.factors(space.criterion.shares(space.criterion.pool(weights)))
        alive = np.zeros((1, space.n_clusters), dtype=bool)
        labels[p] = space.assign(factors[np.newaxis], centers[np.newaxis], alive)[0][0]
    return labels
