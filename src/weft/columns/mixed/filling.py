"""Missing coordinates from the main directions of the table: an iterated, shrunken SVD.

The rows are taken to lie near a few directions V, with noise of variance σ² around them. Filling a
gap with the value on those directions and finding the directions of the filled table are repeated
until nothing moves (Josse and Husson, "Handling missing values in exploratory multivariate data
analysis methods", 2012; Audigier, Husson and Josse, "A principal component method to impute missing
values for mixed data", 2016). Each direction is shrunk by (λ - σ²) / λ, the share of its variance
that is not noise: without it, gaps would be filled too far out and the directions would follow the
filled values.

=======  ======  ==================================================================================
symbol   shape   meaning
=======  ======  ==================================================================================
X        (n, P)  coordinates of unit variance, NaN where missing
V        (P, r)  main directions
D        (r,)    shrinkage of each, (λ - σ²) / λ
=======  ======  ==================================================================================

A direction is kept if its eigenvalue is above (1 + √(P / n))², the largest that columns without any
link reach (Marchenko and Pastur). If no direction is kept, gaps stay at 0, the mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats
from weft.kmeans.ordering import canonical_order
from weft.parallel.blas import one_blas_thread

MAX_DIRECTIONS = 10
MAX_ROUNDS = 100
MAX_ROWS = 20_000  # rows that the directions are learned from
SAME = 1e-4  # largest change of a filled value, in deviations, at which the rounds stop
CHUNK = 8192


class Directions(NamedTuple):
    """Main directions (P, r) and how far each is shrunk (r,)."""

    axes: Floats
    shrinkage: Floats


def no_directions(n_coordinates: int) -> Directions:
    """Return directions that leave every gap at the mean."""
    return Directions(np.zeros((n_coordinates, 0)), np.zeros(0))


def find_directions(coordinates: Floats) -> Directions:
    """Return the main directions of coordinates with gaps (NaN)."""
    gaps = np.isnan(coordinates)
    if not gaps.any():
        return no_directions(coordinates.shape[1])
    # A column without any value has nothing to fill in: it is 0 in every row.
    rows = np.where(gaps.all(axis=0), 0.0, coordinates)
    rows = rows[canonical_order(rows)[0]]
    if len(rows) > MAX_ROWS:  # evenly through an order that depends on the values alone
        rows = rows[np.linspace(0, len(rows) - 1, MAX_ROWS).astype(np.int64)]
    gaps = np.isnan(rows)
    filled = np.where(gaps, 0.0, rows)
    found = no_directions(rows.shape[1])
    with one_blas_thread():
        for _ in range(MAX_ROUNDS):
            found = _main_directions(filled)
            if len(found.shrinkage) == 0:
                break
            fitted = (filled @ found.axes * found.shrinkage) @ found.axes.T
            change = np.abs(fitted - filled)[gaps].max(initial=0.0)
            filled = np.where(gaps, fitted, filled)
            if change < SAME:
                break
    return found


def _main_directions(filled: Floats) -> Directions:
    n, n_coordinates = filled.shape
    values, vectors = np.linalg.eigh(filled.T @ filled / n)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    edge = (1.0 + np.sqrt(n_coordinates / n)) ** 2
    count = min(int((values > edge).sum()), MAX_DIRECTIONS, n_coordinates - 1)
    noise = float(values[count:].mean())
    return Directions(vectors[:, :count], (values[:count] - noise) / values[:count])


def fill(coordinates: Floats, directions: Directions) -> Floats:
    """Return the coordinates with every gap at its value on the directions, row by row.

    With the gaps m of a row, its scores t = V'x and x_m = V_m D t, which gives r equations (I -
    V_m'V_m D) t = V_o'x_o: the fixed point of the rounds of `find_directions`.
    """
    out = np.ascontiguousarray(coordinates)
    axes, shrinkage = directions
    count = len(shrinkage)
    rows = np.flatnonzero(np.isnan(out).any(axis=1))
    squares = (axes[:, :, np.newaxis] * axes[:, np.newaxis, :]).reshape(len(axes), count * count)
    with one_blas_thread():
        for first in range(0, len(rows), CHUNK):
            part = rows[first : first + CHUNK]
            block = out[part]
            gaps = np.isnan(block)
            block[gaps] = 0.0
            if count:
                lost = (gaps @ squares).reshape(len(part), count, count) * shrinkage
                scores = np.linalg.solve(np.eye(count) - lost, (block @ axes)[:, :, np.newaxis])
                fitted = (scores[:, :, 0] * shrinkage) @ axes.T
                block = np.where(gaps, fitted, block)
            out[part] = block
    return out
