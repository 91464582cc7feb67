"""Positions in, fitness out: the one seam between a swarm and the data.

`FeatureObjective` decodes each position, clusters the rows in the metric that it defines, and
scores the clustering. The whole swarm comes in one call; particles run side by side on threads or
on whatever joblib is set to, each particle in one place from beginning to end, so that no bit
depends on where.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats
from weft.backends.cpu.spaces import Buffers, Solution, Space, Table, with_matrices
from weft.metrics.on_spaces import nearest_neighbours
from weft.parallel.blas import hold_blas, one_blas_thread, release_blas
from weft.parallel.workers import Crew, threads_per_process
from weft.search.clusterers import Clusterer, Clustering
from weft.search.criteria import Context, Criterion
from weft.search.particles import Particle, WeightExponentParticle
from weft.search.swarms.base import Evaluation

# No valid solution: below everything that has a value. See docs/decisions/0002.
INFEASIBLE = -np.inf


# Particles whose matrices are made together: more would gain little.
MAX_TOGETHER = 8


class Outcome(NamedTuple):
    """What one particle came to."""

    fitness: float
    n_features: int
    n_clusters: int


class FeatureObjective:
    """Fitness of feature weights: decode → distances → labels → score."""

    def __init__(
        self,
        X: Floats,
        particle: Particle,
        clusterer: Clusterer,
        criterion: Criterion,
        *,
        max_memory: int,
        n_jobs: int | None,
    ) -> None:
        table = Table.of(X)
        self.particle = particle
        self.criterion = criterion
        self.n_jobs = n_jobs
        self.dtype = np.dtype(clusterer.precision)
        if isinstance(particle, WeightExponentParticle) and not _fits_single(table):
            self.dtype = np.dtype(np.float64)
        self.n_threads, self.hold_matrix = _plan_memory(
            self.dtype.itemsize * len(X) ** 2,
            clusterer.n_matrices,
            threads_per_process(n_jobs),
            max_memory,
        )
        # Exponents: particles share the logarithms of all differences, so some go together.
        self.n_together = 1
        if isinstance(particle, WeightExponentParticle) and self.dtype == np.float32:
            room = max_memory // (self.dtype.itemsize * len(X) ** 2 * self.n_threads)
            self.n_together = max(1, min(MAX_TOGETHER, room - clusterer.n_matrices))
        self._local = threading.local()
        self._scores: dict[bytes, float] = {}
        self._outcomes: dict[bytes, Outcome] = {}
        self._crew: Crew | None = None
        with one_blas_thread():
            full = Context(table).full_space(Buffers(hold_matrix=False, dtype=np.float32))
            self.clusterer = clusterer.prepare(full)
            wanted = criterion.n_neighbors_wanted()
            neighbours = nearest_neighbours(full, wanted) if wanted else None
        self.context = Context(table, neighbours)

    def __enter__(self) -> Self:
        # Particles are what runs side by side: a product inside one stays on its thread.
        hold_blas()
        self._crew = Crew(self, n_threads=self.n_threads, n_jobs=self.n_jobs).__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._crew is not None:
            self._crew.__exit__(*error)
        self._crew = None
        release_blas()

    def __call__(self, positions: Floats) -> Evaluation:
        """Evaluate the whole swarm, (P, D) → (P,)."""
        parts = [self.evaluate_part(positions)] if self._crew is None else self._crew(positions)
        outcomes = [outcome for part in parts for outcome in part]
        fitness, n_features, n_clusters = (
            np.array(column) for column in zip(*outcomes, strict=True)
        )
        return Evaluation(fitness, {"n_features": n_features, "n_clusters": n_clusters})

    def evaluate_part(self, positions: Floats) -> list[Outcome]:
        """Evaluate some of the particles, one after the other."""
        keys = []
        new = {}
        for position in positions:
            solution = self.particle.decode(position)
            # Bits that have settled, and weights that are all dropped, come again and again.
            key = _fingerprint(*(part for part in solution if part is not None))
            keys.append(key)
            if key not in self._outcomes:
                if (solution.weights > 0.0).any():
                    new[key] = solution
                else:
                    self._outcomes[key] = Outcome(INFEASIBLE, 0, 0)
        for key, space in zip(new, self._spaces(list(new.values())), strict=True):
            self._outcomes[key] = self._evaluate(space)
        return [self._outcomes[key] for key in keys]

    def evaluate(self, position: Floats) -> Outcome:
        """Evaluate one particle."""
        return self.evaluate_part(position[np.newaxis])[0]

    def _evaluate(self, space: Space) -> Outcome:
        n_features = len(space.columns)
        clustering = self.clusterer.cluster(space)
        n_clusters = int(clustering.labels.max()) + 1
        if n_clusters < 2 or not clustering.converged:
            return Outcome(INFEASIBLE, n_features, n_clusters)
        fitness = self._score(space, clustering)
        return Outcome(fitness if np.isfinite(fitness) else INFEASIBLE, n_features, n_clusters)

    def _score(self, space: Space, clustering: Clustering) -> float:
        if not self.criterion.labels_only:
            return self.criterion.score(space, clustering.labels, self.context)
        # A swarm that closes in meets the same partition again and again.
        key = _fingerprint(clustering.labels)
        if key not in self._scores:
            self._scores[key] = self.criterion.score(space, clustering.labels, self.context)
        return self._scores[key]

    def rows(self, indices: NDArray[np.int64]) -> Floats:
        """Return rows of the table."""
        return self.context.table.X[indices]

    def cluster(self, solution: Solution) -> Clustering:
        """Cluster the rows in the metric of `solution`."""
        with one_blas_thread():
            return self.clusterer.cluster(self._space(solution))

    def score(self, solution: Solution, clustering: Clustering) -> float:
        """Return the criterion's value, in float64, for a clustering found under `solution`."""
        space = Space.of(self.context.table, solution, Buffers(hold_matrix=False))
        with one_blas_thread():
            return self.criterion.score(space, clustering.labels, self.context)

    def _spaces(self, solutions: list[Solution]) -> Iterator[Space]:
        """Yield the spaces of solutions; each keeps until the next one is asked for."""
        for start in range(0, len(solutions), self.n_together):
            group = [self._space(each) for each in solutions[start : start + self.n_together]]
            yield from with_matrices(group, self.n_together) if self.n_together > 1 else group

    def _space(self, solution: Solution) -> Space:
        buffers = getattr(self._local, "buffers", None)
        if buffers is None:
            buffers = Buffers(hold_matrix=self.hold_matrix, dtype=self.dtype)
            self._local.buffers = buffers
        return Space.of(self.context.table, solution, buffers)

    def __getstate__(self) -> dict[str, Any]:
        # Threads and their buffers stay here; another process makes its own.
        state = self.__dict__.copy()
        state["_local"] = state["_crew"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._local = threading.local()


def _fingerprint(*arrays: NDArray[Any]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(array.tobytes())
    return digest.digest()


def _fits_single(table: Table) -> bool:
    """Tell whether cubes of the columns' values stay within float32, with room for weights."""
    spread = table.spread[table.spread > 0.0]
    return bool(np.all((spread > 1e-9) & (spread < 1e9)))


def _plan_memory(matrix: int, n_matrices: int, n_threads: int, max_memory: int) -> tuple[int, bool]:
    """Return how many threads to run, and whether each may hold its matrix of so many bytes."""
    if n_matrices == 0:
        return n_threads, matrix * n_threads <= max_memory
    affordable = max_memory // (matrix * n_matrices)
    if affordable == 0:
        raise ValueError(
            f"this clusterer keeps {n_matrices} matrices of all pairwise distances, "
            f"{matrix * n_matrices / 2**30:.3g} GiB, above max_memory={max_memory / 2**30:.3g} "
            "GiB; raise max_memory, or use clusterer='knn' or 'dbscan', which need none."
        )
    return min(n_threads, affordable), True
