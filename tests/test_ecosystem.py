"""Beside scikit-learn, pandas and polars: names, frames, pipelines, searches, routing, repr."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.metrics import silhouette_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr

import weft

NAMES = ["a", "b", "c", "d"]


@pytest.fixture
def frame(three_groups):
    return pd.DataFrame(three_groups, columns=NAMES)


def test_names_come_in(any_name, quick, frame):
    with warnings.catch_warnings():
        # Short searches say that they found little.
        warnings.simplefilter("ignore")
        model = quick(any_name).fit(frame)
    assert model.feature_names_in_.tolist() == NAMES
    with pytest.raises(ValueError, match="feature names"):
        (model.predict if hasattr(model, "predict") else model.transform)(frame[NAMES[::-1]])


TRANSFORMERS = [
    name
    for name in sorted(weft._PUBLIC)
    if name[0].isupper() and hasattr(getattr(weft, name), "transform")
]


@pytest.mark.parametrize("container", ["pandas", "polars"])
@pytest.mark.parametrize("name", TRANSFORMERS)
def test_set_output(name, container, quick, frame, three_groups):
    given = frame if container == "pandas" else pl.DataFrame(three_groups, schema=NAMES)
    with warnings.catch_warnings():
        # Short searches say that they found little.
        warnings.simplefilter("ignore")
        model = quick(name).set_output(transform=container)
        found = model.fit(given).transform(given)
    assert isinstance(found, pd.DataFrame if container == "pandas" else pl.DataFrame)
    assert list(found.columns) == model.get_feature_names_out().tolist()
    plain = clone(model).set_output(transform="default").fit(three_groups)
    np.testing.assert_array_equal(found.to_numpy(), plain.transform(three_groups))


def test_polars_in_gives_the_same_labels(any_clusterer, fitted, three_groups):
    one = fitted(any_clusterer)
    two = fitted(any_clusterer, pl.DataFrame(three_groups, schema=NAMES))
    assert (one.labels_ == two.labels_).all()
    assert two.feature_names_in_.tolist() == NAMES


def test_pipeline(any_clusterer, quick, frame):
    steps = make_pipeline(StandardScaler(), quick(any_clusterer))
    with warnings.catch_warnings():
        # Short searches say that they found little.
        warnings.simplefilter("ignore")
        labels = steps.fit_predict(frame)
        assert steps.predict(frame).shape == labels.shape
    assert estimator_html_repr(steps).count(any_clusterer) >= 1


def unsupervised(model, X, y=None):
    labels = model.predict(X)
    return silhouette_score(X, labels) if len(set(labels)) > 1 else -1.0


def test_grid_search_without_labels(quick, three_groups):
    shuffled = np.random.default_rng(0).permutation(three_groups)
    grid = {"n_clusters": [2, 3, 5], "distance_exponent": [1.5, 2.0]}
    search = GridSearchCV(
        quick("WeightedKMeans"), grid, scoring=unsupervised, cv=3, error_score="raise"
    ).fit(shuffled)
    assert search.best_params_["n_clusters"] == 3
    assert search.predict(shuffled).shape == (60,)


def test_metadata_routing_carries_sample_weight(three_groups):
    """Rows of weight 0 do not count, through a pipeline too."""
    mass = np.r_[np.ones(40), np.zeros(20)]
    with sklearn.config_context(enable_metadata_routing=True):
        model = weft.WeightedKMeans(2, random_state=0).set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        steps = make_pipeline(scaler, model).fit(three_groups, sample_weight=mass)
    X = StandardScaler().fit_transform(three_groups)
    expected = weft.WeightedKMeans(2, random_state=0).fit(X, sample_weight=mass)
    assert (steps[-1].labels_ == expected.labels_).all()
    np.testing.assert_array_equal(steps[-1].cluster_centers_, expected.cluster_centers_)


def test_html_repr_is_scikit_learns_with_the_answer_below(any_clusterer, quick, fitted):
    assert "weft-answer" not in quick(any_clusterer)._repr_mimebundle_()["text/html"]
    model = fitted(any_clusterer)
    assert "sk-container-id" in estimator_html_repr(model)
    shown = model._repr_mimebundle_()["text/html"]
    assert "sk-container-id" in shown
    assert "weft-answer" in shown


def test_a_saved_model_is_clonable_and_searchable(fitted, tmp_path, three_groups):
    model = fitted("WeightedKMeans")
    model.save(tmp_path / "m.weft", X=three_groups)
    back = weft.load(tmp_path / "m.weft")
    assert (clone(back).fit(three_groups).labels_ == model.labels_).all()


def test_without_callbacks_in_scikit_learn_nothing_is_missing():
    """As under scikit-learn 1.6 to 1.8, where there is no such module."""
    code = (
        "import sys; sys.modules['sklearn.callback'] = None\n"
        "import numpy as np\n"
        "from weft.estimators._fit_tasks import FitTasksMixin\n"
        "class Plain(FitTasksMixin):\n"
        "    def fit(self, X): return self\n"
        "assert not hasattr(Plain, 'set_callbacks')\n"
        "assert Plain().fit(np.ones((3, 2))) is not None\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
