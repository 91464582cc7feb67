"""Ranks of columns, in the form in which products of two columns are their rank correlation."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from weft._base.arrays import Floats

TILE = 2000  # columns ranked at once


def unit_ranks(rows: Floats) -> Floats:
    """Return the centred ranks of each column, of length 1, or 0 where it is constant."""
    ranks = np.empty(rows.shape)
    for first in range(0, rows.shape[1], TILE):
        part = rankdata(rows[:, first : first + TILE], axis=0)
        part -= part.mean(axis=0)
        length = np.sqrt((part * part).sum(axis=0))
        ranks[:, first : first + TILE] = part / np.where(length > 0.0, length, 1.0)
    return ranks
