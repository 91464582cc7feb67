"""One number that stands for many, for comparisons with recorded numbers."""

from __future__ import annotations

from typing import Any

import numpy as np


def weighted_sum(values: Any) -> float:
    """Return the sum of all entries, each times its own factor, so that their order counts."""
    flat = np.asarray(values, dtype=float).ravel()
    return float(flat @ np.cos(np.arange(1.0, flat.size + 1.0)))
