"""scikit-learn's callback protocol; conftest.py leaves this out where scikit-learn has none."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import weft


class Listener:
    """Follows scikit-learn's FitCallback protocol; stops after some generations."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.stop_after = stop_after
        self.heard: list[str] = []

    def setup(self, estimator, context):
        self.heard.append("setup")

    def teardown(self, estimator, context):
        self.heard.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.heard.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context):
        self.heard.append(f"end {context.task_name}")
        return self.stop_after is not None and self.heard.count("end generation") >= self.stop_after


def test_scikit_learns_callbacks_hear_of_fit_and_generations(any_clusterer, quick, three_groups):
    listener = Listener()
    model = quick(any_clusterer)
    before = model.get_params()
    with warnings.catch_warnings():
        # Short searches say that they found little.
        warnings.simplefilter("ignore")
        model.set_callbacks(listener).fit(three_groups)
    assert listener.heard[:2] == ["setup", "begin fit"]
    assert listener.heard[-2:] == ["end fit", "teardown"]
    if "callbacks" in before:
        assert listener.heard.count("end generation") >= 1
    assert model.get_params() == before
    with warnings.catch_warnings():
        # Short searches say that they found little.
        warnings.simplefilter("ignore")
        again = quick(any_clusterer).fit(three_groups)
    assert (again.labels_ == model.labels_).all()


def test_a_callback_of_scikit_learn_can_stop_the_search(quick, three_groups, tmp_path):
    model = quick("FeatureSwarm", n_generations=20, patience=None)
    model.set_callbacks(Listener(stop_after=2)).fit(three_groups)
    assert model.n_iter_ == 2
    model.save(tmp_path / "m.weft")
    assert weft.load(tmp_path / "m.weft").n_iter_ == 2


def test_a_failing_fit_still_ends_the_callbacks(quick):
    listener = Listener()
    with pytest.raises(ValueError, match="NaN"):
        quick("FeatureSwarm").set_callbacks(listener).fit(np.full((9, 3), np.nan))
    assert listener.heard[-1] == "teardown"


def test_scikit_learns_progress_bar_works(quick, three_groups):
    from sklearn.callback import ProgressBar

    model = quick("FeatureSwarm").set_callbacks(ProgressBar()).fit(three_groups)
    assert model.n_clusters_ == 3
