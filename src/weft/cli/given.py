"""``weft report TABLE --labels FILE``: the report of clusters found by another program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from weft._base.reading import is_gap
from weft.cli.shared import refuse_overwriting
from weft.io import InputError, prepare_table, read_table, table_stem
from weft.reporting.given_labels import GivenClustering, read_labels
from weft.reporting.page import report

# Usual names of the column with labels; the first that the file has is used.
COLUMNS = ("cluster", "clusters", "label", "labels", "group", "class", "segment")
ROW = "row"


def report_labels(
    file: Path, labels: Path, *, column: str | None, truth: str | None, out: Path | None
) -> Path:
    """Write the report of a table and its labels, and return its path."""
    refuse_overwriting(out, file, labels)
    raw = read_table(file)
    # A column of known classes must not be used to describe the clusters.
    table = prepare_table(raw, label=truth)
    words = read_label_file(labels, column, len(raw.frame))
    given = read_labels(words, len(raw.frame))
    numbers = given.numbers[table.rows]
    clustering = GivenClustering(numbers, table.X, table.mixed, "given labels", {})
    clustering.owner = table.plan.owner
    made = report(
        clustering,
        table.X,
        plan=table.plan,
        mixed=table.mixed,
        table=table.describe(),
        label=table.label,
        names=given.names,
        row_numbers=table.rows + 1,
        row_names=row_names(raw.frame, table),
    )
    return save(made, out or Path(f"{table_stem(file)}-report.html"))


def save(made: Any, where: Path) -> Path:
    """Write a report; the error gives the reason if it cannot be written."""
    try:
        return made.save(where)
    except OSError as error:
        raise InputError(f"{str(where)!r} cannot be written: {error.strerror or error}.") from None


def read_label_file(path: Path, column: str | None, n_rows: int) -> Any:
    """Return one label per row of the table; None where a row has none.

    If the file has a column ``row``, as ``weft cluster`` writes it, it gives the row of each label,
    counted from 1. Otherwise the labels are in the order of the table.
    """
    frame = read_table(path).frame
    names = [str(name) for name in frame.columns]
    chosen = column or next((name for name in COLUMNS if name in names), None)
    if chosen is None and len(names) == 1:
        chosen = names[0]
    if chosen is None or chosen not in names:
        what = f"no column {column!r}" if column else "several columns, none called 'cluster'"
        raise InputError(
            f"{path.name} has {what}; name one with --labels-column: {', '.join(names[:8])}."
        )
    cells = [None if is_gap(cell) else cell for cell in frame[chosen].tolist()]
    cells = [int(c) if isinstance(c, float) and c.is_integer() else c for c in cells]
    if ROW not in names:
        if len(cells) != n_rows:
            raise InputError(
                f"{path.name} has {len(cells)} labels but the table has {n_rows} rows; give one "
                "label per row, or a column 'row' that says which rows they belong to."
            )
        return np.array(cells, dtype=object)
    labels = np.full(n_rows, None, dtype=object)
    seen = set()
    for row, cell in zip(frame[ROW].tolist(), cells, strict=True):
        if not (isinstance(row, (int, float)) and 1 <= row <= n_rows and row == int(row)):
            raise InputError(
                f"{path.name} has {row!r} in column 'row'; rows are counted from 1 to {n_rows}."
            )
        if row in seen:
            raise InputError(
                f"{path.name} has row {int(row)} twice in column 'row'; give one label per row."
            )
        seen.add(row)
        labels[int(row) - 1] = cell
    return labels


def row_names(frame: Any, table: Any) -> list[str] | None:
    """Return the values of the first identifier column: names to search for in a report."""
    for decision in table.decisions:
        if decision.kind == "identifier" and decision.name in frame.columns:
            cells = frame[decision.name].tolist()
            return ["" if cells[row] != cells[row] else str(cells[row]) for row in table.rows]
    return None
