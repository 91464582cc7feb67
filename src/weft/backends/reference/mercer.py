"""Mercer kernels in readable form: CS of swarms of centres, kernel k-means, subtractive centres.

A. Abraham, S. Das and A. Konar, "Kernel based automatic clustering using modified particle swarm
optimization algorithm", GECCO 2007.

=========  ==============  ==================================================================
symbol     shape           meaning
=========  ==============  ==================================================================
position   (C + C q,)      C activation thresholds, then C centres, all in [0, 1]
rows       (n, q)          the space of the centres: the data, or their feature-space coordinates
distances  (n, n)          squared distances in feature space (eq. 5)
low, span  (q,)            smallest values and ranges of the rows, which map to [0, 1]
gram       (n, n)          inner products ⟨φ(x), φ(y)⟩
w_k        ()              mean over rows x of cluster k of max_{y in k} |φ(x) - φ(y)|²
a_k        ()              squared distance of centre k to the nearest other centre
=========  ==============  ==================================================================

Printed (eq. 8): CS = Σ w_k / Σ a_k. Weighted: CS = Σ (n_k / n) w_k / a_k; see the decision record.
"""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.backends.reference.prototypes import squared_distances


class Rows(NamedTuple):
    """The rows among which centres are searched."""

    rows: Floats  # (n, q)
    distances: Floats  # (n, n)
    low: Floats  # (q,)
    span: Floats  # (q,)


def load(rows: Floats, distances: Floats, low: Floats, span: Floats, device: str) -> Rows:
    """Return the rows, their distances in feature space and their range for the swarms."""
    return Rows(rows, distances, low, span)


def gaussian_gram(rows: Floats, gamma: float, device: str) -> Floats:
    """Return exp(-γ |x - y|²) of all rows."""
    return np.exp(-gamma * squared_distances(rows, rows))


def load_gram(gram: Floats, device: str) -> Floats:
    """Return inner products (n, n) in the form of the backend."""
    return gram


def fetch_gram(gram: Floats) -> Floats:
    """Return inner products as a NumPy array."""
    return gram


def median_distance(rows: Floats, device: str) -> float:
    """Return the median distance between different rows; 1 if all rows are equal."""
    distances = np.sqrt(squared_distances(rows, rows))
    positive = distances[distances > 0.0]
    return float(np.median(positive)) if len(positive) else 1.0


def mean_widths(distances: Floats, labels: Integers, n_clusters: int) -> Floats:
    """Return the mean over each cluster's rows of the distance to the farthest mate; 0 if empty."""
    widths = np.zeros(n_clusters)
    for k in np.unique(labels):
        members = labels == k
        widths[k] = distances[members][:, members].max(axis=1).mean()
    return widths


def active_centers(position, n_centers, n_features, low, span):
    """Return the active centres of a position in [0, 1]: thresholds above 0.5, two at least."""
    thresholds = position[:n_centers]
    active = thresholds > 0.5  # eq. 10
    for k in np.argsort(-thresholds, kind="stable")[:2]:
        active[k] = True
    centers = position[n_centers:].reshape(n_centers, n_features)[active]
    return low + centers * span


def drop_small(rows: Floats, centers: Floats, least: int) -> tuple[Floats, Integers]:
    """Drop the smallest cluster until all have `least` rows; return centres and labels."""
    while True:
        labels = squared_distances(rows, centers).argmin(axis=1)
        counts = np.bincount(labels, minlength=len(centers))
        if counts.min() >= least or len(centers) < 2:
            return centers, labels
        centers = np.delete(centers, counts.argmin(), axis=0)


def nearest_average(rows, columns, centers):
    """Return each centre moved to the mean of its n/k nearest rows (section 4.3)."""
    share = max(1, len(rows) // len(centers))
    order = np.argsort(squared_distances(centers, rows), axis=1, kind="stable")[:, :share]
    # In the order of rows: centres with the same nearest rows become bit-identical.
    return rows[np.sort(order, axis=1)].mean(axis=1)


def input_partition(data: Rows, position: Floats, n_centers: int) -> tuple[Floats, Integers]:
    """Return centres and labels of a position by the printed rules: input space, repaired."""
    rows = data.rows
    centers = active_centers(position, n_centers, rows.shape[1], data.low, data.span)
    labels = squared_distances(rows, centers).argmin(axis=1)
    if np.bincount(labels, minlength=len(centers)).min() < 2:
        # The repair may leave clusters of one row or no row: those centres are dropped.
        centers, labels = drop_small(rows, nearest_average(rows, rows.T, centers), 2)
    return centers, labels


def feature_partition(
    data: Rows, position: Floats, n_centers: int, steps: int, least: int
) -> Integers:
    """Return labels of a position: `steps` of k-means in feature space, least size kept."""
    rows = data.rows
    centers = active_centers(position, n_centers, rows.shape[1], data.low, data.span)
    centers, labels = drop_small(rows, centers, least)
    for _ in range(steps):
        if len(centers) >= 2:
            means = np.stack([rows[labels == k].mean(axis=0) for k in range(len(centers))])
            centers, labels = drop_small(rows, means, least)
    return labels


def _apart(centers: Floats) -> Floats:
    squared = squared_distances(centers, centers)
    np.fill_diagonal(squared, np.inf)
    return squared.min(axis=1)


def input_cs_swarm(
    data: Rows, positions: Floats, n_centers: int, gamma: float
) -> tuple[Integers, Floats]:
    """Return clusters and eq. 8 of each particle, Gaussian kernel; inf where undefined."""
    n_clusters, cs = np.empty(len(positions), dtype=np.int64), np.full(len(positions), np.inf)
    for p, position in enumerate(positions):
        centers, labels = input_partition(data, position, n_centers)
        n_clusters[p] = len(centers)
        if len(centers) >= 2:
            widths = mean_widths(data.distances, labels, len(centers))
            below = (2.0 * (1.0 - np.exp(-gamma * _apart(centers)))).sum()
            if below > 0.0:
                cs[p] = widths.sum() / below
    return n_clusters, cs


def feature_cs_swarm(
    data: Rows, positions: Floats, n_centers: int, steps: int, least: int
) -> tuple[Integers, Floats]:
    """Return clusters and the weighted CS of each particle; inf where undefined.

    Means that differ only by rounding are the same mean: equal rows must not become two clusters.
    """
    rows = data.rows
    n_clusters, cs = np.empty(len(positions), dtype=np.int64), np.full(len(positions), np.inf)
    for p, position in enumerate(positions):
        labels = feature_partition(data, position, n_centers, steps, least)
        k = n_clusters[p] = labels.max() + 1
        if k >= 2:
            means = np.stack([rows[labels == c].mean(axis=0) for c in range(k)])
            widths = mean_widths(data.distances, labels, k)
            apart = _apart(means)
            if (apart > 1e-12 * (data.span**2).sum()).all():
                cs[p] = (np.bincount(labels) * widths / apart).sum() / len(rows)
    return n_clusters, cs


def _mean_products(gram: Floats, labels: Integers, n_clusters: int) -> Floats:
    """Return ⟨φ(x_i), μ_k⟩, (K, n); 0 for clusters without rows."""
    members = labels == np.arange(n_clusters)[:, np.newaxis]
    return members @ gram / np.maximum(members.sum(axis=1, keepdims=True), 1)


def mean_norms(gram: Floats, labels: Integers, n_clusters: int) -> tuple[Floats, Integers]:
    """Return |μ_k|² and the number of rows of each cluster, (K,) each."""
    members = labels == np.arange(n_clusters)[:, np.newaxis]
    counts = members.sum(axis=1)
    products = _mean_products(gram, labels, n_clusters)
    return (members * products).sum(axis=1) / np.maximum(counts, 1), counts


def settle_labels(
    gram: Floats, labels: Integers, n_clusters: int, max_iter: int, least: int = 0
) -> tuple[Integers, int, float]:
    """Return labels, steps and the sum of squares of kernel k-means from `labels`.

    A step that would leave a cluster with fewer than `least` rows is not made.
    """
    for step in count():
        norms, counts = mean_norms(gram, labels, n_clusters)
        values = norms[:, np.newaxis] - 2.0 * _mean_products(gram, labels, n_clusters)
        moved = np.where(counts[:, np.newaxis] > 0, values, np.inf).argmin(axis=0)
        sizes = np.bincount(moved, minlength=n_clusters)
        small = ((counts > 0) & (sizes < least)).any()
        if (moved == labels).all() or small or step == max_iter:
            break
        labels = moved
    own = values[labels, np.arange(len(gram))]
    return labels, step, float((np.diag(gram) + own).sum())


def kernel_kmeans(
    gram: Floats, starts: list[Integers], max_iter: int, n_threads: int = 1
) -> tuple[Integers, Integers, Floats]:
    """Return labels (R, n), steps and sums of squares of kernel k-means from R sets of rows."""
    runs = []
    for start in starts:
        labels = (np.diag(gram)[start] - 2.0 * gram[:, start]).argmin(axis=1)
        runs.append(settle_labels(gram, labels, len(start), max_iter))
    labelings, steps, sums = zip(*runs, strict=True)
    return np.stack(labelings), np.array(steps), np.array(sums)


def subtractive_centers(
    gram: Floats, alpha: float, beta: float, n_clusters: int
) -> tuple[Integers, Floats, Integers]:
    """Return the rows that become centres, their potentials, and each row's nearest centre.

    The potential of x is Σ_y exp(-α |φ(x) - φ(y)|²); the highest becomes a centre c, and its
    potential times exp(-β |φ(x) - φ(c)|²) is subtracted from all.
    """
    norms = np.diag(gram)
    squared = np.maximum(norms[:, np.newaxis] - 2.0 * gram + norms, 0.0)
    potential = np.exp(-alpha * squared).sum(axis=1)
    chosen, heights = [], []
    for _ in range(n_clusters):
        center = int(potential.argmax())
        chosen.append(center)
        heights.append(potential[center])
        potential = potential - potential[center] * np.exp(-beta * squared[:, center])
        potential[chosen] = -np.inf
    return np.array(chosen), np.array(heights), squared[:, chosen].argmin(axis=1)
