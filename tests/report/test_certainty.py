"""How sure an answer is: what a model says, refits on part of the rows, a known truth; by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin

import weft
from weft.reporting.certainty import _cosine, certainty, measure_stability, noise, scores
from weft.reporting.facts import read_facts
from weft.reporting.summary import summarize


def test_a_model_that_says_nothing():
    found = certainty(SimpleNamespace(), 2, 30)
    assert found == {
        **{"probability": None, "of": "right", "agreement": None, "share": 0.7},
        **{"by_cluster": None, "for": [], "against": []},
    }


def test_what_a_model_says():
    model = SimpleNamespace(
        confidence_=0.75,
        method_="kmeans",
        evidence_={"for": ["a"], "against": ["b", "c"]},
        cluster_stability_=np.array([0.5, np.nan]),
        stability_=0.625,
    )
    assert certainty(model, 2, 30) == {
        **{"probability": 0.75, "of": "right", "agreement": 0.625, "share": 0.7},
        **{"by_cluster": [0.5, None], "for": ["a"], "against": ["b", "c"]},
    }
    # Of many rows, a repeat has 500.
    assert [certainty(model, 2, n)["share"] for n in (700, 1000, 10**6)] == [0.7, 0.5, 0.0005]
    # Stabilities of another number of clusters, or of repeats that were not made, say nothing.
    assert certainty(model, 3, 30)["by_cluster"] is None
    assert certainty(model, 3, 30)["agreement"] is None
    model.cluster_stability_ = np.zeros(2)
    assert certainty(model, 2, 30)["agreement"] is None
    model.cluster_stability_, model.stability_ = np.array([0.5, 0.0]), float("nan")
    assert certainty(model, 2, 30)["agreement"] is None
    assert certainty(model, 2, 30)["by_cluster"] == [0.5, 0.0]
    model.method_, model.evidence_ = "none", None
    assert certainty(model, 2, 30)["of"] == "no clusters"
    assert certainty(model, 2, 30)["for"] == []


class Halves(ClusterMixin, BaseEstimator):
    """Rows above the limit; notes what it was fitted on."""

    fits: list = []  # noqa: RUF012 - one list for all clones

    def __init__(self, limit=0.0, random_state=None, callbacks="set"):
        self.limit = limit
        self.random_state = random_state
        self.callbacks = callbacks

    def fit(self, X, y=None):
        values = np.asarray(X)
        self.fits.append((values, self.random_state, self.callbacks))
        self.labels_ = (values[:, 0] > self.limit).astype(int)
        self.n_features_in_ = values.shape[1]
        self.feature_weights_ = np.array([3.0, 0.0, 4.0])
        return self


def test_refits_on_four_fifths_of_the_rows():
    X = np.random.default_rng(0).normal(size=(25, 3))
    model = Halves().fit(X)
    Halves.fits.clear()
    found = measure_stability(model, X, read_facts(model), n_repeats=4)
    assert (found["n_repeats"], found["share"]) == (4, 0.8)
    assert found["agreement"] == [1.0] * 4
    assert found["n_clusters"] == [2] * 4
    assert found["weights_cosine"] == pytest.approx([1.0] * 4)
    assert found["kept"] == {"x2": 4, "x0": 4, "x1": 0}
    assert list(found["kept"]) == ["x2", "x0", "x1"]  # the heaviest first
    tables = [values for values, _, _ in Halves.fits]
    assert [len(values) for values in tables] == [20] * 4
    for values in tables:  # different rows, in their order
        places = [np.flatnonzero((row == X).all(axis=1))[0] for row in values]
        assert places == sorted(set(places))
    assert not (tables[0] == tables[1]).all()
    seeds = [seed for _, seed, _ in Halves.fits]
    assert len(set(seeds)) == 4
    assert all(callbacks is None for _, _, callbacks in Halves.fits)
    # The same seed, the same rows.
    assert measure_stability(model, X, read_facts(model), n_repeats=4) == found
    # Two rows are the fewest.
    small = Halves().fit(X[:2])
    Halves.fits.clear()
    measure_stability(small, X[:2], read_facts(small), n_repeats=1)
    assert len(Halves.fits[0][0]) == 2


def test_source_columns_are_kept_if_one_of_their_coordinates_is():
    X = np.random.default_rng(0).normal(size=(20, 3))
    model = Halves().fit(X)
    facts = read_facts(model)
    told = facts._replace(names=["a", "b"], weights=np.array([1.0, 2.0]))
    # Coordinates 0 and 2 are selected: of "a" one of two, of "b" the only one.
    found = measure_stability(model, X, facts, n_repeats=3, told=told, owner=np.array([0, 0, 1]))
    assert found["kept"] == {"b": 3, "a": 3}
    found = measure_stability(model, X, facts, n_repeats=3, told=told, owner=np.array([0, 1, 0]))
    assert found["kept"] == {"b": 0, "a": 3}


def test_the_cosine_by_hand():
    assert _cosine(np.array([3.0, 4.0]), np.array([4.0, 3.0])) == pytest.approx(24 / 25)
    assert _cosine(np.zeros(2), np.ones(2)) == 0.0


def test_scores_against_known_classes():
    truth = np.array([0, 0, 0, 1, 1, -1])
    found = scores(truth, np.array([1, 1, 0, 0, 0, 7]), "kind")
    assert (found["label"], found["n_classes"], found["n_rows"]) == ("kind", 2, 5)
    # Clusters of 2 (class 0) and of 3 (one of class 0, two of class 1): 4 of 5 rows are right, and
    # clusters are pure to 1 and 2/3.
    assert found["accuracy"] == pytest.approx(0.8)
    assert found["purity"] == pytest.approx(5 / 6)
    perfect = scores(np.array([0, 0, 1, 1, -1]), np.array([1, 1, 0, 0, 0]), None)
    assert [perfect[name] for name in ("ari", "ami", "purity", "pair_f", "accuracy")] == [
        pytest.approx(1.0)
    ] * 5


def test_noise_columns_by_hand():
    features = [
        {"noise": True, "share": 0.125},
        {"noise": False, "share": 0.625},
        {"noise": True, "share": 0.25},
        {"noise": False, "share": 0.0},
    ]
    assert noise(features) == {"n_columns": 2, "column_share": 0.5, "weight_share": 0.375}


def test_nothing_is_compared_with_unknown_classes():
    assert scores(np.full(3, -1), np.array([0, 0, 1]), "class") is None


def test_refits_that_fail_do_not_cost_the_answer():
    # Ten clusters of eleven rows: four fifths of the rows are nine.
    X = np.random.default_rng(0).normal(size=(11, 2))
    model = weft.WeightedKMeans(10, weights=None, init="random", random_state=0).fit(X)
    summary = summarize(model, X, stability=2)
    assert summary["stability"] is None
    assert "Stability was not measured" in summary["warnings"][-1]
