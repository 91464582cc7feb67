"""Tables of which a sample is searched: all rows get labels, in any order of the rows."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from weft import AutoCluster
from weft.auto import large
from weft.auto.large import sampled_places, smallest_rare
from weft.auto.rare import FEWEST


def table(n_rows):
    rng = np.random.default_rng(4)
    truth = rng.integers(3, size=n_rows)
    return rng.normal(size=(3, 4))[truth] * 6 + rng.normal(size=(n_rows, 4)), truth


@pytest.mark.usefixtures("small_samples")
def test_a_sample_is_searched_and_all_rows_are_labelled():
    X, truth = table(900)
    model = AutoCluster(n_resamples=1, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    assert len(model._fit_anchors) == 300
    np.testing.assert_array_equal(X[model._fit_anchor_rows], model._fit_anchors)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert all(len(one["labels"]) == 900 for one in model.alternatives_)
    order = np.random.default_rng(0).permutation(900)
    again = AutoCluster(n_resamples=0, random_state=1).fit(X[order])
    assert adjusted_rand_score(model.labels_[order], again.labels_) == 1.0


def test_places_of_a_sample_are_in_order_and_differ():
    places = sampled_places(50_000_000)
    assert len(places) == 20_000
    assert (np.diff(places) > 0).all()
    assert sampled_places(7).tolist() == list(range(7))


@pytest.mark.parametrize(
    ("given", "smallest"),
    [
        ({}, FEWEST),
        ({"min_cluster_size": FEWEST + 5}, FEWEST + 5),
        ({"max_clusters": 4}, FEWEST),  # three were found, a fourth may be added
        ({"max_clusters": 3}, 0),
        ({"max_clusters": 2}, 0),
        ({"n_clusters": 3}, 0),
        ({"n_clusters": 4, "max_clusters": 2}, FEWEST),
    ],
)
def test_rare_clusters_are_added_up_to_the_number_allowed(given, smallest):
    settings = {"n_clusters": None, "max_clusters": None, "min_cluster_size": 1, **given}
    found = SimpleNamespace(labels=np.array([0, 2, 1]), partition=SimpleNamespace(clustered=True))
    assert smallest_rare(SimpleNamespace(**settings), found) == smallest
    found.partition.clustered = False
    assert smallest_rare(SimpleNamespace(**settings), found) == 0


@pytest.mark.parametrize(
    ("n_rows", "method", "is_soft"), [(4, "m", True), (5, "m", False), (4, "none", False)]
)
def test_answers_of_a_sample_become_answers_of_all_rows(n_rows, method, is_soft, monkeypatch):
    said = []
    monkeypatch.setattr(large, "SOFT_ROWS", 4)
    monkeypatch.setattr(large, "others_of", lambda learned: "others")
    monkeypatch.setattr(
        large, "say_of_all", lambda known, nearest: said.append(known["_others"]) or {"n": nearest}
    )
    monkeypatch.setattr(large, "soft_of_all", lambda learned, X, columns, n: {"soft": columns})
    learned = {
        "method_": method,
        "feature_weights_": np.array([1.0]),
        "feature_scales_": np.array([2.0]),
        "_fit_anchors": np.array([[0.0], [3.0]]),
        "_fit_anchor_labels": np.array([0, 1]),
        "_fit_anchor_rows": np.array([1, 0]),
        "_fit_membership": "of the sample",
        "_fit_outlier_scores": "of the sample",
    }
    X = np.array([[3.0], [0.0], [1.0], [2.0], [9.0]])[:n_rows]
    given = learned.copy()
    found = large.in_all_rows(learned, X, np.array([0, 1]), "columns", rare=0, n_threads=1)
    assert said == ["others"]
    assert found["_fit_anchor_rows"].tolist() == [1, 0]
    assert found["n"].tolist() == [1, 0, 0, 1, 1][:n_rows]
    assert ("soft" in found) is is_soft
    assert not {"_others", "_fit_membership", "_fit_outlier_scores"} & set(found)
    assert learned == given
    # A column that does not count has no say, and is no reason to skip the others.
    two = {
        **learned,
        "feature_weights_": np.array([1.0, 0.0]),
        "feature_scales_": np.ones(2),
        "_fit_anchors": np.array([[0.0, 0.0], [3.0, 9.0]]),
    }
    wide = np.column_stack([X, np.zeros(n_rows)])
    found = large.in_all_rows(two, wide, np.array([0, 1]), "columns", rare=0, n_threads=1)
    assert found["n"].tolist() == [1, 0, 0, 1, 1][:n_rows]
    # Without a column that counts, all rows are nearest to the first.
    flat = {**learned, "feature_weights_": np.zeros(1)}
    found = large.in_all_rows(flat, X, np.array([0, 1]), "columns", rare=0, n_threads=1)
    assert found["n"].tolist() == [0] * n_rows
    # If the sample is the table, answers stay as they are.
    every = large.in_all_rows(learned, X[:2], np.array([1, 0]), "columns", rare=0, n_threads=1)
    assert every["_fit_anchor_rows"].tolist() == [0, 1]
    assert (every["_fit_membership"], "n" in every, "_others" in every) == (
        *("of the sample", False, False),
    )
