"""Standardised columns, and the error for a table that is too large."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats
from weft._base.memory import check_memory
from weft._base.validation import check_magnitude


class StandardScaling(NamedTuple):
    """Mean 0 and standard deviation 1 for every column that is not constant."""

    mean: Floats
    deviation: Floats

    def apply(self, X: Floats) -> Floats:
        return np.ascontiguousarray((X - self.mean) / self.deviation)


def standard_scaling(X: Floats, *, scaled: bool) -> StandardScaling:
    """Return the scaling of X, or one that changes nothing."""
    if not scaled:
        return StandardScaling(np.zeros(X.shape[1]), np.ones(X.shape[1]))
    deviation = X.std(axis=0)
    # A constant column may have a tiny deviation by rounding, which must not be amplified.
    constant = deviation <= 1e-12 * np.abs(X).max(axis=0)
    return StandardScaling(X.mean(axis=0), np.where(constant, 1.0, deviation))


def check_size(X: Floats, n_matrices: int, max_memory: int) -> None:
    """Refuse tables whose numbers or matrices of rows × rows are too large."""
    check_magnitude(X)
    check_memory(
        8 * n_matrices * len(X) ** 2,
        f"{len(X)} rows need {n_matrices} matrices of rows × rows, which",
        "raise max_memory, or fit a sample of the rows (max_samples does, where there is one) and "
        "predict the rest",
        max_memory,
    )
