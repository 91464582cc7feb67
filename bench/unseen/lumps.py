"""Copies of real tables that are one lump: what a method must not call clustered.

A copy is drawn from a Gaussian copula with the correlations of the table's normal scores. Each
margin is that of the table, smoothed by the narrowest Gaussian kernel that leaves it one mode
(Silverman 1981), so that no gap and no second mode of a column survives. Columns with few distinct
values are rounded back to them: ties alone are no clusters. Column-wise permutations would not do:
they may still hold clusters, as a grid does.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

WIDTHS = np.geomspace(0.05, 2.0, 24)  # of the kernel, in deviations of the column
FEW_VALUES = 20
GRID = 256


def normal_scores(X: np.ndarray) -> np.ndarray:
    """Return the columns as standard normal quantiles of their ranks."""
    return ndtri((rankdata(X, axis=0) - 0.5) / len(X))


def number_of_modes(values: np.ndarray, width: float) -> int:
    """Return the number of modes of a Gaussian kernel density estimate."""
    grid = np.linspace(values.min() - 3 * width, values.max() + 3 * width, GRID)
    density = np.exp(-0.5 * ((grid[:, None] - values[None, :]) / width) ** 2).sum(axis=1)
    density /= density.max()
    rises = np.sign(np.diff(np.round(density, 6)))
    rises = rises[rises != 0]
    return int((np.diff(rises) < 0).sum())


def one_mode_width(values: np.ndarray) -> float:
    """Return the narrowest width, in units of the values, at which a column has one mode."""
    deviation = values.std()
    if deviation == 0:
        return 0.0
    for width in WIDTHS:
        if number_of_modes(values, width * deviation) <= 1:
            return float(width * deviation)
    return float(WIDTHS[-1] * deviation)


def one_lump_copy(X: np.ndarray, seed: int) -> np.ndarray:
    """Return a table of the same shape, margins and correlations that is one lump."""
    rng = np.random.default_rng([seed, 11])
    n, p = X.shape
    scores = normal_scores(X)
    # Rows are random combinations of the rows of scores: their covariance is that of the scores.
    drawn = rng.standard_normal((n, n)) @ (scores - scores.mean(axis=0)) / np.sqrt(n)
    ranks = drawn.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    out = np.empty_like(X, dtype=np.float64)
    for column in range(p):
        values = X[:, column]
        width, centre = one_mode_width(values), values.mean()
        # Shrunk towards the mean, so that the kernel does not make the column wider.
        shrink = values.std() / max(np.sqrt(values.var() + width**2), 1e-300)
        noise = width * rng.standard_normal(n)
        smooth = centre + shrink * (values - centre + noise)
        levels = np.unique(values)
        if len(levels) <= FEW_VALUES:
            nearest = np.abs(smooth[:, None] - levels[None, :]).argmin(axis=1)
            smooth = levels[nearest]
        out[:, column] = np.sort(smooth)[ranks[:, column]]
    return out
