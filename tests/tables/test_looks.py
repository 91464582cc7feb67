"""What the values of a column look like: kinds, levels, cycles and words, with exact readings."""

from __future__ import annotations

import numpy as np
import pytest

from weft.tables.cells import number_cells, text_cells
from weft.tables.looks import (
    are_day_numbers,
    cycles_in,
    first_cell,
    identifier_reason,
    one_value,
    reads_date,
    within,
)
from weft.tables.numbers import PLAIN_NUMBERS, NumberFormat
from weft.tables.reading import Reading
from weft.tables.readings_by_kind import (
    category_reading,
    clock_reading,
    day_of_week,
    month_of_year,
    number_reading,
    ordered_reading,
    two_words,
    yes_no_reading,
)

MASS, SHARE = NumberFormat(unit="kg"), NumberFormat(unit="%")
MONEY = NumberFormat(unit="$", is_money=True)


@pytest.mark.parametrize(
    ("name", "numbers", "chosen", "kind"),
    [
        ("x", [0, 1, 1], PLAIN_NUMBERS, "yes/no"),
        ("x", [0, 1, 1], MASS, "number"),
        ("x", [0, 2], PLAIN_NUMBERS, "number"),
        ("x", [0, 1, 2], PLAIN_NUMBERS, "number"),
        ("x", [1, 2], MONEY, "amount"),
        ("price", [1, 2.5], PLAIN_NUMBERS, "amount"),
        ("price", [1, 2.5], MASS, "number"),
        ("x", [0.2, 1.5], SHARE, "share"),
        ("share", [0.0, 0.5, 1.0], PLAIN_NUMBERS, "share"),
        ("share", [-0.01, 0.5], PLAIN_NUMBERS, "number"),
        ("share", [0.5, 1.01], PLAIN_NUMBERS, "number"),
        ("count", [0, 3], PLAIN_NUMBERS, "count"),
        ("count", [-1, 3], PLAIN_NUMBERS, "number"),
        ("count", [0, 3.5], PLAIN_NUMBERS, "number"),
        ("count", [0, 3], MASS, "number"),
        ("x", [0, 3], PLAIN_NUMBERS, "number"),
    ],
)
def test_kinds_of_numbers(name, numbers, chosen, kind):
    values = np.array(numbers, dtype=float)
    whole = bool((values == np.floor(values)).all())
    found = number_reading(name, values, whole, chosen)
    if kind == "yes/no":
        assert found == Reading(name, "yes/no", "0 or 1", levels=("0", "1"))
    else:
        assert found == Reading(name, kind, "numbers", unit=chosen.unit, numbers=chosen)
        assert number_reading(name, values, whole, chosen, "in words").note == "in words"


def test_values_within_limits():
    assert within(np.array([0.0, 1.0]), 0.0, 1.0)
    assert not within(np.array([-1.0, 0.5]), 0.0, 1.0)
    assert not within(np.array([0.5, 2.0]), 0.0, 1.0)
    assert not within(np.array([]), 0.0, 1.0)


def test_the_first_and_the_last_day_as_a_number():
    days = [20240131.0, 20240229.0, 20240331.0, 20240430.0]
    assert are_day_numbers(np.array([18000101.0, *days]))
    assert not are_day_numbers(np.array([17991231.0, *days]))
    assert are_day_numbers(np.array([21001231.0, *days]))
    assert not are_day_numbers(np.array([21010101.0, *days]))
    assert not are_day_numbers(np.array([*days, days[0]]))  # four different days
    assert reads_date("20240131", "yearmonthday")
    assert not reads_date("20240132", "yearmonthday")


def test_identifiers_of_many_digits():
    # Nine digits in ten rows, each once; below 0 they are amounts.
    long = 100_000_000.0 + 7.0 * np.arange(10)
    assert identifier_reason("x", long) == (
        "numbers of 9 digits, each once: names of things, not amounts"
    )
    assert identifier_reason("x", -long) == ""
    assert identifier_reason("x", long[:9]) == ""
    assert identifier_reason("x", np.arange(-4.0, 6.0)) == "counts the rows (-4 to 5, each once)"


def test_cycles_of_dates_far_from_1970():
    days = 18_000.0 + np.arange(15.0)
    assert cycles_in(days[:10], "year-month-day") == []
    assert cycles_in(days, "year-month-day") == ["day of week"]
    assert cycles_in(days, "month-name year") == []
    # Ten days of two weeks, on two days of the week, and on three.
    assert cycles_in(18_000.0 + np.array([0.0, 1, 7, 8, 14, 15]), "year-month-day") == []
    three = 18_000.0 + np.array([0.0, 1, 2, 7, 8, 14, 15])
    assert cycles_in(three, "year-month-day") == ["day of week"]
    # Seven days of more than a year are too few for the time of year; less than a year as well.
    year = 18_000.0 + 7.0 * np.round(np.linspace(0.0, 53.0, 8))
    assert cycles_in(year, "year-month-day") == ["time of year"]
    assert cycles_in(year[[0, 1, 2, 3, 4, 5, 7]], "year-month-day") == []
    assert cycles_in(year - np.linspace(0.0, 8.0, 8) * (np.arange(8) == 7), "x") == []
    # Times that differ by less than a thousandth of an hour are one time.
    assert cycles_in(18_000.0 + np.array([0.0, 1e-5, 2e-5]), "x") == []
    assert cycles_in(18_000.0 + np.array([0.0, 1e-4, 2e-4]), "x") == ["time of day"]


def test_days_and_months_by_name():
    np.testing.assert_equal(list(map(day_of_week, ["Monday", "Sun", "x"])), [0.0, 6.0, np.nan])
    np.testing.assert_equal(list(map(month_of_year, ["Jan", "Dec", "x"])), [0.0, 11.0, np.nan])


def test_the_first_cell():
    assert first_cell(text_cells("c", [None, "b", "a"])) == "b"
    assert first_cell(number_cells("c", [np.nan, 2.5, 1.0])) == "2.5"


def test_columns_of_one_value():
    assert one_value(text_cells("c", ["yes", "yes"])) == "one value only (yes)"
    assert one_value(text_cells("c", ["yes", None, None])) == (
        "one value only (yes) besides 2 empty cells; if empty means no, write no"
    )


def test_categories():
    texts, counts = ["Red", "blue", "red ", "gone"], np.array([3, 2, 1, 0])
    assert category_reading("c", texts, counts) == Reading(
        "c",
        "category",
        "2 values, 3 with other spaces or capitals taken together",
        levels=("Red", "blue"),
    )
    assert category_reading("c", ["a", "b"], np.array([1, 1]), note="codes") == Reading(
        "c", "category", "codes", levels=("a", "b")
    )


def test_levels_in_order():
    assert ordered_reading("c", tuple("abcdef"), "as given") == Reading(
        "c", "ordered", "6 levels, as given: a, b, c, d, e, f", levels=tuple("abcdef")
    )
    assert ordered_reading("c", tuple("abcdefg"), "as given").note == (
        "7 levels, as given: a, b, c, d, e, f, …"
    )


def test_yes_and_no():
    assert yes_no_reading("c", ("No", "Yes")) == Reading(
        "c", "yes/no", "No or Yes", levels=("No", "Yes")
    )
    assert two_words(["Ja", "Nein"]) == ("Nein", "Ja")
    assert two_words(["x"]) == ("no", "yes")


def _circle(form, period, note):
    return Reading("c", "cyclic", note, form=form, parts=("",), periods=(period,))


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["1:30", "23:59"], _circle("clock", 24.0, "times of day: a circle of 24 hours")),
        (
            ["Mon", "sunday"],
            _circle("day name", 7.0, "days of the week: a circle of 7, 0 is Monday"),
        ),
        (["Jan", "May"], _circle("month name", 12.0, "months: a circle of 12, 0 is January")),
        (["1:30", "x"], None),
        (["x"], None),
        (
            ["1:30", "36:00"],
            Reading(
                "c",
                "number",
                "lengths of time in hours: '1:30' is 1.5",
                unit="h",
                form="duration",
            ),
        ),
    ],
)
def test_times_and_names_of_days(texts, found):
    assert clock_reading("c", texts) == found


def test_lengths_of_time_by_name():
    assert clock_reading("duration", ["1:30", "2:00"]).form == "duration"
    assert clock_reading("duration", ["1:30 pm", "2:00"]).form == "clock"
    assert clock_reading("duration", ["Mon", "Tue"]).form == "day name"


@pytest.mark.parametrize(
    ("last", "form"),
    [("08:07:14", "duration"), ("08:07:15", "clock"), ("08:07", "clock"), ("8:07:14 am", "clock")],
)
def test_times_within_a_quarter_of_the_day_are_a_line(last, form):
    # From 02:07:14 to 08:07:14 are six hours. Without seconds they may be appointments.
    times = ["02:07:14", "02:08:00", "02:30:59", "02:55:10"]
    reading = clock_reading("time", [*times, last])
    assert reading.form == form
    if form == "duration":
        assert (reading.kind, reading.unit) == ("number", "h")
    assert clock_reading("time", times).form == "clock"  # four are too few to tell
