"""Markers step by step: comparisons, rates, matched clusters and the whole table, by definition."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.metrics import adjusted_rand_score

from weft import marker_columns
from weft.columns import marker_tests, markers
from weft.columns.counts import normalized_counts, usual_total
from weft.columns.marker_table import FIELDS
from weft.columns.marker_tests import compare_clusters, false_discovery_rates, sampled_rows
from weft.columns.markers import _compare_thinned, match_clusters
from weft.columns.profile import profile
from weft.columns.thinning import thin_counts, thin_numbers


def table(n=36, d=5, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    X = rng.standard_normal((n, d))
    X[:, 0] += 2.0 * labels
    X[:, 1] = np.round(X[:, 1])
    X[:, 2] = 4.0
    return X, labels


def z_by_definition(X, labels):
    """Rank sums of each cluster, in units of their deviation over all permutations."""
    n = len(X)
    out = np.zeros((labels.max() + 1, X.shape[1]))
    for k in range(labels.max() + 1):
        size = (labels == k).sum()
        for j, column in enumerate(X.T):
            ranks = rankdata(column) - (n + 1) / 2
            if ranks.any() and 0 < size < n:
                ranks /= np.linalg.norm(ranks)
                deviation = np.sqrt(size * (n - size) / (n * (n - 1)))
                out[k, j] = ranks[labels == k].sum() / deviation
    return out


def rates_by_definition(real, chance, n_draws):
    rates = []
    for level in real * (1.0 - 1e-9):  # values that differ only by rounding are the same
        rates.append(min(((chance >= level).sum() + 1) / n_draws / (real >= level).sum(), 1.0))
    # The least rate at this level or any lower one.
    return [min(r for r, other in zip(rates, real, strict=True) if other <= own) for own in real]


@pytest.mark.parametrize("is_sparse", [False, True])
def test_a_comparison_by_its_definition(monkeypatch, is_sparse):
    monkeypatch.setattr(marker_tests, "MOST_DRAWS", 25)
    X, labels = table()
    labels = np.where(labels == 2, 7, labels)
    labels[[5, 8]] = -1
    given = sparse.csc_array(X) if is_sparse else X
    found = compare_clusters(given, labels, np.random.default_rng(3))
    inside = labels >= 0
    own, place = X[inside], np.searchsorted([0, 1, 7], labels[inside])
    assert found.labels.tolist() == [0, 1, 7]
    assert found.sizes.tolist() == np.bincount(place).tolist()
    told = profile(own, place)
    assert_allclose(found.effects, told.effects)
    assert_allclose(found.means, told.means)
    assert_allclose(found.rest_means, told.rest_means)
    assert_allclose(found.z, z_by_definition(own, place), atol=1e-9)
    drawn = np.random.default_rng(3).permuted(np.tile(place, (25, 1)), axis=1)
    chance = np.array([z_by_definition(own, row) for row in drawn])
    for k in range(3):
        expected = rates_by_definition(np.abs(found.z[k]), np.abs(chance[:, k]).ravel(), 25)
        assert_allclose(found.q[k], expected)
    # Some columns at a time are the same.
    monkeypatch.setattr(marker_tests, "TILE_CELLS", 70)
    again = compare_clusters(given, labels, np.random.default_rng(3))
    assert_allclose(again.z, found.z, atol=1e-12)
    assert_allclose(again.q, found.q)


@pytest.mark.parametrize(
    ("d", "n_draws"), [(1, 200), (5_000, 200), (10_000, 100), (49_999, 20), (400_000, 20)]
)
def test_fewer_draws_for_more_columns(monkeypatch, d, n_draws):
    asked = []

    class AskedError(Exception):
        pass

    def members(labels, n_clusters):
        asked.append(len(labels) - 1)
        raise AskedError

    monkeypatch.setattr(marker_tests, "_members", members)
    with pytest.raises(AskedError):
        compare_clusters(sparse.csc_array((4, d)), np.array([0, 0, 1, 1]), np.random.default_rng(0))
    assert asked == [n_draws]
    # The number of stored values is limited: d columns, two clusters.
    for most, expected in ((2 * d * 7, 7), (2 * d * 7 - 1, 6), (1, 2)):
        monkeypatch.setattr(marker_tests, "MOST_KEPT", most)
        with pytest.raises(AskedError):
            compare_clusters(
                sparse.csc_array((4, d)), np.array([0, 0, 1, 1]), np.random.default_rng(0)
            )
        assert asked.pop() == expected


def test_clusters_that_cannot_be_tested():
    X = np.random.default_rng(0).standard_normal((6, 3))
    found = compare_clusters(X, np.zeros(6, dtype=int), np.random.default_rng(0))
    assert_array_equal(found.z, np.zeros((1, 3)))
    assert_array_equal(found.q, np.ones((1, 3)))
    # One row, or all but one, are too few; two and all but two are enough.
    X[:, 0] = [9.0, 8.0, 0.0, 1.0, 2.0, 3.0]
    for labels, tested in (([0, 1, 1, 1, 1, 1], False), ([0, 0, 1, 1, 1, 1], True)):
        found = compare_clusters(X, np.array(labels), np.random.default_rng(0))
        assert (found.q < 1.0).any(axis=1).tolist() == [tested] * 2


def test_rates_with_ties_by_definition():
    rng = np.random.default_rng(0)
    for _ in range(20):
        real, chance = rng.integers(0, 6, 12).astype(float), rng.integers(0, 6, 40).astype(float)
        found = false_discovery_rates(real, chance, 4)
        assert_allclose(found, rates_by_definition(real, chance, 4))


def test_rounding_does_not_decide_what_is_reached_by_chance():
    # 0.7 in single precision is below 0.7: both count as reached, (2 + 1) / 20. 0.1 + 0.2 is above
    # 0.3: both are real values at that level, (1 + 1) / 20 / 2.
    chance = np.array([0.7, 0.7], dtype=np.float32)
    assert_allclose(false_discovery_rates(np.array([0.7]), chance, 20), [3 / 20])
    tied = false_discovery_rates(np.array([0.3, 0.1 + 0.2]), chance[:1], 20)
    assert_allclose(tied, [2 / 20 / 2] * 2)


def test_rates_of_few_rows_by_all_permutations():
    # The largest z of 4 among 8 rows is reached by 2 of the 70 ways to choose 4 rows.
    X, labels = np.arange(8.0)[:, np.newaxis], np.repeat([0, 1], 4)
    found = compare_clusters(X, labels, np.random.default_rng(0))
    drawn = np.random.default_rng(0).permuted(np.tile(labels, (200, 1)), axis=1)
    n_reached = (np.abs(drawn[:, :4].sum(axis=1) - 2) == 2).sum()
    assert n_reached > 0
    assert_allclose(found.q[:, 0], (n_reached + 1) / 200)


def test_a_sample_has_2000_to_20000_rows():
    labels = np.zeros(30_000, dtype=int)
    for n_columns, n_rows in ((1, 20_000), (8_000, 5_000), (40_000, 2_000)):
        assert len(sampled_rows(labels, n_columns, np.random.default_rng(0))) == n_rows


def test_sampled_rows_are_different_and_in_order(monkeypatch):
    monkeypatch.setattr(marker_tests, "FEWEST_SAMPLED", 20)
    monkeypatch.setattr(marker_tests, "MOST_SAMPLED", 40)
    monkeypatch.setattr(marker_tests, "FEWEST_OF_A_CLUSTER", 6)
    monkeypatch.setattr(marker_tests, "MOST_CELLS", 3_000)
    labels = np.repeat([0, 1, 2], [60, 36, 4])
    # 100 columns: 30 rows, of which 60 % and 36 %, and all of the smallest cluster.
    rows = sampled_rows(labels, 100, np.random.default_rng(0))
    assert np.bincount(labels[rows]).tolist() == [18, 10, 4]
    assert (np.diff(rows) > 0).all()
    # Between 20 and 40 rows whatever the columns; the fewest of a cluster count.
    assert np.bincount(labels[sampled_rows(labels, 900, np.random.default_rng(0))]).tolist() == [
        *(12, 7, 4)
    ]
    assert np.bincount(labels[sampled_rows(labels, 0, np.random.default_rng(0))]).tolist() == [
        *(24, 14, 4)
    ]
    small = np.repeat([0, 1], [90, 10])
    assert np.bincount(small[sampled_rows(small, 150, np.random.default_rng(0))])[1] == 6
    # As many rows as are compared are all compared.
    assert len(sampled_rows(labels, 30, np.random.default_rng(0))) == 42
    assert sampled_rows(labels[:40], 30, np.random.default_rng(0)).tolist() == list(range(40))
    X = np.random.default_rng(1).standard_normal((100, 100))
    found = compare_clusters(X, labels, np.random.default_rng(0))
    assert found.sizes.tolist() == [18, 10, 4]
    assert_allclose(found.means, profile(X[rows], labels[rows]).means)


# Matched clusters and thinned tables ------------------------------------------------------------


def test_clusters_are_matched_from_an_overlap_of_three_tenths():
    # Cluster 0 has three of its six rows in common with cluster 4, which has seven: 3 of 10.
    found = np.repeat([0, 1], [6, 14])
    labels = np.r_[[-1] * 3, [4] * 7, [5] * 10]
    assert match_clusters(found, labels).tolist() == [4] * 6 + [5] * 14
    # With one row more in either it is below, and the cluster gets a new number, above all others.
    found = np.repeat([0, 1], [6, 15])
    labels = np.r_[[-1] * 3, [4] * 8, [5] * 10]
    assert match_clusters(found, labels).tolist() == [6] * 6 + [5] * 15
    # Rows in no cluster stay there; two clusters without a partner get two numbers.
    found = np.array([-1, 3, 3, 3, 8, 8, 8, 1, 1])
    labels = np.array([2, 2, -1, -1, -1, -1, -1, 2, 2])
    assert match_clusters(found, labels).tolist() == [-1, 3, 3, 3, 4, 4, 4, 2, 2]
    assert match_clusters(np.full(3, -1), np.zeros(3, dtype=int)).tolist() == [-1] * 3
    assert match_clusters(np.zeros(3, dtype=int), np.full(3, -1)).tolist() == [-1] * 3


class Cut(ClusterMixin, BaseEstimator):
    """Cuts rows by the sign of their first column; remembers what it is given."""

    seen: list = []  # noqa: RUF012 - shared by clones on purpose

    def __init__(self, n_clusters=9, callbacks="some", other=1):
        self.n_clusters, self.callbacks, self.other = n_clusters, callbacks, other

    def fit(self, X):
        Cut.seen.append((X, self.n_clusters, self.callbacks))
        first = X[:, [0]].toarray().ravel() if sparse.issparse(X) else X[:, 0]
        self.labels_ = (first > np.median(first)).astype(np.int32)
        return self


@pytest.mark.parametrize("is_sparse", [False, True])
def test_numbers_are_thinned_and_scaled_back(is_sparse):
    X, _ = table(60, 4)
    labels = np.arange(60) % 3 // 2
    X[:, 0] += 6.0 * labels
    Cut.seen.clear()
    given = sparse.csc_array(X) if is_sparse else X
    found, tested = _compare_thinned(given, labels, False, Cut(), np.random.default_rng(2))
    rng = np.random.default_rng(2)
    first, second = thin_numbers(X, rng)
    seen, n_clusters, callbacks = Cut.seen[0]
    assert_allclose(seen, first)
    assert (n_clusters, callbacks) == (2, None)
    own = (first[:, 0] > np.median(first[:, 0])).astype(int)
    assert_array_equal(tested, match_clusters(own, labels))
    plain = compare_clusters(second, tested, rng)
    # The second table has 3 / 10 of the means and of the variances.
    assert_allclose(found.means, plain.means / 0.3)
    assert_allclose(found.rest_means, plain.rest_means / 0.3)
    assert_allclose(found.effects, plain.effects * np.sqrt(1.0 / 0.3))
    assert_allclose(found.z, plain.z, atol=1e-9)
    assert_allclose(found.q, plain.q)
    # One given cluster is still searched as two.
    _compare_thinned(given, np.zeros(60, dtype=int), False, Cut(), rng)
    assert Cut.seen[-1][1] == 2
    three = np.arange(60) % 4 - 1
    _compare_thinned(given, three, False, Cut(), rng)
    assert Cut.seen[-1][1] == 3


@pytest.mark.parametrize("is_sparse", [False, True])
def test_counts_are_thinned_and_normalised(is_sparse):
    rng = np.random.default_rng(1)
    labels = np.arange(40) % 2
    X = rng.poisson(3.0 + 20.0 * labels[:, None] * [1, 0, 0], (40, 3)).astype(float)
    given = sparse.csc_array(X) if is_sparse else X
    Cut.seen.clear()
    found, tested = _compare_thinned(given, labels, True, Cut(), np.random.default_rng(2))
    rng = np.random.default_rng(2)
    first, second = thin_counts(given, rng)
    seen = Cut.seen[0][0]
    assert sparse.issparse(seen) == is_sparse
    shown = normalized_counts(second, usual_total(given))
    plain = compare_clusters(shown.tocsc() if is_sparse else shown, tested, rng)
    for name in ("effects", "means", "rest_means", "z", "q"):
        assert_allclose(getattr(found, name), getattr(plain, name))
    assert_array_equal(
        seen.toarray() if is_sparse else seen, first.toarray() if is_sparse else first
    )


# The whole table --------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_markers_are_those_of_the_comparison(counts, is_sparse):
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 3 + 4
    labels[:3] = -1
    X = rng.poisson(4.0 + 12.0 * (np.arange(6) == labels[:, None] - 4), (60, 6)).astype(float)
    given = sparse.csr_array(X) if is_sparse else X
    found = marker_columns(given, labels, counts=counts, random_state=5)
    shown = normalized_counts(X, usual_total(X)) if counts else X
    seed = np.random.RandomState(5).randint(2**31 - 1)
    plain = compare_clusters(shown, labels, np.random.default_rng([seed, 12]))
    marked = (plain.q <= 0.05) & (np.abs(plain.effects) >= 0.2)
    assert len(found) == marked.sum() > 0
    for cluster, column, rate, effect in zip(
        found.clusters, found.columns, found.rates, found.effects, strict=True
    ):
        assert marked[cluster - 4, column]
        assert rate == pytest.approx(plain.q[cluster - 4, column])
        assert effect == pytest.approx(plain.effects[cluster - 4, column])
    strengths = list(zip(found.clusters, -np.abs(found.effects), strict=True))
    assert strengths == sorted(strengths)
    assert set(found.names) <= {f"x{j}" for j in range(6)}
    assert (found.false_discovery_rate, found.honest, found.agreement) == (0.05, False, 1.0)
    assert found.untested == ()


def test_honest_markers_say_how_far_the_clusters_agree():
    X, labels = table(80, 6)
    X[:, 0] += 9.0 * labels
    labels = np.minimum(labels, 1)
    found = marker_columns(X, labels, clusterer=Cut(), random_state=3, min_effect=0.0)
    seed = np.random.RandomState(3).randint(2**31 - 1)
    plain, tested = _compare_thinned(X, labels, False, Cut(), np.random.default_rng([seed, 12]))
    assert found.honest
    assert found.agreement == pytest.approx(adjusted_rand_score(labels, tested))
    assert len(found) == (plain.q[np.isin(plain.labels, [0, 1])] <= 0.05).sum()


def test_limits_of_rate_and_effect():
    X, labels = table(60, 4)
    every = marker_columns(X, labels, false_discovery_rate=1.0, min_effect=0.0)
    assert len(every) == 12  # all columns of all clusters
    assert len(marker_columns(X, labels, false_discovery_rate=1e-9)) == 0
    assert len(marker_columns(X, labels, min_effect=99.0)) == 0
    for wrong in (
        {"false_discovery_rate": 1.1},
        {"false_discovery_rate": 0.9e-9},
        {"min_effect": -0.1},
    ):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            marker_columns(X, labels, **wrong)
    with pytest.raises(ValueError, match="minimum of 2"):
        marker_columns(X[:1], labels[:1])
    assert marker_columns(X, labels > 0).clusters.dtype == np.int64


def test_rows_of_the_table_of_markers():
    X, labels = table(60, 4)
    found = marker_columns(X, labels, feature_names=["a", 2, "c", "d"], min_effect=0.0)
    rows = list(found.rows())
    assert [tuple(row) for row in rows] == [FIELDS] * len(found)
    for place, row in enumerate(rows):
        assert row["cluster"] == found.clusters[place]
        assert row["feature"] == ["a", "2", "c", "d"][found.columns[place]]
        assert row["direction"] == ("higher" if row["effect"] > 0 else "lower")
        assert row["effect"] == found.effects[place]
        assert (row["mean"], row["rest_mean"]) == (found.means[place], found.rest_means[place])
        assert row["false_discovery_rate"] == found.rates[place]
        assert row["module"] == found.modules[place]
    nothing = dataclasses.replace(found, effects=np.zeros(len(found)))
    assert {row["direction"] for row in nothing.rows()} == {"lower"}
    # An effect of 0 has either direction.
    assert nothing.top(0, direction="higher") == nothing.top(0, direction="lower") == nothing.top(0)
    assert markers.LEAST_OVERLAP == 0.3
