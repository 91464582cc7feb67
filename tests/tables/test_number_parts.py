"""Parts of reading numbers: digits, signs of thousands and decimals, units, formats of columns."""

from __future__ import annotations

import math

import numpy as np
import pytest

from weft.tables.numbers import (
    NumberFormat,
    _number,
    _shape,
    find_format,
    money_signs,
    settled_signs,
)

NONE = math.nan


@pytest.mark.parametrize(
    ("core", "thousands", "decimal", "number"),
    [
        ("1234", "", ".", 1234.0),
        ("12.5", "", ".", 12.5),
        ("12,5", "", ".", NONE),
        ("12,5", "", ",", 12.5),
        ("12.", "", ".", 12.0),
        (".5", "", ".", 0.5),
        (".", "", ".", NONE),
        ("1.5.2", "", ".", NONE),
        # Groups of three behind a head of one to three digits, which is not 0.
        ("1,234", ",", ".", 1234.0),
        ("12,234", ",", ".", 12234.0),
        ("123,234", ",", ".", 123234.0),
        ("1234,567", ",", ".", NONE),
        (",234", ",", ".", NONE),
        ("0,123", ",", ".", NONE),
        ("1,23", ",", ".", NONE),
        ("1,2345", ",", ".", NONE),
        ("1,234,567.5", ",", ".", 1234567.5),
        ("1,2,345", ",", ".", NONE),
        ("1,2345,678", ",", ".", NONE),
        # As in India: groups of two, and three digits at the end.
        ("1,23,456", ",", ".", 123456.0),
        ("12,34,567", ",", ".", 1234567.0),
        ("123,45,678", ",", ".", NONE),
        ("1,23,456,789", ",", ".", NONE),
        ("1.23.456", ".", ",", NONE),
        ("1.234,5", ".", ",", 1234.5),
        ("1234", ",", ".", 1234.0),
        ("1\u00a0234 567", " ", ",", 1234567.0),
        ("1'234’567.5", "'", ".", 1234567.5),
        ("1_234", "_", ".", 1234.0),
        ("5 ", "", ".", 5.0),
    ],
)
def test_digits_with_signs(core, thousands, decimal, number):
    np.testing.assert_equal(_number(core, thousands, decimal, ""), number)


def test_powers_of_ten():
    assert _number("1.5", "", ".", "e3") == 1500.0
    assert find_format(["2E-3"]).read("2E-3") == 0.002


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("5k", 5e3),
        ("5M", NONE),  # metres, millions or a size
        ("5K", 5e3),
        ("5B", NONE),
        ("5.0M", 5e6),
        ("5,0B", 5e9),
        ("5.0bn", 5e9),
        ("$5M", 5e6),
        ("5M €", 5e6),
        ("5k kg", NONE),
        ("5.5k kg", NONE),
        ("$5€", NONE),
        ("-$-5", NONE),
        ("-$5", -5.0),
        ("+$5", 5.0),
        ("(5)", -5.0),
        ("(5", NONE),
        ("5)", NONE),
        (">=5", 5.0),
        ("١٢", 12.0),
        ("5 m²", 5.0),
        ("5 %", 0.05),
        ("5‰", 0.005),
    ],
)
def test_what_stands_around_the_digits(text, number):
    np.testing.assert_equal(find_format([text]).read(text), number)
    np.testing.assert_equal(find_format([text]).read_all([text]), [number])


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ([], NumberFormat()),
        (["x"], NumberFormat()),
        (["5"], NumberFormat("", ".")),
        (["1.2,3.4 €"], NumberFormat(unit="€", is_money=True)),  # no signs read it
        (["1,5"], NumberFormat("", ",")),
        (["1,234.5"], NumberFormat(",", ".")),
        (["1.234,5 kg", "5"], NumberFormat(".", ",", "kg")),
        (["1 234"], NumberFormat(" ", ".")),
        # A sign of thousands or of decimals: groups of three are thousands after a comma.
        (["1,234", "5"], NumberFormat(",", ".", is_ambiguous=True)),
        (["1.234", "5"], NumberFormat("", ".", is_ambiguous=True)),
        (["12.345"], NumberFormat("", ".", is_ambiguous=True)),
        # In money they are thousands after a point too, if a number has two digits before it.
        (["9.500 €", "8"], NumberFormat("", ".", "€", True, True)),
        (["9.500 €", "10.500 €"], NumberFormat(".", ",", "€", True, True)),
        (["10.500 €"], NumberFormat(".", ",", "€", True, True)),
        (["10.500 kg"], NumberFormat("", ".", "kg", False, True)),
        # The unit that occurs most, the first of those that occur as often; money by its sign.
        (["5 g", "6 kg", "7 kg", "8"], NumberFormat(unit="kg")),
        (["5 g", "6 kg"], NumberFormat(unit="g")),
        (["5‰", "6"], NumberFormat(unit="%")),
        (["$5", "6 kg", "$7"], NumberFormat(unit="$", is_money=True)),
        (["5 CHF", "6"], NumberFormat(unit="CHF", is_money=True)),
    ],
)
def test_formats_of_columns(texts, found):
    assert find_format(texts) == found


def test_signs_of_another_column_come_first_but_must_read_the_cells():
    assert find_format(["1,234"], hint=("", ",")) == NumberFormat("", ",")
    assert find_format(["1.234"], hint=(".", ",")) == NumberFormat(".", ",")
    assert find_format(["1,5"], hint=(",", ".")) == NumberFormat("", ",")


def test_units_that_a_format_takes():
    plain, mass = NumberFormat(), NumberFormat(unit="kg")
    money = NumberFormat(unit="$", is_money=True)
    texts = ["5", "5 %", "5 kg", "5 g", "$5", "5 €"]
    np.testing.assert_equal(plain.read_all(texts), [5.0, 0.05, NONE, NONE, NONE, NONE])
    np.testing.assert_equal(mass.read_all(texts), [5.0, 0.05, 5.0, NONE, NONE, NONE])
    np.testing.assert_equal(money.read_all(texts), [5.0, 0.05, NONE, NONE, 5.0, 5.0])


def test_signs_that_cells_settle():
    assert settled_signs(["1,234.5"]) == (",", ".")
    assert settled_signs(["1,5"]) == ("", ",")
    assert settled_signs(["1.234"]) is None
    assert settled_signs(["1.5"]) is None
    assert settled_signs([]) is None


def test_signs_of_money():
    assert money_signs(["$5", "x", "6 €", "7 kg", "8", "$9", "10 CHF"]) == ["$", "€", "CHF"]


def test_words_of_formats():
    assert NumberFormat(unit="kg").words == "numbers in kg"
    assert NumberFormat(" ", ",", "€", True, True).words == (
        "money in €, thousands by space, decimals by ',', ' ' could be a decimal sign too"
    )
    assert NumberFormat("", ",", is_ambiguous=True).words == (
        "decimals by ',', ',' could be a thousands sign too"
    )


@pytest.mark.parametrize("text", ["5 kg 6", "five", "$5 kg", "5 5 kg-"])
def test_shapes_of_other_texts(text):
    assert _shape(text) is None or math.isnan(find_format([text]).read(text))


@pytest.mark.parametrize(
    ("texts", "numbers", "unit"),
    [
        # A dash in the place of the cents is not a minus sign.
        (["CHF 52'000.-", "CHF 850.50", "CHF -7.-"], [52000.0, 850.5, -7.0], "CHF"),
        (["40,- €", "1.200,-- €", "-3,50 €"], [40.0, 1200.0, -3.5], "€"),
        (["12.–", "5-"], [12.0, -5.0], ""),
        (["120 km/h", "90 km/h"], [120.0, 90.0], "km/h"),
        (["5.5 l/100km", "6 l/100km"], [5.5, 6.0], "l/100km"),
        (["23.1 kg/m2", "25 kg/m2"], [23.1, 25.0], "kg/m2"),
        (["150 p.", "90 p."], [150.0, 90.0], "p."),
        (["1.5 million", "2 billion"], [1.5e6, 2e9], ""),
        (["1,2 Mio. €", "800 Tsd. €"], [1.2e6, 8e5], "€"),
        (["12a/3", "5 a.m.", "1/2"], [NONE, NONE, NONE], ""),
    ],
)
def test_cents_units_and_scales_in_words(texts, numbers, unit):
    found = find_format(texts)
    np.testing.assert_equal(found.read_all(texts), numbers)
    assert found.unit == unit


def test_the_longest_unit_fits_into_a_model_file():
    text = "5 kilobyte/100 second²"
    assert len(find_format([text]).unit) == 20
