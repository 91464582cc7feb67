"""Columns of any DataFrame in one form: numbers, true or false, times, texts, and gaps in them."""

from __future__ import annotations

import warnings
from datetime import UTC, date, datetime, timedelta, timezone
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from weft.tables.cells import Cells, is_raw, is_table, number_cells, read_cells, text_cells

ABSENT = np.nan


def content(cells: Cells):
    """Return the form of a column, and its numbers, or its codes and texts."""
    if cells.form == "text":
        return cells.form, cells.codes.tolist(), cells.texts, cells.is_ordered
    return cells.form, [None if np.isnan(x) else x for x in cells.numbers.tolist()]


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([" a ", "b", None, "a", "NA", ""], ("text", [0, 1, -1, 0, -1, -1], ["a", "b"], False)),
        ([None, None], ("text", [-1, -1], [], False)),
        (["6.2\x1a", "6.2"], ("text", [0, 0], ["6.2"], False)),  # the end of a file of DOS
        ([], ("text", [], [], False)),
        ([True, None, np.False_], ("flag", [1.0, None, 0.0])),
        ([True, False, True], ("flag", [1.0, 0.0, 1.0])),
        ([True, 2], ("number", [1.0, 2.0])),
        ([3, 2.5, np.float32(1), None], ("number", [3.0, 2.5, 1.0, None])),
        ([10**400, -(10**400), 1], ("number", [np.inf, -np.inf, 1.0])),
        ([1, "a"], ("text", [0, 1], ["1", "a"], False)),
        ([[1], None, {"k": 2}, [1]], ("text", [0, -1, 1, 0], ["[1]", "{'k': 2}"], False)),
        ([b"a\xff", "\ud800x", "é"], ("text", [0, 1, 2], ["a\ufffd", "?x", "é"], False)),
    ],
)
def test_columns_of_anything(values, found):
    assert content(text_cells("c", values)) == found


def test_levels_keep_the_order_that_the_table_gives():
    cells = text_cells("c", ["high", None, "low", "odd"], ["low", "mid", "high"])
    assert content(cells) == ("text", [2, -1, 0, 3], ["low", "mid", "high", "odd"], True)
    assert cells.counts().tolist() == [1, 0, 1, 1]
    part = cells.take(np.array([1, 0]))
    assert content(part) == ("text", [-1, 2], ["low", "mid", "high", "odd"], True)


def test_some_rows_of_a_column():
    cells = text_cells("c", ["a", "b", None, "c", "b"])
    assert len(cells) == 5
    assert cells.is_missing.tolist() == [False, False, True, False, False]
    np.testing.assert_array_equal(cells.spread([5.0, 6.0, 7.0]), [5.0, 6.0, ABSENT, 7.0, 6.0])
    # Texts are in the order of their first row among those that are taken.
    part = cells.take(np.array([3, 2, 1, 4]))
    assert content(part) == ("text", [0, -1, 1, 1], ["c", "b"], False)
    part = cells.take(np.array([1, 0, 0]))
    assert content(part) == ("text", [0, 1, 1], ["b", "a"], False)
    numbers = number_cells("x", [1.0, ABSENT, 3.0]).take(np.array([2, 1]))
    assert content(numbers) == ("number", [3.0, None])
    assert (len(numbers), len(numbers.codes), numbers.texts) == (2, 0, [])


def test_arrays_of_numbers():
    assert content(number_cells("x", [1, 2])) == ("number", [1.0, 2.0])
    assert content(number_cells("x", [True, False])) == ("flag", [1.0, 0.0])
    with pytest.raises(ValueError, match="Complex data not supported"):
        number_cells("x", [1j])
    with pytest.raises(ValueError, match="Complex data not supported"):
        text_cells("x", [1.0, 1j])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames(frame):
    columns = read_cells(
        frame(
            {
                "x": [1, 2],
                "flag": [True, False],
                "word": ["a", None],
                "day": [datetime(1970, 1, 2, 6), None],
            }
        )
    )
    assert [column.name for column in columns] == ["x", "flag", "word", "day"]
    assert [content(column) for column in columns] == [
        ("number", [1.0, 2.0]),
        ("flag", [1.0, 0.0]),
        ("text", [0, -1], ["a"], False),
        ("time", [1.25, None]),
    ]


def test_columns_of_single_libraries():
    frame = pd.DataFrame({"flag": pd.array([True, None], dtype="boolean")})
    frame["level"] = pd.Categorical(["b", "a"], ["b", "a"], ordered=True)
    flag, level = read_cells(frame)
    assert content(flag) == ("flag", [1.0, None])
    assert content(level) == ("text", [0, 1], ["b", "a"], True)
    east = timezone(timedelta(hours=2))
    frame = pl.DataFrame(
        {
            "moment": [datetime(1970, 1, 2, 2, tzinfo=UTC), None],
            "day": [date(1970, 1, 3), None],
            "level": pl.Series(["y", None], dtype=pl.Enum(["x", "y"])),
        }
    )
    moment, day, level = read_cells(frame)
    assert content(moment) == ("time", [1 + 2 / 24, None])
    assert content(day) == ("time", [2.0, None])
    assert content(level) == ("text", [1, -1], ["x", "y"], True)
    # A moment with a zone is taken in UTC: 2:00 in a zone two hours ahead is midnight.
    zoned = pd.DataFrame({"moment": [datetime(1970, 1, 2, 2, tzinfo=east)]})
    assert content(read_cells(zoned)[0]) == ("time", [1.0])


def test_frames_that_are_refused():
    with pytest.raises(ValueError, match=r"unique column names|several columns"):
        read_cells(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(TypeError):
        read_cells(pl.DataFrame({"a": [1]}).lazy())


def test_what_is_a_table():
    assert is_table(pd.DataFrame({"a": [1]}))
    assert is_table(pl.DataFrame({"a": [1]}))
    assert is_table(pa.table({"a": [1]}))
    assert not is_table(np.ones((2, 2)))
    assert not is_table([[1]])
    assert not is_table(SimpleNamespace(columns=[]))
    assert is_table(SimpleNamespace(columns=[], dtypes=[]))
    assert not is_table(SimpleNamespace(dtypes=[]))
    assert not is_table(pd.Series([1.0]))


def test_tables_of_anything_but_numbers():
    assert is_raw(pd.DataFrame({"a": np.array(["x", 1.0], dtype=object)}))
    assert is_raw(pd.DataFrame({"a": np.array([1.0, ABSENT], dtype=object)}))
    assert not is_raw(pd.DataFrame({"a": np.array([1.0, 2], dtype=object)}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # polars: the names of a lazy table take time
        assert not is_raw(pl.DataFrame({"a": ["x"]}).lazy())
    assert is_raw(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}))
    assert is_raw(pl.DataFrame({"a": [1, None]}))
    assert not is_raw(pl.DataFrame({"a": [1, None]}), allow_nan=True)
    assert not is_raw(pl.DataFrame({"a": [1.0, 2.0], "b": [True, False]}))
    assert is_raw(pl.DataFrame({"b": [True, None]}))
    assert not is_raw([["x"]])
    dask = pytest.importorskip("dask.dataframe")
    assert not is_raw(dask.from_pandas(pd.DataFrame({"a": ["x", "y"]}), npartitions=1))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]),
        pd.DataFrame([["x", 2.0]], columns=["a", "a"]),
        pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], names=["a", "a"]),
    ],
)
def test_columns_of_the_same_name_are_refused(frame):
    for read in (read_cells, is_raw):
        with pytest.raises(ValueError, match="has several columns called 'a'; give each"):
            read(frame)


def test_a_table_without_columns_is_refused():
    for read in (read_cells, is_raw):
        with pytest.raises(ValueError, match="has no columns; give at least one"):
            read(pd.DataFrame(index=range(3)))


def test_a_lazy_frame_is_not_a_table():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not is_table(pl.LazyFrame({"a": [1.0]}))


@pytest.mark.parametrize("names", [[1, "1"], [None, "None"], [float("nan"), "nan"]])
def test_names_that_are_the_same_as_text(names):
    frame = pd.DataFrame([["x", 1.0], ["y", 2.0]], columns=pd.Index(names, dtype=object))
    with pytest.raises(ValueError, match=f"several columns called '{names[1]}'; give each"):
        read_cells(frame)


def test_levels_in_order_that_are_the_same_without_spaces():
    values = pd.Categorical([" a", "a", "b"], categories=["a", " a", "b"], ordered=True)
    (cells,) = read_cells(pd.DataFrame({"c": values}))
    assert (cells.texts, cells.codes.tolist()) == (["a", "b"], [0, 0, 1])


def test_levels_in_order_of_which_only_numbers_occur():
    values = pd.Categorical([2, 1, 2], categories=[1, 2, "more"], ordered=True)
    (cells,) = read_cells(pd.DataFrame({"c": values}))
    assert (cells.texts, cells.codes.tolist()) == (["1", "2", "more"], [1, 0, 1])


def test_numbers_in_messages_are_not_rounded():
    (cells,) = read_cells(pd.DataFrame({"zip": [12345678, 0.1234567]}))
    assert [cells.text_of(row) for row in (0, 1)] == ["12345678", "0.1234567"]
