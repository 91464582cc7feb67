"""The base of all kinds (lengths as symbols, errors), and kinds for single values and arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from weft._base.validation import short
from weft.models.archive import Refused


class Lengths:
    """The length that each symbol stands for, and checks that need all symbols to be known."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.pending: list[Callable[[], None]] = []

    def bind(self, symbol: str | int, length: int) -> bool:
        """Return whether `symbol` has this length; a new symbol gets it."""
        if isinstance(symbol, int):
            return symbol == length
        return symbol == "*" or self.known.setdefault(symbol, length) == length

    def of(self, symbol: str) -> int:
        return self.known.get(symbol, 0)

    def finish(self) -> None:
        """Do the checks that need all symbols to be known."""
        for check in self.pending:
            check()


class Kind:
    """Base class: a set of allowed values."""

    @property
    def words(self) -> str:
        """Return the allowed values in words, for an error message."""
        raise NotImplementedError

    def takes(self, value: Any) -> bool:
        """Return whether the type of `value` fits, regardless of its contents."""
        raise NotImplementedError

    def inspect(self, value: Any, what: str, lengths: Lengths) -> None:
        """Raise `Refused` if a value of the right type is not allowed."""

    def parts(self) -> Iterator[Kind]:
        """The kinds that this one is made of."""
        yield from ()

    def check(self, value: Any, what: str, lengths: Lengths) -> None:
        """Raise `Refused` if `value`, called `what` in the message, is not of this kind."""
        if not self.takes(value):
            self.refuse(value, what)
        self.inspect(value, what, lengths)

    def refuse(self, value: Any, what: str) -> NoReturn:
        raise Refused(f"its {what} is {described(value)}, but must be {self.words}.")


def described(value: Any) -> str:
    """Return the value in a few words, for an error message."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype.name} with shape {value.shape}"
    if value is None or isinstance(value, (bool, float, str)):
        return short(repr(value))
    if isinstance(value, int):
        return str(value) if abs(value) < 10**20 else "a very large integer"
    return f"a {type(value).__name__}"


LARGEST_INTEGER = 2**53
LONGEST_TEXT = 100_000


@dataclass(frozen=True)
class Array(Kind):
    """Numbers of given types and shape, within a range; `into` makes them positions in `into`."""

    shape: tuple[str | int, ...]
    types: tuple[str, ...] = ("float64",)
    low: float = -math.inf
    high: float = math.inf
    nan: bool = False
    inf: bool = False
    into: str = ""
    least: int = 1  # shortest length of a side

    @property
    def words(self) -> str:
        sides = ", ".join(str(side) for side in self.shape)
        return f"an array of {' or '.join(self.types)} with shape ({sides})"

    def takes(self, value: Any) -> bool:
        return type(value) is np.ndarray and value.dtype.name in self.types

    def inspect(self, value: np.ndarray, what: str, lengths: Lengths) -> None:
        fits = value.ndim == len(self.shape) and all(
            length >= self.least and lengths.bind(side, length)
            for side, length in zip(self.shape, value.shape, strict=True)
        )
        if not fits:
            self.refuse(value, what)
        if not (value.flags.c_contiguous and value.dtype.isnative):
            raise Refused(f"its {what} does not have the memory layout that compiled code needs.")
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            if not self.nan and np.isnan(value).any():
                raise Refused(f"its {what} holds NaN, where only numbers are allowed.")
            if not self.inf and np.isinf(value).any():
                raise Refused(f"its {what} holds infinity, where only finite numbers are allowed.")
        _check_range(value, what, self.low, self.high)
        if self.into:
            lengths.pending.append(
                lambda: _check_range(value, what, self.low, lengths.of(self.into) - 1)
            )


def _check_range(value: np.ndarray, what: str, low: float, high: float) -> None:
    with np.errstate(invalid="ignore"):
        outside = (value < low) | ((value > high) & np.isfinite(value))
    if outside.any():
        first = value[outside][0]
        raise Refused(f"its {what} holds {first:g}, but values lie within [{low:g}, {high:g}].")


@dataclass(frozen=True)
class Texts(Kind):
    """An array of text."""

    shape: tuple[str | int, ...]

    @property
    def words(self) -> str:
        return "an array of text"

    def takes(self, value: Any) -> bool:
        return type(value) is np.ndarray and value.dtype == object

    def inspect(self, value: np.ndarray, what: str, lengths: Lengths) -> None:
        if value.ndim != len(self.shape) or not all(map(lengths.bind, self.shape, value.shape)):
            raise Refused(
                f"its {what} has shape {value.shape}, which does not match its other data."
            )
        for item in value.ravel():
            Text().check(item, f"text in {what}", lengths)


@dataclass(frozen=True)
class Number(Kind):
    """A real number within [low, high], or (low, high]; `whole` takes integers as well."""

    low: float = -math.inf
    high: float = math.inf
    above: bool = False  # `low` itself is not allowed
    nan: bool = False
    inf: bool = False
    whole: bool = True

    @property
    def words(self) -> str:
        if self.low == -math.inf and self.high == math.inf:
            return "a finite number"
        bounds = [f"{'above' if self.above else 'of at least'} {self.low:g}"]
        bounds += [f"at most {self.high:g}"] if self.high < math.inf else []
        return f"a finite number {' and '.join(bounds)}"

    def takes(self, value: Any) -> bool:
        if type(value) is int:
            return self.whole and abs(value) <= LARGEST_INTEGER
        return type(value) is float

    def inspect(self, value: float, what: str, lengths: Lengths) -> None:
        if math.isnan(value):
            fits = self.nan
        elif math.isinf(value):
            fits = self.inf
        else:
            fits = self.low <= value <= self.high and not (self.above and value == self.low)
        if not fits:
            self.refuse(value, what)


@dataclass(frozen=True)
class Integer(Kind):
    """A whole number within [low, high]; `binds` makes it the length of a symbol."""

    low: int = 0
    high: int | str = LARGEST_INTEGER
    binds: str = ""

    @property
    def words(self) -> str:
        return f"an integer from {self.low} to {self.high}"

    def takes(self, value: Any) -> bool:
        return type(value) is int

    def inspect(self, value: int, what: str, lengths: Lengths) -> None:
        symbol = self.high
        if not self.low <= value <= (LARGEST_INTEGER if isinstance(symbol, str) else symbol):
            self.refuse(value, what)
        if self.binds and not lengths.bind(self.binds, value):
            raise Refused(f"its {what} is {value}, which does not match its other data.")
        if isinstance(symbol, str):
            lengths.pending.append(lambda: self._check_top(value, what, lengths.of(symbol)))

    def _check_top(self, value: int, what: str, top: int) -> None:
        if value > top:
            raise Refused(f"its {what} is {value}, but {self.high} is {top}.")


@dataclass(frozen=True)
class Flag(Kind):
    """True or False, also written as 1 or 0."""

    @property
    def words(self) -> str:
        return "True or False"

    def takes(self, value: Any) -> bool:
        return type(value) in (bool, int) and value in (0, 1)


@dataclass(frozen=True)
class Text(Kind):
    """Text of bounded length."""

    longest: int = LONGEST_TEXT

    @property
    def words(self) -> str:
        return f"text of at most {self.longest} characters"

    def takes(self, value: Any) -> bool:
        return type(value) is str and len(value) <= self.longest

    def inspect(self, value: str, what: str, lengths: Lengths) -> None:
        if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            raise Refused(f"its {what} holds half of a character (a lone surrogate).")


class Choice(Kind):
    """One of a few values."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    @property
    def words(self) -> str:
        listed = ", ".join(repr(each) for each in self.values)
        return f"one of {listed}" if len(self.values) > 1 else listed

    def takes(self, value: Any) -> bool:
        return any(type(value) is type(each) and value == each for each in self.values)


NOTHING = Choice(None)
