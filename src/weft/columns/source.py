"""Source columns: a column of the user's table remains one unit from reading to report.

A prepared table is one matrix of numbers and one record per source column. A number, an ordered
value, a category, a yes/no and a cyclic value take one column of the matrix each; a date takes
several (its age and its cycles), which still belong to the one source column. Identifiers, free
text and constants take none: they are described, but not used.

========== ============================ ====================================================
kind       in the matrix                two values are compared
========== ============================ ====================================================
number     the number                   by their difference
amount     the number, without its unit by their difference
share      the number, 0.2 for 20 %     by their difference
count      the number                   by their difference
ordered    the position of the level    by their difference
yes/no     0 or 1                       same or not
category   the position of the level    same or not
cyclic     the number, in [0, period)   by the shorter way around the circle
date       days, and one cyclic column  each part by its own rule
           per cycle that was seen
text       none                         not at all
identifier none                         not at all
constant   none                         not at all
========== ============================ ====================================================

A missing value is NaN in every column of its source column, never a level of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from weft._base.arrays import Floats, Integers

# Kinds that have columns in the matrix, and kinds that only have a description.
NUMERIC_KINDS = ("number", "amount", "share", "count")
USED_KINDS = (*NUMERIC_KINDS, "ordered", "yes/no", "category", "cyclic", "date")
DESCRIBED_KINDS = ("text", "identifier", "constant")
KINDS = (*USED_KINDS, *DESCRIBED_KINDS)


@dataclass(frozen=True)
class SourceColumn:
    """One column of the user's table: what it is, and where it lies in the prepared matrix.

    Attributes
    ----------
    name : str
        The column's name in the table.
    kind : str
        One of `KINDS`.
    positions : tuple of int
        Columns of the prepared matrix that belong to it; empty where it is not used.
    levels : tuple of str or None
        For categories, ordered values and yes/no: the value that each code stands for.
    periods : tuple of float
        One entry per position: the length of the circle of a cyclic column, 0 elsewhere.
    parts : tuple of str
        One entry per position: what it is of the source column ("age", "month"), "" for all of it.
    curve : str
        "none", or "log": the matrix then holds ``sign(x) log(1 + |x| / curve_scale)``.
    curve_scale : float
        The unit of the curve, above 0.
    unit : str
        The unit of the values ("$", "%", "days"), or "" if it is not known.
    note : str
        How the column was read and what it became, in words.
    """

    name: str
    kind: str
    positions: tuple[int, ...] = ()
    levels: tuple[str, ...] | None = None
    periods: tuple[float, ...] = ()
    parts: tuple[str, ...] = ()
    curve: str = "none"
    curve_scale: float = 1.0
    unit: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind={self.kind!r} is not known; known are {', '.join(KINDS)}.")
        if not self.periods:
            object.__setattr__(self, "periods", (0.0,) * len(self.positions))
        if not self.parts:
            object.__setattr__(self, "parts", ("",) * len(self.positions))
        problem = self._problem()
        if problem:
            raise ValueError(f"source column {self.name!r} {problem}.")

    def _problem(self) -> str:
        n = len(self.positions)
        if (n > 0) != (self.kind in USED_KINDS):
            return f"is of kind {self.kind!r} and cannot have {n} columns of the matrix"
        if n > 1 and self.kind != "date":
            return f"has {n} columns of the matrix, and only a date may have several"
        if len(self.periods) != n or len(self.parts) != n:
            return "does not have one period and one part for each of its columns"
        if (self.levels is not None) != (self.kind in ("category", "ordered", "yes/no")):
            return f"is of kind {self.kind!r}, to which levels do not fit"
        if self.kind == "cyclic" and not self.periods[0] > 0:
            return "is cyclic and has no period"
        if self.curve not in ("none", "log") or not self.curve_scale > 0:
            return f"has an unknown curve {self.curve!r} with scale {self.curve_scale}"
        return ""

    @property
    def is_used(self) -> bool:
        """Whether the column is in the matrix."""
        return bool(self.positions)

    @property
    def measures(self) -> tuple[str, ...]:
        """How two values are compared, "number", "category" or "cyclic", for each position."""
        if self.kind in ("category", "yes/no"):
            return ("category",)
        return tuple("cyclic" if period > 0 else "number" for period in self.periods)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its columns of the matrix, such as "signed" or "signed (month)"."""
        return tuple(f"{self.name} ({part})" if part else self.name for part in self.parts)

    def in_units(self, values: Floats) -> Floats:
        """Undo the curve: return `values` of the matrix in the units of the table.

        Codes stay codes: `levels` says what they stand for.
        """
        if self.curve == "none":
            return values
        return np.sign(values) * np.expm1(np.abs(values)) * self.curve_scale

    def on_curve(self, values: Floats) -> Floats:
        """Apply the curve: the opposite of `in_units`."""
        if self.curve == "none":
            return values
        return np.sign(values) * np.log1p(np.abs(values) / self.curve_scale)


@dataclass(frozen=True)
class MixedTable:
    """A raw table as numbers, with its source columns.

    Attributes
    ----------
    values : ndarray of shape (n, p)
        Float64, NaN where a value is missing, not scaled. Categories are codes, the position of
        the value in the levels of their source column; cyclic values lie in [0, period).
    columns : tuple of SourceColumn
        All columns of the user's table, in its order, those that are not used included.
    """

    values: Floats
    columns: tuple[SourceColumn, ...]

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or self.values.dtype != np.float64:
            raise ValueError("values must be a matrix of float64.")
        taken = [position for column in self.columns for position in column.positions]
        if sorted(taken) != list(range(self.values.shape[1])):
            raise ValueError(
                f"source columns name the positions {sorted(taken)}, but the matrix has "
                f"{self.values.shape[1]} columns, each of which belongs to one source column."
            )

    @property
    def used(self) -> tuple[SourceColumn, ...]:
        """Source columns that are in the matrix."""
        return tuple(column for column in self.columns if column.is_used)

    @property
    def source_of(self) -> Integers:
        """For each column of the matrix, the number of its source column in `used`."""
        owner = np.empty(self.values.shape[1], dtype=np.int64)
        for number, column in enumerate(self.used):
            owner[list(column.positions)] = number
        return owner

    @property
    def names(self) -> list[str]:
        """A name for each column of the matrix."""
        named = [""] * self.values.shape[1]
        for column in self.used:
            for position, name in zip(column.positions, column.names, strict=True):
                named[position] = name
        return named

    def take_rows(self, rows: Sequence[int] | Integers) -> MixedTable:
        """Return the same table with some of its rows."""
        return MixedTable(np.ascontiguousarray(self.values[rows]), self.columns)

    def take_columns(self, numbers: Sequence[int] | Integers) -> MixedTable:
        """Return the table of some source columns, by their numbers in `used`."""
        kept: list[SourceColumn] = []
        taken: list[int] = []
        position = 0
        for number in numbers:
            column = self.used[number]
            n = len(column.positions)
            kept.append(replace(column, positions=tuple(range(position, position + n))))
            taken.extend(column.positions)
            position += n
        return MixedTable(
            np.ascontiguousarray(self.values[:, np.array(taken, dtype=np.int64)]), tuple(kept)
        )
