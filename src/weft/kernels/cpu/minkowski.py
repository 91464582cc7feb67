"""Minkowski distances and Minkowski centres for any power: the notation is that of the reference.

The centre is the root of eq. 3.11, found by Newton's method kept inside a bracket: the sum is
convex, so its slope changes sign once. Values are scaled by their range first, which keeps
|d|^(p-1) from overflowing. The root is accepted once the slope has opposite signs at two points at
most 1e-14 of the range apart; or once Newton's steps shrink quadratically and the next would be
below that, which for p < 3 has to be seen from both sides of the root.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.kernels.cpu.kmeans import BLOCK, load_block, nearest_squared, squared_distances
from weft.kernels.cpu.power import positive_power

LANES = 32  # running sums side by side: vector instructions, and a fixed order of addition
ROOT_WIDTH = 1e-14  # of the values' range
MAX_STEPS = 200


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
    block = np.empty((X.shape[1], BLOCK))
    sums = np.empty(BLOCK)
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
    block = np.empty((X.shape[1], BLOCK))
    sums = np.empty(BLOCK)
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
    block = np.empty((X.shape[1], BLOCK))
    sums = np.empty(BLOCK)
    center = np.empty(BLOCK)
    factor = np.empty(BLOCK)
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
def _slope(values, mass, center, scale, exponent, lanes):
    """Return Σ m |d|^p, its slope and its curvature at `center`, d = (c - y) / range, p != 2.

    The two derivatives are without their constants p and p (p - 1). A value on the centre has
    no curvature to give where p < 2 (it would be infinite).
    """
    lanes[:] = 0.0
    total = lanes[0]
    slope = lanes[1]
    curve = lanes[2]
    for start in range(0, values.size, LANES):
        y = values[start : start + LANES]
        m = mass[start : start + LANES]
        for r in range(LANES):
            away = (center - y[r]) * scale
            d = abs(away)
            q = positive_power(d, exponent - 2.0)
            q = m[r] * q if d > 0.0 else 0.0
            curve[r] += q
            q *= away
            slope[r] += q
            total[r] += q * away
    sums = (0.0, 0.0, 0.0)
    for r in range(LANES):
        sums = (sums[0] + total[r], sums[1] + slope[r], sums[2] + curve[r])
    return sums


@njit(nogil=True, cache=True, error_model="numpy")
def _root(values, mass, low, high, exponent, guess, lanes):
    """Return the Minkowski centre of padded `values` within [low, high], and the sum there."""
    reach = high - low
    scale = 1.0 / reach
    width = ROOT_WIDTH * reach
    center = guess if low < guess < high else 0.5 * (low + high)
    last = before = np.inf  # the last slope and Newton step
    beyond = 0.0  # how far the last trial went past the expected root, where it did
    for _ in range(MAX_STEPS):
        total, slope, curve = _slope(values, mass, center, scale, exponent, lanes)
        if slope == 0.0:
            break
        if slope < 0.0:
            low = center
        else:
            high = center
        if high - low <= width:
            break
        # Newton: the slope's constant is p, the curvature's p (p - 1), both in units of the range.
        step = -slope / (curve * (exponent - 1.0)) * reach
        inside = low < center + step < high
        if abs(step) <= 4.0 * beyond and step * before < 0.0 and inside:
            center, total = center + step, _after(total, slope, step, scale, exponent)
            break  # from both sides of the root Newton points to the same place
        beyond = 0.0
        # Steps shrink quadratically: the next would be about |step|³ / before².
        coming = abs(step) * (step / before) ** 2
        if not inside or abs(slope) > 0.5 * last:
            trial = 0.5 * (low + high)  # nowhere, or too slowly: halve the bracket
        elif coming <= width and abs(step) < 0.1 * abs(before) < reach:
            if exponent >= 3.0:
                center, total = center + step, _after(total, slope, step, scale, exponent)
                break
            # Below 3 a value near by can feign this: go just past the root and look back.
            beyond = width
            trial = center + step + (beyond if step > 0.0 else -beyond)
        elif abs(step) <= 0.25 * width:
            trial = center + (0.5 * width if step > 0.0 else -0.5 * width)
        else:
            trial = center + step
        last = abs(slope)
        before = step
        if not low < trial < high:
            trial = 0.5 * (low + high)
        if trial in (low, high):
            break  # neighbours in floating point
        center = trial
    return center, total * reach**exponent


@njit(nogil=True, cache=True, error_model="numpy")
def _after(total, slope, step, scale, exponent):
    """Return the sum after a Newton step: Taylor, to the second order."""
    return total - 0.5 * exponent * abs(slope * step) * scale


@njit(nogil=True, cache=True, error_model="numpy")
def _weighted_median(values, mass):
    """Return the middle of the values between which half of the mass lies on either side."""
    ranked = np.argsort(values, kind="mergesort")
    whole = 0.0
    for j in ranked:
        whole += mass[j]
    reached = 0.0
    for position in range(values.size):
        reached += mass[ranked[position]]
        if reached >= 0.5 * whole:
            value = values[ranked[position]]
            if reached == 0.5 * whole and position + 1 < values.size:
                value = 0.5 * (value + values[ranked[position + 1]])
            return value
    return values[ranked[values.size - 1]]


@njit(nogil=True, cache=True, error_model="numpy")
def _center(values, mass, count, exponent, guess, lanes):
    """Return the Minkowski centre of the first `count` values, and Σ m |y - c|^p there."""
    low = high = values[0]
    for j in range(count):
        low = min(low, values[j])
        high = max(high, values[j])
    if low == high:
        return low, 0.0
    if exponent == 1.0:
        center = _weighted_median(values[:count], mass[:count])
        total = 0.0
        for j in range(count):
            total += mass[j] * abs(values[j] - center)
        return center, total
    if exponent == 2.0:
        moment = whole = total = 0.0
        for j in range(count):
            moment += mass[j] * values[j]
            whole += mass[j]
        center = moment / whole
        for j in range(count):
            total += mass[j] * (values[j] - center) ** 2
        return center, total
    padded = count + (-count) % LANES
    for j in range(count, padded):
        values[j] = low
        mass[j] = 0.0
    return _root(values[:padded], mass[:padded], low, high, exponent, guess, lanes)


@njit(nogil=True, cache=True, error_model="numpy")
def column_centers(columns, order, starts, mass, exponent, first, last, centers, dispersions):
    """Fill `centers` and `dispersions` (K, M), columns `first` to `last`: eqs. 3.7 and 3.9.

    A centre already there is where the search starts.
    """
    n_clusters = starts.size - 1
    longest = 0
    for k in range(n_clusters):
        longest = max(longest, starts[k + 1] - starts[k])
    values = np.empty(longest + LANES)
    weight = np.empty(longest + LANES)
    lanes = np.empty((3, LANES))
    for v in range(first, last):
        column = columns[v]
        for k in range(n_clusters):
            count = 0
            for position in range(starts[k], starts[k + 1]):
                x = column[order[position]]
                if x == x:
                    values[count] = x
                    weight[count] = mass[order[position]]
                    count += 1
            if count == 0:
                dispersions[k, v] = np.nan
            else:
                centers[k, v], dispersions[k, v] = _center(
                    values, weight, count, exponent, centers[k, v], lanes
                )
