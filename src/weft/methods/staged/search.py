"""The search in stages as a pure function from rows to clusters and features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft._base.memory import check_swarm
from weft.backends import CPU, Backend
from weft.methods.staged.estimate import LLOYD_STEPS, estimate_n_clusters, largest_number
from weft.methods.staged.objectives import CentroidObjective, MedoidObjective, Partition, Terms
from weft.methods.staged.settings import ClusterEstimate
from weft.search.swarms.staged import StagedPSO


@dataclass(frozen=True)
class StagedSearch:
    """The parts of a search; see `weft.StagedSwarm` for the settings."""

    stages: int = 2
    feature_term: str | None = None
    quality: str = "between-within"
    polish: str | None = None
    estimate: ClusterEstimate = field(default_factory=ClusterEstimate)
    max_clusters: int | None = None
    n_particles: int = 100
    swarm: StagedPSO = field(default_factory=StagedPSO)
    backend: Backend = CPU
    n_threads: int = 1

    @property
    def where(self) -> dict[str, Any]:
        """Options of an objective: threads and backend."""
        return {"backend": self.backend, "n_threads": self.n_threads}

    def count(self, rows: Floats, rng: np.random.Generator) -> int | None:
        """Return K_est: as given, or from stage 1; None if there is no stage 1."""
        if self.stages == 1:
            return None
        if self.estimate.n_clusters is not None:
            return self.estimate.n_clusters
        cap = min(self.max_clusters or largest_number(len(rows)), len(rows))
        return estimate_n_clusters(
            rows, n_estimates=self.estimate.n_estimates, max_clusters=cap, rng=rng, **self.where
        ).n_clusters

    def terms(self, rows: Floats, estimate: int | None) -> Terms:
        """Return the factors of the fitness."""
        n_rows, n_features = rows.shape
        return Terms(
            n_rows,
            n_features,
            float((rows**2).sum() / n_rows),
            self.max_clusters or largest_number(n_rows),
            quality=self.quality,
            feature_term=self.feature_term or ("linear" if self.stages == 1 else "elliptical"),
            k_term="inverse" if estimate is None else "gaussian",
            k_estimate=2.0 if estimate is None else float(estimate),
            k_spread=self.estimate.k_spread,
        )


class StagedSolution(NamedTuple):
    """The clusters and features of the best position, and how each stage went."""

    partition: Partition
    n_clusters_estimate: int | None
    stages: list[Any]  # results of `move` for stage 1 or 2, and for stage 3


def search_stages(
    rows: Floats, search: StagedSearch, seed: int, move: Callable[..., Any]
) -> StagedSolution:
    """Search in stages on centred rows.

    ``move(objective, swarm, positions, rng)`` runs the loop and returns the best position and its
    fitness. Where no particle has a solution, all rows are one cluster.
    """
    rng = np.random.default_rng(seed)

    def run(stage: int, objective: Any, start: Floats) -> Any:
        swarm = search.swarm.at_stage(stage, polished=search.polish is not None)
        title, columns = f"stage {stage}", {"stage": stage}
        return move(objective, swarm, start, rng, title=title, columns=columns)

    estimate = search.count(rows, rng)
    terms = search.terms(rows, estimate)
    medoids = MedoidObjective(rows, terms, **search.where)
    check_swarm(search.n_particles, medoids.n_dimensions)
    start = medoids.initial(rng, search.n_particles)
    best = run(min(search.stages, 2), medoids, start)
    if best.fitness <= 0.0:
        return StagedSolution(Partition.one_cluster(rows), estimate, [best])
    partition = medoids.decode(best.position)
    if search.stages == 3:
        centroids = CentroidObjective(rows, partition.features, terms, **search.where)
        start = np.repeat(partition.prototypes.reshape(1, -1), search.n_particles, axis=0)
        last = run(3, centroids, start)
        return StagedSolution(centroids.decode(last.position), estimate, [best, last])
    if search.polish is not None:
        partition = polished(partition, rows, terms, search.polish)
    return StagedSolution(partition, estimate, [best])


POLISHES = ("lloyd", "prune")


class Clusters(NamedTuple):
    """The result of k-means."""

    centers: Floats
    labels: Integers
    fitness: float


def polished(partition: Partition, rows: Floats, terms: Terms, kind: str) -> Partition:
    """Return the clusters of stage 2 after the polish, which assigns rows over all features.

    ``"lloyd"``: k-means from the clusters that were found. ``"prune"``: in addition, a centre is
    dropped and k-means is run again, as long as this improves the fitness of stage 2 (with the same
    feature term). Lloyd steps alone cannot remove a centre: two centres in one cluster stay there.
    """
    operations = CPU.prototypes
    data = operations.load(rows, CPU.device)
    n_selected = len(partition.features)

    def settle(centers: Floats) -> Clusters:
        centers, labels = operations.lloyd(data, centers, LLOYD_STEPS)
        between, filled = operations.between_sum(data, labels, len(centers))
        value = terms.fitness(np.array([between]), np.array([n_selected]), np.array([filled]))
        return Clusters(centers, labels, float(value[0]))

    n_clusters = len(partition.prototypes)
    start = np.stack([rows[partition.labels == k].mean(axis=0) for k in range(n_clusters)])
    best = settle(start)
    while kind == "prune" and len(best.centers) > 2:
        trials = [
            settle(np.delete(best.centers, gone, axis=0)) for gone in range(len(best.centers))
        ]
        leader = max(trials, key=lambda trial: trial.fitness)
        if leader.fitness <= best.fitness:
            break
        best = leader
    features = np.arange(rows.shape[1])
    return Partition.nearest(rows, features, best.centers, selected=partition.selected)
