"""Classes of a mixed table whose numbers depend on each other within a class.

As in `weft.columns.mixed.classes`, each class has its own shares of levels. Numbers, ordered levels
and points on circles have a joint normal distribution, whose covariance is shrunk towards the
covariance that all classes share. So size may affect all measures of an animal within a class;
classes of independent columns would split small and large animals.

The density of a row with gaps is that of its known values. The gaps get their expected values,
given the known values and the class, and the remaining covariance is added to that of the class
(Ghahramani and Jordan, "Supervised learning from incomplete data via an EM approach", 1994). The
first round starts from gaps filled as for coordinates (`weft.columns.mixed.filling`), and so do all
rounds of tables with more than `MAX_COMPLETED` numbers, because this is faster, and many numbers
predict a gap well.

=======  ==========  ==============================================================================
symbol   shape       meaning
=======  ==========  ==============================================================================
X        (n, q)      coordinates of variance 1, gaps filled; X_k those expected in class k
R        (n, K)      how likely each row is of each class
m        (K, q)      means
S, S_k   (q, q)      Σ_k Σ_i R_ik ((x_i - m_k)(x_i - m_k)' + what remains of gaps) / n; S_k the
                     class's own sum, shrunk towards S with the weight of `PRIOR_ROWS` rows
θ        (K, L)      shares of the levels, shrunk towards the table's
=======  ==========  ==============================================================================
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft.columns.mixed.classes import (
    LEAST_VARIANCE,
    PRIOR_ROWS,
    Profile,
    fit_mixture,
    level_prior,
    log_level_shares,
    profile_of,
)
from weft.columns.mixed.embedding import (
    Embedding,
    learn_embedding,
    place_rows,
    transform,
)
from weft.columns.source import MixedTable

MAX_ROUNDS = 40
SAME = 1e-4  # gain of the log-likelihood per row at which the rounds stop
MAX_NUMBERS = 40
MAX_COMPLETED = 16  # numbers whose gaps are completed class by class
ROWS_PER_NUMBER = 5


class Dependents(NamedTuple):
    """A table in the form that this mixture takes.

    Attributes
    ----------
    numbers : ndarray of shape (n, q)
        Symbol X.
    patterns : ndarray of shape (u, q)
        Sets of numbers that rows lack and a class completes, without repetitions.
    pattern : ndarray of shape (n,)
        The pattern of each row, -1 for rows without gaps.
    profile : Profile
        Has the levels.
    """

    numbers: Floats
    patterns: Mask
    pattern: Integers
    profile: Profile

    def take(self, rows: Integers) -> Dependents:
        """Return some of the rows."""
        own = self.pattern[rows]
        seen = np.unique(own[own >= 0])
        pattern = np.where(own >= 0, np.searchsorted(seen, own), -1)
        return Dependents(self.numbers[rows], self.patterns[seen], pattern, self.profile.take(rows))


class DependentModel(NamedTuple):
    """Log shares (K,), m, S_k (K, q, q), the inverse of a root of each, and log θ."""

    shares: Floats
    means: Floats
    covariances: Floats
    inverse_roots: Floats
    log_theta: Floats


class DependentClasses(NamedTuple):
    """A fitted mixture: the likeliest class of each row, log-likelihood per row, the model."""

    labels: Integers
    likelihood: float
    model: DependentModel


def dependents_of(table: MixedTable, profile: Profile | None = None) -> Dependents | None:
    """Return a table's rows for `fit_dependent`; None where its numbers are too few or too many."""
    embedding = learn_embedding(table)
    is_number = number_coordinates(embedding)
    q, n = int(is_number.sum()), len(table.values)
    if q < 2 or q > MAX_NUMBERS or n < ROWS_PER_NUMBER * q:
        return None
    points = transform(embedding, table.values, balance="directions")
    numbers = np.ascontiguousarray(points[:, is_number])
    gaps = np.isnan(place_rows(embedding.blocks, table.values)[:, is_number])
    if q > MAX_COMPLETED:
        gaps[:] = False
    open_rows = np.flatnonzero(gaps.any(axis=1))
    patterns, which = np.unique(gaps[open_rows], axis=0, return_inverse=True)
    pattern = np.full(n, -1, dtype=np.int64)
    pattern[open_rows] = which.ravel()
    return Dependents(numbers, patterns, pattern, profile_of(table) if profile is None else profile)


def number_coordinates(embedding: Embedding) -> np.ndarray:
    """Return which coordinates are not those of a category."""
    measures = [block.measure != "category" for block in embedding.blocks]
    return np.repeat(measures, [block.width for block in embedding.blocks]).astype(bool)


def fit_dependent(
    rows: Dependents, labels: Integers, n_classes: int, *, max_rounds: int = MAX_ROUNDS
) -> DependentClasses:
    """Return the mixture that expectation and maximisation reach from some labels."""
    prior = level_prior(rows.profile)
    expected: list[_Expected] = []  # of the last model

    def likelihood(model: DependentModel) -> Floats:
        out, expected[:] = _expect(rows, model)
        return out

    return DependentClasses(
        *fit_mixture(
            (labels, n_classes),
            lambda belongs: _maximise(rows, belongs, prior, expected),
            likelihood,
            max_rounds,
            SAME,
        )
    )


class _Expected(NamedTuple):
    """In one class: numbers of rows with gaps (g, q), and what remains of S_k by pattern."""

    numbers: Floats
    remaining: Floats


def dependent_likelihood(rows: Dependents, model: DependentModel) -> Floats:
    """Return log p(row, class), (n, K), without the constant of the normal density."""
    return _expect(rows, model)[0]


def _expect(rows: Dependents, model: DependentModel) -> tuple[Floats, list[_Expected]]:
    """Return log p(row, class), and what is expected of the rows with gaps in each class."""
    out = rows.profile.levels @ model.log_theta.T + model.shares
    open_rows = np.flatnonzero(rows.pattern >= 0)
    which = rows.pattern[open_rows]
    lost, gaps = rows.patterns, rows.patterns[which]
    both = lost[:, :, np.newaxis] & lost[:, np.newaxis, :]
    has = ~(lost[:, :, np.newaxis] | lost[:, np.newaxis, :])
    expected = []
    for number, (mean, root) in enumerate(zip(model.means, model.inverse_roots, strict=True)):
        scores = (rows.numbers - mean) @ root.T
        density = np.log(np.diag(root)).sum() - 0.5 * np.einsum("ij,ij->i", scores, scores)
        if len(open_rows):
            covariance = model.covariances[number]
            # Ones in place of the gaps do not change determinant and inverse of the rest.
            own = np.where(has, covariance, 0.0)
            own[:, np.arange(len(mean)), np.arange(len(mean))] += lost
            inverse = np.where(has, np.linalg.inv(own), 0.0)
            away = np.where(gaps, 0.0, rows.numbers[open_rows] - mean)
            pulled = (inverse[which] @ away[:, :, np.newaxis])[:, :, 0]
            density[open_rows] = -0.5 * np.linalg.slogdet(own)[1][which]
            density[open_rows] -= 0.5 * np.einsum("ij,ij->i", away, pulled)
            completed = np.where(gaps, mean + pulled @ covariance, rows.numbers[open_rows])
            remaining = np.where(both, covariance - covariance @ inverse @ covariance, 0.0)
            expected.append(_Expected(completed, remaining))
        out[:, number] += density
    return out, expected


def _maximise(
    rows: Dependents, belongs: Floats, prior: Floats, expected: list[_Expected]
) -> DependentModel:
    """Return the model; with `expected`, gaps are those of the model before, class by class."""
    X, (n, n_classes) = rows.numbers, belongs.shape
    open_rows = np.flatnonzero(rows.pattern >= 0)
    counts = belongs.sum(axis=0)
    shares = np.log((counts + 1.0) / (n + n_classes))
    means = np.empty((n_classes, X.shape[1]))
    sums = np.empty((n_classes, X.shape[1], X.shape[1]))
    if not expected:
        means = (belongs.T @ X) / np.maximum(counts, 1e-9)[:, np.newaxis]
    for number in range(n_classes):
        own = X
        if expected:
            own = X.copy()
            own[open_rows] = expected[number].numbers
            means[number] = (belongs[:, number] @ own) / max(counts[number], 1e-9)
        away = own - means[number]
        sums[number] = (away * belongs[:, [number]]).T @ away
        if expected:
            shares_of = np.bincount(rows.pattern[open_rows], belongs[open_rows, number])
            sums[number] += np.tensordot(shares_of, expected[number].remaining, 1)
    common = sums.sum(axis=0) / n
    common[np.diag_indices_from(common)] += LEAST_VARIANCE
    drawn = (sums + PRIOR_ROWS * common) / (counts + PRIOR_ROWS)[:, np.newaxis, np.newaxis]
    drawn += 1e-6 * np.eye(X.shape[1])
    return DependentModel(
        shares,
        means,
        drawn,
        np.linalg.inv(np.linalg.cholesky(drawn)),
        log_level_shares(rows.profile, belongs, prior),
    )
