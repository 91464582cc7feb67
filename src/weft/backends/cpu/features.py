"""Feature search on the CPU: one particle per space, particles in parallel on threads.

One thread evaluates a particle from beginning to end, so that no bit depends on the number of
threads.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Integers
from weft._base.labels import number_by_first_row
from weft.backends.cpu import space_clusterers, space_measures
from weft.backends.cpu.buffers import Buffers
from weft.backends.cpu.spaces import Space, Table, with_matrices
from weft.backends.spaces import (
    INFEASIBLE,
    Neighbours,
    NumPySpaces,
    Outcome,
    Partitions,
    Plan,
    Solution,
)
from weft.parallel.workers import threads_per_process

# Number of particles whose matrices are computed together; more would be hardly faster.
MAX_TOGETHER = 8

Mask = NDArray[np.bool_]


class Spaces(NumPySpaces):
    """One particle's distances; see `weft.backends.spaces.Spaces` for the operations."""

    n_particles = 1

    def __init__(self, space: Space, table: Table | None = None) -> None:
        self.space, self._table = space, table

    @property
    def n_rows(self) -> int:
        return self.space.n_rows

    @property
    def n_columns(self) -> int:
        return self.table().shape[1]

    def table(self) -> Floats:
        return self._known_table().X

    def full(self) -> Spaces:
        table = self._known_table()
        # The particle's own space uses the matrix buffer; the full space is computed in blocks.
        buffers = Buffers(hold_matrix=False, dtype=self.space.buffers.dtype)
        return Spaces(Space.of(table, Solution(np.ones(table.X.shape[1])), buffers), table)

    def selected_columns(self, particle: int) -> Floats:
        return np.ascontiguousarray(self.space.columns.T)

    def distances(self) -> Floats:
        return self.space.to_distances(self.space.matrix())[np.newaxis]

    def nearest_rows(self, n_neighbors: int, guess: Integers | None = None) -> Integers:
        likely = None if guess is None else guess[0]
        return space_measures.nearest_rows(self.space, n_neighbors, likely)[0][np.newaxis]

    def likely_neighbours(self, n_neighbors: int) -> Integers | None:
        return self.nearest_rows(n_neighbors)

    def neighbours(self, n_neighbors: int) -> Neighbours:
        nearest = space_measures.nearest_neighbours(self.space, n_neighbors)
        return Neighbours(nearest.indices[np.newaxis], nearest.distances[np.newaxis])

    def graph_components(self, indices: Integers) -> Integers:
        return space_clusterers.graph_components(indices[0])[np.newaxis]

    def dbscan(self, eps: float, min_samples: int) -> tuple[Integers, Mask]:
        labels, core = space_clusterers.dbscan(self.space, eps, min_samples)
        return labels[np.newaxis], core[np.newaxis]

    def complete_linkage(self, n_clusters: int) -> Integers:
        return space_clusterers.complete_linkage(self.space, n_clusters)[np.newaxis]

    def affinity_propagation(
        self, damping: float, preference: float | None, max_iter: int, convergence_iter: int
    ) -> Partitions:
        exemplars, settled = space_clusterers.affinity_propagation(
            self.space, damping, preference, max_iter, convergence_iter
        )
        anchors = np.zeros(self.n_rows, dtype=bool)
        anchors[exemplars[exemplars >= 0]] = True
        labels = number_by_first_row(exemplars)
        return Partitions(labels[np.newaxis], anchors[np.newaxis], np.array([settled]))

    def silhouette(self, labels: Integers) -> Floats:
        samples = space_measures.silhouette_samples(self.space, labels[0])
        return np.array([space_measures.mean_of_labelled(samples, labels[0])])

    def connectedness(self, labels: Integers, neighbours: Neighbours, cap: float) -> Floats:
        near = Neighbours(neighbours.indices[0], neighbours.distances[0])
        samples = space_measures.connectedness_samples(near, labels[0], cap)
        return np.array([space_measures.mean_of_labelled(samples, labels[0])])

    def sparsity_and_separation(self, labels: Integers) -> tuple[Floats, Floats]:
        sparsity, separation = space_measures.sparsity_and_separation(self.space, labels[0])
        return np.array([sparsity]), np.array([separation])

    def gaussian_scores(self, labels: Integers, noise: float) -> tuple[Floats, Floats]:
        own, best_other = space_measures.gaussian_scores(self.table(), labels[0], noise)
        return own[np.newaxis], best_other[np.newaxis]

    def _known_table(self) -> Table:
        if self._table is None:
            raise ValueError("a space of given distances has no table.")
        return self._table


class FeatureData:
    """The table, working memory, and known scores."""

    evaluates_whole_swarms = False

    def __init__(self, X: Floats, plan: Plan) -> None:
        clusterer, criterion = plan.clusterer, plan.criterion
        self.table = Table.of(X)
        self.dtype = np.dtype(clusterer.precision)
        if plan.exponents and not _fits_single(self.table):
            self.dtype = np.dtype(np.float64)
        matrix = self.dtype.itemsize * len(X) ** 2
        n_matrices = clusterer.n_matrices + (0 if criterion is None else criterion.n_matrices)
        self.n_threads, self.hold_matrix = plan_memory(
            matrix, n_matrices, threads_per_process(plan.n_jobs), plan.max_memory
        )
        # With exponents, particles share the logarithms of differences, so several run together.
        self.n_together = 1
        if plan.exponents and self.dtype == np.float32:
            room = plan.max_memory // (matrix * self.n_threads)
            self.n_together = max(1, min(MAX_TOGETHER, room - n_matrices))
        self._local = threading.local()
        self._scores: dict[bytes, float] = {}
        self._best: tuple[float, Solution, Partitions] | None = None

    def rows(self, indices: Integers) -> Floats:
        return self.table.X[indices]

    def full(self) -> Spaces:
        solution = Solution(np.ones(self.table.X.shape[1]))
        buffers = Buffers(hold_matrix=False, dtype=np.float32)
        return Spaces(Space.of(self.table, solution, buffers), self.table)

    def space(self, solution: Solution, *, exact: bool = False) -> Spaces:
        if exact:
            buffers = Buffers(hold_matrix=False)
            return Spaces(Space.of(self.table, solution, buffers), self.table)
        return Spaces(self._space(solution), self.table)

    def evaluate(self, solutions: list[Solution], clusterer: Any, criterion: Any) -> list[Outcome]:
        pairs = zip(solutions, self._spaces(solutions), strict=True)
        return [self._evaluate(*pair, clusterer, criterion) for pair in pairs]

    def recall(self, solution: Solution) -> Partitions | None:
        """Return the clustering of a solution if it was the best that was evaluated."""
        known = self._best
        if known is None or fingerprint(*parts_of(known[1])) != fingerprint(*parts_of(solution)):
            return None
        return known[2]

    def release(self) -> None:
        """Free the memory that only a search needs."""

    def _evaluate(
        self, solution: Solution, space: Space, clusterer: Any, criterion: Any
    ) -> Outcome:
        spaces = Spaces(space, self.table)
        n_features = len(space.columns)
        partitions = clusterer.cluster(spaces)
        labels = partitions.labels
        n_clusters = int(labels.max()) + 1
        converged = partitions.converged is None or bool(partitions.converged[0])
        if n_clusters < 2 or not converged:
            return Outcome(INFEASIBLE, n_features, n_clusters)
        if criterion.labels_only:
            # A converging swarm produces the same partition many times.
            key = fingerprint(labels)
            if key not in self._scores:
                self._scores[key] = float(criterion.score(spaces, labels)[0])
            fitness = self._scores[key]
        else:
            fitness = float(criterion.score(spaces, labels)[0])
        if not np.isfinite(fitness):
            return Outcome(INFEASIBLE, n_features, n_clusters)
        # Another thread may replace a better one; it is then clustered again, with the same result.
        if self._best is None or fitness > self._best[0]:
            self._best = fitness, solution, partitions
        return Outcome(fitness, n_features, n_clusters)

    def _spaces(self, solutions: list[Solution]) -> Iterator[Space]:
        """Yield the spaces of solutions; each is valid until the next one is requested."""
        for start in range(0, len(solutions), self.n_together):
            group = [self._space(each) for each in solutions[start : start + self.n_together]]
            yield from with_matrices(group, self.n_together) if self.n_together > 1 else group

    def _space(self, solution: Solution) -> Space:
        buffers = getattr(self._local, "buffers", None)
        if buffers is None:
            buffers = Buffers(hold_matrix=self.hold_matrix, dtype=self.dtype)
            self._local.buffers = buffers
        return Space.of(self.table, solution, buffers)

    def __getstate__(self) -> dict[str, Any]:
        # Buffers belong to threads; another process allocates its own.
        return {**self.__dict__, "_local": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._local = threading.local()


load = FeatureData


def parts_of(solution: Solution) -> list[Floats]:
    """Return the arrays of a solution."""
    return [part for part in solution if part is not None]


def fingerprint(*arrays: NDArray[Any]) -> bytes:
    """Return 16 bytes that differ for different arrays."""
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(array.tobytes())
    return digest.digest()


def plan_memory(matrix: int, n_matrices: int, n_threads: int, max_memory: int) -> tuple[int, bool]:
    """Return how many threads to run, and whether each may hold its matrix of this many bytes."""
    if n_matrices == 0:
        return n_threads, matrix * n_threads <= max_memory
    affordable = max_memory // (matrix * n_matrices)
    if affordable == 0:
        raise ValueError(
            f"this clusterer keeps {n_matrices} matrices of all pairwise distances, "
            f"{matrix * n_matrices / 2**30:.3g} GiB, above max_memory={max_memory / 2**30:.3g} "
            "GiB; raise max_memory, or use clusterer='knn' or 'dbscan', which need no matrix."
        )
    return min(n_threads, affordable), True


def _fits_single(table: Table) -> bool:
    """Return whether cubes of the values fit in float32, with a margin for weights."""
    spread = table.spread[table.spread > 0.0]
    return bool(np.all((spread > 1e-9) & (spread < 1e9)))
