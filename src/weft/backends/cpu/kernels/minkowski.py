"""Minkowski distances for any power, and their derivatives: the notation is the reference's.

Squared distances without missing values are in `weft.backends.cpu.kernels.kmeans`. Powers are taken
for 64 rows at a time, which vectorises. Sums over clusters then run over the rows in their order.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.kmeans import BLOCK, load_block, nearest_squared, squared_distances
from weft.backends.cpu.kernels.power import aligned, positive_power


@njit(nogil=True, cache=True, error_model="numpy")
def _powered_block(block, center, factor, exponent, missing, out):
    """Fill `out` with Σ_v f_v |x_v - c_v|^p for the rows of a block."""
    out[:] = 0.0
    for v in range(block.shape[0]):
        c = center[v]
        f = factor[v]
        if f == 0.0:
            continue
        if missing:
            for r in range(BLOCK):
                d = abs(block[v, r] - c)
                seen = d == d
                term = f * positive_power(d if seen else 0.0, exponent)
                out[r] += term if seen else 0.0
        else:
            for r in range(BLOCK):
                out[r] += f * positive_power(abs(block[v, r] - c), exponent)


@njit(nogil=True, cache=True, error_model="numpy")
def _any_missing(X):
    for i in range(X.shape[0]):
        for v in range(X.shape[1]):
            if X[i, v] != X[i, v]:
                return True
    return False


@njit(nogil=True, cache=True, error_model="numpy")
def powered_distances(X, centers, factors, exponent, out):
    """Fill `out` (n, K) with d_ik = Σ_v f_kv |x_iv - c_kv|^p, the inner sum of eq. 3.6."""
    missing = _any_missing(X)
    if exponent == 2.0 and not missing:
        squared_distances(X, centers, factors, out)
        return
    n_rows = X.shape[0]
    block = aligned(X.shape[1], BLOCK)
    sums = aligned(1, BLOCK)[0]
    for start in range(0, n_rows, BLOCK):
        load_block(X, start, block)
        for k in range(centers.shape[0]):
            _powered_block(block, centers[k], factors[k], exponent, missing, sums)
            for r in range(min(BLOCK, n_rows - start)):
                out[start + r, k] = sums[r]


@njit(nogil=True, cache=True, error_model="numpy")
def nearest_centers(X, centers, factors, exponent, labels, best):
    """Fill `labels` with argmin_k d_ik, the first on a tie, and `best` with that distance."""
    missing = _any_missing(X)
    if exponent == 2.0 and not missing:
        nearest_squared(X, centers, factors, labels, best)
        return
    n_rows = X.shape[0]
    block = aligned(X.shape[1], BLOCK)
    sums = aligned(1, BLOCK)[0]
    for start in range(0, n_rows, BLOCK):
        load_block(X, start, block)
        width = min(BLOCK, n_rows - start)
        best[start : start + width] = np.inf
        labels[start : start + width] = 0
        for k in range(centers.shape[0]):
            _powered_block(block, centers[k], factors[k], exponent, missing, sums)
            for r in range(width):
                if sums[r] < best[start + r]:
                    best[start + r] = sums[r]
                    labels[start + r] = k


@njit(nogil=True, cache=True, error_model="numpy")
def own_distances(X, labels, centers, factors, exponent, out):
    """Fill `out` (n,) with each row's powered distance to the centre of its own cluster."""
    missing = _any_missing(X)
    n_rows = X.shape[0]
    block = aligned(X.shape[1], BLOCK)
    sums = aligned(1, BLOCK)[0]
    center = aligned(1, BLOCK)[0]
    factor = aligned(1, BLOCK)[0]
    for start in range(0, n_rows, BLOCK):
        load_block(X, start, block)
        width = min(BLOCK, n_rows - start)
        sums[:] = 0.0
        for v in range(X.shape[1]):
            for r in range(BLOCK):
                k = labels[start + min(r, width - 1)]
                center[r] = centers[k, v]
                factor[r] = factors[k, v]
            x = block[v]
            if exponent == 2.0 and not missing:
                for r in range(BLOCK):
                    d = x[r] - center[r]
                    sums[r] += factor[r] * d * d
            else:
                for r in range(BLOCK):
                    d = abs(x[r] - center[r])
                    seen = d == d
                    term = factor[r] * positive_power(d if seen else 0.0, exponent)
                    sums[r] += term if seen else 0.0
        for r in range(width):
            out[start + r] = sums[r]


@njit(nogil=True, cache=True, error_model="numpy")
def cluster_powers(X, labels, load, centers, units, exponent, seen, total, slope, curve):
    """Fill four (K, M) arrays with sums over each cluster's observed values."""
    n_rows, n_features = X.shape
    seen[:] = 0.0
    total[:] = 0.0
    slope[:] = 0.0
    curve[:] = 0.0
    block = aligned(n_features, BLOCK)
    away = aligned(1, BLOCK)[0]
    power = aligned(1, BLOCK)[0]
    for start in range(0, n_rows, BLOCK):
        load_block(X, start, block)
        width = min(BLOCK, n_rows - start)
        for v in range(n_features):
            x = block[v]
            for r in range(width):
                away[r] = (centers[labels[start + r], v] - x[r]) * units[v]
            if exponent != 2.0:
                for r in range(BLOCK):
                    d = abs(away[r])
                    known = d > 0.0
                    q = positive_power(d if known else 1.0, exponent - 2.0)
                    power[r] = q if known else 0.0
            for r in range(width):
                d = away[r]
                if d != d:
                    continue
                k = labels[start + r]
                m = load[start + r]
                q = m if exponent == 2.0 else m * power[r]
                seen[k, v] += m
                curve[k, v] += q
                slope[k, v] += q * d
                total[k, v] += q * d * d
