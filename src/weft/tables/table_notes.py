"""Sentences about a whole table: what was left out, filled in, or looks like a mistake."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft._base.arrays import Mask
from weft.tables.cells import Cells
from weft.tables.decisions import ColumnDecision
from weft.tables.errors import quoted, short
from weft.tables.headers import is_number
from weft.tables.number_notes import needs_care
from weft.tables.plan import Applied, TablePlan
from weft.tables.raw import RawTable
from weft.tables.reading import read_column

_LABEL_NAMES = {"label", "labels", "class", "target", "y", "cluster", "species", "diagnosis"}


def _missing_cells(cells: Sequence[Cells], plan: TablePlan, made: Applied) -> list[Mask]:
    """Return for each used source column where its values are missing, words such as "-" too."""
    if plan.missing == "auto":
        return [np.isnan(made.table.values[:, column.positions[0]]) for column in made.table.used]
    # The gaps of the table are filled or left out.
    own = {column.name: column for column in cells}
    used = [reading for reading in plan.readings if reading.width]
    return [np.isnan(read_column(reading, own[reading.name]).values) for reading in used]


def about_table(
    raw: RawTable,
    cells: Sequence[Cells],
    plan: TablePlan,
    decisions: list[ColumnDecision],
    made: Applied,
    label: str | None,
) -> list[str]:
    """Return the sentences about a table that are shown to its user."""
    n_empty = len(raw.frame) - made.n_rows
    found = [f"rows without any value get no cluster: {n_empty}."] if n_empty else []
    found += _about_left_out(cells, decisions)
    found += [f"{d.name!r}: {d.reason}." for d in decisions if d.kept and needs_care(d.reason)]
    gaps = _missing_cells(cells, plan, made)
    n_gaps = sum(int(mask.sum()) for mask in gaps)
    n_columns = sum(bool(mask.any()) for mask in gaps)
    if n_gaps and plan.missing == "drop-rows":
        found.append(f"{made.n_rows - len(made.rows)} rows with missing values were left out.")
    elif n_gaps:
        how = "from the other columns of the row"
        if plan.missing == "median":
            how = "with each column's median or most frequent value"
        plural = ("s were", "s") if n_gaps > 1 else (" was", "")
        found.append(
            f"{n_gaps} missing value{plural[0]} filled in {how} ({n_columns} "
            f"column{'s' if n_columns > 1 else ''})."
        )
    if label is None:
        found += _about_answers(decisions)
    return found + _about_names([str(name) for name in raw.frame.columns])


def _about_left_out(cells: Sequence[Cells], decisions: Sequence[ColumnDecision]) -> list[str]:
    """Return sentences about columns that were left out, with a remedy where there is one."""
    shared = {column.name for column in cells if column.form != "text" or _has_repeats(column)}
    found = []
    for kind, remedy in (
        ("identifier", "; if it measures something, keep it with --keep"),
        ("text", "; to use it as a category, give --keep"),
    ):
        columns = [d for d in decisions if d.kind == kind]
        for d in columns[:5]:
            # A column of text that differs in every row cannot be kept.
            found.append(
                f"{d.name!r} was left out: {d.reason}{remedy if d.name in shared else ''}."
            )
        if len(columns) > 5:
            names = ", ".join(repr(d.name) for d in columns[5:])
            found.append(f"left out for the same reason ({kind}): {short(names, 300)}.")
    return found


def _has_repeats(column: Cells) -> bool:
    return bool(column.counts().max(initial=0) > 1)


def _about_answers(decisions: Sequence[ColumnDecision]) -> list[str]:
    """Return sentences about columns that are named like known classes."""
    names = {d.name.lower() for d in decisions}
    likely = _LABEL_NAMES - ({"y"} if "x" in names else set())  # x and y are coordinates
    return [
        f"{d.name!r} looks like the known answer, but was used like any other column; if it is "
        f"the answer, give --label {quoted(d.name)}."
        for d in decisions
        if d.kept and d.name.lower() in likely
    ]


def _about_names(names: Sequence[str]) -> list[str]:
    """Return a sentence if the column names look like a row of the table."""
    if all(map(is_number, names)):
        return ["the first line holds only numbers and was read as the column names."]
    # Whole numbers may be years; values have decimals.
    values = [name for name in names if is_number(name) and not name.strip().isdigit()]
    if not values:
        return []
    return [
        f"the first line was read as the column names, but {values[0]!r} looks like a value; if "
        "the file has no names, add a line of them."
    ]
