"""Maximal information compression between features, and lookups in lists of neighbours.

a_i, b_j  variances; c_ij  covariances.
"""

from __future__ import annotations

import numpy as np


def compression_tile(covariances, variances, others, out):
    """Fill out[i, j] with λ2 (eq. 5.2), the least eigenvalue of [[a_i, c_ij], [c_ij, b_j]].

    2 λ2 = (a + b) - √((a + b)² - 4 a b (1 - ρ²)) = (a + b) - √((a - b)² + 4 c²). The form with
    the determinant, λ2 = (a b - c²) / λ1, does not subtract two nearly equal numbers twice.
    """
    a = variances[:, np.newaxis]
    b = others[np.newaxis, :]
    largest = 0.5 * ((a + b) + np.sqrt((a - b) ** 2 + 4.0 * covariances**2))
    determinant = np.maximum(a * b - covariances**2, 0.0)
    out[...] = np.where(largest > 0.0, determinant / np.where(largest > 0.0, largest, 1.0), 0.0)


def kth_alive(indices, values, alive, k, out):
    """Fill out[i] with the k-th value of row i whose index is alive; NaN if there are fewer."""
    for i in range(len(indices)):
        left = values[i, alive[indices[i]]]
        out[i] = left[k - 1] if len(left) >= k else np.nan


def alive_within(indices, values, alive, limit, out):
    """Fill out[i] with how many entries of row i are alive and at most `limit`."""
    for i in range(len(indices)):
        out[i] = int((alive[indices[i]] & (values[i] <= limit)).sum())
