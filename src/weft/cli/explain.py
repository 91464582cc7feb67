"""``weft explain``: why rows of a table are in their clusters."""

from __future__ import annotations

from dataclasses import replace
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
        raw = read_table(file, sheet=sheet, query=query)
        frame = raw.frame
        chosen = _chosen_rows(frame, file.name, row or [], where)
        _refuse_without_cluster(raw, vars(loaded)["_table"], chosen)
        part = frame.iloc[[number - 1 for number in chosen]]
        done = loaded.explain(part.set_axis(chosen, axis="index"))
        if as_json:
            print_json(done.to_dict())
            return
        say(str(done))


def _refuse_without_cluster(raw: Any, plan: Any, chosen: list[int]) -> None:
    """Refuse rows that ``weft predict`` puts into no cluster, because values are missing."""
    from weft.cli.saved import without_empty_rows
    from weft.io import InputError, apply_recipe

    part = replace(raw, frame=raw.frame.iloc[[number - 1 for number in chosen]])
    kept = set(without_empty_rows(apply_recipe(part, plan)).rows.tolist())
    for place, number in enumerate(chosen):
        if place not in kept:
            raise InputError(
                f"row {number} of {raw.name} has too many missing values, and so no cluster; "
                "choose other rows."
            )


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
    """Return a cell as it is written in a table: whole numbers without a decimal point, days
    without a time."""
    text = str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
    return text.removesuffix(" 00:00:00") if hasattr(cell, "isoformat") else text
