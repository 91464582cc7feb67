"""One column of a mixed table as points, so that its squared distances average 2.

A block maps each value of a column to a point. For every kind of column, the points of the rows
have mean 0 and total variance 1, so two random rows have a mean squared distance of 2 in every
block: no column counts for more because of its unit, its number of levels or its kind.

========  =====================================================  =================================
measure   point of a value                                       two values are far apart if
========  =====================================================  =================================
number    (x - mean) / deviation, tails pulled in                their difference is large
ordered   the share of rows below the level, standardised        many rows lie between them
category  (1[level] - share) / √share, divided by √(levels - 1)  they differ, more if rare
cyclic    (cos, sin) of the angle, standardised                  the shorter way round is long
========  =====================================================  =================================

The points of a category are those of multiple correspondence analysis (Greenacre, "Correspondence
analysis in practice", 2017), whose total variance is levels - 1. After division by its square root,
a category with 14 levels counts as much as a number. The points of the levels span levels - 1
directions; a reflection maps them to this many coordinates and keeps all distances.

Levels with few rows would lie far from everything, at 1 / √share: levels under `RARE_ROWS` rows or
`RARE_SHARE` of the rows share one point, that of all of them together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers

RARE_ROWS = 5
RARE_SHARE = 0.02
TAIL = 2.0  # deviations (robust ones) from which a number's distance grows by its logarithm
QUARTILE = 0.6744897501960817  # of the normal distribution


class Block(NamedTuple):
    """Where the values of one column lie.

    Attributes
    ----------
    position : int
        The column of the table's matrix.
    source : int
        The number of its source column among those that are used.
    measure : str
        "number", "ordered", "category" or "cyclic".
    period : float
        Length of the circle of a cyclic column, 0 elsewhere.
    points : ndarray
        Category and ordered: (levels, width), the point of each level, NaN where the level was not
        seen. Number: (1, 4), middle and half-width of the core, mean and deviation of the pulled-in
        values. Cyclic: (1, 3), the means of cosine and sine, and their deviation.
    share : float
        What the points are multiplied by: 1 / √parts, where a source column has several parts.
    """

    position: int
    source: int
    measure: str
    period: float
    points: Floats
    share: float

    @property
    def width(self) -> int:
        """Number of coordinates."""
        if self.measure in ("category", "ordered"):
            return int(self.points.shape[1])
        return 2 if self.measure == "cyclic" else 1


def number_points(values: Floats) -> Floats:
    """Return how a column of numbers is standardised; `values` holds no NaN."""
    # Sums over sorted values do not depend on the order of the rows.
    ordered = np.sort(values)
    low, middle, high = np.quantile(ordered, (0.25, 0.5, 0.75)) if len(ordered) else (0.0, 0.0, 0.0)
    core = (high - low) / (2.0 * QUARTILE)
    if not core > 0.0:  # half of the rows share one value: the standard deviation is used
        middle, core = (ordered.mean(), ordered.std()) if len(ordered) else (0.0, 0.0)
    if not core > 0.0:
        return np.array([[middle, 1.0, 0.0, 0.0]])
    pulled = pull_in((ordered - middle) / core)
    deviation = float(pulled.std())
    return np.array([[middle, core, pulled.mean(), 1.0 / deviation if deviation > 0.0 else 0.0]])


def pull_in(scores: Floats) -> Floats:
    """Return scores whose part beyond `TAIL` grows by its logarithm, smoothly."""
    beyond = np.maximum(np.abs(scores) - TAIL, 0.0)
    return np.sign(scores) * (np.minimum(np.abs(scores), TAIL) + np.log1p(beyond))


def cyclic_points(values: Floats, period: float) -> Floats:
    """Return the means of cosine and sine and the divisor that makes their total variance 1."""
    angles = np.sort(values % period) * (2.0 * np.pi / period)
    if len(angles) == 0:
        return np.array([[0.0, 0.0, 0.0]])
    cosine, sine = np.cos(angles), np.sin(angles)
    variance = float(cosine.var() + sine.var())
    factor = 1.0 / np.sqrt(variance) if variance > 1e-12 else 0.0
    return np.array([[cosine.mean(), sine.mean(), factor]])


def ordered_points(codes: Integers, n_levels: int) -> Floats:
    """Return one coordinate per level: its mean rank among the rows, standardised."""
    counts = np.bincount(codes, minlength=n_levels).astype(float)
    shares = counts / max(counts.sum(), 1.0)
    middle = np.cumsum(shares) - 0.5 * shares
    variance = float(shares @ (middle - 0.5) ** 2)  # the mean of the middles is 1/2
    scores = (middle - 0.5) / np.sqrt(variance) if variance > 0.0 else np.zeros(n_levels)
    return scores[:, np.newaxis]


def category_points(codes: Integers, n_levels: int) -> Floats:
    """Return the point of each level (levels, groups of levels - 1), NaN for levels not seen."""
    counts = np.bincount(codes, minlength=n_levels)
    group = pool_levels(counts)
    n_groups = int(group.max()) + 1
    if n_groups < 2:
        return np.where(counts > 0, 0.0, np.nan)[:, np.newaxis]
    shares = np.bincount(group[group >= 0], counts[group >= 0], n_groups) / counts.sum()
    root = np.sqrt(shares)
    # Rows (1[level] - share) / √share are at right angles to √share: reflect that onto axis 0.
    axis = root.copy()
    axis[0] += 1.0
    reflection = np.eye(n_groups) - 2.0 * np.outer(axis, axis) / (axis @ axis)
    vertices = (np.eye(n_groups) - shares) / root
    places = (vertices @ reflection)[:, 1:] / np.sqrt(n_groups - 1.0)
    return np.where(group[:, np.newaxis] >= 0, places[group], np.nan)


def pool_levels(counts: Integers) -> Integers:
    """Return a group per level, -1 for levels without rows; rare levels share a group.

    The groups are numbered by their rows, the largest first, so that the names of the levels do not
    matter. If the rare levels together are still rare, the next larger level joins them.
    """
    total = int(counts.sum())
    least = max(RARE_ROWS, int(np.ceil(RARE_SHARE * total)))
    order = np.argsort(-counts, kind="stable")
    seen = order[counts[order] > 0]
    group = np.full(len(counts), -1, dtype=np.int64)
    if len(seen) <= 2:  # two levels are a yes/no, however rare one of them is
        group[seen] = np.arange(len(seen))
        return group
    n_common = max(int((counts[seen] >= least).sum()), 1)
    while 2 < n_common < len(seen) and counts[seen[n_common:]].sum() < least:
        n_common -= 1
    group[seen[:n_common]] = np.arange(n_common)
    group[seen[n_common:]] = n_common
    return group


def place(block: Block, values: Floats) -> Floats:
    """Return the coordinates (n, width) of a column's values, NaN where a value is missing.

    A level that did not occur in the fit does not locate the row: it counts as missing.
    """
    if block.measure in ("category", "ordered"):
        known = (values >= 0) & (values < len(block.points))  # False for NaN
        codes = np.where(known, values, 0).astype(np.int64)
        out = block.points[codes]
        out[~known] = np.nan
    elif block.measure == "cyclic":
        angle = values * (2.0 * np.pi / block.period)
        cosine, sine, factor = block.points[0]
        out = np.column_stack([np.cos(angle) - cosine, np.sin(angle) - sine]) * factor
    else:
        middle, core, mean, factor = block.points[0]
        out = ((pull_in((values - middle) / core) - mean) * factor)[:, np.newaxis]
    out *= block.share
    return out
