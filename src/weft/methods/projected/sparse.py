"""Sparse documents, and the fitness of partitions and weights in them.

Lu, Wang, Li and Zhou 2009, section 6.1: the extended Jaccard coefficient of a document x and a
centre z under the weights w of the cluster,

    s(x, z) = b / (a + c - b),   a = ‖w^β x‖²,  b = (w^β x)·(w^β z),  c = ‖w^β z‖²,

and F = Σ_i s(x_i, centre of its cluster), to be maximised. The scale of w cancels.

Rows stay sparse, and particles are taken one by one: at most a few (K, M) arrays per thread are in
memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft._base.arrays import Floats, Integers, Labels
from weft.backends import CPU
from weft.methods.projected.dense import Settled
from weft.parallel.threads import Runner


class SparseSpace:
    """Sparse rows under the extended Jaccard coefficient."""

    def __init__(self, X: Any, n_clusters: int, exponent: float, run: Runner) -> None:
        self.X = X  # csr, float64, no duplicate entries
        self.csr = (X.data, X.indices, X.indptr)
        self.n_clusters = n_clusters
        self.exponent = exponent
        self.run = run
        self.norms = np.add.reduceat(
            np.append(X.data * X.data, 0.0), np.minimum(X.indptr[:-1], len(X.data))
        )
        self.norms[np.diff(X.indptr) == 0] = 0.0

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape

    def similarities(self, weights: Floats | None, centers: Floats) -> Floats:
        """Return s(x_i, z_l), (n, K); with `weights` None all terms have the same weight."""
        if weights is None:
            products = self._products(np.ascontiguousarray(centers.T))
            norms = self.norms[:, np.newaxis]
            lengths = np.einsum("kj,kj->k", centers, centers)
        else:
            # Powers of w / max w: the scale cancels, and the largest power is 1.
            largest = np.maximum(weights.max(axis=1, keepdims=True), np.finfo(float).tiny)
            factors = np.ascontiguousarray((weights / largest).T)
            factors **= 2.0 * self.exponent
            squares = self.csr[0] * self.csr[0]
            norms = CPU.projected.sparse_products((squares, *self.csr[1:]), factors)
            factors *= centers.T
            products = self._products(factors)
            lengths = np.einsum("jk,kj->k", factors, centers)
        below = norms + lengths
        below -= products
        # The similarity with an empty centre or an empty row is 0.
        np.divide(products, below, out=products, where=below > 0.0)
        return products

    def means(self, labels: Labels, previous: Floats | None = None) -> Floats:
        """Return the centres (K, M) of one partition; an empty cluster keeps `previous`, or 0."""
        centers: Floats = CPU.projected.sparse_totals(
            self.csr, labels, self.n_clusters, self.shape[1]
        )
        sizes = np.bincount(labels[labels >= 0], minlength=self.n_clusters)
        centers /= np.maximum(sizes, 1)[:, np.newaxis]
        if previous is not None:
            centers[sizes == 0] = previous[sizes == 0]
        return centers

    def rows(self, numbers: Integers) -> Floats:
        """Return a few rows as centres."""
        return self.X[numbers].toarray()

    def n_starts_at_once(self, n_trials: int) -> int:
        """Return 1: rows become dense as candidates."""
        return 1

    def squared_distances(self, rows: Integers) -> Floats:
        """Return squared distances of some rows to all rows, not below 0, and 0 to themselves."""
        products = self._products(np.ascontiguousarray(self.rows(rows).T)).T
        out: Floats = CPU.projected.distances_from_products(self.norms, rows, products)
        return out

    def draw_next(self, nearest: Floats, draws: Floats) -> tuple[Integers, Floats]:
        """Return each particle's next start, and the distances to all starts so far."""
        drawn: tuple[Integers, Floats] = CPU.projected.draw_next(
            nearest, draws, self.squared_distances
        )
        return drawn

    def assign_by_weights(self, weights: Floats, centers: Floats) -> Labels:
        """Return each row's nearest centre (n,) under one particle's weights (K, M)."""
        return self.similarities(weights, centers).argmax(axis=1).astype(np.int32)

    def _products(self, columns: Floats) -> Floats:
        """Return inner products of all rows with `columns` (M, K), (n, K)."""
        products: Floats = CPU.projected.sparse_products(self.csr, columns)
        return products

    def settle_one(
        self, labels: Labels, weights: Floats | None, n_rounds: int
    ) -> tuple[Labels, Floats, float]:
        """Run up to `n_rounds` rounds from one partition: labels, centres, fitness."""
        labels = labels.copy()
        rows = np.arange(len(labels))
        for number in range(n_rounds + 1):
            centers = self.means(labels)
            similarity = self.similarities(weights, centers)
            if number == n_rounds:
                break
            nearest = similarity.argmax(axis=1).astype(np.int32)
            CPU.projected.refill(nearest, 1.0 - similarity[rows, nearest], self.n_clusters)
            if (nearest == labels).all():
                break
            labels = nearest
        own = np.where(labels >= 0, similarity[rows, labels], 0.0)
        return labels, centers, float(own.sum())

    def settle(self, labels: Labels, n_rounds: int) -> Settled:
        """Run up to `n_rounds` rounds of assigning and taking means from each partition."""
        out = np.empty_like(labels)
        fitness = np.empty(len(labels))

        def task(first: int, last: int) -> None:
            for p in range(first, last):
                out[p], _, fitness[p] = self.settle_one(labels[p], None, n_rounds)

        self.run(task, len(labels))
        return Settled(out, fitness)

    def lloyd(
        self, weights: Floats, centers: Floats, rng: np.random.Generator
    ) -> tuple[Labels, Floats, Floats]:
        """Assign once and take means once: labels, centres, fitness (section 6.1).

        The centre of an empty cluster becomes a random row.
        """
        n_particles, n_rows = len(weights), self.shape[0]
        labels = np.empty((n_particles, n_rows), dtype=np.int32)
        means = np.empty_like(centers)
        fitness = np.empty(n_particles)
        # Drawn for all particles, even if not needed, so that results do not depend on threads.
        spare = rng.integers(n_rows, size=(n_particles, self.n_clusters))

        def task(first: int, last: int) -> None:
            for p in range(first, last):
                labels[p] = self.similarities(weights[p], centers[p]).argmax(axis=1)
                empty = np.bincount(labels[p], minlength=self.n_clusters) == 0
                means[p] = self.means(labels[p])
                means[p][empty] = self.rows(spare[p][empty])
                similarity = self.similarities(weights[p], means[p])
                fitness[p] = similarity[np.arange(n_rows), labels[p]].sum()

        self.run(task, n_particles)
        return labels, means, fitness
