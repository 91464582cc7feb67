"""Each measure relative to those of the other candidates of the same table."""

from collections.abc import Sequence

import numpy as np
from scipy.stats import rankdata

from weft.auto.working import Floats


def relative(values: Floats) -> Floats:
    """Append rank (0 to 1), z-score and gap to the best for every column.

    Parameters
    ----------
    values : (candidates, features)

    Returns
    -------
    (candidates, 4 · features): the values, ranks, z-scores and gaps; a constant column has rank
    one half and zeros.
    """
    n = len(values)
    if n == 0:
        return np.empty((0, 4 * values.shape[1]))
    ranks = (rankdata(values, axis=0) - 0.5) / n
    centred = values - values.mean(axis=0)
    deviations = np.sqrt((centred * centred).mean(axis=0))
    size = np.abs(values).max(axis=0)
    scores = np.where(deviations > 1e-9 * size, centred, 0.0)
    scores = scores / np.where(deviations > 1e-9 * size, deviations, 1.0)
    return np.hstack([values, ranks, scores, values - values.max(axis=0)])


def relative_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of the columns that `relative` gives for columns of these names."""
    endings = ("", "_rank", "_z", "_gap")
    return tuple(f"{name}{ending}" for ending in endings for name in names)
