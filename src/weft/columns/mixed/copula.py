"""One cloud with the levels of a mixed table: a Gaussian copula, cut into the same values.

Columns may depend on each other without any clusters, such as answers that all follow one trait.
The cloud to compare with draws rows from a normal distribution and replaces each column's values by
the table's own, rank by rank: the margins, the gaps and the monotone dependence are kept, but
clusters are not. Columns with few levels need two corrections.

Levels may have no order. They get the order that a single trait would give them, estimated from the
other columns (see `order_values`).

The correlation of values that were cut into levels is weaker than the correlation before the cut.
With H_k the Hermite polynomials of length 1, a column's scores a(z) = E[z | level of z] have
coefficients c_k = E[a(z) H_k(z)], and two columns with normal correlation ρ have E[a_i a_j] = Σ_k
ρ^k c_ik c_jk (Mehler's formula). That sum is solved for ρ, so that a cloud's cut values have the
correlations of the table's.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from weft._base.arrays import Floats, Integers, Mask
from weft.columns.mixed.blocks import pool_levels
from weft.columns.mixed.embedding import embed, measures_of
from weft.columns.source import MixedTable

N_TERMS = 24  # of the sum over k; its error is below ρ^25 / (1 - ρ) times the rest of a
LARGEST = 0.98  # correlation: two columns that repeat each other still leave a cloud some width
HALVINGS = 40
MAX_AXES = 5
MAX_ROUNDS = 20
CIRCLE_BINS = 8


class Copula(NamedTuple):
    """The distribution that clouds are drawn from.

    Attributes
    ----------
    mix : ndarray of shape (p, p)
        A root of the correlations: normal rows times its transpose have them.
    ordered : tuple of ndarray
        The observed values of each column of the matrix, in their order.
    observed : ndarray of shape (n, p)
        Where the table has a value.
    """

    mix: Floats
    ordered: tuple[Floats, ...]
    observed: Mask


def fit_copula(table: MixedTable) -> Copula:
    """Return the copula of a table's columns."""
    observed = ~np.isnan(table.values)
    ranked = order_values(table)
    scores = np.zeros(table.values.shape)
    terms = np.zeros((table.values.shape[1], N_TERMS))
    ordered = []
    for j, ranks in enumerate(ranked.T):
        rows = np.flatnonzero(observed[:, j])
        places = np.argsort(ranks[rows], kind="stable")
        ordered.append(table.values[rows[places], j])
        groups = np.unique(ranks[rows], return_inverse=True)[1]
        points, terms[j] = level_scores(np.bincount(groups, minlength=1))
        scores[rows, j] = points[groups] if len(rows) else 0.0
    both = observed.T.astype(float) @ observed
    products = (scores.T @ scores) / np.maximum(both, 1.0)
    correlations = solve_correlations(products, terms)
    # Pairs of columns that few rows share are not reliable.
    correlations *= both / (both + 5.0)
    np.fill_diagonal(correlations, 1.0)
    values, turns = np.linalg.eigh(correlations)
    mix = turns * np.sqrt(np.maximum(values, 0.0))
    length = np.sqrt((mix * mix).sum(axis=1, keepdims=True))
    return Copula(mix / np.maximum(length, 1e-12), tuple(ordered), observed)


def draw_cloud(copula: Copula, rng: np.random.Generator) -> Floats:
    """Return rows of one cloud with the table's margins and gaps."""
    latent = rng.standard_normal(copula.observed.shape) @ copula.mix.T
    out = np.full(copula.observed.shape, np.nan)
    for j, values in enumerate(copula.ordered):
        rows = np.flatnonzero(copula.observed[:, j])
        out[rows[np.argsort(latent[rows, j], kind="stable")], j] = values
    return out


def order_values(table: MixedTable) -> Floats:
    """Return numbers that order the values of each column, NaN where missing.

    Levels without an order get one number each, and these numbers are chosen as in a principal
    component analysis with optimal scaling (Gifi, "Nonlinear multivariate analysis", 1990): main
    directions of the table of numbers, then the mean of each level's rows along the line in those
    directions that separates the levels best, repeated until the order does not change. One number
    per level avoids the horseshoe effect: with a point per level, the second direction of one trait
    is its square, and values along it have no order.
    """
    out = table.values.copy()
    free = []
    for column in table.used:
        for position, measure, period in zip(
            column.positions, measures_of(column), column.periods, strict=True
        ):
            own = out[:, position]
            if measure == "category":
                free.append((position, _pooled(own)))
            elif measure == "cyclic":
                free.append((position, np.floor(own / period * CIRCLE_BINS) % CIRCLE_BINS))
    if not free:
        return out
    points = embed(table, balance="directions").values
    directions = points @ np.linalg.eigh(points.T @ points)[1][:, -1:]
    for _ in range(MAX_ROUNDS):
        before = [out[:, position].copy() for position, _ in free]
        for position, cells in free:
            out[:, position] = _level_order(cells, directions)
        if all(
            np.array_equal(out[:, position], old, equal_nan=True)
            for (position, _), old in zip(free, before, strict=True)
        ):
            break
        directions = _directions(out)
    return out


def _pooled(codes: Floats) -> Floats:
    """Return groups of levels, rare ones together: the mean of a few rows is not reliable."""
    has = ~np.isnan(codes)
    own = codes[has].astype(np.int64)
    groups = np.full(len(codes), np.nan)
    if len(own):
        groups[has] = pool_levels(np.bincount(own))[own]
    return groups


def _directions(numbers: Floats) -> Floats:
    """Return the rows along the main directions of the columns' normal scores, (n, r)."""
    scores = np.zeros_like(numbers)
    for j, column in enumerate(numbers.T):
        has = ~np.isnan(column)
        levels, groups = np.unique(column[has], return_inverse=True)
        counts = np.bincount(groups, minlength=len(levels))
        if len(counts) > 1:
            own = level_scores(counts)[0][groups]
            scores[has, j] = own / own.std()
    n, p = scores.shape
    values, axes = np.linalg.eigh(scores.T @ scores / n)
    count = int(np.clip((values > (1.0 + np.sqrt(p / n)) ** 2).sum(), 1, MAX_AXES))
    return scores @ axes[:, -count:] / np.sqrt(np.maximum(values[-count:], 1e-12))


def _level_order(cells: Floats, directions: Floats) -> Floats:
    """Return for each row the place of its level along the line that separates levels best."""
    has = ~np.isnan(cells)
    if not has.any():
        return cells
    codes = cells[has].astype(np.int64)
    counts = np.bincount(codes)
    sums = np.column_stack([np.bincount(codes, axis) for axis in directions[has].T])
    means = sums / np.maximum(counts, 1)[:, np.newaxis] - directions[has].mean(axis=0)
    line = np.linalg.eigh((means * counts[:, np.newaxis]).T @ means)[1][:, -1]
    along = means @ line
    if along[counts.argmax()] < 0.0:  # an eigenvector has no sign of its own
        along = -along
    places = np.empty(len(along))
    places[np.argsort(along, kind="stable")] = np.arange(len(along))
    out = np.full(len(cells), np.nan)
    out[has] = places[codes]
    return out


def level_scores(counts: Integers) -> tuple[Floats, Floats]:
    """Return E[z | level] of ordered levels with these counts, and their Hermite coefficients."""
    shares = counts / max(counts.sum(), 1)
    ends = np.clip(np.cumsum(shares)[:-1], 1e-12, 1.0 - 1e-12)
    cuts = norm.ppf(ends)
    density = np.concatenate([[0.0], norm.pdf(cuts), [0.0]])
    points = (density[:-1] - density[1:]) / np.maximum(shares, 1e-300)
    terms = np.zeros(N_TERMS)
    # ∫ over a level of He_k φ = He_{k-1} φ at its lower end minus that at its upper end.
    before, current = np.zeros_like(cuts), np.ones_like(cuts)
    factorial = 1.0
    for k in range(1, N_TERMS + 1):
        factorial *= k
        ends_of = np.concatenate([[0.0], current * density[1:-1], [0.0]])
        terms[k - 1] = (points * (ends_of[:-1] - ends_of[1:])).sum() / sqrt(factorial)
        before, current = current, cuts * current - (k - 1) * before
    return points, terms


def solve_correlations(products: Floats, terms: Floats) -> Floats:
    """Return ρ (p, p) with Σ_k ρ^k c_ik c_jk = E[a_i a_j], by halving; `terms` is (p, k)."""
    low, high = np.full(products.shape, -LARGEST), np.full(products.shape, LARGEST)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        value = np.zeros_like(middle)
        for k in range(terms.shape[1] - 1, -1, -1):  # Horner's scheme
            value = middle * (value + np.outer(terms[:, k], terms[:, k]))
        above = value > products
        high = np.where(above, middle, high)
        low = np.where(above, low, middle)
    return 0.5 * (low + high)
