"""Columns of a table of numbers that look like identifiers.

A table of numbers is used unchanged, because its columns may have any names. A column called "id"
would dominate the clusters all the same, so estimators warn of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from weft._base.validation import import_optional
from weft.tables.hints import could_be_id, is_case, is_row_name, looks_like_id
from weft.tables.looks import identifier_reason

MOST_NAMED = 3  # columns that a warning names


class Suspected(NamedTuple):
    """A column and why it looks like an identifier."""

    name: str
    reason: str


def suspected_identifiers(X: Any) -> list[Suspected]:
    """Return the columns of a DataFrame of numbers that look like identifiers.

    Only columns with the name of an identifier and the first column are examined, so that wide
    tables take no time.
    """
    narwhals = import_optional("narwhals", "app")
    frame = narwhals.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, narwhals.DataFrame):
        return []
    found = []
    for place, own in enumerate(frame.columns):
        name = str(own)
        named = looks_like_id(name) or is_row_name(name) or is_case(name) or could_be_id(name)
        if place > 0 and not named:
            continue
        numbers = np.asarray(frame.get_column(own).to_numpy(), dtype=np.float64)
        numbers = numbers[np.isfinite(numbers)]
        reason = identifier_reason(name, numbers) if len(numbers) else ""
        if reason:
            found.append(Suspected(name, reason))
    return found


def about_identifiers(found: list[Suspected]) -> str:
    """Return a warning about these columns."""
    named = ", ".join(f"{each.name!r} ({each.reason})" for each in found[:MOST_NAMED])
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    one = len(found) == 1
    subject = (
        f"column {named} looks like an identifier"
        if one
        else (f"columns {named}{more} look like identifiers")
    )
    advice = (
        "drop it unless it is a measurement" if one else ("drop them unless they are measurements")
    )
    return f"{subject}, but a table of numbers is used as it is; {advice}."
