"""What stands below a table: empty rows, footnotes, a row of totals. None of them is a row."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from weft._base.reading import is_gap
from weft._base.validation import import_optional
from weft.tables.headers import is_total
from weft.tables.text_columns import LEADING_ZERO

if TYPE_CHECKING:
    import pandas as pd

LOOK_BACK = 30  # records from the end that are examined
_FEWEST_COLUMNS = 3  # in a table of two columns, a single cell may be a row with a gap
_SUBTOTAL = re.compile(r"(?:.+ )?(?:total|subtotal|ergebnis|zwischensumme)", re.IGNORECASE)
_NOTE = re.compile(
    r"[*†‡¹²³©]|\(c\)|copyright|confidential|\(\d+ rows?\)|\d+ rows? selected"
    r"|(?:sources?|notes?|quellen?|hinweise?|anmerkung(?:en)?|stand|fuentes?|notas?|legend|legende"
    r"|generated|exported|created|erstellt|report name)\b[^,;]{0,20}:",
    re.IGNORECASE,
)


def without_empty_end(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame without the rows below its last value."""
    filled = np.flatnonzero(frame.notna().to_numpy().any(axis=1))
    return frame.iloc[: filled[-1] + 1] if len(filled) else frame


def ends_in_one_cell(frame: pd.DataFrame) -> bool:
    """Return whether the last row has one text and nothing else, as a footnote has."""
    if not len(frame):
        return False
    cells = [cell for cell in frame.iloc[-1] if not is_gap(cell)]
    return len(cells) == 1 and isinstance(cells[0], str)


def count_footnotes(last: Sequence[Sequence[str]], n_columns: int) -> int:
    """Return how many of the last records are footnotes, which fill one cell with words.

    `last` has the last records in order, empty ones too. Single cells are footnotes if one of them
    starts like one or has no separators behind it, or if a blank line is above them.
    """
    if n_columns < _FEWEST_COLUMNS:
        return 0
    n_single, found = 0, 0
    for record in reversed(last):
        filled = [cell.strip() for cell in record if cell.strip()]
        if len(filled) > 1:
            break
        if filled and not any(sign.isalpha() for sign in filled[0]):
            break
        n_single += len(filled)
        if not filled or len(record) == 1 or _NOTE.match(filled[0]):
            found = n_single
    else:
        return 0  # no row above them: not a table with footnotes
    return found


def without_footnotes(
    frame: pd.DataFrame, count: int, as_text: Collection[str] = ()
) -> tuple[pd.DataFrame, list[str]]:
    """Return the frame without `count` footnotes, and a note; columns of `as_text` stay text."""
    touched: list[str] = []
    first = ""
    # They were counted in the text of the file: a parser may see other cells in damaged files.
    while len(touched) < count and len(frame):
        last = frame.iloc[-1].dropna()
        if len(last) != 1:
            break
        touched.append(last.index[0])
        first = str(last.iloc[0])[:60]
        frame = without_empty_end(frame.iloc[:-1])
    if not touched:
        return frame, []
    kept = frame.reset_index(drop=True)
    for name in set(touched) - set(as_text):
        kept[name] = as_numbers(kept[name])
    n_lines = len(touched)
    lines = (
        "a line below the table was" if n_lines == 1 else f"{n_lines} lines below the table were"
    )
    return kept, [f"{lines} taken for notes ({first!r}) and left out."]


def as_numbers(column: pd.Series) -> pd.Series:
    """Return a column as pandas would have read it without the text that was in it."""
    pandas = import_optional("pandas", "app")
    if column.dtype.kind != "O":  # numbers already, or dates, which would become numbers
        return column
    if any(LEADING_ZERO.fullmatch(str(cell)) for cell in column.unique()):
        return column
    try:
        return pandas.to_numeric(column)
    except (ValueError, TypeError):
        return column


def without_totals(
    frame: pd.DataFrame, as_text: Collection[str] = ()
) -> tuple[pd.DataFrame, list[str]]:
    """Return the frame without a last row of totals, and a note if there was one.

    A word such as "Total" that occurs above as well is a value of its column. Columns of `as_text`
    stay text.
    """
    if len(frame) < 3:
        return frame, []
    last = {name: cell for name, cell in frame.iloc[-1].items() if isinstance(cell, str)}
    before = [cell for cell in frame.iloc[-2] if isinstance(cell, str)]
    words = {name: cell for name, cell in last.items() if is_total([cell])}
    if not words or is_total(before):
        return frame, []
    above = frame.iloc[:-1]
    if all(_occurs(cell, above[name]) for name, cell in words.items()):
        return frame, _about_subtotals(frame)
    kept = without_empty_end(above).reset_index(drop=True).infer_objects()
    for name in set(last) - set(as_text):
        kept[name] = as_numbers(kept[name])
    notes = [f"the last row ({' '.join(last.values())[:60]!r}) holds totals and was left out."]
    return kept, notes + _about_subtotals(kept)


def _occurs(word: str, column: pd.Series) -> bool:
    """Return whether a column has a word, in small or capital letters."""
    return word.strip().lower() in {str(cell).strip().lower() for cell in column.unique()}


def _about_subtotals(frame: pd.DataFrame) -> list[str]:
    """Return a note about other rows that look like totals, as "North Total" of spreadsheets."""
    texts = frame.select_dtypes(["object", "string"])
    found = [
        cell
        for name in texts.columns
        for cell in texts[name]
        if isinstance(cell, str) and _SUBTOTAL.fullmatch(cell.strip())
    ]
    if not found:
        return []
    return [
        f"rows that look like totals were kept: {len(found)} (such as {found[0][:60]!r}); if they "
        "are totals, remove them from the file."
    ]
