"""How a table becomes numbers, as one record: learned from a table, used for new rows.

`learn` decides about every column of a table (`weft.tables.recognition`) and learns coordinates
(`weft.tables.points`); `TablePlan.apply` does the same to other rows. The plan is what a model file
keeps, so that a model takes raw rows wherever it is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft.columns.source import MixedTable, SourceColumn
from weft.tables.cells import Cells
from weft.tables.dates import day_text, settled_order
from weft.tables.errors import InputError, short
from weft.tables.hints import is_code_text
from weft.tables.looks import some_of
from weft.tables.numbers import settled_signs
from weft.tables.points import Points, learn_points, owners, place_rows, point_names, typical_values
from weft.tables.reading import Reading, columns_of, read_column
from weft.tables.recognition import Recogniser
from weft.tables.tails import bend_tails

MISSING = ("auto", "error", "drop-rows", "median")
# A value is far outside the range if its distance from the range exceeds the range's width.
FAR = 1.0


class Applied(NamedTuple):
    """Rows of a table as numbers."""

    X: Floats  # (n_used, d) coordinates
    table: MixedTable  # the same rows by source column, with gaps
    rows: Integers  # (n_used,) which rows of the table, from 0
    n_rows: int
    warnings: list[str]


@dataclass(frozen=True)
class TablePlan:
    """How the columns of a table become coordinates.

    Attributes
    ----------
    readings : tuple of Reading
        One per column of the table, in its order; columns that are not used too.
    missing : str
        What to do about missing values, one of `MISSING`.
    points : Embedding or PlainPoints
        How the matrix becomes coordinates.
    fills : ndarray of shape (p,)
        The value that replaces a gap with ``missing="median"``.
    spread : ndarray of shape (d,)
        Variance of each coordinate over the rows of the fit.
    """

    readings: tuple[Reading, ...]
    missing: str
    points: Points
    fills: Floats
    spread: Floats

    @property
    def columns(self) -> tuple[SourceColumn, ...]:
        """The records of all source columns."""
        return source_columns(self.readings)

    @property
    def owner(self) -> Integers:
        """For each coordinate the number of its source column among those that are used."""
        return owners(self.points, self.columns)

    @property
    def names(self) -> list[str]:
        """A name for each coordinate."""
        return point_names(self.points, self.columns)

    def apply(
        self,
        cells: Sequence[Cells],
        *,
        table: str,
        place: Callable[[int], str],
        missing: str | None = None,
    ) -> Applied:
        """Turn other rows into the coordinates that the plan has learned."""
        chosen = [reading for reading in self.readings if reading.width]
        known = {column.name: column for column in cells}
        absent = [reading.name for reading in chosen if reading.name not in known]
        if absent:
            listed = ", ".join(repr(name) for name in absent[:5])
            more = f" and {len(absent) - 5} more" if len(absent) > 5 else ""
            raise InputError(
                f"{table} lacks column{'s' if len(absent) > 1 else ''} {listed}{more}, which the "
                "model was fitted on; give a table with the same columns."
            )
        n_rows = len(cells[0]) if cells else 0
        if n_rows == 0:
            raise InputError(f"{table} has no rows below its header.")
        warnings: list[str] = []
        parts, gaps = [], {}
        for reading in chosen:
            own = known[reading.name]
            values, unread = read_column(reading, own)
            if unread.any():
                warnings += self._about_unread(reading, own, unread, table, place)
            warnings += _about_far_values(reading, values)
            gaps[reading.name] = np.isnan(values) & ~unread
            parts.append(columns_of(reading, values))
        made = MixedTable(np.column_stack(parts), self.columns)
        gaps = {name: mask for name, mask in gaps.items() if mask.any()}
        made, rows = handle_missing(
            made, gaps, missing or self.missing, self.fills, table=table, place=place
        )
        return Applied(place_rows(self.points, made), made, rows, n_rows, warnings)

    def _about_unread(
        self,
        reading: Reading,
        cells: Cells,
        unread: Mask,
        table: str,
        place: Callable[[int], str],
    ) -> list[str]:
        """Warn about levels that were not seen in fit; refuse text among numbers."""
        row = int(np.flatnonzero(unread)[0])
        shown = cells.text_of(row)
        if reading.levels is None or np.isinf(_number(cells, row)):
            raise InputError(
                f"{table} has {short(shown)!r} in column {reading.name!r} on {place(row)}, where "
                f"the model was fitted on {reading.kind} values; fix it, or empty it to mark it "
                "missing."
            )
        texts = {cells.text_of(int(i)) for i in np.flatnonzero(unread)[:1000]}
        listed = ", ".join(repr(short(text)) for text in sorted(texts)[:3])
        more = ", …" if len(texts) > 3 else ""
        return [
            f"{reading.name!r} has {int(unread.sum())} cells with a value that was not seen in the "
            f"fit ({listed}{more}), treated as missing."
        ]


def learn(
    cells: Sequence[Cells],
    *,
    table: str,
    place: Callable[[int], str],
    keep: Sequence[str] = (),
    missing: str = "auto",
    scale: str = "standard",
    bend: bool = True,
) -> tuple[TablePlan, Applied]:
    """Decide about every column and learn coordinates; return the plan and the rows.

    With `bend`, heavy-tailed numbers of the mixed metric are compared by their logarithm.
    """
    n_rows = len(cells[0]) if cells else 0
    rows = np.arange(n_rows)
    readings = recognise(cells, table=table, place=place, keep=keep)
    made = mixed_table(readings, cells)
    gaps = _gaps(readings, made)
    if gaps and missing == "drop-rows":
        rows = handle_missing(made, gaps, missing, np.zeros(0), table=table, place=place)[1]
        cells = [column.take(rows) for column in cells]
        readings = recognise(cells, table=table, place=lambda r: place(int(rows[r])), keep=keep)
        made = mixed_table(readings, cells)
    if bend and scale == "standard":
        readings = bend_tails(readings, made)
        made = mixed_table(readings, cells)
    fills = typical_values(made)
    if missing != "drop-rows":
        made = handle_missing(made, gaps, missing, fills, table=table, place=place)[0]
    points = learn_points(made, scale if made.used else "none")
    X = place_rows(points, made)
    plan = TablePlan(tuple(readings), missing, points, fills, X.var(axis=0))
    return plan, Applied(X, made, rows, n_rows, [])


def recognise(
    cells: Sequence[Cells],
    *,
    table: str,
    place: Callable[[int], str],
    keep: Sequence[str] = (),
) -> list[Reading]:
    """Return how each column is to be read."""
    some = [column.texts[:200] for column in cells if column.form == "text"]
    # Codes such as 10.1.200.123 contain signs that are neither decimal nor thousands signs.
    settled = [settled_signs(texts) for texts in some if not is_code_text(texts)]
    found = list(filter(None, settled))
    signs = found[0] if len({decimal for _, decimal in found}) == 1 else None
    order = settled_order(some_of(column.texts) for column in cells if column.form == "text")
    recogniser = Recogniser(table, place, signs, order)
    return [recogniser.recognise(column, keep=column.name in keep) for column in cells]


def source_columns(readings: Sequence[Reading]) -> tuple[SourceColumn, ...]:
    """Return the records of source columns, with positions one after the other."""
    made, first = [], 0
    for reading in readings:
        made.append(reading.source(first))
        first += reading.width
    return tuple(made)


def mixed_table(readings: Sequence[Reading], cells: Sequence[Cells]) -> MixedTable:
    """Return the table that results from reading cells with their readings."""
    parts = [
        columns_of(reading, read_column(reading, column).values)
        for reading, column in zip(readings, cells, strict=True)
        if reading.width
    ]
    n = len(cells[0]) if cells else 0
    values = np.column_stack(parts) if parts else np.empty((n, 0))
    return MixedTable(values, source_columns(readings))


def handle_missing(
    made: MixedTable,
    gaps: dict[str, Mask],
    missing: str,
    fills: Floats,
    *,
    table: str,
    place: Callable[[int], str],
) -> tuple[MixedTable, Integers]:
    """Treat missing values as `missing` says; return the table and which of its rows are left."""
    rows = np.arange(len(made.values))
    if not gaps or missing == "auto":
        return made, rows
    if missing == "error":
        raise InputError(_explain_missing(gaps, table, place))
    if missing == "drop-rows":
        gone = np.logical_or.reduce(list(gaps.values()))
        if (~gone).sum() < 2 and len(rows) > 1:
            raise InputError(
                f"{table} has {(~gone).sum()} rows without missing values; leave columns out with "
                "--drop, or use --missing auto."
            )
        return made.take_rows(rows[~gone]), rows[~gone]
    filled = np.where(np.isnan(made.values), fills, made.values)
    return MixedTable(filled, made.columns), rows


def _gaps(readings: Sequence[Reading], made: MixedTable) -> dict[str, Mask]:
    masks = {
        column.name: np.isnan(made.values[:, column.positions[0]])
        for column in source_columns(readings)
        if column.is_used
    }
    return {name: mask for name, mask in masks.items() if mask.any()}


def _explain_missing(gaps: dict[str, Mask], table: str, place: Callable[[int], str]) -> str:
    rows = np.logical_or.reduce(list(gaps.values()))
    first = min(gaps, key=lambda name: int(np.argmax(gaps[name])))
    where = place(int(np.argmax(gaps[first])))
    counted = [f"{name!r} ({mask.sum()})" for name, mask in gaps.items()]
    listed = ", ".join(counted[:6]) + (f" and {len(counted) - 6} more" if len(counted) > 6 else "")
    plural = "s" if len(gaps) > 1 else ""
    return (
        f"{table} has missing values in column{plural} {listed}, the first in {first!r} on "
        f"{where}; use --missing auto, --missing drop-rows (leaves out {rows.sum()} of "
        f"{len(rows)} rows), --missing median (fills them in), or --drop COLUMN."
    )


def _about_far_values(reading: Reading, values: Floats) -> list[str]:
    if reading.levels is not None or reading.kind == "cyclic":
        return []
    margin = FAR * (reading.high - reading.low)
    with np.errstate(invalid="ignore"):
        far = (values < reading.low - margin) | (values > reading.high + margin)
    if not far.any():
        return []
    first = float(values[far][0])
    low, high = reading.low, reading.high
    if reading.kind == "date":
        shown = [day_text(day) for day in (first, low, high)]
    else:
        shown = [f"{number:.6g}" for number in (first, low, high)]
    return [
        f"{reading.name!r} has {int(far.sum())} values far outside the range of the fit (such as "
        f"{shown[0]}; the range is {shown[1]} to {shown[2]}): their clusters are uncertain."
    ]


def _number(cells: Cells, row: int) -> float:
    return 0.0 if cells.form == "text" else float(cells.numbers[row])
