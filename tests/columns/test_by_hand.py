"""Profiles, variances, counts, thinning and weights of columns, on cases solved by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from weft.columns.counts import (
    check_counts,
    look_like_counts,
    normalized_counts,
    row_totals,
    usual_total,
)
from weft.columns.profile import profile
from weft.columns.source import SourceColumn
from weft.columns.thinning import inverse_overdispersion, thin_counts, thin_numbers
from weft.columns.variable import Moments, column_moments, excess_variances, variable_columns
from weft.columns.weights import association, subspace_weights


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_effects_by_hand(shift):
    # Cluster 0: 1, 3; the rest: 5, 7, 9. Means 2 and 7; squares within 2 + 8 = 10 over 5 - 2.
    X = shift + np.array([[1.0, 4.0], [3.0, 4.0], [5.0, 4.0], [7.0, 4.0], [9.0, 4.0]])
    found = profile(X, np.array([0, 0, 1, 1, 1]))
    assert found.sizes.tolist() == [2, 3]
    np.testing.assert_allclose(found.means - shift, [[2.0, 4.0], [7.0, 4.0]])
    np.testing.assert_allclose(found.rest_means - shift, [[7.0, 4.0], [2.0, 4.0]])
    effect = 5.0 / np.sqrt(10.0 / 3.0)
    np.testing.assert_allclose(found.effects, [[-effect, 0.0], [effect, 0.0]], rtol=1e-6)


def test_effects_without_a_spread_or_a_rest():
    apart = profile(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 1, 1]))
    assert apart.effects.tolist() == [[-np.inf], [np.inf]]
    assert np.isnan(profile(np.ones((3, 1)), np.zeros(3, int)).effects).all()
    # With two rows nothing is left to pool: squares are divided by 1.
    two = profile(np.array([[0.0], [2.0], [2.0]]), np.array([0, 0, 1]))
    np.testing.assert_allclose(two.effects, [[-1.0 / np.sqrt(2.0)], [1.0 / np.sqrt(2.0)]])


def test_a_mean_of_zeros_is_zero():
    # Means are taken around the mean of the column. Adding that again leaves up to 1e-16 of the
    # values where all values are 0. A mean of 1e-12 of the largest value is not rounding.
    rng = np.random.default_rng(0)
    X = np.zeros((60, 50))
    X[20:] = 3.0 * rng.random((40, 50))
    compared = profile(X, np.repeat([0, 1, 1], 20))
    assert (compared.means[0] == 0.0).all()
    assert (compared.rest_means[1] == 0.0).all()
    X[:20] = 3e-12
    assert profile(X, np.repeat([0, 1, 1], 20)).means[0] == pytest.approx(3e-12, rel=1e-3)


def test_moments_of_a_sparse_table():
    X = sparse.random_array((30, 6), density=0.4, random_state=0, format="csr")
    X.data -= 0.5
    found = column_moments(X)
    np.testing.assert_allclose(found.means, X.toarray().mean(axis=0))
    np.testing.assert_allclose(found.variances, X.toarray().var(axis=0))


def test_excess_variance_by_hand():
    # One bin: the median variance is 2. A column of mean 0 that varies has no excess, a constant
    # one is last.
    moments = Moments(np.array([1.0, -1.0, 1.0, 0.0, 5.0]), np.array([1.0, 2.0, 9.0, 3.0, 0.0]))
    np.testing.assert_allclose(excess_variances(moments), [-1.0, 0.0, 7.0, 0.0, -np.inf])
    assert variable_columns(moments, np.arange(5)).tolist() == [0, 1, 2, 3]
    assert variable_columns(moments, np.arange(5), most=1).tolist() == [2]
    # Of equal excess the smaller tie is taken.
    assert variable_columns(moments, np.array([0, 1, 2, 3, 4]), most=2).tolist() == [1, 2]
    assert variable_columns(moments, np.array([0, 3, 2, 1, 4]), most=2).tolist() == [2, 3]
    constant = Moments(np.array([1.0, 0.0]), np.zeros(2))
    assert excess_variances(constant).tolist() == [-np.inf, -np.inf]


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e5])
def test_excess_is_compared_by_nine_digits(unit):
    # The median variance is 1. The excess of columns 3 and 4 is 1.00000001 and 1.0000000101, which
    # are equal in nine digits: the tie decides. In column 5 it is 1.00000002, which is more.
    excess = np.array([-0.5, 0.0, 0.0, 1.00000001, 1.0000000101])
    given = Moments(np.ones(5), unit * (1.0 + excess))
    assert variable_columns(given, np.arange(5), most=1).tolist() == [3]
    assert variable_columns(given, np.arange(5)[::-1], most=1).tolist() == [4]
    excess[4] = 1.00000002
    more = Moments(np.ones(5), unit * (1.0 + excess))
    assert variable_columns(more, np.arange(5), most=1).tolist() == [4]


def test_excess_is_taken_from_columns_of_the_same_mean(monkeypatch):
    monkeypatch.setattr("weft.columns.variable.COLUMNS_PER_BIN", 3)
    means = np.array([1.0, 1.0, 1.0, 100.0, 100.0, 100.0])
    variances = np.array([1.0, 1.0, 2.0, 50.0, 50.0, 50.0])
    found = excess_variances(Moments(means, variances))
    np.testing.assert_allclose(found, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], atol=1e-12)


def _counts(n_rows=10, n_columns=20):
    X = np.ones((n_rows, n_columns))
    X[n_rows // 2 :] = 3.0
    return X


def test_what_looks_like_counts():
    X = _counts()
    for given in (X, sparse.csr_array(X)):
        assert look_like_counts(given)
        assert not look_like_counts(given[:, :19])
        assert not look_like_counts(given[:1])
        assert not look_like_counts(given * -1.0)
        assert not look_like_counts(given * 1.5)
        assert not look_like_counts(given[5:])  # equal totals
    assert not look_like_counts(np.minimum(X, 2.0))  # codes or marks
    # Totals 20 and 30: the upper ones are 1.5 times the lower, which is not more.
    even = np.repeat([[2.0], [3.0]], 5, axis=0) * np.ones((10, 20))
    assert not look_like_counts(even)
    assert not look_like_counts(sparse.csr_array((10, 20)))


def test_only_whole_numbers_are_counts():
    check_counts(_counts())
    check_counts(sparse.csr_array((3, 3)))
    for wrong in (-_counts(), 0.5 * _counts()):
        with pytest.raises(ValueError, match="needs whole numbers of at least 0"):
            check_counts(wrong)


def test_rows_on_one_total_by_hand():
    X = np.array([[1.0, 3.0], [10.0, 30.0], [0.0, 0.0]])
    assert row_totals(sparse.csr_array(X)).tolist() == [4.0, 40.0, 0.0]
    assert usual_total(X) == 22.0  # the empty row does not count
    assert usual_total(np.zeros((2, 2))) == 1.0
    plain = np.array([[5.0, 15.0], [5.0, 15.0], [0.0, 0.0]])
    for given in (X, sparse.csr_array(X)):
        for log, expected in ((False, plain), (True, np.log1p(plain))):
            found = normalized_counts(given, 20.0, log=log)
            dense = found.toarray() if sparse.issparse(found) else found
            np.testing.assert_allclose(dense, expected)
            assert sparse.issparse(found) == sparse.issparse(given)


def test_rows_of_the_smallest_numbers_have_finite_shares():
    # 20 over a total of 2e-323 is no number, but a quarter and three quarters of 20 are.
    least = 5e-324
    X = np.array([[1.0, 3.0], [1.0 * least, 3.0 * least], [0.0, 0.0]])
    for given in (X, sparse.csr_array(X)):
        found = normalized_counts(given, 20.0, log=False)
        dense = found.toarray() if sparse.issparse(found) else found
        assert dense.tolist() == [[5.0, 15.0], [5.0, 15.0], [0.0, 0.0]]


def test_overdispersion_by_its_moments():
    # Equal totals, so all factors are 1: θ = Σ m² / (Σ (x - m)² - Σ m).
    X = np.array([[0.0, 8.0], [8.0, 0.0], [4.0, 4.0], [4.0, 4.0]])
    # Mean 4; Σ (x - 4)² = 32; Σ m = 16; θ = 64 / 16.
    for given in (X, sparse.csc_array(X)):
        np.testing.assert_allclose(inverse_overdispersion(given), [4.0, 4.0])
    assert inverse_overdispersion(np.full((4, 2), 4.0)).tolist() == [np.inf, np.inf]
    # Totals 2 and 6 (factors 0.5 and 1.5) and counts in proportion: Poisson or less.
    assert inverse_overdispersion(np.array([[1.0, 1.0], [3.0, 3.0]])).tolist() == [np.inf, np.inf]


def test_overdispersion_with_unequal_totals():
    X = np.array([[9.0, 1.0], [3.0, 27.0]])
    s, m = np.array([0.5, 1.5]), np.array([6.0, 14.0])
    beyond = ((X - s[:, None] * m) ** 2 - s[:, None] * m).sum(axis=0)
    expected = m**2 * (s**2).sum() / beyond
    np.testing.assert_allclose(inverse_overdispersion(X), expected)
    np.testing.assert_allclose(inverse_overdispersion(sparse.csc_array(X)), expected)


def test_thinned_numbers_have_their_share_of_mean_and_variance():
    rng = np.random.default_rng(0)
    X = rng.normal(10.0, 2.0, size=(40_000, 1))
    first, second = thin_numbers(X, rng)
    np.testing.assert_allclose(first + second, X)
    assert first.mean() == pytest.approx(7.0, abs=0.05)
    assert first.var() == pytest.approx(0.7 * 4.0, rel=0.05)
    assert second.var() == pytest.approx(0.3 * 4.0, rel=0.05)
    assert abs(np.corrcoef(first[:, 0], second[:, 0])[0, 1]) < 0.02


@pytest.mark.parametrize("is_sparse", [False, True])
def test_thinned_counts_are_independent(is_sparse):
    rng = np.random.default_rng(1)
    X = rng.negative_binomial(3, 3 / (3 + 10), size=(20_000, 1)).astype(float)
    X = np.hstack([X, 1000.0 - X])  # equal totals
    first, second = thin_counts(sparse.csc_array(X) if is_sparse else X, rng)
    if is_sparse:
        first, second = first.toarray(), second.toarray()
    np.testing.assert_array_equal(first + second, X)
    assert first.min() >= 0.0
    assert second.min() >= 0.0
    assert first[:, 0].mean() == pytest.approx(7.0, rel=0.03)
    assert abs(np.corrcoef(first[:, 0], second[:, 0])[0, 1]) < 0.03


def test_association_is_cramers_v_without_chance():
    # 20 rows in two bins that are the clusters: χ² / n = 1. By chance 1 / 19; the most is
    # 2 - 1 / 19 - 1 = 18 / 19, so V = 1. The second column has one row of each on the other side.
    labels = np.repeat([0, 1], 10)
    first = labels.astype(float)
    second = first.copy()
    second[[0, 10]] = 1.0, 0.0
    found = association(np.column_stack([first, second, np.ones(20)]), labels)
    # χ² / n of (9 1; 1 9) is 0.64.
    expected = np.sqrt((0.64 - 1 / 19) / (18 / 19))
    np.testing.assert_allclose(found, [1.0, expected, 0.01])
    assert association(np.ones((20, 2)), labels).tolist() == [1.0, 1.0]


def test_association_of_a_column_with_more_levels_than_clusters():
    # Four levels of ten rows, two in each cluster: χ² / n = 1. By chance 3 · 1 / 39; the most is
    # what two clusters allow, 2 - 1 / 39 - 1. The second column has two levels: V = 1 as above.
    labels, levels = np.repeat([0, 1], 20), np.repeat([0.0, 1.0, 2.0, 3.0], 10)
    expected = np.sqrt((1.0 - 3.0 / 39.0) / (38.0 / 39.0))
    found = association(np.column_stack([levels, labels]), labels)
    np.testing.assert_allclose(found, [expected, 1.0])
    # With four clusters and two levels it is the levels that limit: χ² / n = 1 again. Levels that
    # are the clusters have χ² / n = 3.
    found = association(np.column_stack([labels, levels]), levels.astype(np.int64))
    most = np.sqrt((3.0 - 9.0 / 39.0) / (4.0 - 9.0 / 39.0 - 1.0))
    np.testing.assert_allclose(found, [expected / most, 1.0])


def test_tighter_columns_by_hand():
    # Column variances over all rows: 25.25 and 1. Cluster 0 has 0.25 and 1, cluster 1 the same.
    rows = np.array([[0.0, 1.0], [1.0, -1.0], [10.0, 1.0], [11.0, -1.0]])
    found = subspace_weights(rows, np.array([0, 0, 1, 1]))
    np.testing.assert_allclose(found, [[1.0, 0.0], [1.0, 0.0]])
    # Tighter along both columns: shares of 1 - 1 / 17 and 1 - 4 / 29.
    rows = np.array([[0.0, 0.0], [2.0, 4.0], [8.0, 10.0], [10.0, 14.0]])
    weights = np.array([1.0 - 1.0 / 17.0, 1.0 - 4.0 / 29.0])
    np.testing.assert_allclose(
        subspace_weights(rows, np.array([0, 0, 1, 1]))[0], weights / weights.sum()
    )
    # Nowhere tighter: equal weights.
    np.testing.assert_allclose(subspace_weights(np.ones((4, 2)), np.array([0, 0, 1, 1])), 0.5)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"kind": "colour"}, "kind='colour' is not known"),
        ({"kind": "number"}, "cannot have 0 columns"),
        ({"kind": "text", "positions": (0,)}, "cannot have 1 columns"),
        ({"kind": "number", "positions": (0, 1)}, "only a date may have several"),
        ({"kind": "number", "positions": (0,), "periods": (0.0, 0.0)}, "one period and one part"),
        ({"kind": "number", "positions": (0,), "parts": ("a", "b")}, "one period and one part"),
        ({"kind": "number", "positions": (0,), "levels": ("a",)}, "levels do not fit"),
        ({"kind": "category", "positions": (0,)}, "levels do not fit"),
        ({"kind": "cyclic", "positions": (0,)}, "is cyclic and has no period"),
        ({"kind": "number", "positions": (0,), "curve": "sine"}, "an unknown curve"),
        ({"kind": "number", "positions": (0,), "curve_scale": 0.0}, "an unknown curve"),
    ],
)
def test_source_columns_that_cannot_be(given, words):
    with pytest.raises(ValueError, match=words):
        SourceColumn("x", **given)


def test_source_columns_that_can_be():
    assert SourceColumn("x", "date", (0, 1)).periods == (0.0, 0.0)
    assert SourceColumn("x", "cyclic", (0,), periods=(24.0,)).measures == ("cyclic",)
    assert SourceColumn("x", "yes/no", (0,), levels=("no", "yes")).measures == ("category",)
    assert SourceColumn("x", "ordered", (0,), levels=("a", "b")).measures == ("number",)
    assert not SourceColumn("x", "text").is_used
