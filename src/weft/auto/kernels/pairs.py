"""Two neighbouring clusters: whether they have two modes on the axis between them."""

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED
from weft.auto.kernels.dip import dip
from weft.auto.kernels.mixtures import cholesky_inverse
from weft.auto.kernels.ordering import put_in_order


@njit(inline="always", **COMPILED)
def fisher_axis(axis, first, second, floor, out):
    """Fill the axis multiplied by the inverse of the clusters' mean covariance (Fisher 1936)."""
    d = len(axis)
    pooled = np.empty((d, d))
    for f in range(d):
        for g in range(d):
            pooled[f, g] = 0.5 * (first[f, g] + second[f, g])
        pooled[f, f] += floor[f]
    factor = np.zeros((d, d))
    inverse = np.zeros((d, d))
    cholesky_inverse(pooled, factor, inverse)
    for f in range(d):
        out[f] = 0.0
    for f in range(d):
        total = 0.0
        for g in range(f + 1):
            total += inverse[f, g] * axis[g]
        for g in range(f + 1):
            out[g] += inverse[f, g] * total


@njit(**COMPILED)
def dip_between(points, members, others, axis, buffer):
    """Dip · √rows of two clusters on an axis that points from the first to the second.

    Of the larger cluster only the rows next to the other count, at most twice as many.
    """
    d = points.shape[1]
    first = np.empty(len(members))
    for position in range(len(members)):
        total = 0.0
        for f in range(d):
            total += axis[f] * points[members[position], f]
        first[position] = total
    second = np.empty(len(others))
    for position in range(len(others)):
        total = 0.0
        for f in range(d):
            total += axis[f] * points[others[position], f]
        second[position] = total
    put_in_order(first)
    put_in_order(second)
    n_first = min(len(first), 2 * len(second))
    n_second = min(len(second), 2 * len(first))
    m = n_first + n_second
    both = buffer[:m]
    i = len(first) - n_first
    j = 0
    for position in range(m):
        if j == n_second or (i < len(first) and first[i] <= second[j]):
            both[position] = first[i]
            i += 1
        else:
            both[position] = second[j]
            j += 1
    return dip(both) * np.sqrt(m)
