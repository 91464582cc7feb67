"""Parts of a summary: sureness, distributions, what sets columns apart, refits, other answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import DBSCAN, KMeans
from sklearn.metrics import silhouette_samples

import weft
from weft.answers.views import ColumnView
from weft.datasets import make_noisy_gaussians, make_subspace_clusters
from weft.reporting import sureness
from weft.reporting.apart import set_apart
from weft.reporting.choices import describe_alternatives, describe_walk
from weft.reporting.distributions import distribution
from weft.reporting.given_labels import read_labels
from weft.reporting.refits import measure_refits
from weft.reporting.space import sample
from weft.reporting.sureness import measure_sureness

PLACE = np.array([0, 0, 0, 1])


def test_sureness_is_the_silhouette_where_all_rows_are_compared():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(60, 3)), np.arange(60) % 3
    X[labels == 1] += 3
    found = measure_sureness(X, labels)
    np.testing.assert_allclose(found.sure, silhouette_samples(X, labels), atol=1e-6)
    assert found.odd.min() > 0
    assert (found.next_label != labels).all()


def test_sureness_by_hand():
    # Rows 0, 1 | 10, 12 and one in no cluster at 5: a = 1, b = (10 + 12) / 2 = 11 for the first.
    found = measure_sureness(np.array([[0.0], [1], [10], [12], [5]]), np.array([0, 0, 1, 1, -1]))
    assert found.sure[0] == pytest.approx(10 / 11)
    assert np.isnan(found.sure[4])
    assert found.next_label.tolist() == [1, 1, 0, 0, 0]  # 5 is 4.5 from {0, 1}, 6 from {10, 12}
    assert found.to_own[0] == pytest.approx(1)


def test_rows_are_compared_in_chunks(monkeypatch):
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(40, 3)), np.arange(40) % 4 - 1
    whole = measure_sureness(X, labels)
    monkeypatch.setattr(sureness, "_CHUNK", 7)
    for a, b in zip(whole, measure_sureness(X, labels), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)
    # The usual distance to the tenth nearest of the others is 1.
    distances = np.sort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)[:, 10]
    np.testing.assert_allclose(whole.odd, distances / np.median(distances), atol=1e-9)


def test_rows_in_one_cluster_beside_rows_in_none():
    # Rows in no cluster have a next one; the rows of the only cluster do not.
    found = measure_sureness(np.array([[0.0], [1], [3], [9]]), np.array([0, 0, 0, -1]))
    assert found.next_label.tolist() == [-1, -1, -1, 0]
    assert np.isnan(found.sure).all()
    np.testing.assert_allclose(found.to_own[:3], [2.0, 1.5, 2.5])
    assert np.isinf(found.to_own[3])
    alone = measure_sureness(np.array([[0.0], [1], [3]]), np.zeros(3, dtype=int))
    assert alone.next_label.tolist() == [-1, -1, -1]
    nowhere = measure_sureness(np.array([[0.0], [1], [3]]), np.full(3, -1))
    assert np.isnan(nowhere.sure).all()


def test_a_row_alone_and_equal_rows_have_sureness_0():
    found = measure_sureness(np.array([[0.0], [0], [4], [4]]), np.array([0, 0, 0, 1]))
    assert found.sure[3] == 0.0
    same = measure_sureness(np.zeros((4, 1)), np.array([0, 0, 1, 1]))
    assert same.sure.tolist() == [0.0] * 4
    assert same.odd.tolist() == [1.0] * 4


def test_a_sample_has_the_share_of_each_cluster():
    labels = np.repeat([-1, 0, 1], [10, 50, 140])
    # 20 of 200 rows: 1, 5 and 14; sorted, and the same each time.
    rows = sample(labels, 20)
    assert np.bincount(labels[rows] + 1).tolist() == [1, 5, 14]
    assert (np.diff(rows) > 0).all()
    assert rows.tolist() == sample(labels, 20).tolist()
    assert sample(labels, 200).tolist() == list(range(200))
    # One row of each cluster at least; with very many clusters not even that.
    assert np.bincount(labels[sample(labels, 2)] + 1).tolist() == [1, 1, 1]
    every = sample(np.arange(100), 10)
    assert every.tolist() == list(range(0, 100, 11))


def test_distribution_of_whole_numbers_by_hand():
    found = distribution(ColumnView("n", "number", np.array([1.0, 1, 2, 3])), PLACE, 2)
    assert found["edges"] == [0.5, 1.5, 2.5, 3.5]
    assert found["all"] == [0.5, 0.25, 0.25]
    assert found["clusters"] == [[0.667, 0.333, 0], [0, 0, 1]]
    assert found["typical"][1] == [3, 3, 3]


def test_distribution_of_levels_and_gaps_by_hand():
    column = ColumnView("c", "category", np.array([0.0, 1, np.nan, 1]), ("red", "blue"))
    found = distribution(column, PLACE, 2)
    assert found["levels"] == ["red", "blue"]
    assert found["clusters"] == [[0.5, 0.5], [0, 1]]
    assert found["typical"] == ["red", "blue"]
    assert found["missing"] == 0.25


def test_distribution_of_dates_is_written_as_dates():
    days = np.array([0.0, 31, 31, 366])
    found = distribution(ColumnView("d", "date", days), PLACE, 2)
    assert found["edges"][0] == "1970-01-01"
    assert found["typical"][1] == ["1971-01-02"] * 3


@pytest.mark.parametrize("mean_range", [(0.0, 100.0), (0.0, 10.0)])
def test_columns_that_set_subspace_clusters_apart(mean_range):
    hits = named = true = 0
    for seed in range(3):
        made = make_subspace_clusters(
            500, n_features=60, n_clusters=5, subspace_ratio=0.2, mean_range=mean_range,
            random_state=seed,
        )  # fmt: skip
        found = set_apart(made.data, made.target).columns
        hits += (found & made.relevant).sum()
        named += found.sum()
        true += made.relevant.sum()
    assert hits >= 0.95 * named  # precision
    assert hits >= 0.95 * true  # recall


def test_no_column_sets_random_labels_apart():
    rng = np.random.default_rng(0)
    found = set_apart(rng.normal(size=(400, 20)), rng.integers(0, 4, size=400))
    assert not found.columns.any()


def test_a_cluster_in_the_middle_is_set_apart():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(-9, 1, 50), rng.normal(9, 1, 50), rng.normal(0, 1, 50)])
    labels = np.array([0] * 100 + [1] * 50)  # the means of both are about 0
    assert set_apart(x[:, None], labels).is_apart.all()


def test_clear_clusters_are_found_again_and_noise_is_not():
    made = make_noisy_gaussians(random_state=0)
    k = len(np.unique(made.target))
    X = made.data[:, made.relevant]
    model = KMeans(k, n_init=2, random_state=0).fit(X)
    found = measure_refits(model, X, model.labels_, n_repeats=2)
    assert min(found["pairs"]) > 0.8
    assert max(found["null"]) < 0.6
    frame = measure_refits(model, pd.DataFrame(X), model.labels_, n_repeats=2)
    assert frame["agreement"] == found["agreement"]


def test_every_two_refits_are_compared():
    X = np.random.default_rng(0).normal(size=(60, 3))
    X[:30] += 9
    model = KMeans(2, n_init=1, random_state=0).fit(X)
    # Three refits have 3 pairs, four have 6; one refit has nothing to be compared with.
    for asked, n_refits, n_pairs in ((3, 3, 3), (4, 4, 6), (1, 2, 1)):
        found = measure_refits(model, X, model.labels_, n_repeats=asked)
        assert len(found["agreement"]) == len(found["n_clusters"]) == n_refits
        assert len(found["pairs"]) == len(found["null"]) == n_pairs
        assert set(found["pairs"]) == {1.0}  # two groups far apart


def test_refits_that_would_take_too_long_are_left_out():
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = KMeans(2, n_init=1, random_state=0).fit(X)
    assert measure_refits(model, X, model.labels_, n_repeats=3, max_seconds=0.0) is None
    whole = measure_refits(model, X, model.labels_, n_repeats=3)
    assert measure_refits(model, X, model.labels_, n_repeats=3, max_seconds=1e9) == whole


@pytest.mark.parametrize(
    ("given", "numbers", "names"),
    [
        ([0, 1, -1], [0, 1, -1], {}),
        ([5.0, 7.0, np.nan], [0, 1, -1], {0: "5", 1: "7"}),
        (["b", "a", None], [1, 0, -1], {0: "a", 1: "b"}),
        (["noise", "a", "a"], [-1, 0, 0], {0: "a"}),
    ],
)
def test_labels_of_any_kind(given, numbers, names):
    found = read_labels(given, 3)
    assert found.numbers.tolist() == numbers
    assert found.names == names


def test_labels_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="2 entries but X has 3 rows"):
        read_labels([0, 1], 3)
    with pytest.raises(ValueError, match="whole numbers or texts"):
        read_labels([0.5, 1.0, 2.0], 3)


def test_the_walk_and_other_answers_by_hand():
    coarse, fine = np.array([0, 0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 2])
    candidates = [{"n_clusters": 2, "labels": coarse}, {"n_clusters": 3, "labels": fine}]
    walk = describe_walk(candidates, fine)
    assert [level["sizes"] for level in walk["levels"]] == [[4, 2], [2, 2, 2]]
    assert walk["links"] == [[[0, 0, 2], [0, 1, 2], [1, 2, 2]]]  # the group of four splits
    assert walk["levels"][0]["like"] == [0, 2]
    others = describe_alternatives(
        [
            {"labels": fine, "n_clusters": 3, "method": "a", "quality": 0.0},
            {"labels": coarse, "n_clusters": 2, "method": "b", "quality": -1.0},
        ],
        fine,
    )
    assert [one["is_answer"] for one in others] == [True, False]
    assert others[1]["shared"] == [[2, 2, 0], [0, 0, 2]]


def test_a_rare_level_that_fills_a_small_cluster_is_shown():
    levels = tuple(f"kind {j}" for j in range(20))
    values = np.concatenate([np.arange(200) % 19, np.full(5, 19)]).astype(float)
    place = np.repeat([0, 1], [200, 5])
    found = distribution(ColumnView("c", "category", values, levels=levels), place, 2)
    at = found["levels"].index("kind 19")
    assert found["clusters"][1][at] == 1
    assert found["levels"][-1] == "9 others"


@pytest.mark.parametrize("model", [DBSCAN(eps=-1.0), KMeans(-1), KMeans(2, tol=None)])
def test_a_model_with_wrong_parameters_has_no_stability(model):
    X = np.random.default_rng(0).normal(size=(60, 4))
    with pytest.raises(ValueError, match="parameter"):
        measure_refits(model, X, np.arange(60) % 2, n_repeats=2)
    found = weft.report(X, np.arange(60) % 2, model=model)
    assert found.summary["stability"] is None
    assert "cannot be refitted" in found.html
