"""Settings of a start from anomalous patterns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from weft._base.validation import check_real


@dataclass(frozen=True)
class AnomalousStart:
    """A start from the largest anomalous patterns, for the k-means family.

    Parameters
    ----------
    min_cluster_size : float, default=2
        With ``n_clusters=None``, patterns smaller than this are discarded.
    pattern_offset : float, default=0.01
        Added to each dispersion before a pattern's weights are computed.

    Examples
    --------
    >>> from weft import WeightedKMeans
    >>> from weft.kmeans.anomalous import AnomalousStart
    >>> WeightedKMeans(init=AnomalousStart(min_cluster_size=5)).init.pattern_offset
    0.01
    """

    min_cluster_size: float = 2
    pattern_offset: float = 0.01

    def __post_init__(self) -> None:
        check_real("min_cluster_size", self.min_cluster_size, low=0.0)
        check_real("pattern_offset", self.pattern_offset, low=0.0, high=1e100)


def read_anomalous(init: Any) -> AnomalousStart:
    """Return the settings of a start from patterns; other starts ignore them."""
    return init if isinstance(init, AnomalousStart) else AnomalousStart()
