"""Settings of the search in stages, and the scaling of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from weft._base.arrays import Floats
from weft._base.validation import check_integer, check_real


@dataclass(frozen=True)
class ClusterEstimate:
    """How `StagedSwarm` estimates the number of clusters, K_est, and how strongly it is used.

    Parameters
    ----------
    n_clusters : int, default=None
        K_est, if it is known; None runs stage 1.
    n_estimates : int, default=30
        Repetitions of stage 1; the median is the estimate.
    k_spread : float, default=1.5
        The term for K is a Gaussian around K_est with standard deviation K_est / k_spread.

    Examples
    --------
    >>> from weft import StagedSwarm
    >>> from weft.methods.staged import ClusterEstimate
    >>> StagedSwarm(n_clusters_estimate=ClusterEstimate(k_spread=3.0)).get_params()["stages"]
    2
    """

    n_clusters: int | None = None
    n_estimates: int = 30
    k_spread: float = 1.5

    def __post_init__(self) -> None:
        if self.n_clusters is not None:
            check_integer("n_clusters_estimate", self.n_clusters, low=1)
        check_integer("n_estimates", self.n_estimates, low=1, high=10**5)
        check_real("k_spread", self.k_spread, low=0.0, open_low=True)


def read_estimate(estimate: Any) -> ClusterEstimate:
    """Return the settings, given as a number, None or a record."""
    return estimate if isinstance(estimate, ClusterEstimate) else ClusterEstimate(estimate)


class RangeScaling(NamedTuple):
    """Scales rows for the search: columns with range 1 and mean 0."""

    low: Floats  # (d,)
    span: Floats  # (d,)
    mean: Floats  # (d,), after the division

    @classmethod
    def of(cls, X: Floats, *, scaled: bool) -> RangeScaling:
        """Return the scaling of X; without `scaled` only the mean is subtracted."""
        n_features = X.shape[1]
        if not scaled:
            return cls(np.zeros(n_features), np.ones(n_features), X.mean(axis=0))
        low = X.min(axis=0)
        span = X.max(axis=0) - low
        # A constant column is 0 everywhere, for any divisor.
        span = np.where(span > 0.0, span, 1.0)
        return cls(low, span, ((X - low) / span).mean(axis=0))

    def apply(self, X: Floats) -> Floats:
        return np.ascontiguousarray((X - self.low) / self.span - self.mean)
