"""Boosted trees as arrays: what they predict, and files that are refused."""

from __future__ import annotations

import numpy as np
import pytest

from weft.auto.trees import DTYPES, FIELDS, contributions, forest_from, logistic, predict, read


def arrays(**changes):
    """Two trees: "x0 <= 1 ? (x1 <= 0 ? 10 : 20) : 30" and "x1 <= 2 ? 4 : 6"."""
    fields = {
        "feature": [0, 1, -1, -1, -1, 1, -1, -1],
        "threshold": [1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0],
        "left": [1, 2, 0, 0, 0, 1, 0, 0],
        "right": [4, 3, 0, 0, 0, 2, 0, 0],
        "value": [22.5, 15.0, 10.0, 20.0, 30.0, 5.0, 4.0, 6.0],
        "start": [0, 5, 8],
    }
    return {
        f"t.{field}": np.array({**fields, **changes}[field], dtype=dtype)
        for field, dtype in zip(FIELDS, DTYPES, strict=True)
    }


ROWS = np.array([[1.0, 0.0], [1.0, 2.1], [1.1, 2.0], [np.nan, np.nan]])


def test_rows_reach_the_leaves_that_thresholds_say():
    # Up to the threshold rows go left; NaN counts as 0.
    forest = forest_from(arrays(), "t")
    assert predict(forest, ROWS).tolist() == [14.0, 26.0, 34.0, 14.0]


def test_steps_of_a_path_are_credited_to_their_features():
    found = contributions(forest_from(arrays(), "t"), ROWS)
    # Roots have 22.5 and 5. x0 <= 1 brings 15 − 22.5, then x1 10 − 15 or 20 − 15; in the other
    # tree x1 brings 4 − 5 or 6 − 5.
    expected = [[-7.5, -6.0, 27.5], [-7.5, 6.0, 27.5], [7.5, -1.0, 27.5], [-7.5, -6.0, 27.5]]
    assert found.tolist() == expected
    np.testing.assert_allclose(found.sum(axis=1), predict(forest_from(arrays(), "t"), ROWS))


def test_trees_that_ask_for_more_features_than_there_are():
    forest = forest_from(arrays(), "t")
    for use in (predict, contributions):
        with pytest.raises(ValueError, match="ask for 2 features, but 1 are given"):
            use(forest, ROWS[:, :1])


@pytest.mark.parametrize(
    "damage",
    [
        {"start": [1, 5, 8]},  # the first tree does not begin at the first node
        {"start": [0, 5, 9]},  # the last does not end at the last
        {"start": [0, 5, 5, 8]},  # a tree without nodes
        {"start": []},
        {"threshold": [0.0] * 7},  # one node less
        {"left": [1, 2, 0, 0, 0, 1, 0, 0, 0]},
        {"value": [5.0] * 7},
        {"value": [np.nan, *[5.0] * 7]},
        {"value": [22.5, 15.0, np.inf, *[5.0] * 5]},
        {"left": [0, 2, 0, 0, 0, 1, 0, 0]},  # its own child
        {"left": [1, 2, 0, 0, 0, 0, 0, 0]},
        {"right": [4, 0, 0, 0, 0, 2, 0, 0]},  # a child before its parent
        {"right": [5, 3, 0, 0, 0, 2, 0, 0]},  # a node of the next tree
        {"right": [4, 3, 0, 0, 0, 3, 0, 0]},  # no node at all
    ],
)
def test_damaged_trees_are_refused(damage):
    with pytest.raises(ValueError, match="the trees 't' of the file are damaged"):
        forest_from(arrays(**damage), "t")


def test_the_last_node_of_a_tree_may_be_a_child():
    forest = forest_from(arrays(right=[4, 4, 0, 0, 0, 2, 0, 0]), "t")
    assert predict(forest, ROWS[1:2]).tolist() == [36.0]


def test_arrays_of_another_form_are_refused():
    for field, dtype in zip(FIELDS, DTYPES, strict=True):
        for wrong in (
            {key: value for key, value in arrays().items() if key != f"t.{field}"},
            {**arrays(), f"t.{field}": arrays()[f"t.{field}"].astype(np.float64)},
            {**arrays(), f"t.{field}": arrays()[f"t.{field}"][:, None]},
        ):
            with pytest.raises(ValueError, match=f"no one-dimensional {dtype} array 't.{field}'"):
                forest_from(wrong, "t")


def test_logistic_without_overflow():
    found = logistic(np.array([0.0, np.log(3.0), -np.log(3.0), 1e4, -1e4]))
    assert found == pytest.approx([0.5, 0.75, 0.25, 1.0, 0.0])


def test_nothing_in_a_file_is_executed(tmp_path):
    path = tmp_path / "trees.npz"
    np.savez(path, a=np.array([1.0, 2.0]))
    assert {name: array.tolist() for name, array in read(path).items()} == {"a": [1.0, 2.0]}
    np.savez(path, a=np.array([object()]))
    with pytest.raises(ValueError, match="allow_pickle"):
        read(path)
