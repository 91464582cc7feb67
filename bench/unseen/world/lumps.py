"""Copies of clustered tables that are one lump: what a method must not call clustered.

A copy is drawn from a Gaussian copula with the correlations of the table's normal scores. Each
margin is that of the table, smoothed by the narrowest Gaussian kernel that leaves it one mode
(Silverman 1981), so that no gap and no second mode of a column survives. Columns with few distinct
values are rounded back to them: ties alone are no clusters. Column-wise permutations would not do:
they may still hold clusters, as a grid does.

The kinds here are copies of this world's clustered tables, one kind for each module that draws
them. A table and its copy have the same size, margins and correlations, and differ in clusters
alone. A table of few distinct values is not copied: if its columns are strongly correlated, its
copy falls into heaps too.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from bench.unseen.world import (
    arrangements,
    blobs,
    classes,
    columns,
    composites,
    curves,
    expression,
    measurements,
    packed,
    samples,
    solids,
    swarms,
    tissues,
    weak,
    wide,
)
from bench.unseen.world.drawing import Kind, Rng, Sketch, finish, product

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


def one_lump_copy(X: np.ndarray, rng: Rng) -> np.ndarray:
    """Return a table of the same shape, margins and correlations that is one lump."""
    n, p = X.shape
    scores = normal_scores(X)
    # Rows are random combinations of the rows of scores: their covariance is that of the scores.
    drawn = product(rng.standard_normal((n, n)), scores - scores.mean(axis=0))
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


def few_values(X: np.ndarray) -> bool:
    """Return whether at least half of the columns have few distinct values."""
    return bool(np.mean([len(np.unique(column)) <= FEW_VALUES for column in X.T]) >= 0.5)


def lump_of(kinds: dict[str, Kind]) -> Kind:
    """Return the kind of one-lump copies of the clustered tables of some kinds."""
    recipes = [kind for kind in kinds.values() if kind.clustered]

    def draw(rng: Rng) -> Sketch:
        while True:
            recipe = recipes[rng.integers(len(recipes))]
            X = finish(rng, recipe.draw(rng), recipe.finish)[0]
            if not few_values(X):
                return Sketch(one_lump_copy(X, rng), np.zeros(len(X), dtype=int))

    return Kind(draw, "wide", clustered=False)


MODULES = (
    blobs,
    arrangements,
    curves,
    solids,
    composites,
    columns,
    measurements,
    packed,
    swarms,
    classes,
    wide,
    weak,
    samples,
    tissues,
    expression,
)
KINDS = {f"lump_of_{module.__name__.rsplit('.', 1)[-1]}": lump_of(module.KINDS)
         for module in MODULES}  # fmt: skip
