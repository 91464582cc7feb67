"""What the values of a column look like: few levels, sentences, numbers of things, days."""

from __future__ import annotations

import math

import numpy as np

from weft._base.arrays import Floats
from weft.tables.cells import Cells
from weft.tables.dates import cycle_values, day_name, month_name, read_date
from weft.tables.hints import looks_like_id
from weft.tables.reading import number_text

FEW_LEVELS = 20
MOST_LEVELS = 100
ROWS_PER_LEVEL = 5
WORDS = 5  # from which texts are taken for sentences
# A run of whole numbers without a gap is a counter only if it is too long to be a coincidence.
MIN_COUNTER = 10
SAMPLE = 5000  # distinct texts that are looked at to find how numbers and dates are written
LONG_NUMBER = 9  # digits from which whole numbers that are all different are numbers of things


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


def identifier_reason(name: str, numbers: Floats) -> str:
    """Return why whole numbers do not look like measurements, "" where they may be."""
    if looks_like_id(name):
        return "whole numbers in a column named like an identifier"
    n, n_distinct = len(numbers), len(np.unique(numbers))
    low, high = float(numbers.min()), float(numbers.max())
    if n >= MIN_COUNTER and n_distinct == n:
        if high - low == n - 1:
            return f"counts the rows ({low:.0f} to {high:.0f}, each once)"
        digits = len(f"{abs(low):.0f}")
        if low > 0 and digits >= LONG_NUMBER and digits == len(f"{high:.0f}"):
            return f"numbers of {digits} digits, each once: names of things, not amounts"
    return ""


def are_day_numbers(numbers: Floats) -> bool:
    """Return whether numbers are days such as 20240131, all of them."""
    if not within(numbers, 18000101, 21001231) or len(np.unique(numbers)) < 5:
        return False
    return all(reads_date(number_text(number), "yearmonthday") for number in np.unique(numbers))


def reads_date(text: str, form: str) -> bool:
    return not math.isnan(read_date(text, form))


def some_of(texts: list[str]) -> list[str]:
    """Return texts from all over a long list: enough to tell how they are written."""
    return texts[:: max(len(texts) // SAMPLE, 1)]


def cycles_in(days: Floats, form: str) -> list[str]:
    """Return the cycles that dates have gone through, given their distinct values."""
    span = float(days[-1] - days[0])
    found = []
    if span >= 365.0 and len(days) >= 8:
        found.append("time of year")
    monthly = form in ("month-name year", "year-month")
    if span >= 14.0 and not monthly and len(np.unique(cycle_values(days, "day of week"))) >= 3:
        found.append("day of week")
    if len(np.unique(cycle_values(days, "time of day").round(3))) >= 3:
        found.append("time of day")
    return found


def day_of_week(text: str) -> float:
    return math.nan if day_name(text) < 0 else float(day_name(text))


def month_of_year(text: str) -> float:
    return math.nan if month_name(text) < 0 else float(month_name(text))


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
