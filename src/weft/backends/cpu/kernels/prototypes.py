"""Nearest prototypes, their sums, and whole swarms of them: see the reference for the formulas.

Rows lie along the last axis (`columns` is (d, n)), so that the inner loops run over rows and need
no reduction: they are vectorised without reordering a sum.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def nearest_prototypes(columns, features, prototypes, labels, squared):
    """Fill `labels` and `squared` with the nearest prototype and its squared distance."""
    n_rows = columns.shape[1]
    n_selected = features.shape[0]
    distance = np.empty(n_rows)
    squared[:] = np.inf
    labels[:] = 0
    for k in range(prototypes.shape[0]):
        distance[:] = 0.0
        slot = 0
        # Four features per pass: sums are written to memory a quarter as often, in the same order.
        while slot + 4 <= n_selected:
            a, b = columns[features[slot]], columns[features[slot + 1]]
            c, d = columns[features[slot + 2]], columns[features[slot + 3]]
            va, vb = prototypes[k, slot], prototypes[k, slot + 1]
            vc, vd = prototypes[k, slot + 2], prototypes[k, slot + 3]
            for i in range(n_rows):
                da, db, dc, dd = a[i] - va, b[i] - vb, c[i] - vc, d[i] - vd
                distance[i] = distance[i] + da * da + db * db + dc * dc + dd * dd
            slot += 4
        while slot < n_selected:
            a = columns[features[slot]]
            va = prototypes[k, slot]
            for i in range(n_rows):
                da = a[i] - va
                distance[i] += da * da
            slot += 1
        for i in range(n_rows):
            # All values are loaded before the choice; otherwise the loop is not vectorised.
            value, least, label = distance[i], squared[i], labels[i]
            closer = value < least
            labels[i] = k if closer else label
            squared[i] = value if closer else least


@njit(nogil=True, cache=True, error_model="numpy")
def cluster_sums(rows, labels, sums, counts):
    """Fill `sums` (K, d) and `counts` (K,) with each cluster's sum of rows and its size."""
    sums[:] = 0.0
    counts[:] = 0
    n_rows, n_features = rows.shape
    for i in range(n_rows):
        k = labels[i]
        counts[k] += 1
        for f in range(n_features):
            sums[k, f] += rows[i, f]


@njit(nogil=True, cache=True, error_model="numpy")
def cluster_sizes(labels, n_clusters):
    """Return how many rows each label has."""
    counts = np.zeros(n_clusters, dtype=np.int64)
    for label in labels:
        counts[label] += 1
    return counts


@njit(nogil=True, cache=True, error_model="numpy")
def move_to_means(rows, labels, centers, counts):
    """Update `centers` (K, d) to the means of their rows, and fill `counts`.

    A cluster without rows keeps its centre.
    """
    sums = np.empty_like(centers)
    cluster_sums(rows, labels, sums, counts)
    for k in range(centers.shape[0]):
        if counts[k] > 0:
            for f in range(rows.shape[1]):
                centers[k, f] = sums[k, f] / counts[k]


@njit(nogil=True, cache=True, error_model="numpy")
def nearest_other(centers, own):
    """Return the squared distance of a centre to the nearest other one."""
    nearest = np.inf
    for other in range(centers.shape[0]):
        if other != own:
            squared = 0.0
            for f in range(centers.shape[1]):
                difference = centers[own, f] - centers[other, f]
                squared += difference * difference
            nearest = min(nearest, squared)
    return nearest


@njit(nogil=True, cache=True, error_model="numpy")
def between_sum(sums, counts, n_rows):
    """Return eq. 5 for centred rows, Σ_k |S_k|² / (n_k n), and the number of filled clusters."""
    total = 0.0
    filled = 0
    for k in range(sums.shape[0]):
        if counts[k] > 0:
            filled += 1
            norm = 0.0
            for f in range(sums.shape[1]):
                norm += sums[k, f] * sums[k, f]
            total += norm / counts[k]
    return total / n_rows, filled


@njit(nogil=True, cache=True, error_model="numpy")
def distinct_medoids(rows, features, chosen, limit, out):
    """Fill `out` with the first of each set of medoids equal in `features`; return how many.

    Stops at limit + 1: the caller only needs to know that there are more than `limit` of them.
    """
    n_distinct = 0
    for c in range(chosen.shape[0]):
        candidate = chosen[c]
        new = True
        for k in range(n_distinct):
            equal = True
            for slot in range(features.shape[0]):
                if rows[out[k], features[slot]] != rows[candidate, features[slot]]:
                    equal = False
                    break
            if equal:
                new = False
                break
        if new:
            if n_distinct == limit:
                return limit + 1
            out[n_distinct] = candidate
            n_distinct += 1
    return n_distinct


@njit(nogil=True, cache=True, error_model="numpy")
def decode_medoids(position, n_features, n_rows):
    """Return the selected features (position >= 0) and the medoids (position > threshold)."""
    threshold = position[n_features + n_rows]
    features = np.empty(n_features, dtype=np.int64)
    n_selected = 0
    for f in range(n_features):
        if position[f] >= 0.0:
            features[n_selected] = f
            n_selected += 1
    chosen = np.empty(n_rows, dtype=np.int64)
    n_chosen = 0
    for i in range(n_rows):
        chosen[n_chosen] = i
        n_chosen += position[n_features + i] > threshold
    return features[:n_selected], chosen[:n_chosen]


@njit(nogil=True, cache=True, error_model="numpy")
def medoid_swarm(positions, rows, columns, limit, n_selected, n_clusters, between):
    """Fill features used, medoids (K) and eq. 5 of each particle of medoids.

    `between` is 0 and nothing is assigned where there are fewer than 2 distinct medoids or more
    than `limit` (n_clusters then says how many distinct ones, or limit + 1).
    """
    n_rows, n_features = rows.shape
    labels = np.empty(n_rows, dtype=np.int64)
    squared = np.empty(n_rows)
    medoids = np.empty(limit, dtype=np.int64)
    for p in range(positions.shape[0]):
        features, chosen = decode_medoids(positions[p], n_features, n_rows)
        n_selected[p] = features.shape[0]
        n_clusters[p] = 0
        between[p] = 0.0
        if features.shape[0] == 0 or chosen.shape[0] == 0:
            continue
        if chosen.shape[0] > limit:
            n_clusters[p] = limit + 1
            continue
        # A medoid is at distance 0 from itself, and ties go to the first: exactly the first of
        # each set of equal medoids has a cluster.
        n_distinct = distinct_medoids(rows, features, chosen, limit, medoids)
        n_clusters[p] = n_distinct
        if n_distinct < 2:
            continue
        prototypes = np.empty((n_distinct, features.shape[0]))
        for k in range(n_distinct):
            for slot in range(features.shape[0]):
                prototypes[k, slot] = rows[medoids[k], features[slot]]
        nearest_prototypes(columns, features, prototypes, labels, squared)
        sums = np.empty((n_distinct, n_features))
        counts = np.empty(n_distinct, dtype=np.int64)
        cluster_sums(rows, labels, sums, counts)
        between[p] = between_sum(sums, counts, n_rows)[0]
        n_clusters[p] = chosen.shape[0]  # K is the number of medoids, including equal ones


@njit(nogil=True, cache=True, error_model="numpy")
def centroid_swarm(positions, rows, columns, features, n_clusters, between):
    """Fill filled clusters and eq. 5 of each particle of centroids (K · m' numbers)."""
    n_rows, n_features = rows.shape
    n_centroids = positions.shape[1] // features.shape[0]
    labels = np.empty(n_rows, dtype=np.int64)
    squared = np.empty(n_rows)
    sums = np.empty((n_centroids, n_features))
    counts = np.empty(n_centroids, dtype=np.int64)
    for p in range(positions.shape[0]):
        prototypes = positions[p].copy().reshape((n_centroids, features.shape[0]))
        nearest_prototypes(columns, features, prototypes, labels, squared)
        cluster_sums(rows, labels, sums, counts)
        between[p], n_clusters[p] = between_sum(sums, counts, n_rows)


@njit(nogil=True, cache=True, error_model="numpy")
def lloyd(rows, columns, centers, max_iter, labels):
    """Fill `labels`, move `centers` (K, d) in place, return the steps: k-means on all features.

    An empty cluster keeps its centre. Stops when no label changes.
    """
    n_rows, n_features = rows.shape
    features = np.arange(n_features)
    squared = np.empty(n_rows)
    before = np.full(n_rows, -1, dtype=np.int64)
    counts = np.empty(centers.shape[0], dtype=np.int64)
    for step in range(max_iter):
        nearest_prototypes(columns, features, centers, labels, squared)
        changed = False
        for i in range(n_rows):
            changed |= labels[i] != before[i]
            before[i] = labels[i]
        if not changed:
            return step
        move_to_means(rows, labels, centers, counts)
    nearest_prototypes(columns, features, centers, labels, squared)
    return max_iter


@njit(nogil=True, cache=True, error_model="numpy")
def silhouette_tile(distances, start, labelings, counts, out):
    """Add to out[l] the silhouettes of the rows start … of every labeling l.

    `distances` (n, t): all rows to the t rows of the tile.
    """
    n_rows, width = distances.shape
    n_labelings, n_labels = counts.shape
    sums = np.empty((n_labels, width))
    for labeling in range(n_labelings):
        labels = labelings[labeling]
        size = counts[labeling]
        sums[:] = 0.0
        for j in range(n_rows):
            target = sums[labels[j]]
            for i in range(width):
                target[i] += distances[j, i]
        total = 0.0
        for i in range(width):
            own = labels[start + i]
            if size[own] < 2:
                continue
            a = sums[own, i] / (size[own] - 1)
            b = np.inf
            for k in range(n_labels):
                if k != own and size[k] > 0:
                    b = min(b, sums[k, i] / size[k])
            larger = max(a, b)
            if larger > 0.0 and b < np.inf:
                total += (b - a) / larger
        out[labeling] += total
