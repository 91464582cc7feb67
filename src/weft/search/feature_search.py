"""The search for feature weights as a pure function: a table in, weights and clusters out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from weft._base.arrays import Floats, Mask
from weft._base.memory import check_swarm
from weft.backends import Backend
from weft.backends.spaces import Clustering, Solution
from weft.search.clusterers import Clusterer
from weft.search.criteria import Criterion
from weft.search.objectives import FeatureObjective
from weft.search.particles import WeightParticle
from weft.search.swarms.base import Swarm


@dataclass(frozen=True)
class FeatureSearch:
    """The parts of a search: particles, clusterer, criterion, swarm, backend."""

    particle: WeightParticle
    clusterer: Clusterer
    criterion: Criterion
    swarm: Swarm[Any]
    backend: Backend
    n_particles: int = 30
    init: Any = "uniform"
    max_memory: int = 2**30
    n_jobs: int | None = None


class FeatureSolution(NamedTuple):
    """The best weights, and the clusters that they give."""

    solution: Solution
    clustering: Clustering
    fitness: float  # in double precision; -inf if no particle found two clusters
    anchors: Floats  # rows that stand for the clusters
    best: Any  # what `move` returned


def search_features(
    X: Any,
    search: FeatureSearch,
    seed: int,
    move: Callable[..., Any],
    *,
    screened: Mask | None = None,
) -> FeatureSolution:
    """Search for the weights of the columns of X.

    ``move(objective, swarm, positions, rng)`` runs the loop and returns the best position and its
    fitness. `screened` (d,) are the columns that matter, for an `init` or criterion that asks.
    If no particle gives two clusters, the rows are clustered with all features at weight 1.
    """
    check_swarm(search.n_particles, search.particle.n_dimensions)
    rng = np.random.default_rng(seed)
    objective = FeatureObjective(
        X,
        search.particle,
        search.clusterer,
        search.criterion,
        backend=search.backend,
        max_memory=search.max_memory,
        n_jobs=search.n_jobs,
        screened=screened,
    )
    positions = search.particle.initial(rng, search.n_particles, search.init, screened)
    best = move(objective, search.swarm, positions, rng)
    solution, fitness = search.particle.decode(best.position), best.fitness
    if not np.isfinite(fitness):
        n_features = len(solution.weights)
        exponents = None if solution.exponents is None else np.full(n_features, 2.0)
        solution = Solution(np.ones(n_features), exponents)
    clustering = objective.cluster(solution)
    if np.isfinite(fitness):
        fitness = objective.score(solution, clustering)
    return FeatureSolution(solution, clustering, fitness, objective.rows(clustering.anchors), best)
