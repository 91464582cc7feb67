"""Counts, thinned tables, excess variances and source columns, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from weft.columns import thinning
from weft.columns.counts import look_like_counts, normalized_counts
from weft.columns.source import MixedTable, SourceColumn
from weft.columns.thinning import inverse_overdispersion, thin_counts, thin_numbers
from weft.columns.variable import Moments, excess_variances

# Counts and thinning ------------------------------------------------------------------------------


def test_thinned_numbers_by_their_formula():
    X = np.random.default_rng(0).standard_normal((9, 3)) * [1.0, 5.0, 0.0]
    first, second = thin_numbers(X, np.random.default_rng(4))
    noise = np.random.default_rng(4).standard_normal((9, 3)) * np.sqrt(0.21) * X.std(axis=0)
    assert_allclose(first, 0.7 * X + noise)
    assert_allclose(second, 0.3 * X - noise, atol=1e-12)


def test_thinned_counts_by_their_draws(monkeypatch):
    theta = np.array([np.inf, 4.0, np.inf])
    monkeypatch.setattr(thinning, "inverse_overdispersion", lambda X: theta)
    X = np.random.default_rng(0).poisson(3.0, (6, 3)).astype(float)
    for given in (X, sparse.csc_array(X)):
        first, second = thin_counts(given, np.random.default_rng(4))
        rng = np.random.default_rng(4)
        stored = X if given is X else given.data
        share = np.full(stored.shape, 0.7)
        wide_ones = np.zeros(X.shape, dtype=bool)
        wide_ones[:, 1] = True
        if given is not X:
            wide_ones = np.repeat([False, True, False], np.diff(given.indptr))
        share[wide_ones] = rng.beta(2.8, 1.2, wide_ones.sum())
        drawn = rng.binomial(stored.astype(int), share)
        if given is X:
            assert_array_equal(first, drawn)
        else:
            assert_array_equal(first.data, drawn[drawn > 0])
            assert (second.data > 0).all()
            first, second = first.toarray(), second.toarray()
        assert_array_equal(first + second, X)


def test_a_little_more_spread_than_that_of_poisson():
    # Equal totals. Column 0 has the mean 1 and Σ (x - 1)² = 6, which is 1 more than Σ m: θ = 5 / 1.
    first = np.array([3.0, 0.0, 1.0, 1.0, 0.0])
    found = inverse_overdispersion(np.column_stack([first, 4.0 - first]))
    assert found.tolist() == [pytest.approx(5.0), np.inf]


def test_overdispersion_of_few_counts_by_its_definition():
    # Less than one count in a row on average; most rows are empty.
    X = np.zeros((20, 3))
    X[0, 0], X[3], X[7, 1] = 9.0, [0.0, 1.0, 2.0], 2.0
    s = X.sum(axis=1) / X.sum(axis=1).mean()
    m = X.sum(axis=0) / s.sum()
    beyond = ((X - s[:, None] * m) ** 2 - s[:, None] * m).sum(axis=0)
    expected = np.where(beyond > 0.0, m**2 * (s**2).sum() / beyond, np.inf)
    assert np.isfinite(expected).any()
    assert_allclose(inverse_overdispersion(X), expected)
    assert_allclose(inverse_overdispersion(sparse.csc_array(X)), expected)


def test_overdispersion_at_its_limits():
    # An empty table, and a column whose spread would give a θ below a thousandth.
    assert inverse_overdispersion(np.zeros((3, 2))).tolist() == [np.inf, np.inf]
    X = np.zeros((4000, 2))
    X[0, 0] = 1e6
    X[:, 1] = 1e6 - X[:, 0]
    assert inverse_overdispersion(X)[0] == 1e-3


def test_limits_of_tables_that_look_like_counts():
    X = np.ones((10, 20))
    X[5:] = 4.0
    assert look_like_counts(X)
    assert look_like_counts(X[3:7])
    assert look_like_counts(X[4:6])  # two rows
    X[0, 0] = 0.0
    assert look_like_counts(X)
    assert not look_like_counts(np.where(X > 1.0, 2.0, X))
    assert look_like_counts(np.where(X > 1.0, 3.0, X))
    empty = X.copy()
    empty[:5] = 0.0
    assert look_like_counts(empty)
    assert not look_like_counts(np.zeros((10, 20)))
    # Values of the usual size are not divided first, so that they have their usual digits.
    given = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert_array_equal(
        normalized_counts(given, 5.0, log=False), given * (5.0 / given.sum(axis=1))[:, None]
    )


def test_excess_is_interpolated_between_bins(monkeypatch):
    # Bins of two columns each: means 1, 10 and 100, median variances 1, 100 and 10,000. Between
    # them the logarithm of the variance grows with that of the mean.
    monkeypatch.setattr("weft.columns.variable.COLUMNS_PER_BIN", 2)
    means = np.array([1.0, 1.0, -10.0, 10.0, 100.0, 100.0])
    usual = means**2
    found = excess_variances(Moments(means, usual * [1, 1, 1, 1, 1, 1]))
    assert_allclose(found, 0.0, atol=1e-9)
    between = np.array([1.0, 1.0, 8.0, 12.5, 100.0, 100.0])
    found = excess_variances(Moments(between, between**2))
    assert_allclose(found, 0.0, atol=1e-9)
    monkeypatch.setattr("weft.columns.variable.MOST_BINS", 1)
    one = excess_variances(Moments(means, usual))
    assert_allclose(one, usual - 100.0, atol=1e-9)


def test_curves_of_source_columns():
    plain = SourceColumn("x", "number", (0,))
    given = np.array([-2.0, 0.0, 3.0])
    assert plain.on_curve(given) is given
    assert plain.in_units(given) is given
    curved = SourceColumn("x", "number", (0,), curve="log", curve_scale=4.0)
    assert_allclose(curved.on_curve(given), [-np.log(1.5), 0.0, np.log(1.75)])
    assert_allclose(curved.in_units(given), [-4.0 * np.expm1(2.0), 0.0, 4.0 * np.expm1(3.0)])
    assert (plain.periods, plain.parts, plain.names) == ((0.0,), ("",), ("x",))
    with pytest.raises(ValueError, match="a matrix of float64"):
        MixedTable(np.zeros(3), (plain,))
    with pytest.raises(ValueError, match="a matrix of float64"):
        MixedTable(np.zeros((3, 1), dtype=np.float32), (plain,))
    table = MixedTable(np.arange(6.0).reshape(3, 2), (plain, SourceColumn("y", "number", (1,))))
    assert table.take_rows([2, 0]).values.flags.c_contiguous
    assert table.take_columns([1]).values.ravel().tolist() == [1.0, 3.0, 5.0]
    assert table.take_columns([1]).used[0].positions == (0,)
