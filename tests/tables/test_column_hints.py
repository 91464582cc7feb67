"""What the name and the values of a column tell, parts of Parquet files, heavy tails."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from weft.tables.cells import is_raw
from weft.tables.errors import InputError
from weft.tables.hints import (
    cycle_by_name,
    is_code_text,
    looks_like_id,
    name_words,
)
from weft.tables.looks import (
    are_day_numbers,
    cycles_in,
    few_levels,
    identifier_reason,
    is_prose,
    some_of,
)
from weft.tables.numbers import NumberFormat, _is_negative, _shape, find_format
from weft.tables.parquet_parts import (
    parquet_files,
    parquet_parts,
    rows_written,
    starts_of,
    unpacked_bytes,
    write_part,
)
from weft.tables.scales import _range_start, ordered_scale
from weft.tables.tails import tail_scale

# Hints --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("18-24", (18.0, 0)),
        ("25 to 34", (25.0, 0)),
        ("65+", (65.0, 1)),
        ("65 or more", (65.0, 1)),
        ("> 100", (100.0, 1)),
        ("under 18", (18.0, -1)),
        ("<5", (5.0, -1)),
        ("$1,000-$2,000", (1000.0, 0)),
        ("7.", (7.0, 0)),
        ("1.2.3", None),
        ("young", None),
    ],
)
def test_where_a_range_starts(text, start):
    assert _range_start(text) == start


def test_orders_of_levels():
    assert ordered_scale(["high", "low", "medium"]) == ["low", "medium", "high"]
    assert ordered_scale(["18-24", "65+", "under 18"]) == ["under 18", "18-24", "65+"]
    assert ordered_scale([">=18", "18-24", "<18"]) == ["<18", "18-24", ">=18"]
    assert ordered_scale(["low", "high"]) is None  # two levels have no order that matters
    assert ordered_scale(["low", "medium", "red"]) is None
    assert ordered_scale(["18-24", "18-30", "65+"]) is None  # two start at the same number
    assert ordered_scale(["18-24", "25-34", "young"]) is None


@pytest.mark.parametrize("name", ["id", "user_id", "customer id", "userId", "Unnamed: 0", "KEY"])
def test_names_of_identifiers(name):
    assert looks_like_id(name)
    assert not looks_like_id(f"{name}x")


def test_words_of_names():
    assert name_words("totalPrice_USD 2x") == {"total", "price", "usd", "2", "x"}


def test_cycles_by_name():
    months = np.arange(1.0, 13.0)
    assert cycle_by_name("month", months) == (12.0, "months")
    assert cycle_by_name("day_of_week", np.arange(7.0)) == (7.0, "days of the week")
    assert cycle_by_name("size", months) is None
    assert cycle_by_name("month", np.append(months, 13.0)) is None
    assert cycle_by_name("month", np.arange(12.0)) is None  # months begin at 1
    assert cycle_by_name("month", np.arange(1.0, 8.0)) is None  # half a year is a line
    assert cycle_by_name("hour", np.array([0.0, 8.0, 12.0, 20.0])) is None  # four values
    assert cycle_by_name("hour", np.array([0.0, 3.0, 8.0, 12.0, 14.4])) == (
        24.0,
        "hours of the day",
    )


def test_codes():
    assert is_code_text(["007", "123"]).startswith("codes of 3 digits")
    assert is_code_text(["107", "123"]) == ""
    assert is_code_text(["07", "12"]) == ""
    assert is_code_text(["007", "1234"]) == ""
    assert is_code_text(["a@b.de", "c@d.org"]).startswith("e-mail addresses")
    assert is_code_text(["a@b.de", "c"]) == ""


# Looks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_levels", "n_rows", "answer"),
    [
        (20, 40, True),
        (20, 39, False),
        (21, 104, False),
        (21, 105, True),
        (100, 500, True),
        (101, 10_000, False),
    ],
)
def test_few_levels(n_levels, n_rows, answer):
    assert few_levels(n_levels, n_rows) is answer


def test_sentences():
    assert is_prose(["a b c d e", "f g h i j"], 19)
    assert not is_prose(["a b c d e", "f g h i j"], 20)  # a tenth: they repeat
    assert not is_prose(["a b c d e", "f g h i"], 2)
    assert is_prose(["a b c d e f", "f g h i"], 2)


def test_reasons_to_be_an_identifier():
    assert identifier_reason("id", np.arange(3.0)).endswith("named like an identifier")
    assert identifier_reason("x", np.arange(5.0, 15.0)) == "counts the rows (5 to 14, each once)"
    assert identifier_reason("x", np.arange(9.0)) == ""
    assert identifier_reason("x", np.append(np.arange(9.0), 8.0)) == ""
    assert identifier_reason("x", np.append(np.arange(9.0), 10.0)) == ""
    long = 100_000_000.0 + 7.0 * np.arange(10)
    assert identifier_reason("x", long).startswith("numbers of 9 digits")
    assert identifier_reason("x", long - 1e8 + 1e7) == ""
    assert identifier_reason("x", np.append(long, 1e9)) == ""
    assert identifier_reason("column 1", np.arange(5.0, 15.0)).startswith("counts the rows")
    # A table that was saved with its index, from which rows had been taken out.
    index = np.append(np.arange(5.0, 15.0), 20.0)
    assert identifier_reason("column 1", index).startswith("whole numbers in a first column")
    assert identifier_reason("column 1", np.append(index, 5.0)) == ""
    assert identifier_reason("column 2", index) == ""


def test_numbers_that_are_days():
    days = np.array([20240131.0, 20240229.0, 20240331.0, 20240430.0, 20240531.0])
    assert are_day_numbers(days)
    assert not are_day_numbers(days[:4])
    assert not are_day_numbers(np.append(days, 20230229.0))  # no such day
    assert not are_day_numbers(np.append(days, 21010101.0))


def test_cycles_that_dates_went_through():
    week = np.arange(15.0)
    assert cycles_in(week, "year-month-day") == ["day of week"]
    assert cycles_in(week[:14], "year-month-day") == []
    assert cycles_in(week, "year-month") == []
    assert cycles_in(np.array([0.0, 7.0, 14.0]), "year-month-day") == []  # one day of the week
    year = np.linspace(0.0, 365.0, 8).round()
    assert "time of year" in cycles_in(year, "year-month")
    assert "time of year" not in cycles_in(year[1:], "year-month")
    # Months written as their first or their last day: the days of the week mean nothing.
    months = np.arange("1970-01", "1971-03", dtype="datetime64[M]").astype("datetime64[D]")
    first = months.astype(np.float64)
    assert cycles_in(first, "year-month-day") == ["time of year"]
    assert cycles_in(first - 1.0, "year-month-day") == ["time of year"]
    assert cycles_in(first + 1.0, "year-month-day") == ["time of year", "day of week"]
    # A year from its first to its last day.
    assert "time of year" in cycles_in(np.arange(365.0), "year-month-day")
    assert "time of year" not in cycles_in(np.arange(364.0), "year-month-day")
    # Years written as their first day go through no year.
    assert cycles_in(first[::12], "x") == []
    years = np.arange("1970", "1980", dtype="datetime64[Y]").astype("datetime64[D]")
    assert cycles_in(years.astype(np.float64), "year-month-day") == []
    assert cycles_in(np.array([0.25, 0.5, 0.75]), "x") == ["time of day"]
    assert cycles_in(np.array([0.25, 0.5, 1.5]), "x") == []


def test_a_sample_of_many_texts():
    assert some_of(list(range(10_000))) == list(range(0, 10_000, 2))
    assert some_of(list(range(9_999))) == list(range(9_999))


# Numbers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "negative"),
    [
        ("5", False),
        ("+5", False),
        ("-5", True),
        ("−5", True),
        ("$-5", True),
        ("5-", True),
        ("(5)", True),
    ],
)
def test_signs_of_numbers(text, negative):
    assert _is_negative(_shape(text)) is negative


def test_shares_of_hundred_and_thousand():
    form = NumberFormat(unit="%")
    assert form.read("12 %") == 0.12
    assert form.read("12 ‰") == 0.012
    assert math.isnan(form.read("12 kg"))


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["1", "2.5"], ""),
        (["1,5", "2,25"], "decimals by ','"),
        (["1,234.5"], "thousands by ','"),
        (["1 234,5"], "thousands by space, decimals by ','"),
        (["$5", "$6"], "money in $"),
        (["5 %"], "percentages, 0.2 for 20 %"),
        (["5 kg"], "numbers in kg"),
        (["1,234", "5,678"], "thousands by ',', ',' could be a decimal sign too"),
    ],
)
def test_words_for_how_numbers_are_written(texts, words):
    assert find_format(texts).words == words


# Frames, files and tails --------------------------------------------------------------------------


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_which_frames_are_raw(frame):
    assert not is_raw(frame({"a": [1.0, 2.0], "b": [1, 2]}))
    assert not is_raw(frame({"a": [1.0, 2.0], "b": [True, False]}))
    assert is_raw(frame({"a": [1.0, 2.0], "b": ["x", "y"]}))
    assert is_raw(frame({"a": [1.0, float("nan")]}))
    assert not is_raw(frame({"a": [1.0, float("nan")]}), allow_nan=True)
    assert is_raw(frame({"a": [1.0, float("nan")], "b": ["x", "y"]}), allow_nan=True)


def test_frames_of_objects_and_nullable_numbers():
    assert not is_raw(pd.DataFrame({"a": np.array([1, 2.5], dtype=object)}))
    assert is_raw(pd.DataFrame({"a": np.array([1, None], dtype=object)}))
    assert not is_raw(pd.DataFrame({"a": pd.array([1, 2], dtype="Int64"), "b": [1.0, 2.0]}))
    assert is_raw(pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}))
    assert not is_raw(np.ones((2, 2)))


def test_parts_of_parquet_files(tmp_path, monkeypatch):
    monkeypatch.setattr("weft.tables.parquet_parts.PART_ROWS", 3)
    one, two = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pd.DataFrame({"x": np.arange(5.0)}).to_parquet(one, row_group_size=2)
    write_part(two, {"x": np.arange(2.0)})
    assert parquet_files(tmp_path) == [one, two]
    assert parquet_files(tmp_path / "*.parquet") == [one, two]
    assert parquet_files(tmp_path / "nothing") == []
    parts = parquet_parts([one, two])
    assert [(part.groups, part.n_rows) for part in parts] == [((0, 1), 4), ((2,), 1), ((0,), 2)]
    assert [rows_written(path) for path in (one, two, tmp_path / "c")] == [5, 2, -1]
    assert unpacked_bytes([one, two]) == unpacked_bytes([one]) + unpacked_bytes([two])
    assert starts_of([4, 1, 2]).tolist() == [0, 4, 5, 7]
    (tmp_path / "c.txt").write_text("")
    assert parquet_files(tmp_path / "*") == []  # not Parquet alone
    write_part(tmp_path / "d.parquet", {"y": np.arange(2.0)})
    with pytest.raises(InputError, match="'x' is in one of them only"):
        parquet_parts([one, tmp_path / "d.parquet"])


def test_heavy_tails():
    heavy = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
    assert tail_scale(heavy) == 8.0  # its median
    assert tail_scale(np.append(heavy, np.nan)) == 8.0
    assert tail_scale(np.append(heavy, 0.0)) == 8.0  # of those above 0
    assert tail_scale(np.append(heavy, -1.0)) is None
    assert tail_scale(np.arange(7.0)) is None
    assert tail_scale(heavy[:5]) is None  # fewer than six values
    assert tail_scale(np.repeat(heavy[2:], 3)) is None
    assert tail_scale(heavy * 1e150) is None
    for power in (-490, -400, 300, 400, 490):  # cubes would overflow, or become 0
        assert tail_scale(np.ldexp(heavy, power)) == 8.0 * 2.0**power
    outlier = np.append(np.arange(1.0, 40.0), 1e6)
    assert tail_scale(outlier) is None  # no logarithm mends a single outlier
