"""What single columns are taken for, with the reason: just inside a limit, and just outside."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from weft.tables.cells import read_cells
from weft.tables.errors import InputError
from weft.tables.recognition import Recogniser


def recognised(values, name="c", keep=False, signs=None):
    (cells,) = read_cells(pd.DataFrame({name: values}))
    recogniser = Recogniser("t.csv", lambda row: f"line {row + 2}", signs)
    return recogniser.recognise(cells, keep=keep)


DAYS = [20200101, 20200102, 20200103, 20200104, 20200105]
FREE = [f"w{i % 7}x" for i in range(8)]


@pytest.mark.parametrize(
    ("values", "name", "kind", "note"),
    [
        ([None, None], "c", "constant", "no value in any row"),
        ([5.0, 5.0], "c", "constant", "one value only (5)"),
        ([5.0, 5.0, None], "c", "constant", "one value only (5) besides 1 missing"),
        (["yes", "yes"], "c", "constant", "one value only (yes)"),
        (["yes", "no", "yes"], "c", "yes/no", "no or yes"),
        ([True, False, True], "c", "yes/no", "no or yes"),
        # Codes of places: few are a category, many are names.
        ([10115, 20095, 80331] * 6, "zip", "category", "3 codes, which are names, not amounts"),
        (
            [10115, 20095, 80331, *range(30000, 30400, 10)],
            "zip",
            "identifier",
            "43 codes of places or things in 43 rows: names, not amounts",
        ),
        (["007", "008", "009"] * 6, "c", "category", "codes of 3 digits, some starting with 0"),
        ([f"{i:05d}" for i in range(30)], "c", "identifier", "codes of 5 digits"),
        (["10115", "20095", "80331"] * 6, "zip", "category", "3 codes, which are names"),
        # Words for "missing" are not codes, and "12²" is not a code of digits.
        (["10115", "20095", "-"] * 6, "zip", "category", "2 codes, which are names"),
        (["-", "unknown"] * 6, "zip", "category", "2 values"),
        (["12²", "13²", "x"] * 6, "zip", "category", "3 values"),
        ([str(i) for i in range(1, 30)], "c", "identifier", "counts the rows (1 to 29, each once)"),
        # What counts the rows is whole.
        (["1", "2", "3.5", "4", "5"], "c", "number", "numbers"),
        ([1.0, 2.0, 3.5, 4.0, 5.0], "c", "number", "numbers"),
        (["2020-01-01"] * 3, "c", "constant", "one value only (2020-01-01)"),
        # Days written as numbers, five at least.
        (DAYS, "date", "date", "dates (yearmonthday) as age in days before 2020-01-05"),
        (DAYS[:4], "date", "number", "numbers"),
        (list(range(1, 13)) * 2, "month", "cyclic", "months: a circle of 12, 12 is 0"),
        (list(range(24)) * 2, "hour", "cyclic", "hours of the day: a circle of 24, 24 is 0"),
        # Texts of numbers with something else among them.
        (["1", "2", "3", "4", *"abcde"], "c", "identifier", "a different text in every row"),
        (["1", "2", "3+"] * 6, "c", "ordered", "3 levels, a known order of words: 1, 2, 3+"),
        (["1"] * 10 + ["2"] * 9 + ["3+"] * 2, "c", "ordered", "3 levels"),
        (["1.5", "2.5", "-", "4.5"], "c", "number", "'-' taken for missing"),
        (["10%", "20%", "35%"], "c", "share", "percentages, 0.2 for 20 %"),
        # Dates with something else among them: not more than half are dates, or fewer than three.
        (["2020-01-01", "2020-02-01", "x"], "c", "identifier", "a different text in every row"),
        (["2020-01-01", "2020-02-01", "2020-03-05", *"xyz"], "c", "identifier", "a different"),
        (
            ["01/02/2020", "03/04/2020", "05/06/2020"],
            "c",
            "date",
            "dates (month/day/year), though the day could come first as age in days before",
        ),
        (
            ["2020-01-01", "2020-02-01", "2020-03-05"],
            "c",
            "date",
            "dates (year-month-day) as age in days before 2020-03-05 and day of week",
        ),
        # Ranges are levels if there are few of them.
        (
            ["low", "high", "medium"],
            "c",
            "ordered",
            "3 levels, a known order of words: low, medium",
        ),
        (["18-24", "25-34", "35-44"] * 6, "c", "ordered", "3 levels, a known order of words: 18"),
        (["18-24", "25-34", "35-44"], "c", "identifier", "a different text in every row"),
        (["a", "b"] * 6, "c", "category", "2 values"),
        (["a", "b"] * 6, "customer_id", "identifier", "named like an identifier"),
        (FREE, "c", "text", "7 distinct values in 8 rows: looks like free text"),
    ],
)
def test_columns_and_reasons(values, name, kind, note):
    found = recognised(values, name)
    assert found.kind == kind
    assert found.note.startswith(note) or note in found.note


@pytest.mark.parametrize(
    ("values", "words"),
    [
        # Half of the cells are numbers: text among numbers. Levels occur more than once.
        ([*"1234", *"abcd"], "but text in 4 cells, the first of them on line 6"),
        (["1.5", "2.5", "3.5", "x"], "numbers in column 'c' but text in the cell on line 5 ('x')"),
        (["1"] * 9 + ["2"] * 8 + ["3+"], "text in the cell on line 19 ('3+')"),
        (["1"] * 9 + ["2"] * 9 + ["3+"] * 3 + ["x"], "in 4 cells, the first of them on line 20"),
        (["1"] * 3 + ["2"] * 3 + ["3+"] * 2, "text in 2 cells, the first of them on line 8"),
        (
            ["2020-01-01", "2020-02-01", "2020-03-04", "x", "y"],
            "dates (year-month-day) in column 'c' but another form in 2 cells, the first of them "
            "on line 5 ('x')",
        ),
        (["1e400", "1", "2", "3"], "but a number too large in the cell on line 2 ('1e400')"),
        ([1.0, np.inf, -np.inf], "an infinite value in column 'c' on line 3 (2 in all)"),
    ],
)  # fmt: skip
def test_columns_that_are_refused(values, words):
    with pytest.raises(InputError) as error:
        recognised(values)
    assert words in str(error.value)
    assert "--drop c" in str(error.value)


@pytest.mark.parametrize(
    ("values", "name", "kind"),
    [
        ([str(i) for i in range(1, 30)], "c", "number"),
        (list(range(1, 30)), "c", "number"),
        (list(range(1, 13)) * 2, "month", "number"),
        ([10115, 20095, 80331] * 6, "zip", "number"),
        (["007", "008", "009"] * 6, "c", "number"),
        (["a", "b"] * 6, "customer_id", "category"),
        (FREE, "c", "category"),
    ],
)
def test_columns_that_are_kept(values, name, kind):
    assert recognised(values, name).kind != kind
    assert recognised(values, name, keep=True).kind == kind


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([None, None], "cannot be kept: no value in any row"),
        (["yes", "yes"], "cannot be kept: one value only (yes)"),
        (["a", "a"], "cannot be kept: one value only (a)"),
        (["a", "b", "c"], "holds a different text in every row and cannot be kept"),
    ],
)
def test_columns_that_cannot_be_kept(values, words):
    with pytest.raises(InputError) as error:
        recognised(values, keep=True)
    assert words in str(error.value)


def test_ranges_and_levels_of_columns():
    number = recognised([2.5, -1.0, None, 7.0])
    assert (number.low, number.high) == (-1.0, 7.0)
    date = recognised(["2020-01-01", "2020-02-01", "2020-03-05"])
    # 2020-01-01 is day 18,262 after 1970-01-01, 2020-03-05 is 64 days later.
    assert (date.low, date.high, date.origin) == (18262.0, 18326.0, 18326.0)
    assert (date.parts, date.periods) == (("age", "day of week"), (0.0, 7.0))
    assert recognised(["low", "high", "medium"]).levels == ("low", "medium", "high")
    cycle = recognised(list(range(1, 13)) * 2, "month")
    assert (cycle.low, cycle.high, cycle.periods) == (0.0, 11.0, (12.0,))


def test_signs_that_another_column_settles():
    values = ["1,234", "5,678", "9,123"]
    assert recognised(values).high == 9123.0
    assert recognised(values, signs=(".", ",")).high == 9.123


def test_codes_of_digits_stay_as_they_are_written():
    """As floats, 12345678901234567 and ...568 would be one number, and so would 7 and 007."""
    longest = ["12345678901234568", "12345678901234567", "9"]
    assert recognised(longest * 6, "code").levels == ("9", longest[1], longest[0])
    assert recognised(["12", "007", "7"] * 6, "code").levels == ("7", "007", "12")


@pytest.mark.parametrize(
    ("numbers", "name"),
    [
        (DAYS, "date"),
        ([45000.0 + i**2 for i in range(12)], "date"),
        ([1.7e9 + 86400.0 * i**2 for i in range(12)], "created"),
        (list(range(1, 13)) * 2, "month"),
        ([0.0, 30.5, 99.0, 200.0, 359.0] * 2, "bearing"),
        ([3, 5, 4, 7] * 6, "zip"),
        (list(range(1, 20)), "c"),
        ([0, 1, 1] * 3, "c"),
        ([2, 3, 5, 9] * 3, "n_rooms"),
    ],
)
def test_numbers_mean_the_same_in_a_column_of_text(numbers, name):
    """A single "-" in a column of a file turns all of its cells into text."""
    found = recognised(numbers, name)
    texts = list(map(str, numbers))
    for cells, signs in ((texts, None), ([*texts, "-"], None), (texts, (",", "."))):
        read = recognised(cells, name, signs=signs)
        assert (read.kind, read.form, read.parts, read.levels) == (
            found.kind,
            found.form,
            found.parts,
            found.levels,
        )
        assert (read.low, read.high, read.origin) == (found.low, found.high, found.origin)
