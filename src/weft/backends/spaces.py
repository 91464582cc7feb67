"""The interface of a backend for feature search: distances of particles, and operations.

A `Spaces` holds the distances that P particles define between the n rows of one table. Clusterers
and criteria are written against its operations and see nothing else, so that the same code runs
on every backend. The CPU evaluates one particle at a time (P = 1), a GPU a whole generation.

Arrays that operations return have the particle axis in front. They are NumPy arrays on the CPU and
torch tensors on a GPU; arithmetic, comparisons and the functions of `Spaces.xp` work on both, and
`Spaces.to_host` converts them to NumPy arrays.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from weft._base.arrays import Floats, Integers

# No valid solution: lower than every valid fitness. See docs/decisions/0002.
INFEASIBLE = -np.inf

Array = Any  # a NumPy array on the CPU, a torch tensor on a GPU


class Solution(NamedTuple):
    """The decoded particle: weights and exponents of the features."""

    weights: Floats  # (d,), >= 0; a feature with weight 0 is dropped
    exponents: Floats | None = None  # (d,), or None: 2 for all


class Plan(NamedTuple):
    """The needs of a search, by which a backend chooses the layout of the table and memory."""

    clusterer: Any
    criterion: Any  # None: clusterings are not scored
    exponents: bool  # whether particles have exponents
    max_memory: int  # bytes
    n_jobs: int | None
    device: str


class Outcome(NamedTuple):
    """The evaluation of one particle."""

    fitness: float
    n_features: int
    n_clusters: int


class Partitions(NamedTuple):
    """The clusterings of P particles, as a clusterer returns them.

    A new row gets the label of the nearest anchor, or -1 if that is farther than `radius`.
    """

    labels: Array  # (P, n), numbered by first row; -1 for rows in no cluster
    anchors: Array | None = None  # (P, n) bool: rows that represent the clusters; None: all
    converged: Array | None = None  # (P,) bool; None: all
    radius: float = np.inf


class Clustering(NamedTuple):
    """The clustering of one particle, on the host."""

    labels: Integers  # (n,), numbered by first row; -1 for rows in no cluster
    anchors: Integers  # rows that represent the clusters
    radius: float = np.inf
    converged: bool = True


class Neighbours(NamedTuple):
    """The nearest rows of each row, and their distances in float64."""

    indices: Array  # (P, n, k); P = 1: the same for all particles
    distances: Array  # (P, n, k)


class Spaces(Protocol):
    """The distances of P particles between n rows, and the operations on them."""

    @property
    def n_particles(self) -> int:
        """P, the number of particles."""

    @property
    def n_rows(self) -> int:
        """n, the number of rows."""

    @property
    def n_columns(self) -> int:
        """d, the number of columns of the table."""

    @property
    def xp(self) -> Any:
        """The module whose functions take the arrays: NumPy, or torch."""

    def table(self) -> Floats:
        """Return the unweighted rows (n, d), a NumPy array."""

    def to_host(self, array: Array) -> np.ndarray[Any, Any]:
        """Return an array as a NumPy array."""

    def to_device(self, array: np.ndarray[Any, Any]) -> Array:
        """Return a NumPy array in the form that the operations take."""

    def full(self) -> Spaces:
        """Return as many particles with all features at weight 1."""

    def selected_columns(self, particle: int) -> Floats:
        """Return a particle's weighted columns (n, m) without dropped ones, as a NumPy array."""

    def distances(self) -> Array:
        """Return all distances (P, n, n) in float64."""

    def nearest_rows(self, n_neighbors: int, guess: Array | None = None) -> Array:
        """Return the nearest rows (P, n, k) of each row, k = `n_neighbors` or all other rows.

        `guess`, from `likely_neighbours`, are rows that are probably among them.
        """

    def likely_neighbours(self, n_neighbors: int) -> Array | None:
        """Return a guess for `nearest_rows`; None if a guess does not help."""

    def neighbours(self, n_neighbors: int) -> Neighbours:
        """Return the nearest rows of each row, with their distances."""

    def graph_components(self, indices: Array) -> Array:
        """Return labels (P, n): connected components of the graph of nearest rows (P, n, k)."""

    def dbscan(self, eps: float, min_samples: int) -> tuple[Array, Array]:
        """Return labels (P, n), -1 for noise, and which rows are core rows (P, n)."""

    def complete_linkage(self, n_clusters: int) -> Array:
        """Return labels (P, n) of complete linkage, cut at `n_clusters`."""

    def affinity_propagation(
        self, damping: float, preference: float | None, max_iter: int, convergence_iter: int
    ) -> Partitions:
        """Cluster by affinity propagation; ``preference=None`` is the median similarity."""

    def outliers_as_cluster(self, labels: Array) -> Array:
        """Return the labels with rows in no cluster as one more cluster."""

    def count_clusters(self, labels: Array) -> Array:
        """Return the number of clusters (P,), in float64."""

    def count_labelled(self, labels: Array) -> Array:
        """Return the number of rows in a cluster (P,), in float64."""

    def silhouette(self, labels: Array) -> Array:
        """Return the mean silhouette (P,) of the labelled rows."""

    def connectedness(self, labels: Array, neighbours: Neighbours, cap: float) -> Array:
        """Return the mean connectedness (P,) of the labelled rows."""

    def sparsity_and_separation(self, labels: Array) -> tuple[Array, Array]:
        """Return both (P,): one pass over the distances gives both."""

    def gaussian_scores(self, labels: Array, noise: float) -> tuple[Array, Array]:
        """Return log P(x|Model) P(Model) (P, n) of the own cluster and of the best other one.

        The models are those of the unweighted table (section 4.5).
        """


class NumPySpaces:
    """The operations that are the same for all backends with NumPy arrays."""

    xp = np

    def to_host(self, array: Array) -> np.ndarray[Any, Any]:
        return np.asarray(array)

    def to_device(self, array: np.ndarray[Any, Any]) -> Array:
        return array

    def outliers_as_cluster(self, labels: Integers) -> Integers:
        # Clusterers number from 0 without gaps, so the outliers are simply the next cluster.
        following = labels.max(axis=1, keepdims=True) + 1
        return labels if labels.min() >= 0 else np.where(labels < 0, following, labels)

    def count_clusters(self, labels: Integers) -> Floats:
        return labels.max(axis=1, initial=-1) + 1.0

    def count_labelled(self, labels: Integers) -> Floats:
        return (labels >= 0).sum(axis=1, dtype=np.float64)
