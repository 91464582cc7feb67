"""Passes of the k-means family over rows, as their definitions read."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Labels
from weft.backends.reference.kernels import kmeans as kernels
from weft.parallel.threads import Runner


class Rows(NamedTuple):
    """Rows (n, M), NaN where a value is missing, and how much each one's distance counts (n,)."""

    X: Floats
    load: Floats
    exponent: float


def load(
    X: Floats, loads: Floats, exponent: float, missing: bool, run: Runner, device: str
) -> Rows:
    """Return rows ready for the passes."""
    return Rows(X, loads, exponent)


def take(rows: Rows, which: Integers, X: Floats) -> Rows:
    """Return some of the rows, `X`, for distances alone: their loads are not taken."""
    return rows._replace(X=X)


def distances(rows: Rows, centers: Floats, factors: Floats) -> Floats:
    """Return Σ_v f_kv |x_iv - c_kv|^p, (n, K)."""
    out = np.empty((len(rows.X), len(centers)))
    kernels.powered_distances(rows.X, centers, factors, rows.exponent, out)
    return out


def nearest(rows: Rows, centers: Floats, factors: Floats) -> tuple[Labels, Integers]:
    """Return each row's nearest centre, the first on a tie, and the rows left open: none."""
    labels = settle(rows.X, centers, factors, rows.exponent)
    return labels, np.empty(0, dtype=np.int64)


def settle(X: Floats, centers: Floats, factors: Floats, exponent: float) -> Labels:
    """Return the nearest centres of a few rows that another backend left open."""
    labels = np.empty(len(X), dtype=np.int32)
    kernels.nearest_centers(X, centers, factors, exponent, labels, np.empty(len(X)))
    return labels


def own_distances(rows: Rows, labels: Labels, centers: Floats, factors: Floats) -> Floats:
    """Return each row's powered distance to the centre of its own cluster, (n,)."""
    out = np.empty(len(rows.X))
    kernels.own_distances(rows.X, labels, centers, factors, rows.exponent, out)
    return out


def centers_of(rows: Rows, labels: Labels, previous: Floats) -> tuple[Floats, Floats]:
    """Return each cluster's Minkowski centre (eq. 3.7) and dispersions (eq. 3.9), (K, M) each.

    A cluster without rows, or without an observed value of a feature, keeps what `previous` has
    there; its dispersion is then 0, or NaN for a feature it never saw.
    """
    order = np.empty(len(labels), dtype=np.int64)
    starts = np.empty(len(previous) + 1, dtype=np.int64)
    kernels.group_rows(labels, order, starts)
    centers, spread = previous.copy(), np.zeros_like(previous)
    kernels.column_centers(
        *(np.ascontiguousarray(rows.X.T), order, starts, rows.load[order], rows.exponent),
        *(0, rows.X.shape[1], centers, spread),
    )
    spread[starts[:-1] == starts[1:]] = 0.0
    return centers, spread


def center_of(rows: Rows, which: Integers, guess: Floats) -> tuple[Floats, Floats]:
    """Return the centre (M,) and dispersions (M,) of some of the rows."""
    part = rows._replace(X=rows.X[which], load=rows.load[which])
    centers, spread = centers_of(part, np.zeros(len(which), dtype=np.int32), guess[None])
    return centers[0], spread[0]


def power_sums(
    rows: Rows, labels: Labels, centers: Floats, units: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return seen, total, slope and curve, (K, M) each: see `cluster_powers` of the kernels."""
    seen, total, slope, curve = (np.empty_like(centers) for _ in range(4))
    kernels.cluster_powers(
        *(rows.X, labels, rows.load, centers, units, rows.exponent),
        *(seen, total, slope, curve),
    )
    return seen, total, slope, curve


def row_keys(X: Floats, multipliers: Floats) -> Floats:
    """Return one number per row that does not depend on where the row stands, (n,)."""
    keys = np.empty(len(X))
    kernels.row_keys(X, multipliers, keys)
    return keys
