"""A second view of the same rows: clusters that both views show are less likely due to chance.

The working axes lose minor directions, and long tails dominate them. The second view avoids both:
it uses the normal scores of the columns if there are few columns, otherwise all columns, each in
units of its deviation.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from weft.auto.kernels import distances as kernels

FEW_COLUMNS = 64  # up to which distances are summed column by column

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class View(NamedTuple):
    """How far the rows are from each other in one view.

    Attributes
    ----------
    distances : (n, n) Euclidean distances
    neighbours, neighbour_distances : (n, k) nearest other rows, nearest first
    """

    distances: Floats
    neighbours: Ints
    neighbour_distances: Floats


def normal_scores(table: Floats) -> Floats:
    """Columns as standard normal quantiles of their ranks; equal values share one."""
    return np.asarray(ndtri((rankdata(table, axis=0) - 0.5) / len(table)))


def distances_in(points: Floats) -> Floats:
    """Euclidean distances between all rows; many columns by one product of the table."""
    n = len(points)
    out = np.empty((n, n))
    if points.shape[1] <= FEW_COLUMNS:
        kernels.pairwise(np.ascontiguousarray(points), out)
        return out
    squares = (points * points).sum(axis=1)
    np.matmul(points, points.T, out=out)
    np.maximum(squares[:, None] + squares - 2.0 * out, 0.0, out=out)
    np.sqrt(out, out=out)
    # Rounding may make the two halves of a product differ in the last digit.
    out = np.minimum(out, out.T)
    np.fill_diagonal(out, 0.0)
    return out


def second_view(table: Floats, few: bool, n_neighbours: int) -> View:
    """Return the view of standardised columns: normal scores if they are `few`, else unchanged."""
    distances = distances_in(normal_scores(table) if few else table)
    n = len(distances)
    k = min(n_neighbours, n - 1)
    neighbours, lengths = np.empty((n, k), dtype=np.int64), np.empty((n, k))
    kernels.nearest(distances, k, neighbours, lengths)
    return View(distances, neighbours, lengths)
