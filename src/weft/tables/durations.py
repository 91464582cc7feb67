"""Lengths of time as people and programs write them: "1:05:20", "2h 15m", "3 days 04:00:00"."""

from __future__ import annotations

import math
import re

# "2M" is not two minutes, but a size, metres or millions.
_HOURS = (
    (24.0, r"d|days?|tage?|jours?|d[ií]as?"),
    (1.0, r"h|hrs?\.?|hours?|std\.?|stunden?|heures?|horas?"),
    (1.0 / 60.0, r"(?-i:m)|mins?\.?|minutes?|minuten?|minutos?"),
    (1.0 / 3600.0, r"s|secs?\.?|seconds?|sekunden?|sek\.?|segundos?|secondes?"),
)
_SIGN = r"(?P<sign>[-+−]?)\s*"
# As pandas writes them, days come before the clock: "-1 days +23:00:00" is minus one hour.
_CLOCK = re.compile(
    _SIGN + r"(?:(?P<days>\d{1,6}) days?,? (?P<inner>[+]?))?"
    r"(?P<h>\d{1,6}):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d(?:\.\d+)?))?"
)
_NUMBER = r"(\d{1,6}(?:[.,]\d+)?)"
_PARTS = (rf"(?:{_NUMBER}\s*(?:{words})(?![^\W\d_])[\s,]*)?" for _, words in _HOURS)
_WORDS = re.compile(_SIGN + "".join(_PARTS), re.IGNORECASE)
_ISO = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")


def read_duration(text: str) -> float:
    """Return the hours of a length of time, NaN for other text."""
    text = text.strip()
    clock = _CLOCK.fullmatch(text)
    if clock is not None:
        days = float(clock["days"] or 0.0)
        hours = float(clock["h"]) + float(clock["m"]) / 60.0 + float(clock["s"] or 0.0) / 3600.0
        if clock["sign"] in ("-", "−"):
            return -24.0 * days + (hours if clock["inner"] else -hours)
        return 24.0 * days + hours
    words = _WORDS.fullmatch(text)
    if words is not None:
        hours = _sum(words.groups()[1:])
        return -hours if words["sign"] in ("-", "−") else hours
    iso = _ISO.fullmatch(text)
    return math.nan if iso is None else _sum(iso.groups())


def _sum(parts: tuple[str | None, ...]) -> float:
    """Return the hours of days, hours, minutes and seconds; NaN if there is none of them."""
    known = [
        float(part.replace(",", ".")) * hours
        for part, (hours, _) in zip(parts, _HOURS, strict=True)
        if part is not None
    ]
    return sum(known) if known else math.nan
