"""Marker columns: rank sums, rates by permuted labels, modules, and thinned tables."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import mannwhitneyu
from sklearn.cluster import KMeans

from weft import marker_columns
from weft.columns import marker_table
from weft.columns.marker_table import FIELDS, modules, tabulate
from weft.columns.marker_tests import (
    Comparison,
    compare_clusters,
    false_discovery_rates,
    sampled_rows,
)
from weft.columns.markers import _compare_thinned, match_clusters
from weft.columns.thinning import inverse_overdispersion, thin_counts, thin_numbers


def marked_table(n_columns: int = 400, effect: float = 2.0, seed: int = 0):
    """Three clusters of 50 rows; columns 10 k to 10 k + 9 are higher in cluster k."""
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1, 2], 50)
    X = rng.standard_normal((150, n_columns))
    for k in range(3):
        X[labels == k, 10 * k : 10 * k + 10] += effect
    return X, labels


def test_four_rows_by_hand():
    # Ranks 1 2 3 4, centred and of length 1: (-3, -1, 1, 3) / √20. The cluster of the first two
    # rows has the sum -4 / √20 and the variance 2 · 2 / (4 · 3) = 1 / 3: z = -4 √(3 / 20).
    X = np.array([[1.0], [2.0], [10.0], [11.0]])
    found = compare_clusters(X, np.array([0, 0, 1, 1]), np.random.default_rng(0))
    np.testing.assert_allclose(found.z[:, 0], [-4 * np.sqrt(0.15), 4 * np.sqrt(0.15)])
    # Means 1.5 and 10.5; the deviation within is √((0.5 + 0.5) / 2): effect 9 / √0.5.
    np.testing.assert_allclose(found.effects[:, 0], [-9 / np.sqrt(0.5), 9 / np.sqrt(0.5)])
    np.testing.assert_allclose(found.means[:, 0], [1.5, 10.5])


def test_z_has_the_variance_of_all_permutations():
    values = np.array([3.0, 3.0, 5.0, 8.0, 13.0])  # with a tie
    z = []
    for own in itertools.combinations(range(5), 2):
        labels = np.isin(np.arange(5), own).astype(np.int64)
        z.append(compare_clusters(values[:, None], labels, np.random.default_rng(0)).z[1, 0])
    np.testing.assert_allclose([np.mean(z), np.mean(np.square(z))], [0.0, 1.0], atol=1e-12)


def test_z_orders_columns_as_mann_whitney_does():
    X, labels = marked_table(30, 0.5)
    found = compare_clusters(X, labels, np.random.default_rng(0))
    p = [mannwhitneyu(X[labels == 0, j], X[labels != 0, j]).pvalue for j in range(30)]
    np.testing.assert_array_equal(np.argsort(p), np.argsort(-np.abs(found.z[0])))


def test_rates_by_hand():
    # Two draws of three values. At 5 no value by chance, at 3 one, at 1 five of six.
    real, chance = np.array([1.0, 5.0, 3.0]), np.array([0.5, 1.0, 1.5, 2.0, 2.5, 4.0])
    rates = false_discovery_rates(real, chance, 2)
    np.testing.assert_allclose(rates, [min(6 / 2 / 3, 1), (0 + 1) / 2 / 1, (1 + 1) / 2 / 2])


def test_rates_do_not_fall_with_the_level():
    rng = np.random.default_rng(1)
    real, chance = np.abs(rng.normal(size=200)), np.abs(rng.normal(size=2000))
    rates = false_discovery_rates(real, chance, 10)
    assert (np.diff(rates[np.argsort(real)]) <= 0).all()


def test_known_markers_are_found_and_named():
    X, labels = marked_table()
    found = marker_columns(X, labels, feature_names=[f"gene{j}" for j in range(400)])
    own = {k: set(found.columns[(found.clusters == k) & (found.effects > 1)]) for k in range(3)}
    assert all(set(range(10 * k, 10 * k + 10)) <= own[k] for k in range(3))
    assert np.mean(found.columns >= 30) <= 0.1
    frame = found.to_frame()
    assert list(frame.columns) == list(FIELDS)
    assert (frame.direction[frame.effect > 0] == "higher").all()
    assert set(found.top(1, 3, direction="higher")) <= {f"gene{j}" for j in range(10, 20)}
    assert str(found).startswith(f"{len(found)} markers")


def test_sparse_columns_give_the_same_and_rows_without_cluster_are_left_out():
    X, labels = marked_table(60)
    X[np.abs(X) < 1.0] = 0.0
    labels = labels.copy()
    labels[::10] = -1
    one, two = marker_columns(X, labels), marker_columns(sparse.csr_array(X), labels)
    np.testing.assert_array_equal(one.columns, two.columns)
    np.testing.assert_allclose(one.effects, two.effects)
    inside = labels >= 0
    np.testing.assert_array_equal(one.columns, marker_columns(X[inside], labels[inside]).columns)


def test_the_honest_option_keeps_its_rate_where_the_plain_one_does_not():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 8))  # no clusters: every marker is false
    model = KMeans(2, n_init=2, random_state=0)
    labels = model.fit_predict(X)
    assert len(marker_columns(X, labels)) > 0
    false = [
        len(marker_columns(X, labels, clusterer=model, random_state=seed)) for seed in range(10)
    ]
    assert np.mean(np.array(false) > 0) <= 0.3
    X, labels = marked_table()
    found = marker_columns(X, labels, clusterer=KMeans(3, n_init=5, random_state=0))
    assert found.honest
    assert found.agreement > 0.9
    assert len(set(found.columns) & set(range(30))) >= 27


def test_modules_by_hand():
    # Column 1 repeats column 0, column 2 does so the other way round; column 3 is on its own.
    first = np.arange(8.0)
    rows = np.column_stack([first, first**3, -first, [1, -1, 1, -1, -1, 1, -1, 1]])
    np.testing.assert_array_equal(modules(rows), [0, 0, 0, 1])


def test_clusters_are_matched_by_their_rows():
    labels = np.array([0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(match_clusters(np.array([1, 1, 1, 0, 0, 0]), labels), labels)
    # A cluster without a partner gets a number that is not in the labels.
    np.testing.assert_array_equal(
        match_clusters(np.array([0, 0, 0, 1, 1, 2]), labels), [0, 0, 0, 1, 1, 2]
    )


def test_thinned_numbers_are_independent_and_sum_to_the_table():
    X = np.random.default_rng(0).normal(3.0, 2.0, size=(20_000, 2))
    first, second = thin_numbers(X, np.random.default_rng(1))
    np.testing.assert_allclose(first + second, X)
    np.testing.assert_allclose(first.mean(axis=0), 0.7 * 3.0, atol=0.05)
    np.testing.assert_allclose(first.var(axis=0), 0.7 * 4.0, rtol=0.05)
    assert abs(np.corrcoef(first[:, 0], second[:, 0])[0, 1]) < 0.02


@pytest.mark.parametrize("theta", [np.inf, 2.0])
def test_thinned_counts_are_independent_and_sum_to_the_table(theta):
    rng = np.random.default_rng(0)
    mean = np.full((20_000, 30), 4.0)
    X = rng.poisson(mean if np.isinf(theta) else rng.gamma(theta, mean / theta)).astype(float)
    first, second = thin_counts(X, rng)
    np.testing.assert_array_equal(first + second, X)
    assert (first >= 0).all()
    correlation = [np.corrcoef(first[:, j], second[:, j])[0, 1] for j in range(30)]
    assert np.abs(np.mean(correlation)) < 0.02
    if theta == 2.0:
        np.testing.assert_allclose(inverse_overdispersion(X), theta, rtol=0.2)
    in_columns = sparse.csc_array(X)
    np.testing.assert_allclose(inverse_overdispersion(in_columns), inverse_overdispersion(X))
    one, two = thin_counts(in_columns, np.random.default_rng(3))
    np.testing.assert_array_equal((one + two).toarray(), X)


def test_a_large_table_is_compared_by_a_sample_with_rows_of_each_cluster():
    labels = np.r_[np.zeros(50_000, dtype=int), np.ones(30, dtype=int)]
    rows = sampled_rows(labels, 40_000, np.random.default_rng(0))
    assert len(rows) < 3_000
    assert (labels[rows] == 1).sum() == 30


@pytest.mark.parametrize(
    ("labels", "options", "words"),
    [
        (["a", "b", "a"], {}, "whole numbers"),
        ([0, 1], {}, "one per row"),
        ([0, 1, 0], {"counts": True}, "whole numbers of at least 0"),
        ([0, 1, 0], {"feature_names": ["a"]}, "1 names"),
        ([0, 1, 0], {"false_discovery_rate": 0.0}, "false_discovery_rate=0"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(labels, options, words):
    with pytest.raises(ValueError, match=words):
        marker_columns([[0.5, 1.0], [1.5, 2.0], [3.0, -1.0]], labels, **options)


def test_clusters_of_one_row_are_not_tested():
    X, labels = marked_table(20)
    labels = labels.copy()
    labels[0] = 7
    assert marker_columns(X, labels).untested == (7,)


def test_a_fitted_model_names_its_markers():
    from weft import AutoCluster
    from weft.reporting.summary import summarize

    X = marked_table(60, 3.0)[0]
    model = AutoCluster(n_resamples=0).fit(X)
    plain, honest = model.markers(X), model.markers(X, honest=True)
    assert not plain.honest
    assert honest.honest
    assert set(range(30)) <= set(plain.columns.tolist())
    listed = summarize(model, X)["markers"]
    assert listed[0] == next(plain.rows())
    assert {row["cluster"] for row in listed} == {0, 1, 2}
    counts = np.random.default_rng(0).poisson(np.exp(X)).astype(float)
    told = AutoCluster(n_clusters=3, counts=True, n_resamples=0).fit(counts)
    found = told.markers(counts, honest=True)
    assert len(set(found.columns) & set(range(30))) >= 20
    assert np.mean(found.columns >= 30) <= 0.2


def test_means_of_thinned_numbers_are_those_of_the_table():
    # Means around 100 and 110: half of the numbers is taken for the test and scaled back. The noise
    # of halving has the deviation of a column, 5, which is 0.4 in the mean of 200 rows.
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 200)
    X = 100.0 + rng.standard_normal((400, 30)) + 10.0 * labels[:, None]
    found, tested = _compare_thinned(X, labels, False, KMeans(2, n_init=1, random_state=0), rng)
    np.testing.assert_array_equal(tested, labels)
    np.testing.assert_allclose(found.means, np.repeat([[100.0], [110.0]], 30, axis=1), atol=2.0)
    np.testing.assert_allclose(found.rest_means, found.means[::-1])


def _comparison():
    effects = np.array(
        [[0.5, np.inf, -2.0, 3.0, np.nan], [9.0, 1.0, -0.49, 0.5, -np.inf], [9.0] * 5]
    )
    return Comparison(
        labels=np.array([1, 4, 6]),
        sizes=np.array([2, 1, 5]),
        effects=effects,
        means=np.arange(15.0).reshape(3, 5),
        rest_means=-np.arange(15.0).reshape(3, 5),
        z=np.zeros((3, 5)),
        q=np.array([[0.05, 0.01, 0.02, 0.06, 0.0], [0.06, 0.0, 0.0, 0.05, 0.04], [0.0] * 5]),
    )


def test_a_table_of_markers_by_hand():
    # A rate of 0.05 and an effect of 0.5 are just enough. Cluster 6 is not asked for; clusters of
    # one row, and those that are not in the comparison, were not tested.
    X = np.random.default_rng(0).normal(size=(50, 5))
    found = tabulate(
        *(_comparison(), X, list("abcde")),
        **{"rate": 0.05, "min_effect": 0.5, "clusters": np.array([1, 4, 8])},
        **{"honest": False, "agreement": 0.75},
    )
    assert found.clusters.tolist() == [1, 1, 1, 4, 4, 4]
    assert found.names == ("b", "c", "a", "e", "b", "d")
    assert found.columns.tolist() == [1, 2, 0, 4, 1, 3]
    assert found.effects.tolist() == [1e300, -2.0, 0.5, -1e300, 1.0, 0.5]
    assert found.means.tolist() == [1.0, 2.0, 0.0, 9.0, 6.0, 8.0]
    assert found.rest_means.tolist() == [-1.0, -2.0, 0.0, -9.0, -6.0, -8.0]
    assert found.rates.tolist() == [0.01, 0.02, 0.05, 0.04, 0.0, 0.05]
    # Five columns without a link are five modules; the strongest over all clusters come first,
    # in their order: a, b, c, d, e with 9, 1e300, 9, 9 and 1e300.
    assert found.modules.tolist() == [0, 3, 2, 1, 0, 4]
    assert found.untested == (4, 8)
    assert (found.false_discovery_rate, found.honest, found.agreement) == (0.05, False, 0.75)


def test_columns_join_a_module_from_the_limit_on(monkeypatch):
    # The ranks are given: products with column 0 are 1, 0.7, -0.7, 0.69, 0; the fourth starts its
    # own module, which the last one, a constant, does not join.
    ranks = np.array([[1.0, 0.7, -0.7, 0.69, 0.0], [0.0, 0.5, 0.5, 1.0, 0.0]])
    monkeypatch.setattr(marker_table, "unit_ranks", lambda rows: rows)
    assert modules(ranks).tolist() == [0, 0, 0, 1, 2]


def test_only_the_strongest_columns_and_some_rows_make_modules(monkeypatch):
    seen = []
    monkeypatch.setattr(marker_table, "modules", lambda rows: seen.append(rows) or np.array([5, 6]))
    monkeypatch.setattr(marker_table, "MOST_GROUPED", 2)
    monkeypatch.setattr(marker_table, "MOST_ROWS", 3)
    X = np.arange(28.0).reshape(7, 4)  # each second of seven rows
    strength = np.array([1.0, 9.0, 2.0, 5.0])
    for given in (X, sparse.csr_array(X)):
        found = marker_table._modules_of(given, np.array([3, 1, 2, 3]), strength)
        assert found.tolist() == [6, 5, -1, 6]
        np.testing.assert_array_equal(seen.pop(), X[::2][:, [1, 3]])


def test_modules_begin_with_the_strongest_column_however_weak():
    given = _comparison()._replace(effects=np.array([[0.25, 0.5, -0.75, 0.0, 0.125]] * 3))
    X = np.random.default_rng(0).normal(size=(50, 5))
    found = tabulate(
        *(given._replace(q=np.zeros((3, 5))), X, list("abcde")),
        **{"rate": 0.05, "min_effect": 0.1, "clusters": np.array([1])},
        **{"honest": False, "agreement": 1.0},
    )
    assert found.names == ("c", "b", "a", "e")
    assert found.modules.tolist() == [0, 1, 2, 3]


def test_the_strongest_names_without_repeats():
    found = tabulate(
        *(_comparison(), np.ones((4, 5)), list("abcde")),
        **{"rate": 1.0, "min_effect": 0.1, "clusters": np.array([1, 4, 6])},
        **{"honest": True, "agreement": 1.0},
    )
    # Constant columns are modules of their own: only the direction leaves names out.
    assert found.top(1, 9) == ["b", "d", "c", "a"]
    assert found.top(1, 3, direction="higher") == ["b", "d", "a"]
    assert found.top(1, 1, direction="lower") == ["c"]
    assert found.top(7) == []
    same = dataclasses.replace(found, modules=np.zeros(len(found), dtype=np.int64))
    assert same.top(1, 9) == ["b"]
    assert same.top(1, 9, direction="lower") == ["c"]
    none = dataclasses.replace(found, modules=np.full(len(found), -1))
    assert none.top(4, 9) == ["e", "a", "b", "d", "c"]


def test_a_message_names_the_column_of_a_dense_table():
    X = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 6.0]])
    with pytest.raises(ValueError, match=r"first in column 'b'; .* or drop such rows"):
        marker_columns(X, [0, 1, 1], feature_names=["a", "b"])
    with pytest.raises(ValueError, match="first in column 1;"):
        marker_columns(X, [0, 1, 1])
    # The stored values of a sparse table are not in columns.
    with pytest.raises(ValueError, match=r"NaN .*, first in column 0;"):
        marker_columns(sparse.csr_array(X), [0, 1, 1], feature_names=["a", "b"])


def test_masked_values_are_not_compared():
    X = np.ma.masked_array(np.eye(4), mask=np.eye(4) > 0.0)
    with pytest.raises(ValueError, match="masked array that hides 4 of its values"):
        marker_columns(X, [0, 0, 1, 1])
