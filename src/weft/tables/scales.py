"""Levels that have an order: answers of surveys, sizes, frequencies, ranges of numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weft.tables.blanks import BLANKS

_MIDDLE = ("neutral", "undecided", "unsure", "teils/teils", "teils teils", "weder noch")
# Levels in their order. Some may be absent; levels of the same meaning are next to each other.
_SCALES = (
    ("very low", "low", "medium", "moderate", "high", "very high"),
    ("very small", "small", "medium", "large", "very large"),
    ("xxs", "xs", "s", "m", "l", "xl", "xxl", "xxxl"),
    (
        *("never", "almost never", "very rarely", "rarely", "seldom", "occasionally", "sometimes"),
        *("often", "frequently", "very often", "usually", "almost always", "always"),
    ),
    ("never", "yearly", "quarterly", "monthly", "weekly", "daily", "hourly"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("very bad", "bad", "ok", "good", "very good"),
    ("terrible", "bad", "average", "good", "excellent"),
    (
        *("strongly disagree", "disagree", "somewhat disagree", "slightly disagree", *_MIDDLE),
        *(
            "neither",
            "neither agree nor disagree",
            "slightly agree",
            "somewhat agree",
            "agree",
            "strongly agree",
        ),
    ),
    (
        *("very dissatisfied", "dissatisfied", "somewhat dissatisfied", *_MIDDLE),
        *("neither satisfied nor dissatisfied", "somewhat satisfied", "satisfied"),
        "very satisfied",
    ),
    (
        *(
            "very unlikely",
            "unlikely",
            "somewhat unlikely",
            *_MIDDLE,
            "neither likely nor unlikely",
        ),
        *("somewhat likely", "likely", "very likely", "extremely likely"),
    ),
    *(
        (
            *(f"not at all {word}", f"not {word}", f"not very {word}", f"slightly {word}"),
            *(f"somewhat {word}", f"moderately {word}", word, f"very {word}", f"extremely {word}"),
        )
        for word in ("important", "satisfied", "likely", "interested", "useful", "concerned")
    ),
    ("not at all", "a little", "slightly", "somewhat", "moderately", "quite a bit", "very much"),
    ("none", "mild", "moderate", "severe"),
    ("none", "low", "medium", "high"),
    ("bronze", "silver", "gold", "platinum", "diamond"),
    ("first", "second", "third", "fourth", "fifth"),
    ("1st", "2nd", "3rd", "4th", "5th"),
    ("beginner", "intermediate", "advanced", "expert"),
    ("junior", "mid", "senior"),
    ("freshman", "sophomore", "junior", "senior"),
    ("primary", "secondary", "tertiary"),
    (
        *("stimme überhaupt nicht zu", "stimme gar nicht zu", "stimme nicht zu"),
        *("stimme eher nicht zu", *_MIDDLE, "stimme teilweise zu", "stimme eher zu", "stimme zu"),
        *("stimme voll zu", "stimme voll und ganz zu"),
    ),
    (
        *("trifft überhaupt nicht zu", "trifft gar nicht zu", "trifft nicht zu"),
        *("trifft eher nicht zu", *_MIDDLE, "trifft teilweise zu", "trifft eher zu", "trifft zu"),
        *("trifft voll zu", "trifft voll und ganz zu"),
    ),
    (
        *("sehr unzufrieden", "unzufrieden", "eher unzufrieden", *_MIDDLE, "eher zufrieden"),
        *("zufrieden", "sehr zufrieden"),
    ),
    (
        *("nie", "sehr selten", "selten", "gelegentlich", "manchmal", "oft", "häufig"),
        *("sehr oft", "immer"),
    ),
    ("sehr niedrig", "niedrig", "gering", "mittel", "hoch", "sehr hoch"),
    ("sehr schlecht", "schlecht", "mittel", "gut", "sehr gut"),
)
# "18-24", "25 to 34", "65+", "<5", ">=10", "under 18": the number that a range starts with.
_NUMBER = r"(?:[$€£]|chf|eur|usd)?\s*{}\s*(?P<{}_k>k(?![a-z]))?\s*[$€£]?"
_LOW, _HIGH, _FROM = (
    _NUMBER.format(rf"(?P<{name}>\d[\d.,'’]*)", name) for name in ("low", "high", "from")
)
_UNIT = (
    r"\s*(?:years?(?: old)?|yrs?\.?|jahren?|jahre|ans|años|anni|months?|days?|hours?|eur|kg|km)?\s*"
)
_ANY_UNIT = r"\s*(?:[^\W\d_]{1,10}\.?(?:/[^\W\d_]{1,6})?)?\s*"  # "0-9g/day"
_RANGE = re.compile(
    r"(?P<under>under|below|less than|up to|unter|bis(?: zu)?|weniger als|moins de|<=?|≤)?"
    rf"\s*{_LOW}"
    rf"(?:(?(under){_ANY_UNIT}|{_UNIT})|{_ANY_UNIT}(?:-|–|to|bis|à|\.\.)\s*{_HIGH}{_ANY_UNIT}"
    rf"|{_ANY_UNIT}(?P<over>\+|(?:or|and) (?:more|over|older)|plus|et plus"
    rf"|(?:und|oder) (?:mehr|älter)){_ANY_UNIT}"
    rf"|{_ANY_UNIT}(?P<less>(?:or|and) (?:less|fewer|under|below|younger)"
    rf"|(?:und|oder) (?:weniger|jünger)){_ANY_UNIT})"
    rf"|(?P<above>over|above|more than|über|mehr als|plus de|>=?|≥)\s*{_FROM}{_ANY_UNIT}"
)
# "(-0.5, 1.25]", as pandas writes intervals.
_INTERVAL = re.compile(
    r"[(\[](?P<low>-?inf|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?), ?-?(?:inf|\d[\d.e+-]*)[)\]]"
)
# "none" of "none, 1-2, 3 or more" is 0, not missing.
_NO_ANSWER = BLANKS - {"none", "nil"}
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:[.'’]\d{3})+")


def ordered_scale(levels: Sequence[str]) -> list[str] | None:
    """Return levels (folded) in their order, if their words or ranges have one, else None.

    Words such as "don't know" have no place in the order and are left out.
    """
    return _in_order(levels) or _in_order([level for level in levels if level not in _NO_ANSWER])


def _in_order(levels: Sequence[str]) -> list[str] | None:
    if len(levels) < 3:
        return None
    for scale in _SCALES:
        if set(levels) <= set(scale):
            return [word for word in scale if word in levels]
    starts = [_range_start(level) for level in levels]
    known = [start for start in starts if start is not None]
    if len(known) < len(levels) or len(set(known)) < len(known):
        return None
    return [level for _, level in sorted(zip(known, levels, strict=True))]


def _range_start(level: str) -> tuple[float, int] | None:
    """Return where a range such as "18-24" or "65+" starts; None for other text."""
    interval = _INTERVAL.fullmatch(level)
    if interval is not None:
        return float(interval["low"]), 0
    match = _RANGE.fullmatch(level)
    if match is None:
        return None
    number = _number(match["low"] or match["from"])
    if number is None:
        return None
    high = _number(match["high"] or "")
    both = match["high_k"] and high is not None and number < high  # "5-15k", but not "500-1k"
    number *= 1000.0 if match["low_k"] or match["from_k"] or both else 1.0
    if match["under"] or match["less"]:
        return number, -1
    return number, 1 if match["over"] or match["above"] else 0


def _number(text: str) -> float | None:
    """Return the number of a range's end, None for other text."""
    if _THOUSANDS.fullmatch(text):
        text = re.sub(r"[.'’]", "", text)
    try:
        return float(text.replace(",", "").rstrip("."))
    except ValueError:
        return None
