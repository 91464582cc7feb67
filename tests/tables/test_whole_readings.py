"""What single columns are taken for: each reading as a whole, also of columns that must be kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from weft.tables.cells import number_cells, read_cells
from weft.tables.errors import InputError
from weft.tables.numbers import PLAIN_NUMBERS, NumberFormat
from weft.tables.reading import Reading
from weft.tables.recognition import Recogniser

MASS, SHARE = NumberFormat(unit="kg"), NumberFormat(unit="%")
MONEY = NumberFormat(unit="$", is_money=True)
NO_LIMITS = {"low": -np.inf, "high": np.inf}
WEEK = {"parts": ("age", "day of week"), "periods": (0.0, 7.0)}
AGE = {"parts": ("age",), "periods": (0.0,)}


def read(values, name="c", keep=False):
    (cells,) = read_cells(pd.DataFrame({name: values}))
    return Recogniser("t.csv", lambda row: f"line {row + 2}").recognise(cells, keep=keep)


def numbers(note, low, high, kind="number", chosen=PLAIN_NUMBERS, name="c", **more):
    return Reading(
        name, kind, note, chosen.unit, numbers=chosen, **{"low": low, "high": high, **more}
    )


def levels(kind, note, *texts, name="c"):
    return Reading(name, kind, note, levels=texts, low=0.0, high=len(texts) - 1.0)


def dates(note, form, low, high, parts=AGE, name="c"):
    return Reading(name, "date", note, "days", form=form, origin=high, low=low, high=high, **parts)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([3, 1, None, 2.5], numbers("numbers", 1.0, 3.0)),
        (
            [-999.0, -999, 1, 2, 3],
            numbers(
                "numbers; -999 in 2 rows looks like a code for missing values: if it is, empty "
                "those cells",
                -999.0,
                3.0,
            ),
        ),
        (["$5", "$6.50", "n/a"], numbers("money in $", 5.0, 6.5, "amount", MONEY)),
        (["5 kg", "7 kg"], numbers("numbers in kg", 5.0, 7.0, chosen=MASS)),
        (["<0.5", "2.5", "3"], numbers("cells such as '<0.5' taken at the limit", 0.5, 3.0)),
        (
            ["120k", "3.5k", "2.0M"],
            numbers("cells such as '120k' taken as thousands, millions or billions", 3500.0, 2e6),
        ),
        (
            ["$5", "6 €", "7"],
            numbers("money in $, in $ and €, not converted", 5.0, 7.0, "amount", MONEY),
        ),
        (["-", "5", "6.5", "na"], numbers("'-' taken for missing", 5.0, 6.5)),
        (
            ["1.5 %", "-", "2 %"],
            numbers(
                "percentages, 0.2 for 20 %, '-' taken for missing", 0.015, 0.02, "share", SHARE
            ),
        ),
        (
            ["1:30", "36:00"],
            Reading(
                "c", "number", "lengths of time in hours: '1:30' is 1.5", "h",
                form="duration", low=1.5, high=36.0,
            ),
        ),
        (
            ["Mon", "Tue", "Mon"],
            Reading(
                "c", "cyclic", "days of the week: a circle of 7, 0 is Monday", form="day name",
                parts=("",), periods=(7.0,), low=0.0, high=1.0,
            ),
        ),
        # 2024-01-31 is day 19753, 2024-02-29 day 19782, 2024-05-31 day 19874.
        (
            [20240131, 20240229, 20240331, 20240430, 20240531],
            dates(
                "dates (yearmonthday) as age in days before 2024-05-31",
                "yearmonthday", 19753.0, 19874.0,
            ),
        ),
        (
            ["2024-01-31", "2024-02-29 12:00"],
            dates(
                "dates (year-month-day) as age in days before 2024-02-29", "year-month-day",
                19753.0, 19782.5,
            ),
        ),
        (
            pd.to_datetime(["2024-01-31", "2024-02-29", None]),
            dates("dates as age in days before 2024-02-29", "year-month-day", 19753.0, 19782.0),
        ),
        (
            ["03/04/2024", "05/06/2023"],
            dates(
                "dates (month/day/year), though the day could come first as age in days before "
                "2024-03-04",
                "month/day/year", 19483.0, 19786.0,
            ),
        ),
        (
            ["low", "High", "medium", "low"],
            levels("ordered", "3 levels, a known order of words: low, medium, High",
                   "low", "medium", "High"),
        ),
        (
            ["5-9", "1-4", "65+"] * 2,
            levels("ordered", "3 levels, a known order of words: 1-4, 5-9, 65+",
                   "1-4", "5-9", "65+"),
        ),
        (
            ["1", "2", "3+"] * 6,
            levels("ordered", "3 levels, a known order of words: 1, 2, 3+", "1", "2", "3+"),
        ),
        (
            pd.Categorical(["b", "a", "b"], ["b", "a"], ordered=True),
            levels("ordered", "2 levels, in the order that the table itself gives: b, a", "b", "a"),
        ),
        (
            ["Red", "blue", "red "] * 6,
            levels("category", "2 values, 3 with other spaces or capitals taken together",
                   "Red", "blue"),
        ),
        (["a", "b", None] * 6, levels("category", "2 values", "a", "b")),
        (["unknown", "-"] * 3, levels("category", "2 values", "unknown", "-")),
        (["yes", "No", None], levels("yes/no", "No or yes", "No", "yes")),
        ([True, False, None], levels("yes/no", "no or yes", "no", "yes")),
    ],
)  # fmt: skip
def test_columns_that_are_used(values, found):
    assert read(values) == found
    assert read(values, keep=True) == found


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([None, None], "no value in any row"),
        ([7.0, 7.0], "one value only (7)"),
        ([7.0, None, 7.0, None], "one value only (7) besides 2 missing"),
        (["Mon", "Mon"], "one value only (Mon)"),
        (["2024-01-31", "-"], "one value only (2024-01-31) besides 1 missing"),
        (["yes", None], "one value only (yes) besides 1 empty cells; if empty means no, write no"),
        (["x", "x"], "one value only (x)"),
        (["-", "n/a"], "one value only (-) besides 1 empty cells; if empty means no, write no"),
        ([True, True], "one value only (1)"),
    ],
)
def test_columns_that_cannot_be_used(values, reason):
    assert read(values) == Reading("c", "constant", reason)
    with pytest.raises(InputError) as error:
        read(values, keep=True)
    assert str(error.value) == f"column 'c' cannot be kept: {reason}; leave out --keep for it."


HOURS = Reading(
    "hour", "cyclic", "hours of the day: a circle of 24, 24 is 0", form="number", parts=("",),
    periods=(24.0,), low=0.0, high=23.0,
)  # fmt: skip
ZIP = levels(
    "category", "3 codes, which are names, not amounts", "10115", "20095", "80331", name="zip"
)
SHORT = levels(
    "category", "codes of 3 digits, some starting with 0: names, not amounts", "007", "008", "009"
)
PROSE = [f"a b c d {i % 7}" for i in range(30)]


@pytest.mark.parametrize(
    ("values", "name", "found", "kept"),
    [
        (list(range(24)) * 2, "hour", HOURS, numbers("numbers", 0.0, 23.0, name="hour")),
        ([10115, 20095, 80331] * 6, "zip", ZIP, numbers("numbers", 10115.0, 80331.0, name="zip")),
        (
            ["10115", "20095", None, "80331"] * 6,
            "zip",
            ZIP,
            numbers("numbers", 10115.0, 80331.0, name="zip"),
        ),
        (["007", "008", "009"] * 6, "c", SHORT, numbers("numbers", 7.0, 9.0)),
        (
            [10115, 20095, 80331],
            "zip",
            Reading(
                "zip", "identifier", "3 codes of places or things in 3 rows: names, not amounts"
            ),
            numbers("numbers", 10115.0, 80331.0, name="zip"),
        ),
        (
            ["007", "008", "009"],
            "c",
            Reading(
                "c", "identifier", "codes of 3 digits, some starting with 0: names, not amounts"
            ),
            numbers("numbers", 7.0, 9.0),
        ),
        (
            [str(number) for number in range(1, 11)],
            "c",
            Reading("c", "identifier", "counts the rows (1 to 10, each once)"),
            numbers("numbers", 1.0, 10.0),
        ),
        (
            ["5", "6", "5"],
            "user_id",
            Reading("user_id", "identifier", "whole numbers in a column named like an identifier"),
            numbers("numbers", 5.0, 6.0, name="user_id"),
        ),
        (
            ["a", "b", "a", "c"],
            "user_id",
            Reading("user_id", "identifier", "text in a column named like an identifier"),
            levels("category", "3 values", "a", "b", "c", name="user_id"),
        ),
        (
            PROSE,
            "c",
            Reading("c", "text", "7 distinct values in 30 rows: looks like free text"),
            levels("category", "7 values", *PROSE[:7]),
        ),
        (
            ["w1", "w2", "w1", "w3"],
            "c",
            Reading("c", "text", "3 distinct values in 4 rows: looks like free text"),
            levels("category", "3 values", "w1", "w2", "w3"),
        ),
    ],
)
def test_columns_that_are_used_if_they_are_kept(values, name, found, kept):
    assert read(values, name) == found
    assert read(values, name, keep=True) == kept


def test_columns_named_like_dates():
    # 45322 days after 1899-12-30 are 19753 days after 1970; four different days are too few.
    days = [45322.5, 45000.0, 45001.0, 45002.0, 45003.0]
    assert read(days, "date") == dates(
        "dates (spreadsheet days) as age in days before 2024-01-31 and day of week",
        "spreadsheet days", 19431.0, 19753.5, WEEK, name="date",
    )  # fmt: skip
    assert read(days[:4], "date") == numbers("numbers", 45000.0, 45322.5, name="date")
    assert read(days, "size") == numbers("numbers", 45000.0, 45322.5, name="size")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([np.inf, 1.0, -np.inf], "has an infinite value in column 'my col' on line 2 (2 in all)"),
        ([1.0, None, np.inf], "has an infinite value in column 'my col' on line 4 (1 in all)"),
        (
            ["1.5", "2", "x", "3", "y"],
            "has numbers in column 'my col' but text in 2 cells, the first of them on line 4 ('x')",
        ),
        (
            ["1.5", "x", "3"],
            "has numbers in column 'my col' but text in the cell on line 3 ('x')",
        ),
        (
            ["2024-01-31", "2024-02-01", "2024-03-01", "soon", "-"],
            "has dates (year-month-day) in column 'my col' but another form in the cell on line 5 "
            "('soon')",
        ),
    ],
)
def test_cells_that_do_not_fit_the_others(values, words):
    with pytest.raises(InputError) as error:
        read(values, "my col")
    text = str(error.value)
    assert text.startswith(f"t.csv {words}; fix it, ")
    assert text.endswith("leave the column out with --drop 'my col'.")


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        # More than half of the dates are read, and three at least; otherwise they are text.
        (["2024-01-31", "2024-02-01", "a", "b"], "identifier"),
        (["2024-01-31", "2024-02-01", "2024-03-01", "a", "b", "c"], "identifier"),
        # Ten levels that occur twice at least, in five rows for each level, are levels.
        (["1"] * 7 + ["2"] * 6 + ["x"] * 2, "category"),
        (["1"] * 8 + ["2"] * 8 + ["x"] * 2 + ["y"] * 2, "category"),
    ],
)
def test_text_among_numbers_and_dates(values, kind):
    assert read(values).kind == kind


def test_codes_that_are_whole_numbers_and_few():
    # Three codes in six rows are levels; a letter or a fraction is no digit.
    assert read(["007", "008", "009"] * 2).kind == "category"
    assert read(["007", "008", "009", "007"]).kind == "identifier"
    assert read([10115.5, 20095.0, 80331.0] * 6, "zip").kind == "number"
    assert read(["10115", "X2009", "80331"] * 6, "zip").note == "3 values"


def test_true_and_false_as_an_array():
    recogniser = Recogniser("t.csv", str)
    assert recogniser.recognise(number_cells("c", [True, False])) == levels(
        "yes/no", "no or yes", "no", "yes"
    )
