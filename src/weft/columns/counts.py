"""Counts: whether a table holds them, and how their rows are scaled to the same total.

Rows of counts (genes of a cell, words of a text) depend on the sequencing depth or the length of
the text: totals differ for reasons that have nothing to do with clusters. Each row is divided by
its size factor, its total over a usual total, and the logarithm of 1 + value is taken, so that a
doubling counts the same everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from weft._base.arrays import Floats

FEWEST_COLUMNS = 20  # with fewer columns, totals are not meaningful
LEAST_MAXIMUM = 3  # values below this are probably codes, not counts
UNEQUAL = 1.5  # 90 % over 10 % of the totals from which on rows are of unequal depth


def row_totals(X: Any) -> Floats:
    """Return the sum of each row of a dense or sparse table."""
    return np.asarray(X.sum(axis=1), dtype=np.float64).ravel()


def look_like_counts(X: Any) -> bool:
    """Return whether a table of numbers looks like raw counts in rows of unequal totals.

    That is: many columns, whole numbers of at least 0, and totals that differ.
    """
    if X.shape[1] < FEWEST_COLUMNS or X.shape[0] < 2:
        return False
    values = X.data if sparse.issparse(X) else X
    if values.size == 0 or values.min() < 0.0 or values.max() < LEAST_MAXIMUM:
        return False
    if (np.floor(values) != values).any():
        return False
    low, high = np.quantile(row_totals(X), [0.1, 0.9])
    return bool(high > UNEQUAL * max(low, 1e-300))


def check_counts(X: Any) -> None:
    """Refuse a table that holds anything other than whole numbers of at least 0."""
    values = X.data if sparse.issparse(X) else X
    if values.size and (values.min() < 0.0 or (np.floor(values) != values).any()):
        raise ValueError(
            "counts=True needs whole numbers of at least 0, but X holds others; leave counts out."
        )


def usual_total(X: Any) -> float:
    """Return the median total of the rows that are not empty; 1 if all are."""
    totals = row_totals(X)
    totals = totals[totals > 0.0]
    return float(np.median(totals)) if len(totals) else 1.0


def normalized_counts(X: Any, target: float, *, log: bool = True) -> Any:
    """Return each row times `target` over its total, and log(1 + value) of it where `log`.

    A sparse table stays sparse (CSR); an empty row stays empty.
    """
    totals = row_totals(X)
    with np.errstate(over="ignore"):
        factors = target / np.where(totals > 0.0, totals, target)
    # If the factor is too large for a float, the row is divided by its total first.
    tiny = np.isinf(factors)
    before, factors = np.where(tiny, totals, 1.0), np.where(tiny, target, factors)
    if sparse.issparse(X):
        out = sparse.csr_array(X, dtype=np.float64, copy=True)
        lengths = np.diff(out.indptr)
        if tiny.any():
            out.data /= np.repeat(before, lengths)
        out.data *= np.repeat(factors, lengths)
        if log:
            np.log1p(out.data, out=out.data)
        return out
    out = (X / before[:, np.newaxis] if tiny.any() else X) * factors[:, np.newaxis]
    return np.log1p(out) if log else out
