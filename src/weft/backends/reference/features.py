"""Feature search in plain NumPy: all distances in float64, one particle after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Integers
from weft._base.labels import number_by_first_row
from weft.backends.reference.kernels import affinity, distances, linkage, neighbours, scores
from weft.backends.spaces import INFEASIBLE, Neighbours, NumPySpaces, Outcome, Partitions, Solution

Mask = NDArray[np.bool_]


class Spaces(NumPySpaces):
    """Distances of P particles; see `weft.backends.spaces.Spaces` for the operations."""

    def __init__(self, X: Floats, solutions: list[Solution]) -> None:
        self._X, self._solutions = X, solutions
        self._distances = np.stack([_distances(X, solution) for solution in solutions])

    @property
    def n_particles(self) -> int:
        return len(self._solutions)

    @property
    def n_rows(self) -> int:
        return len(self._X)

    @property
    def n_columns(self) -> int:
        return self._X.shape[1]

    def table(self) -> Floats:
        return self._X

    def full(self) -> Spaces:
        return Spaces(self._X, [Solution(np.ones(self.n_columns))] * self.n_particles)

    def selected_columns(self, particle: int) -> Floats:
        return _selected_columns(self._X, self._solutions[particle])

    def distances(self) -> Floats:
        return self._distances.copy()

    def nearest_rows(self, n_neighbors: int, guess: Integers | None = None) -> Integers:
        return self.neighbours(n_neighbors).indices

    def likely_neighbours(self, n_neighbors: int) -> Integers | None:
        return None

    def neighbours(self, n_neighbors: int) -> Neighbours:
        k = min(n_neighbors, self.n_rows - 1)
        shape = (self.n_particles, self.n_rows, k)
        found = Neighbours(np.empty(shape, dtype=np.int64), np.empty(shape))
        for particle, matrix in enumerate(self._distances):
            neighbours.nearest_in_block(matrix, 0, True, *(each[particle] for each in found))
        return found

    def graph_components(self, indices: Integers) -> Integers:
        labels = np.empty(indices.shape[:2], dtype=np.int64)
        for particle, nearest in enumerate(indices):
            neighbours.graph_components(nearest, labels[particle])
        return labels

    def dbscan(self, eps: float, min_samples: int) -> tuple[Integers, Mask]:
        near = self._distances <= eps
        core = near.sum(axis=2) >= min_samples
        labels = [self._grow(*each) for each in zip(self._distances, near, core, strict=True)]
        return np.stack(labels), core

    def _grow(self, matrix: Floats, near: Mask, core: Mask) -> Integers:
        """Return DBSCAN's labels; a border row joins its nearest core row's cluster."""
        parent = np.arange(self.n_rows)
        for row in np.flatnonzero(core):
            for mate in np.flatnonzero(near[row] & core):
                parent[parent == parent[mate]] = parent[row]
        nearest = np.where(near & core, matrix, np.inf)
        reached = np.where(core, np.arange(self.n_rows), nearest.argmin(axis=1))
        labels = np.where((near & core).any(axis=1), parent[reached], -1)
        return number_by_first_row(labels)

    def complete_linkage(self, n_clusters: int) -> Integers:
        labels = np.empty((self.n_particles, self.n_rows), dtype=np.int64)
        for particle, matrix in enumerate(self.distances()):
            linkage.complete_linkage(matrix, n_clusters, labels[particle])
        return labels

    def affinity_propagation(
        self, damping: float, preference: float | None, max_iter: int, convergence_iter: int
    ) -> Partitions:
        exemplars = np.empty((self.n_particles, self.n_rows), dtype=np.int64)
        settled = np.empty(self.n_particles, dtype=bool)
        for particle, matrix in enumerate(self._distances):
            S = -(matrix**2)
            np.fill_diagonal(S, np.median(S) if preference is None else preference)
            affinity.break_ties(S)
            room = np.empty_like(S), np.empty_like(S)
            settled[particle] = affinity.affinity_propagation(
                S, *room, damping, max_iter, convergence_iter, exemplars[particle]
            )
        labels = np.stack([number_by_first_row(each) for each in exemplars])
        anchors = np.stack([np.isin(np.arange(self.n_rows), each) for each in exemplars])
        return Partitions(labels, anchors, settled)

    def silhouette(self, labels: Integers) -> Floats:
        values = np.zeros(labels.shape)
        for matrix, each, out in zip(self._distances, labels, values, strict=True):
            counts = np.bincount(each[each >= 0])
            if len(counts):
                scores.silhouette_block(matrix, 0, each, counts, 1.0, out)
        return _mean_of_labelled(values, labels)

    def connectedness(self, labels: Integers, neighbours: Neighbours, cap: float) -> Floats:
        values = np.zeros(labels.shape)
        for particle, each in enumerate(labels):
            place = min(particle, len(neighbours.indices) - 1)
            near, far = neighbours.indices[place], neighbours.distances[place]
            scores.connectedness_rows(near, far, each, cap, values[particle])
        return _mean_of_labelled(values, labels)

    def sparsity_and_separation(self, labels: Integers) -> tuple[Floats, Floats]:
        found = np.zeros((2, self.n_particles))
        for particle, (matrix, each) in enumerate(zip(self._distances, labels, strict=True)):
            gaps = np.empty((2, self.n_rows))
            scores.nearest_by_label_block(matrix, 0, each, *gaps)
            clusters = range(each.max() + 1)
            widest = [gaps[0][each == k].max() for k in clusters]
            nearest = [gaps[1][each == k].min() for k in clusters]
            values = np.array([widest, nearest])
            if len(clusters):
                found[:, particle] = np.where(np.isfinite(values), values, 0.0).mean(axis=1)
        return found[0], found[1]

    def gaussian_scores(self, labels: Integers, noise: float) -> tuple[Floats, Floats]:
        spread = self._X.std(axis=0)
        floor = 1e-12 * np.where(spread > 0.0, spread, 1.0)
        own, other = np.zeros(labels.shape), np.zeros(labels.shape)
        for particle, each in enumerate(labels):
            n_clusters = each.max() + 1
            if n_clusters:
                scores.gaussian_scores(
                    self._X, each, n_clusters, noise, floor, own[particle], other[particle]
                )
        return own, other


class FeatureData:
    """The table; everything is made anew for each call."""

    evaluates_whole_swarms = True
    n_threads = n_together = 1

    def __init__(self, X: Floats) -> None:
        self.X = X

    def rows(self, indices: Integers) -> Floats:
        """Return rows of the table."""
        return self.X[indices]

    def full(self) -> Spaces:
        """Return the space of one particle with all features at weight 1."""
        return self.space(Solution(np.ones(self.X.shape[1])))

    def space(self, solution: Solution, *, exact: bool = False) -> Spaces:
        """Return the space of one solution; all distances are in float64 anyway."""
        return Spaces(self.X, [solution])

    def evaluate(self, solutions: list[Solution], clusterer: Any, criterion: Any) -> list[Outcome]:
        """Cluster and score solutions."""
        outcomes = []
        for solution in solutions:
            spaces = self.space(solution)
            partitions = clusterer.cluster(spaces)
            n_clusters = int(partitions.labels.max()) + 1
            settled = partitions.converged is None or bool(partitions.converged[0])
            fitness = INFEASIBLE
            if n_clusters >= 2 and settled:
                fitness = float(criterion.score(spaces, partitions.labels)[0])
            n_features = int((solution.weights > 0.0).sum())
            valid = fitness if np.isfinite(fitness) else INFEASIBLE
            outcomes.append(Outcome(valid, n_features, n_clusters))
        return outcomes

    def release(self) -> None:
        """Let go of what a search alone needs: nothing."""


def load(
    X: Floats,
    clusterer: Any,
    criterion: Any,
    *,
    exponents: bool,
    max_memory: int,
    n_jobs: int | None,
    device: str,
) -> FeatureData:
    """Keep the table."""
    return FeatureData(X)


def _selected_columns(X: Floats, solution: Solution) -> Floats:
    kept = solution.weights > 0.0
    return X[:, kept] * solution.weights[kept]


def _distances(X: Floats, solution: Solution) -> Floats:
    """Return all distances, eq. 5.1 or 6.1."""
    columns = _selected_columns(X, solution).T
    out = np.empty((len(X), len(X)))
    if solution.exponents is None:
        distances.squared_matrix(columns, out)
        return np.sqrt(out)
    exponents = solution.exponents[solution.weights > 0.0]
    distances.powered_matrix(columns, exponents, out)
    return out ** (1.0 / exponents.mean())


def _mean_of_labelled(values: Floats, labels: Integers) -> Floats:
    inside = labels >= 0
    return (values * inside).sum(axis=1) / np.maximum(inside.sum(axis=1), 1)
