"""One cell as text: without the signs around it that no one sees, in one spelling for numbers."""

from __future__ import annotations

import re
from datetime import time
from typing import Any

import numpy as np

# Signs that no one sees, which web pages and editors leave around texts.
INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u00ad\ufeff"
_TEXT_FORMULA = re.compile(r'="(?P<text>[^"]*)"')  # how exports keep Excel from changing "007"
# Texts that mean "missing" in any column: those of pandas and of UCI, and the errors of Excel.
MISSING_TEXTS = frozenset(
    {
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
        *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null", "NaT"),
        *("?", "#VALUE!", "#REF!", "#DIV/0!", "#NUM!", "#NAME?", "#NULL!", "#N/V", "#WERT!"),
    }
)


def text_of_cell(cell: Any) -> str:
    """Return any cell as text."""
    if isinstance(cell, (float, np.floating)) and cell == np.floor(cell):
        return number_text(float(cell))  # workbooks have only floats
    if isinstance(cell, bytes):
        cell = cell.decode("utf-8", errors="replace")
    if isinstance(cell, time):  # fractions of a second would make it look like a length of time
        cell = cell.replace(microsecond=0)
    text = str(cell)
    # A lone surrogate (half of a character) cannot be written to any file.
    text = text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
    text = text.strip().rstrip("\x1a")  # DOS marks the end of a file with this character
    if not text.isascii():
        text = text.strip(INVISIBLE).strip()
    formula = _TEXT_FORMULA.fullmatch(text)
    return text if formula is None else formula["text"].strip()


def number_text(number: float) -> str:
    """Return a number as a level: "3" for 3.0."""
    if number == np.floor(number) and abs(number) < 1e15:
        return str(int(number))
    return repr(float(number))  # NumPy's own numbers have another repr
