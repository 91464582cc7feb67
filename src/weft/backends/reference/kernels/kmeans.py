"""Weighted k-means under a Minkowski metric: the formulas.

R. C. de Amorim, "Learning feature weights for K-Means clustering using the Minkowski metric",
PhD thesis, Birkbeck, 2011.

===========  ===========  =====================================================================
here         thesis       meaning
===========  ===========  =====================================================================
``X``        y            rows (n, M); NaN where a value is missing
``centers``  c            (K, M)
``factors``  w^β          what multiplies each feature's distance, (K, M)
``exponent`` β (at the    the power p of the distance, p >= 1
             distance)
``mass``                  how much each row counts, (n,)
===========  ===========  =====================================================================

A missing value adds nothing to any sum. Arrays named ``out`` are filled.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from weft._base.arrays import Floats


def powered_distances(
    X: Floats, centers: Floats, factors: Floats, exponent: float, out: Floats
) -> None:
    """Fill `out` (n, K) with d_ik = Σ_v f_kv |x_iv - c_kv|^p, the inner sum of eq. 3.6."""
    for k, (center, factor) in enumerate(zip(centers, factors, strict=True)):
        out[:, k] = np.nansum(factor * np.abs(X - center) ** exponent, axis=1)


def nearest_centers(
    X: Floats,
    centers: Floats,
    factors: Floats,
    exponent: float,
    labels: NDArray[np.int32],
    best: Floats,
) -> None:
    """Fill `labels` with argmin_k d_ik, the first on a tie, and `best` with that distance."""
    distances = np.empty((len(X), len(centers)))
    powered_distances(X, centers, factors, exponent, distances)
    labels[:] = distances.argmin(axis=1)
    best[:] = distances.min(axis=1)


def own_distances(
    X: Floats,
    labels: NDArray[np.int32],
    centers: Floats,
    factors: Floats,
    exponent: float,
    out: Floats,
) -> None:
    """Fill `out` (n,) with each row's powered distance to the centre of its own cluster."""
    out[:] = np.nansum(factors[labels] * np.abs(X - centers[labels]) ** exponent, axis=1)


def cluster_sums(X: Floats, labels: NDArray[np.int32], mass: Floats, out: Floats) -> None:
    """Fill `out` (K, M) with Σ_{i in S_k} m_i x_iv, X without missing values."""
    out[:] = 0.0
    np.add.at(out, labels, mass[:, None] * X)


def cluster_dispersions(
    X: Floats, labels: NDArray[np.int32], mass: Floats, centers: Floats, out: Floats
) -> None:
    """Fill `out` (K, M) with D_kv = Σ_{i in S_k} m_i (x_iv - c_kv)², eq. 3.4 per cluster."""
    out[:] = 0.0
    np.add.at(out, labels, mass[:, None] * (X - centers[labels]) ** 2)


def column_centers(
    columns: Floats,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    mass: Floats,
    exponent: float,
    first: int,
    last: int,
    centers: Floats,
    dispersions: Floats,
) -> None:
    """Fill `centers` and `dispersions` (K, M), columns `first` to `last`.

    The centre of cluster k and feature v minimises Σ_{i in S_k} m_i |x_iv - c|^p (eq. 3.7); the
    dispersion is that minimum (eq. 3.9 per cluster). `columns` (M, n) is X transposed;
    ``order[starts[k]:starts[k + 1]]`` are the rows of cluster k; `mass` is in the order of
    `order`. Where a cluster has no observed value the centre stays what it was and the dispersion
    is NaN.
    """
    for v in range(first, last):
        for k in range(len(starts) - 1):
            span = slice(starts[k], starts[k + 1])
            values = columns[v, order[span]]
            seen = ~np.isnan(values)
            values, weight = values[seen], mass[span][seen]
            if len(values) == 0:
                dispersions[k, v] = np.nan
                continue
            center = minkowski_center(values, weight, exponent)
            centers[k, v] = center
            dispersions[k, v] = (weight * np.abs(values - center) ** exponent).sum()


def minkowski_center(values: Floats, mass: Floats, exponent: float) -> float:
    """Return argmin_c Σ_i m_i |y_i - c|^p: the root of eq. 3.11."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return low
    if exponent == 1.0:
        return weighted_median(values, mass)
    if exponent == 2.0:
        return float((mass * values).sum() / mass.sum())

    def slope(c: float) -> float:
        away = (c - values) / (high - low)
        return float((mass * np.sign(away) * np.abs(away) ** (exponent - 1.0)).sum())

    return float(brentq(slope, low, high, xtol=1e-15 * max(abs(low), abs(high)), rtol=1e-15))


def weighted_median(values: Floats, mass: Floats) -> float:
    """Return the middle of the values between which half of the mass lies on either side."""
    ranked = np.argsort(values, kind="stable")
    reached = np.cumsum(mass[ranked])
    half = 0.5 * reached[-1]
    position = int(np.searchsorted(reached, half))  # first with reached >= half
    value = values[ranked[position]]
    if reached[position] == half and position + 1 < len(values):
        value = 0.5 * (value + values[ranked[position + 1]])
    return float(value)


def group_rows(
    labels: NDArray[np.int32], order: NDArray[np.int64], starts: NDArray[np.int64]
) -> None:
    """Fill `order` with the rows cluster by cluster, `starts` (K + 1,) with where each begins."""
    order[:] = np.argsort(labels, kind="stable")
    starts[:] = np.searchsorted(labels[order], np.arange(len(starts)))


def row_keys(X: Floats, multipliers: Floats, out: Floats) -> None:
    """Fill `out` with one number per row that does not depend on where the row stands."""
    out[:] = [sum(x * m for x, m in zip(row, multipliers, strict=True) if x == x) for row in X]


def cluster_powers(
    X: Floats,
    labels: NDArray[np.int32],
    load: Floats,
    centers: Floats,
    units: Floats,
    exponent: float,
    seen: Floats,
    total: Floats,
    slope: Floats,
    curve: Floats,
) -> None:
    """Fill four (K, M) arrays with sums over each cluster's observed values.

    With d = (c_kv - x_iv) u_v: `seen` has Σ m_i, `total` Σ m_i |d|^p, and its derivatives without
    their constants p and p (p - 1) are `slope`, Σ m_i |d|^(p-2) d, and `curve`, Σ m_i |d|^(p-2).
    A value on the centre has no curvature to give (where p < 2 it would be infinite), but at p = 2.
    """
    for out in (seen, total, slope, curve):
        out[:] = 0.0
    for row, k, m in zip(X, labels, load, strict=True):
        away = (centers[k] - row) * units
        for v in np.flatnonzero(~np.isnan(away)):
            d = away[v]
            zero = 1.0 if exponent == 2.0 else 0.0
            q = m * (abs(d) ** (exponent - 2.0) if d != 0.0 else zero)
            seen[k, v] += m
            curve[k, v] += q
            slope[k, v] += q * d
            total[k, v] += q * d * d
