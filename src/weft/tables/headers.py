"""Find the column names: below titles, on one line or two, each name once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from weft.tables.blanks import BLANKS
from weft.tables.cell_texts import MISSING_TEXTS

FEWEST_NUMBERS = 3  # that a column has below a line of units
LOOK_AT = 30  # records from the top that are examined
NO_FIRST_NAME = "column 1"  # what a first column without a name is called
# "*+" never goes back: a long run of spaces is read only once.
_NUMBER = re.compile(r"\s*+[-+(]?[$€£]?\s*+\d[\d.,' \u00a0]*+\s*+[%)]?\s*+")
_RULE = re.compile(r"[-=+:]{3,}")
_TOTAL = re.compile(
    r"(grand |sub)?totals?( \(\d+ records?\))?|sum|summe|gesamt(summe|ergebnis)?|insgesamt"
    r"|total (général|general|geral)|somme|totale( complessivo)?|suma|итого|合計|总计|總計",
    re.IGNORECASE,
)


class Header(NamedTuple):
    """Where the names are.

    Attributes
    ----------
    names : list of str
        One per column, each once.
    n_above : int
        Records before the names: titles.
    n_lines : int
        Records that hold the names: 1, or 2 if groups of columns have a name as well, or if units
        are below the names.
    notes : list of str
        What was decided, for people.
    """

    names: list[str]
    n_above: int
    n_lines: int
    notes: list[str]


def find_header(records: Sequence[Sequence[str]]) -> Header:
    """Return the header of the first records of a table, cells as text, "" where empty."""
    filled = [sum(1 for cell in record if cell.strip()) for record in records]
    # A table is as wide as most of its records; a title fills a cell or two.
    below = sorted(filled[1:]) or filled
    usual = below[len(below) // 2]
    n_above = _count_titles(records, filled, usual) if usual >= 2 and len(records) > 2 else 0
    notes = []
    if n_above:
        title = next((cell.strip() for cell in records[0] if cell.strip()), "")
        plural = f"{n_above} lines above the column names were" if n_above > 1 else "a line was"
        notes.append(f"{plural} taken for a title ({title[:60]!r}) and left out.")
    first = [cell.strip() for cell in records[n_above]]
    names, n_lines = first, 1
    rest = records[n_above + 1 :]
    n_rules = int(bool(rest) and _is_rule(rest[0]))
    if n_rules:
        rest = rest[1:]
        notes.append("the line of dashes below the column names was left out.")
    codes = _line_of_codes(rest)
    if codes:
        n_lines = codes + 1
        notes.append("the lines of Qualtrics below the column names were left out.")
    elif _is_grouped(first, rest):
        names, n_lines = _joined(first, [cell.strip() for cell in rest[0]]), 2
        notes.append("the column names are on two lines and were joined.")
    elif _has_units(first, rest):
        units = [cell.strip().strip("[]()") for cell in rest[0]]
        names = [
            f"{name} [{unit}]" if unit and unit.lower() not in BLANKS else name
            for name, unit in zip_longest(first, units, fillvalue="")
        ]
        n_lines = 2
        notes.append("the line below the column names was taken for their units.")
    elif _names_corner(first, rest):
        names, n_lines = [rest[0][0].strip(), *first[1:]], 2
        notes.append("the line below the column names was taken for the name of the first column.")
    numbered, told = number_names(names)
    return Header(numbered, n_above, n_lines + n_rules, [*notes, *told])


def with_corner(records: Sequence[list[str]], separator: str) -> tuple[list[list[str]], list[str]]:
    """Return the records with a name for the first column where R left it out, and a note.

    R writes names of rows without a name above them: each row has one cell more than the names. In
    a file with commas, a cell too many may also be a decimal comma, so there the first cells have
    to look like names of rows.
    """
    rows = records[1:]
    if not rows or len(records[0]) < 2 or any(len(row) != len(records[0]) + 1 for row in rows):
        return list(records), []
    if not any(row[-1].strip() for row in rows):
        return list(records), []  # a separator at the end of each row
    if separator == "," and not _start_with_names(rows):
        return list(records), []
    note = "the rows have one cell more than there are column names: it was taken for their name."
    return [["", *records[0]], *rows], [note]


def _start_with_names(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first cells are different texts, or R's numbers of rows: 1, 2, 3, …

    If all other cells are whole numbers, commas may be decimal, so nothing is certain.
    """
    first = [row[0].strip() for row in rows]
    others = (cell.strip() for row in rows for cell in row[1:] if cell.strip())
    if all(re.fullmatch(r"[-+]?\d+", cell) for cell in others):
        return False
    numbered = first == [str(number) for number in range(1, len(first) + 1)]
    return numbered or (
        all(first) and len(set(first)) == len(first) and not any(map(_is_value, first))
    )


def _line_of_codes(rest: Sequence[Sequence[str]]) -> int:
    """Return which of the two lines below the names holds codes of Qualtrics, from 1; else 0."""
    for number, record in enumerate(rest[:2], start=1):
        filled = [cell.strip() for cell in record if cell.strip()]
        if filled and all(cell.startswith('{"ImportId"') for cell in filled):
            return number
    return 0


def _names_corner(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Return whether the line below the names only names the rows, as pivot tables write it."""
    if len(rest) < 2 or first[0] or not all(first[1:]):
        return False
    name, *others = (cell.strip() for cell in rest[0])
    return name != "" and not _is_value(name) and len(others) > 0 and not any(others)


def _is_rule(record: Sequence[str]) -> bool:
    """Return whether a line has only dashes, as in tables of databases and of Markdown."""
    filled = [cell.strip() for cell in record if cell.strip()]
    return bool(filled) and all(_RULE.fullmatch(cell) for cell in filled)


def _count_titles(records: Sequence[Sequence[str]], filled: Sequence[int], usual: int) -> int:
    """Return how many records above the names are titles, 0 if all of them look like titles."""
    n_above, last = 0, len(records) - 1
    narrow = _names_below_narrow_lines(records, usual)
    while n_above < last:
        short = narrow and len(records[n_above]) < usual - (n_above == 0)
        if not (short or _is_title(records[n_above], filled[n_above], usual)):
            break
        n_above += 1
    return 0 if n_above == last else n_above


def _names_below_narrow_lines(records: Sequence[Sequence[str]], usual: int) -> bool:
    """Return whether the first full line is one of names: no number in it, numbers below it.

    Then the shorter lines above it, such as "Account;DE12 3456" of a bank, are titles.
    """
    wide = [record for record in records if len(record) >= usual]
    if len(wide) < 2 or any(_NUMBER.fullmatch(cell) for cell in wide[0]):
        return False
    return any(_NUMBER.fullmatch(cell) for record in wide[1:] for cell in record)


def _is_title(record: Sequence[str], n_filled: int, usual: int) -> bool:
    """Return whether a record above `usual` >= 2 names is a title: it has one cell, or few."""
    return len(record) == 1 or n_filled <= usual // 3


def is_total(cells: Sequence[str]) -> bool:
    """Return whether the last record of a table holds totals, not a row."""
    return any(_TOTAL.fullmatch(cell.strip().rstrip(":")) for cell in cells)


def number_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return unique names, and notes about names that were changed."""
    made: dict[str, None] = {}  # in order, and quick to search
    taken = set(names)
    repeated: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        own = name or f"column {position}"
        if own in made:
            number = repeated.get(own, 1) + 1
            while f"{own} ({number})" in taken:
                number += 1
            repeated[own] = number
            own = f"{own} ({number})"
            taken.add(own)
        made[own] = None
    notes = []
    if repeated:
        listed = ", ".join(repr(name[:60]) for name in list(repeated)[:3])
        more = f" and {len(repeated) - 3} more" if len(repeated) > 3 else ""
        notes.append(f"several columns are called {listed}{more}; they were numbered, as 'a (2)'.")
    return list(made), notes


def _is_grouped(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Return whether names have a second line: gaps above it, no number in it, numbers below."""
    # The corner above the names of rows may be empty on both lines.
    gaps = [position for position, name in enumerate(first) if position and not name]
    if not gaps or len(rest) < 2:
        return False
    second = [cell.strip() for cell in rest[0]]
    if any(_is_value(cell) or (cell and cell in MISSING_TEXTS) for cell in second):
        return False
    filled = sum(1 for cell in second if cell)
    if filled < 0.5 * len(first) or not all(
        position < len(second) and second[position] for position in gaps
    ):
        return False
    return any(_NUMBER.fullmatch(cell) for cell in rest[1] if cell.strip())


def _has_units(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Return whether the line below the names holds units: text above columns of numbers."""
    if len(rest) <= FEWEST_NUMBERS or any(map(_is_value, rest[0])):
        return False
    named = 0
    for position in range(min(len(first), len(rest[0]))):
        below = [record[position].strip() for record in rest[1:] if position < len(record)]
        filled = [cell for cell in below if cell]
        if len(filled) >= FEWEST_NUMBERS and all(map(_NUMBER.fullmatch, filled)):
            unit = rest[0][position].strip()
            named += unit not in MISSING_TEXTS and unit.lower() not in BLANKS
    return named >= 2  # in one column it may be a mistake, which has to be reported


def _joined(first: Sequence[str], second: Sequence[str]) -> list[str]:
    names, group = [], ""
    for position in range(max(len(first), len(second))):
        group = (first[position] if position < len(first) else "") or group
        own = second[position] if position < len(second) else ""
        names.append(f"{group} {own}".strip())
    return names


def _is_value(cell: str) -> bool:
    """Return whether a cell of the first rows is a number in any form, not a name or a unit."""
    text = cell.strip()
    if text in MISSING_TEXTS or text.lower() in BLANKS:
        return False
    return _NUMBER.fullmatch(text) is not None or is_number(text.lstrip("<>≤≥= "))


def is_number(text: str) -> bool:
    """Return whether Python reads a text as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
