"""From cells to numbers and back, by hand: codes of levels, dates, circles, blanks, gaps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from weft.columns.source import SourceColumn
from weft.tables.cell_texts import number_text
from weft.tables.cells import number_cells, read_cells, text_cells
from weft.tables.hints import (
    cycle_by_name,
    is_code_text,
    looks_like,
    looks_like_code,
    looks_like_duration,
    looks_like_id,
)
from weft.tables.level_codes import fold
from weft.tables.numbers import NumberFormat
from weft.tables.reading import (
    Reading,
    columns_of,
    in_units,
    read_column,
)
from weft.tables.scales import _range_start, ordered_scale

NONE = np.nan


def read(reading, values):
    """Return the values of a column, and which of its cells could not be read."""
    made, unread = read_column(reading, text_cells("c", values))
    return made, unread.tolist()


def check(reading, values, numbers, unread=()):
    made, found = read(reading, values)
    np.testing.assert_array_equal(made, numbers)
    assert found == [place in unread for place in range(len(values))]


COLOURS = Reading("c", "category", levels=("Red", "1", "2.5"))


def test_codes_of_levels():
    check(COLOURS, [" red", "RED", "1.0", "2.50", "x", None], [0, 0, 1, 2, NONE, NONE], [4])
    check(COLOURS, ["inf", "nan", "-"], [NONE] * 3, [0, 2])
    check(COLOURS, [1, 2.5, 3, None], [1, 2, NONE, NONE], [2])
    check(Reading("c", "yes/no", levels=("Nein", "Ja")), [True, False, None], [1, 0, NONE])
    ones = Reading("c", "yes/no", levels=("0", "1"))
    check(ones, ["1", "0", "yes", "maybe"], [1, 0, 1, NONE], [3])
    check(Reading("c", "category", levels=("red",)), [True, None], [NONE, NONE], [0])


def test_numbers_and_blanks():
    plain = Reading("c", "number")
    check(plain, ["1.5", "-", "NA", "x", None, "unknown"], [1.5, *[NONE] * 5], [3])
    check(plain, [1, 2.5, None], [1, 2.5, NONE])
    made, unread = read_column(plain, number_cells("c", [1.0, np.inf, NONE]))
    assert made.tolist()[:2] == [1.0, np.inf]
    assert unread.tolist() == [False, True, False]
    money = Reading("c", "amount", numbers=NumberFormat(".", ",", "€", True))
    check(money, ["1.234,5 €", "5 kg"], [1234.5, NONE], [1])
    check(Reading("c", "number", form="duration"), ["1:30", "90"], [1.5, NONE], [1])
    check(Reading("c", "number", form="duration"), [1.5, 90], [1.5, 90])


def test_values_are_not_those_of_the_table():
    cells = number_cells("c", np.array([1.0, 2.0]))
    read_column(Reading("c", "number"), cells).values[0] = 9.0
    assert cells.numbers.tolist() == [1.0, 2.0]


def dates(form="year-month-day", **more):
    return Reading("c", "date", form=form, **{"parts": ("age",), "periods": (0.0,), **more})


def test_days():
    check(dates(), ["1970-01-03", "x", "-"], [2, NONE, NONE], [1])
    check(dates("yearmonthday"), [19700103, 19701332, None], [2, NONE, NONE], [1])
    check(dates("spreadsheet days"), [25571, None], [2, NONE])
    (cells,) = read_cells(pd.DataFrame({"c": pd.to_datetime(["1970-01-03 06:00", None])}))
    np.testing.assert_array_equal(read_column(dates(), cells).values, [2.25, NONE])
    both = dates(parts=("age", "day of week"), periods=(0.0, 7.0), origin=10.0)
    # 1970-01-03 was a Saturday, day 5 of the week, eight days before day 10.
    np.testing.assert_array_equal(columns_of(both, np.array([2.0, NONE])), [[8, 5], [NONE, NONE]])


def circle(form, period):
    return Reading("c", "cyclic", form=form, parts=("",), periods=(period,))


def test_circles():
    check(circle("clock", 24.0), ["6:30", "25:00"], [6.5, NONE], [1])
    check(circle("day name", 7.0), ["Mon", "sunday", "x"], [0, 6, NONE], [2])
    check(circle("month name", 12.0), ["Jan", "dec", "x"], [0, 11, NONE], [2])
    check(circle("number", 12.0), [1, 12, 13, -1], [1, 0, 1, 11])
    check(circle("number", 12.0), ["1", "12.5", "x"], [1, 0.5, NONE], [2])


def test_columns_of_the_matrix():
    assert columns_of(COLOURS, np.array([0.0, 2.0])).tolist() == [[0.0], [2.0]]
    bent = Reading("c", "number", curve="log", curve_scale=2.0)
    np.testing.assert_allclose(columns_of(bent, np.array([0.0, 2.0])), [[0.0], [np.log(2.0)]])
    assert [r.width for r in (COLOURS, dates(parts=("age", "day of week")), dates())] == [1, 2, 1]
    assert Reading("c", "constant").width == 0
    source = dates(parts=("age", "day of week"), periods=(0.0, 7.0), unit="days", note="n")
    assert source.source(3) == SourceColumn(
        "c", "date", (3, 4), periods=(0.0, 7.0), parts=("age", "day of week"), unit="days", note="n"
    )


def test_back_to_the_units_of_the_table():
    readings = [
        Reading("x", "number"),
        Reading("gone", "constant"),
        dates(parts=("age", "day of week"), periods=(0.0, 7.0), origin=10.0),
        COLOURS,
    ]
    values = np.array([[1.5, 8.0, 5.0, -0.4], [NONE, NONE, 5.0, NONE], [2.5, 7.5, 0.0, 2.6]])
    made = in_units(readings, values)
    assert list(made) == ["x", "c"]  # the last column of a name is kept
    made = in_units([readings[0], *readings[1:3]], values)
    np.testing.assert_array_equal(made["x"], [1.5, NONE, 2.5])
    assert [str(day) for day in made["c"]] == ["1970-01-03T00:00:00", "NaT", "1970-01-03T12:00:00"]
    assert in_units([COLOURS], values[:, 3:])["c"].tolist() == ["Red", None, "2.5"]
    rounded = in_units([COLOURS], np.array([[0.6], [1.4], [-7.0], [9.0]]))["c"]
    assert rounded.tolist() == ["1", "1", "Red", "2.5"]


def test_texts_of_levels():
    assert fold("  Very\n HIGH ") == "very high"
    texts = [number_text(number) for number in (3.0, -2.0, np.float64(2.5), 1e15, 1e15 - 1)]
    assert texts == ["3", "-2", "2.5", "1000000000000000.0", "999999999999999"]


# Hints --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["123e4567-e89b-12d3-a456-426614174000"], "UUIDs"),
        (["0123456789abcdef"], "hashes"),
        (["https://a.b", "www.c.de"], "web addresses"),
        (["10.1.2.3"], "IP addresses"),
        (["+49 30 123456", "0049 30 1234567"], "phone numbers"),
        (["(212) 555-1234"], "phone numbers"),
        (["12345-6789"], "postal codes"),
        (["SW1A 1AA"], "postal codes"),
    ],
)
def test_codes_of_places_and_things(texts, words):
    assert is_code_text(texts) == f"{words}: names, not amounts"
    assert is_code_text([*texts, "x y"]) == ""


def test_digits_with_a_leading_zero():
    words = "codes of {} digits, some starting with 0: names, not amounts"
    assert is_code_text(["001", "123"]) == words.format(3)
    assert is_code_text(["0012", "1234"]) == words.format(4)
    assert is_code_text(["0012"]) == words.format(4)
    assert is_code_text(["017", "136A"]) == words.format(3)
    assert is_code_text(["017m", "136m"]) == ""  # a unit
    for texts in (["01", "12"], ["123", "456"], ["001", "1234"], ["001", "a12"], ["00.1", "1234"]):
        assert is_code_text(texts) == ""


def test_names_of_columns():
    assert looks_like_id("user-id")
    assert looks_like_id("ID")
    assert not looks_like_id("valid")
    assert looks_like_code("zip_code")
    assert looks_like_code("costCenter")
    assert not looks_like_code("cost")
    assert not looks_like_code("center")
    assert looks_like("amount", "total_price")
    assert not looks_like("amount", "total_share")
    assert looks_like("count", "n")
    assert looks_like("count", "n_rooms2")
    assert not looks_like("count", "N1")  # an item of a questionnaire
    assert looks_like_duration("Dauer (h)")
    assert not looks_like_duration("during")


def test_the_span_of_a_cycle():
    # 0.6 of 24 hours are 14.4; five different values are needed, from 0 to 24.
    hours = np.array([0.0, 1.0, 2.0, 3.0, 14.4])
    assert cycle_by_name("hour", hours) == (24.0, "hours of the day")
    assert cycle_by_name("hour", np.append(hours, 24.0)) == (24.0, "hours of the day")
    assert cycle_by_name("hour", np.append(hours, 24.5)) is None
    assert cycle_by_name("hour", np.append(hours, -0.5)) is None
    assert cycle_by_name("hour", hours[[0, 1, 2, 4]]) is None
    assert cycle_by_name("hour", np.append(hours[:4], 14.3)) is None
    assert cycle_by_name("price", hours) is None
    assert cycle_by_name("price_hour", hours) == (24.0, "hours of the day")
    assert cycle_by_name("day_of_week", np.arange(8.0)) == (7.0, "days of the week")
    assert cycle_by_name("bearing", np.arange(0.0, 361.0, 60)) == (360.0, "degrees")


@pytest.mark.parametrize(
    ("level", "start"),
    [
        ("18", (18.0, 0)), ("18+", (18.0, 1)), ("<18", (18.0, -1)), (">18", (18.0, 1)),
        ("up to 1,000", (1000.0, -1)), ("1,000 - 2,000", (1000.0, 0)), ("x", None),
        ("1.2.3-4", None),
    ],
)  # fmt: skip
def test_starts_of_ranges(level, start):
    assert _range_start(level) == start


def test_three_levels_have_an_order():
    assert ordered_scale(["b", "a"]) is None
    assert ordered_scale(["<5", "5"]) is None
    assert ordered_scale(["5+", "<5", "5"]) == ["<5", "5", "5+"]
    assert ordered_scale(["often", "never", "always"]) == ["never", "often", "always"]
    assert ordered_scale(["5", "5-9", "10"]) is None
    assert ordered_scale(["5", "9", "x"]) is None
