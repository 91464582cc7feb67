"""Numbers and dates as people write them: what is written is what is read."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.tables.dates import (
    CYCLES,
    DATE_FORMS,
    MONTHLY,
    NUMBER_FORMS,
    SEVERAL,
    cycle_values,
    day_name,
    find_form,
    find_number_form,
    month_name,
    read_clock,
    read_date,
)
from weft.tables.numbers import find_format, settled_signs

SIGNS = [
    ("", "."),
    ("", ","),
    (",", "."),
    (".", ","),
    (" ", ","),
    (" ", "."),
    ("'", "."),
    ("'", ","),
]
UNITS = ["", "$", "€", "£", "CHF", "zł", "%", "kg", "°C"]
amounts = st.integers(-(10**11), 10**11).map(lambda cents: cents / 100)


def written(number: float, thousands: str, decimal: str) -> str:
    """Two decimals, the digits in groups of three."""
    plain = f"{abs(number):,.2f}"
    signs = {",": thousands, ".": decimal}
    digits = "".join(signs.get(char, char) for char in plain)
    return f"-{digits}" if number < 0 else digits


@given(st.lists(amounts, min_size=1, max_size=20), st.sampled_from(SIGNS), st.sampled_from(UNITS))
def test_what_is_written_is_read(numbers, signs, unit):
    before = unit in ("$", "€", "£")
    texts = []
    for number in numbers:
        digits = written(number, *signs)
        texts.append(f"{unit}{digits}" if before else f"{digits} {unit}".strip())
    chosen = find_format(texts)
    read = [chosen.read(text) for text in texts]
    assert chosen.read_all(texts) == read
    share = 100 if unit == "%" else 1
    np.testing.assert_allclose(read, np.array(numbers) / share, rtol=1e-12)
    assert chosen.unit == unit
    assert chosen.is_money == (unit in ("$", "€", "£", "CHF", "zł"))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_as_python_writes_them_are_read_to_the_last_bit(number):
    text = repr(number)
    assert find_format([text]).read(text) == number
    assert find_format([text]).read_all([text]) == [number]


@given(st.text(max_size=20))
def test_any_text_is_a_number_or_none(text):
    number = find_format([text]).read(text)
    np.testing.assert_array_equal(find_format([text]).read_all([text]), [number])
    assert math.isnan(number) or math.isfinite(number) or len(text) > 3


@given(st.lists(st.integers(1000, 999_999), min_size=2, max_size=10))
def test_groups_of_three_are_ambiguous_and_said_to_be(numbers):
    texts = [f"{number:,}" for number in numbers]
    chosen = find_format(texts)
    assert chosen.is_ambiguous
    assert [chosen.read(text) for text in texts] == numbers
    assert "could be a decimal sign" in chosen.words
    # Another column of the table settles it.
    decimal = find_format(texts, hint=("", ","))
    assert [decimal.read(text) for text in texts] == [number / 1000 for number in numbers]


def test_money_in_groups_of_three_after_a_point_is_thousands():
    salaries = find_format(["58.019 €", "102.400 €", "9.500 €"])
    assert salaries.read("58.019 €") == 58019.0
    assert "'.' could be a decimal sign too" in salaries.words
    # Prices of fuel have three digits after the point, and one before it.
    assert find_format(["1.459 €", "1.529 €"]).read("1.459 €") == 1.459
    assert find_format(["58.019", "102.400"]).read("58.019") == 58.019  # no money


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["$1,910.50", "$20.00"], [1910.5, 20.0]),
        (["€1.234,50", "€2,00"], [1234.5, 2.0]),
        (["20,7 %", "100 %"], [0.207, 1.0]),
        (["5‰", "30‰"], [0.005, 0.03]),
        (["($3,000.10)", "$5.00"], [-3000.1, 5.0]),
        (["5-", "−3", "+2"], [-5.0, -3.0, 2.0]),
        (["12,34,567.50", "1,23,456"], [1234567.5, 123456.0]),  # India
        (["$1.2M", "$300k", "$2bn"], [1.2e6, 3e5, 2e9]),
        (["1\u202f234,5", "12"], [1234.5, 12.0]),
        (["1e5", "2.5E-3"], [1e5, 2.5e-3]),
        (["USD 30", "USD 4.50"], [30.0, 4.5]),
        (["30 kr", "4,50 kr"], [30.0, 4.5]),
        ([".5", "1."], [0.5, 1.0]),
        (["120k", "95.5k", "1.2M", "800"], [120e3, 95.5e3, 1.2e6, 800.0]),
        (["45 m²", "7,5 m²"], [45.0, 7.5]),
        (["45 m2", "80 m2"], [45.0, 80.0]),
    ],
)
def test_numbers_by_hand(texts, numbers):
    chosen = find_format(texts)
    np.testing.assert_allclose([chosen.read(text) for text in texts], numbers)


@pytest.mark.parametrize(
    "text", ["", "abc", "1,2,3", "1.2.3", "12-34", "5M", "1/2", "$", "--5", "(5", "1 2", "5 kg m"]
)
def test_what_is_no_number(text):
    assert math.isnan(find_format([text]).read(text))


def test_the_short_cut_reads_no_more_than_the_long_way():
    chosen = find_format(["$1,234.50", "$2.00", "$30"])
    odd = ["1$5", "$5$", "-$5", "-0,123", "0,123", "$-5", "5 $", "$ 5", "1,23", "$", "", "5.", "05"]
    np.testing.assert_array_equal(chosen.read_all(odd), [chosen.read(text) for text in odd])


def test_another_unit_is_not_read():
    chosen = find_format(["5 kg", "6 kg", "7 kg", "500 g"])
    assert chosen.read("6 kg") == 6
    assert math.isnan(chosen.read("500 g"))


def test_signs_that_leave_no_doubt():
    assert settled_signs(["1.234,50"]) == (".", ",")
    assert settled_signs(["1,234"]) is None
    assert settled_signs(["12.5"]) is None


# Dates ----------------------------------------------------------------------------------------

PATTERNS = {
    "year-month-day": "%Y-%m-%d",
    "day.month.year": "%d.%m.%Y",
    "month/day/year": "%m/%d/%Y",
    "day/month/year": "%d/%m/%Y",
    "day month-name year": "%d %B %Y",
    "month-name day year": "%b %d, %Y",
    "yearmonthday": "%Y%m%d",
}
days = st.dates(date(1900, 1, 1), date(2100, 12, 31))


def test_every_form_is_tried_here():
    others = {*MONTHLY, "year-week", SEVERAL, *NUMBER_FORMS}
    assert set(PATTERNS) | others == set(DATE_FORMS)


def test_numbers_are_days_in_the_units_of_spreadsheets_and_clocks():
    # 2024-01-31 is day 45322 of a spreadsheet, and 19753 days after 1970-01-01.
    assert read_date("45322", "spreadsheet days") == 19753.0
    assert read_date(str(19753 * 86400), "seconds since 1970") == 19753.0
    assert read_date(str(19753 * 86400_000), "milliseconds since 1970") == 19753.0
    assert find_number_form(np.array([45322.0, 45000.0])) == "spreadsheet days"
    assert find_number_form(np.array([1.0, 2.0])) == ""


def test_several_forms_are_read_where_no_cell_has_two_meanings():
    assert find_form(["2024-01-31", "01.02.2024"])[0].form == SEVERAL
    assert math.isnan(read_date("03/04/2024", SEVERAL))


@given(st.lists(days, min_size=1, max_size=12), st.sampled_from(list(PATTERNS)))
def test_dates_are_read_as_written(moments, form):
    texts = [moment.strftime(PATTERNS[form]) for moment in moments]
    expected = [(moment - date(1970, 1, 1)).days for moment in moments]
    assert [read_date(text, form) for text in texts] == expected
    found, count = find_form(texts)
    assert count == len(texts)
    if not found.is_ambiguous:
        assert [read_date(text, found.form) for text in texts] == expected


@given(st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)))
def test_moments_are_read_to_the_second(moment):
    moment = moment.replace(microsecond=0)
    expected = (moment - datetime(1970, 1, 1)) / timedelta(days=1)
    read = read_date(moment.isoformat(), "year-month-day")
    assert read == pytest.approx(expected, abs=1e-6)


@given(st.lists(days, min_size=1, max_size=12))
def test_cycles_agree_with_the_calendar(moments):
    numbers = np.array([(moment - date(1970, 1, 1)).days for moment in moments], dtype=float)
    week = cycle_values(numbers, "day of week")
    assert week.tolist() == [moment.weekday() for moment in moments]
    year = cycle_values(numbers, "time of year")
    assert ((year >= 0) & (year < CYCLES["time of year"])).all()
    for moment, place in zip(moments, year, strict=True):
        assert abs(place - (moment.month - 1 + (moment.day - 1) / 30.5)) < 0.15


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ("2024-02-30", "year-month-day", None),
        ("31/04/2024", "day/month/year", None),
        ("2024-01-01T12:00:00+02:00", "year-month-day", 19723 + 10 / 24),
        ("2024-01-01 12:30 AM", "year-month-day", 19723 + 0.5 / 24),
        ("3rd March 2024", "day month-name year", 19785),
        ("Mon, Jan 1, 2024", "month-name day year", 19723),
        ("Jan 2024", "month-name year", 19723),
        ("2024-01", "year-month", 19723),
        ("01/02/69", "day/month/year", 36191),
        ("01/02/70", "day/month/year", 31),
    ],
)
def test_dates_by_hand(text, form, expected):
    read = read_date(text, form)
    assert math.isnan(read) if expected is None else read == pytest.approx(expected)


def test_a_day_above_twelve_settles_the_order():
    ambiguous, _ = find_form(["03/04/2024", "05/06/2023"])
    assert ambiguous.is_ambiguous
    settled, count = find_form(["03/04/2024", "25/06/2023"])
    assert (settled.form, settled.is_ambiguous, count) == ("day/month/year", False, 2)


def test_names_of_days_and_months():
    assert [day_name(text) for text in ("Mon", "tues", "SUNDAY", "Moon")] == [0, 1, 6, -1]
    assert [month_name(text) for text in ("Jan.", "sept", "MAY", "moon")] == [0, 8, 4, -1]


def test_clock_times():
    assert read_clock("14:30") == 14.5
    assert read_clock("2:30 pm") == 14.5
    assert read_clock("12:00 am") == 0.0
    assert math.isnan(read_clock("25:00"))
    assert math.isnan(read_clock("13:00 pm"))
