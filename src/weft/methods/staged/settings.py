"""Settings of a staged search for the number of clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from weft._base.validation import check_integer, check_real


@dataclass(frozen=True)
class ClusterEstimate:
    """How `StagedSwarm` estimates the number of clusters, K_est, and how strongly it is used.

    Parameters
    ----------
    n_clusters : int, default=None
        K_est, if it is known; None runs stage 1.
    n_estimates : int, default=30
        Repetitions of stage 1, whose median is taken.
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
    """Return what a number, None or the record itself says."""
    return estimate if isinstance(estimate, ClusterEstimate) else ClusterEstimate(estimate)
