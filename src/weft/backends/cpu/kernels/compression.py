"""Maximal information compression between features: see the reference for the formulas."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def compression_tile(covariances, variances, others, out):
    """Fill out[i, j] with λ2 (eq. 5.2) from the covariances of a tile."""
    for i in range(covariances.shape[0]):
        a = variances[i]
        for j in range(covariances.shape[1]):
            b = others[j]
            c = covariances[i, j]
            largest = 0.5 * ((a + b) + np.sqrt((a - b) ** 2 + 4.0 * c**2))
            determinant = a * b - c**2
            positive = determinant > 0.0 and largest > 0.0
            out[i, j] = determinant / largest if positive else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def kth_alive(indices, values, alive, k, out):
    """Fill out[i] with the k-th value of row i whose index is alive; NaN if there are fewer."""
    for i in range(indices.shape[0]):
        out[i] = np.nan
        seen = 0
        for slot in range(indices.shape[1]):
            if alive[indices[i, slot]]:
                seen += 1
                if seen == k:
                    out[i] = values[i, slot]
                    break


@njit(nogil=True, cache=True, error_model="numpy")
def alive_within(indices, values, alive, limit, out):
    """Fill out[i] with how many entries of row i are alive and at most `limit`."""
    for i in range(indices.shape[0]):
        count = 0
        for slot in range(indices.shape[1]):
            if values[i, slot] > limit:
                break
            if alive[indices[i, slot]]:
                count += 1
        out[i] = count
