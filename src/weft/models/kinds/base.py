"""What all kinds have in common: lengths as symbols, and the sentence of a refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from weft.models.archive import Refused


class Lengths:
    """The length that each symbol stands for, and checks that need all symbols to be known."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.pending: list[Callable[[], None]] = []

    def bind(self, symbol: str | int, length: int) -> bool:
        """Return whether `symbol` stands for this length; a new symbol does from now on."""
        if isinstance(symbol, int):
            return symbol == length
        return symbol == "*" or self.known.setdefault(symbol, length) == length

    def of(self, symbol: str) -> int:
        return self.known.get(symbol, 0)

    def finish(self) -> None:
        """Do the checks that were put off until all symbols are known."""
        for check in self.pending:
            check()


class Kind:
    """What a value may be."""

    @property
    def words(self) -> str:
        """What is allowed, for a sentence."""
        raise NotImplementedError

    def takes(self, value: Any) -> bool:
        """Return whether the type of `value` fits, whatever it holds."""
        raise NotImplementedError

    def inspect(self, value: Any, what: str, lengths: Lengths) -> None:
        """Raise `Refused` if a value of the right type is not allowed."""

    def parts(self) -> Iterator[Kind]:
        """The kinds that this one is made of."""
        yield from ()

    def check(self, value: Any, what: str, lengths: Lengths) -> None:
        """Raise `Refused` if `value`, which a sentence calls `what`, is not of this kind."""
        if not self.takes(value):
            self.refuse(value, what)
        self.inspect(value, what, lengths)

    def refuse(self, value: Any, what: str) -> NoReturn:
        raise Refused(f"its {what} is {described(value)}, but must be {self.words}.")


def described(value: Any) -> str:
    """The value in a few words, for a sentence."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype.name} with shape {value.shape}"
    if value is None or isinstance(value, (bool, float, str)):
        return short(repr(value))
    if isinstance(value, int):
        return str(value) if abs(value) < 10**20 else "a very large integer"
    return f"a {type(value).__name__}"


def short(text: str, longest: int = 60) -> str:
    """`text` on one line, cut."""
    line = "".join(char if char.isprintable() else "�" for char in text)
    return line if len(line) <= longest else line[: longest - 1] + "…"
