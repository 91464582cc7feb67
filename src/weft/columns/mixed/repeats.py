"""Whether a clustering merely repeats a category of the table, or the product of two.

A table with a column "channel" of two values can always be cut into those two values, and the
answer looks perfect: well separated, the same on every part of the rows. But it adds nothing to
what the table already says. Two numbers distinguish such an answer from clusters that a category
happens to match:

- agreement: the adjusted Rand index of the labels with the column's own cells, each cell replaced
  by the label that most of its rows have. At `SAME` and above the labels are those cells.
- support: the adjusted Rand index between the labels and a vote of each row's nearest rows in the
  *other* columns. If the others show the same clusters, the category names clusters that exist
  without it, and no warning is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors

from weft._base.arrays import Integers
from weft.columns.mixed.dependence import make_cells
from weft.columns.mixed.embedding import embed
from weft.columns.source import MixedTable

SAME = 0.95
SUPPORTED = 0.6
MAX_ROWS = 2000
MAX_COLUMNS = 30  # whose products are tested: those that agree most with the labels
ROWS_PER_CELL = 10  # cells with fewer rows would match any labels
NEIGHBOURS = 10


class Repetition(NamedTuple):
    """Columns whose cells are the clusters.

    Attributes
    ----------
    columns : tuple of int
        One or two source columns, by their numbers in ``table.used``.
    agreement : float
        Adjusted Rand index of the labels with the cells.
    support : float
        Adjusted Rand index of the labels with the vote of the other columns.
    """

    columns: tuple[int, ...]
    agreement: float
    support: float

    @property
    def is_mere(self) -> bool:
        """Whether the other columns hardly support the clusters."""
        return self.support < SUPPORTED


def find_repetition(labels: Integers, table: MixedTable) -> Repetition | None:
    """Return the category, or the two, whose cells the clusters are; None where there are none.

    Rows in no cluster (-1) and rows without a value are left out.
    """
    rows = _some_rows(labels)
    labels, table = labels[rows], table.take_rows(rows)
    if len(np.unique(labels)) < 2:
        return None
    names = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    cells = make_cells(table)
    sources = [
        number
        for number, column in enumerate(table.used)
        if column.kind in ("category", "yes/no", "ordered")
    ]
    codes = {number: cells.codes[:, table.used[number].positions[0]] for number in sources}
    alone = {number: _agreement(names, codes[number]) for number in sources}
    found = max(alone, key=lambda number: alone[number], default=None)
    if found is not None and alone[found] >= SAME:
        return Repetition((found,), alone[found], _support(names, table, (found,)))
    likely = sorted(sorted(sources, key=lambda number: -alone[number])[:MAX_COLUMNS])
    best: tuple[float, tuple[int, ...]] = (SAME, ())
    for pair in combinations(likely, 2):
        agreement = _agreement(names, _product(codes[pair[0]], codes[pair[1]]))
        # Each of the two has to add something; otherwise the product is only one of the columns.
        if agreement >= best[0] and agreement > max(alone[pair[0]], alone[pair[1]]):
            best = (agreement, pair)
    if not best[1]:
        return None
    return Repetition(best[1], best[0], _support(names, table, best[1]))


def followed_columns(labels: Integers, table: MixedTable) -> tuple[int, ...]:
    """Return the categories that no cluster mixes, by their numbers in ``table.used``.

    Clusters of species and sex follow "sex": each holds one of its values. What the other columns
    say by themselves is a second answer worth showing.
    """
    rows = _some_rows(labels)
    labels, table = labels[rows], table.take_rows(rows)
    if len(np.unique(labels)) < 2:
        return ()
    names = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    cells = make_cells(table)
    followed = []
    for number, column in enumerate(table.used):
        if column.kind in ("category", "yes/no"):
            codes = cells.codes[:, column.positions[0]]
            has = codes >= 0
            if has.any() and _agreement(codes[has], names[has]) >= SAME:
                followed.append(number)
    return tuple(followed)


def describe_repetition(repetition: Repetition, table: MixedTable) -> str:
    """Return a sentence for the verdict."""
    names = [repr(table.used[number].name) for number in repetition.columns]
    what = (
        f"column {names[0]}" if len(names) == 1 else f"columns {names[0]} and {names[1]} together"
    )
    text = f"the clusters are the values of {what} (adjusted Rand index {repetition.agreement:.2f})"
    if repetition.is_mere:
        return f"{text}, and the other columns hardly support them ({repetition.support:.2f})"
    return f"{text}, and the other columns support them ({repetition.support:.2f})"


def _some_rows(labels: Integers) -> Integers:
    """Return rows that are in a cluster, at most `MAX_ROWS`, evenly through the table."""
    rows = np.flatnonzero(np.asarray(labels) >= 0)
    if len(rows) > MAX_ROWS:
        rows = rows[np.linspace(0, len(rows) - 1, MAX_ROWS).astype(np.int64)]
    return rows


def _product(first: Integers, second: Integers) -> Integers:
    """Return a cell for each pair of cells, -1 where either is missing."""
    pairs = first * (int(second.max(initial=0)) + 1) + second
    return np.where((first >= 0) & (second >= 0), pairs, -1)


def _agreement(labels: Integers, codes: Integers) -> float:
    """Return the adjusted Rand index of labels with cells, each at its most frequent label."""
    has = codes >= 0
    if 2 * has.sum() < len(codes):
        return 0.0  # most rows are missing
    cells = np.unique(codes[has], return_inverse=True)[1]
    n_cells = int(cells.max(initial=-1)) + 1
    if n_cells < 2 or n_cells * ROWS_PER_CELL > has.sum():
        return 0.0
    counts = np.zeros((n_cells, int(labels.max()) + 1))
    np.add.at(counts, (cells, labels[has]), 1.0)
    return float(adjusted_rand_score(labels[has], counts.argmax(axis=1)[cells]))


def _support(labels: Integers, table: MixedTable, without: Sequence[int]) -> float:
    """Return how far the columns other than `without` support the labels: a vote of nearest
    rows."""
    others = [number for number in range(len(table.used)) if number not in without]
    if not others:
        return 0.0
    points = embed(table.take_columns(others)).values
    n_neighbours = min(NEIGHBOURS, len(labels) - 1)
    near = NearestNeighbors(n_neighbors=n_neighbours).fit(points).kneighbors(return_distance=False)
    votes = np.zeros((len(labels), int(labels.max()) + 1))
    np.add.at(votes, (np.repeat(np.arange(len(labels)), n_neighbours), labels[near].ravel()), 1.0)
    return float(adjusted_rand_score(labels, votes.argmax(axis=1)))
