"""What a value in a model file may be: small records, each with a check of its own.

Lengths are symbols, such as "n_features": a symbol stands for one length in the whole file, and
``"*"`` for any length. A value that does not fit raises `Refused`, the end of a sentence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from weft.models.archive import Refused

LARGEST_INTEGER = 2**53
LONGEST_TEXT = 100_000


class Lengths:
    """The length that each symbol stands for, and checks that need all symbols to be known."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.pending: list[Callable[[], None]] = []

    def bind(self, symbol: str | int, length: int) -> bool:
        """Say whether `symbol` stands for this length; a new symbol does from now on."""
        if isinstance(symbol, int):
            return symbol == length
        return symbol == "*" or self.known.setdefault(symbol, length) == length

    def of(self, symbol: str) -> int:
        return self.known.get(symbol, 0)


class Kind:
    """What a value may be. Subclasses have `words`, which say it, and `check`."""

    words = "nothing"

    def check(self, value: Any, what: str, lengths: Lengths) -> None:
        """Raise `Refused` if `value` is not of this kind."""
        raise NotImplementedError

    def takes(self, value: Any) -> bool:
        """Say whether the type of `value` fits, whatever it holds."""
        return not isinstance(value, (np.ndarray, list, tuple, dict))

    def parts(self) -> Iterator[Kind]:
        """The kinds that this one is made of."""
        yield from ()

    def refuse(self, what: str, got: str) -> NoReturn:
        raise Refused(f"its {what} is {got}, but must be {self.words}.")


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
    def words(self) -> str:  # type: ignore[override]
        sides = ", ".join(str(side) for side in self.shape)
        return f"an array of {' or '.join(self.types)} with shape ({sides})"

    def takes(self, value: Any) -> bool:
        return type(value) is np.ndarray

    def check(self, value: Any, what: str, lengths: Lengths) -> None:
        if not self.takes(value):
            self.refuse(what, described(value))
        if value.dtype.name not in self.types or not value.dtype.isnative:
            self.refuse(what, described(value))
        fits = len(value.shape) == len(self.shape) and all(
            length >= self.least and lengths.bind(side, length)
            for side, length in zip(self.shape, value.shape, strict=True)
        )
        if not fits:
            self.refuse(what, described(value))
        if not value.flags.c_contiguous:
            raise Refused(f"its {what} does not lie in memory row by row.")
        if value.dtype.kind == "f":
            self._check_finite(value, what)
        if value.size and (self.low > -math.inf or self.high < math.inf):
            self._check_range(value, what, self.low, self.high)
        if self.into:
            lengths.pending.append(lambda: self._check_positions(value, what, lengths))

    def _check_finite(self, value: np.ndarray, what: str) -> None:
        if np.isfinite(value).all():
            return
        if not self.nan and np.isnan(value).any():
            raise Refused(f"its {what} holds NaN, where only numbers are allowed.")
        if not self.inf and np.isinf(value).any():
            raise Refused(f"its {what} holds infinity, where only finite numbers are allowed.")

    def _check_range(self, value: np.ndarray, what: str, low: float, high: float) -> None:
        with np.errstate(invalid="ignore"):
            outside = (value < low) | (value > high)
        if outside.any():
            first = value[outside][0]
            raise Refused(f"its {what} holds {first:g}, but values lie within [{low:g}, {high:g}].")

    def _check_positions(self, value: np.ndarray, what: str, lengths: Lengths) -> None:
        last = lengths.of(self.into) - 1
        if value.size:
            self._check_range(value, what, max(self.low, -1.0), float(last))


@dataclass(frozen=True)
class Texts(Kind):
    """An array of text."""

    shape: tuple[str | int, ...]

    words = "an array of text"

    def check(self, value: Any, what: str, lengths: Lengths) -> None:
        if type(value) is not np.ndarray or value.dtype != object or value.ndim != len(self.shape):
            self.refuse(what, described(value))
        if not all(map(lengths.bind, self.shape, value.shape)):
            raise Refused(f"its {what} has shape {value.shape}, which does not fit the rest of it.")
        for item in value.ravel():
            Text().check(item, f"text in {what}", lengths)


@dataclass(frozen=True)
class Number(Kind):
    """A real number within [low, high], or (low, high]; integers count as numbers."""

    low: float = -math.inf
    high: float = math.inf
    above: bool = False  # `low` itself is not allowed
    nan: bool = False
    inf: bool = False

    @property
    def words(self) -> str:  # type: ignore[override]
        bracket = "(" if self.above else "["
        return f"a number in {bracket}{self.low:g}, {self.high:g}]"

    def check(self, value: Any, what: str, lengths: Lengths) -> None:
        if type(value) not in (int, float) or (abs(value) > 10**308 and type(value) is int):
            self.refuse(what, described(value))
        if math.isnan(value):
            fits = self.nan
        elif math.isinf(value):
            fits = self.inf
        else:
            fits = self.low <= value <= self.high and not (self.above and value == self.low)
        if not fits:
            self.refuse(what, described(value))


@dataclass(frozen=True)
class Integer(Kind):
    """A whole number within [low, high]; `binds` makes it the length of a symbol."""

    low: int = 0
    high: int | str = LARGEST_INTEGER
    binds: str = ""

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"an integer from {self.low} to {self.high}"

    def check(self, value: Any, what: str, lengths: Lengths) -> None:
        top = self.high if isinstance(self.high, int) else LARGEST_INTEGER
        if type(value) is not int or not self.low <= value <= top:
            self.refuse(what, described(value))
        if self.binds and not lengths.bind(self.binds, value):
            raise Refused(f"its {what} is {value}, which does not fit the rest of it.")
        symbol = self.high
        if isinstance(symbol, str):
            lengths.pending.append(lambda: self._check_top(value, what, symbol, lengths))

    def _check_top(self, value: int, what: str, symbol: str, lengths: Lengths) -> None:
        if value > lengths.of(symbol):
            raise Refused(f"its {what} is {value}, above {symbol} = {lengths.of(symbol)}.")


@dataclass(frozen=True)
class Flag(Kind):
    """True or False, also written as 1 or 0."""

    words = "True or False"

    def check(self, value: Any, what: str, lengths: Lengths) -> None:
        if type(value) not in (bool, int) or value not in (0, 1):
            self.refuse(what, described(value))


@dataclass(frozen=True)
class Text(Kind):
    """Text of bounded length."""

    longest: int = LONGEST_TEXT

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"text of at most {self.longest} characters"

    def check(self, value: Any, what: str, lengths: Lengths) -> None:
        if type(value) is not str or len(value) > self.longest:
            self.refuse(what, described(value))
        if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            raise Refused(f"its {what} holds half of a character.")


class Choice(Kind):
    """One of a few values."""

    def __init__(self, *values: Any) -> None:
        self.values = values
        self.words = "one of " + ", ".join(repr(each) for each in values)
        if len(values) == 1:
            self.words = repr(values[0])

    def check(self, value: Any, what: str, lengths: Lengths) -> None:
        if not any(type(value) is type(each) and value == each for each in self.values):
            self.refuse(what, described(value))


NOTHING = Choice(None)


class OneOf(Kind):
    """Any of several kinds; the first that fits."""

    def __init__(self, *kinds: Kind) -> None:
        self.kinds = kinds

    @property
    def words(self) -> str:  # type: ignore[override]
        return ", or ".join(kind.words for kind in self.kinds)

    def parts(self) -> Iterator[Kind]:
        yield from self.kinds

    def check(self, value: Any, what: str, lengths: Lengths) -> None:
        likely = [kind for kind in self.kinds if kind.takes(value)]
        if len(likely) == 1:  # its own sentence says more than that of all
            likely[0].check(value, what, lengths)
            return
        known, n_pending = dict(lengths.known), len(lengths.pending)
        for kind in likely:
            try:
                kind.check(value, what, lengths)
            except Refused:
                lengths.known = dict(known)
                del lengths.pending[n_pending:]
            else:
                return
        self.refuse(what, described(value))

    def takes(self, value: Any) -> bool:
        return any(kind.takes(value) for kind in self.kinds)


@dataclass(frozen=True)
class ListOf(Kind):
    """A list or tuple of values of one kind; `length` is a symbol or a number."""

    kind: Kind
    length: str | int = "*"
    least: int = 0
    longest: int = 10**7

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"a list of values that are each {self.kind.words}"

    def takes(self, value: Any) -> bool:
        return type(value) in (list, tuple)

    def parts(self) -> Iterator[Kind]:
        yield self.kind

    def check(self, value: Any, what: str, lengths: Lengths) -> None:
        if not self.takes(value):
            self.refuse(what, described(value))
        if not lengths.bind(self.length, len(value)):
            raise Refused(
                f"its {what} has {len(value)} entries, which does not fit the rest of it."
            )
        for item in value:
            self.kind.check(item, f"entry in {what}", lengths)


@dataclass(frozen=True)
class MapOf(Kind):
    """A dict from text to values of one kind."""

    kind: Kind

    words = "a dict with text as keys"

    def takes(self, value: Any) -> bool:
        return type(value) is dict

    def parts(self) -> Iterator[Kind]:
        yield self.kind

    def check(self, value: Any, what: str, lengths: Lengths) -> None:
        if not self.takes(value):
            self.refuse(what, described(value))
        for key, item in value.items():
            Text().check(key, f"key in {what}", lengths)
            self.kind.check(item, f"{short(key)!r} of {what}", lengths)


@dataclass(frozen=True)
class Fields(Kind):
    """A dict with these keys, each of its own kind; keys in `optional` may be missing."""

    required: Mapping[str, Kind]
    optional: Mapping[str, Kind] = field(default_factory=dict)

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"a dict with the keys {', '.join(self.required)}"

    def takes(self, value: Any) -> bool:
        return type(value) is dict

    def parts(self) -> Iterator[Kind]:
        yield from self.required.values()
        yield from self.optional.values()

    def check(self, value: Any, what: str, lengths: Lengths) -> None:
        if not self.takes(value):
            self.refuse(what, described(value))
        known = {**self.required, **self.optional}
        for key in value.keys() - known.keys() | self.required.keys() - value.keys():
            has = "has an unknown" if key in value else "lacks the"
            raise Refused(f"its {what} {has} entry {short(key)!r}.")
        for key, item in value.items():
            known[key].check(item, f"{key!r} of {what}", lengths)


@dataclass(frozen=True)
class Record(Kind):
    """A named tuple or dataclass with fields of given kinds; files know it by `name`."""

    name: str
    made: type
    fields: Mapping[str, Kind]
    rule: Callable[[Any], str] | None = None  # returns what is wrong, or ""

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"a {self.name}"

    def takes(self, value: Any) -> bool:
        return type(value) is self.made

    def parts(self) -> Iterator[Kind]:
        yield from self.fields.values()

    def check(self, value: Any, what: str, lengths: Lengths) -> None:
        if not self.takes(value):
            self.refuse(what, described(value))
        for key, kind in self.fields.items():
            kind.check(getattr(value, key), f"{key!r} of {what}", lengths)
        problem = self.rule(value) if self.rule is not None else ""
        if problem:
            raise Refused(f"its {what} {problem}")


def records_in(kind: Kind) -> Iterator[Record]:
    """Every record that a value of this kind may contain."""
    if isinstance(kind, Record):
        yield kind
    for part in kind.parts():
        yield from records_in(part)


def described(value: Any) -> str:
    """The value in a few words, for a sentence."""
    if isinstance(value, np.ndarray):
        order = "" if value.dtype.isnative else "big-endian "
        return f"an array of {order}{value.dtype.name} with shape {value.shape}"
    if value is None or isinstance(value, (bool, float, str)):
        return short(repr(value))
    if isinstance(value, int):
        return str(value) if abs(value) < 10**20 else "a very large integer"
    return f"a {type(value).__name__}"


def short(text: str, longest: int = 60) -> str:
    """`text` on one line, cut."""
    line = "".join(char if char.isprintable() else "�" for char in text)
    return line if len(line) <= longest else line[: longest - 1] + "…"
