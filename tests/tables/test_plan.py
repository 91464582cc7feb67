"""Plans of tables: gaps, values that were not seen, and values far outside; by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from weft.tables.cells import read_cells
from weft.tables.errors import InputError
from weft.tables.plan import handle_missing, learn, mixed_table, recognise, source_columns

OPTIONS = {"table": "t.csv", "place": lambda row: f"line {row + 2}"}


def learned(frame, **options):
    return learn(read_cells(pd.DataFrame(frame)), **OPTIONS, **options)


def applied(plan, frame, **options):
    return plan.apply(read_cells(pd.DataFrame(frame)), **OPTIONS, **options)


X, Y = [1.0, 2.0, 4.0, 9.5], [3.0, 1.0, 2.0, 5.5]


def test_new_rows_get_the_coordinates_of_the_fit():
    plan, done = learned({"x": X, "y": Y})
    again = applied(plan, {"y": Y[::-1], "other": X, "x": X[::-1]})
    np.testing.assert_allclose(again.X, done.X[::-1])
    assert (again.n_rows, again.warnings) == (4, [])
    assert plan.names == ["x", "y"]
    np.testing.assert_allclose(plan.spread, done.X.var(axis=0))


@pytest.mark.parametrize(
    ("value", "is_far"),
    [
        # The range of the fit is 1 to 9.5: one more width on either side is −7.5 to 18.
        (18.0, False), (18.001, True), (-7.5, False), (-7.501, True), (5.0, False), (np.nan, False),
    ],
)  # fmt: skip
def test_values_far_outside_the_range_are_pointed_out(value, is_far):
    plan, _ = learned({"x": X, "y": Y})
    warned = applied(plan, {"x": [value, 2.0], "y": [1.0, 2.0]}).warnings
    assert len(warned) == is_far
    if is_far:
        assert warned[0].startswith("'x' has 1 values far outside the range of the fit (such as")
        assert f"{value:.6g}; the range is 1 to 9.5" in warned[0]


def test_no_place_on_a_circle_is_far_outside():
    plan, _ = learned({"day": ["Mon", "Tue", "Mon", "Tue"], "y": Y})
    assert applied(plan, {"day": ["Sun"], "y": [1.0]}).warnings == []


def test_dates_far_outside_are_written_as_dates():
    days = ["2020-01-01", "2020-01-11", "2020-01-05", "2020-01-09"]
    plan, _ = learned({"d": days, "y": Y})
    assert applied(plan, {"d": ["2020-01-21"], "y": [1.0]}).warnings == []
    (warned,) = applied(plan, {"d": ["2020-01-22"], "y": [1.0]}).warnings
    assert "such as 2020-01-22; the range is 2020-01-01 to 2020-01-11" in warned


def test_levels_that_were_not_seen_are_missing():
    colours = ["red", "blue"] * 6
    plan, _ = learned({"c": colours, "x": np.arange(12.0) ** 2})
    new = {"c": ["red", "pink", "pink", "blue"], "x": [1.0, 2.0, 3.0, 4.0]}
    done = applied(plan, new)
    assert done.warnings == [
        "'c' has 2 cells with a value that was not seen in the fit ('pink'), treated as missing."
    ]
    assert np.isnan(done.table.values[:, 0]).tolist() == [False, True, True, False]
    three = applied(plan, {"c": list("zyx"), "x": [1.0, 2.0, 3.0]}).warnings[0]
    assert "3 cells with a value that was not seen in the fit ('x', 'y', 'z'), treated" in three
    four = applied(plan, {"c": list("zyxw"), "x": [1.0, 2.0, 3.0, 4.0]}).warnings[0]
    assert "('w', 'x', 'y', …)" in four
    # An unseen level is not a gap: with "error" it is still only a warning.
    assert len(applied(plan, new, missing="error").warnings) == 1


def test_text_among_numbers_is_refused():
    plan, _ = learned({"x": X, "y": Y})
    with pytest.raises(InputError) as error:
        applied(plan, {"x": ["1", "2", "about 3"], "y": [1.0, 2.0, 3.0]})
    assert "t.csv has 'about 3' in column 'x' on line 4" in str(error.value)


@pytest.mark.parametrize(("n_absent", "words"), [
    (1, "lacks column 'a0', which"),
    (5, "lacks columns 'a0', 'a1', 'a2', 'a3', 'a4', which"),
    (6, "lacks columns 'a0', 'a1', 'a2', 'a3', 'a4' and 1 more, which"),
])  # fmt: skip
def test_columns_that_are_not_there(n_absent, words):
    rng = np.random.default_rng(0)
    frame = {f"a{j}": rng.normal(size=5) for j in range(7)}
    plan, _ = learned(frame)
    rest = dict(list(frame.items())[n_absent:])
    with pytest.raises(InputError) as error:
        applied(plan, rest)
    assert words in str(error.value)


def test_tables_without_rows_are_refused():
    plan, _ = learned({"x": X, "y": Y})
    with pytest.raises(InputError, match="no rows below its header"):
        applied(plan, {"x": np.empty(0), "y": np.empty(0)})
    assert applied(plan, {"x": [1.0], "y": [2.0]}).X.shape == (1, 2)


GAPS = {"x": [1.0, None, 4.0, 9.5, 2.5], "y": [3.0, 1.0, None, 5.5, 0.5], "z": [1.5, 2, 7, 4, 9]}


def test_gaps_are_filled_dropped_or_refused():
    plan, done = learned(GAPS, missing="median", scale="none")
    # Medians of 1, 2.5, 4, 9.5 and of 0.5, 1, 3, 5.5.
    np.testing.assert_allclose(done.X[1:3, :2], [[3.25, 1.0], [4.0, 2.0]])
    np.testing.assert_allclose(plan.fills, [3.25, 2.0, 4.0])
    new = {"x": [None, 1.0], "y": [1.0, None], "z": [1.0, 2.0]}
    np.testing.assert_allclose(applied(plan, new).X, [[3.25, 1.0, 1.0], [1.0, 2.0, 2.0]])
    _, dropped = learned(GAPS, missing="drop-rows", scale="none")
    assert dropped.rows.tolist() == [0, 3, 4]
    assert dropped.n_rows == 5
    np.testing.assert_allclose(dropped.X[:, 0], [1.0, 9.5, 2.5])
    with pytest.raises(InputError) as error:
        learned(GAPS, missing="error")
    text = str(error.value)
    assert "columns 'x' (1), 'y' (1), the first in 'x' on line 3; use" in text
    assert "drop-rows (leaves out 2 of 5 rows)" in text
    # The first gap in the order of rows, not of columns; one column is one column.
    with pytest.raises(InputError, match=r"in columns 'x'.*, the first in 'y' on line 2;"):
        learned({"x": [1.0, None, 3.0], "y": [None, 2.0, 7.0], "z": X[:3]}, missing="error")
    with pytest.raises(InputError, match=r"in column 'x' \(2\), the first in 'x' on line 3;"):
        learned({"x": [1.0, None, None, 3.0], "y": Y}, missing="error")


def test_many_columns_with_gaps_are_counted():
    frame = {f"a{j}": [1.0 + j, None, 3.0, 5.0 * j] for j in range(7)}
    with pytest.raises(InputError, match=r"'a5' \(1\) and 1 more, the first in 'a0'"):
        learned(frame, missing="error")
    with pytest.raises(InputError, match=r"'a5' \(1\), the first in 'a0'"):
        learned({name: frame[name] for name in list(frame)[:6]}, missing="error")


def test_two_rows_without_gaps_are_needed():
    made = mixed_table(*_read({"x": [1.0, 2.0, 3.0], "y": [1.0, 5.0, 3.0]}))
    one = {"x": np.array([True, True, False])}
    with pytest.raises(InputError, match=r"t.csv has 1 rows without missing values"):
        handle_missing(made, one, "drop-rows", np.zeros(2), **OPTIONS)
    two = {"x": np.array([False, True, False])}
    left, rows = handle_missing(made, two, "drop-rows", np.zeros(2), **OPTIONS)
    assert rows.tolist() == [0, 2]
    assert left.values.tolist() == [[1.0, 1.0], [3.0, 3.0]]
    # Of a single new row none may be left.
    alone = made.take_rows(np.array([0]))
    gone = handle_missing(alone, {"x": np.array([True])}, "drop-rows", np.zeros(2), **OPTIONS)
    assert len(gone[1]) == 0


def test_one_row_without_gaps_is_not_enough():
    made = mixed_table(*_read({"x": [1.0, 2.0], "y": [1.0, 5.0]}))
    gap = {"x": np.array([True, False])}
    with pytest.raises(InputError, match=r"t.csv has 1 rows without missing values"):
        handle_missing(made, gap, "drop-rows", np.zeros(2), **OPTIONS)
    # Nothing is filled or dropped with "auto", nor without a gap.
    for gaps, missing in ((gap, "auto"), ({}, "error")):
        kept, rows = handle_missing(made, gaps, missing, np.zeros(2), **OPTIONS)
        assert kept is made
        assert rows.tolist() == [0, 1]


def test_tables_without_columns():
    assert mixed_table([], []).values.shape == (0, 0)
    plan, done = learned({"x": [1.0, 1.0, 1.0]})
    with pytest.raises(InputError, match="no rows below its header"):
        plan.apply([], **OPTIONS)
    # No column of this table can be used: its rows have no coordinates.
    assert done.X.shape == (3, 0)


def _read(frame):
    cells = read_cells(pd.DataFrame(frame))
    return recognise(cells, **OPTIONS), cells


def test_positions_of_source_columns_follow_each_other():
    days = pd.date_range("2020-01-01", periods=40, freq="10D").strftime("%Y-%m-%d")
    readings, cells = _read({"same": [5] * 40, "d": days, "x": np.arange(40.0) ** 2})
    columns = source_columns(readings)
    assert [column.is_used for column in columns] == [False, True, True]
    width = readings[1].width
    assert width > 1
    assert columns[1].positions == tuple(range(width))
    assert columns[2].positions == (width,)
    assert mixed_table(readings, cells).values.shape == (40, width + 1)


def test_signs_that_one_column_settles_hold_for_all():
    # 1.234,5 can only be a decimal comma, so 1,234 is a little more than one.
    readings, _ = _read({"a": ["1,234", "5,678", "9,123"], "b": ["1.234,5", "2.345,6", "7,5"]})
    assert readings[0].high == 9.123
    # Addresses settle nothing.
    readings, _ = _read(
        {"a": ["1,234", "5,678", "9,123"], "b": ["10.1.200.123"] * 2 + ["10.2.1.1"]}
    )
    assert readings[0].high == 9123.0


def test_columns_to_keep_are_named():
    cells = read_cells(pd.DataFrame({"row": np.arange(24), "other": np.arange(24)}))
    kinds = [each.kind for each in recognise(cells, **OPTIONS, keep=["row"])]
    assert kinds == ["number", "identifier"]


def test_heavy_tails_are_bent_only_where_it_is_asked_for():
    tail = np.exp(np.linspace(0.0, 12.0, 60))
    frame = {"x": np.random.default_rng(0).permutation(tail), "c": ["a", "b"] * 30}
    assert learned(frame)[0].readings[0].curve == "log"
    assert learned(frame, bend=False)[0].readings[0].curve == "none"
    assert learned(frame, scale="range")[0].readings[0].curve == "none"


DAYS = pd.to_datetime(["2024-01-01", "2024-05-01"])
SPANS = pd.to_timedelta([5, 7], "h")


@pytest.mark.parametrize(
    ("fitted", "new"),
    [
        # Days since 1970 and hours are not numbers of a table, nor places on its circles.
        ([2000.5, 2010.0, 2020.0], DAYS),
        ([2000.5, 2010.0, 2020.0], SPANS),
        (["10:00", "12:30", "18:00"], DAYS),
        (["10:00", "12:30", "18:00"], [True, False]),
        (pd.to_datetime(["2024-01-01", "2024-01-05", "2024-02-01"]), SPANS),
        # January is 1 to people, but the first name is at 0.
        (["Jan", "Feb", "Dec"], [1.0, 2.0]),
        (["Mon", "Tue", "Sun"], [1.0, 2.0]),
    ],
)
def test_new_cells_of_another_kind_are_refused(fitted, new):
    plan, _ = learned({"c": list(fitted) * 4, "x": np.arange(12.0) ** 2})
    with pytest.raises(InputError, match="in column 'c' on line 2, where the model was fitted on"):
        applied(plan, {"c": new, "x": [1.0, 2.0]})
    # A column without a value has no kind.
    empty = {"c": [None, None] if new is not DAYS else [pd.NaT, pd.NaT], "x": [1.0, 2.0]}
    assert np.isnan(applied(plan, empty).table.values[:, 0]).all()


@pytest.mark.parametrize(
    ("fitted", "new"),
    [
        # A file with "3+" in some row has texts, one without it has numbers, and workbooks have
        # floats: "1", "1.0" and 1.0 are one level.
        (["1.0", "2.0", "3+"], [2.0, 1.0]),
        (["1.0", "2.0", "3+"], ["2", "1"]),
        (["1", "2", "3+"], [2.0, 1.0]),
        (["1", "2", "3+"], ["2.0", "1.00"]),
        ([1.0, 2.0, "x"], ["2", "1"]),
        (["1", "2", "x"], pd.Series([2.0, 1.0], dtype=object)),
    ],
)
def test_levels_that_are_numbers_have_one_spelling(fitted, new):
    plan, _ = learned({"c": list(fitted) * 5, "x": np.arange(15.0) ** 2})
    done = applied(plan, {"c": new, "x": [1.0, 2.0]})
    assert done.warnings == []
    assert done.table.values[:, 0].tolist() == [1.0, 0.0]


def test_levels_that_only_look_like_numbers():
    """Python takes "1_0" for 10, and "010" is a code of its own."""
    plan, _ = learned({"c": ["10", "2", "x"] * 5, "d": ["01", "02", "x"] * 5})
    done = applied(plan, {"c": ["1_0", "10"], "d": ["1", "01"]})
    assert np.isnan(done.table.values[:, :2]).tolist() == [[True, True], [False, False]]


def test_no_and_yes_as_decimals():
    plan, done = learned({"c": ["0,0", "1,0", "1,0"] * 4, "x": np.arange(12.0) ** 2})
    assert done.table.values[:3, 0].tolist() == [0.0, 1.0, 1.0]
    new = applied(plan, {"c": ["1", "no", "0,0"], "x": [1.0, 2.0, 3.0]})
    assert new.table.values[:, 0].tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("names", ["abc", "bac"])
def test_columns_that_contradict_each_other_settle_no_signs(names):
    """Of "1.234,5" and "1,234.5", the first column decided about "1,234" without a word."""
    columns = {"a": ["1.234,5", "7.654,3"], "b": ["1,234.5", "7,654.3"], "c": ["1,234", "2,345"]}
    cells = read_cells(pd.DataFrame({name: columns[name] for name in names}))
    found = {reading.name: reading for reading in recognise(cells, **OPTIONS)}
    assert found["c"].numbers.is_ambiguous
    assert found["a"].high == 7654.3
    # Without "b", "a" decides.
    one = recognise([column for column in cells if column.name != "b"], **OPTIONS)
    assert {reading.name: reading.high for reading in one} == {"a": 7654.3, "c": 2.345}
