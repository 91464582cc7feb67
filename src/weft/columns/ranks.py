"""Ranks of columns, in the form in which products of two columns are their rank correlation."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from weft._base.arrays import Floats

TILE = 500  # columns ranked at once: they stay in a processor's cache


def unit_ranks(rows: Floats) -> Floats:
    """Return the centred ranks of each column, of length 1, or 0 where it is constant."""
    ranks = np.empty(rows.shape)
    for first in range(0, rows.shape[1], TILE):
        part = average_ranks(rows[:, first : first + TILE])
        part -= part.mean(axis=0)
        length = np.sqrt((part * part).sum(axis=0))
        ranks[:, first : first + TILE] = part / np.where(length > 0.0, length, 1.0)
    return ranks


def average_ranks(rows: Floats) -> Floats:
    """Return the ranks of each column from 1, as SciPy's `rankdata`: equal values share the mean.

    Most columns of measurements have no two equal values. Their order, however it was found, is
    the ranks; NumPy's fastest sort is four times as fast as the stable one that SciPy takes.
    """
    n, d = rows.shape
    if n == 0:
        return np.empty((n, d))
    columns = np.ascontiguousarray(rows.T)
    order = np.argsort(columns, axis=1)
    order += n * np.arange(d)[:, np.newaxis]  # places among all columns
    ordered = columns.ravel()[order]
    plain = (ordered[:, 1:] > ordered[:, :-1]).all(axis=1)  # neither equal values nor NaN
    plain &= ordered[:, -1] == ordered[:, -1]
    ranks = np.empty((d, n))
    ranks.ravel()[order] = np.arange(1.0, n + 1.0)
    if not plain.all():
        ranks[~plain] = rankdata(columns[~plain], axis=1)
    return ranks.T
