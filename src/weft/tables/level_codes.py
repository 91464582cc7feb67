"""Levels of categories: their spellings, words for yes and no, and the codes of cells."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence

import numpy as np

from weft._base.arrays import Floats
from weft.tables.cell_texts import INVISIBLE, number_text
from weft.tables.cells import Cells

_NO_INVISIBLE = dict.fromkeys(map(ord, INVISIBLE))
_DECIMAL = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?", re.ASCII)
_ZERO = re.compile(r"[-+]?0\d")  # a code whose zeros count
_YES = (
    "true yes y t ja j oui si sí sì on sim tak да evet vrai wahr vero verdadero verdadeiro waar "
    "sant prawda 是 ✓ ✔"
)
_NO = (
    "false no n f nein non off não nie nej nee нет hayır faux falsch falso onwaar falskt fałsz 否 "
    "✗ ✘"
)
YES, NO = tuple(_YES.split()), tuple(_NO.split())


def fold(text: str) -> str:
    """Return a text in the form in which levels are compared, without spaces and case.

    An accent is a part of its letter, or a sign of its own behind it, which looks the same.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.translate(_NO_INVISIBLE))
    return " ".join(text.split()).casefold()


def level_codes(
    levels: Sequence[str], cells: Cells, yes_no: Callable[[str], float] | None = None
) -> Floats:
    """Return the position of each cell's level, NaN where it is none of `levels`.

    `yes_no` reads numbers of a column of yes and no, in which all words for them are known.
    """
    place = _places(levels, yes_no is not None)
    if cells.form == "text":
        return cells.spread([_place_of(text, place, yes_no or _float) for text in cells.texts])
    distinct, inverse = np.unique(cells.numbers, return_inverse=True)
    if cells.form == "flag":
        words = (NO, YES)
        found = [
            next((place[word] for word in words[int(flag)] if word in place), math.nan)
            if not math.isnan(flag)
            else math.nan
            for flag in distinct
        ]
    else:
        found = [place.get(number_text(number), math.nan) for number in distinct]
    return np.array(found, dtype=np.float64)[inverse]


def _places(levels: Sequence[str], is_yes_no: bool) -> dict[str, float]:
    """Return the code of each level (folded); all words for yes and no are known to yes/no.

    The level "1.0" is the number 1 as well, because a file without other texts has numbers.
    """
    place = {fold(level): float(code) for code, level in enumerate(levels)}
    if is_yes_no:
        return {**dict.fromkeys((*NO, "0"), 0.0), **dict.fromkeys((*YES, "1"), 1.0), **place}
    numbers = ((_float(level), code) for level, code in place.items() if not _ZERO.match(level))
    spelled = {number_text(number): code for number, code in numbers if math.isfinite(number)}
    return {**spelled, **place}


def _place_of(text: str, place: dict[str, float], read: Callable[[str], float]) -> float:
    """Return the place of a text's level; "1.0" is the level "1"."""
    found = place.get(fold(text))
    if found is not None:
        return found
    number = read(text)
    return place.get(number_text(number), math.nan) if math.isfinite(number) else math.nan


def _float(text: str) -> float:
    """Return a number such as "-1.50", NaN for other text: Python takes "1_0" for 10."""
    return float(text) if _DECIMAL.fullmatch(text) else math.nan
