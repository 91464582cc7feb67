"""How a column of cells becomes numbers: decided once by `weft.tables.recognition`, then fixed.

A `Reading` holds plain values only, so that it can be saved with a model and read new
rows, for all libraries and files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from weft._base.arrays import Floats, Mask
from weft.columns.source import NUMERIC_KINDS, USED_KINDS, SourceColumn
from weft.tables.blanks import BLANKS
from weft.tables.cell_texts import number_text
from weft.tables.cells import Cells
from weft.tables.centuries import read_dates
from weft.tables.dates import (
    NUMBER_FORMS,
    cycle_values,
    day_name,
    days_of_numbers,
    read_clock,
    read_date,
    without_far_days,
)
from weft.tables.durations import read_duration
from weft.tables.level_codes import level_codes
from weft.tables.months import month_name
from weft.tables.numbers import PLAIN_NUMBERS, NumberFormat, find_format

# How texts of a cyclic column are read; "number" takes the number itself.
CLOCKS = ("number", "clock", "day name", "month name")
DURATION = "duration"


@dataclass(frozen=True)
class Reading:
    """How one source column is read.

    Attributes
    ----------
    name, kind, levels, unit, note, curve, curve_scale
        As in `weft.columns.source.SourceColumn`.
    numbers : NumberFormat
        How its numbers are written.
    form : str
        Of dates, one of `weft.tables.dates.DATE_FORMS`; of cyclic values, one of `CLOCKS`; of
        numbers, `DURATION` where they are lengths of time such as "1:30:00", else "".
    parts, periods : tuple
        Of dates, the parts that are used; of cyclic values, their period.
    origin : float
        Of dates, the day (since 1970-01-01) from which ages count back.
    low, high : float
        The smallest and the largest value that occurred, before the curve.
    """

    name: str
    kind: str
    note: str = ""
    unit: str = ""
    levels: tuple[str, ...] | None = None
    numbers: NumberFormat = PLAIN_NUMBERS
    form: str = ""
    parts: tuple[str, ...] = ()
    periods: tuple[float, ...] = ()
    origin: float = 0.0
    curve: str = "none"
    curve_scale: float = 1.0
    low: float = -math.inf
    high: float = math.inf

    @property
    def width(self) -> int:
        """Columns of the matrix that it takes."""
        if self.kind not in USED_KINDS:
            return 0
        return len(self.parts) or 1

    def source(self, first: int) -> SourceColumn:
        """Return the record of the source column, whose columns start at position `first`."""
        return SourceColumn(
            name=self.name,
            kind=self.kind,
            positions=tuple(range(first, first + self.width)),
            levels=self.levels,
            periods=self.periods,
            parts=self.parts,
            curve=self.curve,
            curve_scale=self.curve_scale,
            unit=self.unit,
            note=self.note,
        )


class Read(NamedTuple):
    """The result of reading the cells of a column."""

    values: Floats  # (n,): numbers before the curve, codes, days, or places on a circle
    unread: Mask  # cells that hold something that could not be read


def read_column(reading: Reading, cells: Cells) -> Read:
    """Return one value per row, NaN where a cell is missing or could not be read."""
    if not _fits(reading, cells.form):
        values = np.full(len(cells), np.nan)
    elif reading.levels is not None:
        # 0 and 1 may be written as "0,0" and "1,0".
        read = reading.numbers.read if reading.kind == "yes/no" else None
        values = level_codes(reading.levels, cells, read)
    elif reading.kind == "date":
        values = _days(reading, cells)
    elif reading.kind == "cyclic":
        values = _circle(reading, cells)
    elif cells.form == "text" and reading.form == DURATION:
        values = cells.spread([read_duration(text) for text in cells.texts])
    elif cells.form == "text":
        values = cells.spread(_format_of(reading, cells.texts).read_all(cells.texts))
    else:
        values = cells.numbers.copy()
    present = ~cells.is_missing
    if cells.form == "text" and (reading.levels is None or reading.kind == "ordered"):
        blank = np.array([text.lower() in BLANKS for text in cells.texts] + [True])
        present &= ~blank[cells.codes]
    return Read(values, (np.isnan(values) & present) | np.isinf(values))


def _fits(reading: Reading, form: str) -> bool:
    """Return whether cells of a form can mean what the reading says."""
    if form == "time":
        return reading.kind == "date"
    if form == "duration":
        return reading.form == DURATION
    if form == "flag":
        return reading.kind not in ("date", "cyclic")
    # A user who writes 1 means January, but names of months are numbered from 0.
    return form == "text" or reading.form not in ("day name", "month name")


def columns_of(reading: Reading, values: Floats) -> Floats:
    """Return the columns of the matrix (n, width) from the values of `read_column`."""
    if reading.kind == "date":
        parts = [
            reading.origin - values if part == "age" else cycle_values(values, part)
            for part in reading.parts
        ]
        return np.column_stack(parts)
    if reading.kind in NUMERIC_KINDS:
        values = reading.source(0).on_curve(values)
    return values[:, np.newaxis]


def _format_of(reading: Reading, texts: Sequence[str]) -> NumberFormat:
    """Return how numbers are written.

    Where the fit had plain numbers, new rows may write theirs in any way that leaves no doubt.
    """
    if reading.numbers != PLAIN_NUMBERS:
        return reading.numbers
    found = find_format([text for text in texts if text.lower() not in BLANKS])
    return PLAIN_NUMBERS if found.unit or found.is_ambiguous else found


def _days(reading: Reading, cells: Cells) -> Floats:
    """Return days since 1970-01-01."""
    if cells.form == "text":
        return cells.spread(read_dates(cells.texts, reading.form, reading.low, reading.high))
    if cells.form == "time":
        return without_far_days(cells.numbers)
    return _date_number(cells.numbers, reading.form)


def _date_number(numbers: Floats, form: str) -> Floats:
    """Return days from numbers such as 20240131, or in a unit of `NUMBER_FORMS`."""
    if form in NUMBER_FORMS:
        return days_of_numbers(numbers, form)
    distinct, inverse = np.unique(numbers, return_inverse=True)
    days = [
        math.nan if math.isnan(n) else read_date(number_text(n), "yearmonthday") for n in distinct
    ]
    return np.array(days)[inverse]


def _circle(reading: Reading, cells: Cells) -> Floats:
    period = reading.periods[0]
    readers: dict[str, Callable[[str], float]] = {
        "clock": read_clock,
        "day name": lambda text: _or_nan(day_name(text)),
        "month name": lambda text: _or_nan(month_name(text)),
        "number": reading.numbers.read,
    }
    values = cells.numbers
    if cells.form == "text":
        values = cells.spread([readers[reading.form](text) for text in cells.texts])
    return np.mod(values, period)


def _or_nan(position: int) -> float:
    return math.nan if position < 0 else float(position)


def in_units(readings: Sequence[Reading], values: Floats) -> dict[str, Any]:
    """Return one column per source column that is used: numbers, levels, days, hours.

    A gap (NaN) stays one: None among levels, NaT among dates.
    """
    made: dict[str, Any] = {}
    first = 0
    for reading in readings:
        if reading.width:
            made[reading.name] = _column(reading, values[:, first])
            first += reading.width
    return made


def _column(reading: Reading, own: Floats) -> Any:
    if reading.levels is not None:
        last = len(reading.levels) - 1
        return np.array(
            [
                None if np.isnan(code) else reading.levels[int(np.clip(round(code), 0, last))]
                for code in own
            ],
            dtype=object,
        )
    if reading.kind == "date":
        known = ~np.isnan(own)
        days = np.full(len(own), "NaT", dtype="datetime64[s]")
        seconds = np.round((reading.origin - own[known]) * 86400.0)
        days[known] = seconds.astype("int64").astype("datetime64[s]")
        return days
    return reading.source(0).in_units(own)
