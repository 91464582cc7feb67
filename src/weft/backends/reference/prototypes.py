"""Rows and prototypes in readable form.

Lensen, Xue and Zhang, "Using Particle Swarm Optimisation and the Silhouette Metric to Estimate
the Number of Clusters, Select Features, and Perform Clustering".

==========  ==========  =====================================================================
symbol      shape       meaning
==========  ==========  =====================================================================
rows        (n, d)      the data, centred: the mean of all rows, Z*, is 0
features    (m',)       positions of the selected features
prototypes  (K, m')     rows are assigned to them by Euclidean distance over `features`
S_k, n_k    (d,), ()    sum and number of the rows of cluster k; its mean Z_k = S_k / n_k
==========  ==========  =====================================================================

Between + Within = Σ|x|²/n is the same for every partition, so eq. 5 gives eq. 4 as well.

Davies–Bouldin (GCUK, Bandyopadhyay and Maulik 2002): S_i is the mean distance of cluster i's rows
to its mean, d_ij the distance of two means, DB = (1/K) Σ_i max_{j≠i} (S_i + S_j) / d_ij.
Turi's index (DCPSO, Omran, Salman and Engelbrecht 2005): intra = mean over rows of the squared
distance to the nearest centre, inter = least squared distance between two centres.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers


class Pool(NamedTuple):
    """Rows, and the centres that bits select from."""

    rows: Floats  # (n, d)
    centers: Floats  # (L, d)


def load(rows: Floats, device: str, *, medoids: bool = False) -> Floats:
    """Return the rows in the form of the backend; only a GPU uses `medoids`."""
    return np.asarray(rows)


def load_pool(data: Floats, centers: Floats) -> Pool:
    """Return the rows with a pool of centres, for `subset_swarm`."""
    return Pool(data, centers)


def squared_distances(left: Floats, right: Floats) -> Floats:
    """Return |x - y|² for all rows x of `left` and y of `right`."""
    return ((left[:, np.newaxis] - right[np.newaxis]) ** 2).sum(axis=2)


def nearest(data: Floats, features: Integers, prototypes: Floats) -> Integers:
    """Return the nearest prototype (K, m') of each row over `features`; 0 where there is none."""
    if len(prototypes) == 0:
        return np.zeros(len(data), dtype=np.int64)
    return squared_distances(data[:, features], prototypes).argmin(axis=1)


def between_sum(data: Floats, labels: Integers, n_clusters: int) -> tuple[float, int]:
    """Return eq. 5 of a partition, Σ_k |S_k|² / (n_k n), and how many clusters have rows."""
    filled = [k for k in range(n_clusters) if (labels == k).any()]
    norms = [(data[labels == k].sum(axis=0) ** 2).sum() / (labels == k).sum() for k in filled]
    return float(np.sum(norms) / len(data)), len(filled)


def _decode_medoids(position: Floats, n_features: int) -> tuple[Integers, Integers]:
    """Return the selected features (position >= 0) and the medoids (position > threshold)."""
    chosen = np.flatnonzero(position[n_features:-1] > position[-1])
    return np.flatnonzero(position[:n_features] >= 0.0), chosen


def medoids_of(data: Floats, position: Floats, limit: int) -> tuple[Integers, Floats]:
    """Return the features (m',) and the distinct medoids (K, m') of a position with a fitness."""
    features, chosen = _decode_medoids(position, data.shape[1])
    distinct = dict.fromkeys(tuple(medoid) for medoid in data[np.ix_(chosen, features)])
    return features, np.array(list(distinct))


def medoid_swarm(data: Floats, positions: Floats, limit: int) -> tuple[Integers, Integers, Floats]:
    """Return features used, medoids (K) and eq. 5 of each particle of medoids, (P,) each.

    Eq. 5 is 0 where there are fewer than 2 distinct medoids or more than `limit` medoids; K is
    then the number of distinct ones, or limit + 1.
    """
    n_selected, n_clusters = np.zeros((2, len(positions)), dtype=np.int64)
    between = np.zeros(len(positions))
    for p, position in enumerate(positions):
        features, chosen = _decode_medoids(position, data.shape[1])
        n_selected[p] = len(features)
        if len(features) == 0 or len(chosen) == 0:
            continue
        if len(chosen) > limit:
            n_clusters[p] = limit + 1
            continue
        medoids = data[np.ix_(chosen, features)]
        n_clusters[p] = len({tuple(medoid) for medoid in medoids})
        if n_clusters[p] >= 2:  # of equal medoids the first has all rows, the others none
            labels = nearest(data, features, medoids)
            between[p], _ = between_sum(data, labels, len(chosen))
            n_clusters[p] = len(chosen)
    return n_selected, n_clusters, between


def centroid_swarm(data: Floats, positions: Floats, features: Integers) -> tuple[Integers, Floats]:
    """Return filled clusters and eq. 5 of each particle of centroids (K · m' numbers)."""
    n_clusters, between = np.empty(len(positions), dtype=np.int64), np.empty(len(positions))
    for p, position in enumerate(positions):
        prototypes = position.reshape(-1, len(features))
        labels = nearest(data, features, prototypes)
        between[p], n_clusters[p] = between_sum(data, labels, len(prototypes))
    return n_clusters, between


def davies_bouldin(rows: Floats, labels: Integers) -> float:
    """Return the mean over clusters of the worst (S_i + S_j) / d_ij; inf where d_ij = 0."""
    n_clusters = labels.max() + 1
    means = np.stack([rows[labels == k].mean(axis=0) for k in range(n_clusters)])
    distance = np.sqrt(((rows - means[labels]) ** 2).sum(axis=1))
    scatter = np.array([distance[labels == k].mean() for k in range(n_clusters)])
    apart = np.sqrt(squared_distances(means, means))
    np.fill_diagonal(apart, np.inf)
    if (apart == 0.0).any():
        return np.inf
    return ((scatter[:, np.newaxis] + scatter) / apart).max(axis=1).mean()


def string_swarm(data: Floats, positions: Floats, n_genes: int) -> tuple[Integers, Floats]:
    """Return clusters and the Davies–Bouldin index of each string of centres with gaps.

    Centres are moved to the means of their rows before the index is computed, as in GCUK; centres
    without a row are dropped. inf if fewer than two remain.
    """
    n_clusters, index = np.empty(len(positions), dtype=np.int64), np.full(len(positions), np.inf)
    for p, position in enumerate(positions):
        centers = position[n_genes:].reshape(n_genes, -1)[position[:n_genes] > 0.5]
        n_clusters[p] = len(centers)
        if len(centers) >= 2:
            raw = nearest(data, np.arange(data.shape[1]), centers)
            labels = np.unique(raw, return_inverse=True)[1]
            n_clusters[p] = labels.max() + 1
            if n_clusters[p] >= 2:
                index[p] = davies_bouldin(data, labels)
    return n_clusters, index


def subset_swarm(pool: Pool, positions: Floats) -> tuple[Integers, Floats, Floats]:
    """Return clusters, intra and inter of the centres that each particle of bits selects.

    Centres without a row do not count; inf and 0 if fewer than two remain.
    """
    n_clusters = np.empty(len(positions), dtype=np.int64)
    intra, inter = np.full(len(positions), np.inf), np.zeros(len(positions))
    for p, position in enumerate(positions):
        centers = pool.centers[position > 0.5]
        n_clusters[p] = len(centers)
        if len(centers) < 2:
            continue
        squared = squared_distances(pool.rows, centers)
        filled = centers[np.unique(squared.argmin(axis=1))]
        n_clusters[p] = len(filled)
        if len(filled) >= 2:
            intra[p] = squared.min(axis=1).mean()
            apart = squared_distances(filled, filled)
            inter[p] = apart[~np.eye(len(filled), dtype=bool)].min()
    return n_clusters, intra, inter


def lloyd(data: Floats, centers: Floats, max_iter: int) -> tuple[Floats, Integers]:
    """Return the centres (K, d) and labels of k-means from `centers`; empty ones stay."""
    features, moved = np.arange(data.shape[1]), centers.copy()
    labels = nearest(data, features, moved)
    for _ in range(max_iter):
        for k in np.unique(labels):
            moved[k] = data[labels == k].mean(axis=0)
        before, labels = labels, nearest(data, features, moved)
        if (labels == before).all():
            break
    return moved, labels


def silhouette(rows: Floats, labels: Integers) -> float:
    """Return the mean silhouette (eq. 1); 0 for a row alone in its cluster, and for one cluster."""
    distances = np.sqrt(squared_distances(rows, rows))
    total = 0.0
    for i, own in enumerate(labels):
        others = [k for k in np.unique(labels) if k != own]
        mates = (labels == own).sum() - 1
        if mates == 0 or not others:
            continue
        a = distances[labels == own, i].sum() / mates
        b = min(distances[labels == k, i].mean() for k in others)
        total += (b - a) / max(a, b) if max(a, b) > 0.0 else 0.0
    return total / len(rows)


def kmeans_silhouettes(
    data: Floats, starts: list[Integers], n_labels: int, max_iter: int, n_threads: int = 1
) -> Floats:
    """Return the mean silhouette (eq. 1) of k-means from each of `starts`, sets of rows."""
    return np.array([silhouette(data, lloyd(data, data[start], max_iter)[1]) for start in starts])
