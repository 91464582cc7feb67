"""Marker columns: rank sums, rates by permuted labels, modules, and thinned tables."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import mannwhitneyu
from sklearn.cluster import KMeans

from weft import marker_columns
from weft.columns.marker_table import FIELDS, modules
from weft.columns.marker_tests import compare_clusters, false_discovery_rates, sampled_rows
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
