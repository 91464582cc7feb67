"""Whether missing values are related to the clusters: a warning, never used to find clusters.

A value may be missing for a reason that depends on the row: a test that was made only for sick
people, or a question that only some were asked. If a column is missing far more often in some
cluster than in the others, the missing values may explain the cluster. This is measured by χ² of a
column's gaps and the clusters; the column with the largest value is named if that value is not due
to chance.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2

from weft._base.arrays import Integers
from weft.columns.source import MixedTable

LEVEL = 0.001  # for all columns together
LEAST_CONTRAST = 0.2  # between the shares of gaps in two clusters
FEWEST_GAPS = 10


def describe_gaps(labels: Integers, table: MixedTable) -> str:
    """Return a sentence on the column whose gaps are most related to the clusters, or ""."""
    inside = labels >= 0
    names = np.unique(labels[inside], return_inverse=True)[1]
    sizes = np.bincount(names).astype(np.float64)
    if len(sizes) < 2:
        return ""
    best = (0.0, "", 0.0, 0.0)
    for column in table.used:
        gaps = np.isnan(table.values[inside, column.positions[0]])
        share = float(gaps.mean())
        if gaps.sum() < FEWEST_GAPS or (~gaps).sum() < FEWEST_GAPS:
            continue
        own = np.bincount(names, gaps, len(sizes)) / sizes
        statistic = float((sizes * (own - share) ** 2).sum() / (share * (1.0 - share)))
        chance = chi2.sf(statistic, len(sizes) - 1) * len(table.used)
        contrast = float(own.max() - own.min())
        if chance < LEVEL and contrast >= LEAST_CONTRAST and statistic > best[0]:
            best = (statistic, column.name, float(own.min()), float(own.max()))
    if not best[1]:
        return ""
    return (
        f"values of column {best[1]!r} are missing in {best[2]:.0%} of the rows of one cluster and "
        f"in {best[3]:.0%} of another: ask why they are missing before the clusters are used"
    )
