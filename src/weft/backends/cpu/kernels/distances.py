"""Powered distances between rows: Σ_f |x_f - y_f|^p_f, one feature after the other.

Each row of the array is a weighted feature; dropped features are left out. An empty array of
exponents means 2 for all. Each pair is summed over the features in their order. So its bits do not
depend on the division of rows into blocks, or on the order of the two rows, and equal rows have
distance exactly 0.

The inner loop runs over the right rows, which vectorises without reordering any sum. Right rows are
processed in strips, so that the running sums stay in the first-level cache. Powers in single
precision, for several particles at once, are in `swarm_powers`.
"""

from __future__ import annotations

from numba import njit

from weft.backends.cpu.kernels.power import positive_power

_STRIP = 1024


def power_error(n_features):
    """Return the largest relative error of a powered distance: each term's, and the sum's.

    Terms are never negative, so there is no cancellation. A term is as exact as its power.
    """
    return 2e-15 * (1.0 + 1022.0) + n_features * 2.0**-53


@njit(nogil=True, cache=True, error_model="numpy")
def powered_block(left, start, stop, right, exponents, out):
    """Fill `out` (b, q) with Σ_f |left_fi - right_fj|^p_f, i from `start` to `stop`."""
    n_features, n_right = right.shape
    for low in range(0, n_right, _STRIP):
        high = min(low + _STRIP, n_right)
        for i in range(start, stop):
            sums = out[i - start, low:high]
            sums[:] = 0.0
            for f in range(n_features):
                _add_terms(right[f, low:high], left[f, i], exponents, f, sums)


@njit(nogil=True, cache=True, error_model="numpy")
def powered_matrix(columns, exponents, out):
    """Fill `out` with the powered distances between all rows, each pair computed once."""
    n_features, n_rows = columns.shape
    for low in range(0, n_rows, _STRIP):
        high = min(low + _STRIP, n_rows)
        for i in range(high):
            first = max(low, i)
            sums = out[i, first:high]
            sums[:] = 0.0
            for f in range(n_features):
                _add_terms(columns[f, first:high], columns[f, i], exponents, f, sums)
    mirror(out)


@njit(nogil=True, cache=True, error_model="numpy")
def _add_terms(there, here, exponents, feature, sums):
    """Update `sums` by |there - here|^p of one feature."""
    if exponents.shape[0] == 0:
        for j in range(sums.shape[0]):
            gap = there[j] - here
            sums[j] += gap * gap
        return
    exponent = exponents[feature]
    for j in range(sums.shape[0]):
        gap = abs(there[j] - here)
        power = positive_power(gap, exponent)
        sums[j] += power if gap > 0.0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def mirror(out):
    """Fill the lower triangle from the upper one, in tiles that both stay in cache."""
    n_rows = out.shape[0]
    tile = 64
    for top in range(0, n_rows, tile):
        for left in range(0, top + 1, tile):
            for i in range(top, min(top + tile, n_rows)):
                for j in range(left, min(left + tile, i)):
                    out[i, j] = out[j, i]
