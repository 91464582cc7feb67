"""Boosted trees as plain arrays: LightGBM's predictions, sums that add up, safe files."""

from __future__ import annotations

import numpy as np
import pytest

from bench.unseen import exporting
from weft.auto import trees
from weft.auto.trees import Forest

# By hand: x0 <= 0.5 → 1; else x1 <= 2 → 3, else 7. Means below: 4 at the root, 5 at the right.
SMALL = Forest(
    np.array([0, -1, 1, -1, -1], dtype=np.int16),
    np.array([0.5, 0, 2.0, 0, 0], dtype=np.float32),
    np.array([1, 0, 3, 0, 0], dtype=np.int16),
    np.array([2, 0, 4, 0, 0], dtype=np.int16),
    np.array([4, 1, 5, 3, 7], dtype=np.float32),
    np.array([0, 5], dtype=np.int32),
)


def test_a_tree_solved_by_hand():
    X = np.array([[0.5, 9.0], [0.6, 2.0], [0.6, 2.1]])
    np.testing.assert_array_equal(trees.predict(SMALL, X), [1.0, 3.0, 7.0])


def test_contributions_solved_by_hand():
    # Row (0.6, 2.1): x0 moves the mean from 4 to 5, then x1 from 5 to 7.
    shares = trees.contributions(SMALL, np.array([[0.6, 2.1]]))
    np.testing.assert_array_equal(shares, [[1.0, 2.0, 4.0]])


def test_joined_and_scaled_forests_add_up():
    X = np.array([[0.6, 2.1]])
    both = exporting.join([SMALL, exporting.scaled(SMALL, 0.5)])
    assert trees.predict(both, X)[0] == 10.5


@pytest.mark.parametrize("objective", ["regression", "binary"])
def test_the_same_predictions_as_lightgbm(objective):
    lightgbm = pytest.importorskip("lightgbm")
    from bench.unseen.exporting import forest_of

    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 5)).astype(np.float32)
    y = (X[:, 0] + X[:, 1] ** 2 > 0.5).astype(int)
    settings = {
        "objective": objective,
        "num_leaves": 8,
        "verbosity": -1,
        "use_missing": False,
        "num_threads": 1,
    }
    booster = lightgbm.train(settings, lightgbm.Dataset(X, y), 20)
    forest = forest_of(booster)
    fresh = np.concatenate([X, rng.standard_normal((500, 5)).astype(np.float32)])
    ours = trees.predict(forest, fresh)
    np.testing.assert_allclose(ours, booster.predict(fresh, raw_score=True), atol=2e-6)
    shares = trees.contributions(forest, fresh)
    np.testing.assert_allclose(shares.sum(axis=1), ours, atol=1e-5)


def test_the_largest_single_below():
    from bench.unseen.exporting import single_below

    for threshold in (0.1, -0.1, 1e-40, 1 / 3, 2.0):
        single = single_below(threshold)
        assert float(single) <= threshold < float(np.nextafter(single, np.float32(np.inf)))


def test_a_file_comes_back_and_has_the_same_bytes(tmp_path):
    arrays = exporting.arrays_of("ranker", SMALL)
    exporting.write(tmp_path / "a.npz", arrays)
    exporting.write(tmp_path / "b.npz", arrays)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    forest = trees.forest_from(trees.read(tmp_path / "a.npz"), "ranker")
    for given, kept in zip(SMALL, forest, strict=True):
        np.testing.assert_array_equal(given, kept)


@pytest.mark.parametrize(
    ("field", "value"), [("left", 9), ("left", 0), ("right", -2), ("start", 4), ("value", np.nan)]
)
def test_a_damaged_file_is_refused(field, value):
    arrays = exporting.arrays_of("ranker", SMALL)
    damaged = arrays[f"ranker.{field}"].copy()
    damaged[-1 if field == "start" else 0] = value
    with pytest.raises(ValueError, match="are damaged; replace the file"):
        trees.forest_from({**arrays, f"ranker.{field}": damaged}, "ranker")


def test_a_missing_array_is_named():
    arrays = exporting.arrays_of("ranker", SMALL)
    del arrays["ranker.value"]
    with pytest.raises(ValueError, match=r"no one-dimensional float32 array 'ranker\.value'"):
        trees.forest_from(arrays, "ranker")
