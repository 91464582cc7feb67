"""``weft explain``: why rows of a table are in their clusters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from weft.cli.options import MANY, TABLE, Json, Query, Sheet
from weft.cli.shared import one_sentence, print_json, say

MOST_ROWS = 50


def explain(
    model: Annotated[Path, typer.Argument(help="Model file, or the folder of a run.")],
    file: Annotated[Path, typer.Argument(help=TABLE)],
    row: Annotated[list[int] | None, typer.Option(help=f"Row of the table, from 1; {MANY}")] = None,
    where: Annotated[
        str | None,
        typer.Option(help="Rows with this value, as COLUMN=VALUE, written as in the table."),
    ] = None,
    sheet: Sheet = None,
    query: Query = None,
    as_json: Json = False,
) -> None:
    """Show which columns put a row into its cluster and not into the next most likely one."""
    with one_sentence():
        from weft.cli.saved import load_with_table
        from weft.io import InputError, read_table

        loaded = load_with_table(model)
        if not hasattr(loaded, "explain"):
            raise InputError(
                f"a {type(loaded).__name__} does not store the rows that explanations need; "
                "cluster with --method auto."
            )
        frame = read_table(file, sheet=sheet, query=query).frame
        chosen = _chosen_rows(frame, file.name, row or [], where)
        part = frame.iloc[[number - 1 for number in chosen]]
        done = loaded.explain(part.set_axis(chosen, axis="index"))
        if as_json:
            print_json(done.to_dict())
            return
        say(str(done))


def _chosen_rows(frame: Any, table: str, rows: list[int], where: str | None) -> list[int]:
    """Return the numbers of the requested rows, counted from 1."""
    from weft.io import InputError

    if bool(rows) == (where is not None):
        raise InputError("give the rows to explain with --row N, or with --where COLUMN=VALUE.")
    if where is None:
        for number in rows:
            if not 1 <= number <= len(frame):
                raise InputError(
                    f"{table} has no row {number}; its rows are numbered from 1 to {len(frame)}."
                )
        return rows
    column, sign, value = where.partition("=")
    column, value = column.strip(), value.strip()
    if not sign or column not in frame.columns:
        raise InputError(
            f"--where {where!r} names no column of {table}; write COLUMN=VALUE with one of "
            f"{', '.join(map(str, list(frame.columns)[:8]))}."
        )
    cells = [_text(cell) for cell in frame[column].tolist()]
    matching_rows = [number for number, cell in enumerate(cells, start=1) if cell == value]
    if not matching_rows:
        raise InputError(f"no row of {table} has {value!r} in column {column!r}.")
    if len(matching_rows) > MOST_ROWS:
        raise InputError(
            f"{len(matching_rows)} rows of {table} have {value!r} in column {column!r}, and at "
            f"most {MOST_ROWS} can be explained at a time; choose rows with --row."
        )
    return matching_rows


def _text(cell: Any) -> str:
    """Return a cell as it is written in a table: whole numbers without a decimal point."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
