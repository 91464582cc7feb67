"""Mercer kernels, by compiled code; the reference has the formulas and the symbols."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import rbf_kernel

from weft._base.arrays import Floats, Integers
from weft.backends.cpu.kernels import mercer_cs as kernels
from weft.backends.cpu.kernels import mercer_kmeans
from weft.backends.cpu.kernels.mercer_cs import Rows

# Operations whose readable form is as fast as NumPy can be.
from weft.backends.reference.mercer import fetch_gram as fetch_gram
from weft.backends.reference.mercer import load_gram as load_gram
from weft.backends.reference.mercer import subtractive_centers as subtractive_centers
from weft.parallel.threads import map_ranges


def load(rows: Floats, distances: Floats, low: Floats, span: Floats, device: str) -> Rows:
    return Rows(np.ascontiguousarray(rows), np.ascontiguousarray(rows.T), distances, low, span)


def gaussian_gram(rows: Floats, gamma: float, device: str) -> Floats:
    return np.ascontiguousarray(rbf_kernel(rows, gamma=gamma))


def median_distance(rows: Floats, device: str) -> float:
    distances = cdist(rows, rows)
    positive = distances[distances > 0.0]
    return float(np.median(positive)) if len(positive) else 1.0


def input_partition(data: Rows, position: Floats, n_centers: int) -> tuple[Floats, Integers]:
    labels = np.empty(len(data.rows), dtype=np.int64)
    return kernels.decode_input(data, position, n_centers, labels), labels


def feature_partition(
    data: Rows, position: Floats, n_centers: int, steps: int, least: int
) -> Integers:
    labels = np.empty(len(data.rows), dtype=np.int64)
    kernels.decode_feature(data, position, n_centers, steps, least, labels)
    return labels


def input_cs_swarm(
    data: Rows, positions: Floats, n_centers: int, gamma: float
) -> tuple[Integers, Floats]:
    n_clusters, cs = np.empty(len(positions), dtype=np.int64), np.empty(len(positions))
    kernels.input_cs_swarm(data, positions, n_centers, gamma, n_clusters, cs)
    return n_clusters, cs


def feature_cs_swarm(
    data: Rows, positions: Floats, n_centers: int, steps: int, least: int
) -> tuple[Integers, Floats]:
    n_clusters, cs = np.empty(len(positions), dtype=np.int64), np.empty(len(positions))
    kernels.feature_cs_swarm(data, positions, n_centers, steps, least, n_clusters, cs)
    return n_clusters, cs


def mean_widths(distances: Floats, labels: Integers, n_clusters: int) -> Floats:
    widths = np.empty(n_clusters)
    kernels.mean_widths(distances, labels, n_clusters, widths)
    return widths


def mean_norms(gram: Floats, labels: Integers, n_clusters: int) -> tuple[Floats, Integers]:
    norms, counts = np.empty(n_clusters), np.empty(n_clusters, dtype=np.int64)
    products = np.empty((n_clusters, len(labels)))
    mercer_kmeans.mean_products(gram, labels, n_clusters, products, norms, counts)
    return norms, counts


def settle_labels(
    gram: Floats, labels: Integers, n_clusters: int, max_iter: int, least: int = 0
) -> tuple[Integers, int, float]:
    moved = labels.copy()
    steps, total = mercer_kmeans.kernel_kmeans(gram, n_clusters, max_iter, least, moved)
    return moved, steps, total


def kernel_kmeans(
    gram: Floats, starts: list[Integers], max_iter: int, n_threads: int = 1
) -> tuple[Integers, Integers, Floats]:
    labelings = np.empty((len(starts), len(gram)), dtype=np.int64)
    steps, sums = np.empty(len(starts), dtype=np.int64), np.empty(len(starts))

    def cluster(first: int, last: int) -> None:
        for run in range(first, last):
            start = starts[run]
            nearest = (np.diag(gram)[start] - 2.0 * gram[:, start]).argmin(axis=1)
            labelings[run], steps[run], sums[run] = settle_labels(
                gram, nearest, len(start), max_iter
            )

    map_ranges(cluster, len(starts), n_threads)
    return labelings, steps, sums
