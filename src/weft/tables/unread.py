"""The sentence about cells that do not fit the other cells of their column."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from weft.tables.cells import Cells
from weft.tables.dates import YEARS, is_far_date
from weft.tables.errors import quoted, short
from weft.tables.numbers import find_format, is_number_text


def explain_unread(
    table: str, place: Callable[[int], str], cells: Cells, unread: np.ndarray, form: str = ""
) -> str:
    """Return which cells could not be read, what is in the first, and what to do.

    `form` is that of the dates of a column, "" for numbers.
    """
    row = int(np.flatnonzero(unread)[0])
    text = cells.text_of(row)
    what, other = (f"dates ({form})", "another form") if form else ("numbers", "text")
    if form and (cells.form == "time" or is_far_date(text, form)):
        other = f"a year far outside {YEARS[0]} to {YEARS[1]}"
    elif not form and is_number_text(text):
        is_huge = math.isinf(find_format([text]).read(text))
        other = "a number too large" if is_huge else "another unit or none"
    cell = f"{unread.sum()} cells, the first of them" if unread.sum() > 1 else "the cell"
    return (
        f"{table} has {what} in column {cells.name!r} but {other} in {cell} on {place(row)} "
        f"({short(text)!r}); fix it, empty it to mark it missing, or leave the column out with "
        f"--drop {quoted(cells.name)}."
    )
