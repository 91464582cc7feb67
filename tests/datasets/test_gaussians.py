"""The Gaussian generator: covariances that are ones, clusters that keep apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from weft.datasets import gaussians, make_gaussians
from weft.datasets.gaussians import draw_cluster, draw_covariance, keeps_apart


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 40))
def test_covariance_is_symmetric_dominant_and_positive_definite(seed, d):
    covariance = draw_covariance(d, np.random.default_rng(seed))
    assert np.array_equal(covariance, covariance.T)
    off = np.abs(covariance - np.diag(np.diag(covariance)))
    surplus = np.diag(covariance) - off.sum(axis=1)
    assert (surplus > 0).all()
    assert (surplus <= 20 * np.sqrt(d) * (1 + 1e-12)).all()
    assert off.max() < 1
    # Gershgorin: no eigenvalue below the smallest surplus.
    assert np.linalg.eigvalsh(covariance).min() >= surplus.min() * (1 - 1e-9) - 1e-9


def test_off_diagonals_have_both_signs_and_square_law():
    covariance = draw_covariance(300, np.random.default_rng(0))
    off = covariance[np.triu_indices(300, k=1)]
    # 44,850 values ±U²: E = 0 (sd sqrt(1/5)), E|.| = 1/3 (sd sqrt(1/5 - 1/9)); 5 standard errors.
    assert abs(off.mean()) < 5 * np.sqrt(1 / 5) / np.sqrt(len(off))
    assert abs(np.abs(off).mean() - 1 / 3) < 5 * np.sqrt(1 / 5 - 1 / 9) / np.sqrt(len(off))


def test_points_follow_their_covariance():
    # The same stream gives the same mean and covariance; the points' moments must agree with them.
    points = draw_cluster(40_000, 3, np.random.default_rng(7))
    rng = np.random.default_rng(7)
    mean, covariance = rng.uniform(-10, 10, size=3), draw_covariance(3, rng)
    scale = np.sqrt(np.diag(covariance))
    assert np.abs((points.mean(axis=0) - mean) / scale).max() < 5 / np.sqrt(40_000)
    assert np.abs((np.cov(points.T) - covariance) / np.outer(scale, scale)).max() < 0.05


def test_keeps_apart_by_hand():
    earlier = np.array([[0.0], [10.0]])
    # 4 has its own 5 at distance 1 and the foreign 0 at 4: apart.
    assert keeps_apart(np.array([[4.0], [5.0]]), earlier)
    # 1 has its own 4 at distance 3, the foreign 0 at 1: not apart, though 4 alone would be fine.
    assert not keeps_apart(np.array([[1.0], [4.0]]), earlier)
    # 3 lies as far from its own 6 as from the foreign 0: not nearer, so apart; 6: 3 and 4.
    assert keeps_apart(np.array([[3.0], [6.0]]), earlier)
    assert keeps_apart(np.array([[3.0], [6.0]]), np.empty((0, 1)))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 80), shift=st.floats(0, 4))
def test_keeps_apart_is_its_definition(seed, n, shift):
    rng = np.random.default_rng(seed)
    points, earlier = rng.normal(size=(n, 2)) + shift, rng.normal(size=(50, 2))
    own = cdist(points, points) + np.diag(np.full(n, np.inf))
    wanted = bool((own.min(axis=1) <= cdist(points, earlier).min(axis=1)).all())
    assert keeps_apart(points, earlier) == wanted


def test_a_clash_in_the_last_row_is_seen():
    points = np.vstack([np.arange(100.0, 200.0)[:, np.newaxis], [[0.5]]])
    assert not keeps_apart(points, np.array([[0.0]]))


@pytest.mark.parametrize(("k", "d"), [(1, 1), (4, 2), (10, 2), (4, 30), (20, 10)])
def test_the_whole(k, d):
    made = make_gaussians(k, d, random_state=0)
    n = len(made.target)
    assert made.data.shape == (n, d)
    assert made.data.dtype == np.float64
    assert np.isfinite(made.data).all()
    assert made.feature_names == [f"x{j}" for j in range(d)]
    assert made.relevant.tolist() == [True] * d
    sizes = np.bincount(made.target, minlength=k)
    low, high = (50, 500) if k < 20 else (10, 100)
    assert sizes.min() >= low
    assert sizes.max() <= high
    # Each cluster keeps apart from all before it.
    distances = cdist(made.data, made.data)
    np.fill_diagonal(distances, np.inf)
    for c in range(1, k):
        rows = made.target == c
        own = distances[rows][:, rows].min(axis=1)
        assert (own <= distances[rows][:, made.target < c].min(axis=1)).all()


def test_cluster_size():
    assert (
        np.bincount(make_gaussians(3, 20, cluster_size=8, random_state=0).target).tolist()
        == [8] * 3
    )
    sizes = np.bincount(make_gaussians(6, 20, cluster_size=(2, 5), random_state=0).target)
    assert set(sizes) <= {2, 3, 4, 5}


def test_same_seed_same_bits_for_any_number_of_threads():
    made = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            made.append(make_gaussians(4, 60, random_state=2).data.tobytes())
    assert made[0] == made[1]
    assert made[0] != make_gaussians(4, 60, random_state=3).data.tobytes()


def test_a_full_space_is_reported_not_searched_for_ever(monkeypatch):
    monkeypatch.setattr(gaussians, "MAX_REDRAWS", 5)
    with pytest.raises(
        ValueError, match="found no free place among n_features=1 features in 5"
    ) as e:
        make_gaussians(15, 1, random_state=0)
    assert "use fewer or smaller clusters" in str(e.value)


def test_a_cluster_is_drawn_once_and_redrawn_as_often_as_allowed(monkeypatch):
    drawn = []
    monkeypatch.setattr(gaussians, "MAX_REDRAWS", 5)
    monkeypatch.setattr(gaussians, "draw_cluster", lambda *given: drawn.append(given[:2]))
    monkeypatch.setattr(gaussians, "keeps_apart", lambda *_: False)
    with pytest.raises(ValueError, match="cluster 1 of n_clusters=2 found no free place"):
        make_gaussians(2, 3, cluster_size=4, random_state=0)
    assert drawn == [(4, 3)] * 6


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "words"),
    [
        ((0, 5), {}, ValueError, "n_clusters=0 must be at least 1"),
        ((2, 0), {}, ValueError, "n_features=0 must be at least 1"),
        ((2, 2.0), {}, TypeError, "n_features=2.0 must be an integer"),
        ((2, 3), {"cluster_size": 1}, ValueError, "cluster_size=1 must be at least 2"),
        ((2, 3), {"cluster_size": (1, 5)}, ValueError, r"cluster_size\[0\]=1 must be at least 2"),
        ((2, 3), {"cluster_size": (8, 5)}, ValueError, r"write cluster_size=\(5, 8\)"),
        ((2, 3), {"cluster_size": [5]}, ValueError, "cluster_size has 1 entries"),
    ],
)
def test_errors_are_one_sentence(args, kwargs, error, words):
    with pytest.raises(error, match=words) as caught:
        make_gaussians(*args, **kwargs)
    assert "\n" not in str(caught.value)
