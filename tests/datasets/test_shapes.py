"""The shapes: sizes, truth, and that each is what its name says."""

from __future__ import annotations

import numpy as np
import pytest

from weft.datasets import make_shapes
from weft.datasets.shapes import SHAPES


@pytest.mark.parametrize("shape", SHAPES)
def test_sizes_and_truth(shape):
    found = make_shapes(shape, n_samples=101, random_state=0)
    form = SHAPES[shape]
    assert found.data.shape == (101, form.n_features)
    sizes = np.bincount(found.target)
    assert len(sizes) == form.n_clusters
    assert sizes.max() - sizes.min() <= 1
    again = make_shapes(shape, n_samples=101, random_state=0)
    assert (again.data == found.data).all()
    assert len(found.feature_names) == found.relevant.sum() == form.n_features


@pytest.mark.parametrize("shape", SHAPES)
def test_clusters_keep_apart(shape):
    # Each row's nearest neighbour is of its own cluster, at the size the paper uses.
    found = make_shapes(shape, n_samples=600, random_state=1)
    squared = ((found.data[:, None] - found.data[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squared, np.inf)
    assert (found.target[squared.argmin(axis=1)] == found.target).mean() > 0.99


def test_without_noise_rings_are_circles():
    found = make_shapes("rings", n_samples=50, noise=0.0, random_state=0)
    radius = np.sqrt((found.data**2).sum(axis=1))
    assert radius == pytest.approx(np.where(found.target == 0, 1.0, 3.0))
    dish = make_shapes("dish-shell", n_samples=400, noise=0.0, random_state=0)
    radius = np.sqrt((dish.data**2).sum(axis=1))
    assert radius[dish.target == 0].max() <= 1.0
    assert radius[dish.target == 1].min() >= 2.0


@pytest.mark.parametrize("shape", ["rings", "dish-shell", "ellipses"])
def test_round_shapes_are_as_dense_on_one_side_as_on_the_other(shape):
    found = make_shapes(shape, n_samples=8000, noise=0.0, random_state=0)
    for cluster in range(SHAPES[shape].n_clusters):
        rows = found.data[found.target == cluster]
        middle = 0.5 * (rows.min(axis=0) + rows.max(axis=0))
        reach = 0.5 * np.ptp(rows, axis=0)
        # The mean of 4,000 rows has a deviation of 0.011 reaches at most.
        assert np.abs((rows.mean(axis=0) - middle) / reach).max() < 0.05


def test_errors_say_what_to_do():
    with pytest.raises(ValueError, match="shape='cube' is not known"):
        make_shapes("cube")
    with pytest.raises(ValueError, match="n_samples=3 must be at least 4"):
        make_shapes("rings", n_samples=3)
    with pytest.raises(ValueError, match=r"noise=-1\.0 must be"):
        make_shapes("rings", noise=-1.0)
