"""The reading of each kind of column, from its values and its name alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from weft._base.arrays import Floats
from weft.tables.dates import day_name, read_clock
from weft.tables.durations import read_duration
from weft.tables.hints import looks_like, looks_like_duration
from weft.tables.level_codes import NO, YES, fold
from weft.tables.looks import few_levels, within
from weft.tables.months import month_name
from weft.tables.numbers import NumberFormat
from weft.tables.reading import DURATION, Reading

TIMES, PART_OF_DAY = 5, 6.0  # distinct times at least, and hours that they cover at most


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


def day_of_week(text: str) -> float:
    return math.nan if day_name(text) < 0 else float(day_name(text))


def month_of_year(text: str) -> float:
    return math.nan if month_name(text) < 0 else float(month_name(text))
