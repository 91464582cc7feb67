"""How the clusters differ in each column: over all clusters, and for each cluster."""

from __future__ import annotations

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.columns.screening import bin_columns

MAX_BINS = 12
ROWS_PER_BIN = 10


def association(rows: Floats, labels: Integers) -> Floats:
    """Return how well each single column separates the clusters; the largest is 1.

    It is Cramér's V between the column's bins, of about equal counts, and the labels, minus what is
    expected by chance (Bergsma 2013). Unlike a share of variance, it detects clusters with the same
    mean, such as rings around a ball.
    """
    n, d = rows.shape
    sizes = np.bincount(labels).astype(float)
    n_bins = int(np.clip(n // ROWS_PER_BIN, 2, MAX_BINS))
    values = np.zeros(d)
    for column, bins in enumerate(bin_columns(rows, n_bins).T):
        cells = bins * len(sizes) + labels
        n_cells = (int(bins.max()) + 1) * len(sizes)
        counts = np.bincount(cells, minlength=n_cells).astype(float).reshape(-1, len(sizes))
        filled = counts.sum(axis=1)
        expected = np.outer(filled, sizes) / n
        used = expected > 0.0
        share = float(((counts - expected)[used] ** 2 / expected[used]).sum()) / n
        r, k = len(filled), int((sizes > 0.0).sum())
        if min(r, k) < 2 or n < 2:
            continue
        by_chance = (r - 1) * (k - 1) / (n - 1)
        smaller = min(r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)) - 1.0
        values[column] = np.sqrt(max(share - by_chance, 0.0) / max(smaller, 1e-12))
    # Every column that was kept has some weight: at least a hundredth of the largest.
    highest = float(values.max(initial=0.0))
    if highest == 0.0:
        return np.ones(d)
    return np.maximum(values / highest, 0.01)


def subspace_weights(rows: Floats, labels: Integers) -> Floats:
    """Return for each cluster how much tighter than all rows it is along each column (K, d).

    Each cluster's weights sum to 1; a column along which it is no tighter than all rows has 0. A
    cluster that is nowhere tighter has equal weights.
    """
    n_clusters = int(labels.max()) + 1
    overall = rows.var(axis=0)
    weights = np.zeros((n_clusters, rows.shape[1]))
    for k in range(n_clusters):
        own = rows[labels == k].var(axis=0)
        ratio = np.divide(own, overall, out=np.ones_like(own), where=overall > 0.0)
        weights[k] = np.maximum(0.0, 1.0 - ratio)
    total = weights.sum(axis=1, keepdims=True)
    equal = np.full_like(weights, 1.0 / rows.shape[1])
    return np.divide(weights, total, out=equal, where=total > 0.0)
