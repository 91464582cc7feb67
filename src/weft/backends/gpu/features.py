"""Feature search on a torch device: a whole generation per call.

Labels are those of exact distances, so the same seed gives the same search as on the CPU. Fitness
agrees to about six digits during the search, and is computed again in double precision at its end.
Any torch device can be used; tests run on torch's CPU device.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from weft._base.arrays import Floats, Integers, Tensor
from weft.backends.devices import is_fused
from weft.backends.gpu.kernels.distances import Distances
from weft.backends.gpu.kernels.metrics import DeviceTable, Metrics, Packed, pack
from weft.backends.gpu.spaces import Spaces
from weft.backends.spaces import INFEASIBLE, Outcome, Partitions, Plan, Solution

# Beyond this many rows, the steps take much longer than their launches.
_RECORDED_ROWS = 5000


class FeatureData:
    """The table on the device, the number of particles evaluated at once, and the recorded
    steps."""

    evaluates_whole_swarms = True
    n_threads = n_together = 1  # the device itself is parallel

    def __init__(self, X: Any, plan: Plan) -> None:
        clusterer, criterion = plan.clusterer, plan.criterion
        self.device = torch.device(plan.device)
        for part, what in ((clusterer, "clusterer"), (criterion, "criterion")):
            if part is not None and not part.on_gpu:
                raise ValueError(
                    f"this {what} is not available for device={str(self.device)!r}; choose one of "
                    f"weft's own by name, or device='cpu' for any {what}."
                )
        self.max_memory = plan.max_memory
        self.table = DeviceTable.of(X, self.device)
        self.batch = self._batch_size(clusterer, criterion, plan.exponents)
        recordable = criterion is not None and clusterer.recordable and criterion.recordable
        is_cuda = self.device.type == "cuda" and is_fused(self.device)
        self._records = recordable and is_cuda and self.table.X.shape[0] <= _RECORDED_ROWS
        self._recordings: dict[tuple[Any, ...], Any] = {}

    def rows(self, indices: Integers) -> Floats:
        chosen = torch.as_tensor(indices, device=self.device)
        return np.asarray(self.table.X[chosen].cpu().numpy())

    def full(self) -> Spaces:
        return self.space(Solution(np.ones(self.table.X.shape[1])))

    def space(self, solution: Solution, *, exact: bool = False) -> Spaces:
        packed = pack(*_stacked([solution]), self.table.spread)
        return self._spaces(packed.to(self.device), exact=exact)

    def evaluate(self, solutions: list[Solution], clusterer: Any, criterion: Any) -> list[Outcome]:

        def measure(metrics: Metrics) -> tuple[Tensor, Any]:
            return _measure(self._spaces(metrics), clusterer, criterion)

        outcomes: list[Outcome] = []
        for first in range(0, len(solutions), self.batch):
            group = solutions[first : first + self.batch]
            weights, exponents = _stacked(group)
            results = self._replay(pack(weights, exponents, self.table.spread), measure)
            # The device works while the host counts.
            n_features = np.count_nonzero(weights > 0.0, axis=1)
            counts, fitness = _moved_to_host(*results)
            # A clusterer that did not converge is marked by a count below 0.
            feasible = (counts >= 2.0) & np.isfinite(fitness)
            values = np.where(feasible, fitness, INFEASIBLE)
            n_clusters = np.abs(counts).astype(np.int64)
            columns = (values.tolist(), n_features.tolist(), n_clusters.tolist())
            outcomes += map(Outcome._make, zip(*columns, strict=True))
        return outcomes

    def recall(self, solution: Solution) -> Partitions | None:
        """Return None: this backend does not store clusterings."""
        return None

    def release(self) -> None:
        self._recordings.clear()

    def _spaces(self, metrics: Metrics, *, exact: bool = False) -> Spaces:
        return Spaces(Distances(self.table, metrics, self.max_memory), exact=exact)

    def _batch_size(self, clusterer: Any, criterion: Any, exponents: bool) -> int:
        """Return how many particles the memory holds at once, at least one."""
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

        For a few thousand rows, launching the steps one by one takes longer than the steps
        themselves. Steps that read results from the device in between cannot be recorded;
        clusterers and criteria declare this (`recordable`).
        """
        key = (packed.numbers.shape, packed.n_slots)
        if not self._records or key not in self._recordings:
            self._recordings[key] = None
            return measure(packed.to(self.device))
        if self._recordings[key] is None:
            inputs = torch.as_tensor(packed.numbers).to(self.device)
            graph = torch.cuda.CUDAGraph()
            collecting = gc.isenabled()
            gc.disable()  # an older graph must not be deleted while this one is recorded
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


def _stacked(solutions: list[Solution]) -> tuple[Floats, Floats | None]:
    """Return weights (P, d), and exponents if the solutions have them."""
    weights = np.stack([solution.weights for solution in solutions])
    if solutions[0].exponents is None:
        return weights, None
    return weights, np.stack([np.asarray(solution.exponents) for solution in solutions])


def _measure(spaces: Spaces, clusterer: Any, criterion: Any) -> tuple[Tensor, Any]:
    """Return (1 or 2, P): clusters, below 0 if the clusterer did not converge, and fitness.

    A criterion that works on the host returns its fitness separately.
    """
    try:
        partitions = clusterer.cluster(spaces)
        counts = spaces.count_clusters(partitions.labels)
        if partitions.converged is not None:
            counts = torch.where(partitions.converged, counts, -counts)
        fitness = criterion.score(spaces, partitions.labels)
    except TypeError as error:
        raise ValueError(
            f"{type(clusterer).__name__} or {type(criterion).__name__} does not work on a GPU "
            f"({error}); use only the space's operations and to_host in it, or device='cpu'."
        ) from error
    if torch.is_tensor(fitness):
        return torch.stack([counts, fitness]), None
    return counts[None], np.asarray(fitness, dtype=np.float64)


def _moved_to_host(table: Tensor, fitness: Any) -> tuple[Floats, Floats]:
    """Return counts and fitness (P,), in one transfer."""
    moved = table.cpu().numpy()
    return moved[0], moved[1] if fitness is None else fitness


load = FeatureData
