"""Columns that identify rows: left out of the clustering, and kept next to the labels."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from weft.tables.plan import TablePlan


def identifier_columns(
    frame: Any, plan: Any, taken: Container[str] = ("row",)
) -> dict[str, list[Any]]:
    """Return the identifier columns of the file, by name, with one cell per row.

    A column whose name is in `taken` is renamed, so that it does not replace one of weft's columns.
    """
    if not isinstance(plan, TablePlan):
        return {}
    known = [column.name for column in plan.columns if column.kind == "identifier"]
    kept = cells_by_column(frame[[name for name in known if name in frame.columns]])
    return {free_name(name, taken): values for name, values in kept.items()}


def cells_by_column(frame: Any) -> dict[str, list[Any]]:
    """Return the columns of the file, with None for missing values."""
    gaps = frame.isna().to_numpy()
    return {
        str(name): [
            None if gap else _plain(cell)
            for cell, gap in zip(frame[name].tolist(), gaps[:, number], strict=True)
        ]
        for number, name in enumerate(frame.columns)
    }


def free_name(name: str, taken: Container[str]) -> str:
    """Return the name, with ``_weft`` added as often as needed to differ from those taken."""
    while name in taken:
        name = f"{name}_weft"
    return name


def _plain(cell: Any) -> Any:
    """Return whole numbers of a column with gaps without a decimal point."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell
