"""What was decided about each column of a table, and tables that are refused because of it."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import NamedTuple

from weft.columns.source import MixedTable
from weft.tables.errors import InputError, short
from weft.tables.raw import RawTable


class ColumnDecision(NamedTuple):
    """What was done with a column, and why."""

    name: str
    kind: str  # one of weft.columns.source.KINDS, "label" or "dropped"
    kept: bool
    reason: str
    unit: str = ""


def check_size(raw: RawTable) -> None:
    """Refuse a table of one column, or of fewer than two rows."""
    n_rows, n_columns = raw.frame.shape
    if n_columns == 1:
        how = ", with commas, semicolons, tabs or bars between them" if raw.path is not None else ""
        raise InputError(
            f"{raw.name} has one column ({short(raw.frame.columns[0])!r}); weft compares columns "
            f"with each other and needs at least two{how}."
        )
    if n_rows < 2:
        count = "no rows below its header" if n_rows == 0 else "one row"
        raise InputError(f"{raw.name} has {count}; clustering needs at least two.")


def check_names(
    raw: RawTable, *, label: str | None, drop: Sequence[str], keep: Sequence[str]
) -> None:
    """Refuse names of columns that the table does not have, or that are given twice."""
    names = [str(name) for name in raw.frame.columns]
    asked = [("--label", label)] if label is not None else []
    asked += [("--drop", name) for name in drop] + [("--keep", name) for name in keep]
    for option, name in asked:
        if name not in names:
            lowered = {known.lower(): known for known in names}
            close = difflib.get_close_matches(str(name).lower(), lowered, n=1)
            listed = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
            hint = f"did you mean {lowered[close[0]]!r}?" if close else f"it has: {listed}."
            raise InputError(f"{raw.name} has no column {name!r} (given with {option}); {hint}")
    for name in {*drop} & {*keep, label} | {*keep} & {label}:
        raise InputError(
            f"column {name!r} is named twice; name it in one of --label, --drop and --keep."
        )


def check_features(raw: RawTable, made: MixedTable, decisions: list[ColumnDecision]) -> None:
    """Refuse a table of which fewer than two columns can be used, and say why."""
    if len(made.used) >= 2:
        return
    open_to_use = [d for d in decisions if d.kind not in ("label", "dropped")]
    if open_to_use and all(d.kind == "constant" for d in open_to_use):
        raise InputError(
            f"every column of {raw.name} holds one value only; there is nothing to cluster."
        )
    why = "; ".join(f"{d.name}: {d.reason}" for d in decisions if not d.kept)
    can = f"only {made.used[0].name!r}" if made.used else "no column"
    raise InputError(
        f"{raw.name} has {can} to cluster on, and at least two are needed ({short(why, 400)})."
    )
