"""Hints from names and texts: identifiers, codes, amounts, cycles."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from weft._base.arrays import Floats

_ID_NAME = re.compile(r"(.*[\s_.-])?(id|index|uuid|guid|key)|.*[a-z]I[dD]|unnamed: \d+")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_CODE_WORDS = {
    *("zip", "zipcode", "postcode", "postal", "plz", "phone", "telephone", "tel", "mobile", "fax"),
    *("ssn", "iban", "isbn", "ean", "upc", "barcode", "imei", "sku", "vin", "fips", "naics"),
    *("postleitzahl", "postnummer", "pincode", "eircode", "code", "codes"),
}
# Words in the names of columns that hold amounts of money, counts, ...
_WORDS_OF = {
    "amount": {
        *("price", "amount", "cost", "costs", "revenue", "income", "salary", "sales", "spend"),
        *("spending", "balance", "charge", "charges", "fare", "fee", "wage", "rent", "profit"),
        "budget",
    },
    "count": {
        *("count", "counts", "num", "number", "qty", "quantity", "visits", "orders", "clicks"),
        *("views", "children", "siblings", "persons", "people", "rooms", "calls", "items", "n"),
    },
    "date": {
        *("date", "datum", "fecha", "datetime", "timestamp", "created", "updated", "modified"),
    },
    "share": {
        *("share", "ratio", "rate", "pct", "percent", "percentage", "fraction", "proportion"),
    },
}
_DURATION_WORDS = {
    *("duration", "elapsed", "runtime", "uptime", "downtime", "length", "dauer", "laufzeit"),
    *("durée", "duree", "duración", "duracion", "durata", "duur", "czas"),
}
# Word in the name: period, least and largest value, what it is called.
_CYCLES = {
    "month": (12.0, 1, 12, "months"),
    "mnth": (12.0, 1, 12, "months"),
    "weekday": (7.0, 0, 7, "days of the week"),
    "dow": (7.0, 0, 7, "days of the week"),
    "dayofweek": (7.0, 0, 7, "days of the week"),
    "hour": (24.0, 0, 24, "hours of the day"),
    "hr": (24.0, 0, 24, "hours of the day"),
    "bearing": (360.0, 0, 360, "degrees"),
    "azimuth": (360.0, 0, 360, "degrees"),
    "heading": (360.0, 0, 360, "degrees"),
    "direction": (360.0, 0, 360, "degrees"),
}
_CODE_TEXTS = (
    (re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"), "UUIDs"),
    (re.compile(r"(?=.*\d)(?=.*[a-fA-F])(?:0x)?[0-9a-fA-F]{16,128}"), "hashes"),
    (re.compile(r"[^@\s]+@[^@\s][^@\s.]*\.[^@\s]+"), "e-mail addresses"),
    (re.compile(r"(?:https?|ftp)://\S+|www\.\S+"), "web addresses"),
    (re.compile(r"\d{1,3}(?:\.\d{1,3}){3}"), "IP addresses"),
    (re.compile(r"(?:\+|00)\d{1,3}[\d\s()./-]{6,}\d"), "phone numbers"),
    (re.compile(r"(?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}"), "phone numbers"),
    (re.compile(r"\d{5}-\d{4}"), "postal codes"),
    (re.compile(r"[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}"), "postal codes"),
)
_CODE_DIGITS = re.compile(r"(?P<digits>\d+)(?P<letter>[A-Za-z]?)")  # "017" and "136A"


def name_words(name: str) -> set[str]:
    """Return the words of a column's name, in small letters."""
    return {word.lower() for word in _WORDS.findall(name)}


def looks_like_id(name: str) -> bool:
    """Return whether a column is named like an identifier."""
    return _ID_NAME.fullmatch(name) is not None or _ID_NAME.fullmatch(name.lower()) is not None


def looks_like_code(name: str) -> bool:
    """Return whether a column is named like codes of places or things."""
    words = name_words(name)
    return bool(words & _CODE_WORDS) or ("cost" in words and bool(words & {"center", "centre"}))


def by_size(code: str) -> tuple[int, str, int]:
    """Return a key that sorts codes of digits as numbers: "7", "007", "12"."""
    digits = code.lstrip("0")
    return len(digits), digits, len(code)


def looks_like(kind: str, name: str) -> bool:
    """Return whether a column is named like an "amount" (of money), "count", "date" or "share"."""
    # "N1" and "N2" are items of a questionnaire, "n" and "n_rooms" counts.
    words = name_words(re.sub(r"[nN]\d+", "", name))
    return bool(words & _WORDS_OF[kind])


def looks_like_duration(name: str) -> bool:
    """Return whether a column is named like lengths of time."""
    return bool({word.lower() for word in re.findall(r"[^\W\d_]+", name)} & _DURATION_WORDS)


def cycle_by_name(name: str, values: Floats) -> tuple[float, str] | None:
    """Return the period and the words of a column whose name and range are those of a cycle."""
    for word in name_words(name.replace("day_of_week", "dayofweek")):
        if word not in _CYCLES:
            continue
        period, low, high, words = _CYCLES[word]
        inside = values.min() >= low and values.max() <= high
        # A part of the circle, such as three months, is better treated as a line.
        if inside and np.ptp(values) >= 0.6 * period and len(np.unique(values)) >= 5:
            return period, words
    return None


def is_code_text(texts: Sequence[str]) -> str:
    """Return the kind of code that all of these texts have, or ""."""
    for pattern, words in _CODE_TEXTS:
        if all(pattern.fullmatch(text) for text in texts):
            return f"{words}: names, not amounts"
    codes = [match for match in map(_CODE_DIGITS.fullmatch, texts) if match is not None]
    lengths = {len(match["digits"]) for match in codes}
    # If all of them end with a letter, it is a unit.
    if len(codes) < len(texts) or len(lengths) > 1 or all(match["letter"] for match in codes):
        return ""
    if min(lengths) >= 3 and any(match["digits"].startswith("0") for match in codes):
        return f"codes of {min(lengths)} digits, some starting with 0: names, not amounts"
    return ""
