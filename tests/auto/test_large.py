"""Tables of which a sample is searched: all rows get labels, in any order of the rows."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from weft import AutoCluster
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
