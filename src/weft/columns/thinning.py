"""One table as two independent ones: clusters from the first, tests on the second.

Clusters are found where columns differ, so a test of the same columns on the same values finds
differences even in noise. Thinning splits each value at random between two tables, which are
independent if the rows of a column have the same distribution. If a column has nothing to do with
the clusters of the first table, its test in the second table is valid, as if the clusters had come
from other data.

Leaving rows out does not help: rows of the second half would have to be assigned to clusters by the
columns that are to be tested.

- Counts: a count x is divided by a draw from a beta-binomial distribution; negative binomial counts
  of that overdispersion give independent halves (Neufeld et al., "Negative binomial count splitting
  for single-cell RNA sequencing data", 2023); without overdispersion this is the binomial draw that
  splits Poisson counts.
- Numbers: e x + w and (1 - e) x - w, where w is Gaussian with √(e (1 - e)) of the deviation of its
  column (Rasines and Young, "Splitting strategies for post-selection inference", Biometrika 2023;
  Neufeld et al., "Data thinning for convolution-closed distributions", JMLR 2024). Exact for
  Gaussian columns that are independent within clusters.

The first table gets e = 0.7 of the information, because clustering needs more of it than testing.

The deviation and the overdispersion are those of the whole column. If clusters differ, they are too
large, which only reduces the power of the test.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from weft._base.arrays import Floats
from weft.columns.counts import row_totals

FIRST_SHARE = 0.7  # e, of the information, for the table that clusters are made from


def thin_numbers(X: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return two independent tables that sum to X, with e and 1 - e of means and variances."""
    noise = rng.standard_normal(X.shape)
    noise *= np.sqrt(FIRST_SHARE * (1.0 - FIRST_SHARE)) * X.std(axis=0)
    first = FIRST_SHARE * X + noise
    return first, X - first


def thin_counts(X: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return two tables of counts that sum to X, dense or sparse (CSC) as X is."""
    concentration = inverse_overdispersion(X)
    if sparse.issparse(X):
        first = sparse.csc_array(X, copy=True)
        owner = np.repeat(np.arange(X.shape[1]), np.diff(first.indptr))
        first.data = _drawn_parts(first.data, concentration[owner], rng)
        second = sparse.csc_array(X, copy=True)
        second.data = second.data - first.data
        for part in (first, second):
            part.eliminate_zeros()
        return first, second
    first = _drawn_parts(X, np.broadcast_to(concentration, X.shape), rng)
    return first, X - first


def inverse_overdispersion(X: Any) -> Floats:
    """Return θ of each column, var = μ + μ² / θ within a row's depth; infinite for Poisson.

    By moments: Σ ((x - s m)² - s m) = Σ (s m)² / θ, with a row's size factor s.
    """
    totals = row_totals(X)
    factors = totals / max(float(totals.mean()), 1e-300)
    mean = np.asarray(X.sum(axis=0)).ravel() / max(float(factors.sum()), 1e-300)
    squared = X.multiply(X) if sparse.issparse(X) else X * X
    by_factor = np.asarray(factors @ X).ravel()
    of_factors = float((factors**2).sum())
    # Σ (x - s m)² without a dense table: Σ x² - 2 m Σ s x + m² Σ s².
    spread = np.asarray(squared.sum(axis=0)).ravel() - 2.0 * mean * by_factor
    spread += mean**2 * of_factors
    beyond = spread - mean * float(factors.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        theta = mean**2 * of_factors / beyond
    return np.where(beyond > 0.0, np.maximum(theta, 1e-3), np.inf)


def _drawn_parts(counts: Floats, theta: Floats, rng: np.random.Generator) -> Floats:
    """Draw the first part of each count from a beta-binomial of its column's overdispersion."""
    share = np.full(counts.shape, FIRST_SHARE)
    spread = np.isfinite(theta)
    own = theta[spread]
    share[spread] = rng.beta(FIRST_SHARE * own, (1.0 - FIRST_SHARE) * own)
    return rng.binomial(counts.astype(np.int64), share).astype(np.float64)
