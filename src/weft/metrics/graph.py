"""Measures on the graph of nearest neighbours: which edges stay inside clusters."""

from __future__ import annotations

import numpy as np

from weft._base.arrays import Floats, Integers


def edges_between(labels: Integers, neighbours: Integers) -> Floats:
    """Return the edges between each two clusters (K, K), symmetric; each counts from both ends."""
    n_clusters = int(labels.max()) + 1
    source = np.repeat(labels, neighbours.shape[1])
    flat = source * n_clusters + labels[neighbours].ravel()
    edges = np.bincount(flat, minlength=n_clusters**2).reshape(n_clusters, n_clusters)
    return (edges + edges.T).astype(np.float64)


def modularity_of(labels: Integers, neighbours: Integers) -> float:
    """Return the share of edges inside clusters, minus what chance would put there.

    Newman and Girvan 2004. One cluster has 0; two halves at most 1/2, K equal clusters at most
    1 - 1/K: a cut in two cannot win where more clusters are apart.
    """
    edges = edges_between(labels, neighbours)
    total = edges.sum()
    return float(np.trace(edges) / total - ((edges.sum(axis=1) / total) ** 2).sum())
