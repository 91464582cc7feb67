"""Classes of a mixed table whose columns are independent within a class, gaps left out.

Within a class, numbers, ordered levels and points on circles have normal distributions, and each
class has its own shares of levels. The factor of a missing value is left out of the row's
likelihood, so nothing is filled in (Hunt and Jorgensen, "Mixture model clustering for mixed data
with missing information", 2003). Fitted by expectation and maximisation from given labels.

=======  =======  =================================================================================
symbol   shape    meaning
=======  =======  =================================================================================
Z, M     (n, q)   coordinates of variance 1, 0 where missing; 1 where observed
C        (n, L)   1 at the level of each category, rare levels pooled
R        (n, K)   how likely each row is of each class
m, v     (K, q)   means and variances; variances are shrunk towards their mean over the classes,
                  with the weight of `PRIOR_ROWS` rows, so that no class becomes too narrow
θ        (K, L)   shares of the levels, shrunk towards the table's
=======  =======  =================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.columns.mixed.blocks import place, pool_levels
from weft.columns.mixed.embedding import learn_blocks
from weft.columns.source import MixedTable

Model = TypeVar("Model")

PRIOR_ROWS = 50.0  # for variances
PRIOR_LEVELS = 2.0  # for shares of levels
LEAST_VARIANCE = 0.02
MAX_ROUNDS = 100
SAME = 1e-5  # gain of the log-likelihood per row at which the rounds stop
FIRST_SURE = 0.9  # weight of a row's given label in the first round


class Profile(NamedTuple):
    """A table in the form that the mixture takes.

    Attributes
    ----------
    numbers, squares, has : ndarray of shape (n, q)
        Symbols Z, its squares, and M.
    levels : ndarray of shape (n, L)
        Symbol C.
    category : ndarray of shape (L,)
        The category that each level belongs to.
    """

    numbers: Floats
    squares: Floats
    has: Floats
    levels: Floats
    category: Integers

    def take(self, rows: Integers) -> Profile:
        """Return some of the rows."""
        return Profile(
            self.numbers[rows],
            self.squares[rows],
            self.has[rows],
            self.levels[rows],
            self.category,
        )


class Classes(NamedTuple):
    """A fitted mixture.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        The likeliest class of each row.
    likelihood : float
        Log-likelihood per row.
    model : tuple of ndarray
        Log shares (K,), m, v, log θ.
    """

    labels: Integers
    likelihood: float
    model: tuple[Floats, Floats, Floats, Floats]


def profile_of(table: MixedTable) -> Profile:
    """Return a table's rows for `fit_classes`."""
    n = len(table.values)
    numbers, levels = [np.empty((n, 0))], [np.empty((n, 0))]
    for block in learn_blocks(table):
        values = table.values[:, block.position]
        if block.measure == "category":
            has = np.flatnonzero(~np.isnan(values))
            codes = values[has].astype(np.int64)
            group = pool_levels(np.bincount(codes, minlength=1))[codes]
            part = np.zeros((n, int(group.max(initial=0)) + 1))
            part[has, group] = 1.0
            levels.append(part)
        else:
            numbers.append(place(block, values) * (np.sqrt(block.width) / block.share))
    Z = np.column_stack(numbers)
    has = ~np.isnan(Z)
    Z = np.where(has, Z, 0.0)
    category = np.repeat(np.arange(len(levels)), [part.shape[1] for part in levels])
    return Profile(Z, Z * Z, has.astype(np.float64), np.column_stack(levels), category)


def fit_classes(
    profile: Profile, labels: Integers, n_classes: int, *, max_rounds: int = MAX_ROUNDS
) -> Classes:
    """Return the mixture that expectation and maximisation reach from some labels."""
    prior = level_prior(profile)
    return Classes(
        *fit_mixture(
            (labels, n_classes),
            lambda belongs: _maximise(profile, belongs, prior),
            lambda model: joint_likelihood(profile, model),
            max_rounds,
            SAME,
        )
    )


def fit_mixture(
    start: tuple[Integers, int],
    maximise: Callable[[Floats], Model],
    joint_likelihood: Callable[[Model], Floats],
    max_rounds: int,
    same: float,
) -> tuple[Integers, float, Model]:
    """Alternate expectation and maximisation; return labels, log-likelihood per row and model.

    Parameters
    ----------
    start : labels (n,) and the number of classes
    maximise : makes a model from how much each row belongs to each class, (n, K)
    joint_likelihood : log p(row, class) under a model, (n, K)
    max_rounds : most rounds
    same : gain of the log-likelihood per row at which the rounds stop
    """
    labels, n_classes = start
    n = len(labels)
    belongs = np.full((n, n_classes), (1.0 - FIRST_SURE) / n_classes)
    belongs[np.arange(n), labels] += FIRST_SURE
    last = -np.inf
    for _ in range(max_rounds):
        model = maximise(belongs)
        joint = joint_likelihood(model)
        top = joint.max(axis=1, keepdims=True)
        belongs = np.exp(joint - top)
        total = belongs.sum(axis=1, keepdims=True)
        belongs /= total
        likelihood = float((np.log(total) + top).mean())
        if likelihood - last < same:
            break
        last = likelihood
    return belongs.argmax(axis=1).astype(np.int64), likelihood, model


def joint_likelihood(profile: Profile, model: tuple[Floats, Floats, Floats, Floats]) -> Floats:
    """Return log p(row, class), (n, K), without the constant of the normal density."""
    shares, m, v, log_theta = model
    normal = profile.has @ (np.log(v) + m * m / v).T + profile.squares @ (1.0 / v).T
    normal -= 2.0 * (profile.numbers @ (m / v).T)
    return shares + profile.levels @ log_theta.T - 0.5 * normal


def _maximise(
    profile: Profile, belongs: Floats, prior: LevelPrior
) -> tuple[Floats, Floats, Floats, Floats]:
    n, n_classes = belongs.shape
    shares = np.log((belongs.sum(axis=0) + 1.0) / (n + n_classes))
    counts = belongs.T @ profile.has
    m = (belongs.T @ profile.numbers) / np.maximum(counts, 1e-9)
    squares = np.maximum(belongs.T @ profile.squares - counts * m * m, 0.0)
    common = squares.sum(axis=0) / np.maximum(counts.sum(axis=0), 1.0)
    common = np.maximum(common, LEAST_VARIANCE)
    v = (squares + PRIOR_ROWS * common) / (counts + PRIOR_ROWS)
    return shares, m, v, log_level_shares(profile, belongs, prior)


class LevelPrior(NamedTuple):
    """What is added to the counts of levels, (1, L), and where each category's levels lie.

    The levels of a category follow each other: `starts` and `widths` have one entry per category.
    """

    counts: Floats
    starts: Integers
    widths: Integers


def level_prior(profile: Profile) -> LevelPrior:
    """Return `PRIOR_LEVELS` rows with the table's shares."""
    category = profile.category
    starts = np.flatnonzero(np.diff(category, prepend=category[:1] - 1))
    widths = np.diff(np.append(starts, len(category)))
    counts = profile.levels.sum(axis=0)[np.newaxis]
    totals = np.maximum(_category_totals(counts, starts, widths), 1.0)
    return LevelPrior(PRIOR_LEVELS * (counts / totals), starts, widths)


def log_level_shares(profile: Profile, belongs: Floats, prior: LevelPrior) -> Floats:
    """Return log θ."""
    seen = belongs.T @ profile.levels
    totals = _category_totals(seen, prior.starts, prior.widths)
    return np.log(np.maximum((seen + prior.counts) / (totals + PRIOR_LEVELS), 1e-12))


def _category_totals(counts: Floats, starts: Integers, widths: Integers) -> Floats:
    """Return for each level the sum over the levels of its category."""
    if counts.shape[1] == 0:
        return counts
    return np.repeat(np.add.reduceat(counts, starts, axis=1), widths, axis=1)
