"""Which columns of a sparse table vary more than their mean explains.

In counts, and in logarithms and tf-idf weights of counts, a column with a larger mean varies more,
whatever the clusters are. The variance of a column that is due to chance is estimated from the
other columns of about the same mean: it is the median of their variances, because most columns are
noise. The rest of the variance may be due to clusters. All columns have the same unit, so these
rests can be compared directly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers

MOST_COLUMNS = 2_000
COLUMNS_PER_BIN = 200
MOST_BINS = 20
DIGITS = 9  # that excess variances are compared by: sums depend on the order of rows


class Moments(NamedTuple):
    """Mean and variance of each column."""

    means: Floats
    variances: Floats


def column_moments(X: Any) -> Moments:
    """Return mean and variance of each column of a CSR array."""
    n, d = X.shape
    means = np.bincount(X.indices, weights=X.data, minlength=d) / n
    # Σ (x - m)² = Σ over stored values + (n - stored) m²: no squares of large sums are subtracted.
    deviations = X.data - means[X.indices]
    deviations *= deviations
    stored = np.bincount(X.indices, minlength=d)
    variances = np.bincount(X.indices, weights=deviations, minlength=d)
    return Moments(means, (variances + (n - stored) * means**2) / n)


def excess_variances(moments: Moments) -> Floats:
    """Return each column's variance minus the median variance of columns of about the same mean."""
    means, variances = np.abs(moments.means), moments.variances
    out = np.full(len(means), -np.inf)
    used = np.flatnonzero((variances > 0.0) & (means > 0.0))
    out[(variances > 0.0) & (means == 0.0)] = 0.0
    if len(used) == 0:
        return out
    order = used[np.argsort(means[used], kind="stable")]
    n_bins = int(np.clip(len(used) // COLUMNS_PER_BIN, 1, MOST_BINS))
    bins = np.array_split(order, n_bins)
    centres = np.array([np.median(np.log(means[each])) for each in bins])
    usual = np.array([np.median(np.log(variances[each])) for each in bins])
    by_mean = np.exp(np.interp(np.log(means[used]), centres, usual))
    out[used] = variances[used] - by_mean
    return out


def variable_columns(moments: Moments, ties: np.ndarray, most: int = MOST_COLUMNS) -> Integers:
    """Return the columns that vary, in order; of more than `most`, those with most excess variance.

    Columns of the same excess are ordered by their `ties`.
    """
    varying = np.flatnonzero(moments.variances > 0.0)
    if len(varying) <= most:
        return varying
    excess = excess_variances(moments)[varying]
    digits = np.power(10.0, DIGITS - 1 - np.floor(np.log10(np.maximum(np.abs(excess), 1e-300))))
    rounded = np.round(excess * digits) / digits
    order = np.lexsort((ties[varying], -rounded))
    return np.sort(varying[order[:most]])
