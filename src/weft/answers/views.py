"""The columns of a table as people read them: numbers in their units, dates, levels by name.

Rules, names and explanations all use these views, so that a table of numbers and a raw table with
categories and dates are described in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats
from weft.columns.source import MixedTable, SourceColumn


class ColumnView(NamedTuple):
    """One source column of a table.

    Attributes
    ----------
    name : str
        The column's name.
    kind : {"number", "date", "ordered", "category"}
        How its values are written: "ordered" and "category" hold positions in `levels`.
    values : ndarray of shape (n,)
        NaN where a value is missing.
    levels : tuple of str
        What the positions stand for; empty for numbers and dates.
    unit : str
        Unit of the numbers, "" if it is not known.
    """

    name: str
    kind: str
    values: Floats
    levels: tuple[str, ...] = ()
    unit: str = ""

    @property
    def is_category(self) -> bool:
        """Whether values have no order."""
        return self.kind == "category"

    def take(self, rows: np.ndarray) -> ColumnView:
        """Return the same column with some of its rows."""
        return self._replace(values=self.values[rows])

    def show(self, value: float) -> str:
        """Return a value as the table writes it."""
        if np.isnan(value):
            return "missing"
        if self.levels:
            return self.levels[min(max(round(value), 0), len(self.levels) - 1)]
        if self.kind == "date":
            return str(np.datetime64(int(np.floor(value)), "D"))
        return f"{show_number(value)}{_unit(self.unit)}"

    def show_cut(self, value: float) -> str:
        """Return a cut between two values, with as many digits as are needed to separate them."""
        if self.levels or self.kind == "date":
            return self.show(value)
        return f"{show_exactly(value)}{_unit(self.unit)}"


def number_views(X: Floats, names: Sequence[str]) -> list[ColumnView]:
    """Return the columns of a table of numbers."""
    return [ColumnView(str(name), "number", X[:, j]) for j, name in enumerate(names)]


def source_views(
    table: MixedTable, origins: Mapping[str, float] = MappingProxyType({})
) -> list[ColumnView]:
    """Return the used source columns of a raw table, in the order of ``table.used``.

    Dates are ages in days in the table; `origins` has the day, counted from 1970-01-01, that each
    column of dates is measured from. Without it a date is shown as its age.
    """
    return [_source_view(column, table.values, origins) for column in table.used]


def _source_view(column: SourceColumn, values: Floats, origins: Mapping[str, float]) -> ColumnView:
    own = values[:, column.positions[0]]  # for a date, its age; the other coordinates are cycles
    if column.levels is not None:
        kind = "ordered" if column.kind == "ordered" else "category"
        known = (own >= 0.0) & (own < len(column.levels))
        own = np.where(known, np.floor(own), np.nan)  # other codes are missing values
        return ColumnView(column.name, kind, own, tuple(column.levels))
    if column.kind == "date":
        if column.name not in origins:
            return ColumnView(column.name, "number", own, (), "days ago")
        return ColumnView(column.name, "date", origins[column.name] - own)
    if column.unit == "%":  # 0.2 in the matrix is 20 % in the table
        return ColumnView(column.name, "number", 100.0 * column.in_units(own), (), "%")
    return ColumnView(column.name, "number", column.in_units(own), (), column.unit)


def _unit(unit: str) -> str:
    return unit if unit in ("", "%") else f" {unit}"


def show_number(value: float) -> str:
    """Return a number with four digits, and without an exponent for usual magnitudes."""
    if 1000 <= abs(value) < 1e7:
        return f"{value:.0f}"
    return f"{value:.4g}"


def show_exactly(value: float) -> str:
    """Return a number with all its digits, and without an exponent for usual magnitudes."""
    value = float(value) + 0.0  # −0.0 becomes 0.0
    if value == 0 or 1e-4 <= abs(value) < 1e15:
        return np.format_float_positional(value, trim="-")
    return repr(value)


def show_share(share: float) -> str:
    """Return a share in percent: two digits, one decimal below a tenth and above 99.5 %.

    Only a share of 0 is 0%, and only one of 1 is 100%.
    """
    if share == 0 or share > 1.0 - 1e-9:
        return f"{share:.0%}"
    if share < 0.0005:
        return "<0.1%"
    if share >= 0.9995:
        return ">99.9%"
    return f"{share:.0%}" if 0.0995 <= share < 0.995 else f"{share:.1%}"
