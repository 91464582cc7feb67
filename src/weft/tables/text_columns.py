"""Columns of a text file that are read as text first, because pandas would change what they say.

"007" is a code whose zeros must not be lost. "1.234" is 1234 in many countries: only all cells of
the column and the other columns can show that (`weft.tables.numbers`).
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from weft.tables.headers import Header
from weft.tables.text_form import TextForm, open_text, records

if TYPE_CHECKING:
    import pandas as pd

# Words that pandas takes for missing, but which may be values: no alcohol, or North America.
PERHAPS = ("None", "NA")
LEADING_ZERO = re.compile(r"0\d+")
_SHOWN = 5  # columns that a note names
_FEW = 20  # distinct words of a column that looks like a category
_SNIFFED = 10_000  # records that are searched
_GROUPS = re.compile(r"\D*[1-9]\d{0,2}(?:\.\d{3})+\D*")  # with or without a unit
_SHORT = re.compile(r"\D*(?:\d{1,3}\D*)?")  # a number without groups, or a word
_DECIMAL_COMMA = re.compile(r"-?\d+,\d{1,2}")
_DECIMAL_POINT = re.compile(r"-?(?:\d+\.(?:\d{1,2}|\d{4,})|0\.\d+)")


class TextColumns(NamedTuple):
    """Names of columns that hold codes with leading zeros, groups of digits, and `PERHAPS`."""

    codes: set[str]
    groups: set[str]
    words: dict[str, str]  # name of the column: the first such word


def find_text_columns(path: Path, form: TextForm, header: Header, n_above: int) -> TextColumns:
    """Return the columns that have to be read as text.

    Points are decimal signs if commas separate the cells or another column shows so, unless some
    cell has a decimal comma.
    """
    codes: set[str] = set()
    groups: set[str] = set()
    others: set[str] = set()
    words: dict[str, str] = {}
    commas, points = False, False
    with open_text(path, form) as file:
        try:
            for _, cells in itertools.islice(records(file, form.separator), n_above, _SNIFFED):
                for name, text in zip(header.names, cells, strict=False):
                    if text[:1] == "0" and LEADING_ZERO.fullmatch(text.strip()):
                        codes.add(name)
                    if text in PERHAPS:
                        words.setdefault(name, text)
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
    return TextColumns(codes, groups - others if may_have_groups else set(), words)


def about_words(frame: pd.DataFrame, words: Mapping[str, str]) -> list[str]:
    """Return notes about columns of a few words in which a word of `PERHAPS` became a gap.

    Each word has one note, which names the columns in the order of the table.
    """
    columns: dict[str, list[str]] = {}
    for name in [name for name in frame.columns if name in words]:
        levels = [level for level in frame[name].unique() if isinstance(level, str)]
        if 0 < len(levels) <= _FEW and not any(map(str.isdigit, "".join(levels))):
            columns.setdefault(words[name], []).append(name)
    return [
        f"{word!r} in {_named(names)} was taken for missing; if it is a value, write it in another "
        "way."
        for word, names in columns.items()
    ]


def _named(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:_SHOWN]))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"column{'s' if len(names) > 1 else ''} {shown}{more}"
