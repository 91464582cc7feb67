"""Data that a round reuses from the last one: bounds of distances, and sums of clusters.

G. Hamerly, "Making k-means even faster", SDM 2010, extended to weights that change: with
N(x) = (Σ f |x - c|^p)^(1/p), a norm of x - c, new factors f' and a centre moved by δ in that norm,

    r₋ (N - δ) ≤ N' ≤ r₊ (N + δ),    r₋, r₊ the least and largest (f'_v / f_v)^(1/p).

A row whose upper bound to its own centre stays below its lower bound to all others keeps its label.
"""

from __future__ import annotations

from numba import njit

from weft.backends.cpu.kernels.power import positive_power

SLACK = 1.0 + 1e-9  # far above the rounding of a distance in double precision


@njit(nogil=True, cache=True, error_model="numpy")
def loosen_bounds(labels, grow, move, keep, drop, upper, lower, todo):
    """Update both bounds for new centres and factors, fill `todo`, and return how many rows it has.

    ``grow`` and ``move`` are r₊ and δ of each cluster; ``keep`` and ``drop`` the least r₋ and the
    largest r₋ δ of the other clusters.
    """
    count = 0
    for i in range(labels.size):
        k = labels[i]
        high = grow[k] * (upper[i] + move[k]) * SLACK
        low = keep[k] * lower[i] - drop[k]
        upper[i] = high
        lower[i] = low
        again = not high < low
        todo[i] = again
        count += again
    return count


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _own_distance(x, center, factor, exponent):
    """Return Σ_v f_v |x_v - c_v|^p, added in any order; the bound allows for the rounding."""
    total = 0.0
    if exponent == 2.0:
        for v in range(x.size):
            d = x[v] - center[v]
            total += factor[v] * d * d
    else:
        for v in range(x.size):
            total += factor[v] * positive_power(abs(x[v] - center[v]), exponent)
    return total


@njit(nogil=True, cache=True, error_model="numpy")
def tighten_bounds(X, labels, centers, factors, exponent, upper, lower, todo):
    """Update `upper` and `todo` where the row's distance to its own centre shows that it stays."""
    root = 1.0 / exponent
    for i in range(labels.size):
        if todo[i]:
            k = labels[i]
            distance = _own_distance(X[i], centers[k], factors[k], exponent)
            upper[i] = positive_power(distance, root) * SLACK
            todo[i] = not upper[i] < lower[i]


@njit(nogil=True, cache=True, error_model="numpy")
def cluster_moments(X, labels, mass, origin, first, second):
    """Fill (K, M) with Σ_{i in S_k} m_i d and Σ m_i d², d = x_iv - o_kv."""
    first[:] = 0.0
    second[:] = 0.0
    for i in range(X.shape[0]):
        k = labels[i]
        _add(X[i], mass[i], origin[k], first[k], second[k])


@njit(nogil=True, cache=True, error_model="numpy")
def move_moments(X, mass, rows, before, after, origin, first, second):
    """Fill (K, M) with the changes of the sums of `cluster_moments` when rows change cluster."""
    first[:] = 0.0
    second[:] = 0.0
    for i in rows:
        k = before[i]
        _add(X[i], -mass[i], origin[k], first[k], second[k])
        k = after[i]
        _add(X[i], mass[i], origin[k], first[k], second[k])


@njit(nogil=True, cache=True, error_model="numpy")
def _add(x, m, origin, first, second):
    """Update one cluster's sums by a row."""
    for v in range(x.size):
        d = x[v] - origin[v]
        step = m * d
        first[v] += step
        second[v] += step * d
