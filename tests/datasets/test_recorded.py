"""Data of all generators for given seeds, compared with recorded numbers.

Other tests check what the data should be like. A change of the numbers themselves, or of the order
in which they are drawn, changes the data of every seed that a user has noted.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.weighted_sums import weighted_sum

from weft import datasets
from weft.datasets import add_noise_features, gaussians, make_gaussians
from weft.datasets.noise import _usable
from weft.datasets.shapes import SHAPES

RECORDED: list[tuple[str, dict, list[float]]] = [
    (
        "make_ellipsoids",
        {"n_clusters": 1, "n_features": 2, "cluster_size": 5},
        [0.1527137722, 0, 0],
    ),
    (
        "make_ellipsoids",
        {"n_clusters": 3, "n_features": 2, "cluster_size": (2, 6)},
        [-2.642972053, -1.381830852, 0],
    ),
    (
        "make_ellipsoids",
        {"n_clusters": 8, "n_features": 2, "cluster_size": 9},
        [-2.840824427, -1.842678875, 0.2401343582],
    ),
    (
        "make_gaussians",
        {"n_clusters": 3, "n_features": 1, "cluster_size": (2, 5)},
        [-4.54412655, -2.30181251],
    ),
    (
        "make_gaussians",
        {"n_clusters": 6, "n_features": 2, "cluster_size": (2, 40)},
        [-33.99049441, 3.115249029],
    ),
    (
        "make_gaussians",
        {"n_clusters": 4, "n_features": 9, "cluster_size": 3},
        [-34.28411781, 0.01235715148],
    ),
    ("make_noisy_gaussians", {"n_samples": 20}, [-47.27147794, 5.74865906]),
    (
        "make_noisy_gaussians",
        {"model": "ix", "n_samples": 20, "variance": 0.25},
        [43.75036377, 2.305390857],
    ),
    (
        "make_noisy_gaussians",
        {"model": "x", "n_samples": 5, "n_features": 3, "n_clusters": 2, "n_noise": 0},
        [-2.047073232, 0],
    ),
    (
        "make_noisy_gaussians",
        {"model": "vii", "n_samples": 1, "n_features": 1, "n_clusters": 1, "variance": 0.0},
        [1.270564104, 0],
    ),
    (
        "make_subspace_clusters",
        {"n_samples": 15, "n_clusters": 3},
        [-474.0311013, 2.083922203, -585.7853113],
    ),
    (
        "make_subspace_clusters",
        {
            "n_samples": 11,
            "n_features": 7,
            "n_clusters": 4,
            "subspace_ratio": 0.8,
            "mean_range": (0.0, 10.0),
            "noise_range": (2.0, 6.0),
            "data_overlap": 4.0,
        },
        [-6.631057753, -2.519204725, -30.75063097],
    ),
    (
        "make_subspace_clusters",
        {
            "n_samples": 11,
            "n_features": 7,
            "n_clusters": 4,
            "subspace_ratio": 0.2,
            "dimension_overlap": 1.0,
        },
        [71.90379805, -2.519204725, -40.98804643],
    ),
    (
        "make_subspace_clusters",
        {
            "n_samples": 5,
            "n_features": 6,
            "n_clusters": 5,
            "subspace_ratio": 1.0,
            "dimension_overlap": 0.0,
        },
        [-228.7221671, -3.22241395, -231.3563994],
    ),
    (
        "make_subspace_clusters",
        {
            "n_samples": 6,
            "n_features": 9,
            "n_clusters": 3,
            "subspace_ratio": 0.6,
            "dimension_overlap": 0.4,
        },
        [-116.6301874, 0.8440288268, -6.223484447],
    ),
]


@pytest.mark.parametrize(("name", "given", "expected"), RECORDED)
def test_data_of_a_seed(name, given, expected):
    made = getattr(datasets, name)(**given, random_state=3)
    found = [weighted_sum(made.data), weighted_sum(made.target)]
    # The means of columns that a cluster does not use are NaN.
    found += [weighted_sum(np.nan_to_num(made[key])) for key in ("overlap", "means") if key in made]
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("rings", [6.981800094, 6.881705746]),
        ("dish-shell", [1.196102489, 1.147743194]),
        ("moons", [-2.121731699, -2.181788308]),
        ("spirals", [-1.122954693, -1.173001867]),
        ("ellipses", [-2.503828838, -2.552188133]),
        ("rectangles", [-6.130388752, -5.93252837]),
        ("blobs", [2.521629939, 1.050018043]),
    ],
)
def test_points_of_a_shape(shape, expected):
    # With noise of 0 the points are those of the form; the default noise is added to each.
    n_clusters = SHAPES[shape].n_clusters
    given = {"n_samples": 4 * n_clusters + 1, "random_state": 3}
    bare, noisy = (datasets.make_shapes(shape, noise=each, **given) for each in (0.0, None))
    assert [weighted_sum(bare.data), weighted_sum(noisy.data)] == pytest.approx(expected, rel=1e-7)
    assert np.bincount(bare.target).tolist() == [5] + [4] * (n_clusters - 1)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("uniform", -78.11753869),
        ("gaussian", -70.80819597),
        ("heavy-tailed", -93.72526541),
        ("skewed", -74.26913185),
        ("binary", -42.24748883),
        ("correlated", -98.43033467),
    ],
)
def test_noise_of_a_kind(kind, expected):
    X = np.array([[1.0, 10.0], [2.0, np.nan], [4.0, 60.0], [7.0, 20.0]])
    made = add_noise_features(X, 7, kind=kind, random_state=3)
    assert weighted_sum(made.data[:, 2:]) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize(("n_clusters", "low", "high"), [(19, 50, 500), (20, 10, 100)])
def test_default_sizes_of_gaussians(monkeypatch, n_clusters, low, high):
    # Smaller clusters from 20 on. A generator that returns an end of its range shows both.
    class Ends:
        def __init__(self, high):
            self.high = high

        def integers(self, low, high, *, size, endpoint):
            return np.full(size, high if self.high else low)

    monkeypatch.setattr(gaussians, "read_generator", lambda given: given)
    monkeypatch.setattr(gaussians, "draw_apart", lambda sizes, *_: np.zeros((sizes.sum(), 1)))
    for is_high, size in ((False, low), (True, high)):
        made = make_gaussians(n_clusters, 2, random_state=Ends(is_high))
        assert np.bincount(made.target).tolist() == [size] * n_clusters


def test_models_of_noise_are_columns_that_vary():
    X = np.array([[5.0, np.nan, 0.0, 1.0, 3.0], [5.0, np.nan, 1.0, 1.0, np.nan]])
    given = np.array([True, True, True, True, True])
    assert _usable(X, given).tolist() == [2]
    # Without one that varies: all that have a value.
    given[2] = False
    assert _usable(X, given).tolist() == [0, 3, 4]
