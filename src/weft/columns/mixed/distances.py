"""Distances between rows of a mixed table, over the columns that both rows have.

    D(x, y)² = W / W_xy · Σ_j w_j d_j(x, y)²   over the source columns j that both rows have

with d_j the distance in the blocks of source column j (see `weft.columns.mixed.blocks`), w_j its
weight, W the sum of all weights and W_xy that of the columns both have. It is Gower's coefficient
(Gower, "A general coefficient of similarity and some of its properties", 1971) with two changes.
Each d_j² averages 2 over pairs of rows, where Gower divides a number by its range and so lets a
category, whose distances are 0 or 1, outweigh a number, whose mean distance is about a quarter. And
squared distances are added, so that D is Euclidean on rows without gaps: it is the distance of
their points, and methods that need coordinates and methods that need distances see the same table.

Without the factor W / W_xy, rows with gaps would be near to all other rows. Two rows without a
common column get the mean squared distance 2 W, because nothing is known about them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft._base.arrays import Floats
from weft.columns.mixed.blocks import Block
from weft.columns.mixed.embedding import learn_blocks, place_rows
from weft.columns.source import MixedTable


def mixed_distances(table: MixedTable, *, weights: Any = None) -> Floats:
    """Return the distances (n, n) between all rows of a table.

    Parameters
    ----------
    table : MixedTable
        Rows.
    weights : array-like of shape (n_used,), default=None
        A weight for each source column that is used; None: 1 each.

    Returns
    -------
    ndarray of shape (n, n)
        Symmetric, 0 on the diagonal.
    """
    blocks = learn_blocks(table)
    squared = squared_distances(blocks, table.values, table.values, weights)
    np.fill_diagonal(squared, 0.0)
    return np.sqrt(0.5 * (squared + squared.T))


def squared_distances(
    blocks: tuple[Block, ...], first: Floats, second: Floats, weights: Any = None
) -> Floats:
    """Return D² between rows of two tables with the columns of `blocks`, (n, m)."""
    sources = np.array([block.source for block in blocks])
    w = np.ones(sources.max() + 1) if weights is None else np.asarray(weights, dtype=np.float64)
    a, a_lengths, a_has = weighted_rows(blocks, first, w)
    b, b_lengths, b_has = weighted_rows(blocks, second, w)
    # Σ_j over both of |a_j|² + |b_j|² - 2 a_j b_j, gaps being 0 in all three products.
    squared = a_lengths @ b_has.T + a_has @ b_lengths.T - 2.0 * (a @ b.T)
    common = (a_has * w) @ b_has.T
    squared = np.maximum(squared, 0.0)
    scale = np.divide(w.sum(), common, out=np.zeros_like(common), where=common > 0.0)
    return np.where(common > 0.0, squared * scale, 2.0 * w.sum())


def weighted_rows(
    blocks: tuple[Block, ...], values: Floats, weights: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return rows times √weight, their squared length in each source column, and what they have.

    A source column of several parts counts as known if all of its parts are.
    """
    owner = np.repeat([b.source for b in blocks], [b.width for b in blocks])
    placed = place_rows(blocks, values)
    sources = owner[np.newaxis, :] == np.arange(len(weights))[:, np.newaxis]
    lost = (np.isnan(placed) @ sources.T.astype(float)) > 0.0
    placed[lost[:, owner]] = 0.0
    placed *= np.sqrt(weights)[owner]
    lengths = (placed * placed) @ sources.T.astype(float)
    return placed, lengths, 1.0 - lost
