"""Weighted k-means on squared distances: the notation is that of the reference.

Rows are processed in transposed blocks of 64, so that the inner loop runs over rows. It vectorises
without reordering any row's sum, and a row gets the same bits at any position in the table.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.power import aligned, fused

BLOCK = 64


@njit(nogil=True, cache=True, error_model="numpy")
def load_block(X, start, out):
    """Fill `out` (M, BLOCK) with rows from `start` on, transposed; the last row pads the block."""
    last = X.shape[0] - 1
    if start + BLOCK - 1 <= last:
        # Eight rows at a time: whole cache lines are read and written. The slice avoids a check for
        # negative indices.
        rows = X[start : start + BLOCK]
        for r in range(0, BLOCK, 8):
            for v in range(X.shape[1]):
                for j in range(8):
                    out[v, r + j] = rows[r + j, v]
        return
    for r in range(BLOCK):
        i = min(start + r, last)
        for v in range(X.shape[1]):
            out[v, r] = X[i, v]


@njit(nogil=True, cache=True, error_model="numpy")
def _squared_pair(block, center, factor, other_center, other_factor, out, other):
    """Fill `out` and `other` with Σ_v f_v (x_v - c_v)² for two centres and the rows of a block.

    Each iteration handles two centres and two features, so that rows and running sums are loaded
    and stored less often. Each sum adds its features in their order, for any pair of centres.
    """
    n_features = block.shape[0]
    out[:] = 0.0
    other[:] = 0.0
    whole = n_features - n_features % 2
    for v in range(0, whole, 2):
        c0, c1, e0, e1 = center[v], center[v + 1], other_center[v], other_center[v + 1]
        f0, f1, g0, g1 = factor[v], factor[v + 1], other_factor[v], other_factor[v + 1]
        for r in range(BLOCK):
            x = block[v, r]
            y = block[v + 1, r]
            d0 = x - c0
            d1 = y - c1
            out[r] = fused(f1 * d1, d1, fused(f0 * d0, d0, out[r]))
            d0 = x - e0
            d1 = y - e1
            other[r] = fused(g1 * d1, d1, fused(g0 * d0, d0, other[r]))
    for v in range(whole, n_features):
        c0, e0 = center[v], other_center[v]
        f0, g0 = factor[v], other_factor[v]
        for r in range(BLOCK):
            d0 = block[v, r] - c0
            out[r] = fused(f0 * d0, d0, out[r])
            d1 = block[v, r] - e0
            other[r] = fused(g0 * d1, d1, other[r])


@njit(nogil=True, cache=True, error_model="numpy")
def squared_distances(X, centers, factors, out):
    """Fill `out` (n, K) with Σ_v f_kv (x_iv - c_kv)²."""
    n_rows = X.shape[0]
    n_clusters = centers.shape[0]
    block = aligned(X.shape[1], BLOCK)
    sums = aligned(2, BLOCK)
    for start in range(0, n_rows, BLOCK):
        load_block(X, start, block)
        for k in range(0, n_clusters, 2):
            j = min(k + 1, n_clusters - 1)
            _squared_pair(block, centers[k], factors[k], centers[j], factors[j], sums[0], sums[1])
            for r in range(min(BLOCK, n_rows - start)):
                out[start + r, k] = sums[0, r]
                out[start + r, j] = sums[1, r]


@njit(nogil=True, cache=True, error_model="numpy")
def nearest_squared(X, centers, factors, labels, best):
    """Fill `labels` and `best` for squared distances."""
    n_rows = X.shape[0]
    n_clusters = centers.shape[0]
    block = aligned(X.shape[1], BLOCK)
    sums = aligned(2, BLOCK)
    least = aligned(1, BLOCK)[0]
    which = np.empty(BLOCK, np.int64)
    for start in range(0, n_rows, BLOCK):
        load_block(X, start, block)
        least[:] = np.inf
        which[:] = 0
        for k in range(0, n_clusters, 2):
            j = min(k + 1, n_clusters - 1)
            _squared_pair(block, centers[k], factors[k], centers[j], factors[j], sums[0], sums[1])
            for r in range(BLOCK):
                nearer = sums[0, r] < least[r]
                which[r] = k if nearer else which[r]
                least[r] = sums[0, r] if nearer else least[r]
                nearer = sums[1, r] < least[r]  # where j is k again, never
                which[r] = j if nearer else which[r]
                least[r] = sums[1, r] if nearer else least[r]
        for r in range(min(BLOCK, n_rows - start)):
            labels[start + r] = which[r]
            best[start + r] = least[r]


@njit(nogil=True, cache=True, error_model="numpy")
def cluster_sums(X, labels, mass, out):
    """Fill `out` (K, M) with Σ_{i in S_k} m_i x_iv, X without missing values."""
    out[:] = 0.0
    for i in range(X.shape[0]):
        k = labels[i]
        m = mass[i]
        for v in range(X.shape[1]):
            out[k, v] += m * X[i, v]


@njit(nogil=True, cache=True, error_model="numpy")
def cluster_dispersions(X, labels, mass, centers, out):
    """Fill `out` (K, M) with D_kv = Σ_{i in S_k} m_i (x_iv - c_kv)², eq. 3.4 per cluster."""
    out[:] = 0.0
    for i in range(X.shape[0]):
        k = labels[i]
        m = mass[i]
        for v in range(X.shape[1]):
            d = X[i, v] - centers[k, v]
            out[k, v] += m * d * d


@njit(nogil=True, cache=True, error_model="numpy")
def group_rows(labels, order, starts):
    """Fill `order` with the rows cluster by cluster, `starts` (K + 1,) with where each begins."""
    starts[:] = 0
    for i in range(labels.size):
        starts[labels[i] + 1] += 1
    for k in range(1, starts.size):
        starts[k] += starts[k - 1]
    place = starts.copy()
    for i in range(labels.size):
        order[place[labels[i]]] = i
        place[labels[i]] += 1


@njit(nogil=True, cache=True, error_model="numpy")
def row_keys(X, multipliers, out):
    """Fill `out` with one number per row that does not depend on the row's position."""
    for i in range(X.shape[0]):
        key = 0.0
        for v in range(X.shape[1]):
            x = X[i, v]
            if x == x:
                key += x * multipliers[v]
        out[i] = key
