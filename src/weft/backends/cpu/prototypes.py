"""Rows and prototypes, by the compiled kernels; the reference has the formulas and the symbols."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from weft._base.arrays import Floats, Integers
from weft.backends.cpu.kernels import prototypes as kernels
from weft.backends.cpu.kernels import validity
from weft.parallel.threads import map_ranges

# Rows whose distances to all others are in memory at a time, computed once for all labelings.
TILE = 256


class Rows(NamedTuple):
    """A table in both layouts."""

    rows: Floats  # (n, d)
    columns: Floats  # (d, n)


class Pool(NamedTuple):
    """Rows, and the centres that bits select from."""

    data: Rows
    centers: Floats  # (L, d)


def load(rows: Floats, device: str, *, medoids: bool = False) -> Rows:
    return Rows(np.ascontiguousarray(rows), np.ascontiguousarray(rows.T))


def load_pool(data: Rows, centers: Floats) -> Pool:
    return Pool(data, np.ascontiguousarray(centers))


def nearest(data: Rows, features: Integers, prototypes: Floats) -> Integers:
    labels = np.empty(len(data.rows), dtype=np.int64)
    squared = np.empty(len(data.rows))
    kernels.nearest_prototypes(
        data.columns, features, np.ascontiguousarray(prototypes), labels, squared
    )
    return labels


def between_sum(data: Rows, labels: Integers, n_clusters: int) -> tuple[float, int]:
    sums = np.empty((n_clusters, data.rows.shape[1]))
    counts = np.empty(n_clusters, dtype=np.int64)
    kernels.cluster_sums(data.rows, labels, sums, counts)
    return kernels.between_sum(sums, counts, len(data.rows))


def medoids_of(data: Rows, position: Floats, limit: int) -> tuple[Integers, Floats]:
    n_rows, n_features = data.rows.shape
    features, chosen = kernels.decode_medoids(position, n_features, n_rows)
    medoids = np.empty(limit, dtype=np.int64)
    n_distinct = kernels.distinct_medoids(data.rows, features, chosen, limit, medoids)
    return features, data.rows[np.ix_(medoids[:n_distinct], features)]


def medoid_swarm(data: Rows, positions: Floats, limit: int) -> tuple[Integers, Integers, Floats]:
    n_selected, n_clusters = np.empty((2, len(positions)), dtype=np.int64)
    between = np.empty(len(positions))
    kernels.medoid_swarm(positions, data.rows, data.columns, limit, n_selected, n_clusters, between)
    return n_selected, n_clusters, between


def centroid_swarm(data: Rows, positions: Floats, features: Integers) -> tuple[Integers, Floats]:
    n_clusters, between = np.empty(len(positions), dtype=np.int64), np.empty(len(positions))
    kernels.centroid_swarm(positions, data.rows, data.columns, features, n_clusters, between)
    return n_clusters, between


def string_swarm(data: Rows, positions: Floats, n_genes: int) -> tuple[Integers, Floats]:
    n_clusters, index = np.empty(len(positions), dtype=np.int64), np.empty(len(positions))
    validity.string_swarm(positions, data.rows, data.columns, n_genes, n_clusters, index)
    return n_clusters, index


def subset_swarm(pool: Pool, positions: Floats) -> tuple[Integers, Floats, Floats]:
    n_clusters = np.empty(len(positions), dtype=np.int64)
    intra, inter = np.empty((2, len(positions)))
    validity.subset_swarm(positions, pool.data.columns, pool.centers, n_clusters, intra, inter)
    return n_clusters, intra, inter


def lloyd(data: Rows, centers: Floats, max_iter: int) -> tuple[Floats, Integers]:
    moved, labels = centers.copy(), np.empty(len(data.rows), dtype=np.int64)
    kernels.lloyd(data.rows, data.columns, moved, max_iter, labels)
    return moved, labels


def kmeans_silhouettes(
    data: Rows, starts: list[Integers], n_labels: int, max_iter: int, n_threads: int = 1
) -> Floats:
    labelings = np.empty((len(starts), len(data.rows)), dtype=np.int64)

    def cluster(first: int, last: int) -> None:
        for run in range(first, last):
            labelings[run] = lloyd(data, data.rows[starts[run]], max_iter)[1]

    map_ranges(cluster, len(starts), n_threads)
    return mean_silhouettes(data.rows, labelings, n_labels, n_threads)


def mean_silhouettes(
    rows: Floats, labelings: Integers, n_labels: int, n_threads: int = 1
) -> Floats:
    """Return the mean silhouette of each labeling (L, n) with labels below `n_labels`."""
    counts = np.stack([np.bincount(labels, minlength=n_labels) for labels in labelings])
    n_tiles = -(-len(rows) // TILE)
    # One row of sums per tile, added in the order of tiles: no bit depends on the threads.
    parts = np.zeros((n_tiles, len(labelings)))

    def score(first: int, last: int) -> None:
        for tile in range(first, last):
            start = tile * TILE
            distances = cdist(rows, rows[start : start + TILE])
            kernels.silhouette_tile(distances, start, labelings, counts, parts[tile])

    map_ranges(score, n_tiles, n_threads)
    return parts.sum(axis=0) / len(rows)
