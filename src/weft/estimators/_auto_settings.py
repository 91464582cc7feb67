"""The parameters of AutoCluster, read together."""

from __future__ import annotations

from typing import Any

from weft.auto.search import Settings
from weft.backends import backend_for


def read_settings(estimator: Any, n_rows: int, n_columns: int) -> Settings:
    """Return the parameters of an AutoCluster for a table of this size; its schema checks each."""
    numbers: dict[str, Any] = {}
    for name in ("n_clusters", "min_clusters", "max_clusters"):
        value = getattr(estimator, name)
        numbers[name] = None if value is None else int(value)
    low, high = numbers["min_clusters"], numbers["max_clusters"]
    if low is not None and high is not None and low > high:
        raise ValueError(
            f"min_clusters={low} is above max_clusters={high}; lower one or raise the other."
        )
    needed = numbers["n_clusters"] or low or 0
    if needed > n_rows:
        raise ValueError(
            f"n_clusters={needed} needs as many samples, got n_samples={n_rows}; lower it."
        )
    limit = estimator.time_limit
    return Settings(
        **numbers,
        rate=float(estimator.false_keep_rate),
        min_cluster_size=int(estimator.min_cluster_size),
        outliers=bool(estimator.outliers),
        n_resamples=int(estimator.n_resamples),
        time_limit=None if limit is None else float(limit),
        backend=backend_for(estimator.device, "auto", n_rows * n_columns),
        seed=0,  # the run has it
    )
