"""Classes of a mixed table whose numbers depend on each other within a class.

As in `weft.columns.mixed.classes`, levels are drawn by the class's own shares. Numbers, ordered
levels and points on circles together are normal with a covariance of the class, drawn to the
covariance that all classes have in common. So the size of an animal may move all of its measures
within a class, which classes of independent columns would split into small and large ones. Gaps in
numbers are filled in as for coordinates (`weft.columns.mixed.filling`).

=======  ==========  ==============================================================================
symbol   shape       meaning
=======  ==========  ==============================================================================
X        (n, q)      coordinates of variance 1, filled
R        (n, K)      how likely each row is of each class
m        (K, q)      means
S, S_k   (q, q)      Σ_k Σ_i R_ik (x_i - m_k)(x_i - m_k)' / n; S_k the class's own sum, drawn to S
                     as if `PRIOR_ROWS` rows had been seen at it
θ        (K, L)      shares of the levels, drawn to the table's
=======  ==========  ==============================================================================
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.columns.mixed.classes import (
    LEAST_VARIANCE,
    PRIOR_ROWS,
    Profile,
    fit_mixture,
    level_prior,
    log_level_shares,
    profile_of,
)
from weft.columns.mixed.embedding import Embedding, learn_embedding, transform
from weft.columns.source import MixedTable

MAX_ROUNDS = 40
SAME = 1e-4  # gain of the log-likelihood per row at which the rounds stop
MAX_NUMBERS = 40
ROWS_PER_NUMBER = 5


class Dependents(NamedTuple):
    """A table as this mixture sees it: X, and the levels of its profile."""

    numbers: Floats
    profile: Profile

    def take(self, rows: Integers) -> Dependents:
        """Return some of the rows."""
        return Dependents(self.numbers[rows], self.profile.take(rows))


class DependentModel(NamedTuple):
    """Log shares (K,), m, the inverse of a root of each S_k (K, q, q), and log θ."""

    shares: Floats
    means: Floats
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
    return Dependents(numbers, profile_of(table) if profile is None else profile)


def number_coordinates(embedding: Embedding) -> np.ndarray:
    """Return which coordinates are not those of a category."""
    measures = [block.measure != "category" for block in embedding.blocks]
    return np.repeat(measures, [block.width for block in embedding.blocks]).astype(bool)


def fit_dependent(
    rows: Dependents, labels: Integers, n_classes: int, *, max_rounds: int = MAX_ROUNDS
) -> DependentClasses:
    """Return the mixture that expectation and maximisation reach from some labels."""
    prior = level_prior(rows.profile)
    return DependentClasses(
        *fit_mixture(
            (labels, n_classes),
            lambda belongs: _maximise(rows, belongs, prior),
            lambda model: dependent_likelihood(rows, model),
            max_rounds,
            SAME,
        )
    )


def dependent_likelihood(rows: Dependents, model: DependentModel) -> Floats:
    """Return log p(row, class), (n, K), without the constant of the normal density."""
    out = rows.profile.levels @ model.log_theta.T + model.shares
    for number, (mean, root) in enumerate(zip(model.means, model.inverse_roots, strict=True)):
        scores = (rows.numbers - mean) @ root.T
        out[:, number] += np.log(np.diag(root)).sum() - 0.5 * np.einsum("ij,ij->i", scores, scores)
    return out


def _maximise(rows: Dependents, belongs: Floats, prior: Floats) -> DependentModel:
    X, (n, n_classes) = rows.numbers, belongs.shape
    counts = belongs.sum(axis=0)
    shares = np.log((counts + 1.0) / (n + n_classes))
    means = (belongs.T @ X) / np.maximum(counts, 1e-9)[:, np.newaxis]
    sums = np.empty((n_classes, X.shape[1], X.shape[1]))
    for number, mean in enumerate(means):
        away = X - mean
        sums[number] = (away * belongs[:, [number]]).T @ away
    common = sums.sum(axis=0) / n
    common[np.diag_indices_from(common)] += LEAST_VARIANCE
    own = (sums + PRIOR_ROWS * common) / (counts + PRIOR_ROWS)[:, np.newaxis, np.newaxis]
    own += 1e-6 * np.eye(X.shape[1])
    return DependentModel(
        shares,
        means,
        np.linalg.inv(np.linalg.cholesky(own)),
        log_level_shares(rows.profile, belongs, prior),
    )
