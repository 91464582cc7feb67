"""From a table to a search, and from the best particle to clusters: pure functions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from weft._base.arrays import Floats, Labels, Mask
from weft._base.memory import check_swarm
from weft.backends import Backend
from weft.kmeans.data import make_data, nearest
from weft.kmeans.fitting import varying
from weft.kmeans.weights import typical_dispersion, typical_share
from weft.methods.projected.criteria import Criterion, ScaledRule, shares_of
from weft.methods.projected.dense import DenseSpace
from weft.methods.projected.objectives import (
    Best,
    PartitionObjective,
    Space,
    WeightObjective,
)
from weft.methods.projected.settings import Settings
from weft.methods.projected.sparse import SparseSpace
from weft.methods.projected.starts import draw_centers, draw_partitions, draw_weights
from weft.parallel.threads import Runner
from weft.search.swarms.clpso import CLPSO, PartitionCLPSO


class Problem(NamedTuple):
    """The parts of a search; `best` decodes the best position."""

    objective: PartitionObjective | WeightObjective
    swarm: CLPSO | PartitionCLPSO
    positions: Floats

    def best(self, position: Floats) -> Labels | Best:
        """Return the best partition, or the best weights with their centres."""
        if isinstance(self.objective, WeightObjective) and self.objective.best is not None:
            return self.objective.best
        return position.astype(np.int32)


class Clusters(NamedTuple):
    """The result, in the columns' own units.

    `factors` (K, M) are those of squared distances; for sparse rows, the weights (K, M) that
    similarities are computed with, or None if all terms have the same weight.
    """

    labels: Labels
    centers: Floats  # (K, M)
    weights: Floats  # (K, M), each row summing to 1
    factors: Floats | None
    fitness: float

    @property
    def sizes(self) -> Floats:
        """Rows of each cluster, (K,)."""
        return np.bincount(self.labels, minlength=len(self.centers)).astype(float)


class StandardTable(NamedTuple):
    """The columns that vary, each in its own unit."""

    rows: Floats  # (n, M')
    active: Mask  # (M,)
    unit: Floats  # (M',)


def make_problem(space: Space, settings: Settings, rng: np.random.Generator) -> Problem:
    """Draw the first swarm, and return its objective and its moves."""
    swarm, n_particles = settings.swarm, settings.n_particles
    of_clusters = settings.particle == "clusters"
    check_swarm(n_particles, space.shape[0] if of_clusters else space.n_clusters * space.shape[1])
    if of_clusters:
        # Particles that start again while the swarm runs get their own random draws.
        fresh = np.random.default_rng(rng.integers(2**63))

        def draw(count: int) -> Labels:
            labels = draw_partitions(space, count, swarm.init, swarm.weight_init, fresh)
            return space.settle(labels, swarm.max_iter).labels

        positions = draw(n_particles).astype(np.float64)
        improve = PartitionObjective(space, swarm.n_steps, draw, fresh)
        return Problem(improve, PartitionCLPSO(space.n_clusters), positions)
    n_groups = 1 if settings.objective == "wkmeans" else space.n_clusters
    centers = draw_centers(space, n_particles, swarm.init, rng)
    positions = draw_weights((n_particles, n_groups * space.shape[1]), swarm.weight_init, rng)
    first, last = swarm.inertia
    moves = CLPSO(
        settings.n_generations,
        inertia=(float(first), float(last)),
        acceleration=float(swarm.acceleration),
        bounds=swarm.bounds,
    )
    return Problem(WeightObjective(space, centers, n_groups, rng), moves, positions)


def standard_table(X: Floats, standardize: bool) -> StandardTable:
    """Leave constant columns out, and divide the others by their standard deviations."""
    active = varying(X)
    # Columns that vary have a deviation above 0, but it may be too small to divide by.
    unit = X[:, active].std(axis=0) if standardize else np.ones(int(active.sum()))
    unit[unit < np.finfo(np.float64).tiny] = 1.0
    return StandardTable(np.ascontiguousarray(X[:, active] / unit), active, unit)


def dense_space(
    table: StandardTable, n_clusters: int, settings: Settings, run: Runner, backend: Backend
) -> DenseSpace:
    """Return the table with its criterion, on the backend of the search."""
    rows = table.rows
    strength = settings.strength
    if strength is None:
        data = make_data(rows, np.ones(len(rows)), 2.0, run)
        every = np.ones(rows.shape[1], dtype=bool)
        strength = typical_dispersion(data, every, n_clusters, settings.averaged)
    floor = settings.dispersion_floor * rows.var(axis=0) * (len(rows) / n_clusters)
    criterion = Criterion(settings.objective, settings.exponent, strength, floor)
    return DenseSpace(rows, n_clusters, criterion, run, backend)


def close_dense(
    X: Floats,
    table: StandardTable,
    space: DenseSpace,
    best: Labels | Best,
    settings: Settings,
    run: Runner,
) -> Clusters:
    """Refine the best particle, and convert it to the units of all columns of X."""
    criterion, n_clusters = space.criterion, space.n_clusters
    if isinstance(best, Best):
        _, shares, centers = best
        dead = np.zeros((1, n_clusters), dtype=bool)
        factors = criterion.factors(shares)
        labels = space.assign(factors[np.newaxis], centers[np.newaxis], dead, exact=True)[0]
    else:
        labels = best[np.newaxis]
    if settings.polish:
        labels = space.settle(labels, settings.swarm.max_iter, exact=True).labels
    if settings.polish or settings.particle == "clusters":
        sizes, means, spread = space.summarise(labels)
        shares, centers = criterion.weights(spread, sizes)[0], means[0]
    active, unit = table.active, table.unit
    whole_centers = np.tile(X.mean(axis=0), (n_clusters, 1))
    whole_centers[:, active] = (centers + space.mean) * unit
    weights = np.zeros((n_clusters, X.shape[1]))
    weights[:, active] = shares
    whole_factors = np.zeros_like(weights)
    whole_factors[:, active] = criterion.factors(shares) / unit**2
    # The same arithmetic as in `predict`.
    data = make_data(X, np.ones(len(X)), 2.0, run)
    own = nearest(data, whole_centers, whole_factors)
    # The fitness of the result: rows around these centres, under these weights.
    spread = np.zeros((n_clusters, len(unit)))
    np.add.at(spread, own, (table.rows - (centers + space.mean)[own]) ** 2)
    sizes = np.bincount(own, minlength=n_clusters).astype(float)
    fitness = -float(criterion.value(shares, sizes, spread))
    return Clusters(own, whole_centers, weights, whole_factors, fitness)


def close_sparse(space: SparseSpace, best: Labels | Best, settings: Settings) -> Clusters:
    """Refine the best particle of sparse rows."""
    weights = None
    if not isinstance(best, Best):
        _, centers, fitness = space.settle_one(best, None, settings.closing_rounds)
    else:
        fitness, weights, centers = best
        if settings.polish:
            labels = space.assign_by_weights(weights, centers)
            _, centers, fitness = space.settle_one(labels, weights, settings.closing_rounds)
    labels = space.similarities(weights, centers).argmax(axis=1).astype(np.int32)
    shares = shares_of(centers**2 if weights is None else weights)
    return Clusters(labels, centers, shares, weights, fitness)


def whole_rule(
    settings: Settings, n_clusters: int, active: Mask, dispersions: Floats, n_rows: float
) -> ScaledRule:
    """Return the rule of all rows, given their number and dispersions around their mean."""
    variance = dispersions[active] / n_rows
    unit = np.sqrt(variance) if settings.standardize else np.ones(len(variance))
    unit = np.where(unit < np.finfo(np.float64).tiny, 1.0, unit)
    scaled = variance / unit**2
    strength = settings.strength
    if strength is None:
        strength = typical_share(scaled * n_rows, n_rows, n_clusters, settings.averaged)
    floor = settings.dispersion_floor * scaled * (n_rows / n_clusters)
    return ScaledRule(
        Criterion(settings.objective, settings.exponent, strength, floor), active, unit
    )


def stream_rule(settings: Settings, active: Mask, stream: Any, centers: Floats) -> ScaledRule:
    """Return the rule of the rows of a stream so far.

    The total scatter is that within the clusters plus that of their centres.
    """
    n_rows = float(stream.sizes.sum())
    mean = (stream.sizes / n_rows) @ centers
    between = stream.sizes @ (centers - mean) ** 2
    within = (stream.total / stream.units**2).sum(axis=0)
    return whole_rule(settings, len(centers), active, within + between, n_rows)
