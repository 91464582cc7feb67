"""An order of the rows by their values alone, for draws and ties that ignore the given order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Mask
from weft.backends import CPU

Rows = NDArray[np.int64]


def canonical_order(X: Floats) -> tuple[Rows, Floats]:
    """Return an order of the rows by their values alone, and the key that gives it."""
    multipliers = np.sqrt(np.arange(2.0, X.shape[1] + 2.0)) % 1.0 + 0.5
    scale = np.nanmax(np.abs(X), axis=0)
    scale = np.where(scale > 0.0, scale, 1.0)
    keys = CPU.kmeans.row_keys(X, multipliers / scale)
    order = np.argsort(keys, kind="stable")
    same = np.concatenate([[False], np.diff(keys[order]) == 0.0, [False]])
    tied = same[:-1] | same[1:]
    if tied.any():
        rows = order[tied]
        order[tied] = rows[np.lexsort((_second_keys(X[rows], scale), keys[rows]))]
    return order, keys


def _second_keys(X: Floats, scale: Floats) -> Floats:
    """Return keys for different rows of the same key: √4 and √9 are whole, and NaN counts as 0."""
    of_values, of_gaps = np.random.default_rng(0).random((2, X.shape[1]))
    gaps = np.isnan(X)
    keys = CPU.kmeans.row_keys(X, of_values / scale)
    return keys + CPU.kmeans.row_keys(gaps.astype(np.float64), of_gaps) if gaps.any() else keys


def starts_of_groups(X: Floats, order: Rows, keys: Floats) -> Mask:
    """Return which rows, in canonical order, differ from the row before."""
    starts = np.concatenate([[True], np.diff(keys[order]) > 0.0])
    tied = np.flatnonzero(~starts)
    before, after = order[tied - 1], order[tied]
    for column in X.T:
        one, other = column[before], column[after]
        starts[tied] |= (one != other) & ~(np.isnan(one) & np.isnan(other))
    return starts
