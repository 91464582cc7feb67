"""A table, and what a swarm's partitions and weights come to in it.

========  ==========  ==============================================================
symbol    shape       meaning
========  ==========  ==============================================================
X         (n, M)      the table, its column means taken away
f         (P, K, M)   factors of the squared differences
z         (P, K, M)   centres
D         (P, K, M)   sums of squares around the centres
========  ==========  ==============================================================

Σ_j f (x - z)² = Σ_j f x² - 2 Σ_j (f z) x + Σ_j f z²: with squares and values of the rows side by
side, (n, 2M), the distances of all rows to the centres of all particles are one product with a
(2M, P·K) matrix, 4 n M P K operations. Taking the means away first keeps the difference of large
numbers from eating the digits.

Products run on one BLAS thread per block of rows, blocks on `n_jobs` threads: the number of
blocks depends on n alone, so no bit depends on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Labels
from weft.backends.cpu.kernels import projected as kernels
from weft.methods.projected.criteria import Criterion
from weft.parallel.threads import Runner

BLOCK_ROWS = 256


class Summary(NamedTuple):
    """What a partition's closed-form steps need; leading axis P."""

    sizes: Floats  # (P, K)
    centers: Floats  # (P, K, M)
    spread: Floats  # (P, K, M)


class Settled(NamedTuple):
    """Partitions after some rounds, and what they are worth."""

    labels: Labels  # (P, n)
    fitness: Floats  # (P,), minus F


def refill(labels: Labels, cost: Floats, n_clusters: int) -> None:
    """Give each empty cluster the row with the largest cost that is not alone in its own.

    Rows that cost nothing stay: with fewer distinct rows than clusters some remain empty.
    """
    counts = np.bincount(labels, minlength=n_clusters)
    for cluster in np.flatnonzero(counts == 0):
        cost = np.where(counts[labels] > 1, cost, 0.0)
        row = int(cost.argmax())
        if cost[row] <= 0.0:
            return
        counts[labels[row]] -= 1
        counts[cluster] += 1
        labels[row] = cluster


class DenseSpace:
    """A table with weighted squared distances."""

    def __init__(self, X: Floats, n_clusters: int, criterion: Criterion, run: Runner) -> None:
        self.n_clusters = n_clusters
        self.criterion = criterion
        self.run = run
        self.mean = X.mean(axis=0)
        self.X = X - self.mean
        self.norms = np.einsum("ij,ij->i", self.X, self.X)
        self.table = np.hstack([self.X * self.X, self.X])  # (n, 2M)
        # Columns between -1 and 1, so that neither they nor their squares leave float32's range.
        scale = np.abs(self.X).max(axis=0)
        self.scale = np.where(scale > 0.0, scale, 1.0)
        self.quick_table = np.empty(self.table.shape, dtype=np.float32)
        quick = self.X / self.scale
        self.quick_table[:, : X.shape[1]] = quick * quick
        self.quick_table[:, X.shape[1] :] = quick

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape

    def rows(self, numbers: NDArray[np.int64]) -> Floats:
        """Return a few rows as centres."""
        return self.X[numbers]

    def products(self, numbers: NDArray[np.int64]) -> Floats:
        """Return inner products of a few rows with all rows."""
        return self.X[numbers] @ self.X.T

    def assign(
        self, factors: Floats, centers: Floats, dead: NDArray[np.bool_], *, exact: bool = False
    ) -> tuple[Labels, Floats]:
        """Return each row's nearest living centre for each particle, and how far it is.

        Distances are up to a factor per particle. Single precision unless `exact`: a row changes
        sides only where two centres are equally near to six digits.
        """
        n_rows, n_features = self.shape
        n_particles = len(factors)
        table = self.table if exact else self.quick_table
        if not exact:
            factors = factors * (self.scale * self.scale)
            largest = factors.max(axis=(1, 2), keepdims=True)
            factors = factors / np.where(largest > 0.0, largest, 1.0)
            centers = centers / self.scale
        tilted = factors * centers
        right = np.empty((n_particles * self.n_clusters, 2 * n_features), dtype=table.dtype)
        right[:, :n_features] = factors.reshape(-1, n_features)
        right[:, n_features:] = (-2.0 * tilted).reshape(-1, n_features)
        constant = np.einsum("pkj,pkj->pk", tilted, centers)
        constant[dead] = np.inf
        constant = constant.reshape(-1).astype(table.dtype)
        labels = np.empty((n_particles, n_rows), dtype=np.int32)
        best = np.empty((n_particles, n_rows))

        def block(first: int, last: int) -> None:
            for number in range(first, last):
                rows = slice(number * BLOCK_ROWS, (number + 1) * BLOCK_ROWS)
                distances = table[rows] @ right.T
                distances += constant
                kernels.nearest(distances, labels[:, rows], best[:, rows])

        self.run(block, -(-n_rows // BLOCK_ROWS))
        return labels, best

    def summarise(self, labels: Labels) -> Summary:
        """Return sizes, centres and dispersions of each particle's clusters (eq. 17)."""
        n_features = self.shape[1]
        totals = np.empty((len(labels), self.n_clusters, 2 * n_features))
        sizes = np.empty((len(labels), self.n_clusters))

        def task(first: int, last: int) -> None:
            kernels.cluster_totals(
                self.table, labels[first:last], totals[first:last], sizes[first:last]
            )

        self.run(task, len(labels))
        squares, sums = totals[..., :n_features], totals[..., n_features:]
        centers = sums / np.maximum(sizes, 1.0)[..., np.newaxis]
        spread = np.maximum(squares - centers * sums, 0.0)
        return Summary(sizes, centers, spread)

    def settle(self, labels: Labels, n_rounds: int, *, exact: bool = False) -> Settled:
        """Run up to `n_rounds` of the closed-form alternation from each partition.

        A round weighs, assigns and takes means. Rows in no cluster join one in the first round; a
        cluster without rows gets the row that costs most.
        """
        labels = labels.copy()
        value = np.empty(len(labels))
        live = np.arange(len(labels))
        for number in range(n_rounds + 1):
            sizes, centers, spread = self.summarise(labels[live])
            shares = self.criterion.weights(spread, sizes)
            value[live] = self.criterion.value(shares, sizes, spread)
            if number == n_rounds:
                break
            factors = self.criterion.factors(shares)
            found, best = self.assign(factors, centers, sizes == 0.0, exact=exact)
            for own, cost in zip(found, best, strict=True):
                refill(own, cost, self.n_clusters)
            changed = (found != labels[live]).any(axis=1)
            labels[live[changed]] = found[changed]
            live = live[changed]
            if len(live) == 0:
                break
        return Settled(labels, -value)

    def lloyd(
        self, shares: Floats, centers: Floats, rng: np.random.Generator
    ) -> tuple[Labels, Floats, Floats]:
        """Assign once and take means once: labels, centres, fitness (eq. 16, 17, 14).

        The centre of an empty cluster becomes a random row (section 3.1).
        """
        factors = self.criterion.factors(shares)
        labels, _ = self.assign(factors, centers, np.zeros(centers.shape[:2], dtype=bool))
        sizes, means, spread = self.summarise(labels)
        empty = sizes == 0.0
        if empty.any():
            means[empty] = self.X[rng.integers(len(self.X), size=int(empty.sum()))]
        return labels, means, -self.criterion.value(shares, sizes, spread)
