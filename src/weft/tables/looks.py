"""What the values of a column look like."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft.tables.blanks import BLANKS
from weft.tables.cell_texts import number_text
from weft.tables.cells import Cells
from weft.tables.dates import (
    MONTHLY,
    cycle_values,
    read_date,
)
from weft.tables.headers import NO_FIRST_NAME
from weft.tables.hints import (
    could_be_id,
    is_case,
    is_row_name,
    looks_like,
    looks_like_code,
    looks_like_id,
)
from weft.tables.level_codes import fold
from weft.tables.number_notes import LIMITS
from weft.tables.scales import ordered_scale

FEW_LEVELS = 20
MOST_LEVELS = 100
ROWS_PER_LEVEL = 5
WORDS = 5  # number of words from which texts count as sentences
# A run of whole numbers without a gap is a counter only if it is too long to be a coincidence.
MIN_COUNTER = 10
SAMPLE = 5000  # distinct texts that are examined to find how numbers and dates are written
LONG_NUMBER = 9  # digits from which distinct whole numbers are identifiers
# Codes such as "PC 17609" among numbers: their share of the texts that are no digits, the share of
# these of all texts, and how many different beginnings they have at least.
CODES, MIXED, BEGINNINGS = 0.9, 0.05, 3
# Texts among numbers that are levels: how many there are, and their share of the rows.
OTHERS, OTHER_ROWS = 3, 0.1
_CODE = re.compile(r"(?P<letters>[A-Z][A-Z./]*)[^a-z]*\d[^a-z]*")


def few_levels(n_levels: int, n_rows: int) -> bool:
    """Return whether this many values in this many rows are levels of a category."""
    if n_levels <= FEW_LEVELS and n_levels <= 0.5 * n_rows:
        return True
    return n_levels <= MOST_LEVELS and n_rows >= ROWS_PER_LEVEL * n_levels


def is_prose(texts: list[str], n_rows: int) -> bool:
    """Return whether distinct texts are sentences: several words each, and seldom the same."""
    return len(texts) > 0.1 * n_rows and sum(len(text.split()) for text in texts) >= WORDS * len(
        texts
    )


def within(values: Floats, low: float, high: float) -> bool:
    return bool(len(values) and values.min() >= low and values.max() <= high)


def is_whole(numbers: Floats) -> bool:
    return bool((numbers == np.floor(numbers)).all())


def identifier_reason(name: str, numbers: Floats) -> str:
    """Return why numbers do not look like measurements, "" where they may be."""
    if is_row_name(name):
        return "names of rows"
    if not is_whole(numbers):
        return ""
    n, n_distinct = len(numbers), len(np.unique(numbers))
    if looks_like_id(name) or (is_case(name) and n_distinct > 2):
        return "whole numbers in a column named like an identifier"
    low, high = float(numbers.min()), float(numbers.max())
    if n >= MIN_COUNTER and n_distinct == n:
        if high - low == n - 1:
            return f"counts the rows ({low:.0f} to {high:.0f}, each once)"
        if could_be_id(name):
            return "whole numbers, each once, in a column named like an identifier"
        digits = len(f"{abs(low):.0f}")
        is_measured = looks_like("amount", name) or looks_like("count", name)
        is_long = low > 0 and digits >= LONG_NUMBER and digits == len(f"{high:.0f}")
        if is_long and not is_measured:
            return f"numbers of {digits} digits, each once: names of things, not amounts"
        if name == NO_FIRST_NAME:
            return "whole numbers in a first column without a name, each once: numbers of rows"
    return ""


def are_names(name: str, texts: Sequence[str]) -> bool:
    """Return whether texts, some of which are digits, name things: "12, 12a", "2144, PC 17609".

    Letters among numbers are a typing error, unless the column is named like an identifier, or a
    part of the cells are codes with several beginnings.
    """
    others = [text for text in texts if not text.isdigit() and text.lower() not in BLANKS]
    if not others or len(others) == len(texts):
        return False
    if looks_like_code(name):
        return True
    if looks_like_id(name) or could_be_id(name) or is_case(name):
        return all(any(sign.isalpha() for sign in text) for text in others)
    codes = [match["letters"] for match in map(_CODE.fullmatch, others) if match is not None]
    return (
        len(codes) >= CODES * len(others)
        and len(others) >= MIXED * len(texts)
        and len(set(codes)) >= BEGINNINGS
    )


def are_levels(texts: Sequence[str], counts: Integers, is_meant: Mask, bad: Mask) -> bool:
    """Return whether the texts among numbers are levels, such as "3+", "J" or "5-15k"."""
    n, others = int(counts[is_meant].sum()), counts[bad]
    if len(texts) <= FEW_LEVELS and n >= ROWS_PER_LEVEL * len(texts) and others.min() > 1:
        return True
    if not few_levels(len(texts), n):
        return False
    if len(others) >= OTHERS and others.sum() >= max(2 * len(others), OTHER_ROWS * n):
        return True
    return len(others) > 1 and ordered_scale([fold(text) for text in texts]) is not None


def are_limits(texts: Sequence[str], n_rows: int) -> bool:
    """Return whether texts such as "<40" and ">=40" are levels: no cell is a plain number."""
    return few_levels(len(texts), n_rows) and all(text[:1] in LIMITS for text in texts)


def are_day_numbers(numbers: Floats) -> bool:
    """Return whether numbers are days such as 20240131, all of them."""
    if not within(numbers, 18000101, 21001231) or len(np.unique(numbers)) < 5:
        return False
    return all(reads_date(number_text(number), "yearmonthday") for number in np.unique(numbers))


def reads_date(text: str, form: str) -> bool:
    return not math.isnan(read_date(text, form))


def some_of(texts: list[str]) -> list[str]:
    """Return texts from all parts of a long list: enough to find how they are written."""
    return texts[:: max(len(texts) // SAMPLE, 1)]


def cycles_in(days: Floats, form: str) -> list[str]:
    """Return the cycles that dates cover, given their distinct values."""
    span = float(days[-1] - days[0])
    n_days = np.floor(days[-1]) - np.floor(days[0]) + 1.0  # both ends count
    dates = np.floor(days).astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    found = []
    if n_days >= 365.0 and len(days) >= 8 and len(np.unique(months.astype(np.int64) % 12)) >= 3:
        found.append("time of year")
    # Dates that are all the first or the last of a month stand for months: their days of the week
    # mean nothing.
    ends = (day.astype("datetime64[M]").astype(day.dtype) == day for day in (dates, dates + 1))
    monthly = form in MONTHLY or any(bool(each.all()) for each in ends)
    if span >= 14.0 and not monthly and len(np.unique(cycle_values(days, "day of week"))) >= 3:
        found.append("day of week")
    if len(np.unique(cycle_values(days, "time of day").round(3))) >= 3:
        found.append("time of day")
    return found


def first_cell(cells: Cells) -> str:
    if cells.form == "text":
        return cells.texts[int(cells.codes[cells.codes >= 0][0])]
    return number_text(float(cells.numbers[~np.isnan(cells.numbers)][0]))


def one_value(cells: Cells) -> str:
    """Return why a column of text with one value is not used."""
    n_empty = int(cells.is_missing.sum())
    words = f"one value only ({cells.texts[0]})"
    return (
        f"{words} besides {n_empty} empty cells; if empty means no, write no" if n_empty else words
    )
