"""Notes on numbers that need care: limits, several currencies, codes for missing values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weft._base.arrays import Floats
from weft.tables.cell_texts import number_text
from weft.tables.money import is_no_money
from weft.tables.numbers import NumberFormat, money_signs, scaled_texts
from weft.tables.reading import Reading

LIMITS = "<>≤≥"
# Parts of a note that are warnings as well.
_CAREFUL = ("looks like a code for missing values", "not converted")
_FEWEST = 2  # rows in which a code for missing values has to occur


def needs_care(note: str) -> bool:
    """Return whether a column's note should not be overlooked."""
    return any(words in note for words in _CAREFUL)


def about_texts(chosen: NumberFormat, texts: Sequence[str]) -> str:
    """Return words about how the numbers of a column are written; "" for plain numbers."""
    notes = (chosen.words, about_limits(texts), about_scales(texts), about_money(texts))
    return ", ".join(filter(None, (*notes, about_zeros(texts))))


def about_zeros(texts: Sequence[str]) -> str:
    """Return words about cells such as "$ -", which are taken as 0."""
    found = [text for text in texts if is_no_money(text)]
    return f"cells such as {found[0]!r} taken as 0" if found else ""


def about_limits(texts: Sequence[str]) -> str:
    """Return words about cells such as "<0.5", which are taken at the limit."""
    found = [text for text in texts if text[:1] in LIMITS]
    return f"cells such as {found[0]!r} taken at the limit" if found else ""


def about_scales(texts: Sequence[str]) -> str:
    """Return words about cells such as "120k", which are taken as thousands."""
    found = scaled_texts(texts)
    if not found:
        return ""
    return f"cells such as {found[0]!r} taken as thousands, millions or billions"


def about_money(texts: Sequence[str]) -> str:
    """Return words about a column in several currencies, whose numbers are not converted."""
    signs = money_signs(texts)
    return f"in {' and '.join(signs)}, not converted" if len(signs) > 1 else ""


def about_missing_code(reading: Reading, values: Floats) -> Reading:
    """Return the reading with a note where a number such as -999 looks like "missing".

    It is a number of nines that occurs more than once and lies farther from all others than their
    whole range is wide. It is not treated as missing, so that no number is lost silently.
    """
    seen = values[~np.isnan(values)]
    for code in (seen.min(), seen.max()):
        digits = number_text(abs(float(code))) if np.isfinite(code) else ""
        others = seen[seen != code]
        if len(digits) < 2 or set(digits) != {"9"} or len(seen) - len(others) < _FEWEST:
            continue
        if len(others) and np.abs(others - code).min() > np.ptp(others) > 0.0:
            shown = number_text(float(code))
            note = f"{shown} in {len(seen) - len(others)} rows looks like a code for missing values"
            return replace(reading, note=f"{reading.note}; {note}: if it is, empty those cells")
    return reading
