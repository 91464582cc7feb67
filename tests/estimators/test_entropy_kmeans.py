"""EWKM and LAC against their formulas."""

from __future__ import annotations

import numpy as np
import pytest

from weft import EntropyKMeans, LocallyAdaptiveKMeans
from weft.metrics import accuracy


def blobs(n=150, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    signal = rng.normal(scale=0.3, size=(n, 2)) + np.array([[0, 0], [3, 0], [0, 3]])[truth]
    return np.c_[signal, rng.uniform(0, 2.5, size=(n, 2))], truth


def dispersions(model, X):
    return np.array(
        [
            ((X[model.labels_ == k] - center) ** 2).sum(axis=0)
            for k, center in enumerate(model.cluster_centers_)
        ]
    )


def softmax(rows):
    out = np.exp(rows - rows.max(axis=1, keepdims=True))
    return out / out.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("gamma", [5.0, 50.0, "auto"])
def test_ewkm_ends_where_its_equations_hold(gamma):
    X, _ = blobs()
    model = EntropyKMeans(3, gamma=gamma, random_state=0).fit(X)
    spread = dispersions(model, X)
    w = softmax(-spread / model.strength_)
    np.testing.assert_allclose(model.cluster_feature_weights_, w, rtol=1e-7)
    for k in range(3):
        np.testing.assert_allclose(
            model.cluster_centers_[k], X[model.labels_ == k].mean(axis=0), rtol=1e-9
        )
    # Objective (9)
    value = (w * spread).sum() + model.strength_ * (w * np.log(w)).sum()
    assert model.inertia_ == pytest.approx(value, rel=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_lac_takes_means_over_a_cluster():
    X, truth = blobs()
    model = LocallyAdaptiveKMeans(3, h=0.4).fit(X)
    sizes = np.bincount(model.labels_)[:, None]
    spread = dispersions(model, X) / sizes
    w = softmax(-spread / 0.4)
    np.testing.assert_allclose(model.cluster_feature_weights_, w, rtol=1e-7)
    # Objective (1)
    value = (w * spread).sum() + 0.4 * (w * np.log(w)).sum()
    assert model.inertia_ == pytest.approx(value, rel=1e-9)
    assert accuracy(truth, model.labels_) > 0.9


def test_a_small_gamma_keeps_one_feature_a_large_one_all():
    X, _ = blobs()
    few = EntropyKMeans(3, gamma=1e-3, random_state=0).fit(X)
    np.testing.assert_allclose(few.cluster_feature_weights_.max(axis=1), 1.0)
    many = EntropyKMeans(3, gamma=1e9, random_state=0).fit(X)
    np.testing.assert_allclose(many.cluster_feature_weights_, 0.25, rtol=1e-5)


def test_the_automatic_strength_follows_the_scale_of_the_data():
    X, truth = blobs()
    for kind in (EntropyKMeans, LocallyAdaptiveKMeans):
        one = kind(3, random_state=0).fit(X)
        other = kind(3, random_state=0).fit(1e3 * X)
        assert other.strength_ == pytest.approx(1e6 * one.strength_, rel=1e-9)
        np.testing.assert_array_equal(one.labels_, other.labels_)
        assert accuracy(truth, one.labels_) > 0.9
        assert one.feature_weights_[:2].min() > one.feature_weights_[2:].max()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (EntropyKMeans(3, gamma=0.0), "gamma=0.0"),
        (EntropyKMeans(3, gamma="big"), "choose one of 'auto'"),
        (LocallyAdaptiveKMeans(3, h=-1.0), "h=-1.0"),
    ],
)
def test_wrong_strengths_are_named(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(blobs()[0])
