"""ConstrainedKMeans under scikit-learn's contract; its constraints are tested in tests/kmeans."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from weft import ConstrainedKMeans


@parametrize_with_checks([ConstrainedKMeans(), ConstrainedKMeans(2, init="random")])
def test_sklearn_contract(estimator, check):
    with warnings.catch_warnings():
        # The checks fit tiny tables in few rounds: the estimator says so.
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


@pytest.mark.parametrize("init", ["anomalous", "random"])
def test_constraints_move_a_border(init):
    # 0 1 2 | 8 9 10 without constraints; tied to 8, row 2 leaves its neighbours.
    X = np.array([[0.0], [1.0], [2.0], [8.0], [9.0], [10.0]])
    free = ConstrainedKMeans(2, init=init, random_state=0).fit(X).labels_
    assert free[2] == free[0]
    bound = ConstrainedKMeans(2, init=init, random_state=0)
    labels = bound.fit(X, must_link=[(2, 3)], cannot_link=[(1, 2)]).labels_
    assert labels[2] == labels[3] != labels[1]
    # The centre of 2, 8, 9, 10 is 7.25, of 0, 1 it is 0.5:
    # (5.25² + 0.75² + 1.75² + 2.75²) + 2·0.5² = 38.75 + 0.5
    assert bound.inertia_ == pytest.approx(39.25)
    assert bound.fit_predict(X, must_link=[(2, 3)], cannot_link=[(1, 2)]).tolist() == list(labels)


def test_feature_weights_may_be_added():
    rng = np.random.default_rng(0)
    truth = np.arange(60) % 2
    X = np.c_[rng.normal(scale=0.2, size=60) + 2.0 * truth, rng.uniform(size=(60, 2))]
    model = ConstrainedKMeans(2, weights="cluster", distance_exponent=1.5)
    model.fit(X, must_link=[(0, 2), (2, 4)], cannot_link=[(0, 1)])
    assert model.feature_weights_.sum() == pytest.approx(1.0)
    assert model.labels_[0] == model.labels_[4] != model.labels_[1]
