"""What the values of a column look like, and the readings that follow from this alone."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft.tables.blanks import BLANKS
from weft.tables.cell_texts import number_text
from weft.tables.cells import Cells
from weft.tables.dates import (
    MONTHLY,
    cycle_values,
    day_name,
    read_clock,
    read_date,
)
from weft.tables.durations import read_duration
from weft.tables.headers import NO_FIRST_NAME
from weft.tables.hints import (
    could_be_id,
    is_case,
    is_row_name,
    looks_like,
    looks_like_code,
    looks_like_duration,
    looks_like_id,
)
from weft.tables.level_codes import NO, YES, fold
from weft.tables.months import month_name
from weft.tables.number_notes import LIMITS
from weft.tables.numbers import NumberFormat
from weft.tables.reading import DURATION, Reading
from weft.tables.scales import ordered_scale

FEW_LEVELS = 20
MOST_LEVELS = 100
ROWS_PER_LEVEL = 5
TIMES, PART_OF_DAY = 5, 6.0  # distinct times at least, and hours that they cover at most
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
    """Return whether texts such as "<40" and ">=40" are levels: no cell has a number itself."""
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


def number_reading(
    name: str, finite: Floats, whole: bool, chosen: NumberFormat, words: str = ""
) -> Reading:
    kind = "number"
    if not chosen.unit and whole and set(np.unique(finite)) == {0.0, 1.0}:
        return replace(yes_no_reading(name, ("0", "1")), numbers=chosen)
    if chosen.is_money or (not chosen.unit and looks_like("amount", name)):
        kind = "amount"
    elif chosen.unit == "%" or (looks_like("share", name) and within(finite, 0.0, 1.0)):
        kind = "share"
    elif not chosen.unit and whole and finite.min() >= 0 and looks_like("count", name):
        kind = "count"
    return Reading(name, kind, words or "numbers", unit=chosen.unit, numbers=chosen)


def category_reading(name: str, texts: list[str], counts: np.ndarray, note: str = "") -> Reading:
    """Return a category; levels are in the order of their first rows, spelled as there."""
    levels: dict[str, str] = {}
    for text, count in zip(texts, counts, strict=True):
        if count:
            levels.setdefault(fold(text), text)
    n_texts = int((counts > 0).sum())
    words = note or f"{len(levels)} values"
    if len(levels) < n_texts:
        words += f", {n_texts} with other spaces or capitals taken together"
    return Reading(name, "category", words, levels=tuple(levels.values()))


def code_reading(name: str, levels: Sequence[str], n: int) -> Reading:
    """Return a category of codes in `n` rows, such as postal codes, or an identifier."""
    if not few_levels(len(levels), n):
        return Reading(
            name,
            "identifier",
            f"{len(levels)} codes of places or things in {n} rows: names, not amounts",
        )
    note = f"{len(levels)} codes, which are names, not amounts"
    return Reading(name, "category", note, levels=tuple(levels))


def circle_reading(name: str, period: float, words: str) -> Reading:
    """Return numbers of a circle, such as months."""
    note = f"{words}: a circle of {period:g}, {period:g} is 0"
    return Reading(name, "cyclic", note, form="number", parts=("",), periods=(period,))


def ordered_reading(name: str, levels: tuple[str, ...], why: str) -> Reading:
    shown = ", ".join(levels[:6]) + (", …" if len(levels) > 6 else "")
    return Reading(name, "ordered", f"{len(levels)} levels, {why}: {shown}", levels=levels)


def scale_reading(name: str, texts: Sequence[str], scale: Sequence[str]) -> Reading:
    """Return levels in the order of a scale (folded words); words outside it are missing."""
    shown = {fold(text): text for text in reversed(texts)}
    why = "a known order of words"
    blanks = [text for level, text in shown.items() if level not in scale]
    if blanks:
        why = f"{blanks[0]!r} taken for missing, {why}"
    return ordered_reading(name, tuple(shown[level] for level in scale), why)


def yes_no_reading(name: str, words: tuple[str, str], n_spellings: int = 2) -> Reading:
    note = f"{words[0]} or {words[1]}"
    if n_spellings > 2:
        note += f", {n_spellings} spellings taken together"
    return Reading(name, "yes/no", note, levels=words)


def yes_no_words(name: str, texts: list[str], folded: Sequence[str]) -> Reading | None:
    """Return the reading of words for yes and no in any spelling; None for other text.

    Both must occur: "F" and "N" alone, which could both be a no, are abbreviations of other words.
    """
    found = set(folded)
    if found <= {*YES, *NO} and found & {*YES} and found & {*NO}:
        return yes_no_reading(name, two_words(texts), len(found))
    return None


def clock_reading(name: str, texts: Sequence[str]) -> Reading | None:
    """Return the reading of times of day, lengths of time, and names of days; None otherwise.

    "01:30" is a time of day, unless the column is named like a length of time or some of its times
    go beyond 24 hours. Results of races, "02:07:14" to "02:55:10", are lengths of time.
    """
    circles: tuple[tuple[str, float, Callable[[str], float], str], ...] = (
        ("clock", 24.0, read_clock, "times of day: a circle of 24 hours"),
        ("day name", 7.0, day_of_week, "days of the week: a circle of 7, 0 is Monday"),
        ("month name", 12.0, month_of_year, "months: a circle of 12, 0 is January"),
    )
    found = next((each for each in circles if _reads_all(each[2], texts)), None)
    could_last = found is None or (found[0] == "clock" and looks_like_duration(name))
    is_line = found is not None and found[0] == "clock" and are_near_times(texts)
    if (could_last or is_line) and _reads_all(read_duration, texts):
        note = f"lengths of time in hours: {texts[0]!r} is {read_duration(texts[0]):.3g}"
        return duration_reading(name, note)
    if found is None:
        return None
    form, period, _, note = found
    return Reading(name, "cyclic", note, form=form, parts=("",), periods=(period,))


def are_near_times(texts: Sequence[str]) -> bool:
    """Return whether times with seconds lie in a part of the day: a line, not a circle."""
    hours = [read_clock(text) for text in texts]
    seconds = all(text.count(":") == 2 for text in texts)
    return seconds and len(texts) >= TIMES and max(hours) - min(hours) < PART_OF_DAY + 1e-6


def duration_reading(name: str, note: str = "lengths of time in hours") -> Reading:
    return Reading(name, "number", note, unit="h", form=DURATION)


def _reads_all(read: Callable[[str], float], texts: Sequence[str]) -> bool:
    return not any(math.isnan(read(text)) for text in texts)


def two_words(texts: list[str]) -> tuple[str, str]:
    no = next((text for text in texts if fold(text) in NO), "no")
    yes = next((text for text in texts if fold(text) in YES), "yes")
    return no, yes
