"""What the clusters say of each column: over all of them, and for each alone."""

from __future__ import annotations

import numpy as np

from weft._base.arrays import Floats, Integers


def explained(rows: Floats, labels: Integers) -> Floats:
    """Return the square root of the share of each column's variance between the clusters.

    The largest is 1. As weights they pull columns that say little of the clusters back without
    dropping them.
    """
    sizes = np.bincount(labels).astype(float)
    sums = np.zeros((len(sizes), rows.shape[1]))
    np.add.at(sums, labels, rows)
    means = sums / sizes[:, np.newaxis]
    between = (sizes[:, np.newaxis] * (means - rows.mean(axis=0)) ** 2).sum(axis=0)
    total = ((rows - rows.mean(axis=0)) ** 2).sum(axis=0)
    share = np.sqrt(np.divide(between, total, out=np.zeros_like(total), where=total > 0.0))
    return share / max(float(share.max()), 1e-12)


def subspace_weights(rows: Floats, labels: Integers) -> Floats:
    """Return for each cluster how much tighter than all rows it is along each column (K, d).

    Each cluster's weights sum to 1; a column along which it is no tighter than all rows has 0.
    """
    n_clusters = int(labels.max()) + 1
    overall = rows.var(axis=0)
    weights = np.zeros((n_clusters, rows.shape[1]))
    for k in range(n_clusters):
        own = rows[labels == k].var(axis=0)
        ratio = np.divide(own, overall, out=np.ones_like(own), where=overall > 0.0)
        weights[k] = np.maximum(0.0, 1.0 - ratio)
    total = weights.sum(axis=1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0.0)
