"""The generator of subspace clusters: the appendix, line by line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.datasets import make_subspace_clusters
from weft.datasets.subspace import draw_counts, draw_means, draw_relevant


@given(
    n_clusters=st.integers(1, 12),
    n_features=st.integers(2, 60),
    ratio=st.floats(0, 1),
    seed=st.integers(0, 1000),
)
@settings(max_examples=80, deadline=None)
def test_counts(n_clusters, n_features, ratio, seed):
    counts = draw_counts(n_clusters, n_features, ratio, np.random.default_rng(seed))
    assert counts.min() >= 2
    assert counts.max() <= n_features
    assert counts.sum() == max(2 * n_clusters, round(ratio * n_clusters * n_features))


@given(overlap=st.floats(0, 1), seed=st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_share_of_features_of_the_cluster_before(overlap, seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(2, 20, size=6)
    relevant = draw_relevant(counts, 60, overlap, rng)
    np.testing.assert_array_equal(relevant.sum(axis=1), counts)
    for cluster in range(1, 6):
        shared = (relevant[cluster] & relevant[cluster - 1]).sum()
        # ρ m_l of them, as far as the cluster before has that many
        assert shared == min(round(overlap * counts[cluster]), counts[cluster - 1])


def test_means_by_hand():
    relevant = np.array([[True, True, False], [True, False, True], [True, False, False]])
    means = draw_means(relevant, 3.0, (0.0, 10.0), np.random.default_rng(0))
    assert np.isnan(means[~relevant]).all()
    # a shared mean goes up by α, or down where that would leave the range
    for cluster in (1, 2):
        before, here = means[cluster - 1, 0], means[cluster, 0]
        assert here == pytest.approx(before + 3.0 if before + 3.0 <= 10.0 else before - 3.0)


def test_rows_follow_the_model():
    data = make_subspace_clusters(
        4000, n_features=12, n_clusters=2, subspace_ratio=0.5, noise_range=(2, 6), random_state=1
    )
    for cluster in range(2):
        rows = data.data[data.target == cluster]
        relevant = data.relevant_by_cluster[cluster]
        np.testing.assert_allclose(rows[:, relevant].std(axis=0), 1.0, atol=0.08)
        np.testing.assert_allclose(
            rows[:, relevant].mean(axis=0), data.means[cluster, relevant], atol=0.1
        )
        noise = rows[:, ~relevant]
        assert noise.min() >= 2.0
        assert noise.max() <= 6.0
        np.testing.assert_allclose(noise.var(axis=0), 16 / 12, atol=0.15)


def test_shape_sizes_and_seed():
    data = make_subspace_clusters(random_state=3)
    assert data.data.shape == (500, 100)
    np.testing.assert_array_equal(np.bincount(data.target), np.full(10, 50))
    np.testing.assert_array_equal(data.relevant, data.relevant_by_cluster.any(axis=0))
    np.testing.assert_array_equal(data.data, make_subspace_clusters(random_state=3).data)
    uneven = make_subspace_clusters(11, n_clusters=4, random_state=0)
    np.testing.assert_array_equal(np.bincount(uneven.target), [3, 3, 3, 2])


@pytest.mark.parametrize(
    ("given_", "word"),
    [
        ({"n_clusters": 600}, "n_samples"),
        ({"subspace_ratio": 1.5}, "subspace_ratio"),
        ({"dimension_overlap": -0.1}, "dimension_overlap"),
        ({"data_overlap": -1}, "data_overlap"),
        ({"mean_range": (5, 1)}, "mean_range"),
        ({"mean_range": 3}, "mean_range"),
        ({"noise_range": (0, 1, 2)}, "noise_range"),
    ],
)
def test_errors_name_the_parameter(given_, word):
    with pytest.raises(ValueError, match=word):
        make_subspace_clusters(**given_)


def test_shared_features_may_have_the_same_mean():
    given = {"n_samples": 6, "n_features": 3, "n_clusters": 2, "subspace_ratio": 1.0}
    same = make_subspace_clusters(**given, data_overlap=0.0, random_state=0).means
    np.testing.assert_array_equal(same[0], same[1])
    apart = make_subspace_clusters(**given, data_overlap=0.5, random_state=0).means
    np.testing.assert_allclose(np.abs(apart[0] - apart[1]), 0.5)
