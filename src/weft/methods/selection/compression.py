"""The maximal information compression index (de Amorim 2011, eq. 5.2).

P. Mitra, C. A. Murthy and S. K. Pal, "Unsupervised feature selection using feature similarity",
IEEE Transactions on Pattern Analysis and Machine Intelligence 24(3), 2002.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft._base.arrays import Floats
from weft._base.reading import read_array
from weft.backends import CPU


def maximal_information_compression(x: Any, y: Any = None) -> Any:
    """Return λ2: the loss when two features are reduced to one; 0 if they are linearly dependent.

    It is the smallest eigenvalue of the covariance matrix of two features (variances over n). It
    does not change if both are shifted or rotated together, but it changes if one is scaled, so
    scale the features first.

    Parameters
    ----------
    x : array-like of shape (n_samples,) or (n_samples, n_features)
        A feature, or a table of them.
    y : array-like of shape (n_samples,) or (n_samples, n_others), default=None
        The features to compare with; None: the features of `x` with each other.

    Returns
    -------
    float or ndarray of shape (n_features, n_others)
        A number for two vectors, a matrix for tables.

    Examples
    --------
    >>> from weft.methods.selection import maximal_information_compression
    >>> maximal_information_compression([0.0, 1.0, 2.0, 3.0], [1.0, 3.0, 5.0, 7.0])
    0.0
    >>> maximal_information_compression([-1.0, 1.0, -1.0, 1.0], [-1.0, -1.0, 1.0, 1.0])
    1.0
    """
    first = _columns("x", x)
    second = first if y is None else _columns("y", y)
    if first.shape[1] != second.shape[1]:
        raise ValueError(
            f"x has {first.shape[1]} rows and y has {second.shape[1]}; pass features of the same "
            "rows."
        )
    out = np.vstack([tile for _, tile in CPU.columns.compression_tiles(first, second)])
    if np.ndim(x) == 1 and np.ndim(y) == 1:
        return float(out[0, 0])
    return out


def _columns(name: str, values: Any) -> Floats:
    """Return the features as centred rows (M, n)."""
    table = np.asarray(values)
    if table.ndim == 1:
        table = table[:, np.newaxis]
    return centred(read_array(table, name=name))


def centred(X: Floats) -> Floats:
    """Return the columns of X as rows (M, n), each with mean 0."""
    return np.ascontiguousarray((X - X.mean(axis=0)).T)


def range_scaled(X: Floats) -> Floats:
    """Return the columns of X as rows (M, n), centred and divided by half their range (eq. 3.13).

    A constant feature becomes 0.
    """
    columns = centred(X)
    half = 0.5 * np.ptp(columns, axis=1)
    columns /= np.where(half > 0.0, half, 1.0)[:, np.newaxis]
    return columns
