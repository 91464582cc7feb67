"""Whether rows of a mixed table are clumped, or one cloud cut into the same levels.

Clustered rows have near neighbours. How near is near is told by clouds with the same margins, the
same gaps and the same monotone dependence (see `weft.columns.mixed.copula`). Gaps are filled in the
table and in the clouds alike, by the directions of the table: distances over what two rows share
are too noisy to tell clumps from a cloud once a fifth of the values is missing.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import t as student

from weft._base.arrays import Floats
from weft.columns.mixed.copula import draw_cloud, fit_copula
from weft.columns.mixed.embedding import learn_embedding, transform
from weft.columns.source import MixedTable

MAX_ROWS = 500
N_CLOUDS = 20
NEIGHBOUR = 5
# Added to squared distances per column before the logarithm: rows of few levels repeat each other,
# and the logarithm of 0 would leave nothing else to say.
FLOOR = 0.02


def is_clumped(table: MixedTable, level: float, rng: np.random.Generator) -> bool:
    """Say whether the rows are nearer to each other than in one cloud, at that level."""
    if len(table.used) < 2:
        return False  # its margin is all there is, and that is kept in every cloud
    return clumping(table, rng) > student.isf(level, N_CLOUDS - 1)


def clumping(table: MixedTable, rng: np.random.Generator) -> float:
    """Return how many deviations of the clouds' nearness the rows are nearer to each other."""
    if len(table.values) > MAX_ROWS:
        chosen = np.sort(rng.choice(len(table.values), MAX_ROWS, replace=False))
        table = table.take_rows(chosen)
    if len(table.values) < 2 * NEIGHBOUR:
        return 0.0
    embedding = learn_embedding(table)
    copula = fit_copula(table)
    drawn = [transform(embedding, draw_cloud(copula, rng)) for _ in range(N_CLOUDS)]
    clouds = np.array([nearness(points, len(table.used)) for points in drawn])
    spread = max(float(clouds.std(ddof=1)) * np.sqrt(1.0 + 1.0 / N_CLOUDS), 1e-12)
    own = nearness(transform(embedding, table.values), len(table.used))
    return float((own - clouds.mean()) / spread)


def nearness(points: Floats, n_sources: int) -> float:
    """Return minus the mean log distance of a row to its fifth neighbour."""
    lengths = (points**2).sum(axis=1)
    squared = lengths[:, np.newaxis] + lengths[np.newaxis, :] - 2.0 * (points @ points.T)
    np.fill_diagonal(squared, np.inf)
    fifth = np.partition(squared, NEIGHBOUR - 1, axis=1)[:, NEIGHBOUR - 1]
    return float(-0.5 * np.log(np.maximum(fifth, 0.0) / n_sources + FLOOR).mean())
