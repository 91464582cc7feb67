"""One pass over blocks of rows: each sum by hand, each flag by itself, the order of adding up."""

from __future__ import annotations

import dask
import numpy as np
import pytest

from weft.backends.cpu.kernels.screen import LARGEST_EXPONENT
from weft.kmeans.blocks import (
    FOLD,
    Blocks,
    Costly,
    Step,
    Survey,
    _call,
    _checksum,
    add_costly,
    add_sums,
    add_surveys,
    block_data,
    block_labels,
    costly,
    sums,
    survey,
    units_of,
)

NAN = np.nan


def told(number, rows, mass, state):
    """What a block was given."""
    return [(number, rows.tolist(), mass.tolist(), state)]


def chain(parts):
    return [item for part in parts for item in part]


def test_a_block_without_masses_counts_each_row_once():
    assert _call(told, 4, [[1], [2]], None, "s", False) == [(4, [[1.0], [2.0]], [1.0, 1.0], "s")]


def test_rows_without_mass_are_left_out_unless_they_are_asked_for():
    given = (told, 0, [[1.0], [2.0], [3.0]], [[0.0], [0.5], [2.0]], None)
    assert _call(*given, False) == [(0, [[2.0], [3.0]], [0.5, 2.0], None)]
    assert _call(*given, True) == [(0, [[1.0], [2.0], [3.0]], [0.0, 0.5, 2.0], None)]


def test_masses_of_another_length_are_refused():
    with pytest.raises(ValueError, match="3 numbers where X has 2 rows, in block 7"):
        _call(told, 7, [[1.0], [2.0]], [1.0, 1.0, 1.0], None, False)


@pytest.mark.parametrize("n_blocks", [1, 2, FOLD, FOLD + 1, 2 * FOLD + 3, FOLD * FOLD + 1])
def test_every_block_comes_once_and_in_order(n_blocks):
    blocks = Blocks([np.full((1, 1), float(i)) for i in range(n_blocks)], None, 1)
    with dask.config.set(scheduler="synchronous"):
        found = blocks.fold(told, chain, "state")
    assert found == [(i, [[float(i)]], [1.0], "state") for i in range(n_blocks)]


def test_each_block_has_its_own_masses():
    rows = [np.zeros((2, 1)), np.ones((1, 1))]
    blocks = Blocks(rows, [np.array([0.0, 3.0]), np.array([4.0])], 1)
    with dask.config.set(scheduler="synchronous"):
        assert [item[2] for item in blocks.fold(told, chain, None)] == [[3.0], [4.0]]
        whole = blocks.fold(told, chain, None, idle=True)
    assert [item[2] for item in whole] == [[0.0, 3.0], [4.0]]


# What one look says ---------------------------------------------------------------------------


def test_a_survey_by_hand():
    rows = np.array([[1.0, NAN], [3.0, 5.0], [-9.0, 70.0]])
    found = survey(0, rows, np.array([2.0, 0.5, 0.0]), None)
    assert found.lengths == [3]
    # The last row has no mass: its values bound nothing.
    np.testing.assert_array_equal(found.low, [1.0, 5.0])
    np.testing.assert_array_equal(found.high, [3.0, 5.0])
    assert found.mass == 2.5
    np.testing.assert_array_equal(found.seen, [2.5, 0.5])
    np.testing.assert_array_equal(found.total, [2.0 * 1.0 + 0.5 * 3.0, 0.5 * 5.0])
    assert found[6:] == (True, False, False, False)


@pytest.mark.parametrize(
    ("rows", "mass", "flags"),
    [
        # missing, infinite, blank, negative
        ([[1.0, 2.0], [3.0, 4.0]], [1.0, 0.0], (False, False, False, False)),
        ([[1.0, NAN], [3.0, 4.0]], [1.0, 1.0], (True, False, False, False)),
        ([[1.0, np.inf], [3.0, 4.0]], [1.0, 1.0], (False, True, False, False)),
        ([[1.0, 2.0], [NAN, NAN]], [1.0, 1.0], (True, False, True, False)),
        ([[1.0, 2.0], [3.0, 4.0]], [1.0, -1.0], (False, False, False, True)),
    ],
)
def test_flags_of_a_survey(rows, mass, flags):
    found = survey(0, np.array(rows), np.array(mass), None)
    assert found[6:] == flags
    other = survey(1, np.array([[-5.0, 9.0]]), np.array([2.0]), None)
    for both in (add_surveys([found, other]), add_surveys([other, found])):
        assert both[6:] == flags
    assert both.lengths == [1, 2]
    assert both.mass == sum(mass) + 2.0
    np.testing.assert_array_equal(both.seen, found.seen + 2.0)
    np.testing.assert_array_equal(both.total, found.total + np.array([-10.0, 18.0]))
    assert both.low[0] == -5.0
    assert both.high[1] == np.fmax(found.high[1], 9.0)
    assert add_surveys([found]) is found


def test_units_are_powers_of_two():
    # Ranges 0, 1, 3, 8, 1/3; one that is denormal and one beyond the largest power.
    low = np.array([5.0, 0.0, -1.0, 0.0, 0.0, 0.0, -8e307])
    high = np.array([5.0, 1.0, 2.0, 8.0, 1 / 3, 5e-324, 8e307])
    expected = [1.0, 1.0, 0.5, 0.125, 4.0, 2.0**1000, 2.0**-1000]
    np.testing.assert_array_equal(units_of(low, high), expected)


# A block made ready ---------------------------------------------------------------------------


def test_a_row_that_lacks_values_counts_more():
    rows = np.array([[1.0, 2.0, 3.0], [NAN, 2.0, 3.0], [NAN, NAN, 3.0], [NAN, NAN, NAN]])
    data = block_data(rows, np.array([1.0, 2.0, 1.0, 1.0]), 2.0)
    assert data.rows.missing
    np.testing.assert_array_equal(data.load, [1.0, 3.0, 3.0, 3.0])
    assert "columns" not in vars(data.rows)  # blocks never need them
    whole = block_data(rows[:1], np.ones(1), 2.0)
    assert not whole.rows.missing
    np.testing.assert_array_equal(whole.load, [1.0])


def test_a_sum_that_overflows_is_nothing_missing():
    # ((1e308 + 1e308) + ...) + ((-1e308 - 1e308) + ...) is inf - inf.
    rows = np.array([[1e308]] * 4 + [[-1e308]] * 4)
    with np.errstate(over="ignore", invalid="ignore"):
        assert np.isnan(rows.sum())
    assert block_data(rows, np.ones(8), 2.0).rows.missing is False


def test_where_a_screen_helps():
    rows = np.arange(6.0).reshape(3, 2)
    ones = np.ones(3)
    assert block_data(rows, ones, 2.0).rows.screen is not None  # made when rounds ask for it
    assert block_data(rows, ones, 1.5).rows.screen is not None
    assert block_data(rows, ones, LARGEST_EXPONENT).rows.screen is not None
    assert block_data(rows, ones, LARGEST_EXPONENT + 1.0).rows.screen is None
    assert block_data(rows[:0], ones[:0], 1.5).rows.screen is None
    rows[0, 0] = NAN
    assert block_data(rows, ones, 1.5).rows.screen is None


# Sums -----------------------------------------------------------------------------------------


def step(**changes):
    centers = np.array([[0.0], [10.0], [50.0]])
    given = Step(centers, np.ones((3, 1)), centers + 1.0, np.array([0.5]), 2.0, {})
    return given._replace(**changes)


def test_rows_that_were_moved_keep_their_new_cluster():
    data = block_data(np.array([[1.0], [2.0], [9.0]]), np.ones(3), 2.0)
    refilled = {(0, 0): 2, (3, 1): 2}
    np.testing.assert_array_equal(block_labels(3, data, step(refilled=refilled)), [0, 2, 1])
    np.testing.assert_array_equal(block_labels(0, data, step(refilled=refilled)), [2, 0, 1])


def test_sums_by_hand():
    # Rows 1 and 2 (mass 1 and 3) are nearest to 0, row 9 (mass 2) to 10, none to 50. Sums are
    # taken around 1, 11 and 51 in halves: (1 - 1)/2 and (1 - 2)/2, and (11 - 9)/2.
    rows, mass = np.array([[1.0], [2.0], [9.0]]), np.array([1.0, 3.0, 2.0])
    found = sums(5, rows, mass, step())
    np.testing.assert_array_equal(found.n_rows, [2.0, 1.0, 0.0])
    np.testing.assert_array_equal(found.mass, [4.0, 2.0, 0.0])
    np.testing.assert_array_equal(found.sizes, [4.0, 2.0, 0.0])
    np.testing.assert_array_equal(found.seen[:, 0], [4.0, 2.0, 0.0])
    np.testing.assert_array_equal(found.total[:, 0], [3 * 0.25, 2.0, 0.0])
    np.testing.assert_array_equal(found.slope[:, 0], [-3 * 0.5, 2.0, 0.0])
    np.testing.assert_array_equal(found.curve[:, 0], [4.0, 2.0, 0.0])
    assert found.changed == 0.0
    np.testing.assert_array_equal(found.check, _checksum(5, np.array([0, 0, 1], dtype=np.int32)))
    # With the first centre at 8 before, rows 1 and 2 were where they are, 9 was elsewhere.
    earlier = (np.array([[8.0], [10.5], [50.0]]), np.ones((3, 1)))
    assert sums(5, rows, mass, step(before=earlier)).changed == 2.0


def test_sums_are_added_field_by_field():
    rows, mass = np.array([[1.0], [2.0], [9.0], [40.0]]), np.array([1.0, 3.0, 2.0, 1.0])
    earlier = (np.array([[8.0], [10.5], [50.0]]), np.ones((3, 1)))
    whole = sums(0, rows, mass, step(before=earlier))
    halves = [sums(0, rows[:2], mass[:2], step(before=earlier))]
    halves.append(sums(1, rows[2:], mass[2:], step(before=earlier)))
    both = add_sums(halves)
    for name in ("n_rows", "mass", "sizes", "seen", "total", "slope", "curve", "changed"):
        np.testing.assert_allclose(getattr(both, name), getattr(whole, name), rtol=1e-15)
    np.testing.assert_array_equal(both.check, halves[0].check + halves[1].check)
    assert add_sums(halves[:1]) is halves[0]


# The rows that cost most ----------------------------------------------------------------------


def test_the_dearest_rows_by_hand():
    # Costs: 1·1, 3·4, 2·1 to their own centres 0, 0 and 10; row 3 lacks its only value.
    rows, mass = np.array([[1.0], [2.0], [9.0], [12.0]]), np.array([1.0, 3.0, 2.0, 3.0])
    found = costly(6, rows, mass, (step(), 3))
    np.testing.assert_array_equal(found.cost, [12.0, 12.0, 2.0])  # the first on a tie
    np.testing.assert_array_equal(found.row, [1, 3, 2])
    np.testing.assert_array_equal(found.cluster, [0, 1, 1])
    np.testing.assert_array_equal(found.block, [6, 6, 6])


def test_the_dearest_rows_of_several_blocks():
    def part(block, *cost):
        count = len(cost)
        return Costly(
            np.array(cost), np.arange(count), np.full(count, block), 10 * block + np.arange(count)
        )

    found = add_costly(3, [part(0, 5.0, 1.0), part(1, 7.0, 5.0, 5.0)])
    np.testing.assert_array_equal(found.cost, [7.0, 5.0, 5.0])
    np.testing.assert_array_equal(found.block, [1, 0, 1])
    np.testing.assert_array_equal(found.row, [10, 0, 11])
    np.testing.assert_array_equal(found.cluster, [0, 0, 1])


def test_an_empty_survey_is_the_start_of_any():
    assert Survey._fields[6:] == ("missing", "infinite", "blank", "negative")
    nothing = survey(0, np.empty((0, 2)), np.empty(0), None)
    assert nothing.lengths == [0]
    np.testing.assert_array_equal(nothing.low, np.inf)
    np.testing.assert_array_equal(nothing.high, -np.inf)
