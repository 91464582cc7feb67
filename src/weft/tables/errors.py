"""Messages of this package: its error, and values and names as a message shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

# What the command line calls options, in the words of Python; the first that fits wins.
_IN_PYTHON = (
    (r"--drop '?([^'.;,]+)'?(?=[.;,]|$)", r"drop=['\1']"),
    (r"--missing ([\w-]+)", r"missing='\1'"),
    (r"leave out --keep for it", "leave it out of keep"),
    (r"--(\w+)", r"\1"),
)
_LONGEST = 2000  # characters of a message


class InputError(ValueError):
    """A file or an option that cannot be used; the message is one sentence with the remedy.

    What it quotes from a file may have line breaks in it, and be very long: both are fixed here.
    """

    def __init__(self, text: str) -> None:
        line = " ".join(text.splitlines())
        super().__init__(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…")


@contextmanager
def in_python() -> Iterator[None]:
    """Say parameters where a sentence names options of the command line."""
    try:
        yield
    except InputError as error:
        text = str(error)
        for pattern, words in _IN_PYTHON:
            text = re.sub(pattern, words, text)
        raise InputError(text) from None


def short(value: object, length: int = 40) -> str:
    """Return a value cut for a message."""
    text = str(value)
    return text if len(text) <= length else text[: length - 1] + "…"


def quoted(name: str) -> str:
    """`name` as it can be typed after an option."""
    return name if re.fullmatch(r"[\w.=+/-]+", name) else f"'{name}'"
