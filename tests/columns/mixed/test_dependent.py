"""Mixtures with numbers that depend on each other within a class."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from weft.columns.mixed.classes import fit_classes, profile_of
from weft.columns.mixed.dependent import (
    LEAST_VARIANCE,
    MAX_NUMBERS,
    PRIOR_ROWS,
    dependent_likelihood,
    dependents_of,
    fit_dependent,
)
from weft.columns.source import MixedTable, SourceColumn


def table_of(numbers, codes=None):
    parts, columns = list(numbers), [
        SourceColumn(f"x{j}", "number", (j,)) for j in range(len(numbers))
    ]  # fmt: skip
    if codes is not None:
        columns.append(SourceColumn("c", "category", (len(parts),), levels=("a", "b")))
        parts.append(codes)
    return MixedTable(np.column_stack(parts).astype(float), tuple(columns))


def sized(n=400, seed=0):
    """Two species that differ a little; size moves both measures much more."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    size = 2.0 * rng.standard_normal(n)
    first = size + labels + 0.25 * rng.standard_normal(n)
    second = size - labels + 0.25 * rng.standard_normal(n)
    return table_of([first, second], np.where(rng.random(n) < 0.2, 1 - labels, labels)), labels


def test_one_class_by_hand():
    # With one class, S is the covariance of the rows plus LEAST_VARIANCE, and the class's own is
    # (n S0 + PRIOR_ROWS S) / (n + PRIOR_ROWS) plus 1e-6 on the diagonal.
    rng = np.random.default_rng(0)
    rows = dependents_of(table_of(rng.standard_normal((2, 60))))
    fitted = fit_dependent(rows, np.zeros(60, dtype=int), 1, max_rounds=1)
    own = np.cov(rows.numbers.T, bias=True)
    drawn = (60 * own + PRIOR_ROWS * (own + LEAST_VARIANCE * np.eye(2))) / (60 + PRIOR_ROWS)
    root = fitted.model.inverse_roots[0]
    np.testing.assert_allclose(np.linalg.inv(root.T @ root), drawn + 1e-6 * np.eye(2))
    away = rows.numbers - rows.numbers.mean(axis=0)
    squared = np.einsum("ij,jk,ik->i", away, np.linalg.inv(drawn + 1e-6 * np.eye(2)), away)
    density = -0.5 * squared - 0.5 * np.log(np.linalg.det(drawn + 1e-6 * np.eye(2)))
    assert fitted.likelihood == pytest.approx(density.mean())
    np.testing.assert_allclose(dependent_likelihood(rows, fitted.model)[:, 0], density)


def test_size_does_not_split_a_class():
    table, labels = sized()
    start = table.values[:, 2].astype(int)  # a category that is right in four of five rows
    dependent = fit_dependent(dependents_of(table), start, 2)
    assert adjusted_rand_score(labels, dependent.labels) > 0.9
    # Columns that are independent within a class would be split into small and large rows.
    independent = fit_classes(profile_of(table), start, 2)
    assert adjusted_rand_score(labels, independent.labels) < 0.5


def with_gaps(table, share=0.2, seed=1):
    values = table.values.copy()
    gaps = np.random.default_rng(seed).random((len(values), 2)) < share
    values[:, :2][gaps] = np.nan
    return MixedTable(values, table.columns)


def test_halves_keep_gaps_and_levels():
    rows = dependents_of(with_gaps(sized()[0]))
    assert np.isfinite(rows.numbers).all()
    half = rows.take(np.arange(0, 400, 2))
    assert half.numbers.shape == (200, 2)
    np.testing.assert_array_equal(half.gaps, rows.gaps[::2])
    assert half.profile.levels.shape == (200, 2)


def test_a_row_with_gaps_counts_by_what_it_has():
    # The density of the numbers that a row has is normal with their part of mean and covariance.
    rows = dependents_of(with_gaps(sized()[0]))
    model = fit_dependent(rows, sized()[1], 2).model
    joint = dependent_likelihood(rows, model)
    for row in (np.flatnonzero(rows.gaps[:, 0] & ~rows.gaps[:, 1])[0],
                np.flatnonzero(~rows.gaps.any(axis=1))[0],
                np.flatnonzero(rows.gaps.all(axis=1))[0]):  # fmt: skip
        has = np.flatnonzero(~rows.gaps[row])
        for number in range(2):
            covariance = model.covariances[number][np.ix_(has, has)]
            away = rows.numbers[row, has] - model.means[number, has]
            density = -0.5 * away @ np.linalg.inv(covariance) @ away
            density -= 0.5 * np.log(np.linalg.det(covariance))
            levels = rows.profile.levels[row] @ model.log_theta[number] + model.shares[number]
            assert joint[row, number] == pytest.approx(density + levels)


def test_the_likelihood_of_what_rows_have_never_falls():
    # Without priors this is what expectation and maximisation promise; they move it very little.
    rows = dependents_of(with_gaps(sized()[0], 0.3))
    start = sized()[1]
    reached = [fit_dependent(rows, start, 2, max_rounds=count).likelihood for count in (2, 4, 8)]
    assert reached[0] < reached[1] <= reached[2]


def test_gaps_completed_class_by_class_keep_the_classes():
    table, labels = sized()
    start = table.values[:, 2].astype(int)
    rows = dependents_of(with_gaps(table))
    both = ~rows.gaps.any(axis=1)
    found = fit_dependent(rows, start, 2).labels
    assert adjusted_rand_score(labels[both], found[both]) > 0.9
    # Gaps left where they were filled first, on the line of size, blur the classes.
    filled = rows._replace(gaps=np.zeros_like(rows.gaps))
    blurred = fit_dependent(filled, start, 2).labels
    assert adjusted_rand_score(labels, found) > adjusted_rand_score(labels, blurred) + 0.05


def test_tables_with_too_few_or_too_many_numbers_are_not_asked():
    rng = np.random.default_rng(0)
    assert dependents_of(table_of([rng.standard_normal(50)], rng.integers(2, size=50))) is None
    assert dependents_of(table_of(rng.standard_normal((MAX_NUMBERS + 1, 400)))) is None
    assert dependents_of(table_of(rng.standard_normal((11, 50)))) is None
    assert dependents_of(table_of(rng.standard_normal((10, 50)))) is not None
