"""Mercer kernels, by compiled code; the reference has the formulas and the symbols."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import rbf_kernel

from weft._base.arrays import Floats, Integers
from weft.backends.cpu.kernels import mercer_cs as kernels
from weft.backends.cpu.kernels import mercer_kmeans

# Operations whose readable form is as fast as NumPy can be.
from weft.backends.reference.mercer import fetch_gram as fetch_gram
from weft.backends.reference.mercer import load_gram as load_gram
from weft.backends.reference.mercer import subtractive_centers as subtractive_centers
from weft.parallel.threads import map_ranges


class Rows(NamedTuple):
    """What centres live among."""

    rows: Floats  # (n, q)
    columns: Floats  # (q, n)
    distances: Floats  # (n, n)
    low: Floats  # (q,)
    span: Floats  # (q,)


def load(rows: Floats, distances: Floats, low: Floats, span: Floats, device: str) -> Rows:
    """Return the rows, their distances in feature space and their range for the swarms."""
    return Rows(np.ascontiguousarray(rows), np.ascontiguousarray(rows.T), distances, low, span)


def gaussian_gram(rows: Floats, gamma: float, device: str) -> Floats:
    """Return exp(-γ |x - y|²) of all rows."""
    return np.ascontiguousarray(rbf_kernel(rows, gamma=gamma))


def median_distance(rows: Floats, device: str) -> float:
    """Return the median distance between different rows; 1 if all rows are equal."""
    distances = cdist(rows, rows)
    positive = distances[distances > 0.0]
    return float(np.median(positive)) if len(positive) else 1.0


def input_partition(data: Rows, position: Floats, n_centers: int) -> tuple[Floats, Integers]:
    """Return centres and labels of a position by the printed rules: input space, repaired."""
    labels = np.empty(len(data.rows), dtype=np.int64)
    centers = kernels.decode_input(
        position, data.rows, data.columns, n_centers, data.low, data.span, labels
    )
    return centers, labels


def feature_partition(
    data: Rows, position: Floats, n_centers: int, steps: int, least: int
) -> Integers:
    """Return labels of a position: `steps` of k-means in feature space, least size kept."""
    labels = np.empty(len(data.rows), dtype=np.int64)
    rows, columns, _, low, span = data
    kernels.decode_feature(position, rows, columns, n_centers, low, span, steps, least, labels)
    return labels


def input_cs_swarm(
    data: Rows, positions: Floats, n_centers: int, gamma: float
) -> tuple[Integers, Floats]:
    """Return clusters and eq. 8 of each particle, Gaussian kernel; inf where undefined."""
    n_clusters, cs = np.empty(len(positions), dtype=np.int64), np.empty(len(positions))
    rows, columns, distances, low, span = data
    kernels.input_cs_swarm(
        positions, rows, columns, distances, n_centers, low, span, gamma, n_clusters, cs
    )
    return n_clusters, cs


def feature_cs_swarm(
    data: Rows, positions: Floats, n_centers: int, steps: int, least: int
) -> tuple[Integers, Floats]:
    """Return clusters and the weighted CS of each particle; inf where undefined."""
    n_clusters, cs = np.empty(len(positions), dtype=np.int64), np.empty(len(positions))
    rows, columns, distances, low, span = data
    kernels.feature_cs_swarm(
        positions, rows, columns, distances, n_centers, low, span, steps, least, n_clusters, cs
    )
    return n_clusters, cs


def mean_widths(distances: Floats, labels: Integers, n_clusters: int) -> Floats:
    """Return the mean over each cluster's rows of the distance to the farthest mate; 0 if empty."""
    widths = np.empty(n_clusters)
    kernels.mean_widths(distances, labels, n_clusters, widths)
    return widths


def mean_norms(gram: Floats, labels: Integers, n_clusters: int) -> tuple[Floats, Integers]:
    """Return |μ_k|² and the number of rows of each cluster, (K,) each."""
    norms, counts = np.empty(n_clusters), np.empty(n_clusters, dtype=np.int64)
    products = np.empty((n_clusters, len(labels)))
    mercer_kmeans.mean_products(gram, labels, n_clusters, products, norms, counts)
    return norms, counts


def settle_labels(
    gram: Floats, labels: Integers, n_clusters: int, max_iter: int, least: int = 0
) -> tuple[Integers, int, float]:
    """Return labels, steps and the sum of squares of kernel k-means from `labels`.

    A step that would leave a cluster with fewer than `least` rows is not taken.
    """
    moved = labels.copy()
    steps, total = mercer_kmeans.kernel_kmeans(gram, n_clusters, max_iter, least, moved)
    return moved, steps, total


def kernel_kmeans(
    gram: Floats, starts: list[Integers], max_iter: int, n_threads: int = 1
) -> tuple[Integers, Integers, Floats]:
    """Return labels (R, n), steps and sums of squares of kernel k-means from R sets of rows."""
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
