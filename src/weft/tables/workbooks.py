"""Tables of spreadsheet programs: one sheet, its names, merged cells, lines below the table."""

from __future__ import annotations

import zipfile
from datetime import datetime, time
from pathlib import Path
from typing import Any

from weft._base.validation import import_optional
from weft.tables.errors import InputError
from weft.tables.footers import LOOK_BACK, count_footnotes, without_footnotes, without_totals
from weft.tables.headers import LOOK_AT, find_header
from weft.tables.packed import refuse_bomb
from weft.tables.raw import RawTable

EXCEL = (".xlsx", ".xls", ".xlsb", ".xlsm", ".ods")


def read_workbook(path: Path, called: str, sheet: str | None) -> RawTable:
    """Return one sheet, whose column names may be below a title and on two lines."""
    pd = import_optional("pandas", "app")
    calamine = import_optional("python_calamine", "app")
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            refuse_bomb(path, sum(info.file_size for info in archive.infolist()))
    with path.open("rb") as file:  # the kind is found by content: programs mix up .xls and .xlsx
        book = calamine.CalamineWorkbook.from_filelike(file)
    notes: list[str] = []
    chosen = _choose_sheet(called, list(book.sheet_names), sheet)
    if chosen is None:
        chosen, notes = _first_sheet(called, book)
    own = book.get_sheet_by_name(chosen)
    every = own.to_python()
    top, left = own.start or (0, 0)
    numbers = [i for i, row in enumerate(every) if any(str(cell).strip() for cell in row)]
    rows = [every[i] for i in numbers]
    if not rows:
        raise InputError(f"the sheet {chosen!r} of {called} is empty; give another --sheet.")
    header = find_header([[_shown(cell) for cell in row] for row in rows[:LOOK_AT]])
    first = header.n_above + header.n_lines
    if first < len(rows) and _fill_merged(own, every, numbers[first], (top, left)):
        notes.append("merged cells of several rows were read as the same value in each row.")
    body = [[None if cell == "" else cell for cell in row] for row in rows[first:]]
    frame = pd.DataFrame(body, columns=header.names, dtype=object).infer_objects()
    last = [[str(cell) for cell in row] for row in every[-LOOK_BACK:]]
    frame, below = without_footnotes(frame, count_footnotes(last, len(header.names)))
    frame, told = without_totals(frame)
    lines = tuple(top + i + 1 for i in numbers[first:])
    notes = [*notes, *header.notes, *below, *told]
    return RawTable(frame, called, n_above=first, notes=tuple(notes), lines=lines)


def _choose_sheet(called: str, names: list[str], sheet: str | None) -> str | None:
    if sheet is None:
        return None
    if sheet in names:
        return sheet
    if sheet.isdigit() and 1 <= int(sheet) <= len(names):
        return names[int(sheet) - 1]
    listed = ", ".join(repr(name[:60]) for name in names[:8])
    raise InputError(f"{called} has no sheet {sheet!r}; it has {listed}.")


def _first_sheet(called: str, book: Any) -> tuple[str, list[str]]:
    """Return the first sheet that holds something, hidden ones last, and a note on the others."""
    shown = import_optional("python_calamine", "app").SheetVisibleEnum.Visible
    visible = {about.name for about in book.sheets_metadata if about.visible == shown}
    names = list(book.sheet_names)
    ordered = sorted(names, key=lambda name: name not in visible)
    chosen = next((n for n in ordered if book.get_sheet_by_name(n).to_python()), None)
    if chosen is None:
        raise InputError(f"{called} has no sheet with anything in it.")
    others = [
        f"{name[:60]!r}{'' if name in visible else ' (hidden)'}" for name in names if name != chosen
    ]
    if not others:
        return chosen, []
    listed = ", ".join(others[:5])
    return chosen, [f"the sheet {chosen!r} was read; others are {listed} (see --sheet)."]


def _fill_merged(sheet: Any, rows: list[list[Any]], first: int, start: tuple[int, int]) -> bool:
    """Write the value of cells that are merged over several rows into each of these rows.

    Only from row `first` on: names that span columns say something else. Return whether there were
    any.
    """
    top, left = start
    filled = False
    for (upper, column), (lower, _) in sheet.merged_cell_ranges or ():
        if upper - top < first or lower == upper or not 0 <= column - left < len(rows[0]):
            continue
        for row in rows[upper - top + 1 : lower - top + 1]:
            row[column - left] = rows[upper - top][column - left]
            filled = True
    return filled


def _shown(cell: Any) -> str:
    """Return a cell as text for names: the year 2024 is not "2024.0"."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime) and cell.time() == time():
        return str(cell.date())
    return str(cell)
