"""Dates, times of day, and names of days and months, as people write them.

A column is read in one form for all its cells, for the reason given in `weft.tables.numbers`: only
other cells show which part of "03/04/2024" is the day and which the month.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from weft._base.arrays import Floats
from weft.tables.months import month_name

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAYS_FULL = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_LONGER = ("tues", "thur", "thurs")
_EPOCH = date(1970, 1, 1).toordinal()
_TIME = r"(?:[T ,]++(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2})(?:[.,](?P<f>\d{1,9}))?)?"
_TIME += r"(?:\s*+Uhr)?\s*+(?P<ampm>[AaPp]\.?[Mm]\.?)?\s*+"
_TIME += r"(?P<zone>Z|UTC|GMT|(?:UTC|GMT)?[+-]\d{1,2}(?::?\d{2})?)?)?"
_NAME = r"(?P<name>[^\W\d_]{3,10})\.?"
_WEEKDAY = r"(?:[^\W\d_]{2,10}\.?,?\s+)?"
# Forms in the order in which they are tried; the first that reads most cells is taken.
_FORMS = {
    "year-month-day": rf"(?P<y>\d{{4}})[-/.年](?P<m>\d{{1,2}})[-/.月](?P<d>\d{{1,2}})日?{_TIME}",
    "day.month.year": rf"(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?(?P<y>\d{{4}}|\d{{2}}){_TIME}",
    "month/day/year": rf"(?P<m>\d{{1,2}})[/-](?P<d>\d{{1,2}})[/-](?P<y>\d{{4}}|\d{{2}}){_TIME}",
    "day/month/year": rf"(?P<d>\d{{1,2}})[/-](?P<m>\d{{1,2}})[/-](?P<y>\d{{4}}|\d{{2}}){_TIME}",
    "day month-name year": rf"{_WEEKDAY}(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|\.)?(?: de|[ -])?"
    rf"\s?{_NAME}(?:[ ,-]+| de )(?P<y>\d{{4}}|\d{{2}}){_TIME}",
    "month-name day year": rf"{_WEEKDAY}{_NAME}[ -](?P<d>\d{{1,2}})(?:st|nd|rd|th)?"
    rf"[ ,-]+(?P<y>\d{{4}}){_TIME}",
    "month-name year": rf"{_NAME}(?:(?: de)?[ ,-]+(?=\d{{4}})|-| ?['’](?=\d\d$))"
    r"(?P<y>\d{4}|\d\d)",
    "year month-name": rf"(?P<y>\d{{4}})[ -]{_NAME}",
    "year-month": r"(?P<y>\d{4})[-/](?P<m>\d{1,2})",
    "month/year": r"(?P<m>\d{1,2})/(?P<y>\d{4})",
    "year-quarter": r"(?:Q(?P<q>[1-4])[-/ ]?)?(?P<y>\d{4})(?:[-/ ]?Q(?P<q2>[1-4]))?",
    "year-week": r"(?P<y>\d{4})[- ]?W(?P<w>\d{2})(?:-?(?P<wd>[1-7]))?",
    "yearmonthday": r"(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})(?:\.0+)?",
}
_PATTERNS = {form: re.compile(pattern) for form, pattern in _FORMS.items()}
_TWINS = ("month/day/year", "day/month/year")
_FARTHEST_ZONE = 14.0  # hours
MONTHLY = ("month-name year", "year month-name", "year-month", "month/year", "year-quarter")
YEARS = (1700, 2200)
_EARLIEST, _LATEST = -718797.0, 84370.0  # 0002-01-01 and 2200-12-31 in days since 1970
# Several forms in one column, of which no cell can be read in two ways.
SEVERAL = "several forms"
_CLEAR = (
    *("year-month-day", "day.month.year", "day month-name year", "month-name day year"),
    *("month-name year", "year-month"),
)
# Forms in which years may have two digits.
SHORT_YEARS = (*_TWINS, "day.month.year", "day month-name year", "month-name year", SEVERAL)
# Numbers in a column that is named like a date: the unit of a day, and the day of 0.
NUMBER_FORMS = {
    "spreadsheet days": (1.0, -25569.0),
    "seconds since 1970": (86_400.0, 0.0),
    "milliseconds since 1970": (86_400_000.0, 0.0),
}
_NUMBER_RANGE = (3652.0, 34_432.0)  # the years 1980 to 2064
DATE_FORMS = (*_FORMS, SEVERAL, *NUMBER_FORMS)
_CLOCK = re.compile(r"(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2}))?\s*(?P<ampm>[AaPp]\.?[Mm]\.?)?")
# A part of a date that repeats: its length in its own unit, and what it is called.
CYCLES = {"time of year": 12.0, "day of week": 7.0, "time of day": 24.0}


@dataclass(frozen=True)
class DateForm:
    """The form that reads a column of dates, and whether another would read it too."""

    form: str
    is_ambiguous: bool = False


def find_form(texts: Sequence[str], *, hint: str = "") -> tuple[DateForm, int]:
    """Return the form that reads most of `texts`, and how many it reads.

    `hint` is the one of `_TWINS` that the other columns of the table have, for dates that both
    can read.
    """
    counts = {form: sum(not math.isnan(read_date(text, form)) for text in texts) for form in _FORMS}
    best = max(_FORMS, key=lambda form: counts[form])
    if 0 < counts[best] < len(texts):
        together = sum(not math.isnan(read_date(text, SEVERAL)) for text in texts)
        if together == len(texts):
            return DateForm(SEVERAL), together
    ambiguous = best in _TWINS and counts[_TWINS[0]] == counts[_TWINS[1]]
    if ambiguous and hint:
        return DateForm(hint), counts[best]
    return DateForm(best, ambiguous), counts[best]


def settled_order(columns: Iterable[Sequence[str]]) -> str:
    """Return the one of `_TWINS` that some columns leave no doubt about; "" if they differ."""
    found = set()
    for texts in columns:
        if texts and _PATTERNS[_TWINS[0]].fullmatch(texts[0].strip()):
            form, count = find_form(texts)
            if count == len(texts) and form.form in _TWINS and not form.is_ambiguous:
                found.add(form.form)
    return found.pop() if len(found) == 1 else ""


def read_date(text: str, form: str, years: tuple[int, int] = YEARS, *, shift: int = 0) -> float:
    """Return the days since 1970-01-01 of a date, NaN if `text` is not a date of this form.

    `shift` is added to years with two digits, of which 70 is 1970 and 69 is 2069.
    """
    if form == SEVERAL:
        days = (read_date(text, clear, years, shift=shift) for clear in _CLEAR)
        return next((day for day in days if not math.isnan(day)), math.nan)
    if form in NUMBER_FORMS:
        try:
            return float(days_of_numbers(np.array([float(text)]), form)[0])
        except ValueError:
            return math.nan
    match = _PATTERNS[form].fullmatch(text.strip())
    if match is None:
        return math.nan
    parts = match.groupdict()
    month = _month(parts)
    year, day = int(parts["y"]), int(parts.get("d") or 1)
    if len(parts["y"]) == 2:
        year += (2000 if year < 70 else 1900) + shift
    if not years[0] <= year <= years[1]:
        return math.nan
    try:  # also refuses months such as 0 and 13
        first = date(year, month, day)
        if parts.get("w"):
            first = date.fromisocalendar(year, int(parts["w"]), int(parts.get("wd") or 1))
        whole = first.toordinal() - _EPOCH
    except ValueError:
        return math.nan
    if not parts.get("H"):
        return float(whole)
    hours = _hours(parts)
    return math.nan if math.isnan(hours) else whole + (hours - _zone(parts)) / 24.0


def has_short_year(text: str, form: str) -> bool:
    """Return whether a text is a date whose year has two digits."""
    for own in _CLEAR if form == SEVERAL else (form,):
        match = _PATTERNS[own].fullmatch(text.strip())
        if match is not None:
            return len(match["y"]) == 2
    return False


def is_far_date(text: str, form: str) -> bool:
    """Return whether a date is outside of `YEARS`, as 9999-12-31 for "no end"."""
    return not math.isnan(read_date(text, form, (1, 9999)))


def without_far_days(days: Floats) -> Floats:
    """Return days since 1970-01-01 with NaN for those that programs write for "no date".

    Typed dates may lie before `YEARS`, but not in the year 1, and not after `YEARS`.
    """
    with np.errstate(invalid="ignore"):
        return np.where((days < _EARLIEST) | (days >= _LATEST + 1.0), np.nan, days)


def day_text(days: float) -> str:
    """Return days since 1970-01-01 as people write them: "2024-01-31"."""
    return str(np.datetime64(math.floor(days), "D"))


def find_number_form(numbers: Floats) -> str:
    """Return the form of `NUMBER_FORMS` in which all numbers are plausible days, or ""."""
    for form in NUMBER_FORMS:
        days = days_of_numbers(numbers, form)
        if len(days) and _NUMBER_RANGE[0] <= days.min() and days.max() <= _NUMBER_RANGE[1]:
            return form
    return ""


def days_of_numbers(numbers: Floats, form: str) -> Floats:
    """Return days since 1970-01-01 from numbers of a form of `NUMBER_FORMS`, NaN if far away."""
    unit, first = NUMBER_FORMS[form]
    return without_far_days(numbers / unit + first)


def read_clock(text: str) -> float:
    """Return the hours of a time of day such as "14:05", NaN for other text."""
    match = _CLOCK.fullmatch(text.strip())
    return math.nan if match is None else _hours(match.groupdict())


def day_name(text: str) -> int:
    """Return 0 for Monday to 6 for Sunday, -1 where `text` is not a day of the week."""
    return _position(text, _DAYS, _DAYS_FULL)


def cycle_values(days: Floats, cycle: str) -> Floats:
    """Return where moments (days since 1970-01-01, NaN allowed) lie on a cycle of `CYCLES`."""
    known = ~np.isnan(days)
    out = np.full(len(days), np.nan)
    moments = days[known]
    whole = np.floor(moments)
    if cycle == "time of day":
        out[known] = 24.0 * (moments - whole)
    elif cycle == "day of week":
        out[known] = (whole + 3.0) % 7.0  # 1970-01-01 was a Thursday, Monday is 0
    else:
        years = whole.astype("datetime64[D]").astype("datetime64[Y]")
        first = years.astype("datetime64[D]").astype(np.float64)
        length = (years + 1).astype("datetime64[D]").astype(np.float64) - first
        out[known] = 12.0 * (moments - first) / length
    return out


def _position(text: str, short: Sequence[str], full: Sequence[str]) -> int:
    word = text.strip().rstrip(".").lower()
    if word in full:
        return full.index(word)
    if word in _LONGER:
        word = word[:3]
    return short.index(word) if word in short else -1


def _month(parts: dict[str, str | None]) -> int:
    """Return the month from 1, 0 where there is none."""
    if parts.get("w"):
        return 1
    quarter = parts.get("q") or parts.get("q2")
    if quarter:
        return 0 if parts.get("q") and parts.get("q2") else 3 * int(quarter) - 2
    name = parts.get("name")
    return int(parts.get("m") or 0) if name is None else month_name(name) + 1


def _hours(parts: dict[str, str | None]) -> float:
    hour, minute = int(parts["H"] or 0), int(parts["M"] or 0)
    second = int(parts.get("S") or 0) + float(f"0.{parts.get('f') or 0}")
    half = (parts.get("ampm") or "")[:1].lower()
    if half:
        if not 1 <= hour <= 12:
            return math.nan
        hour = hour % 12 + (12 if half == "p" else 0)
    if hour > 23 or minute > 59 or second >= 60:
        return math.nan
    return hour + minute / 60.0 + second / 3600.0


def _zone(parts: dict[str, str | None]) -> float:
    """Return the hours that a zone is ahead of UTC, NaN for more than any zone is."""
    zone = parts.get("zone") or ""
    if not zone or zone in ("Z", "UTC", "GMT"):
        return 0.0
    zone = zone.removeprefix("UTC").removeprefix("GMT")  # "GMT+1", as Google Forms writes it
    digits = zone[1:].replace(":", "")
    whole, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")  # "+5:30"
    hours = int(whole) + int(minutes) / 60.0
    if hours > _FARTHEST_ZONE:
        return math.nan  # "10:00-18:00" is not a time
    return -hours if zone[0] == "-" else hours
