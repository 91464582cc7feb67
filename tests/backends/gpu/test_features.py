"""Features compared on a torch device: selectors, AutoCluster's screening."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the GPU path needs torch: pip install 'weft[gpu]'")

from weft import AutoCluster, FeatureClusterSelector, FeatureSimilaritySelector
from weft.backends import CPU, Backend
from weft.backends.gpu.columns import compression_tiles, load_features
from weft.backends.reference import columns as reference
from weft.columns import screening
from weft.methods.selection.compression import centred

DEVICES = ["cpu:0"] + (["cuda"] if torch.cuda.is_available() else [])
every_device = pytest.mark.parametrize("device", DEVICES)


def _repeated(n_rows=80, n_features=40, seed=0):
    """Each feature near to several others, no two alike."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(n_rows, 6))
    mix = rng.normal(size=(6, n_features)) ** 3
    return base @ mix + 0.1 * rng.normal(size=(n_rows, n_features))


@every_device
def test_compression_of_two_features(device):
    X = _repeated()
    X[:, 3] = 2.0  # constant: variance 0
    columns = centred(X)
    ((_, expected),) = reference.compression_tiles(columns, columns)
    features = load_features(columns, device)
    tiles = np.vstack([tile for _, tile in compression_tiles(features, features)])
    np.testing.assert_allclose(tiles, expected, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        FeatureSimilaritySelector(),
        FeatureSimilaritySelector(3, epsilon="latest"),
        FeatureSimilaritySelector(5, epsilon=0.05, scale=False),
        FeatureClusterSelector(),
        FeatureClusterSelector(pick="largest"),
    ],
    ids=lambda model: repr(model),
)
def test_the_same_features(model, on_torch):
    from sklearn.base import clone

    X = _repeated()
    expected = clone(model).fit(X)
    found = clone(model).set_params(device="cuda").fit(X)
    np.testing.assert_array_equal(found.support_, expected.support_)
    np.testing.assert_array_equal(found.transform(X), expected.transform(X))
    if hasattr(expected, "losses_"):
        np.testing.assert_allclose(found.losses_, expected.losses_, rtol=1e-8)
    else:
        np.testing.assert_array_equal(found.labels_, expected.labels_)


@every_device
@pytest.mark.parametrize("wide", [False, True])
def test_evidence_is_the_cpus(device, wide, monkeypatch):
    if wide:
        monkeypatch.setattr(screening, "WIDE", 10)
    X = _repeated(120, 30)
    X[:, 5] = 1.0
    X[:, 6] = np.round(X[:, 6])
    both = [screening.make_contrasts(X, each) for each in (CPU, Backend("gpu", device))]
    for references in (np.arange(30), np.array([1, 2, 9])):
        for seed in (None, 3):
            one, other = (
                screening.gather(
                    each, references, None if seed is None else np.random.default_rng(seed)
                )
                for each in both
            )
            np.testing.assert_allclose(other.overall, one.overall, rtol=1e-4, atol=1e-4)
            np.testing.assert_allclose(other.nearest, one.nearest, rtol=1e-4, atol=1e-4)


def test_auto_cluster_finds_the_same(on_torch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 12))
    X[:40, :3] += 4.0
    X[40:80, 2:5] -= 4.0
    settings = {"n_resamples": 2, "random_state": 0}
    expected = AutoCluster(**settings).fit(X)
    found = AutoCluster(device="cuda", **settings).fit(X)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_array_equal(found.get_support(), expected.get_support())
    np.testing.assert_allclose(found.feature_weights_, expected.feature_weights_, rtol=1e-6)
    assert found.fitness_ == pytest.approx(expected.fitness_, rel=1e-6)
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))
