"""Kernel CS of swarms of centres, and kernel k-means: the readable form.

A. Abraham, S. Das and A. Konar, "Kernel based automatic clustering using modified particle swarm
optimization algorithm", GECCO 2007.

=========  ==============  ==================================================================
symbol     shape           meaning
=========  ==============  ==================================================================
position   (C + C q,)      C activation thresholds, then C centres, all in [0, 1]
rows       (n, q)          what centres live among: the data, or their feature-space coordinates
distances  (n, n)          squared distances in feature space (eq. 5)
w_k        ()              mean over rows x of cluster k of max_{y in k} |φ(x) - φ(y)|²
a_k        ()              squared distance of centre k to the nearest other centre
=========  ==============  ==================================================================

Printed (eq. 8): CS = Σ w_k / Σ a_k. Weighted: CS = Σ (n_k / n) w_k / a_k; see the decision record.
"""

from __future__ import annotations

import numpy as np


def mean_widths(distances, labels, n_clusters, widths):
    """Fill `widths` with the mean over a cluster's rows of the distance to its farthest mate."""
    for k in range(n_clusters):
        members = labels == k
        block = distances[members][:, members]
        widths[k] = block.max(axis=1).mean() if members.any() else 0.0


def active_centers(position, n_centers, n_features, low, span):
    """Return the active centres of a position in [0, 1]: thresholds above 0.5, two at least."""
    thresholds = position[:n_centers]
    active = thresholds > 0.5  # eq. 10
    for k in np.argsort(-thresholds, kind="stable")[:2]:
        active[k] = True
    centers = position[n_centers:].reshape(n_centers, n_features)[active]
    return low + centers * span


def _assign(rows, centers):
    return ((rows[:, np.newaxis] - centers[np.newaxis]) ** 2).sum(axis=2).argmin(axis=1)


def drop_small(columns, centers, least, labels):
    """Fill `labels`; drop the smallest cluster until all have `least` rows; return the centres."""
    while True:
        labels[:] = _assign(columns.T, centers)
        counts = np.bincount(labels, minlength=len(centers))
        if counts.min() >= least or len(centers) < 2:
            return centers
        centers = np.delete(centers, counts.argmin(), axis=0)


def nearest_average(rows, columns, centers):
    """Return each centre moved to the mean of its n/k nearest rows (section 4.3)."""
    share = max(1, len(rows) // len(centers))
    squared = ((rows[np.newaxis] - centers[:, np.newaxis]) ** 2).sum(axis=2)
    order = np.argsort(squared, axis=1, kind="stable")[:, :share]
    # In the order of rows: centres with the same nearest rows become the same to the last bit.
    return rows[np.sort(order, axis=1)].mean(axis=1)


def decode_input(position, rows, columns, n_centers, low, span, labels):
    """Fill `labels` by the printed rules and return the centres: input space, repaired."""
    centers = active_centers(position, n_centers, rows.shape[1], low, span)
    labels[:] = _assign(rows, centers)
    if np.bincount(labels, minlength=len(centers)).min() < 2:
        centers = drop_small(columns, nearest_average(rows, columns, centers), 2, labels)
    return centers


def decode_feature(position, rows, columns, n_centers, low, span, steps, least, labels):
    """Fill `labels` and return the means: `steps` of k-means in feature space, least size kept."""
    centers = active_centers(position, n_centers, rows.shape[1], low, span)
    centers = drop_small(columns, centers, least, labels)
    for _ in range(steps):
        if len(centers) < 2:
            return centers
        centers = np.stack([rows[labels == k].mean(axis=0) for k in range(len(centers))])
        centers = drop_small(columns, centers, least, labels)
    return centers


def _apart(centers):
    squared = ((centers[:, np.newaxis] - centers[np.newaxis]) ** 2).sum(axis=2)
    np.fill_diagonal(squared, np.inf)
    return squared.min(axis=1)


def input_cs_swarm(positions, rows, columns, distances, n_centers, low, span, gamma, n_found, cs):
    """Fill clusters found and eq. 8 of each particle, Gaussian kernel; inf where undefined."""
    labels = np.empty(len(rows), dtype=np.int64)
    for p, position in enumerate(positions):
        centers = decode_input(position, rows, columns, n_centers, low, span, labels)
        n_found[p], cs[p] = len(centers), np.inf
        if len(centers) >= 2:
            widths = np.empty(len(centers))
            mean_widths(distances, labels, len(centers), widths)
            below = (2.0 * (1.0 - np.exp(-gamma * _apart(centers)))).sum()
            if below > 0.0:
                cs[p] = widths.sum() / below


def feature_cs_swarm(
    positions, rows, columns, distances, n_centers, low, span, steps, least, n_found, cs
):
    """Fill clusters found and the weighted CS of each particle; inf where undefined."""
    labels = np.empty(len(rows), dtype=np.int64)
    for p, position in enumerate(positions):
        centers = decode_feature(
            position, rows, columns, n_centers, low, span, steps, least, labels
        )
        n_found[p], cs[p] = len(centers), np.inf
        if len(centers) >= 2:
            k = len(centers)
            means = np.stack([rows[labels == c].mean(axis=0) for c in range(k)])
            widths = np.empty(k)
            mean_widths(distances, labels, k, widths)
            apart = _apart(means)
            if (apart > 1e-12 * (span**2).sum()).all():
                cs[p] = (np.bincount(labels) * widths / apart).sum() / len(rows)


def mean_products(gram, labels, n_clusters, products, norms, counts):
    """Fill ⟨φ(x_i), μ_k⟩ (K, n), |μ_k|² and the sizes, from inner products (n, n)."""
    for k in range(n_clusters):
        members = labels == k
        counts[k] = members.sum()
        products[k] = gram[members].mean(axis=0) if counts[k] else 0.0
        norms[k] = products[k, members].mean() if counts[k] else 0.0


def kernel_kmeans(gram, n_clusters, max_iter, least, labels):
    """Move `labels` in place by kernel k-means; return the steps and the sum of squares."""
    products, norms = np.empty((n_clusters, len(gram))), np.empty(n_clusters)
    counts = np.empty(n_clusters, dtype=np.int64)
    for step in range(max_iter + 1):
        mean_products(gram, labels, n_clusters, products, norms, counts)
        values = np.where(counts[:, np.newaxis] > 0, norms[:, np.newaxis] - 2.0 * products, np.inf)
        moved = values.argmin(axis=0)
        sizes = np.bincount(moved, minlength=n_clusters)
        small = ((counts > 0) & (sizes < least)).any()
        if (moved == labels).all() or small or step == max_iter:
            break
        labels[:] = moved
    own = values[labels, np.arange(len(gram))]
    return step, float((np.diag(gram) + own).sum())
