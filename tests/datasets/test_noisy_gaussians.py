"""make_noisy_gaussians: shapes, variances, noise within the data's domain."""

from __future__ import annotations

import numpy as np
import pytest

from weft.datasets import make_noisy_gaussians
from weft.datasets.gaussians import MODELS


@pytest.mark.parametrize("model", sorted(MODELS))
def test_models_have_the_printed_sizes(model):
    rows, features, clusters, noise = MODELS[model]
    found = make_noisy_gaussians(model, random_state=0)
    assert found.data.shape == (rows, features + noise)
    assert set(found.target) == set(range(clusters))
    assert found.relevant.sum() == features
    assert found.relevant[:features].all()
    assert len(found.feature_names) == features + noise


@pytest.mark.parametrize("variance", [0.1, 1.0])
def test_clusters_have_the_variance_and_noise_the_domain(variance):
    found = make_noisy_gaussians("vii", n_samples=40_000, variance=variance, random_state=1)
    signal = found.data[:, found.relevant]
    inside = np.concatenate(
        [signal[found.target == k] - signal[found.target == k].mean(0) for k in range(5)]
    )
    assert inside.var() == pytest.approx(variance, rel=0.02)
    noise = found.data[:, ~found.relevant]
    assert signal.min() <= noise.min()
    assert noise.max() <= signal.max()
    # Uniform over [low, high]: variance (high - low)² / 12.
    assert noise.var() == pytest.approx((signal.max() - signal.min()) ** 2 / 12.0, rel=0.02)


def test_seeds_and_overrides():
    same = [make_noisy_gaussians("vii", n_noise=0, random_state=3).data for _ in range(2)]
    np.testing.assert_array_equal(*same)
    assert same[0].shape == (500, 6)
    with pytest.raises(ValueError, match="model='xi'"):
        make_noisy_gaussians("xi")
    with pytest.raises(ValueError, match="variance=-1"):
        make_noisy_gaussians(variance=-1.0)
