"""Wrong parameters get one sentence that names them: a sample of `make parameters`, and the
cases that once hung, crashed or gave NaN."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from checks.parameters import all_cases, bad_values, fault_of_sentence, judge, sample
from checks.workers import judged_apart

import weft

X = np.random.default_rng(0).normal(size=(24, 3)) + 4.0 * np.repeat([[0.0], [1.0], [2.0]], 8, 0)


def test_a_sample_of_all_cases_is_clean():
    cases = all_cases()
    assert len(cases) >= 10_000
    assert len(bad_values()) >= 40
    chosen = sample(cases, 400, seed=11)
    unclean = [f"{case}: {fault}" for case, fault in judged_apart(judge, chosen) if fault]
    assert unclean == []


def test_the_judge_sees_what_is_unclean(monkeypatch):
    assert fault_of_sentence("alpha=3 must be at least 4.", "alpha") == ""
    assert "does not name" in fault_of_sentence("3 must be at least 4.", "alpha")
    assert "no sentence" in fault_of_sentence("bad alpha", "alpha")
    assert "more than one line" in fault_of_sentence("alpha\nis bad.", "alpha")
    assert "characters" in fault_of_sentence("alpha" + "x" * 600 + ".", "alpha")
    case = next(case for case in all_cases() if case.estimator == "RangeScaler")
    monkeypatch.setattr("weft.estimators.range_scaler.learn_number", lambda column: 1 / 0)
    assert "ZeroDivisionError" in judge(case._replace(value="empty list"))


@pytest.mark.parametrize(
    ("name", "settings", "error", "sentence"),
    [
        ("KernelKMeans", {"n_jobs": 2.5}, TypeError, "n_jobs=2.5 must be None, or an integer"),
        ("KernelKMeans", {"n_jobs": math.nan}, TypeError, "n_jobs=nan must be"),
        ("WeightedKMeans", {"n_jobs": 10**9}, ValueError, "n_jobs=1000000000 must be"),
        ("FeatureSwarm", {"n_clusters": -1}, ValueError, "n_clusters=-1 must be at least 1"),
        ("ProjectedSwarm", {"inertia": math.nan}, ValueError, "inertia=nan must be two numbers"),
        ("GeneticClustering", {"max_clusters": 2**31}, ValueError, "max_clusters=2147483648 must"),
        ("DynamicSwarm", {"max_clusters": 2**31}, ValueError, "max_clusters=2147483648 must"),
        ("StagedSwarm", {"max_clusters": 2**70}, ValueError, "max_clusters=a very large integer"),
        ("KernelSwarm", {"sigma": 1e308}, ValueError, "sigma=1e[+]308 must be"),
        ("KernelKMeans", {"sigma": 5e-324}, ValueError, "sigma=5e-324 must be"),
        ("KernelKMeans", {"kernel_params": {"a": 1}}, ValueError, "params has the entry"),
        ("WeightedKMeans", {"init": [[1, 2], [3]]}, ValueError, "init=a list must be"),
        ("WeightedKMeans", {"distance_exponent": 1e9}, ValueError, "distance_exponent=1000000000"),
        ("FeatureSwarm", {"clusterer_params": 3}, TypeError, "clusterer_params=3 must be None"),
        ("FeatureSwarm", {"criterion": len}, TypeError, "cannot be called with two arguments"),
        ("FeatureSwarm", {"device": np.array(["cpu"])}, TypeError, "device=an array"),
        ("EntropyKMeans", {"random_state": "x"}, TypeError, "random_state='x' must be None"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_known_cases(name, settings, error, sentence):
    with pytest.raises(error, match=sentence):
        getattr(weft, name)().set_params(**settings).fit(X)


@pytest.mark.parametrize("name", ["GeneticClustering", "DynamicSwarm"])
@pytest.mark.filterwarnings("ignore")
def test_more_clusters_than_rows_cost_no_more_than_rows(name):
    small = {"n_particles": 6, "n_generations": 3, "random_state": 0}
    one, two = (
        getattr(weft, name)(max_clusters=most, **small).fit(X) for most in (len(X), 2**31 - 1)
    )
    np.testing.assert_array_equal(one.labels_, two.labels_)


@pytest.mark.filterwarnings("ignore")
def test_numbers_of_numpy_are_numbers():
    model = weft.WeightedKMeans(
        np.int64(2),
        distance_exponent=np.float32(2.0),
        init=pd.DataFrame(X[:2]),
        allow_nan=np.bool_(False),
        init_weights=(1, 2, 3),
    )
    assert model.fit(X).cluster_centers_.shape == (2, 3)


def test_a_series_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="Pass a DataFrame"):
        weft.RangeScaler().fit(pd.Series([1.0, 2.0]))


def test_parameters_are_checked_before_predict_too():
    model = weft.WeightedKMeans(2).fit(X).set_params(n_jobs=10**12)
    with pytest.raises(ValueError, match="n_jobs=1000000000000 must be"):
        model.predict(X)
