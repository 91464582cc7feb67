"""Hints from names and texts: identifiers, codes, amounts, cycles."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from weft._base.arrays import Floats

# Words for people and things; with "id" at the end, as in "caseid", they name identifiers.
_THINGS = (
    "case|user|person|patient|pat|subject|subj|participant|respondent|student|pupil|child|mother"
    "|father|family|household|hh|school|teacher|firm|company|customer|client|member|employee|emp"
    "|account|order|product|prod|item|invoice|ticket|transaction|store|shop|county|country|town|city"
    "|district|village|station|plot|unit|study|sample|record|row|obs|session|visit|event|team|player"
    "|game|match|movie|film|book|track|song|vehicle|car|trip|device|sensor|listing|host|geo"
)
_ID_NAME = re.compile(
    r"(.*[\s_.-])?(id|index|uuid|guid|key|identifier|id(no|nr|num|code))|.*[a-z]I[dD]|unnamed: \d+"
    rf"|row[\s_.-]?(names?|num|number|no|nr)|(.*[\s_.-])?({_THINGS})id"
)
_ROW_NAME = re.compile(r"row[\s_.-]?names?")
# Last words of names of columns that are identifiers if their numbers differ in every row ...
_ID_ENDS = {
    *("no", "nr", "nbr", "num", "serial", "seq", "seqno", "obs", "observation", "case", "record"),
    *("row", "subject", "subj", "patient", "participant", "respondent", "person", "individual"),
    *("specimen", "invoice", "receipt"),
}
_ID_END = re.compile(r"[a-z]+(id|no|nr|num)")
# ... but not in these columns.
_NO_ID_ENDS = {
    *("acid", "aid", "alkaloid", "amid", "arid", "asteroid", "avid", "avoid", "bid", "carotenoid"),
    *("centroid", "covid", "fibroid", "fluid", "grid", "humid", "hybrid", "laid", "lid", "lipid"),
    *("liquid", "mid", "opioid", "paid", "placid", "plasmid", "prepaid", "raid", "rapid", "rigid"),
    *("solid", "squid", "steroid", "thyroid", "unpaid", "valid", "void", "aluminum", "amino"),
    *("casino", "mono", "piano", "platinum", "volcano"),
}
_AVERAGES = {"total", "sum", "mean", "average", "avg", "median", "max", "min", "maximum", "minimum"}
# Last words of names of columns whose whole numbers identify a person, who may have several rows.
_CASES = {"subject", "subj", "patient", "participant", "respondent", "proband"}
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_CODE_WORDS = {
    *("zip", "zipcode", "postcode", "postal", "plz", "phone", "telephone", "tel", "mobile", "fax"),
    *("ssn", "iban", "isbn", "ean", "upc", "barcode", "imei", "sku", "vin", "fips", "naics"),
    *("postleitzahl", "postnummer", "pincode", "eircode", "code", "codes"),
}
_CODE_ENDS = re.compile(r"[a-z]+code|fips[a-z]*|[a-z]+fips")
# Words for measurements, also next to the name of a code: "phone_calls", "zip_file_size".
_MEASURED = {
    *("minutes", "hours", "seconds", "time", "size", "length", "total", "usage", "use", "users"),
    *("sessions", "score", "rating", "mean", "avg", "average"),
}
# Words in the names of columns that hold amounts of money, counts, ...
_WORDS_OF = {
    "amount": {
        *("price", "amount", "cost", "costs", "revenue", "income", "salary", "sales", "spend"),
        *("spending", "balance", "charge", "charges", "fare", "fee", "wage", "rent", "profit"),
        *("budget", "gross", "turnover", "earnings"),
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


def is_row_name(name: str) -> bool:
    """Return whether a column has the names of rows, as R writes them: "1", "1.1", "Mazda"."""
    return _ROW_NAME.fullmatch(name.lower()) is not None


def could_be_id(name: str) -> bool:
    """Return whether a name ends like that of an identifier: "schid", "docno", "Sample Number".

    Names of measurements may end so as well: the values have to show what they are.
    """
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words or words[-1] in _NO_ID_ENDS:
        return False
    if words[-1] == "number":
        return len(words) > 1 and not _AVERAGES & {*words}
    return words[-1] in _ID_ENDS or _ID_END.fullmatch(words[-1]) is not None


def is_case(name: str) -> bool:
    """Return whether whole numbers in a column of this name say who was measured."""
    words = [word.lower() for word in _WORDS.findall(name)]
    return bool(words) and words[-1] in _CASES


def looks_like_code(name: str) -> bool:
    """Return whether a column is named like codes of places or things."""
    words = [word.lower() for word in _WORDS.findall(name)]
    codes = [word in _CODE_WORDS or _CODE_ENDS.fullmatch(word) is not None for word in words]
    if codes and codes[-1]:
        return True
    measured = _MEASURED | _WORDS_OF["amount"] | (_WORDS_OF["count"] - {"num", "number", "n"})
    if measured & {*words}:
        return "cost" in words and not {"center", "centre"}.isdisjoint(words)
    return any(codes)


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
