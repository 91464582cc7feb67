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


def test_gaps_are_filled_and_halves_keep_the_levels():
    table, _ = sized()
    values = table.values.copy()
    values[np.random.default_rng(1).random(values.shape) < 0.1] = np.nan
    rows = dependents_of(MixedTable(values, table.columns))
    assert np.isfinite(rows.numbers).all()
    half = rows.take(np.arange(0, 400, 2))
    assert half.numbers.shape == (200, 2)
    assert half.profile.levels.shape == (200, 2)


def test_tables_with_too_few_or_too_many_numbers_are_not_asked():
    rng = np.random.default_rng(0)
    assert dependents_of(table_of([rng.standard_normal(50)], rng.integers(2, size=50))) is None
    assert dependents_of(table_of(rng.standard_normal((MAX_NUMBERS + 1, 400)))) is None
    assert dependents_of(table_of(rng.standard_normal((11, 50)))) is None
    assert dependents_of(table_of(rng.standard_normal((10, 50)))) is not None
