"""How far two source columns depend on each other, on one scale for all kinds.

Every column is cut into cells: numbers and dates into bins of about equal counts, circles into arcs
of equal counts, levels kept as they are with rare ones pooled. The rows that have both columns fill
a table of counts. Its χ² measures how far they are from independent, and Wilson and Hilferty's cube
root converts χ² to a score z that is standard normal for independent columns, whatever the numbers
of cells. So pairs of numbers, pairs of categories and mixed pairs have the same scale. Margins are
those of the rows that have both, so gaps alone never look like dependence.

=======  ===============  =========================================================================
symbol   shape            meaning
=======  ===============  =========================================================================
n, p, w  ()               rows, columns of the matrix, largest number of cells
C        (n, p, w)        1 where the row's value lies in the cell, 0 in a gap
N        (p, w, p, w)     rows in each pair of cells: CᵀC
z        (p, p)           score of two columns; over the parts of a source column, the largest
=======  ===============  =========================================================================
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Singles
from weft.columns.mixed.blocks import pool_levels
from weft.columns.mixed.embedding import measures_of
from weft.columns.screening import bin_column
from weft.columns.source import MixedTable

MAX_BINS = 6
MAX_CELLS = 12  # of a category: the levels beyond the largest are pooled
TILE = 64  # columns compared with all at once
COPY = 0.98  # share of rows that two columns agree on, for one to be a copy of the other


class Cells(NamedTuple):
    """A table cut into cells.

    Attributes
    ----------
    indicators : ndarray of shape (n, p * w), float32
        Symbol C.
    width : int
        Symbol w.
    source : ndarray of shape (p,)
        Source column of each column.
    codes : ndarray of shape (n, p)
        The cell of each value, -1 in a gap.
    """

    indicators: Singles
    width: int
    source: Integers
    codes: Integers

    @property
    def n_sources(self) -> int:
        """Return the number of source columns."""
        return int(self.source.max(initial=-1)) + 1


def make_cells(table: MixedTable) -> Cells:
    """Return the cells of a table's rows."""
    n, p = table.values.shape
    n_bins = int(np.clip(round(math.sqrt(n / 12)), 3, MAX_BINS))
    codes = np.full((n, p), -1, dtype=np.int64)
    for column in table.used:
        for position, measure, period in zip(
            column.positions, measures_of(column), column.periods, strict=True
        ):
            has = ~np.isnan(table.values[:, position])
            own = table.values[has, position]
            if len(own) == 0:
                continue
            if measure in ("number", "cyclic"):
                codes[has, position] = bin_column(own % period if period else own, n_bins)
            else:
                codes[has, position] = _level_cells(own.astype(np.int64))
    width = max(int(codes.max(initial=0)) + 1, 1)
    indicators = np.zeros((n, p, width), dtype=np.float32)
    rows, columns = np.nonzero(codes >= 0)
    indicators[rows, columns, codes[rows, columns]] = 1.0
    return Cells(indicators.reshape(n, p * width), width, table.source_of, codes)


def _level_cells(codes: Integers) -> Integers:
    group = pool_levels(np.bincount(codes))[codes]
    return np.minimum(group, MAX_CELLS - 1)


def source_scores(cells: Cells, rows: Integers | None = None) -> Floats:
    """Return z of every two source columns, 0 on the diagonal.

    With `rows`, the first of the two has its rows in that order. It is then a shadow: it keeps its
    values and gaps, but not its dependence on other columns. All parts of a source column are moved
    together.
    """
    scores = column_scores(cells, rows)
    n_sources = cells.n_sources
    out = np.full((n_sources, n_sources), -np.inf)
    np.maximum.at(out, (cells.source[:, np.newaxis], cells.source[np.newaxis, :]), scores)
    np.fill_diagonal(out, 0.0)
    return out


def column_scores(cells: Cells, rows: Integers | None = None) -> Floats:
    """Return z of every two columns of the matrix."""
    moved = cells.indicators if rows is None else cells.indicators[rows]
    width = cells.width
    p = len(cells.source)
    out = np.empty((p, p))
    for first in range(0, p, TILE):
        last = min(first + TILE, p)
        counts = moved[:, first * width : last * width].T @ cells.indicators
        counts = counts.reshape(last - first, width, p, width).astype(np.float64)
        above, beside = counts.sum(axis=1, keepdims=True), counts.sum(axis=3, keepdims=True)
        total = above.sum(axis=3, keepdims=True)
        product = above * beside
        ratio = np.divide(counts**2, product, out=np.zeros_like(counts), where=product > 0.0)
        chi = (ratio.sum(axis=(1, 3)) - 1.0) * total[:, 0, :, 0]
        free = ((beside > 0.0).sum(axis=(1, 3)) - 1) * ((above > 0.0).sum(axis=(1, 3)) - 1)
        out[first:last] = _normal_score(chi, free)
    return out


def _normal_score(chi: Floats, free: Integers) -> Floats:
    """Return z = (∛(χ² / f) - (1 - s)) / √s, s = 2 / (9 f); 0 where a column is constant."""
    f = np.maximum(free, 1)
    s = 2.0 / (9.0 * f)
    z = (np.cbrt(np.maximum(chi, 0.0) / f) - (1.0 - s)) / np.sqrt(s)
    return np.where(free > 0, z, 0.0)


def find_copies(table: MixedTable, cells: Cells) -> Integers:
    """Return for each source column the first one that it repeats, or itself.

    A copy has the same content in another form ("S" and "Southampton", dollars and euros): its
    cells are those of the other column in at least `COPY` of the rows that have both, and numbers
    keep their order as well. Without this test, a noise column and its copy would depend on each
    other.
    """
    n_sources = cells.n_sources
    first = np.arange(n_sources)
    single = np.bincount(cells.source, minlength=n_sources) == 1
    position = np.array([int(np.argmax(cells.source == number)) for number in range(n_sources)])
    scores = source_scores(cells)
    for one in range(n_sources):
        for other in range(one + 1, n_sources):
            close = scores[one, other] > 0.0 and single[one] and single[other]
            if first[other] != other or not close:
                continue
            if _says_the_same(table, cells, position[one], position[other]):
                first[other] = first[one]
    return first


def _says_the_same(table: MixedTable, cells: Cells, one: int, other: int) -> bool:
    a, b = cells.codes[:, one], cells.codes[:, other]
    has = (a >= 0) & (b >= 0)
    if has.sum() < 10 or len(np.unique(a[has])) < 2:
        return False
    counts = np.zeros((cells.width, cells.width))
    np.add.at(counts, (a[has], b[has]), 1.0)
    if min(counts.max(axis=0).sum(), counts.max(axis=1).sum()) < COPY * has.sum():
        return False
    if np.count_nonzero(counts.sum(axis=0)) != np.count_nonzero(counts.sum(axis=1)):
        return False  # one is coarser than the other
    measures = [m for column in table.used for m in measures_of(column)]
    places = [position for column in table.used for position in column.positions]
    measure_of = dict(zip(places, measures, strict=True))
    if "number" not in (measure_of[one], measure_of[other]):
        return True
    x, y = table.values[has, one], table.values[has, other]
    ranks = np.argsort(np.argsort(x, kind="stable")), np.argsort(np.argsort(y, kind="stable"))
    return abs(float(np.corrcoef(*ranks)[0, 1])) > 0.999
