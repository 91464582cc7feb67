"""Coordinates of tables by hand: plain columns, blocks of the mixed metric, names, medians."""

from __future__ import annotations

import numpy as np
import pytest

from weft.columns.mixed.blocks import TAIL, Block
from weft.columns.mixed.embedding import Embedding, learn_embedding
from weft.columns.source import MixedTable, SourceColumn
from weft.tables.errors import InputError
from weft.tables.points import (
    PlainPoints,
    _on_circle,
    _unplaced,
    coordinate_names,
    is_plain,
    learn_points,
    owners,
    place_rows,
    point_names,
    typical_values,
    values_at,
    values_of,
)

SIZE = SourceColumn("size", "number", (0,))
OUT = SourceColumn("out", "constant", ())
TWO = SourceColumn("sex", "category", (1,), levels=("f", "m"))
FLAG = SourceColumn("flag", "yes/no", (2,), levels=("no", "yes"))
THREE = SourceColumn("hue", "category", (3,), levels=("r", "g", "b"))
DAY = SourceColumn("day", "date", (4, 5), parts=("age", "day of week"), periods=(0.0, 7.0))
RANK = SourceColumn("rank", "ordered", (6,), levels=("low", "mid", "high"))
COLUMNS = (SIZE, OUT, TWO, FLAG, THREE, DAY, RANK)
# Day 1.75 of 7 is a quarter of the circle, day 5.25 three quarters.
VALUES = np.array(
    [
        [1.0, 0.0, 1.0, 2.0, 10.0, 0.0, 0.0],
        [2.5, 1.0, 0.0, 0.0, 20.0, 1.75, 2.0],
        [4.0, 1.0, 1.0, 1.0, 30.0, 5.25, 1.0],
    ]
)
TABLE = MixedTable(VALUES, COLUMNS)
NAMES = ["size", "sex=m", "flag", "hue=r", "hue=g", "hue=b"]


def test_all_kinds_as_plain_columns():
    points = learn_points(TABLE, "none")
    names = [*NAMES, *("day (age)", "day (day of week) cos", "day (day of week) sin"), "rank"]
    assert coordinate_names(TABLE) == names
    assert point_names(points, COLUMNS) == names
    assert owners(points, COLUMNS).tolist() == [0, 1, 2, 3, 3, 3, 4, 4, 4, 5]
    placed = [
        [1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 10.0, 1.0, 0.0, 0.0],
        [2.5, 1.0, 0.0, 1.0, 0.0, 0.0, 20.0, 0.0, 1.0, 2.0],
        [4.0, 1.0, 1.0, 0.0, 1.0, 0.0, 30.0, 0.0, -1.0, 1.0],
    ]
    np.testing.assert_allclose(place_rows(points, TABLE), placed, atol=1e-12)
    np.testing.assert_allclose(values_at(points, COLUMNS, np.array(placed)), VALUES, atol=1e-12)
    # The points themselves are not changed, and nothing is scaled.
    assert (points.center.tolist(), points.scale.tolist()) == ([0.0] * 10, [1.0] * 10)


def test_coordinates_between_levels_go_to_the_nearest():
    points = learn_points(TABLE, "none")
    near = place_rows(points, TABLE)
    near[:, 1] = [0.5, 0.51, 2.0]
    near[:, 3:6] = [[0.2, 0.4, 0.3], [0.5, 0.5, 0.0], [-1.0, -2.0, -0.5]]
    near[:, 7:9] = [[0.5, 0.5], [-3.0, 0.0], [0.0, -0.1]]
    found = values_at(points, COLUMNS, near)
    assert found[:, 1].tolist() == [0.0, 1.0, 1.0]
    assert found[:, 3].tolist() == [1.0, 0.0, 2.0]
    np.testing.assert_allclose(found[:, 5], [7 / 8, 3.5, 5.25])


def test_ranges_and_deviations():
    numbers = MixedTable(np.array([[1.0, 10.0], [3.0, 10.0], [5.0, 40.0]]), (
        SIZE, SourceColumn("age", "number", (1,)),
    ))  # fmt: skip
    ranged = learn_points(numbers, "range")
    assert (ranged.center.tolist(), ranged.scale.tolist()) == ([1.0, 10.0], [4.0, 30.0])
    standard = learn_points(numbers, "standard")
    assert isinstance(standard, PlainPoints)
    np.testing.assert_allclose(standard.center, [3.0, 20.0])
    np.testing.assert_allclose(standard.scale, [np.sqrt(8 / 3), np.sqrt(200.0)])
    # Placing does not change the table.
    before = numbers.values.copy()
    place_rows(standard, numbers)
    np.testing.assert_array_equal(numbers.values, before)
    # Any other table gets the points of the mixed metric.
    assert isinstance(learn_points(TABLE, "standard"), Embedding)
    assert isinstance(learn_points(TABLE, "range"), PlainPoints)


@pytest.mark.parametrize("second", [[5.0, 5.0, 5.0], [1e308, -1e308, 0.0], [1e300, 1e300, 1e-300]])
@pytest.mark.parametrize("scale", ["range", "standard"])
def test_the_column_that_cannot_be_scaled_is_named(second, scale):
    columns = (SIZE, SourceColumn("age", "number", (1,)))
    table = MixedTable(np.array([[1.0, 2.0, 4.0], second]).T, columns)
    if scale == "range" and second[2] == 1e-300:
        assert learn_points(table, scale).scale.tolist() == [3.0, 1e300]
        return
    with pytest.raises(InputError, match="column 'age' spans values too large or too close"):
        learn_points(table, scale)


def test_plain_tables():
    assert is_plain(MixedTable(np.array([[1.0, 2.0]]), (SIZE, SourceColumn("n", "count", (1,)))))
    rank = SourceColumn("rank", "ordered", (1,), levels=("low", "high"))
    assert not is_plain(MixedTable(np.array([[1.0, 1.0]]), (SIZE, rank)))
    assert not is_plain(MixedTable(np.array([[np.nan]]), (SIZE,)))


def test_typical_values_by_hand():
    table = MixedTable(
        np.array([[1.0, 2.0, np.nan], [4.0, 1.0, np.nan], [np.nan, 1.0, np.nan],
                  [9.0, 2.0, np.nan], [3.0, np.nan, np.nan]]),
        (SIZE, SourceColumn("hue", "category", (1,), levels=("r", "g", "b")),
         SourceColumn("age", "number", (2,))),
    )  # fmt: skip
    # The median of 1, 3, 4, 9; levels 1 and 2 are as frequent, the first is taken; no value is 0.
    assert typical_values(table).tolist() == [3.5, 1.0, 0.0]


@pytest.mark.filterwarnings("error")
def test_the_median_of_numbers_near_the_largest_is_finite():
    table = MixedTable(np.array([[1.75e308], [1.5e308]]), (SourceColumn("a", "number", (0,)),))
    assert typical_values(table).tolist() == [1.625e308]


# The mixed metric ---------------------------------------------------------------------------------


def test_names_of_the_mixed_metric():
    rows = np.tile(VALUES, (6, 1)) + np.arange(18)[:, None] * np.array([0.1, 0, 0, 0, 1.0, 0, 0])
    embedding = learn_embedding(MixedTable(rows, COLUMNS))
    assert point_names(embedding, COLUMNS) == [
        *("size", "sex", "flag", "hue (1)", "hue (2)"),
        *("day (age)", "day (day of week cos)", "day (day of week sin)", "rank"),
    ]
    assert owners(embedding, COLUMNS).tolist() == embedding.owner.tolist()
    assert embedding.owner.tolist() == [0, 1, 2, 3, 3, 4, 4, 4, 5]
    X = place_rows(embedding, MixedTable(rows, COLUMNS))
    np.testing.assert_allclose(values_at(embedding, COLUMNS, X), rows, atol=1e-9)
    np.testing.assert_allclose(values_of(embedding, X), rows, atol=1e-9)


def block(measure, points, period=0.0):
    return Block(0, 0, measure, period, np.array(points, dtype=float), 1.0)


def test_levels_from_points():
    # Level 1 was not seen. 0.9 is nearest to level 2 at 1, -5 to level 0 at 0.
    levels = block("category", [[0.0, 0.0], [np.nan, np.nan], [1.0, 1.0]])
    own = np.array([[0.9, 0.9], [-5.0, 0.0], [0.4, 0.5]])
    assert _unplaced(levels, own).tolist() == [2.0, 0.0, 0.0]
    # (2, 2) is 8 from (0, 0), in squares, and 6.25 from (4.5, 2).
    far = block("category", [[0.0, 0.0], [4.5, 2.0]])
    assert _unplaced(far, np.array([[2.0, 2.0]])).tolist() == [1.0]
    order = block("ordered", [[0.0], [0.4], [1.0]])
    assert _unplaced(order, np.array([[0.3], [0.1], [9.0]])).tolist() == [1.0, 0.0, 2.0]


def test_numbers_from_points():
    # score = coordinate / factor + mean; value = middle + core * score, as (10, 2, 0.5, 4) says.
    number = block("number", [[10.0, 2.0, 0.5, 4.0]])
    np.testing.assert_allclose(_unplaced(number, np.array([[0.0], [4.0], [-6.0]])), [11, 13, 8])
    # Beyond TAIL the coordinate is TAIL + log(1 + excess), so the excess is exp(.) - 1.
    far = 4.0 * (TAIL + np.log(3.0) - 0.5)
    np.testing.assert_allclose(_unplaced(number, np.array([[far]])), [10 + 2 * (TAIL + 2.0)])
    edge = 4.0 * (TAIL - 0.5)
    np.testing.assert_allclose(_unplaced(number, np.array([[edge]])), [10 + 2 * TAIL])
    # A column without spread has one value.
    assert _unplaced(block("number", [[10.0, 2.0, 0.5, 0.0]]), np.ones((2, 1))).tolist() == [10, 10]


def test_circles_from_points():
    # cosine = x / factor + 0.5, sine = y / factor - 0.5: (0, 1) is a quarter of 24 hours.
    circle = block("cyclic", [[0.5, -0.5, 2.0]], period=24.0)
    own = np.array([[-1.0, 3.0], [1.0, 1.0], [-3.0, 1.0]])
    np.testing.assert_allclose(_unplaced(circle, own), [6.0, 0.0, 12.0], atol=1e-12)
    # Without spread every row lies at the middle: here at -45 degrees.
    flat = block("cyclic", [[0.5, -0.5, 0.0]], period=24.0)
    np.testing.assert_allclose(_unplaced(flat, own), [21.0] * 3)


def test_shares_of_blocks():
    one = block("number", [[0.0, 1.0, 0.0, 1.0]])
    other = Block(1, 1, "number", 0.0, np.array([[5.0, 1.0, 0.0, 1.0]]), 2.0)
    embedding = learn_embedding(MixedTable(VALUES[:, :1], (SIZE,)))._replace(blocks=(one, other))
    assert values_of(embedding, np.array([[1.0, 4.0]])).tolist() == [[1.0, 7.0]]


def test_angles_just_below_a_full_circle_are_0():
    angles = 2 * np.pi * np.array([1 - 1e-13, 1 - 1e-11, -0.25, 1.25])
    found = _on_circle(angles, 8.0)
    assert found[0] == 0.0
    np.testing.assert_allclose(found[1:], [8.0 - 8e-11, 6.0, 2.0])
    assert found[1] > 7.0
