"""Validity of swarms of centres in input space: the readable form.

Davies–Bouldin (GCUK, Bandyopadhyay and Maulik 2002): S_i is the mean distance of cluster i's rows
to its mean, d_ij the distance of two means, DB = (1/K) Σ_i max_{j≠i} (S_i + S_j) / d_ij.
Turi's index (DCPSO, Omran, Salman and Engelbrecht 2005): intra = mean over rows of the squared
distance to the nearest centre, inter = least squared distance between two centres.
"""

from __future__ import annotations

import numpy as np


def _assign(rows, centers):
    squared = ((rows[:, np.newaxis] - centers[np.newaxis]) ** 2).sum(axis=2)
    return squared.argmin(axis=1), squared.min(axis=1)


def davies_bouldin(rows, labels, centers, counts):
    """Return the mean over clusters of the worst (S_i + S_j) / d_ij; inf where d_ij = 0."""
    n_clusters = len(centers)
    distance = np.sqrt(((rows - centers[labels]) ** 2).sum(axis=1))
    scatter = np.array([distance[labels == k].mean() for k in range(n_clusters)])
    worst = np.zeros(n_clusters)
    for a in range(n_clusters):
        for b in range(n_clusters):
            apart = np.sqrt(((centers[a] - centers[b]) ** 2).sum())
            if a != b and apart == 0.0:
                return np.inf
            if a != b:
                worst[a] = max(worst[a], (scatter[a] + scatter[b]) / apart)
    return worst.mean()


def string_swarm(positions, rows, columns, n_genes, n_found, index):
    """Fill clusters found and the Davies–Bouldin index of each string of centres with gaps."""
    for p, position in enumerate(positions):
        centers = position[n_genes:].reshape(n_genes, -1)[position[:n_genes] > 0.5]
        n_found[p], index[p] = len(centers), np.inf
        if len(centers) < 2:
            continue
        labels = np.unique(_assign(rows, centers)[0], return_inverse=True)[1]
        n_found[p] = labels.max() + 1
        if n_found[p] >= 2:
            means = np.stack([rows[labels == k].mean(axis=0) for k in range(n_found[p])])
            index[p] = davies_bouldin(rows, labels, means, np.bincount(labels))


def subset_swarm(positions, columns, pool, n_found, intra, inter):
    """Fill clusters, intra and inter of the centres of `pool` that a particle of bits selects."""
    rows = columns.T
    for p, position in enumerate(positions):
        centers = pool[position > 0.5]
        n_found[p], intra[p], inter[p] = len(centers), np.inf, 0.0
        if len(centers) < 2:
            continue
        labels, squared = _assign(rows, centers)
        filled = centers[np.unique(labels)]
        n_found[p] = len(filled)
        if len(filled) >= 2:
            intra[p] = squared.mean()
            apart = ((filled[:, np.newaxis] - filled[np.newaxis]) ** 2).sum(axis=2)
            inter[p] = apart[~np.eye(len(filled), dtype=bool)].min()
