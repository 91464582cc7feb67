"""A weak clustering beside "no clusters": the user can take it, on tables of every form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import weft
from weft import AutoCluster

RNG = np.random.default_rng(0)
NOISE = {
    "plain": RNG.standard_normal((120, 4)),
    "a constant column": np.column_stack([np.ones(120), RNG.standard_normal((120, 3))]),
    "wide": RNG.standard_normal((40, 100)),
    "sparse": sparse.random(120, 60, density=0.1, random_state=0, format="csr"),
}


@pytest.fixture(params=NOISE, ids=str)
def doubtful(request, monkeypatch):
    """A model that has found no clusters, and offers a clustering whatever the probability."""
    monkeypatch.setattr("weft.auto.search.SURE_OF_NONE", 1.0)
    X = NOISE[request.param]
    return X, AutoCluster(n_resamples=0).fit(X)


def test_a_weak_answer_can_be_taken_and_kept_in_a_file(doubtful, tmp_path):
    X, model = doubtful
    first, weak = model.alternatives_
    assert (model.n_clusters_, first["n_clusters"]) == (1, 1)
    assert f"answer 2 is a weak one of {weak['n_clusters']} clusters" in model.verdict_
    taken = model.with_alternative(2)
    assert taken.n_clusters_ == weak["n_clusters"] > 1
    np.testing.assert_array_equal(taken.labels_, weak["labels"])
    np.testing.assert_array_equal(taken.predict(X), taken.labels_)
    # Columns that do not vary, or that the screening left out, have no weight.
    assert set(np.flatnonzero(taken.feature_weights_)) <= set(weak["features"])
    taken.save(tmp_path / "weak.weft")
    np.testing.assert_array_equal(weft.load(tmp_path / "weak.weft").predict(X), taken.labels_)


def test_rows_that_were_not_searched_follow_the_nearest_one(monkeypatch):
    monkeypatch.setattr("weft.auto.search.SURE_OF_NONE", 1.0)
    monkeypatch.setattr("weft.auto.search.MAX_ROWS", 80)
    X = NOISE["plain"] * [1.0, 10.0, 0.1, 1000.0]
    model = AutoCluster(n_resamples=0).fit(X)
    weak = model.alternatives_[1]
    searched = model._fit_anchor_rows
    assert (len(weak["labels"]), len(searched)) == (120, 80)
    np.testing.assert_array_equal(model.with_alternative(2).predict(X), weak["labels"])
    # In the metric of the weak answer, in which units do not matter.
    units = X / X.std(axis=0) * model.with_alternative(2).feature_weights_
    near = ((units[:, None] - units[searched]) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(weak["labels"], weak["labels"][searched][near])


def test_clear_noise_has_no_weak_answer():
    model = AutoCluster(n_resamples=0).fit(NOISE["plain"])
    assert model.confidence_ >= 0.9
    assert model.alternatives_ == []
    assert model.verdict_.endswith(f"(probability {model.confidence_:.0%}).")
