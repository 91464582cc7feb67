"""The readings of columns that need no more than a look: numbers, categories, orders, yes/no."""

from __future__ import annotations

import numpy as np

from weft._base.arrays import Floats
from weft.tables.hints import looks_like_amount, looks_like_count, looks_like_share
from weft.tables.looks import within
from weft.tables.numbers import NumberFormat
from weft.tables.reading import NO, YES, Reading, fold


def number_reading(
    name: str, finite: Floats, whole: bool, chosen: NumberFormat, words: str = ""
) -> Reading:
    kind = "number"
    if not chosen.unit and whole and set(np.unique(finite)) == {0.0, 1.0}:
        return yes_no_reading(name, ("0", "1"))
    if chosen.is_money or (not chosen.unit and looks_like_amount(name)):
        kind = "amount"
    elif chosen.unit == "%" or (looks_like_share(name) and within(finite, 0.0, 1.0)):
        kind = "share"
    elif not chosen.unit and whole and finite.min() >= 0 and looks_like_count(name):
        kind = "count"
    return Reading(name, kind, words or "numbers", unit=chosen.unit, numbers=chosen)


def category_reading(name: str, texts: list[str], counts: np.ndarray, note: str = "") -> Reading:
    """Return a category; the levels in the order of their first rows, each as it came first."""
    levels: dict[str, str] = {}
    for text, count in zip(texts, counts, strict=True):
        if count:
            levels.setdefault(fold(text), text)
    n_texts = int((counts > 0).sum())
    words = note or f"{len(levels)} values"
    if len(levels) < n_texts:
        words += f", {n_texts} with other spaces or capitals taken together"
    return Reading(name, "category", words, levels=tuple(levels.values()))


def ordered_reading(name: str, levels: tuple[str, ...], why: str) -> Reading:
    shown = ", ".join(levels[:6]) + (", …" if len(levels) > 6 else "")
    return Reading(name, "ordered", f"{len(levels)} levels, {why}: {shown}", levels=levels)


def yes_no_reading(name: str, words: tuple[str, str]) -> Reading:
    return Reading(name, "yes/no", f"{words[0]} or {words[1]}", levels=words)


def two_words(texts: list[str]) -> tuple[str, str]:
    no = next((text for text in texts if fold(text) in NO), "no")
    yes = next((text for text in texts if fold(text) in YES), "yes")
    return no, yes
