"""Soft answers, rules, names and explanations of fitted models."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

import weft
from weft import AutoCluster


@pytest.fixture(scope="module")
def wine():
    return load_wine(as_frame=True).data


@pytest.fixture(scope="module")
def model(wine):
    return AutoCluster(n_resamples=0).fit(wine)


@pytest.fixture(scope="module")
def raw():
    rng = np.random.default_rng(0)
    kind = np.repeat(["ash", "birch", "cedar"], 40)
    centre = np.repeat([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]], 40, axis=0)
    points = centre + rng.standard_normal((120, 2))
    return pd.DataFrame(
        {
            "height": 10 + points[:, 0],
            "girth": 100 + 10 * points[:, 1],
            "wood": np.where(rng.random(120) < 0.95, kind, "birch"),
            "grade": rng.choice(["a", "b"], 120),
        }
    )


@pytest.fixture(scope="module")
def raw_model(raw):
    return AutoCluster(n_resamples=0).fit(raw)


def test_probabilities_agree_with_labels(model, wine):
    likely = model.predict_proba(wine)
    np.testing.assert_allclose(likely.sum(axis=1), 1.0)
    np.testing.assert_array_equal(likely.argmax(axis=1), model.predict(wine))
    np.testing.assert_allclose(model.membership_.to_dense(), likely, atol=1e-6)
    np.testing.assert_array_equal(model.membership_.clusters[:, 0], model.labels_)
    np.testing.assert_allclose(model.outlier_score_, model.outlier_score(wine), atol=1e-9)
    assert model.outlier_score(wine * 5).min() > 0.9


def test_one_row_gets_what_it_gets_among_others(model, wine):
    np.testing.assert_allclose(
        model.predict_proba(wine.iloc[[7]]), model.predict_proba(wine)[[7]], atol=1e-12
    )


def test_many_rows_keep_their_soft_answers(tmp_path):
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=2300)
    X = 8.0 * np.eye(3)[truth] + rng.standard_normal((2300, 3))
    model = AutoCluster(n_resamples=0).fit(X)
    assert model.n_clusters_ == 3
    member = model.membership_
    np.testing.assert_array_equal(member.clusters[:, 0], model.labels_)
    np.testing.assert_allclose(member.to_dense(), model.predict_proba(X), atol=1e-5)
    np.testing.assert_allclose(model.outlier_score_, model.outlier_score(X), atol=1e-5)
    model.save(tmp_path / "m.weft")
    again = weft.load(tmp_path / "m.weft")
    np.testing.assert_array_equal(again.membership_.probabilities, member.probabilities)
    order = rng.permutation(2300)
    other = AutoCluster(n_resamples=0).fit(X[order])
    np.testing.assert_array_equal(other.membership_.probabilities, member.probabilities[order])
    np.testing.assert_array_equal(other.outlier_score_, model.outlier_score_[order])
    second = model.with_alternative(2) if len(model.alternatives_) > 1 else None
    if second is not None:
        with pytest.raises(AttributeError, match=r"call membership\(X\)"):
            _ = second.membership_
        assert second.predict_proba(X).shape == (2300, second.n_clusters_)


def test_no_clusters_have_one_certain_answer():
    X = np.random.default_rng(0).standard_normal((200, 5))
    model = AutoCluster(n_resamples=0).fit(X)
    assert model.n_clusters_ == 1
    assert (model.predict_proba(X) == 1.0).all()
    assert (model.membership_.probabilities == 1.0).all()
    assert (model.outlier_score_ == 0.0).all()
    assert len(model.rules_) == 1
    assert "next is" not in str(model.explain(X[0]))


def test_before_fit_there_is_nothing():
    fresh = AutoCluster()
    for name in ("membership_", "outlier_score_", "rules_", "cluster_names_"):
        assert not hasattr(fresh, name)


def test_rules_and_names_survive_a_file(model, wine, tmp_path):
    model.save(tmp_path / "m.weft")
    again = weft.load(tmp_path / "m.weft")
    assert again.rules_ == model.rules_
    assert again.cluster_names_ == model.cluster_names_
    assert str(again.explain(wine.iloc[:2])) == str(model.explain(wine.iloc[:2]))
    support = set(wine.columns[model.get_support()])
    assert all(set(rule.columns) <= support for rule in model.rules_)
    assert np.mean([rule.precision for rule in model.rules_]) >= 0.9


def test_a_second_fit_forgets_the_first(wine):
    model = AutoCluster(n_resamples=0).fit(wine)
    before = model.rules_
    model.fit(wine.iloc[:, ::-1] * 2)
    assert model.rules_ is not before


def test_explanations_of_raw_rows_use_their_own_values(raw, raw_model, tmp_path):
    shown = raw_model.explain(raw.iloc[[3, 50]])
    told = shown.to_dict()
    json.dumps(told)
    assert [row["row"] for row in told["rows"]] == [3, 50]
    columns = {reason["column"] for row in told["rows"] for reason in row["reasons"]}
    assert columns <= {"height", "girth", "wood"}
    woods = [r["value"] for row in told["rows"] for r in row["reasons"] if r["column"] == "wood"]
    assert set(woods) <= {"ash", "birch", "cedar"}
    raw_model.save(tmp_path / "m.weft")
    assert str(weft.load(tmp_path / "m.weft").explain(raw.iloc[[3, 50]])) == str(shown)
    named = [column for rule in raw_model.rules_ for column in rule.columns]
    assert set(named) <= {"height", "girth", "wood"}
    assert np.mean([rule.coverage for rule in raw_model.rules_]) > 0.8


def test_an_array_is_explained_by_coordinates_when_the_fit_was_raw(raw_model):
    shown = raw_model.explain(raw_model._fit_anchors[:2])
    assert len(shown.rows) == 2


def test_rows_without_a_cluster_are_explained():
    rng = np.random.default_rng(1)
    X = np.vstack([8.0 * np.eye(3)[rng.integers(3, size=150)] + rng.standard_normal((150, 3)) / 2])
    model = AutoCluster(n_resamples=0, outliers=True).fit(X)
    model._fit_anchor_labels = np.where(np.arange(150) == 0, -1, model._fit_anchor_labels)
    row = model._fit_anchors[0]
    assert model.predict(row[None])[0] == -1
    np.testing.assert_allclose(model.predict_proba(row[None]).sum(), 1.0)
    assert "in no cluster" in str(model.explain(row))


MAKERS = {
    "WeightedKMeans": {"n_clusters": 3},
    "EntropyKMeans": {"n_clusters": 3},
    "LocallyAdaptiveKMeans": {"n_clusters": 3},
    "ConstrainedKMeans": {"n_clusters": 3},
    "ProjectedSwarm": {"n_clusters": 3, "n_evaluations": 200},
    "StagedSwarm": {"n_clusters_estimate": 3, "n_particles": 6, "n_generations": 3},
    "DynamicSwarm": {"n_particles": 6, "n_generations": 3},
    "GeneticClustering": {"n_particles": 6, "n_generations": 3},
    "FeatureSwarm": {"n_particles": 6, "n_generations": 3},
}


@pytest.mark.parametrize("name", MAKERS)
def test_every_estimator_with_centres_or_anchors_says_how_sure_it_is(name):
    rng = np.random.default_rng(0)
    X = 4.0 * np.eye(3)[np.repeat([0, 1, 2], 25)] + rng.standard_normal((75, 3))
    kind = getattr(weft, name)
    known = {**MAKERS[name], "random_state": 0}
    settings = {key: value for key, value in known.items() if key in kind().get_params()}
    model = kind(**settings).fit(X)
    likely = model.predict_proba(X)
    np.testing.assert_allclose(likely.sum(axis=1), 1.0)
    labels = model.predict(X)
    np.testing.assert_array_equal(likely.argmax(axis=1)[labels >= 0], labels[labels >= 0])
    member = model.membership(X, n_top=2)
    assert member.probabilities.shape[1] == min(2, likely.shape[1])
    np.testing.assert_array_equal(member.clusters[:, 0], likely.argmax(axis=1))
    assert model.predict_proba(X[:1]).shape == (1, likely.shape[1])


def test_sparse_rows_have_probabilities_too():
    from scipy.sparse import csr_array

    rng = np.random.default_rng(0)
    X = np.kron(np.eye(2), np.ones((10, 4))) * rng.random((20, 8))
    model = weft.ProjectedSwarm(2, metric="jaccard", n_evaluations=50, random_state=0)
    likely = model.fit(csr_array(X)).membership(csr_array(X))
    np.testing.assert_array_equal(likely.clusters[:, 0], model.predict(csr_array(X)))
    assert not hasattr(model, "predict_proba")  # an array of rows × clusters is not sparse
