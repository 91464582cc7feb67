"""Feature search in plain NumPy: all distances in float64, one particle after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft._base.labels import number_by_first_row
from weft.backends.reference import clusterings
from weft.backends.spaces import (
    INFEASIBLE,
    Neighbours,
    NumPySpaces,
    Outcome,
    Partitions,
    Plan,
    Solution,
)


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
        return Neighbours(*self._of_each(clusterings.nearest_rows, n_neighbors))

    def graph_components(self, indices: Integers) -> Integers:
        return np.stack([clusterings.graph_components(nearest) for nearest in indices])

    def dbscan(self, eps: float, min_samples: int) -> tuple[Integers, Mask]:
        labels, core = self._of_each(clusterings.dbscan, eps, min_samples)
        return labels, core

    def complete_linkage(self, n_clusters: int) -> Integers:
        labels = [clusterings.complete_linkage(each, n_clusters) for each in self._distances]
        return np.stack(labels)

    def affinity_propagation(
        self, damping: float, preference: float | None, max_iter: int, convergence_iter: int
    ) -> Partitions:
        def exemplars_of(distances: Floats) -> tuple[Integers, bool]:
            S = -(distances**2)
            np.fill_diagonal(S, np.median(S) if preference is None else preference)
            S = clusterings.break_ties(S)
            return clusterings.affinity_propagation(S, damping, max_iter, convergence_iter)

        exemplars, settled = self._of_each(exemplars_of)
        labels = np.stack([number_by_first_row(each) for each in exemplars])
        anchors = np.stack([np.isin(np.arange(self.n_rows), each) for each in exemplars])
        return Partitions(labels, anchors, settled)

    def silhouette(self, labels: Integers) -> Floats:
        pairs = zip(self._distances, labels, strict=True)
        values = np.stack([clusterings.silhouette_rows(*pair) for pair in pairs])
        return _mean_of_labelled(values, labels)

    def connectedness(self, labels: Integers, neighbours: Neighbours, cap: float) -> Floats:
        shape = (self.n_particles, *neighbours.indices.shape[1:])
        near, far = (np.broadcast_to(each, shape) for each in neighbours)
        triples = zip(near, far, labels, strict=True)
        values = np.stack([clusterings.connectedness_rows(*triple, cap) for triple in triples])
        return _mean_of_labelled(values, labels)

    def sparsity_and_separation(self, labels: Integers) -> tuple[Floats, Floats]:
        sparsity, separation = np.zeros((2, self.n_particles))
        for particle, (matrix, each) in enumerate(zip(self._distances, labels, strict=True)):
            same, other = clusterings.nearest_by_label(matrix, each)
            clusters = range(each.max() + 1)
            if len(clusters):
                widest = np.array([same[each == k].max() for k in clusters])
                nearest = np.array([other[each == k].min() for k in clusters])
                sparsity[particle] = np.where(np.isfinite(widest), widest, 0.0).mean()
                separation[particle] = np.where(np.isfinite(nearest), nearest, 0.0).mean()
        return sparsity, separation

    def gaussian_scores(self, labels: Integers, noise: float) -> tuple[Floats, Floats]:
        spread = self._X.std(axis=0)
        floor = 1e-12 * np.where(spread > 0.0, spread, 1.0)
        scores = [clusterings.gaussian_scores(self._X, each, noise, floor) for each in labels]
        own, best_other = map(np.stack, zip(*scores, strict=True))
        return own, best_other

    def _of_each(self, function: Callable[..., Any], *settings: Any) -> tuple[Any, ...]:
        """Return a function's values for the distances of each particle, particles first."""
        answers = [function(matrix, *settings) for matrix in self._distances]
        return tuple(map(np.stack, zip(*answers, strict=True)))


class FeatureData:
    """The table; everything is computed again for each call."""

    evaluates_whole_swarms = True
    n_threads = n_together = 1

    def __init__(self, X: Floats, plan: Plan) -> None:
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

    def recall(self, solution: Solution) -> Partitions | None:
        """Return None: this backend does not store clusterings."""
        return None

    def release(self) -> None:
        """Free the memory that only a search needs; there is none in this backend."""


load = FeatureData


def _selected_columns(X: Floats, solution: Solution) -> Floats:
    kept = solution.weights > 0.0
    return X[:, kept] * solution.weights[kept]


def _distances(X: Floats, solution: Solution) -> Floats:
    """Return all distances, eq. 5.1 or 6.1."""
    columns = _selected_columns(X, solution).T
    if solution.exponents is None:
        return np.sqrt(clusterings.powered_distances(columns))
    exponents = solution.exponents[solution.weights > 0.0]
    return clusterings.powered_distances(columns, exponents) ** (1.0 / exponents.mean())


def _mean_of_labelled(values: Floats, labels: Integers) -> Floats:
    inside = labels >= 0
    return (values * inside).sum(axis=1) / np.maximum(inside.sum(axis=1), 1)
