"""Feature search on a torch device: a whole generation per call.

Labels are those of exact distances, so the same seed walks the same path as on the CPU; fitness
agrees to about six digits during the search, and is taken again in double precision at its end.
Any torch device will do; tests run on torch's CPU device.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Integers, Tensor
from weft._base.labels import number_by_first_row
from weft.backends.devices import is_fused, load_torch
from weft.backends.gpu.kernels import affinity, linkage, neighbours, scores
from weft.backends.gpu.kernels.distances import Distances
from weft.backends.gpu.kernels.metrics import (
    DeviceTable,
    Metrics,
    Packed,
    pack,
    weighted_columns,
)
from weft.backends.spaces import INFEASIBLE, Neighbours, Outcome, Partitions, Solution

# Beyond so many rows the steps take long enough to hide their own starts.
_RECORDED_ROWS = 5000


class Spaces:
    """Distances of P particles; see `weft.backends.spaces.Spaces` for the operations."""

    def __init__(self, distances: Distances, *, exact: bool = False) -> None:
        self.values = distances
        self.xp = distances.torch
        self._exact = exact
        self._source: Any = None  # of the nearest rows: the silhouette takes its products from it

    @property
    def n_particles(self) -> int:
        return self.values.metrics.n_particles

    @property
    def n_rows(self) -> int:
        return self.values.n_rows

    @property
    def n_columns(self) -> int:
        return int(self.values.table.X.shape[1])

    def table(self) -> Floats:
        return np.asarray(self.values.table.X.cpu().numpy())

    def to_host(self, array: Any) -> NDArray[Any]:
        found = array.cpu().numpy() if self.xp.is_tensor(array) else np.asarray(array)
        return found.astype(np.int64) if found.dtype == np.int32 else found

    def to_device(self, array: NDArray[Any]) -> Tensor:
        if array.dtype == np.int64:  # labels and indices
            array = array.astype(np.int32)
        return self.xp.as_tensor(array, device=self.values.device)

    def full(self) -> Spaces:
        table = self.values.table
        packed = pack(np.ones((self.n_particles, table.X.shape[1])), None, table.spread)
        distances = Distances(table, packed.to(self.values.device), self.values.max_memory)
        return Spaces(distances, exact=self._exact)

    def selected_columns(self, particle: int) -> Floats:
        kept = self.values.metrics.weights[particle] > 0.0
        columns = weighted_columns(self.values.table, self.values.metrics)[particle][:, kept]
        return np.ascontiguousarray(columns.cpu().numpy())

    def distances(self) -> Tensor:
        return self._true_distances(self.values.squared_rows(0, self.n_rows))

    def nearest_rows(self, n_neighbors: int, guess: Tensor | None = None) -> Tensor:
        near = neighbours.nearest_rows(self.values, n_neighbors)
        self._source = near.source
        return near.indices

    def likely_neighbours(self, n_neighbors: int) -> Tensor | None:
        return None  # all pairs are compared anyway

    def neighbours(self, n_neighbors: int) -> Neighbours:
        near = neighbours.nearest_rows(self.values, n_neighbors)
        return Neighbours(near.indices, self._true_distances(near.powered))

    def graph_components(self, indices: Tensor) -> Tensor:
        return neighbours.graph_components(indices)

    def dbscan(self, eps: float, min_samples: int) -> tuple[Tensor, Tensor]:
        labels, core = neighbours.dbscan(self.values, eps, min_samples)
        return labels.to(self.xp.int32), core

    def complete_linkage(self, n_clusters: int) -> Tensor:
        return linkage.complete_linkage(self.values.squared_rows(0, self.n_rows), n_clusters)

    def affinity_propagation(
        self, damping: float, preference: float | None, max_iter: int, convergence_iter: int
    ) -> Partitions:
        torch, metrics = self.xp, self.values.metrics
        S = self.values.squared_rows(0, self.n_rows, torch.float32)
        if metrics.exponents is not None:
            S = self.values.rooted(S).square_()
        S.neg_()
        if preference is None:
            diagonal = affinity.median_similarity(S)
        else:
            diagonal = preference * metrics.scale**2
        S.diagonal(dim1=1, dim2=2).copy_(diagonal[:, None].to(S.dtype))
        affinity.break_ties(S)
        exemplars, settled = affinity.affinity_propagation(S, damping, max_iter, convergence_iter)
        numbered = np.stack([number_by_first_row(row) for row in exemplars.cpu().numpy()])
        labels = torch.as_tensor(numbered.astype(np.int32), device=self.values.device)
        anchors = torch.zeros(exemplars.shape, dtype=torch.bool, device=self.values.device)
        anchors.scatter_(1, exemplars.clamp(min=0), exemplars >= 0)
        return Partitions(labels, anchors, settled)

    def outliers_as_cluster(self, labels: Tensor) -> Tensor:
        return self.xp.where(labels < 0, labels.amax(dim=1, keepdim=True) + 1, labels)

    def count_clusters(self, labels: Tensor) -> Tensor:
        return labels.amax(dim=1).to(self.xp.float64) + 1.0

    def count_labelled(self, labels: Tensor) -> Tensor:
        return (labels >= 0).sum(dim=1).to(self.xp.float64)

    def silhouette(self, labels: Tensor) -> Tensor:
        if self._exact:
            rows = scores.exact_silhouette_rows(self.values, labels)
        else:
            rows = scores.silhouette_rows(self.values, labels, self._source)
        return scores.mean_of_labelled(rows, labels).to(self.xp.float64)

    def connectedness(self, labels: Tensor, neighbours: Neighbours, cap: float) -> Tensor:
        closeness = (1.0 / neighbours.distances).clamp(max=cap)
        indices = neighbours.indices
        if len(indices) == 1:  # the same for all particles
            indices, closeness = indices[0], closeness[0]
        rows = scores.connectedness_rows(indices, closeness, labels)
        return scores.mean_of_labelled(rows, labels)

    def sparsity_and_separation(self, labels: Tensor) -> tuple[Tensor, Tensor]:
        widest, nearest = scores.widest_and_nearest(self.values, labels)
        counts = self.count_clusters(labels).clamp(min=1.0)
        sparsity, separation = (self._true_distances(each).sum(dim=1) for each in (widest, nearest))
        return sparsity / counts, separation / counts

    def gaussian_scores(self, labels: Tensor, noise: float) -> tuple[Tensor, Tensor]:
        X = self.values.table.X
        spread = X.std(dim=0, correction=0)
        floor = 1e-12 * self.xp.where(spread > 0.0, spread, 1.0)
        return scores.gaussian_scores(X, labels, noise, floor)

    def _true_distances(self, powered: Tensor) -> Tensor:
        """Take the root and the scale out of powered distances (P, …)."""
        shape = (-1,) + (1,) * (powered.dim() - 1)
        return self.values.rooted(powered) / self.values.metrics.scale.reshape(shape)


class FeatureData:
    """The table on the device, how many particles go at once, and the recorded steps."""

    evaluates_whole_swarms = True
    n_threads = n_together = 1  # the device is parallel by itself

    def __init__(
        self,
        X: Any,
        clusterer: Any,
        criterion: Any,
        *,
        exponents: bool,
        max_memory: int,
        device: str,
    ) -> None:
        self.torch = load_torch()
        self.device = self.torch.device(device)
        for part, what in ((clusterer, "clusterer"), (criterion, "criterion")):
            if part is not None and not part.on_gpu:
                raise ValueError(
                    f"this {what} has no form for device={str(self.device)!r}; choose one of "
                    f"weft's own by name, or device='cpu' for any {what}."
                )
        self.max_memory = max_memory
        self.table = DeviceTable.of(X, self.device)
        self.batch = self._batch_size(clusterer, criterion, exponents)
        recordable = criterion is not None and clusterer.recordable and criterion.recordable
        is_cuda = self.device.type == "cuda" and is_fused(self.device)
        self._records = recordable and is_cuda and self.table.X.shape[0] <= _RECORDED_ROWS
        self._recordings: dict[tuple[Any, ...], Any] = {}

    def rows(self, indices: Integers) -> Floats:
        """Return rows of the table, on the host."""
        chosen = self.torch.as_tensor(indices, device=self.device)
        return np.asarray(self.table.X[chosen].cpu().numpy())

    def full(self) -> Spaces:
        """Return the space of one particle with all features at weight 1."""
        return self.space(Solution(np.ones(self.table.X.shape[1])))

    def space(self, solution: Solution, *, exact: bool = False) -> Spaces:
        """Return the space of one solution; `exact`: all distances in float64."""
        return self._spaces(self._pack([solution]).to(self.device), exact=exact)

    def evaluate(self, solutions: list[Solution], clusterer: Any, criterion: Any) -> list[Outcome]:
        """Cluster and score solutions, as many at once as the memory holds."""

        def measure(metrics: Metrics) -> tuple[Tensor, Any]:
            return _measure(self._spaces(metrics), clusterer, criterion)

        outcomes: list[Outcome] = []
        for first in range(0, len(solutions), self.batch):
            group = solutions[first : first + self.batch]
            counts, fitness = _moved_to_host(*self._replay(self._pack(group), measure))
            # A clusterer that did not settle is marked by a count below 0.
            feasible = (counts >= 2.0) & np.isfinite(fitness)
            values = np.where(feasible, fitness, INFEASIBLE)
            n_features = [int((solution.weights > 0.0).sum()) for solution in group]
            n_clusters = np.abs(counts).astype(np.int64)
            outcomes += map(Outcome._make, zip(values, n_features, n_clusters, strict=True))
        return outcomes

    def release(self) -> None:
        """Let go of what a search alone needs."""
        self._recordings.clear()

    def _spaces(self, metrics: Metrics, *, exact: bool = False) -> Spaces:
        return Spaces(Distances(self.table, metrics, self.max_memory), exact=exact)

    def _pack(self, solutions: list[Solution]) -> Packed:
        weights = np.stack([solution.weights for solution in solutions])
        exponents = None
        if solutions[0].exponents is not None:
            exponents = np.stack([np.asarray(solution.exponents) for solution in solutions])
        return pack(weights, exponents, self.table.spread)

    def _batch_size(self, clusterer: Any, criterion: Any, exponents: bool) -> int:
        """Return how many particles the memory holds at once; one at least."""
        n_rows, n_features = self.table.X.shape
        per_pair = clusterer.pair_bytes + (4 if exponents else 0)
        per_number = 0
        if criterion is not None:
            per_pair += 16 * criterion.n_matrices
            per_number = criterion.number_bytes
        each = n_rows * (16 * n_features + 256) + per_pair * n_rows * n_rows
        return max(int(self.max_memory // max(each, per_number * n_rows * n_features)), 1)

    def _replay(self, packed: Packed, measure: Callable[[Metrics], Any]) -> Any:
        """Run the steps; on a GPU, from the second time on, as one recorded graph.

        For a few thousand rows it takes longer to start the steps one by one than to do them.
        Steps that ask the device between two of them cannot be recorded: clusterers and criteria
        say whether theirs do (`recordable`).
        """
        torch = self.torch
        key = (packed.numbers.shape, packed.n_slots)
        if not self._records or key not in self._recordings:
            self._recordings[key] = None
            return measure(packed.to(self.device))
        if self._recordings[key] is None:
            inputs = torch.as_tensor(packed.numbers).to(self.device)
            graph = torch.cuda.CUDAGraph()
            collecting = gc.isenabled()
            gc.disable()  # an older graph must not be taken apart while this one is recorded
            try:
                with torch.cuda.graph(graph):
                    metrics = Metrics.unpacked(inputs, packed.n_slots, exponents=packed.exponents)
                    outputs = measure(metrics)
            finally:
                if collecting:
                    gc.enable()
            self._recordings[key] = (graph, inputs, outputs)
        graph, inputs, outputs = self._recordings[key]
        inputs.copy_(torch.as_tensor(packed.numbers))
        graph.replay()
        return outputs


def _measure(spaces: Spaces, clusterer: Any, criterion: Any) -> tuple[Tensor, Any]:
    """Return (1 or 2, P): clusters, below 0 where the clusterer did not settle, and fitness.

    A criterion that works on the host has its fitness returned beside them.
    """
    torch = spaces.xp
    try:
        partitions = clusterer.cluster(spaces)
        counts = spaces.count_clusters(partitions.labels)
        if partitions.converged is not None:
            counts = torch.where(partitions.converged, counts, -counts)
        fitness = criterion.score(spaces, partitions.labels)
    except TypeError as error:
        raise ValueError(
            f"{type(clusterer).__name__} or {type(criterion).__name__} does not work on a GPU "
            f"({error}); use the space's operations and to_host there, or device='cpu'."
        ) from error
    if torch.is_tensor(fitness):
        return torch.stack([counts, fitness]), None
    return counts[None], np.asarray(fitness, dtype=np.float64)


def _moved_to_host(table: Tensor, fitness: Any) -> tuple[Floats, Floats]:
    """Return counts and fitness (P,), in one trip."""
    moved = table.cpu().numpy()
    return moved[0], moved[1] if fitness is None else fitness


def load(
    X: Any,
    clusterer: Any,
    criterion: Any,
    *,
    exponents: bool,
    max_memory: int,
    n_jobs: int | None,
    device: str,
) -> FeatureData:
    """Move a table to the device, for the search with this clusterer and criterion."""
    return FeatureData(
        X, clusterer, criterion, exponents=exponents, max_memory=max_memory, device=device
    )
