"""Weighted k-means on squared distances: the notation is that of the reference.

Rows are taken in blocks of 64, transposed, so that the inner loop runs over rows: it vectorises
without reordering any row's sum, and a row gets the same bits wherever it stands.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.kernels.cpu.power import fused

BLOCK = 64


@njit(nogil=True, cache=True, error_model="numpy")
def load_block(X, start, out):
    """Fill `out` (M, BLOCK) with rows from `start` on, transposed; the last row pads the block."""
    last = X.shape[0] - 1
    for r in range(BLOCK):
        i = min(start + r, last)
        for v in range(X.shape[1]):
            out[v, r] = X[i, v]


@njit(nogil=True, cache=True, error_model="numpy")
def _squared_block(block, center, factor, out):
    """Fill `out` with Σ_v f_v (x_v - c_v)² for the rows of a block."""
    n_features = block.shape[0]
    out[:] = 0.0
    whole = n_features - n_features % 4
    for v in range(0, whole, 4):  # four features a turn: the sums are loaded and stored less often
        c0, c1, c2, c3 = center[v], center[v + 1], center[v + 2], center[v + 3]
        f0, f1, f2, f3 = factor[v], factor[v + 1], factor[v + 2], factor[v + 3]
        for r in range(BLOCK):
            d0 = block[v, r] - c0
            d1 = block[v + 1, r] - c1
            d2 = block[v + 2, r] - c2
            d3 = block[v + 3, r] - c3
            out[r] = fused(
                f3 * d3, d3, fused(f2 * d2, d2, fused(f1 * d1, d1, fused(f0 * d0, d0, out[r])))
            )
    for v in range(whole, n_features):
        c0 = center[v]
        f0 = factor[v]
        for r in range(BLOCK):
            d0 = block[v, r] - c0
            out[r] = fused(f0 * d0, d0, out[r])


@njit(nogil=True, cache=True, error_model="numpy")
def squared_distances(X, centers, factors, out):
    """Fill `out` (n, K) with Σ_v f_kv (x_iv - c_kv)²."""
    n_rows = X.shape[0]
    block = np.empty((X.shape[1], BLOCK))
    sums = np.empty(BLOCK)
    for start in range(0, n_rows, BLOCK):
        load_block(X, start, block)
        for k in range(centers.shape[0]):
            _squared_block(block, centers[k], factors[k], sums)
            for r in range(min(BLOCK, n_rows - start)):
                out[start + r, k] = sums[r]


@njit(nogil=True, cache=True, error_model="numpy")
def nearest_squared(X, centers, factors, labels, best):
    """Fill `labels` and `best` for squared distances."""
    n_rows = X.shape[0]
    block = np.empty((X.shape[1], BLOCK))
    sums = np.empty(BLOCK)
    least = np.empty(BLOCK)
    which = np.empty(BLOCK, np.int64)
    for start in range(0, n_rows, BLOCK):
        load_block(X, start, block)
        least[:] = np.inf
        which[:] = 0
        for k in range(centers.shape[0]):
            _squared_block(block, centers[k], factors[k], sums)
            for r in range(BLOCK):
                nearer = sums[r] < least[r]
                which[r] = k if nearer else which[r]
                least[r] = sums[r] if nearer else least[r]
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
def row_keys(X, multipliers, out):
    """Fill `out` with one number per row that does not depend on where the row stands."""
    for i in range(X.shape[0]):
        key = 0.0
        for v in range(X.shape[1]):
            x = X[i, v]
            if x == x:
                key += x * multipliers[v]
        out[i] = key
