"""Whether columns that depend on each other are clumped, or one correlated cloud.

Clustered rows have near neighbours. What counts as near is measured on rows drawn with the same
margins and the same rank correlations (a Gaussian copula), which form one cloud, whatever its
correlations, tails or steps. If the distance to the fifth neighbour is smaller than in such clouds,
the columns show more than correlation.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from weft._base.arrays import Floats, Integers
from weft.kmeans.plain import sample

MOST_ROWS = 500
N_CLOUDS = 10
NEIGHBOUR = 5


def is_clumped(rows: Floats, level: float, rng: np.random.Generator) -> bool:
    """Return whether the rows are nearer to each other than in one cloud, at that level."""
    if rows.shape[1] < 2:
        return False  # a single column has only its margin, which every draw keeps
    return clumping(rows, rng) > student.isf(level, N_CLOUDS - 1)


def clumping(rows: Floats, rng: np.random.Generator) -> float:
    """Return how many deviations of the clouds' mean log distance the rows lie below it."""
    rows = sample(rows, MOST_ROWS, rng)
    deviation = rows.std(axis=0)
    rows = rows[:, deviation > 0.0] / deviation[deviation > 0.0]
    if len(rows) < 2 * NEIGHBOUR or rows.shape[1] < 2:
        return 0.0
    # Rows that repeat have distance 0: a tiny constant keeps the logarithm finite.
    dusty = rows + 1e-6 * rng.standard_normal(rows.shape)
    order = np.argsort(dusty, axis=0)
    normal = norm.ppf((np.arange(len(rows)) + 0.5) / len(rows))[places_of(order)]
    axes, turns = np.linalg.eigh(np.corrcoef(normal, rowvar=False))
    mix = turns * np.sqrt(np.maximum(axes, 0.0))
    ordered = np.take_along_axis(dusty, order, axis=0)
    clouds = np.empty(N_CLOUDS)
    for number in range(N_CLOUDS):
        cloud = rng.standard_normal(rows.shape) @ mix.T
        drawn = np.empty_like(ordered)
        np.put_along_axis(drawn, np.argsort(cloud, axis=0), ordered, axis=0)
        clouds[number] = mean_log_distance(drawn)
    gap = clouds.mean() - mean_log_distance(dusty)
    return float(gap / max(clouds.std(ddof=1) * np.sqrt(1.0 + 1.0 / N_CLOUDS), 1e-12))


def places_of(order: Integers) -> Integers:
    """Return the place of each value among those of its column, from their order."""
    places = np.empty_like(order)
    np.put_along_axis(places, order, np.arange(len(order))[:, np.newaxis], axis=0)
    return places


def mean_log_distance(rows: Floats) -> float:
    """Return the mean log distance of a row to its fifth neighbour."""
    lengths = (rows**2).sum(axis=1)
    squared = lengths[:, np.newaxis] + lengths[np.newaxis, :] - 2.0 * (rows @ rows.T)
    np.fill_diagonal(squared, np.inf)
    fifth = np.partition(squared, NEIGHBOUR - 1, axis=1)[:, NEIGHBOUR - 1]
    return float(0.5 * np.log(np.maximum(fifth, 1e-14)).mean())
