"""Whether rows of a mixed table are clumped, or one cloud cut into the same levels.

Clustered rows have near neighbours, and lie near few centres. What counts as near is measured on
clouds with the same margins, the same gaps and the same monotone dependence (see
`weft.columns.mixed.copula`). Centres are needed because neighbours are not enough if columns have
few levels: then the rows of a cloud repeat each other as well. Gaps are filled in the table and in
the clouds in the same way, by the directions of the table. Distances over the columns that two rows
share would be too noisy if a fifth of the values is missing.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import t as student

from weft._base.arrays import Floats
from weft.columns.mixed.copula import draw_cloud, fit_copula
from weft.columns.mixed.embedding import transform
from weft.columns.mixed.main_directions import MainView, along_main_directions, learn_main_view
from weft.columns.source import MixedTable
from weft.kmeans.plain import kmeans

MAX_ROWS = 500
N_CLOUDS = 20
NEIGHBOUR = 5
N_CENTERS = (2, 3, 4, 6)
N_STARTS = 3
# Added to squared distances per column before the logarithm: rows of few levels repeat each other,
# and the logarithm of 0 would dominate the mean.
FLOOR = 0.02


def is_clumped(table: MixedTable, level: float, rng: np.random.Generator) -> bool:
    """Return whether the rows are nearer to each other than in one cloud, at that level."""
    if len(table.used) < 2:
        return False  # a single column has only its margin, which every cloud keeps
    # The largest of several statistics is tested, each at its share of the level.
    share = level / (1 + len(N_CENTERS))
    return clumping(table, rng) > student.isf(share, N_CLOUDS - 1)


def clumping(table: MixedTable, rng: np.random.Generator, n_clouds: int = N_CLOUDS) -> float:
    """Return by how many deviations the rows are more clumped than the clouds.

    This is the largest value over the distances to neighbours and to 2, 3, 4 and 6 centres.
    """
    if len(table.values) > MAX_ROWS:
        chosen = np.sort(rng.choice(len(table.values), MAX_ROWS, replace=False))
        table = table.take_rows(chosen)
    if len(table.values) < 2 * NEIGHBOUR:
        return 0.0
    view = learn_main_view(table)
    copula = fit_copula(table)
    clouds = np.array([_statistics(view, draw_cloud(copula, rng), rng) for _ in range(n_clouds)])
    spread = np.maximum(clouds.std(axis=0, ddof=1) * np.sqrt(1.0 + 1.0 / n_clouds), 1e-12)
    own = _statistics(view, table.values, rng)
    return float(((own - clouds.mean(axis=0)) / spread).max())


def _statistics(view: MainView, values: Floats, rng: np.random.Generator) -> Floats:
    """Return how near the rows are to each other, and to 2, 3, 4 and 6 centres."""
    n_sources = len({block.source for block in view.embedding.blocks})
    near = nearness(transform(view.embedding, values), n_sources)
    points = along_main_directions(view, values)
    total = float(((points - points.mean(axis=0)) ** 2).sum())
    if not total > 0.0:
        return np.full(1 + len(N_CENTERS), near)
    within = [kmeans(points, count, N_STARTS, rng).within for count in N_CENTERS]
    return np.array([near, *(-np.log(np.maximum(within, 1e-12 * total) / total))])


def nearness(points: Floats, n_sources: int) -> float:
    """Return minus the mean log distance of a row to its fifth neighbour."""
    lengths = (points**2).sum(axis=1)
    squared = lengths[:, np.newaxis] + lengths[np.newaxis, :] - 2.0 * (points @ points.T)
    np.fill_diagonal(squared, np.inf)
    fifth = np.partition(squared, NEIGHBOUR - 1, axis=1)[:, NEIGHBOUR - 1]
    return float(-0.5 * np.log(np.maximum(fifth, 0.0) / n_sources + FLOOR).mean())
