"""The nearest known row of new ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def nearest_known(
    block: Any,
    slack: Any,
    rows: NDArray[np.float64],
    known: NDArray[np.float64],
    nearest: NDArray[np.int64],
    powered: NDArray[np.float64],
) -> None:
    """Fill `nearest` and `powered`, (b,): argmin_j Σ_f (x_if - y_jf)², the first on a tie.

    `block` (b, n) holds the same up to a constant per row and an error of at most `slack`; here it
    is not needed.
    """
    distances = ((rows[:, None] - known[None]) ** 2).sum(axis=2)
    nearest[:] = distances.argmin(axis=1)
    powered[:] = distances.min(axis=1)
