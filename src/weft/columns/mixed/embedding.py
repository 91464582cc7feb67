"""Coordinates of a mixed table in which each source column counts once.

There are two ways to count a column once, and a method needs the one that fits what it compares:

- "columns": every source column has total variance 1, so it adds the same to the mean squared
  distance of two rows. Methods that compare distances (linkage, neighbours, density) need this.
- "directions": every coordinate has variance 1, as in the factor analysis of mixed data (Pagès,
  "Analyse factorielle de données mixtes", 2004): a category with L levels has L - 1 directions,
  none of which weighs more than a number. Methods that cut along directions (k-means) need this:
  under "columns" a category with 5 levels has variance 1/4 in any direction, and k-means cuts
  along numbers and yes/no columns only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft._base.validation import check_choice
from weft.columns.mixed.blocks import (
    Block,
    category_points,
    cyclic_points,
    number_points,
    ordered_points,
    place,
)
from weft.columns.mixed.filling import Directions, fill, find_directions
from weft.columns.source import MixedTable, SourceColumn

BALANCES = ("columns", "directions")


class Coordinates(NamedTuple):
    """Rows as points.

    Attributes
    ----------
    values : ndarray of shape (n, P)
        Coordinates; squared Euclidean distances are those of `weft.columns.mixed.distances` where
        nothing is missing.
    owner : ndarray of shape (P,)
        The source column of each coordinate, by its number in ``table.used``.
    """

    values: Floats
    owner: Integers


class Embedding(NamedTuple):
    """How rows of a table become points: learned once, used for later rows as well."""

    blocks: tuple[Block, ...]
    directions: Directions

    @property
    def owner(self) -> Integers:
        """Return the source column of each coordinate."""
        sources = [block.source for block in self.blocks]
        return np.repeat(sources, [block.width for block in self.blocks]).astype(np.int64)


def embed(table: MixedTable, *, balance: str = "columns") -> Coordinates:
    """Return the rows of a table as points, with gaps filled.

    Parameters
    ----------
    table : MixedTable
        Rows.
    balance : {"columns", "directions"}, default="columns"
        What has variance 1 where it is observed: each source column, for methods that compare
        distances; each coordinate, for k-means and similar methods.

    Returns
    -------
    Coordinates
        ``values`` (n, P) and ``owner`` (P,). The order of rows and columns does not change the
        distances, and memory is O(n P).

    Examples
    --------
    >>> import numpy as np
    >>> from weft.columns.mixed import embed
    >>> from weft.columns.source import MixedTable, SourceColumn
    >>> size = SourceColumn("size", "number", (0,))
    >>> colour = SourceColumn("colour", "category", (1,), levels=("red", "green", "blue"))
    >>> values = np.column_stack([np.arange(30.0), np.arange(30.0) % 3])
    >>> points, owner = embed(MixedTable(values, (size, colour)))
    >>> owner.tolist()
    [0, 1, 1]
    """
    embedding = learn_embedding(table)
    values = transform(embedding, table.values, balance=balance)
    return Coordinates(values, embedding.owner)


def learn_embedding(table: MixedTable) -> Embedding:
    """Learn where the values of each column lie, and how gaps are filled."""
    blocks = learn_blocks(table)
    embedding = Embedding(blocks, Directions(np.zeros((0, 0)), np.zeros(0)))
    placed = place_rows(blocks, table.values)
    placed /= coordinate_deviations(embedding)
    return embedding._replace(directions=find_directions(placed))


def transform(embedding: Embedding, values: Floats, *, balance: str = "columns") -> Floats:
    """Return the coordinates of rows with the columns of the table that was learned from."""
    check_choice("balance", balance, BALANCES)
    deviations = coordinate_deviations(embedding)
    placed = place_rows(embedding.blocks, values)
    placed /= deviations
    placed = fill(placed, embedding.directions)
    if balance == "columns":
        placed *= deviations
    return placed


def coordinate_deviations(embedding: Embedding) -> Floats:
    """Return the deviation of each coordinate under "columns"; gaps are filled where it is 1.

    Along each of a category's coordinates the variance is 1 / (groups of levels - 1); the two of a
    circle share 1.
    """
    blocks = embedding.blocks
    parts = [np.full(block.width, block.share / np.sqrt(block.width)) for block in blocks]
    return np.concatenate(parts) if parts else np.empty(0)


def balanced(embedding: Embedding, balance: str) -> Embedding:
    """Return the embedding whose coordinates have that balance."""
    if check_choice("balance", balance, BALANCES) == "columns":
        return embedding
    blocks = (block._replace(share=float(np.sqrt(block.width))) for block in embedding.blocks)
    return embedding._replace(blocks=tuple(blocks))


def learn_blocks(table: MixedTable) -> tuple[Block, ...]:
    """Return a block for each column of the table's matrix, source column after source column."""
    blocks = []
    for number, column in enumerate(table.used):
        share = 1.0 / np.sqrt(len(column.positions))
        for position, measure, period in zip(
            column.positions, measures_of(column), column.periods, strict=True
        ):
            observed = table.values[:, position]
            observed = observed[~np.isnan(observed)]
            if measure == "number":
                points = number_points(observed)
            elif measure == "cyclic":
                points = cyclic_points(observed, period)
            else:
                levels = len(column.levels or ())
                codes = observed.astype(np.int64)
                make = ordered_points if measure == "ordered" else category_points
                points = make(codes, levels)
            blocks.append(Block(position, number, measure, period, points, share))
    return tuple(blocks)


def measures_of(column: SourceColumn) -> tuple[str, ...]:
    """Return how each position is compared; positions of ordered levels by their ranks."""
    return ("ordered",) if column.kind == "ordered" else column.measures


def place_rows(blocks: tuple[Block, ...], values: Floats) -> Floats:
    """Return the coordinates of rows, NaN where a value is missing."""
    widths = [block.width for block in blocks]
    out = np.empty((len(values), sum(widths)))
    first = 0
    for block, width in zip(blocks, widths, strict=True):
        out[:, first : first + width] = place(block, values[:, block.position])
        first += width
    return out
