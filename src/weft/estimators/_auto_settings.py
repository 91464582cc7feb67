"""The parameters of AutoCluster, read together."""

from __future__ import annotations

from typing import Any

from weft._base.validation import check_choice, check_integer, check_real
from weft.auto.search import Settings
from weft.backends import backend_for


def read_settings(estimator: Any, n_rows: int, n_columns: int) -> Settings:
    """Return the parameters of an AutoCluster for a table of this size, checked."""
    numbers = {}
    for name in ("n_clusters", "min_clusters", "max_clusters"):
        value = getattr(estimator, name)
        if value is not None:
            value = check_integer(name, value, low=1 if name == "n_clusters" else 2)
        numbers[name] = value
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
    if limit is not None:
        limit = check_real("time_limit", limit, low=0.0, open_low=True)
    check_choice("outliers", estimator.outliers, (True, False))
    return Settings(
        **numbers,
        # Below a billionth no number of shadows could tell.
        rate=check_real("false_keep_rate", estimator.false_keep_rate, low=1e-9, high=1.0),
        min_cluster_size=check_integer("min_cluster_size", estimator.min_cluster_size, low=1),
        outliers=bool(estimator.outliers),
        n_resamples=check_integer("n_resamples", estimator.n_resamples, low=0),
        time_limit=limit,
        backend=backend_for(estimator.device, "auto", n_rows * n_columns),
        seed=0,  # the run has it
    )
