"""Numbers of clusters and the order of their centres, by hand and by definition."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal

from weft._base.labels import number_by_first_row, number_centers


def nearest_in(rows):
    """Return the assignment of rows to centres, the first on a tie."""
    return lambda centers: np.abs(rows[:, np.newaxis] - centers).argmin(axis=1)


def test_centres_follow_their_first_rows():
    labels, centers = number_centers(nearest_in(np.array([5.0, 0.0, 4.9])), np.array([0.0, 9, 5]))
    assert_array_equal(labels, [0, 1, 0])
    assert_array_equal(centers, [5.0, 0.0])  # 9 has no rows


def test_a_tie_goes_to_the_centre_that_is_first_in_the_end():
    # Row 1 is as near to 0 as to 2: of the centres 0, 2 it takes 0, so the clusters are {2} and
    # {1, 0}. In the order of their first rows, 2 comes first and wins the tie.
    rows = np.array([2.0, 1.0, 0.0])
    labels, centers = number_centers(nearest_in(rows), np.array([0.0, 2.0]))
    assert_array_equal(centers, [2.0, 0.0])
    assert_array_equal(labels, [0, 0, 1])


def test_a_cluster_of_ties_alone_may_vanish():
    # 1 is as near to 0 as to 2, and 2 has no other row: 0, whose first row comes first, takes it.
    labels, centers = number_centers(nearest_in(np.array([0.0, 1.0])), np.array([2.0, 0.0]))
    assert_array_equal(labels, [0, 0])
    assert_array_equal(centers, [0.0])


def test_the_centres_repeat_the_labels_for_any_ties():
    rng = np.random.default_rng(0)
    for _ in range(300):
        rows = rng.integers(0, 8, 12).astype(float)
        nearest = nearest_in(rows)
        given = rng.integers(0, 8, rng.integers(1, 7)).astype(float)
        labels, centers = number_centers(nearest, given)
        assert_array_equal(nearest(centers), labels)
        assert_array_equal(number_by_first_row(labels), labels)
        # Every row is at a nearest one of the given centres.
        away = np.abs(rows[:, np.newaxis] - given).min(axis=1)
        assert_array_equal(np.abs(rows - centers[labels]), away)
