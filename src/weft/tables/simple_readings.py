"""The readings of columns that need no more than a look: numbers, categories, orders, yes/no."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from weft._base.arrays import Floats
from weft.tables.dates import read_clock, read_duration
from weft.tables.hints import (
    looks_like_amount,
    looks_like_count,
    looks_like_duration,
    looks_like_share,
)
from weft.tables.looks import day_of_week, month_of_year, within
from weft.tables.numbers import NumberFormat
from weft.tables.reading import NO, YES, Reading, fold


def number_reading(
    name: str, finite: Floats, whole: bool, chosen: NumberFormat, words: str = ""
) -> Reading:
    kind = "number"
    if not chosen.unit and whole and set(np.unique(finite)) == {0.0, 1.0}:
        return yes_no_reading(name, ("0", "1"))
    if chosen.is_money or (not chosen.unit and looks_like_amount(name)):
        kind = "amount"
    elif chosen.unit == "%" or (looks_like_share(name) and within(finite, 0.0, 1.0)):
        kind = "share"
    elif not chosen.unit and whole and finite.min() >= 0 and looks_like_count(name):
        kind = "count"
    return Reading(name, kind, words or "numbers", unit=chosen.unit, numbers=chosen)


def category_reading(name: str, texts: list[str], counts: np.ndarray, note: str = "") -> Reading:
    """Return a category; the levels in the order of their first rows, each as it came first."""
    levels: dict[str, str] = {}
    for text, count in zip(texts, counts, strict=True):
        if count:
            levels.setdefault(fold(text), text)
    n_texts = int((counts > 0).sum())
    words = note or f"{len(levels)} values"
    if len(levels) < n_texts:
        words += f", {n_texts} with other spaces or capitals taken together"
    return Reading(name, "category", words, levels=tuple(levels.values()))


def ordered_reading(name: str, levels: tuple[str, ...], why: str) -> Reading:
    shown = ", ".join(levels[:6]) + (", …" if len(levels) > 6 else "")
    return Reading(name, "ordered", f"{len(levels)} levels, {why}: {shown}", levels=levels)


def yes_no_reading(name: str, words: tuple[str, str]) -> Reading:
    return Reading(name, "yes/no", f"{words[0]} or {words[1]}", levels=words)


def clock_reading(name: str, texts: Sequence[str]) -> Reading | None:
    """Return the reading of times of day, lengths of time, and names of days; None otherwise.

    "01:30" is a time of day, unless the column is named like a length of time or some of its times
    go beyond 24 hours.
    """
    circles: tuple[tuple[str, float, Callable[[str], float], str], ...] = (
        ("clock", 24.0, read_clock, "times of day: a circle of 24 hours"),
        ("day name", 7.0, day_of_week, "days of the week: a circle of 7"),
        ("month name", 12.0, month_of_year, "months: a circle of 12"),
    )
    found = next((each for each in circles if _reads_all(each[2], texts)), None)
    could_last = found is None or (found[0] == "clock" and looks_like_duration(name))
    if could_last and _reads_all(read_duration, texts):
        note = "lengths of time such as 1:30:00, in hours"
        return Reading(name, "number", note, unit="h", form="duration")
    if found is None:
        return None
    form, period, _, note = found
    return Reading(name, "cyclic", note, form=form, parts=("",), periods=(period,))


def _reads_all(read: Callable[[str], float], texts: Sequence[str]) -> bool:
    return not any(math.isnan(read(text)) for text in texts)


def two_words(texts: list[str]) -> tuple[str, str]:
    no = next((text for text in texts if fold(text) in NO), "no")
    yes = next((text for text in texts if fold(text) in YES), "yes")
    return no, yes
