"""Groups of rows assigned, and joined to patterns, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from weft.kmeans.alternation import DeadEnd
from weft.kmeans.constraints import (
    ConstrainedAssignment,
    ConstrainedMembership,
    make_groups,
    read_pairs,
    sum_groups,
)
from weft.kmeans.data import make_data


def pairs(*given):
    return np.array(given, dtype=np.int64).reshape(-1, 2)


def data_of(X, mass=None):
    X = np.array(X, dtype=float)
    return make_data(
        X, np.ones(len(X)) if mass is None else np.array(mass), 2.0, lambda task, n: task(0, n)
    )


def test_no_pairs_are_no_pairs():
    for nothing in (None, [], np.empty((0, 2))):
        found = read_pairs("must_link", nothing, 5)
        assert found.shape == (0, 2)
        assert found.dtype == np.int64
    np.testing.assert_array_equal(read_pairs("must_link", [(0, 4)], 5), [[0, 4]])
    with pytest.raises(ValueError, match="names row 5, but rows go from 0 to 4"):
        read_pairs("must_link", [(0, 5)], 5)
    with pytest.raises(ValueError, match="pairs of row numbers"):
        read_pairs("must_link", [0, 1], 5)


def test_values_summed_over_groups():
    values = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])
    found = sum_groups(values, np.array([1, 0, 1]), 3)
    np.testing.assert_array_equal(found, [[2.0, 20.0], [5.0, 50.0], [0.0, 0.0]])


def test_a_group_goes_where_its_rows_cost_least_together():
    # Rows 0 and 6, tied, between centres 0 and 10: 0 + 36 against 100 + 16; with mass 9 on the
    # second row 324 against 100 + 144.
    groups = make_groups(pairs((0, 1)), pairs(), 3)
    centers, factors = np.array([[0.0], [10.0]]), np.ones((2, 1))
    for mass, labels in [([1.0, 1.0, 1.0], [0, 0, 1]), ([1.0, 9.0, 1.0], [1, 1, 1])]:
        assign = ConstrainedAssignment(groups, 0)
        found = assign(data_of([[0.0], [6.0], [9.0]], mass), centers, factors)
        np.testing.assert_array_equal(found, labels)
        assert found.dtype == np.int32


def test_the_next_nearest_is_taken_where_the_nearest_is_barred():
    # All rows at 0; centres at 1, 2 and 3. Row 0 goes to 1, row 1 to 2, row 2 to 3.
    groups = make_groups(pairs(), pairs((0, 1), (1, 2), (0, 2)), 4)
    centers = np.array([[3.0], [1.0], [2.0]])
    found = ConstrainedAssignment(groups, 0)(data_of(np.zeros((4, 1))), centers, np.ones((3, 1)))
    np.testing.assert_array_equal(found, [1, 2, 0, 1])


def test_an_order_that_works_is_kept():
    # The path of the test above needs one retry, and none in the next round.
    groups = make_groups(pairs(), pairs((0, 2), (2, 3), (3, 1)), 5)
    data = data_of([[0.0], [0.1], [0.2], [0.3], [10.0]])
    given = (data, np.array([[0.0], [10.0]]), np.ones((2, 1)))
    with pytest.raises(DeadEnd):
        ConstrainedAssignment(groups, 0)(*given)
    assign = ConstrainedAssignment(groups, 1)
    found = assign(*given)
    assert assign.order == [3, 0, 1, 2]
    np.testing.assert_array_equal(assign(*given), found)
    assert assign.order == [3, 0, 1, 2]


@pytest.mark.parametrize("n_foes", [8, 9])
def test_a_dead_end_names_the_row_and_eight_pairs_at_most(n_foes):
    # Row 0 stands alone in the must-links; row 1 is tied to row 2 and excluded by all others.
    foes = [(other, 2) for other in range(3, 3 + n_foes)]
    groups = make_groups(pairs((1, 2)), pairs(*foes), 3 + n_foes)
    text = ConstrainedAssignment(groups, 4)._explain(int(groups.of_row[2]), 2)
    assert text.startswith("row 1 has no cluster")
    assert "(10, 2)" in text
    assert ("(11, 2)" in text, ", ..." in text) == (False, n_foes == 9)
    assert "n_clusters=2 and 4 retries" in text


def joined(X, must_link=(), cannot_link=(), left=None, by="sum"):
    """Which rows are nearer to the pattern at 10 than to the reference at 0."""
    groups = make_groups(pairs(*must_link), pairs(*cannot_link), len(X))
    left = np.arange(len(X)) if left is None else np.array(left)
    rest = data_of(np.array(X, dtype=float)[left][:, None])
    membership = ConstrainedMembership(groups, by)
    centers = np.array([[0.0], [10.0]])
    return membership.join(rest, left, centers, np.ones((2, 1))).tolist()


def test_rows_join_a_pattern_by_themselves():
    assert joined([4.0, 6.0, 5.0, 11.0]) == [False, True, False, True]  # halfway stays out


def test_groups_join_whole():
    # 6 and 1 are nearer to 0 in their sum: 36 + 1 against 16 + 81.
    assert joined([6.0, 1.0, 9.0], must_link=[(0, 1)]) == [False, False, True]
    assert joined([6.0, 4.5, 9.0], must_link=[(0, 1)]) == [True, True, True]


def test_of_foes_the_nearest_joins():
    # Gains of 9, 8, 7: -80, -60, -40. 9 bars 8; 8 is out, so 7 may stay.
    assert joined([8.0, 9.0, 7.0], cannot_link=[(1, 0), (0, 2)]) == [False, True, True]
    assert joined([8.0, 9.0, 7.0], cannot_link=[(1, 0), (1, 2)]) == [False, True, False]
    # A foe outside bars nobody.
    assert joined([8.0, 1.0], cannot_link=[(0, 1)]) == [True, False]


def test_as_printed_the_first_row_decides():
    # Algorithm 4.2: "assign entities to the closer centroid if it does not break the cannot-link
    # rules. Cluster together entities under a must-link rule regardless of distance."
    assert joined([6.0, 1.0, 9.0], must_link=[(0, 1)], by="first") == [True, True, True]
    assert joined([1.0, 6.0, 9.0], must_link=[(0, 1)], by="first") == [False, False, True]
    assert joined([8.0, 9.0, 7.0], cannot_link=[(1, 0), (0, 2)], by="first") == [True, False, False]


def test_of_equal_foes_the_first_joins():
    assert joined([9.0, 9.0, 9.0], cannot_link=[(2, 1), (0, 1)]) == [True, False, True]
    assert joined([9.0, 9.0], cannot_link=[(1, 0)]) == [True, False]


def test_rows_that_are_gone_have_no_say():
    X = [9.0, 8.0, 1.0]
    assert joined(X, cannot_link=[(0, 1)], left=[1, 2]) == [True, False]
    groups = make_groups(pairs((0, 2)), pairs(), 3)
    first = ConstrainedMembership(groups).first(np.array([1, 2, 0]), 1)
    np.testing.assert_array_equal(first, [False, True, True])
