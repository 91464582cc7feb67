"""Nearest centres under |d|^p: single precision first, double precision for uncertain rows.

Single precision takes a quarter of the time or less. If the distances to a row's two nearest
centres differ by more than the error bound, its label is certain. The few other rows are computed
again in double precision. The labels are exactly those of `minkowski.nearest_centers`.

========  ============  ======================================================================
symbol    shape         meaning
========  ============  ======================================================================
tiles     (T, M, 64)    (x - middle) / half, within [-1, 1], in single precision, 64 rows per
                        transposed tile; the last row pads the last tile
c         (K, M)        the centres, scaled likewise, at most 4 in size; at p = 2: -s c
f         (K, M)        f half^p divided by its largest; at p = 2 its root s, so that a term
                        (s x - s c)² is two multiply-adds
unit                    factor of the roots of these distances
========  ============  ======================================================================

The bound: a distance's root N = (Σ f |d|^p)^(1/p) is a norm, so moving every d by at most ε moves
N by at most ε (Σ f)^(1/p); and a relative error of each term is at most that relative error of N.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.kmeans import BLOCK
from weft.backends.cpu.kernels.minkowski import nearest_centers
from weft.backends.cpu.kernels.power import (
    aligned,
    fused,
    positive_power,
    positive_power_single,
)

LARGEST_EXPONENT = 16.0  # 6^16 is far below the largest float32
ROUNDING = 2.0**-23
WHOLE = 12  # number of open rows from which a whole tile is computed


@njit(nogil=True, cache=True, error_model="numpy")
def fill_tiles(X, middle, half, out):
    """Fill `out` (T, M, 64) with the scaled rows."""
    last = X.shape[0] - 1
    for tile in range(out.shape[0]):
        target = out[tile]
        for r in range(0, BLOCK, 8):
            for j in range(8):
                row = X[min(tile * BLOCK + r + j, last)]
                for v in range(X.shape[1]):
                    target[v, r + j] = (row[v] - middle[v]) / half[v]


@njit(nogil=True, cache=True, error_model="numpy")
def _gather(X, rows, middle, half, out):
    """Fill `out` (M, 64) with some rows, scaled; the last row pads."""
    for r in range(BLOCK):
        row = X[rows[min(r, rows.size - 1)]]
        for v in range(X.shape[1]):
            out[v, r] = (row[v] - middle[v]) / half[v]


@njit(nogil=True, cache=True, error_model="numpy")
def _single_powers(block, center, factor, exponent, out):
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
def _single_roots(block, center, factor, out):
    """Fill `out` with Σ_v f_v |x_v - c_v|^1.5: a root takes less than half the time of a power."""
    out[:] = np.float32(0.0)
    whole = block.shape[0] - block.shape[0] % 2
    for v in range(0, whole, 2):
        c0, c1, f0, f1 = center[v], center[v + 1], factor[v], factor[v + 1]
        b0, b1 = block[v], block[v + 1]
        for r in range(BLOCK):
            d0, d1 = abs(b0[r] - c0), abs(b1[r] - c1)
            out[r] = fused(f1 * d1, math.sqrt(d1), fused(f0 * d0, math.sqrt(d0), out[r]))
    for v in range(whole, block.shape[0]):
        for r in range(BLOCK):
            d = abs(block[v, r] - center[v])
            out[r] = fused(factor[v] * d, math.sqrt(d), out[r])


@njit(nogil=True, cache=True, error_model="numpy")
def _single_squares(block, shift, scale, other_shift, other_scale, out, other):
    """Fill `out` and `other` with Σ_v (s_v x_v + t_v)² for two centres, in single precision."""
    out[:] = np.float32(0.0)
    other[:] = np.float32(0.0)
    whole = block.shape[0] - block.shape[0] % 4
    for v in range(0, whole, 4):
        t0, t1, t2, t3 = shift[v], shift[v + 1], shift[v + 2], shift[v + 3]
        s0, s1, s2, s3 = scale[v], scale[v + 1], scale[v + 2], scale[v + 3]
        p0, p1 = other_shift[v], other_shift[v + 1]
        p2, p3 = other_shift[v + 2], other_shift[v + 3]
        q0, q1 = other_scale[v], other_scale[v + 1]
        q2, q3 = other_scale[v + 2], other_scale[v + 3]
        b0, b1, b2, b3 = block[v], block[v + 1], block[v + 2], block[v + 3]
        for r in range(BLOCK):
            x, y, z, w = b0[r], b1[r], b2[r], b3[r]
            d0, d1 = fused(x, s0, t0), fused(y, s1, t1)
            d2, d3 = fused(z, s2, t2), fused(w, s3, t3)
            out[r] = fused(d3, d3, fused(d2, d2, fused(d1, d1, fused(d0, d0, out[r]))))
            d0, d1 = fused(x, q0, p0), fused(y, q1, p1)
            d2, d3 = fused(z, q2, p2), fused(w, q3, p3)
            other[r] = fused(d3, d3, fused(d2, d2, fused(d1, d1, fused(d0, d0, other[r]))))
    for v in range(whole, block.shape[0]):
        t0, s0, p0, q0 = shift[v], scale[v], other_shift[v], other_scale[v]
        for r in range(BLOCK):
            d0 = fused(block[v, r], s0, t0)
            out[r] = fused(d0, d0, out[r])
            d1 = fused(block[v, r], q0, p0)
            other[r] = fused(d1, d1, other[r])


@njit(nogil=True, cache=True, error_model="numpy")
def _compare(sums, k, least, second, which):
    """Update the least and second least sums of a block's rows by those of centre `k`."""
    for r in range(BLOCK):
        s = sums[r]
        nearer = s < least[r]
        other = least[r] if nearer else s
        second[r] = other if other < second[r] else second[r]
        least[r] = s if nearer else least[r]
        which[r] = np.int32(k) if nearer else which[r]


@njit(nogil=True, cache=True, error_model="numpy")
def _least_two(block, centers, factors, exponent, sums, least, second, which):
    """Fill `least`, `second` and `which` for the rows of a block."""
    n_clusters = centers.shape[0]
    least[:] = np.inf
    second[:] = np.inf
    which[:] = 0
    if exponent == np.float32(2.0):
        for k in range(0, n_clusters, 2):
            j = min(k + 1, n_clusters - 1)
            pair = centers[k], factors[k], centers[j], factors[j]
            _single_squares(block, *pair, sums[0], sums[1])
            _compare(sums[0], k, least, second, which)
            if j > k:
                _compare(sums[1], j, least, second, which)
        return
    for k in range(n_clusters):
        if exponent == np.float32(1.5):
            _single_roots(block, centers[k], factors[k], sums[0])
        else:
            _single_powers(block, centers[k], factors[k], exponent, sums[0])
        _compare(sums[0], k, least, second, which)


@njit(nogil=True, cache=True, error_model="numpy")
def _errors(factors, exponent):
    """Return the relative and the absolute error of a distance's root, in scaled units."""
    widest = 0.0
    for k in range(factors.shape[0]):
        total = 0.0
        for v in range(factors.shape[1]):
            f = np.float64(factors[k, v])
            total += f * f if exponent == 2.0 else f
        widest = max(widest, total)
    root = 1.0 / exponent
    n_features = factors.shape[1]
    # Relative: the error of the power down to d = 2^-24, and of the sum. Absolute: rounding of x,
    # c, d, and values below the smallest float32.
    power = 0.0 if exponent in (1.5, 2.0) else 2e-7 * (9.0 + 24.0 * exponent)
    relative = power + ROUNDING * (n_features + 8.0)
    return relative, 8.0 * ROUNDING * widest**root + (n_features * 1e-37) ** root


@njit(nogil=True, cache=True, error_model="numpy")
def _record(rows, least, second, which, root, relative, absolute, unit, labels, upper, lower, out):
    """Fill labels and bounds of a block's rows, and `out` with uncertain rows; return how many."""
    count = 0
    for r in range(rows.size):
        i = rows[r]
        low = positive_power(np.float64(least[r]), root)
        high = positive_power(np.float64(second[r]), root) if second[r] < np.inf else np.inf
        near = (1.0 + relative) * low + absolute
        far = (1.0 - relative) * high - absolute
        labels[i] = which[r]
        upper[i] = near * unit
        lower[i] = far * unit
        if not far > near:
            lower[i] = max((1.0 - relative) * low - absolute, 0.0) * unit
            out[count] = i
            count += 1
    return count


@njit(nogil=True, cache=True, error_model="numpy")
def nearest_screened(
    X, tiles, middle, half, centers, factors, exponent, thin_centers, thin_factors, unit, todo,
    labels, upper, lower,
):  # fmt: skip
    """Fill `labels` with argmin_k Σ_v f_kv |x_iv - c_kv|^p, the first on a tie, where `todo` is.

    `upper` and `lower` get bounds of the distance's root to that centre and to all others. In a
    tile with many rows in `todo`, all rows are computed.
    """
    n_rows, n_features = X.shape
    relative, absolute = _errors(thin_factors, exponent)
    root = 1.0 / exponent
    p = np.float32(exponent)
    block = aligned(n_features, BLOCK, np.float32)
    sums = aligned(2, BLOCK, np.float32)
    pair = aligned(2, BLOCK, np.float32)
    least, second = pair[0], pair[1]
    which = np.empty(BLOCK, np.int32)
    every = np.arange(n_rows)
    few = np.empty(n_rows, np.int64)
    unsure = np.empty(n_rows, np.int64)
    n_few = n_unsure = 0
    for tile in range(tiles.shape[0]):
        first = tile * BLOCK
        last = min(first + BLOCK, n_rows)
        count = 0
        for i in range(first, last):
            few[n_few + count] = i
            count += todo[i]
        if count < WHOLE:
            n_few += count
            continue
        _least_two(tiles[tile], thin_centers, thin_factors, p, sums, least, second, which)
        n_unsure += _record(
            every[first:last], least, second, which, root, relative, absolute, unit,
            labels, upper, lower, unsure[n_unsure:],
        )  # fmt: skip
    for first in range(0, n_few, BLOCK):
        rows = few[first : min(first + BLOCK, n_few)]
        _gather(X, rows, middle, half, block)
        _least_two(block, thin_centers, thin_factors, p, sums, least, second, which)
        n_unsure += _record(
            rows, least, second, which, root, relative, absolute, unit,
            labels, upper, lower, unsure[n_unsure:],
        )  # fmt: skip
    rows = unsure[:n_unsure]
    settled = np.empty(n_unsure, np.int32)
    nearest_centers(X[rows], centers, factors, exponent, settled, np.empty(n_unsure))
    for r in range(n_unsure):
        labels[rows[r]] = settled[r]
