"""Objectives of the rivals: strings of centres (GCUK) and subsets of a pool (DCPSO)."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from weft._base.arrays import Floats, Integers
from weft.backends.cpu.kernels import prototypes, validity
from weft.parallel.parts import SpreadObjective
from weft.search.swarms.base import Evaluation


class StringObjective(SpreadObjective):
    """GCUK: flags and centres; fitness 1 / Davies–Bouldin, 0 where it is not defined."""

    def __init__(
        self, rows: Floats, max_clusters: int, *, min_clusters: int = 2, n_threads: int = 1
    ) -> None:
        super().__init__(rows, n_threads)
        self.max_clusters = max_clusters
        self.min_clusters = min_clusters

    def initial(self, rng: np.random.Generator, n_particles: int) -> Floats:
        """Draw strings with min … max centres, rows all, in random places."""
        n_genes, n_features = self.max_clusters, self.rows.shape[1]
        flags = np.zeros((n_particles, n_genes))
        numbers = rng.integers(self.min_clusters, n_genes, size=n_particles, endpoint=True)
        for string, number in zip(flags, numbers, strict=True):
            string[rng.choice(n_genes, number, replace=False)] = 1.0
        chosen = rng.integers(len(self.rows), size=(n_particles, n_genes))
        centers = self.rows[chosen].reshape(n_particles, n_genes * n_features)
        return np.hstack([flags, centers])

    def __call__(self, positions: Floats) -> Evaluation:
        """Evaluate the whole population."""
        n_found, index = self._evaluate(positions)
        # An index of 0, each cluster a point, is the best there is: 1/index is capped.
        fitness = np.where(np.isfinite(index), 1.0 / np.maximum(index, 1e-12), 0.0)
        return Evaluation(fitness, {"n_clusters": n_found})

    def evaluate_part(self, positions: Floats) -> tuple[Integers, Floats]:
        """Return clusters found and the index of some of the strings."""
        n_found = np.empty(len(positions), dtype=np.int64)
        index = np.empty(len(positions))

        def work(first: int, last: int) -> None:
            part = slice(first, last)
            validity.string_swarm(
                positions[part],
                self.rows,
                self.columns,
                self.max_clusters,
                n_found[part],
                index[part],
            )

        self._run(work, len(positions))
        return n_found, index

    def centers_of(self, position: Floats) -> Floats:
        """Return the means that a string stands for."""
        n_genes = self.max_clusters
        values = position[n_genes:].reshape(n_genes, -1)
        return refined_centers(self.rows, self.columns, values[position[:n_genes] > 0.5])

    def labels_of(self, position: Floats) -> Integers:
        """Return the partition whose index was taken."""
        values = position[self.max_clusters :].reshape(self.max_clusters, -1)
        return assign(self.columns, values[position[: self.max_clusters] > 0.5])


class SubsetObjective(SpreadObjective):
    """DCPSO: bits that select centres from a pool; fitness 1 / Turi's index."""

    def __init__(
        self, rows: Floats, pool: Floats, *, penalty: float = 25.0, n_threads: int = 1
    ) -> None:
        super().__init__(rows, n_threads)
        self.pool = np.ascontiguousarray(pool)
        self.penalty = penalty

    def initial(self, rng: np.random.Generator, n_particles: int, share: float) -> Floats:
        """Draw bits, each set with chance `share`."""
        return (rng.random((n_particles, len(self.pool))) < share).astype(np.float64)

    def __call__(self, positions: Floats) -> Evaluation:
        """Evaluate the whole swarm."""
        n_found, intra, inter = self._evaluate(positions)
        # V = (c · N(2, 1) + 1) · intra / inter: the Gaussian keeps few clusters from winning.
        factor = self.penalty * norm.pdf(n_found, 2.0, 1.0) + 1.0
        valid = np.isfinite(intra) & (inter > 0.0)
        finite_intra = np.where(valid, np.maximum(intra, 1e-300), 1.0)
        fitness = np.where(valid, np.where(valid, inter, 1.0) / (factor * finite_intra), 0.0)
        return Evaluation(np.minimum(fitness, 1e300), {"n_clusters": n_found})

    def evaluate_part(self, positions: Floats) -> tuple[Integers, Floats, Floats]:
        """Return clusters, spread within and distance between of some of the particles."""
        n_found = np.empty(len(positions), dtype=np.int64)
        intra, inter = np.empty(len(positions)), np.empty(len(positions))

        def work(first: int, last: int) -> None:
            part = slice(first, last)
            validity.subset_swarm(
                positions[part], self.columns, self.pool, n_found[part], intra[part], inter[part]
            )

        self._run(work, len(positions))
        return n_found, intra, inter

    def with_pool(self, pool: Floats) -> SubsetObjective:
        """Return the objective of another pool on the same rows."""
        return SubsetObjective(self.rows, pool, penalty=self.penalty, n_threads=self.n_threads)

    def settle(self, centers: Floats, max_iter: int) -> Floats:
        """Return the centres that have rows, after k-means from `centers`."""
        moved = centers.copy()
        labels = np.empty(len(self.rows), dtype=np.int64)
        prototypes.lloyd(self.rows, self.columns, moved, max_iter, labels)
        return moved[np.unique(labels)]

    def labels_of(self, position: Floats) -> Integers:
        """Return the partition of a position."""
        return assign(self.columns, self.pool[position > 0.5])


def assign(columns: Floats, centers: Floats) -> Integers:
    """Return the nearest centre of each row."""
    n_rows = columns.shape[1]
    labels = np.zeros(n_rows, dtype=np.int64)
    if len(centers):
        features = np.arange(len(columns))
        prototypes.nearest_prototypes(
            columns, features, np.ascontiguousarray(centers), labels, np.empty(n_rows)
        )
    return labels


def refined_centers(rows: Floats, columns: Floats, centers: Floats) -> Floats:
    """Return the means of the rows nearest to each centre; centres without rows are dropped."""
    labels = assign(columns, centers)
    return np.stack([rows[labels == used].mean(axis=0) for used in np.unique(labels)])
