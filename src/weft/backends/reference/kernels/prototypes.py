"""Nearest prototypes, their sums, and whole swarms of them: the readable form.

Lensen, Xue and Zhang, "Using Particle Swarm Optimisation and the Silhouette Metric to Estimate
the Number of Clusters, Select Features, and Perform Clustering".

==========  ==========  =====================================================================
symbol      shape       meaning
==========  ==========  =====================================================================
rows        (n, d)      the data, centred: the mean of all rows, Z*, is 0
columns     (d, n)      the same, one feature after the other
features    (m',)       positions of the selected features
prototypes  (K, m')     what rows are assigned to, by Euclidean distance over `features`
S_k, n_k    (d,), ()    sum and number of the rows of cluster k; its mean Z_k = S_k / n_k
==========  ==========  =====================================================================

Between + Within = Σ|x|²/n is the same for every partition, so eq. 5 gives eq. 4 as well.
"""

from __future__ import annotations

import numpy as np


def nearest_prototypes(columns, features, prototypes, labels, squared):
    """Fill `labels` and `squared` with the nearest prototype and its squared distance."""
    difference = columns[features].T[:, np.newaxis, :] - prototypes[np.newaxis, :, :]
    distance = (difference**2).sum(axis=2)
    labels[:] = distance.argmin(axis=1)
    squared[:] = distance.min(axis=1)


def cluster_sums(rows, labels, sums, counts):
    """Fill `sums` (K, d) and `counts` (K,) with each cluster's sum of rows and its size."""
    for k in range(len(counts)):
        sums[k] = rows[labels == k].sum(axis=0)
        counts[k] = (labels == k).sum()


def between_sum(sums, counts, n_rows):
    """Return eq. 5 for centred rows, Σ_k |S_k|² / (n_k n), and the number of filled clusters."""
    filled = counts > 0
    norms = (sums[filled] ** 2).sum(axis=1)
    return float((norms / counts[filled]).sum() / n_rows), int(filled.sum())


def distinct_medoids(rows, features, chosen, limit, out):
    """Fill `out` with the first of each set of medoids equal in `features`; return how many."""
    seen: dict[tuple[float, ...], int] = {}
    for row in chosen:
        seen.setdefault(tuple(rows[row, features]), row)
    if len(seen) > limit:
        return limit + 1
    out[: len(seen)] = list(seen.values())
    return len(seen)


def decode_medoids(position, n_features, n_rows):
    """Return the selected features (position >= 0) and the medoids (position > threshold)."""
    threshold = position[n_features + n_rows]
    features = np.flatnonzero(position[:n_features] >= 0.0)
    chosen = np.flatnonzero(position[n_features : n_features + n_rows] > threshold)
    return features, chosen


def medoid_swarm(positions, rows, columns, limit, n_selected, n_clusters, between):
    """Fill features used, medoids (K) and eq. 5 of each particle of medoids."""
    n_rows, n_features = rows.shape
    for p, position in enumerate(positions):
        features, chosen = decode_medoids(position, n_features, n_rows)
        n_selected[p], n_clusters[p], between[p] = len(features), 0, 0.0
        if len(features) == 0 or len(chosen) == 0:
            continue
        n_clusters[p] = limit + 1
        if len(chosen) > limit:
            continue
        prototypes = rows[np.ix_(chosen, features)]
        n_clusters[p] = len({tuple(medoid) for medoid in prototypes})
        if n_clusters[p] >= 2:  # of equal medoids the first has all rows, the others none
            between[p], _ = _between_of(rows, columns, features, prototypes)
            n_clusters[p] = len(chosen)


def centroid_swarm(positions, rows, columns, features, n_clusters, between):
    """Fill filled clusters and eq. 5 of each particle of centroids (K · m' numbers)."""
    for p, position in enumerate(positions):
        prototypes = position.reshape(-1, len(features))
        between[p], n_clusters[p] = _between_of(rows, columns, features, prototypes)


def _between_of(rows, columns, features, prototypes):
    labels, squared = np.empty(len(rows), dtype=np.int64), np.empty(len(rows))
    nearest_prototypes(columns, features, prototypes, labels, squared)
    sums = np.empty((len(prototypes), rows.shape[1]))
    counts = np.empty(len(prototypes), dtype=np.int64)
    cluster_sums(rows, labels, sums, counts)
    return between_sum(sums, counts, len(rows))


def lloyd(rows, columns, centers, max_iter, labels):
    """Fill `labels`, move `centers` (K, d) in place, return the steps: k-means on all features."""
    features = np.arange(rows.shape[1])
    squared = np.empty(len(rows))
    before = np.full(len(rows), -1)
    for step in range(max_iter):
        nearest_prototypes(columns, features, centers, labels, squared)
        if (labels == before).all():
            return step
        before[:] = labels
        for k in np.unique(labels):
            centers[k] = rows[labels == k].mean(axis=0)
    nearest_prototypes(columns, features, centers, labels, squared)
    return max_iter


def silhouette_tile(distances, start, labelings, counts, out):
    """Add to out[l] the silhouettes (eq. 1) of the rows start … of every labeling l."""
    for labeling, labels in enumerate(labelings):
        for i in range(distances.shape[1]):
            row = start + i
            own = labels[row]
            others = [k for k in np.unique(labels) if k != own]
            if counts[labeling, own] < 2 or not others:
                continue
            a = distances[labels == own, i].sum() / (counts[labeling, own] - 1)
            b = min(distances[labels == k, i].mean() for k in others)
            if max(a, b) > 0.0:
                out[labeling] += (b - a) / max(a, b)
