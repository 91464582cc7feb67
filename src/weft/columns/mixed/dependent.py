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
    LevelPrior,
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
    gaps = _gaps_of(rows)
    expected: list[_Expected] = []  # of the last model

    def likelihood(model: DependentModel) -> Floats:
        out, expected[:] = _expect(rows, gaps, model)
        return out

    return DependentClasses(
        *fit_mixture(
            (labels, n_classes),
            lambda belongs: _maximise(rows, gaps, belongs, prior, expected),
            likelihood,
            max_rounds,
            SAME,
        )
    )


class _Gaps(NamedTuple):
    """The rows with gaps: their positions (g,), patterns (g,), and which numbers they lack (g, q).

    `both` and `neither` are (u, q, q): pairs of numbers that a pattern lacks, and that it has.
    """

    rows: Integers
    pattern: Integers
    lost: Mask
    both: Mask
    neither: Mask


def _gaps_of(rows: Dependents) -> _Gaps:
    lost = rows.patterns
    first, second = lost[:, :, np.newaxis], lost[:, np.newaxis, :]
    places = np.flatnonzero(rows.pattern >= 0)
    pattern = rows.pattern[places]
    return _Gaps(places, pattern, lost[pattern], first & second, ~(first | second))


class _Expected(NamedTuple):
    """Of all classes: numbers of rows with gaps (K, g, q), what remains by pattern (K, u, q, q)."""

    numbers: Floats
    remaining: Floats


def dependent_likelihood(rows: Dependents, model: DependentModel) -> Floats:
    """Return log p(row, class), (n, K), without the constant of the normal density."""
    return _expect(rows, _gaps_of(rows), model)[0]


def _expect(rows: Dependents, gaps: _Gaps, model: DependentModel) -> tuple[Floats, list[_Expected]]:
    """Return log p(row, class), and what is expected of the rows with gaps, if there are any."""
    means, roots = model.means[:, np.newaxis], model.inverse_roots
    scores = (rows.numbers - means) @ roots.transpose(0, 2, 1)
    volumes = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    density = volumes[:, np.newaxis] - 0.5 * np.einsum("kij,kij->ki", scores, scores)
    expected = []
    if len(gaps.rows):
        density[:, gaps.rows], of_gaps = _complete(rows, gaps, model)
        expected.append(of_gaps)
    out = rows.profile.levels @ model.log_theta.T + model.shares
    return out + density.T, expected


def _complete(rows: Dependents, gaps: _Gaps, model: DependentModel) -> tuple[Floats, _Expected]:
    """Return the log densities (K, g) of the rows with gaps, and what is expected of them."""
    means, covariances = model.means[:, np.newaxis], model.covariances[:, np.newaxis]
    # Ones in place of the gaps do not change determinant and inverse of the rest.
    own = np.where(gaps.neither, covariances, 0.0)
    diagonal = np.arange(own.shape[-1])
    own[:, :, diagonal, diagonal] += rows.patterns
    inverse = np.where(gaps.neither, np.linalg.inv(own), 0.0)
    known = rows.numbers[gaps.rows]
    away = np.where(gaps.lost, 0.0, known - means)
    pulled = (inverse[:, gaps.pattern] @ away[..., np.newaxis])[..., 0]
    density = -0.5 * np.linalg.slogdet(own)[1][:, gaps.pattern]
    density -= 0.5 * np.einsum("kij,kij->ki", away, pulled)
    completed = np.where(gaps.lost, means + pulled @ model.covariances, known)
    remaining = np.where(gaps.both, covariances - covariances @ inverse @ covariances, 0.0)
    return density, _Expected(completed, remaining)


def _maximise(
    rows: Dependents, gaps: _Gaps, belongs: Floats, prior: LevelPrior, expected: list[_Expected]
) -> DependentModel:
    """Return the model; with `expected`, gaps are those of the model before, class by class."""
    (n, n_classes), q = belongs.shape, rows.numbers.shape[1]
    counts = belongs.sum(axis=0)
    sizes = np.maximum(counts, 1e-9)[:, np.newaxis]
    own = rows.numbers[np.newaxis]
    if expected:
        own = np.repeat(own, n_classes, axis=0)
        own[:, gaps.rows] = expected[0].numbers
    means = (belongs.T[:, np.newaxis] @ own)[:, 0] / sizes
    away = own - means[:, np.newaxis]
    sums = (away * belongs.T[:, :, np.newaxis]).transpose(0, 2, 1) @ away
    if expected:
        remaining = expected[0].remaining
        weights = np.zeros((n_classes, remaining.shape[1]))
        np.add.at(weights.T, gaps.pattern, belongs[gaps.rows])
        sums += np.einsum("ku,kuij->kij", weights, remaining)
    common = sums.sum(axis=0) / n
    common[np.diag_indices(q)] += LEAST_VARIANCE
    drawn = (sums + PRIOR_ROWS * common) / (counts + PRIOR_ROWS)[:, np.newaxis, np.newaxis]
    drawn += 1e-6 * np.eye(q)
    return DependentModel(
        np.log((counts + 1.0) / (n + n_classes)),
        means,
        drawn,
        np.linalg.inv(np.linalg.cholesky(drawn)),
        log_level_shares(rows.profile, belongs, prior),
    )
