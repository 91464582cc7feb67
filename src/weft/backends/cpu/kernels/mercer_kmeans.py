"""k-means in a Mercer kernel's feature space: see the reference for the formulas."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def mean_products(gram, labels, n_clusters, products, norms, counts):
    """Fill ⟨φ(x_i), μ_k⟩ (K, n), |μ_k|² and the sizes, from inner products (n, n)."""
    n_rows = gram.shape[1]
    products[:] = 0.0
    counts[:] = 0
    for j in range(gram.shape[0]):
        k = labels[j]
        counts[k] += 1
        for i in range(n_rows):
            products[k, i] += gram[j, i]
    norms[:] = 0.0
    for k in range(n_clusters):
        if counts[k] > 0:
            for i in range(n_rows):
                products[k, i] /= counts[k]
    for j in range(gram.shape[0]):
        norms[labels[j]] += products[labels[j], j]
    for k in range(n_clusters):
        if counts[k] > 0:
            norms[k] /= counts[k]


@njit(nogil=True, cache=True, error_model="numpy")
def kernel_kmeans(gram, n_clusters, max_iter, least, labels):
    """Move `labels` in place by kernel k-means; return the steps and the sum of squares.

    A step that would leave a cluster with fewer than `least` rows is not made.
    """
    n_rows = gram.shape[0]
    products = np.empty((n_clusters, n_rows))
    norms = np.empty(n_clusters)
    counts = np.empty(n_clusters, dtype=np.int64)
    moved = np.empty_like(labels)
    best = np.empty(n_rows)
    step = 0
    while True:
        mean_products(gram, labels, n_clusters, products, norms, counts)
        best[:] = np.inf
        moved[:] = 0
        for k in range(n_clusters):
            if counts[k] == 0:
                continue
            for i in range(n_rows):
                value, least_yet, label = norms[k] - 2.0 * products[k, i], best[i], moved[i]
                closer = value < least_yet
                moved[i] = k if closer else label
                best[i] = value if closer else least_yet
        sizes = np.zeros(n_clusters, dtype=np.int64)
        changed = False
        for i in range(n_rows):
            sizes[moved[i]] += 1
            changed |= moved[i] != labels[i]
        small = False
        for k in range(n_clusters):
            small |= counts[k] > 0 and sizes[k] < least
        if not changed or small or step == max_iter:
            break
        for i in range(n_rows):
            labels[i] = moved[i]
        step += 1
    total = 0.0
    for i in range(n_rows):
        total += gram[i, i] + norms[labels[i]] - 2.0 * products[labels[i], i]
    return step, total
