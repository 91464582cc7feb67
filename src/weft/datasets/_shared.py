"""Functions that all generators share: cluster sizes, column names."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft._base.docstrings import Entry
from weft._base.validation import check_integer

SIZE_HELP = "give one integer or a (low, high) pair of integers"


# Paragraphs of docstrings that all generators share.
SHARED = {
    "random_state": Entry(
        "int, RandomState, Generator or None",
        "Where the random numbers come from; an int makes the data reproducible.",
    ),
}


def draw_sizes(
    cluster_size: Any,
    *,
    default: tuple[int, int],
    n_clusters: int,
    smallest: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return `n_clusters` sizes: all `cluster_size`, or uniform integers in [low, high]."""
    low, high = _size_range(default if cluster_size is None else cluster_size, smallest)
    return rng.integers(low, high, size=n_clusters, endpoint=True)


def column_names(n_features: int) -> list[str]:
    """Return scikit-learn's own names for unnamed columns: x0, x1, ..."""
    return [f"x{column}" for column in range(n_features)]


def _size_range(cluster_size: Any, smallest: int) -> tuple[int, int]:
    if isinstance(cluster_size, np.ndarray):
        cluster_size = cluster_size.tolist()
    if not isinstance(cluster_size, (tuple, list)):
        if isinstance(cluster_size, (str, bytes)) or hasattr(cluster_size, "__len__"):
            raise TypeError(f"cluster_size={cluster_size!r} is not a size; {SIZE_HELP}.")
        size = check_integer("cluster_size", cluster_size, low=smallest)
        return size, size
    if len(cluster_size) != 2:
        raise ValueError(f"cluster_size has {len(cluster_size)} entries; {SIZE_HELP}.")
    low = check_integer("cluster_size[0]", cluster_size[0], low=smallest)
    high = check_integer("cluster_size[1]", cluster_size[1], low=smallest)
    if low > high:
        raise ValueError(
            f"cluster_size=({low}, {high}) has its low end above its high end; "
            f"write cluster_size=({high}, {low})."
        )
    return low, high
