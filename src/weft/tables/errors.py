"""The one error of this room: input that cannot be used, in one sentence."""

from __future__ import annotations

_LONGEST = 2000  # characters of a message


class InputError(ValueError):
    """A file or an option that cannot be used; the message is one sentence with the remedy.

    What it quotes from a file may have line breaks in it, and no end: both are mended here.
    """

    def __init__(self, text: str) -> None:
        line = " ".join(text.splitlines())
        super().__init__(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…")
