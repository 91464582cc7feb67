"""Columns of a text file that are read as text first, because pandas would change what they say.

"007" is a code whose zeros must not be lost. "1.234" is 1234 in many countries: only all cells of
the column and the other columns can show that (`weft.tables.numbers`).
"""

from __future__ import annotations

import csv
import itertools
import re
from pathlib import Path
from typing import NamedTuple

from weft.tables.headers import Header
from weft.tables.text_form import TextForm, open_text, records

LEADING_ZERO = re.compile(r"0\d+")
_SNIFFED = 10_000  # records that are searched
_GROUPS = re.compile(r"\D*[1-9]\d{0,2}(?:\.\d{3})+\D*")  # with or without a unit
_SHORT = re.compile(r"\D*\d{0,3}\D*")  # a number without groups, or a word
_DECIMAL_COMMA = re.compile(r"-?\d+,\d{1,2}")
_DECIMAL_POINT = re.compile(r"-?(?:\d+\.(?:\d{1,2}|\d{4,})|0\.\d+)")


class TextColumns(NamedTuple):
    """Names of columns that hold codes with leading zeros, and groups of digits."""

    codes: set[str]
    groups: set[str]


def find_text_columns(path: Path, form: TextForm, header: Header, n_above: int) -> TextColumns:
    """Return the columns that have to be read as text.

    Points are decimal signs if commas separate the cells or another column shows so, unless some
    cell has a decimal comma.
    """
    codes: set[str] = set()
    groups: set[str] = set()
    others: set[str] = set()
    commas, points = False, False
    with open_text(path, form) as file:
        try:
            for _, cells in itertools.islice(records(file, form.separator), n_above, _SNIFFED):
                for name, text in zip(header.names, cells, strict=False):
                    if text[:1] == "0" and LEADING_ZERO.fullmatch(text.strip()):
                        codes.add(name)
                    # Most cells of a large table are done here, without a regular expression.
                    if name in others or (len(text) <= 3 and "." not in text and "," not in text):
                        continue
                    cell = text.strip()
                    if _GROUPS.fullmatch(cell):
                        groups.add(name)
                    elif not _SHORT.fullmatch(cell):
                        others.add(name)
                        commas |= _DECIMAL_COMMA.fullmatch(cell) is not None
                        points |= _DECIMAL_POINT.fullmatch(cell) is not None
        except csv.Error:
            pass  # the actual reader reports the error
    may_have_groups = commas or (form.separator != "," and not points)
    return TextColumns(codes, groups - others if may_have_groups else set())
