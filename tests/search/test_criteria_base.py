"""Which labels and spaces a criterion sees."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from weft.search.criteria.base import OutlierCriterion, pick
from weft.search.criteria.robust import Robust, _alone

SPACES = SimpleNamespace(outliers_as_cluster=lambda labels: labels + 1, full=lambda: "full")


def test_outliers_are_a_cluster_or_left_out():
    labels = np.array([[0, -1]])
    assert OutlierCriterion("exclude").dense(SPACES, labels) is labels
    assert OutlierCriterion("cluster").dense(SPACES, labels).tolist() == [[1, 0]]
    assert OutlierCriterion().outliers == "cluster"
    with pytest.raises(ValueError, match="outliers"):
        OutlierCriterion("drop")


def test_spaces_of_particles_or_of_all_features():
    assert pick("weighted", SPACES) is SPACES
    assert pick("full", SPACES) == "full"


def test_rows_in_no_cluster_have_one_of_their_own():
    labels = np.array([0, 1, 1])
    assert _alone(labels) is labels
    assert _alone(np.array([-1, 0, -1, 1])).tolist() == [3, 0, 4, 1]


def test_the_graph_is_that_of_the_screened_columns():
    # Along the first column neighbours are next to each other; along the second, two apart.
    table = np.column_stack([np.arange(6.0), [0, 100, 1, 101, 2, 102]])
    full = SimpleNamespace(table=lambda: table)
    first = Robust(n_neighbors=1).prepare(full, np.array([True, False])).graph
    assert set(np.abs(first[:, 0] - np.arange(6)).tolist()) == {1}
    second = Robust(n_neighbors=1).prepare(full, np.array([False, True])).graph
    assert set(np.abs(second[:, 0] - np.arange(6)).tolist()) == {2}
    every = Robust(n_neighbors=1).prepare(full, np.zeros(2, dtype=bool)).graph
    assert every.tolist() == Robust(n_neighbors=1).prepare(full).graph.tolist()
    assert Robust(n_neighbors=9).prepare(full).graph.shape == (6, 5)
    assert Robust().n_neighbors == 10
    with pytest.raises(ValueError, match="n_neighbors"):
        Robust(n_neighbors=0)
