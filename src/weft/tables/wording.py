"""Words of messages: a value cut short, a name as it can be typed."""

from __future__ import annotations

import re


def short(value: object, length: int = 40) -> str:
    """Return a value cut for a message."""
    text = str(value)
    return text if len(text) <= length else text[: length - 1] + "…"


def quoted(name: str) -> str:
    """`name` as it can be typed after an option."""
    return name if re.fullmatch(r"[\w.=+/-]+", name) else f"'{name}'"
