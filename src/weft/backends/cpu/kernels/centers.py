"""Minkowski centres for any power: the notation is that of the reference.

The centre is the root of eq. 3.11, found by Newton's method inside a bracket: the sum is convex, so
its slope changes sign once. Values are scaled by their range first, so that |d|^(p-1) does not
overflow. The root is accepted if the slope has opposite signs at two points at most 1e-14 of the
range apart, if Newton's steps from both sides lead to the same point, or if a step is so short that
the curvature does not change along it. The first steps are in single precision, which takes a
quarter of the time.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.power import aligned
from weft.backends.cpu.kernels.slopes import LANES, slope_at, slope_single

ROOT_WIDTH = 1e-14  # of the values' range
SURE = 1e-11  # of the range: largest expected next Newton step at which the root is accepted
ROUGH_WIDTH = 1e-4  # a step below this leaves an error of about its square
ROUGH_STEPS = 8
ROUGH_EXPONENT = 1.15  # below it the slope is nearly a step function
MAX_STEPS = 200


@njit(nogil=True, cache=True, error_model="numpy")
def _rough_root(values, mass, low, high, exponent, guess, thin_values, thin_mass, thin_lanes):
    """Return the Minkowski centre to about 1e-6 of the range: Newton in single precision."""
    reach = high - low
    scale = 1.0 / reach
    size = values.size
    for j in range(size):
        thin_values[j] = (values[j] - low) * scale
        thin_mass[j] = mass[j]
    y, m = thin_values[:size], thin_mass[:size]
    left, right = 0.0, 1.0
    center = (guess - low) / reach
    last = np.inf
    for _ in range(ROUGH_STEPS):
        slope, curve = slope_single(
            y, m, np.float32(center), np.float32(exponent - 2.0), thin_lanes
        )
        if slope < 0.0:
            left = center
        else:
            right = center
        step = -slope / (curve * (exponent - 1.0))
        trial = center + step
        if not left < trial < right or abs(slope) > 0.5 * last:
            trial = 0.5 * (left + right)
        last = abs(slope)
        moved = abs(trial - center)
        center = trial
        if moved < ROUGH_WIDTH:
            break
    return low + center * reach


@njit(nogil=True, cache=True, error_model="numpy")
def _root(values, mass, low, high, exponent, guess, rough, lanes):
    """Return the Minkowski centre of padded `values` within [low, high], and the sum there.

    `rough`: whether `guess` comes from `_rough_root`.
    """
    reach = high - low
    scale = 1.0 / reach
    width = ROOT_WIDTH * reach
    center = guess if low < guess < high else 0.5 * (low + high)
    last = np.inf  # the last slope
    before = np.inf  # the last Newton step
    beyond = 0.0  # how far the last trial went past the expected root, if it did
    for _ in range(MAX_STEPS):
        total, slope, curve, near = slope_at(values, mass, center, scale, exponent, lanes)
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
        # Along a step that is the share `turn` of the distance to the nearest value, the curvature
        # changes by at most |p - 2| turn, to the first order. So the error of Newton's step is at
        # most this share of the step.
        turn = abs(step) * scale / near
        short = turn < 0.01 and abs(exponent - 2.0) * turn * abs(step) <= 0.1 * SURE * reach
        if inside and (short or (abs(step) <= 4.0 * beyond and step * before < 0.0)):
            center += step
            total -= 0.5 * exponent * abs(slope * step) * scale  # Taylor, to the second order
            break  # or: from both sides of the root, Newton's steps lead to the same point
        # Steps shrink quadratically: the next would be about |step|³ / before². After a rough
        # root there is no step before the first one: ten times the usual length is assumed.
        coming = abs(step) * (step / before) ** 2
        if rough and before == np.inf:
            coming = 1e3 * step * step * scale
        beyond = 0.0
        if not inside or abs(slope) > 0.5 * last:
            trial = 0.5 * (low + high)  # no progress, or too slow: halve the bracket
        elif coming <= (SURE * reach if rough else width) and abs(step) < 0.1 * min(
            abs(before), reach
        ):
            # A nearby value can cause this by chance: go just past the root and check from there.
            beyond = max(width, 4.0 * coming)
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
            break  # adjacent floating-point numbers
        center = trial
    return center, total * reach**exponent


@njit(nogil=True, cache=True, error_model="numpy")
def _weighted_median(values, mass):
    """Return the weighted median; the mean of two values if half of the mass is on either side."""
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
def _ends(values, lanes):
    """Return the least and the largest of padded `values`."""
    low = lanes[0]
    high = lanes[1]
    low[:] = values[0]
    high[:] = values[0]
    for start in range(0, values.size, LANES):
        y = values[start : start + LANES]
        for r in range(LANES):
            low[r] = y[r] if y[r] < low[r] else low[r]
            high[r] = y[r] if y[r] > high[r] else high[r]
    return low.min(), high.max()


@njit(nogil=True, cache=True, error_model="numpy")
def _center(values, mass, count, exponent, guess, lanes, thin_values, thin_mass, thin_lanes):
    """Return the Minkowski centre of the first `count` values, and Σ m |y - c|^p there."""
    padded = count + (-count) % LANES
    for j in range(count, padded):
        values[j] = values[0]
        mass[j] = 0.0
    low, high = _ends(values[:padded], lanes)
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
    y, m = values[:padded], mass[:padded]
    if not low < guess < high:
        guess = 0.5 * (low + high)
    rough = exponent >= ROUGH_EXPONENT
    if rough:
        guess = _rough_root(y, m, low, high, exponent, guess, thin_values, thin_mass, thin_lanes)
    return _root(y, m, low, high, exponent, guess, rough, lanes)


@njit(nogil=True, cache=True, error_model="numpy")
def column_centers(
    columns, order, starts, mass, exponent, wanted, first, last, centers, dispersions
):
    """Fill `centers` and `dispersions` (K, M), columns `first` to `last`: eqs. 3.7 and 3.9.

    Only where `wanted` (K, M). `mass` is in the order of `order`. The search starts from the
    centres that `centers` already contains.
    """
    n_clusters = starts.size - 1
    longest = 0
    for k in range(n_clusters):
        longest = max(longest, starts[k + 1] - starts[k])
    values = aligned(1, longest + LANES)[0]
    weight = aligned(1, longest + LANES)[0]
    lanes = aligned(4, LANES)
    thin_values = aligned(1, longest + LANES, np.float32)[0]
    thin_mass = aligned(1, longest + LANES, np.float32)[0]
    thin_lanes = aligned(2, LANES, np.float32)
    for v in range(first, last):
        column = columns[v]
        for k in range(n_clusters):
            if not wanted[k, v]:
                continue
            count = 0
            for position in range(starts[k], starts[k + 1]):
                x = column[order[position]]
                if x == x:
                    values[count] = x
                    weight[count] = mass[position]
                    count += 1
            if count == 0:
                dispersions[k, v] = np.nan
            else:
                centers[k, v], dispersions[k, v] = _center(
                    values,
                    weight,
                    count,
                    exponent,
                    centers[k, v],
                    lanes,
                    thin_values,
                    thin_mass,
                    thin_lanes,
                )
