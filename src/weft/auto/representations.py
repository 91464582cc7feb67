"""Further representations of the same rows. Clusters found in several are less likely chance.

Profiles, for wide tables. Most columns that depend on others follow weak factors that run through
all of them, such as the quality of a sample. Columns that separate groups vary more, if all share a
unit, or have two modes. A profile has only such columns, and its length does not count: two rows
are near if their profiles are correlated.

Even axes, for other tables. Where columns share a strong factor, such as size, groups may differ in
directions of little variance. On even axes every direction has the same variance.
"""

from __future__ import annotations

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.auto.working import PLAIN_COLUMNS, on_few_axes, positive_where_largest, standardised

FEWEST, MOST = 200, 2_000  # columns of a profile
SHARE = 0.1  # of the columns that depend on others
SMALLEST_HEAP = 0.05  # of the rows
TILE = 2_000  # columns that are sorted at once
FEWEST_FOR_AXES = 4  # columns from which even axes are used
NO_VARIANCE = 1e-3  # deviation of an axis, relative to the largest, below which it is rounding


def profiles_of(table: Floats, scales: Floats | None) -> Floats:
    """Return the rows on their most informative columns, centred and of length 1.

    Parameters
    ----------
    table : (n, d) columns in units of their deviations
    scales : (d,) the deviations, if the columns share a unit
    """
    telling = two_heaps(table) if scales is None else scales
    columns = most_telling(telling)
    chosen = table[:, columns] if scales is None else table[:, columns] * scales[columns]
    chosen = chosen - chosen.mean(axis=0)
    chosen -= chosen.mean(axis=1, keepdims=True)
    lengths = np.sqrt((chosen * chosen).sum(axis=1, keepdims=True))
    return np.asarray(chosen / np.where(lengths > 0.0, lengths, 1.0))


def most_telling(telling: Floats) -> Integers:
    """Return the columns with the largest values, in their order: a tenth, 200 to 2,000."""
    count = int(np.clip(SHARE * len(telling), FEWEST, MOST))
    return np.sort(np.argsort(-telling, kind="stable")[:count])


def two_heaps(table: Floats) -> Floats:
    """Return the largest share of a column's variance that a cut into two parts explains.

    With the first i of n sorted values, whose sum is s, in one part, and t the sum of all, the sum
    of squares between the parts is (s - t i / n)² n / (i (n - i)).
    """
    n, d = table.shape
    smallest = min(max(3, int(SMALLEST_HEAP * n)), n // 2)
    size = np.arange(smallest, n - smallest + 1)[:, None]
    shares = np.empty(d)
    for first in range(0, d, TILE):
        part = np.sort(table[:, first : first + TILE], axis=0)
        part = part - part.mean(axis=0)
        sums = np.cumsum(part, axis=0)[smallest - 1 : n - smallest]
        between = (sums * sums * n / (size * (n - size))).max(axis=0)
        total = (part * part).sum(axis=0)
        shares[first : first + TILE] = between / np.where(total > 0.0, total, 1.0)
    return shares


def on_even_axes(table: Floats) -> Floats:
    """Return the rows on the principal axes of their columns, each of length 1.

    Of more than 12 columns only axes beyond those of noise count, 12 at most.
    """
    points = on_few_axes(standardised(table), PLAIN_COLUMNS)
    points = points - points.mean(axis=0)
    values, vectors = np.linalg.eigh(points.T @ points)
    kept = values > NO_VARIANCE**2 * values[-1]
    return positive_where_largest((points @ vectors[:, kept]) / np.sqrt(values[kept]))
