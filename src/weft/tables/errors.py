"""Messages of this package: its error, and values and names as a message shows them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Options of the command line, and how Python code would write them; the first match is used.
_IN_PYTHON: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"--drop '(.+?)'(?=[.;,]|$)", lambda found: f"drop=[{found[1]!r}]"),
    (r"--drop ([\w.=+/-]*[\w=+/-])(?=[.;,]|$)", lambda found: f"drop=[{found[1]!r}]"),
    (r"--missing ([\w-]+)", r"missing='\1'"),
    (r"leave out --keep for it", "leave it out of keep"),
    (r"--(\w+)", r"\1"),
)
_LONGEST = 2000  # characters of a message


class InputError(ValueError):
    """A file or an option that cannot be used; the message is one sentence with the remedy.

    Text that it quotes from a file may be very long or have line breaks; both are handled here.
    """

    def __init__(self, text: str) -> None:
        line = " ".join(text.splitlines())
        super().__init__(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…")


@contextmanager
def in_python() -> Iterator[None]:
    """Replace options of the command line in a sentence by parameters."""
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
