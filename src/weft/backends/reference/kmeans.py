"""Passes of the k-means family over rows, written like their definitions.

R. C. de Amorim, "Learning feature weights for K-Means clustering using the Minkowski metric",
PhD thesis, Birkbeck, 2011.

===========  ===========  =====================================================================
name         thesis       meaning
===========  ===========  =====================================================================
``X``        y            rows (n, M); NaN where a value is missing
``load``                  how much each row counts, (n,)
``centers``  c            (K, M)
``factors``  w^β          factor of each feature's distance, (K, M)
``exponent`` β (at the    the power p of the distance, p >= 1
             distance)
===========  ===========  =====================================================================

A missing value adds nothing to any sum.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from weft._base.arrays import Floats, Integers, Labels
from weft.backends.rounds import PlainRounds, Rounds
from weft.parallel.threads import Runner


class Rows(NamedTuple):
    """Rows, how much each one counts, and the power of distances."""

    X: Floats
    load: Floats
    exponent: float


def load(
    X: Floats, loads: Floats, exponent: float, missing: bool, run: Runner, device: str
) -> Rows:
    """Return rows ready for the passes."""
    return Rows(X, loads, exponent)


def take(rows: Rows, which: Integers, X: Floats) -> Rows:
    """Return some of the rows, `X`, only for distances: their loads are not used."""
    return rows._replace(X=X)


def begin(rows: Rows) -> Rounds:
    """Return an object for the rounds of one alternation; it may keep data between rounds."""
    return PlainRounds(sys.modules[__name__], rows)


def distances(rows: Rows, centers: Floats, factors: Floats) -> Floats:
    """Return d_ik = Σ_v f_kv |x_iv - c_kv|^p, (n, K): the inner sum of eq. 3.6."""
    gaps = np.abs(rows.X[:, np.newaxis] - centers) ** rows.exponent
    return np.nansum(factors * gaps, axis=2)


def nearest(rows: Rows, centers: Floats, factors: Floats) -> tuple[Labels, Integers]:
    """Return each row's nearest centre, the first on a tie, and the rows left open.

    A backend may leave rows open whose two nearest centres are equal up to rounding: `settle` of
    the CPU decides them.
    """
    return settle(rows.X, centers, factors, rows.exponent), np.empty(0, dtype=np.int64)


def settle(X: Floats, centers: Floats, factors: Floats, exponent: float) -> Labels:
    """Return the nearest centres of a few rows that another backend left open."""
    away = distances(Rows(X, np.ones(len(X)), exponent), centers, factors)
    return away.argmin(axis=1).astype(np.int32)


def own_distances(rows: Rows, labels: Labels, centers: Floats, factors: Floats) -> Floats:
    """Return each row's powered distance to the centre of its own cluster, (n,)."""
    return distances(rows, centers, factors)[np.arange(len(labels)), labels]


def centers_of(rows: Rows, labels: Labels, previous: Floats) -> tuple[Floats, Floats]:
    """Return each cluster's Minkowski centre (eq. 3.7) and dispersions (eq. 3.9), (K, M) each.

    The centre of cluster k and feature v minimises Σ_{i in S_k} m_i |x_iv - c|^p, and the
    dispersion is that minimum. A cluster without rows, or without an observed value of a feature,
    keeps the value of `previous`; its dispersion is then 0, or NaN without observed values.
    """
    centers, spread = previous.copy(), np.zeros_like(previous)
    for k in np.unique(labels):
        for v, column in enumerate(rows.X[labels == k].T):
            seen = ~np.isnan(column)
            values, mass = column[seen], rows.load[labels == k][seen]
            if len(values):
                centers[k, v] = _minkowski_center(values, mass, rows.exponent)
                spread[k, v] = (mass * np.abs(values - centers[k, v]) ** rows.exponent).sum()
            else:
                spread[k, v] = np.nan
    return centers, spread


def center_of(rows: Rows, which: Integers, guess: Floats) -> tuple[Floats, Floats]:
    """Return the centre (M,) and dispersions (M,) of some of the rows."""
    part = rows._replace(X=rows.X[which], load=rows.load[which])
    centers, spread = centers_of(part, np.zeros(len(which), dtype=np.int32), guess[None])
    return centers[0], spread[0]


def _minkowski_center(values: Floats, mass: Floats, exponent: float) -> float:
    """Return argmin_c Σ_i m_i |y_i - c|^p: the root of eq. 3.11."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return low
    if exponent == 1.0:
        return _weighted_median(values, mass)
    if exponent == 2.0:
        return float((mass * values).sum() / mass.sum())

    def slope(c: float) -> float:
        away = (c - values) / (high - low)
        return float((mass * np.sign(away) * np.abs(away) ** (exponent - 1.0)).sum())

    return float(brentq(slope, low, high, xtol=1e-15 * max(abs(low), abs(high)), rtol=1e-15))


def _weighted_median(values: Floats, mass: Floats) -> float:
    """Return the weighted median; the mean of two values if half of the mass is on either side."""
    ranked = np.argsort(values, kind="stable")
    reached = np.cumsum(mass[ranked])
    half = 0.5 * reached[-1]
    position = int(np.searchsorted(reached, half))  # first with reached >= half
    value = values[ranked[position]]
    if reached[position] == half and position + 1 < len(values):
        value = 0.5 * (value + values[ranked[position + 1]])
    return float(value)


def power_sums(
    rows: Rows, labels: Labels, centers: Floats, units: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return seen, total, slope and curve, (K, M) each: sums over each cluster's observed values.

    With d = (c_kv - x_iv) u_v: `seen` has Σ m_i, `total` Σ m_i |d|^p, and its derivatives without
    their constants p and p (p - 1) are `slope`, Σ m_i |d|^(p-2) d, and `curve`, Σ m_i |d|^(p-2).
    A value on the centre adds no curvature (if p < 2 it would be infinite), except at p = 2.
    """
    seen, total, slope, curve = np.zeros((4, *centers.shape))
    for row, k, m in zip(rows.X, labels, rows.load, strict=True):
        away = (centers[k] - row) * units
        for v in np.flatnonzero(~np.isnan(away)):
            d = away[v]
            zero = 1.0 if rows.exponent == 2.0 else 0.0
            q = m * (abs(d) ** (rows.exponent - 2.0) if d != 0.0 else zero)
            seen[k, v] += m
            curve[k, v] += q
            slope[k, v] += q * d
            total[k, v] += q * d * d
    return seen, total, slope, curve


def row_keys(X: Floats, multipliers: Floats) -> Floats:
    """Return one number per row that does not depend on the row's position, (n,)."""
    keys = [sum(x * m for x, m in zip(row, multipliers, strict=True) if x == x) for row in X]
    return np.array(keys)
