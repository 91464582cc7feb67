"""Positions in, fitness out, on a GPU: the whole swarm in one call, as in `weft.search.objectives`.

Labels are those of exact distances, so the same seed walks the same path as on the CPU; fitness
agrees to about six digits during the search, and is taken again in double precision at its end.
Any torch device will do; tests run on torch's CPU device.
"""

from __future__ import annotations

import gc
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Tensor
from weft._base.labels import number_by_first_row
from weft.backends.cpu.spaces import Buffers, Solution, Space, Table
from weft.backends.devices import is_fused, load_torch
from weft.backends.gpu.kernels import affinity, linkage, neighbours, scores
from weft.backends.gpu.kernels.distances import Distances
from weft.backends.gpu.kernels.metrics import DeviceTable, Metrics, Packed, pack
from weft.search.clusterers import (
    DBSCAN,
    AffinityPropagation,
    Clusterer,
    Clustering,
    CompleteLinkage,
    KNNGraph,
)
from weft.search.criteria import BCR, BIC, CSC, Connectedness, Context, Criterion, Silhouette
from weft.search.objectives import INFEASIBLE
from weft.search.particles import Particle
from weft.search.swarms.base import Evaluation

# Beyond so many rows the steps take long enough to hide their own starts.
_RECORDED_ROWS = 5000


class _Partitions(NamedTuple):
    """What some particles clustered to."""

    labels: Tensor  # (P, n), int32
    converged: Tensor | None = None  # (P,)
    anchors: Tensor | None = None  # (P, n), which rows stand for the clusters; None: all
    source: Any = None


class _Replay:
    """Runs the objective's steps; on a GPU, from the second time on, as one recorded graph.

    For a few thousand rows it takes longer to start the steps one by one than to do them. Steps
    that ask the device between two of them cannot be recorded: kNN graphs alone qualify.
    """

    def __init__(self, objective: DeviceObjective) -> None:
        self.objective = objective
        knn = isinstance(objective.clusterer, KNNGraph)
        scored = isinstance(objective.criterion, CSC | Silhouette | Connectedness)
        near = all(
            getattr(objective.criterion, name, "") != "full" for name in ("silhouette", "features")
        )
        near |= isinstance(objective.criterion, Connectedness)
        cuda = objective.device.type == "cuda" and is_fused(objective.device)
        small = objective.table.X.shape[0] <= _RECORDED_ROWS
        self.possible = knn and scored and near and cuda and small
        self.seen: dict[tuple[Any, ...], Any] = {}

    def numbers(self, packed: Packed) -> tuple[Tensor, Tensor]:
        """Return what `DeviceObjective.numbers` does."""
        objective, torch = self.objective, self.objective.torch
        key = (packed.numbers.shape, packed.n_slots)
        if not self.possible or key not in self.seen:
            self.seen[key] = None
            return objective.numbers(packed.to(objective.device))
        if self.seen[key] is None:
            inputs = torch.as_tensor(packed.numbers).to(objective.device)
            graph = torch.cuda.CUDAGraph()
            collecting = gc.isenabled()
            gc.disable()  # an older graph must not be taken apart while this one is recorded
            try:
                with torch.cuda.graph(graph):
                    metrics = Metrics.unpacked(inputs, packed.n_slots, exponents=packed.exponents)
                    outputs = objective.numbers(metrics)
            finally:
                if collecting:
                    gc.enable()
            self.seen[key] = (graph, inputs, outputs)
        graph, inputs, outputs = self.seen[key]
        inputs.copy_(torch.as_tensor(packed.numbers))
        graph.replay()
        return outputs


class DeviceObjective:
    """Fitness of feature weights for a whole swarm at once."""

    def __init__(
        self,
        X: Any,
        particle: Particle,
        clusterer: Clusterer,
        criterion: Criterion,
        *,
        max_memory: int,
        device: Any,
    ) -> None:
        torch = load_torch()
        self.torch, self.device = torch, torch.device(device)
        self.particle, self.criterion = particle, criterion
        self.max_memory = max_memory
        self.table = DeviceTable.of(X, self.device)
        self._columns: Tensor = None
        self._host: Context | None = None
        self.clusterer = self._prepared(clusterer)
        self.batch = self._batch_size()
        self._near: tuple[Tensor, Tensor] | None = None
        wanted = criterion.n_neighbors_wanted()
        if wanted:
            self._near = self._closeness(self._full(1), wanted, getattr(criterion, "cap", np.inf))
        self._replay = _Replay(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self._replay.seen.clear()

    def rows(self, indices: NDArray[np.int64]) -> Floats:
        """Return rows of the table, on the host."""
        chosen = self.torch.as_tensor(indices, device=self.device)
        return np.asarray(self.table.X[chosen].cpu().numpy())

    def __call__(self, positions: Floats) -> Evaluation:
        """Evaluate the whole swarm, (P, D) → (P,)."""
        weights, exponents = self._decoded([self.particle.decode(row) for row in positions])
        n_features = (weights > 0.0).sum(axis=1)
        fitness = np.full(len(positions), INFEASIBLE)
        n_clusters = np.zeros(len(positions), dtype=np.int64)
        useful = np.flatnonzero(n_features)
        for first in range(0, len(useful), self.batch):
            chosen = useful[first : first + self.batch]
            powers = None if exponents is None else exponents[chosen]
            fitness[chosen], n_clusters[chosen] = self._evaluate(weights[chosen], powers)
        return Evaluation(fitness, {"n_features": n_features, "n_clusters": n_clusters})

    @staticmethod
    def _decoded(solutions: list[Solution]) -> tuple[Floats, Floats | None]:
        weights = np.stack([solution.weights for solution in solutions])
        if solutions[0].exponents is None:
            return weights, None
        return weights, np.stack([np.asarray(solution.exponents) for solution in solutions])

    def _evaluate(
        self, weights: Floats, exponents: Floats | None
    ) -> tuple[Floats, NDArray[np.int64]]:
        packed = pack(weights, exponents, self.table.spread)
        table, labels = self._replay.numbers(packed)
        # One trip to the host for all that was found.
        found = table.cpu().numpy()
        signed, values = found[0], found[1:]
        n_clusters = np.abs(signed).astype(np.int64)
        if len(values):
            fitness = self._combined(values)
        else:
            powers = exponents if exponents is not None else [None] * len(weights)
            solutions = [Solution(*pair) for pair in zip(weights, powers, strict=True)]
            fitness = self._on_host(solutions, neighbours.as_labels(labels), signed >= 2.0)
        feasible = (signed >= 2.0) & np.isfinite(fitness)
        return np.where(feasible, fitness, INFEASIBLE), n_clusters

    def numbers(self, metrics: Metrics) -> tuple[Tensor, Tensor]:
        """Return (1 + terms, P) numbers and the labels: clusters, less than 0 where the clusterer
        did not settle, and what the criterion is made of."""
        distances = self._distances(metrics)
        found = self._partition(distances)
        counts = found.labels.amax(dim=1).to(self.torch.float64) + 1.0
        parts = self._terms(distances, found.labels, found.source, exact=False)
        if found.converged is not None:
            counts = self.torch.where(found.converged, counts, -counts)
        return self.torch.stack([counts, *parts]), found.labels

    def cluster(self, solution: Solution) -> Clustering:
        """Cluster the rows in the metric of `solution`."""
        distances = self._of([solution])
        found = self._partition(distances)
        labels = neighbours.as_labels(found.labels)[0]
        anchors = np.arange(len(labels))
        if found.anchors is not None:
            anchors = np.flatnonzero(found.anchors[0].cpu().numpy())
        radius = self.clusterer.eps if isinstance(self.clusterer, DBSCAN) else np.inf
        converged = found.converged is None or bool(found.converged[0])
        return Clustering(labels, anchors, float(np.inf if radius is None else radius), converged)

    def score(self, solution: Solution, clustering: Clustering) -> float:
        """Return the criterion's value, in float64, for a clustering found under `solution`."""
        distances = self._of([solution])
        labels = self.torch.as_tensor(clustering.labels[None].astype(np.int32), device=self.device)
        parts = self._terms(distances, labels, None, exact=True)
        if not parts:
            return float(self._on_host([solution], clustering.labels[None], np.array([True]))[0])
        return float(self._combined(self.torch.stack(parts).cpu().numpy())[0])

    def _distances(self, metrics: Metrics) -> Distances:
        distances = Distances(self.table, metrics, self.max_memory)
        if self._columns is None:
            self._columns = distances.columns
        distances._columns = self._columns
        return distances

    def _of(self, solutions: list[Solution]) -> Distances:
        packed = pack(*self._decoded(solutions), self.table.spread)
        return self._distances(packed.to(self.device))

    def _full(self, n_particles: int) -> Distances:
        """Return the distances with all features at weight 1, for so many particles."""
        return self._of([Solution(np.ones(self.table.X.shape[1]))] * n_particles)

    def _prepared(self, clusterer: Clusterer) -> Any:
        n_rows = int(self.table.X.shape[0])
        if not isinstance(clusterer, KNNGraph | DBSCAN | CompleteLinkage | AffinityPropagation):
            raise ValueError(
                f"device={str(self.device)!r} clusters by 'knn', 'dbscan', 'linkage' or "
                "'affinity' alone; choose one of them, or device='cpu' for any clusterer."
            )
        clusterer.check(n_rows)
        if isinstance(clusterer, DBSCAN) and clusterer.eps is None:
            full = self._full(1)
            near = neighbours.nearest_rows(full, max(clusterer.min_samples - 1, 1))
            reach = full.rooted(near.powered).amax(dim=2)[0] / full.metrics.scale[0]
            return clusterer.with_reach(reach.cpu().numpy())
        return clusterer

    def _batch_size(self) -> int:
        """Return how many particles the memory holds at once; one at least."""
        n_rows, n_features = self.table.X.shape
        square = n_rows * n_rows
        if isinstance(self.clusterer, CompleteLinkage | AffinityPropagation):
            each = 20 * square
        else:
            each = n_rows * (16 * n_features + 256)
            each += 4 * square if self.particle.n_dimensions > n_features else 0
            each += square if isinstance(self.clusterer, DBSCAN) else 0
        if isinstance(self.criterion, BCR | BIC):
            each = max(each, 32 * n_rows * n_features)
        return max(int(self.max_memory // each), 1)

    def _partition(self, distances: Distances) -> _Partitions:
        clusterer = self.clusterer
        if isinstance(clusterer, KNNGraph):
            near = neighbours.nearest_rows(distances, clusterer.n_neighbors)
            return _Partitions(neighbours.graph_components(near.indices), source=near.source)
        if isinstance(clusterer, DBSCAN):
            eps = float(clusterer.eps or 0.0)
            labels, core = neighbours.dbscan(distances, eps, clusterer.min_samples)
            return _Partitions(labels.to(self.torch.int32), anchors=core)
        if isinstance(clusterer, CompleteLinkage):
            matrix = distances.squared_rows(0, distances.n_rows)
            return _Partitions(linkage.complete_linkage(matrix, int(clusterer.n_clusters or 1)))
        return self._by_affinity(distances, clusterer)

    def _by_affinity(self, distances: Distances, clusterer: AffinityPropagation) -> _Partitions:
        torch = self.torch
        metrics = distances.metrics
        S = distances.squared_rows(0, distances.n_rows, torch.float32)
        if metrics.exponents is not None:
            S = distances.rooted(S).square_()
        S.neg_()
        if clusterer.preference is None:
            preference = affinity.median_similarity(S)
        else:
            preference = clusterer.preference * metrics.scale**2
        S.diagonal(dim1=1, dim2=2).copy_(preference[:, None].to(S.dtype))
        affinity.break_ties(S)
        exemplars, settled = affinity.affinity_propagation(
            S, clusterer.damping, clusterer.max_iter, clusterer.convergence_iter
        )
        labels = np.stack([number_by_first_row(row) for row in exemplars.cpu().numpy()])
        anchors = torch.zeros(exemplars.shape, dtype=torch.bool, device=self.device)
        anchors.scatter_(1, exemplars.clamp(min=0), exemplars >= 0)
        labels = torch.as_tensor(labels.astype(np.int32), device=self.device)
        return _Partitions(labels, settled, anchors)

    def _terms(
        self, distances: Distances, labels: Tensor, source: Any, *, exact: bool
    ) -> list[Any]:
        """Return the numbers (P,) that the criterion is made of; none if the host must score."""
        criterion = self.criterion
        if not isinstance(criterion, CSC | Silhouette | Connectedness | BCR | BIC):
            return []
        dense = labels
        if criterion.outliers == "cluster" and isinstance(self.clusterer, DBSCAN):
            outlier = labels.amax(dim=1, keepdim=True) + 1
            dense = self.torch.where(labels < 0, outlier, labels)
        if isinstance(criterion, BCR | BIC):
            return [self._likelihood(dense)]
        parts = []
        if isinstance(criterion, CSC | Silhouette):
            which = criterion.silhouette if isinstance(criterion, CSC) else criterion.features
            space = distances
            if which == "full":
                space, source = self._full(len(labels)), None
            if exact:
                rows = scores.exact_silhouette_rows(space, dense)
            else:
                rows = scores.silhouette_rows(space, dense, source)
            parts.append(scores.mean_of_labelled(rows, dense))
        if isinstance(criterion, CSC | Connectedness):
            near = self._near
            if near is None:
                near = self._closeness(distances, criterion.n_neighbors, criterion.cap)
            rows = scores.connectedness_rows(*near, dense)
            parts.append(scores.mean_of_labelled(rows, dense))
        return parts

    def _closeness(self, distances: Distances, n_neighbors: int, cap: float) -> tuple[Any, Any]:
        """Return the nearest rows and min(1/d, cap); of one particle, without its axis."""
        near = neighbours.nearest_rows(distances, n_neighbors)
        true = distances.rooted(near.powered) / distances.metrics.scale[:, None, None]
        closeness = (1.0 / true).clamp(max=cap)
        if distances.metrics.n_particles == 1:
            return near.indices[0], closeness[0]
        return near.indices, closeness

    def _likelihood(self, labels: Tensor) -> Tensor:
        torch = self.torch
        X, criterion = self.table.X, self.criterion
        spread = X.std(dim=0, correction=0)
        floor = 1e-12 * torch.where(spread > 0.0, spread, 1.0)
        # Only BCR and BIC come here, and both have it.
        noise = criterion.artificial_noise  # type: ignore[attr-defined]
        own, other = scores.gaussian_scores(X, labels, noise, floor)
        if isinstance(criterion, BCR):
            return torch.where(labels.amax(dim=1) < 1, 0.0, (own - other).sum(dim=1))
        n_clusters = labels.amax(dim=1) + 1
        n_rows = (labels >= 0).sum(dim=1)
        n_parameters = n_clusters * 2 * X.shape[1] + n_clusters - 1
        value = own.sum(dim=1) - 0.5 * n_parameters * n_rows.clamp(min=1).to(own.dtype).log()
        return torch.where(n_rows == 0, 0.0, value)

    def _combined(self, parts: Floats) -> Floats:
        if not isinstance(self.criterion, CSC):
            return np.asarray(parts[0])
        size = np.abs(parts[0] * parts[1])
        return np.where((parts[0] < 0.0) | (parts[1] < 0.0), -size, size)

    def _on_host(
        self, solutions: list[Solution], labels: NDArray[np.int64], wanted: NDArray[np.bool_]
    ) -> Floats:
        """Score one particle after the other on the CPU, for criteria that the GPU lacks."""
        if self._host is None:
            self._host = Context(Table.of(self.table.X.cpu().numpy()))
        fitness = np.full(len(solutions), INFEASIBLE)
        for number in np.flatnonzero(wanted):
            space = Space.of(self._host.table, solutions[number], Buffers(hold_matrix=False))
            fitness[number] = self.criterion.score(space, labels[number], self._host)
        return fitness
