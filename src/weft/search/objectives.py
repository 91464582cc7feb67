"""The objective turns positions into fitness: the only interface between a swarm and the data.

`FeatureObjective` decodes each position, clusters the rows in the metric that it defines, and
scores the clustering. One call evaluates the whole swarm. On the CPU particles run in parallel, on
threads or on joblib's current backend; a GPU evaluates all of them at once. `search_features` is
the whole search as a pure function from a table to weights and clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft._base.memory import check_swarm
from weft.backends import Backend
from weft.backends.cpu.features import fingerprint, parts_of
from weft.backends.spaces import INFEASIBLE, Clustering, Outcome, Partitions, Plan, Solution
from weft.parallel.blas import hold_blas, one_blas_thread, release_blas
from weft.parallel.workers import Crew
from weft.search.clusterers import Clusterer
from weft.search.criteria import Criterion
from weft.search.particles import WeightParticle
from weft.search.swarms.base import Evaluation, Swarm


class FeatureClustering:
    """Rows clustered under any feature weights."""

    def __init__(
        self,
        X: Any,
        particle: WeightParticle,
        clusterer: Clusterer,
        *,
        backend: Backend,
        max_memory: int,
        n_jobs: int | None,
        criterion: Criterion | None = None,
    ) -> None:
        self.particle = particle
        exponents = particle.n_dimensions > particle.n_features
        plan = Plan(clusterer, criterion, exponents, max_memory, n_jobs, backend.device)
        self.data = backend.features.load(X, plan)
        with one_blas_thread():
            self.clusterer = clusterer.prepare(self.data.full())

    def rows(self, indices: Integers) -> Floats:
        """Return rows of the table."""
        return self.data.rows(indices)

    def cluster(self, solution: Solution) -> Clustering:
        """Cluster the rows in the metric of `solution`."""
        with one_blas_thread():
            spaces = self.data.space(solution)
            partitions = self._partitions(solution, spaces)
            labels = spaces.to_host(partitions.labels)[0]
            anchors = np.arange(len(labels))
            if partitions.anchors is not None:
                anchors = np.flatnonzero(spaces.to_host(partitions.anchors)[0])
            converged = partitions.converged is None or bool(partitions.converged[0])
        return Clustering(labels, anchors, partitions.radius, converged)

    def _partitions(self, solution: Solution, spaces: Any) -> Partitions:
        return self.clusterer.cluster(spaces)


class FeatureObjective(FeatureClustering):
    """Fitness of feature weights: decode → distances → labels → score."""

    def __init__(
        self,
        X: Any,
        particle: WeightParticle,
        clusterer: Clusterer,
        criterion: Criterion,
        *,
        backend: Backend,
        max_memory: int,
        n_jobs: int | None,
        screened: Mask | None = None,
    ) -> None:
        super().__init__(
            X,
            particle,
            clusterer,
            backend=backend,
            max_memory=max_memory,
            n_jobs=n_jobs,
            criterion=criterion,
        )
        self.n_jobs = n_jobs
        self.n_together = self.data.n_together
        self._outcomes: dict[Hashable, Outcome] = {}
        self._crew: Crew | None = None
        with one_blas_thread():
            self.criterion = criterion.prepare(self.data.full(), screened)

    def __enter__(self) -> Self:
        if not self.data.evaluates_whole_swarms:
            # Particles run in parallel, so a product within a particle stays on one thread.
            hold_blas()
            try:
                crew = Crew(self, n_threads=self.data.n_threads, n_jobs=self.n_jobs)
                self._crew = crew.__enter__()
            except BaseException:
                release_blas()
                raise
        return self

    def __exit__(self, *error: Any) -> None:
        if self._crew is not None:
            try:
                self._crew.__exit__(*error)
            finally:
                self._crew = None
                release_blas()
        self.data.release()

    def __call__(self, positions: Floats) -> Evaluation:
        """Evaluate the whole swarm, (P, D) → (P,)."""
        parts = [self.evaluate_part(positions)] if self._crew is None else self._crew(positions)
        outcomes = [outcome for part in parts for outcome in part]
        fitness, n_features, n_clusters = (
            np.array(column) for column in zip(*outcomes, strict=True)
        )
        return Evaluation(fitness, {"n_features": n_features, "n_clusters": n_clusters})

    def evaluate_part(self, positions: Floats) -> list[Outcome]:
        """Evaluate some of the particles."""
        solutions = [self.particle.decode(position) for position in positions]
        weights = np.stack([solution.weights for solution in solutions])
        n_features = np.count_nonzero(weights > 0.0, axis=1).tolist()
        keys: list[Hashable]
        if self.data.evaluates_whole_swarms:
            # A GPU evaluates equal particles again: its recorded steps need the same number every
            # time.
            keys = list(range(len(solutions)))
            self._outcomes.clear()
        else:
            # The same solution occurs often: bits that no longer change, or weights that are all
            # dropped.
            keys = [_key(solution) for solution in solutions]
        new: dict[Hashable, Solution] = {}
        for key, solution, count in zip(keys, solutions, n_features, strict=True):
            if count == 0:
                self._outcomes[key] = Outcome(INFEASIBLE, 0, 0)
            elif key not in self._outcomes:
                new[key] = solution
        outcomes = self.data.evaluate(list(new.values()), self.clusterer, self.criterion)
        self._outcomes.update(zip(new, outcomes, strict=True))
        return [self._outcomes[key] for key in keys]

    def _partitions(self, solution: Solution, spaces: Any) -> Partitions:
        # The best particle's clusters are known from its evaluation, unless another process
        # evaluated it.
        known = self.data.recall(solution)
        return super()._partitions(solution, spaces) if known is None else known

    def evaluate(self, position: Floats) -> Outcome:
        """Evaluate one particle."""
        return self.evaluate_part(position[np.newaxis])[0]

    def score(self, solution: Solution, clustering: Clustering) -> float:
        """Return the criterion's value, in float64, for a clustering found under `solution`."""
        with one_blas_thread():
            spaces = self.data.space(solution, exact=True)
            labels = spaces.to_device(clustering.labels[np.newaxis])
            return float(self.criterion.score(spaces, labels)[0])

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_crew": None}


def _key(solution: Solution) -> bytes:
    return fingerprint(*parts_of(solution))


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
    anchors: Floats  # rows that represent the clusters
    best: Any  # result of `move`


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
    fitness. `screened` (d,) are the columns that matter, for an `init` or criterion that uses them.
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
