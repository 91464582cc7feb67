"""Slope and curvature of Σ m |y - c|^p over padded values, for Newton's method."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.power import positive_power, positive_power_single

LANES = 32  # parallel running sums: vector instructions, and a fixed order of addition


@njit(nogil=True, cache=True, error_model="numpy")
def slope_at(values, mass, center, scale, exponent, lanes):
    """Return Σ m |d|^p, its slope, its curvature and the least |d|, d = (c - y) / range, p != 2.

    The two derivatives are without their constants p and p (p - 1). A value on the centre adds no
    curvature if p < 2 (it would be infinite).
    """
    lanes[:] = 0.0
    total = lanes[0]
    slope = lanes[1]
    curve = lanes[2]
    near = lanes[3]
    near[:] = np.inf
    for start in range(0, values.size, LANES):
        y = values[start : start + LANES]
        m = mass[start : start + LANES]
        if exponent == 1.5:  # a root takes less than half the time of a power
            for r in range(LANES):
                away = (center - y[r]) * scale
                d = abs(away)
                near[r] = d if d < near[r] else near[r]
                q = m[r] / math.sqrt(d) if d > 0.0 else 0.0
                curve[r] += q
                q *= away
                slope[r] += q
                total[r] += q * away
        else:
            for r in range(LANES):
                away = (center - y[r]) * scale
                d = abs(away)
                near[r] = d if d < near[r] else near[r]
                q = positive_power(d, exponent - 2.0)
                q = m[r] * q if d > 0.0 else 0.0
                curve[r] += q
                q *= away
                slope[r] += q
                total[r] += q * away
    sums = (0.0, 0.0, 0.0)
    for r in range(LANES):
        sums = (sums[0] + total[r], sums[1] + slope[r], sums[2] + curve[r])
    return sums[0], sums[1], sums[2], near.min()


@njit(nogil=True, cache=True, error_model="numpy")
def slope_single(values, mass, center, exponent, lanes):
    """Return slope and curvature in single precision, values already divided by their range.

    `exponent` is p - 2.
    """
    lanes[:] = np.float32(0.0)
    slope = lanes[0]
    curve = lanes[1]
    for start in range(0, values.size, LANES):
        y = values[start : start + LANES]
        m = mass[start : start + LANES]
        if exponent == np.float32(-0.5):
            for r in range(LANES):
                away = center - y[r]
                d = abs(away)
                q = m[r] / math.sqrt(d) if d > np.float32(0.0) else np.float32(0.0)
                curve[r] += q
                slope[r] += q * away
        else:
            for r in range(LANES):
                away = center - y[r]
                d = abs(away)
                q = positive_power_single(d, exponent)
                q = m[r] * q if d > np.float32(0.0) else np.float32(0.0)
                curve[r] += q
                slope[r] += q * away
    sums = (0.0, 0.0)
    for r in range(LANES):
        sums = (sums[0] + slope[r], sums[1] + curve[r])
    return sums
