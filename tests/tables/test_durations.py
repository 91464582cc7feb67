"""Lengths of time in all spellings, and columns of them, as text and as types of libraries."""

from __future__ import annotations

import math
from datetime import timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from weft import TablePreparer
from weft.tables.cells import read_cells
from weft.tables.durations import read_duration

NONE = math.nan


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("36:06", 36.1),
        (" 1:06:36 ", 1.11),
        ("0:00:01.8", 0.0005),
        ("+6:12", 6.2),
        ("-1:30", -1.5),
        ("1:60", NONE),
        ("x", NONE),
        ("", NONE),
        # As pandas and Python write them: the clock counts from the start of the day.
        ("3 days 00:46:12", 72.77),
        ("-1 days +23:00:00", -1.0),
        ("1 day, 2:15:00", 26.25),
        ("0 days 00:00:00", 0.0),
        ("2h 15m", 2.25),
        ("1 hr, 30 mins.", 1.5),
        ("1,5 Std. 6 Min", 1.6),
        ("2 Tage 3 Stunden", 51.0),
        ("90 s", 0.025),
        ("45 MIN", 0.75),
        ("2m 1h", NONE),  # from long to short
        ("2 metres", NONE),
        ("h", NONE),
        ("P1DT2H30M", 26.5),
        ("PT36S", 0.01),
        ("P", NONE),
        ("PT", NONE),
    ],
)
def test_lengths_of_time(text, hours):
    read = read_duration(text)
    assert math.isnan(read) if math.isnan(hours) else read == pytest.approx(hours, abs=1e-12)


LENGTHS = [timedelta(minutes=90 * i) for i in range(24)]


@pytest.mark.parametrize(
    "made",
    [
        lambda values: pd.DataFrame({"x": values}),
        lambda values: pl.DataFrame({"x": values}),
        lambda values: pa.table({"x": values}),
    ],
)
def test_types_of_libraries(made):
    (cells,) = read_cells(made([*LENGTHS[:3], None]))
    assert cells.form == "duration"
    np.testing.assert_equal(cells.numbers, [0.0, 1.5, 3.0, NONE])


@pytest.mark.parametrize(
    "values",
    [
        pd.to_timedelta(LENGTHS),
        [str(each) for each in pd.to_timedelta(LENGTHS)],
        [f"{minutes // 60}h {minutes % 60}m" for minutes in range(0, 24 * 90, 90)],
        [f"{i} min" if i % 3 else f"{i} h" for i in range(24)],
    ],
)
def test_a_column_of_lengths_is_a_number_of_hours(values):
    frame = pd.DataFrame({"task": values, "size": np.arange(24) % 5, "cost": np.arange(24) ** 0.5})
    model = TablePreparer().fit(frame)
    found = next(column for column in model.source_columns_ if column.name == "task")
    assert (found.kind, found.unit) == ("number", "h")
    np.testing.assert_array_equal(model.transform(frame), model.fit_transform(frame))


def test_a_capital_m_is_no_minute():
    """It is a size, metres or millions."""
    assert math.isnan(read_duration("2M"))
    assert read_duration("2m") == read_duration("2 MIN") == 2.0 / 60.0
