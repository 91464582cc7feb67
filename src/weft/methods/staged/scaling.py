"""Rows as the search in stages takes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats


class RangeScaling(NamedTuple):
    """Turns rows into what the search sees: ranges of 1, the mean of all rows at 0."""

    low: Floats  # (d,)
    span: Floats  # (d,)
    mean: Floats  # (d,), after the division

    @classmethod
    def of(cls, X: Floats, *, scaled: bool) -> RangeScaling:
        """Return the scaling of X; without `scaled` only the mean is moved."""
        n_features = X.shape[1]
        if not scaled:
            return cls(np.zeros(n_features), np.ones(n_features), X.mean(axis=0))
        low = X.min(axis=0)
        span = X.max(axis=0) - low
        # A constant column is 0 everywhere, whatever it is divided by.
        span = np.where(span > 0.0, span, 1.0)
        return cls(low, span, ((X - low) / span).mean(axis=0))

    def apply(self, X: Floats) -> Floats:
        return np.ascontiguousarray((X - self.low) / self.span - self.mean)
