"""Powered distances between rows, one feature after the other.

========  ==========  ======================================================================
symbol    shape       meaning
========  ==========  ======================================================================
left      (m, n)      columns of the rows on the left: ``left[f, i]`` is c_f · x_if
right     (m, q)      the same for the rows on the right
p         (m,)        exponent of each feature
out       (b, q)      powered distances of the left rows start … stop - 1
========  ==========  ======================================================================

Features come one per row of the array, already weighted, and dropped features are not there at
all. A powered distance is the sum *before* the root: Σ_f |left_fi - right_fj|^p_f. Each pair is
summed over the features in their order, so that its bits depend neither on how rows are cut into
blocks nor on which of the two comes first, and equal rows are at distance 0 exactly.
"""

from __future__ import annotations

import numpy as np

from weft._base.arrays import Floats


def squared_block(left: Floats, start: int, stop: int, right: Floats, out: Floats) -> None:
    """Fill `out` with Σ_f (left_fi - right_fj)², the square of eq. 5.1."""
    out[:] = 0.0
    for left_column, right_column in zip(left, right, strict=True):
        difference = right_column[np.newaxis, :] - left_column[start:stop, np.newaxis]
        out += difference * difference


def squared_matrix(columns: Floats, out: Floats) -> None:
    """Fill `out` with the squared distances between all rows."""
    squared_block(columns, 0, columns.shape[1], columns, out)


def powered_block(
    left: Floats, start: int, stop: int, right: Floats, exponents: Floats, out: Floats
) -> None:
    """Fill `out` with Σ_f |left_fi - right_fj|^p_f, eq. 6.1 before its root."""
    out[:] = 0.0
    for left_column, right_column, exponent in zip(left, right, exponents, strict=True):
        difference = right_column[np.newaxis, :] - left_column[start:stop, np.newaxis]
        out += np.abs(difference) ** exponent


def powered_matrix(columns: Floats, exponents: Floats, out: Floats) -> None:
    """Fill `out` with the powered distances between all rows."""
    powered_block(columns, 0, columns.shape[1], columns, exponents, out)
