"""Nearest centres under |d|^p: single precision first, double where that cannot tell.

Powers in single precision cost a quarter. A row whose two nearest centres differ by more than the
error bound has its label; the few others are done again in double precision. The labels are those
of `minkowski.nearest_centers`, to the bit.

The bound: a distance's root N = (Σ f |d|^p)^(1/p) is a norm, so moving every d by at most ε moves
N by at most ε (Σ f)^(1/p); and a relative error of each term is the same relative error of N^p.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.kmeans import BLOCK
from weft.backends.cpu.kernels.minkowski import nearest_centers
from weft.backends.cpu.kernels.power import (
    aligned,
    positive_power,
    positive_power_single,
)

LARGEST_EXPONENT = 16.0  # 6^16 is still far from the largest single
ROUNDING = 2.0**-23


@njit(nogil=True, cache=True, error_model="numpy")
def _single_block(block, center, factor, exponent, out):
    """Fill `out` with Σ_v f_v |x_v - c_v|^p in single precision."""
    out[:] = np.float32(0.0)
    for v in range(block.shape[0]):
        c = center[v]
        f = factor[v]
        if f == np.float32(0.0):
            continue
        for r in range(BLOCK):
            out[r] += f * positive_power_single(abs(block[v, r] - c), exponent)


@njit(nogil=True, cache=True, error_model="numpy")
def nearest_screened(X, scaled, centers, factors, exponent, scaled_centers, scaled_factors, labels):
    """Fill `labels` with argmin_k Σ_v f_kv |x_iv - c_kv|^p, the first on a tie.

    `scaled` and `scaled_centers` are (x - middle) / half of X, within [-1, 1], and of the centres
    (at most 4 in size), in single precision;
    `scaled_factors` are f half^p divided by their largest, in single precision.
    """
    n_rows, n_features = X.shape
    n_clusters = centers.shape[0]
    widest = 0.0
    for k in range(n_clusters):
        total = 0.0
        for v in range(n_features):
            total += scaled_factors[k, v]
        widest = max(widest, total)
    root = 1.0 / exponent
    # Relative: the power's own error down to d = 2^-24, and the sum's. Absolute: rounding of x, c,
    # d; what is smaller than the smallest single.
    relative = 2e-7 * (9.0 + 24.0 * exponent) + ROUNDING * n_features
    absolute = 8.0 * ROUNDING * widest**root + (n_features * 1e-37) ** root
    single_exponent = np.float32(exponent)
    block = aligned(n_features, BLOCK, np.float32)
    sums = aligned(1, BLOCK, np.float32)[0]
    least = aligned(1, BLOCK, np.float32)[0]
    second = aligned(1, BLOCK, np.float32)[0]
    which = np.empty(BLOCK, np.int32)
    unsure = np.empty(n_rows, np.int64)
    n_unsure = 0
    for start in range(0, n_rows, BLOCK):
        for r in range(BLOCK):
            i = min(start + r, n_rows - 1)
            for v in range(n_features):
                block[v, r] = scaled[i, v]
        least[:] = np.inf
        second[:] = np.inf
        which[:] = 0
        for k in range(n_clusters):
            _single_block(block, scaled_centers[k], scaled_factors[k], single_exponent, sums)
            for r in range(BLOCK):
                s = sums[r]
                nearer = s < least[r]
                other = least[r] if nearer else s
                second[r] = other if other < second[r] else second[r]
                least[r] = s if nearer else least[r]
                which[r] = np.int32(k) if nearer else which[r]
        for r in range(min(BLOCK, n_rows - start)):
            labels[start + r] = which[r]
            low = positive_power(np.float64(least[r]), root)
            high = positive_power(np.float64(second[r]), root)
            if not (1.0 - relative) * high - absolute > (1.0 + relative) * low + absolute:
                unsure[n_unsure] = start + r
                n_unsure += 1
    rows = unsure[:n_unsure]
    settled = np.empty(n_unsure, np.int32)
    nearest_centers(X[rows], centers, factors, exponent, settled, np.empty(n_unsure))
    for r in range(n_unsure):
        labels[rows[r]] = settled[r]
