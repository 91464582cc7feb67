"""Clusters that only repeat the values of one column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

# Share of the rows whose cluster follows from their value, so that the column is repeated.
SAME = 0.99
N_NAMED = 3
FIRST = 1000  # rows that are examined before all of them


def about_repeated(values: np.ndarray, names: Sequence[str], labels: np.ndarray) -> list[str]:
    """Return a sentence if each cluster is one value of a column; rows in no cluster do not count.

    Parameters
    ----------
    values : ndarray of shape (n, p)
        One column per column of the table: numbers, or codes of levels; NaN where missing.
    names : sequence of str
        Names of the columns.
    labels : ndarray of shape (n,)
        The clusters, -1 for none.
    """
    repeated = [
        name for name, own in zip(names, values.T, strict=True) if _is_repeated(own, labels)
    ]
    if not repeated:
        return []
    listed = " and of ".join(repr(name) for name in repeated[:N_NAMED])
    which, them = ("that column", "it") if len(repeated) == 1 else ("those columns", "them")
    return [
        f"Each cluster is one value of {listed}: the clusters add nothing to {which}. To "
        f"find groups in the other columns, leave {them} out."
    ]


def _is_repeated(values: np.ndarray, labels: np.ndarray) -> bool:
    known = (labels >= 0) & ~np.isnan(values)
    n_clusters = len(np.unique(labels[labels >= 0]))
    if len(np.unique(values[known][:FIRST])) > n_clusters:  # most columns of numbers
        return False
    levels, codes = np.unique(values[known], return_inverse=True)
    if n_clusters < 2 or len(levels) != n_clusters:
        return False
    clusters = np.unique(labels[known], return_inverse=True)[1]
    counts = np.zeros((len(levels), n_clusters), dtype=np.int64)
    np.add.at(counts, (codes, clusters), 1)
    is_own = len(np.unique(counts.argmax(axis=1))) == n_clusters  # each value has its own cluster
    return is_own and counts.max(axis=1).sum() >= SAME * (labels >= 0).sum()
