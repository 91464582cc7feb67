"""Parts of dates: years, months, hours, zones, lengths of time, cycles; both sides of limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from weft.tables.dates import (
    SEVERAL,
    DateForm,
    cycle_values,
    day_name,
    days_of_numbers,
    find_form,
    find_number_form,
    read_clock,
    read_date,
)
from weft.tables.months import month_name

NONE = math.nan


@pytest.mark.parametrize(
    ("texts", "form", "is_ambiguous", "count"),
    [
        ([], "year-month-day", False, 0),
        (["x"], "year-month-day", False, 0),
        (["2024-01-31"], "year-month-day", False, 1),
        (["2024-01-31", "x"], "year-month-day", False, 1),
        (["2024-01-31", "31.01.2024"], SEVERAL, False, 2),
        (["2024-01-31", "31.01.2024", "x"], "year-month-day", False, 1),
        (["01/02/2024"], "month/day/year", True, 1),
        (["01/02/2024", "x"], "month/day/year", True, 1),
        (["01/13/2024"], "month/day/year", False, 1),
        (["13/01/2024", "01/02/2024"], "day/month/year", False, 2),
        (["20240131"], "yearmonthday", False, 1),
        (["2024-01"], "year-month", False, 1),
        (["Jan 2024", "March 2023"], "month-name year", False, 2),
    ],
)
def test_forms_of_columns(texts, form, is_ambiguous, count):
    assert find_form(texts) == (DateForm(form, is_ambiguous), count)


@pytest.mark.parametrize(
    ("text", "form", "day"),
    [
        # 1700 and 2200 are the first and the last year; -98615 = the days from 1700 to 1970.
        ("1700-01-01", "year-month-day", -98615.0),
        ("1699-12-31", "year-month-day", NONE),
        ("2200-12-31", "year-month-day", 84370.0),
        ("2201-01-01", "year-month-day", NONE),
        ("1970-00-01", "year-month-day", NONE),
        ("1970-01-01", "year-month-day", 0.0),
        ("1970-12-01", "year-month-day", 334.0),
        ("1970-13-01", "year-month-day", NONE),
        ("1970-02-29", "year-month-day", NONE),
        ("1970-03", "year-month", 59.0),
        ("1970 Mar", "year month-name", 59.0),
        ("1970-March", "year month-name", 59.0),
        ("1970 Max", "year month-name", NONE),
        ("1970-00", "year-month", NONE),
        ("1970-13", "year-month", NONE),
        ("Foo 1970", "month-name year", NONE),
        # As spreadsheets write months; "Mar 70" could be a day of March.
        ("Mar-70", "month-name year", 59.0),
        ("Mar '70", "month-name year", 59.0),
        ("Mar 70", "month-name year", NONE),
        ("1970Q1", "year-quarter", 0.0),
        ("1970-Q2", "year-quarter", 90.0),
        ("Q2 1970", "year-quarter", 90.0),
        ("Q5 1970", "year-quarter", NONE),
        ("Q1 1970 Q1", "year-quarter", NONE),
        ("1970", "year-quarter", NONE),
        # 1970-01-01 was a Thursday: week 1 starts on 1969-12-29.
        ("1970-W01", "year-week", -3.0),
        ("1970 W01", "year-week", -3.0),
        ("1970W02", "year-week", 4.0),
        ("1971-W53", "year-week", NONE),
        ("1.2.70", "day.month.year", 31.0),
        ("1.2.69", "day.month.year", 36191.0),
        (" 2.1.1970 ", "day.month.year", 1.0),
        # Hours, minutes and seconds as a part of a day, in UTC.
        ("1970-01-02 06:00", "year-month-day", 1.25),
        ("1970-01-02 06:36", "year-month-day", 1.275),
        ("1970-01-02 00:00:43.2", "year-month-day", 1.0005),
        ("1970-01-02 23:59:59", "year-month-day", 2 - 1 / 86400),
        ("1970/01/02 7:00:00 AM GMT+1", "year-month-day", 1.25),
        ("1970-01-02 06:00:00-06", "year-month-day", 1.5),
        ("1970-01-02 06:00 UTC-05:30", "year-month-day", 1 + 11.5 / 24),
        ("1970-01-02 06:00 GMT", "year-month-day", 1.25),
        ("1970-01-02 24:00", "year-month-day", NONE),
        ("1970-01-02 06:60", "year-month-day", NONE),
        ("1970-01-02 06:00:60", "year-month-day", NONE),
        ("1970-01-02 06:00Z", "year-month-day", 1.25),
        ("1970-01-02 06:00+06:00", "year-month-day", 1.0),
        ("1970-01-02 06:00-06:00", "year-month-day", 1.5),
        ("1970-01-02 05:30+0530", "year-month-day", 1.0),
        ("1970-01-02 6:00 pm", "year-month-day", 1.75),
        ("x", "spreadsheet days", NONE),
        ("25569.5", "spreadsheet days", 0.5),
        ("31.01.1970", SEVERAL, 30.0),
        ("x", SEVERAL, NONE),
    ],
)
def test_days_of_texts(text, form, day):
    read = read_date(text, form)
    assert math.isnan(read) if math.isnan(day) else read == pytest.approx(day, abs=1e-9)


def test_units_of_days():
    # Day 0 of a spreadsheet is 25569 days before 1970.
    assert days_of_numbers(np.array([0.0, 25570.0]), "spreadsheet days").tolist() == [-25569, 1]
    assert days_of_numbers(np.array([43200.0]), "seconds since 1970").tolist() == [0.5]


@pytest.mark.parametrize(
    ("numbers", "form"),
    [
        # The days from 3652 to 34432 after 1970, in each unit.
        ([29221.0, 60001.0], "spreadsheet days"),
        ([29220.0, 60001.0], ""),
        ([29221.0, 60002.0], ""),
        ([3652.0 * 86400, 34432.0 * 86400], "seconds since 1970"),
        ([3651.9 * 86400], ""),
        ([34432.1 * 86400], ""),
        ([3652.0 * 86.4e6, 34432.0 * 86.4e6], "milliseconds since 1970"),
        ([], ""),
    ],
)
def test_units_of_columns_of_numbers(numbers, form):
    assert find_number_form(np.array(numbers)) == form


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("0:00", 0.0),
        ("6:36", 6.6),
        ("06:00:36", 6.01),
        ("23:59:59", 24 - 1 / 3600),
        ("24:00", NONE),
        ("6:60", NONE),
        ("6:00:60", NONE),
        ("12:30 am", 0.5),
        ("12:30 pm", 12.5),
        ("1:00 a.m.", 1.0),
        ("1:00 PM", 13.0),
        ("0:30 am", NONE),
        ("13:00 am", NONE),
        (" 6:00 ", 6.0),
        ("6", NONE),
    ],
)
def test_times_of_day(text, hours):
    read = read_clock(text)
    assert math.isnan(read) if math.isnan(hours) else read == pytest.approx(hours, abs=1e-9)


def test_names_in_full_and_in_short():
    days = [day_name(text) for text in ("monday", "Tue", " WED. ", "thurs", "Fr", "sat", "sunday")]
    assert days == [0, 1, 2, 3, -1, 5, 6]
    months = [month_name(text) for text in ("january", "FEB", "sept.", "december", "decem", "")]
    assert months == [0, 1, 8, 11, -1, -1]


def test_places_on_cycles():
    # 1970-01-01 was a Thursday, day 3 of the week. Day 730 is the first of 1972, a leap year, of
    # which 61 of 366 days are a sixth.
    moments = np.array([0.0, 0.25, np.nan, -0.75, 4.0, 730.0, 791.0, 364.0])
    np.testing.assert_allclose(
        cycle_values(moments, "time of day"), [0.0, 6.0, np.nan, 6.0, 0.0, 0.0, 0.0, 0.0]
    )
    np.testing.assert_array_equal(
        cycle_values(moments, "day of week"), [3, 3, np.nan, 2, 0, 5, 3, 3]
    )
    np.testing.assert_allclose(
        cycle_values(moments, "time of year"),
        [
            *(0.0, 12 * 0.25 / 365, np.nan, 12 * 364.25 / 365),
            *(12 * 4 / 365, 0.0, 12 * 61 / 366, 12 * 364 / 365),
        ],
        atol=1e-12,
    )


@pytest.mark.parametrize(
    ("zone", "hours"),
    [
        # 10:00 in a zone that is 5:30 ahead is 4:30 in UTC, however the zone is written.
        *((zone, 4.5) for zone in ("+05:30", "+5:30", "+530", " GMT+5:30", " UTC+0530")),
        (" GMT-5:30", 15.5),
        ("+5", 5.0),
        ("+14:00", -4.0),
        # No zone is 18 hours behind: this is a span of time, which no single moment stands for.
        ("-18:00", NONE),
    ],
)
def test_zones_with_minutes(zone, hours):
    days = read_date(f"1970-01-01 10:00{zone}", "year-month-day")
    np.testing.assert_allclose(24.0 * days, hours)


@pytest.mark.parametrize("number", [1e12, 1e19, -1e300])
def test_numbers_that_are_no_days(number):
    """The largest day is in 2200, number 109,939 of a spreadsheet: 84,370 + 25,569."""
    days = days_of_numbers(np.array([number, 109_939.0, 109_940.0]), "spreadsheet days")
    np.testing.assert_array_equal(days, [NONE, 84_370.0, NONE])
    assert math.isnan(read_date(str(number), "spreadsheet days"))
