"""Minkowski centres of all columns from one pass over the rows: a series around a guess.

With a = (g - x) / σ for a guess g, the slope of Σ m |x - c|^p at c = g + h σ is, without its
constant,

    Σ m sign(a) |a|^(p-1) (1 + h/a)^(p-1) = Σ_j C(p-1, j) h^j B_j,

    B_j = Σ m sign(a) |a|^(p-1) / a^j,

if |a| is larger than |h| in all rows. Rows with |a| ≤ NEAR are listed and added one by one; the
series has the others. Σ m |x - c|^p itself has the same series with C(p, j) and B_(j-1). So the
root of eq. 3.11 is found to its last digits without another pass over the rows.

======  ===============  ====================================================================
symbol  shape            meaning
======  ===============  ====================================================================
guess   (K, M)           centre of the series
scale   (K, M)           1 / σ, σ about the distance of a cluster's rows from its centre
sums    (TERMS, K, M)    B_(-1), B_0, ..., B_(TERMS-2)
======  ===============  ====================================================================
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.kmeans import group_rows
from weft.backends.cpu.kernels.power import aligned, positive_power, positive_power_single

TERMS = 9
NEAR = 0.005  # rows nearer than this are listed
REACH = 0.3 * NEAR  # how far from the guess the root may be
WIDTH = 1e-13  # of σ: how far apart two points are between which the slope changes sign
SURE = 1e-13  # of the curvature: upper limit of the omitted terms
SPAN = 64  # columns at a time: running sums stay in the nearest cache
BATCH = 32  # rows at a time
MAX_STEPS = 100


@njit(nogil=True, cache=True, error_model="numpy")
def _gather(X, rows, stride, first, last, out):
    """Fill `out` with columns `first` to `last` of some rows; many loads run at the same time."""
    for r in range(rows.size):
        x = X[rows[r] * stride, first:last]
        target = out[r]
        for v in range(x.size):
            target[v] = x[v]


@njit(nogil=True, cache=True, error_model="numpy")
def _rough_row(x, guess, scale, m, exponent, sums):
    """Update three sums by one row, in single precision; `exponent` is p - 2.

    The sums are in one array, SPAN apart, so that LLVM knows that they do not overlap.
    """
    least = np.float32(1e-18)
    if exponent == np.float32(-0.5):
        for v in range(x.size):
            away = np.float32((guess[v] - x[v]) * scale[v])
            d = abs(away)
            q = m / math.sqrt(d) if d > least else np.float32(0.0)
            sums[2 * SPAN + v] += q
            q *= away
            sums[SPAN + v] += q
            sums[v] += q * away
    else:
        for v in range(x.size):
            away = np.float32((guess[v] - x[v]) * scale[v])
            d = abs(away)
            q = m * positive_power_single(d, exponent) if d > least else np.float32(0.0)
            sums[2 * SPAN + v] += q
            q *= away
            sums[SPAN + v] += q
            sums[v] += q * away


@njit(nogil=True, cache=True, error_model="numpy")
def rough_sums(X, labels, mass, stride, wanted, guess, scale, exponent, out):
    """Fill `out` (3, K, M) with Σ m |a|^p, its slope and curvature, over each `stride`-th row.

    Only clusters that are `wanted`. The derivatives are without their constants.
    """
    out[:] = 0.0
    n_features = X.shape[1]
    taken = labels[::stride].copy()
    order = np.empty(taken.size, np.int64)
    starts = np.empty(wanted.size + 1, np.int64)
    group_rows(taken, order, starts)
    sums = aligned(1, 3 * SPAN, np.float32)[0]
    batch = aligned(BATCH, SPAN)
    p = np.float32(exponent - 2.0)
    for k in range(wanted.size):
        if not wanted[k]:
            continue
        for first in range(0, n_features, SPAN):
            last = min(first + SPAN, n_features)
            width = last - first
            sums[:] = np.float32(0.0)
            g, s = guess[k, first:last], scale[k, first:last]
            for begin in range(starts[k], starts[k + 1], BATCH):
                rows = order[begin : min(begin + BATCH, starts[k + 1])]
                _gather(X, rows, stride, first, last, batch)
                for r in range(rows.size):
                    m = np.float32(mass[rows[r] * stride])
                    _rough_row(batch[r, :width], g, s, m, p, sums)
            for j in range(3):
                for v in range(width):
                    out[j, k, first + v] = sums[j * SPAN + v]


@njit(inline="always", error_model="numpy")
def _add_terms(t, a, sums, v):
    """Update the sums of column `v` by t a, t, t / a, t / a², ..."""
    u = 1.0 / a
    sums[v] += t * a
    sums[SPAN + v] += t
    t *= u
    sums[2 * SPAN + v] += t
    t *= u
    sums[3 * SPAN + v] += t
    t *= u
    sums[4 * SPAN + v] += t
    t *= u
    sums[5 * SPAN + v] += t
    t *= u
    sums[6 * SPAN + v] += t
    t *= u
    sums[7 * SPAN + v] += t
    t *= u
    sums[8 * SPAN + v] += t


@njit(nogil=True, cache=True, error_model="numpy")
def _expand_row(x, guess, scale, m, exponent, sums):
    """Update the sums of the series by one row; return how many of its values are near."""
    near = 0
    if exponent == 1.5:
        for v in range(x.size):
            away = (guess[v] - x[v]) * scale[v]
            far = abs(away) > NEAR
            near += not far
            a = away if far else 1.0
            q = m * math.sqrt(abs(a))
            q = q if far else 0.0
            _add_terms(q if away > 0.0 else -q, a, sums, v)
    else:
        for v in range(x.size):
            away = (guess[v] - x[v]) * scale[v]
            far = abs(away) > NEAR
            near += not far
            a = away if far else 1.0
            q = m * positive_power(abs(a), exponent - 1.0)
            q = q if far else 0.0
            _add_terms(q if away > 0.0 else -q, a, sums, v)
    return near


@njit(nogil=True, cache=True, error_model="numpy")
def expand(
    X, labels, mass, wanted, guess, scale, exponent, limit, sums, counts, pairs, aways, masses
):
    """Fill `sums`, and `pairs`, `aways` and `masses` with the near values; return their number.

    A pair is k M + v. `counts` (K, M) has all near values, of which at most `limit` (K,) a pair
    are listed.
    """
    n_features = X.shape[1]
    sums[:] = 0.0
    counts[:] = 0
    order = np.empty(labels.size, np.int64)
    starts = np.empty(wanted.size + 1, np.int64)
    group_rows(labels, order, starts)
    running = aligned(1, TERMS * SPAN)[0]
    batch = aligned(BATCH, SPAN)
    spots = np.empty(SPAN + 1, np.int64)
    listed = 0
    for k in range(wanted.size):
        if not wanted[k]:
            continue
        for first in range(0, n_features, SPAN):
            last = min(first + SPAN, n_features)
            width = last - first
            running[:] = 0.0
            g, s = guess[k, first:last], scale[k, first:last]
            for begin in range(starts[k], starts[k + 1], BATCH):
                rows = order[begin : min(begin + BATCH, starts[k + 1])]
                _gather(X, rows, 1, first, last, batch)
                for r in range(rows.size):
                    x, m = batch[r, :width], mass[rows[r]]
                    if _expand_row(x, g, s, m, exponent, running) == 0:
                        continue
                    found = 0
                    for v in range(width):
                        spots[found] = v
                        found += abs((g[v] - x[v]) * s[v]) <= NEAR
                    for v in spots[:found]:
                        counts[k, first + v] += 1
                        if counts[k, first + v] <= limit[k]:
                            pairs[listed] = k * n_features + first + v
                            aways[listed] = (g[v] - x[v]) * s[v]
                            masses[listed] = m
                            listed += 1
            for j in range(TERMS):
                for v in range(width):
                    sums[j, k, first + v] = running[j * SPAN + v]
    return listed


@njit(nogil=True, cache=True, error_model="numpy")
def _slope_at(h, series, binomials, aways, masses, exponent):
    """Return slope and curvature at `h`, without the constant p."""
    slope = curve = 0.0
    for j in range(TERMS - 2, -1, -1):
        slope = slope * h + binomials[j] * series[j + 1]
    for j in range(TERMS - 2, 0, -1):
        curve = curve * h + j * binomials[j] * series[j + 1]
    for i in range(aways.size):
        a = aways[i] + h
        d = abs(a)
        if d > 0.0:
            q = masses[i] * (
                1.0 / math.sqrt(d) if exponent == 1.5 else positive_power(d, exponent - 2.0)
            )
            slope += q * a
            curve += (exponent - 1.0) * q
    return slope, curve


@njit(nogil=True, cache=True, error_model="numpy")
def _root(series, binomials, aways, masses, exponent):
    """Return where the slope is 0 within REACH, and whether it is; else a step towards it."""
    slope, curve = _slope_at(0.0, series, binomials, aways, masses, exponent)
    step = -slope / curve
    low, high = -REACH, REACH
    below, _ = _slope_at(low, series, binomials, aways, masses, exponent)
    above, _ = _slope_at(high, series, binomials, aways, masses, exponent)
    if not below < 0.0 < above:
        return min(max(step, -1.0), 1.0), False
    h, last = 0.0, np.inf
    for _ in range(MAX_STEPS):
        if slope == 0.0:
            return h, True
        if slope < 0.0:
            low = h
        else:
            high = h
        if high - low <= WIDTH:
            break
        step = -slope / curve
        trial = h + step
        if abs(step) < 0.25 * WIDTH:  # a nearby value may cause this: check from the other side
            trial = h + (0.5 * WIDTH if step > 0.0 else -0.5 * WIDTH)
        if not low < trial < high or abs(slope) > 0.5 * last:
            trial = 0.5 * (low + high)
        last = abs(slope)
        h = trial
        slope, curve = _slope_at(h, series, binomials, aways, masses, exponent)
    return h, True


@njit(nogil=True, cache=True, error_model="numpy")
def solve(
    sums, binomials, powers, order, starts, aways, masses, exponent, first, last,
    step, total, solved,
):  # fmt: skip
    """Fill step, total (Σ m |a|^p there) and solved for the pairs `first` to `last`.

    `binomials` are C(p - 1, j), `powers` C(p, j); `order` and `starts` group the near values by
    pair. Where a pair is not solved, `step` leads to a better guess.
    """
    for pair in range(first, last):
        if not solved[pair]:
            continue
        series = sums[:, pair].copy()
        which = order[starts[pair] : starts[pair + 1]]
        near, weight = aways[which], masses[which]
        h, found = _root(series, binomials, near, weight, exponent)
        # Each omitted term is at most |h| / NEAR times the one before it.
        size = abs(h) / NEAR
        final = abs(binomials[TERMS - 2] * series[TERMS - 1]) * abs(h) ** (TERMS - 2)
        other = abs(binomials[TERMS - 3] * series[TERMS - 2]) * abs(h) ** (TERMS - 3)
        _, curve = _slope_at(h, series, binomials, near, weight, exponent)
        found &= 2.0 * size * max(final, size * other) <= SURE * curve
        value = 0.0
        for j in range(TERMS - 1, -1, -1):
            value = value * h + powers[j] * series[j]
        for i in range(near.size):
            value += weight[i] * positive_power(abs(near[i] + h), exponent)
        step[pair] = h
        total[pair] = value
        solved[pair] = found
