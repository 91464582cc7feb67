"""Each cluster against all other rows, column by column: means and effect sizes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse


class Profile(NamedTuple):
    """Each cluster against all other rows, per feature; arrays of shape (n_clusters, d)."""

    labels: np.ndarray  # (n_clusters,), sorted, -1 for rows in no cluster
    sizes: np.ndarray  # (n_clusters,)
    means: np.ndarray
    rest_means: np.ndarray
    effects: np.ndarray


def profile(X: np.ndarray, labels: np.ndarray) -> Profile:
    """Compare each cluster with all other rows.

    The effect is (mean of the cluster − mean of the rest) / pooled standard deviation (Cohen's d);
    it is 0 where the means agree, infinite where they differ and nothing varies within, and NaN
    where there is no rest.
    """
    found, place, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    n, n_rest = sizes[:, None], len(X) - sizes[:, None]
    center = X.mean(axis=0)
    centred = X - center  # sums of squares of large values with a small spread would lose digits
    member = sparse.csr_array((np.ones(len(X)), (place, np.arange(len(X)))))
    sums = member @ centred
    np.square(centred, out=centred)
    squares = member @ centred
    with np.errstate(divide="ignore", invalid="ignore"):
        means, rest_means = sums / n, (sums.sum(axis=0) - sums) / n_rest
        within = squares - n * means**2
        within_rest = (squares.sum(axis=0) - squares) - n_rest * rest_means**2
        # If nothing varies, rounding leaves about 1e-16 of the sum of squares.
        spread = np.maximum(within + within_rest, 0.0)
        spread[spread < 1e-13 * squares.sum(axis=0)] = 0.0
        pooled = np.sqrt(spread / max(len(X) - 2, 1))
        difference = means - rest_means
        dust = 1e-13 * np.maximum(X.max(axis=0), -X.min(axis=0))  # what rounding leaves of a 0
        effects = np.where(np.abs(difference) < dust, 0.0, difference / pooled)
    effects[np.broadcast_to(n_rest == 0, effects.shape)] = np.nan
    means, rest_means = (
        np.where(np.abs(each + center) < dust, 0.0, each + center) for each in (means, rest_means)
    )
    return Profile(found, sizes, means, rest_means, effects)
