"""Which columns separate given clusters from the other rows more than chance would.

For each cluster and column the counts of the column's bins inside the cluster are compared with
those of all other rows (a chi-squared test of a table of two rows). A column separates a cluster if
the test's p-value, times the number of tests, is below `RATE`, and if the difference is not small:
Cramér's V, minus what is expected by chance, of at least `LEAST`. V has no direction: a column also
separates a cluster that lies in its middle, between two others.

If the labels were computed from the same columns, every p-value is too small: any split of a cloud
of noise is a difference in some column. So columns of a clustering of noise may be named as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import chi2

from weft._base.arrays import Floats, Integers, Mask
from weft.columns.screening import bin_column

N_BINS = 10
ROWS_PER_BIN = 8
RATE = 0.01
LEAST = 0.2


class Apart(NamedTuple):
    """For each cluster (by number) and column."""

    strength: Floats  # (K, d) Cramér's V from 0 to 1
    is_apart: Mask  # (K, d)

    @property
    def columns(self) -> Mask:
        """Columns that separate at least one cluster from the other rows."""
        return np.asarray(self.is_apart.any(axis=0))

    @property
    def weights(self) -> Floats:
        """The largest strength of each column over the clusters that it separates; 0 for none."""
        return np.where(self.is_apart, self.strength, 0.0).max(axis=0, initial=0.0)


def set_apart(rows: Floats, labels: Integers) -> Apart:
    """Compare each cluster with all other rows; `rows` may have gaps, `labels` are -1 for none."""
    clusters = np.unique(labels[labels != -1])
    d = rows.shape[1]
    strength = np.zeros((len(clusters), d))
    p_values = np.ones((len(clusters), d))
    place = np.searchsorted(clusters, labels)
    place[labels == -1] = len(clusters)
    n_bins = int(np.clip(len(rows) // ROWS_PER_BIN, 2, N_BINS))
    for column in range(d):
        known = ~np.isnan(rows[:, column])
        if known.sum() < 4:
            continue
        bins = bin_column(rows[known, column], n_bins)
        counts = np.zeros((len(clusters) + 1, int(bins.max()) + 1))
        np.add.at(counts, (place[known], bins), 1.0)
        strength[:, column], p_values[:, column] = _compare(counts)
    n_tests = max(strength.size, 1)
    return Apart(strength, (p_values * n_tests < RATE) & (strength >= LEAST))


def _compare(counts: Floats) -> tuple[Floats, Floats]:
    """Cramér's V and p-value of each cluster against the rest; the last row: no cluster."""
    total = counts.sum(axis=0)
    n = total.sum()
    size = counts[:-1].sum(axis=1)
    rest = n - size
    n_bins = len(total)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = size[:, None] * total / n
        # Both rows of the table of two: inside and outside deviate by the same counts.
        squares = (counts[:-1] - expected) ** 2 / total * (n / size + n / rest)[:, None]
    statistic = np.nan_to_num(squares).sum(axis=1)
    valid = (size > 0) & (rest > 0)
    if n_bins < 2:
        return np.zeros(len(size)), np.ones(len(size))
    by_chance = (n_bins - 1) / max(n - 1.0, 1.0)
    strength = np.sqrt(np.clip(statistic / n - by_chance, 0.0, 1.0))
    # A small cluster can fill only a few bins: V is small even if it fills them alone.
    largest = np.sqrt(np.clip(_largest(size, total, n) - by_chance, 1e-12, 1.0))
    return (
        np.where(valid, np.minimum(strength / largest, 1.0), 0.0),
        np.where(valid, chi2.sf(statistic, n_bins - 1), 1.0),
    )


def _largest(size: Floats, total: Floats, n: float) -> Floats:
    """The maximum of chi-squared / n for clusters of these sizes, on these bins.

    It is reached by a cluster that fills the smallest bins alone: its share of these bins is 1.
    """
    filled = np.minimum(np.maximum(size[:, None] - np.cumsum(total) + total, 0.0), total)
    inside = (filled**2 / np.maximum(total, 1.0)).sum(axis=1)
    rest = n - size
    with np.errstate(divide="ignore", invalid="ignore"):
        outside = ((total - filled) ** 2 / np.maximum(total, 1.0)).sum(axis=1)
        return np.nan_to_num(inside / size + outside / rest - 1.0)
