"""Rows that arrive in batches and are not stored.

For the rows seen so far, each cluster stores its mass, its dispersions and the curvature of Σ m
|d|^p around its centre. A batch is assigned, the centre takes the Newton step given by its slope
and both curvatures, and the dispersions follow to the second order. For p = 2 all of this is exact:
the centre is the mean, and the dispersion the sum of squares, of all rows assigned to the cluster
so far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Labels
from weft.kmeans.blocks import Step, block_data, sums, units_of
from weft.kmeans.data import nearest


class Stream(NamedTuple):
    """The stored sums of the rows seen so far."""

    low: Floats  # (M,)
    high: Floats
    units: Floats  # (M,), powers of 2, from the first batch
    mass: Floats  # (K,)
    sizes: Floats  # (K,)
    seen: Floats  # (K, M)
    total: Floats  # (K, M), Σ m |d|^p around the centres, in `units`
    curve: Floats


class Advance(NamedTuple):
    """The stream after a batch, its new centres, and the labels of the batch."""

    stream: Stream
    centers: Floats
    labels: Labels


def begin(n_clusters: int, low: Floats, high: Floats) -> Stream:
    """Return a stream that has seen nothing; `low` and `high` are those of the first batch."""
    flat, wide = np.zeros(n_clusters), np.zeros((n_clusters, len(low)))
    return Stream(low, high, units_of(low, high), flat, flat, wide, wide, wide)


def advance(
    stream: Stream, rows: Floats, mass: Floats, centers: Floats, factors: Floats, exponent: float
) -> Advance:
    """Add a batch."""
    step = Step(centers, factors, centers, stream.units, exponent, {})
    batch = sums(0, rows, mass, step)
    p = exponent
    curve = stream.curve + batch.curve
    with np.errstate(divide="ignore", invalid="ignore"):
        move = -batch.slope / (curve * (p - 1.0))
    # Too few rows could give a step beyond the range of the rows seen so far.
    low = np.fmin(stream.low, np.fmin.reduce(rows, axis=0))
    high = np.fmax(stream.high, np.fmax.reduce(rows, axis=0))
    new_centers = np.clip(centers + np.where(curve > 0.0, move, 0.0) / stream.units, low, high)
    move = (new_centers - centers) * stream.units
    total = (
        stream.total + batch.total + p * batch.slope * move + 0.5 * p * (p - 1.0) * curve * move**2
    )
    after = Stream(
        low,
        high,
        stream.units,
        stream.mass + batch.mass,
        stream.sizes + batch.sizes,
        stream.seen + batch.seen,
        np.maximum(total, 0.0),
        curve,
    )
    labels = nearest(block_data(rows, mass, exponent), centers, factors)
    return Advance(after, new_centers, labels)


def dispersions(stream: Stream, exponent: float) -> Floats:
    """Return (K, M) dispersions in the columns' own units; NaN where nothing was observed."""
    spread = stream.total / stream.units**exponent
    lost = (stream.seen <= 0.0) & (stream.sizes > 0.0)[:, None]
    return np.where(lost, np.nan, spread)
