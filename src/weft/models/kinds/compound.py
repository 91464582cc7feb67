"""Kinds of values that are made of others: lists, dicts, records, alternatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from weft._base.validation import short
from weft.models.archive import Refused
from weft.models.kinds.simple import Kind, Lengths, Text


class OneOf(Kind):
    """Any of several kinds; the first that fits."""

    def __init__(self, *kinds: Kind) -> None:
        self.kinds = kinds

    @property
    def words(self) -> str:
        return ", or ".join(kind.words for kind in self.kinds)

    def takes(self, value: Any) -> bool:
        return any(kind.takes(value) for kind in self.kinds)

    def parts(self) -> Iterator[Kind]:
        yield from self.kinds

    def inspect(self, value: Any, what: str, lengths: Lengths) -> None:
        likely = [kind for kind in self.kinds if kind.takes(value)]
        if len(likely) == 1 and not isinstance(value, (int, float, str)):
            likely[0].inspect(value, what, lengths)  # its error is more precise than a general one
            return
        known, n_pending = dict(lengths.known), len(lengths.pending)
        for kind in likely:
            try:
                kind.inspect(value, what, lengths)
            except Refused:
                lengths.known = dict(known)
                del lengths.pending[n_pending:]
            else:
                return
        self.refuse(value, what)


@dataclass(frozen=True)
class ListOf(Kind):
    """A list or tuple of values of one kind; `length` is a symbol or a number."""

    kind: Kind
    length: str | int = "*"
    least: int = 0
    longest: int = 10**7

    @property
    def words(self) -> str:
        return f"a list of values that are each {self.kind.words}"

    def takes(self, value: Any) -> bool:
        return type(value) in (list, tuple)

    def parts(self) -> Iterator[Kind]:
        yield self.kind

    def inspect(self, value: Any, what: str, lengths: Lengths) -> None:
        bounded = self.least <= len(value) <= self.longest
        if not bounded or not lengths.bind(self.length, len(value)):
            raise Refused(
                f"its {what} has {len(value)} entries, which does not match its other data."
            )
        for item in value:
            self.kind.check(item, f"entry in {what}", lengths)


@dataclass(frozen=True)
class MapOf(Kind):
    """A dict from text to values of one kind."""

    kind: Kind

    @property
    def words(self) -> str:
        return "a dict with text as keys"

    def takes(self, value: Any) -> bool:
        return type(value) is dict

    def parts(self) -> Iterator[Kind]:
        yield self.kind

    def inspect(self, value: Any, what: str, lengths: Lengths) -> None:
        for key, item in value.items():
            Text().check(key, f"key in {what}", lengths)
            self.kind.check(item, f"{short(key)!r} of {what}", lengths)


@dataclass(frozen=True)
class Fields(Kind):
    """A dict with these keys, each of its own kind; keys in `optional` may be missing."""

    required: Mapping[str, Kind]
    optional: Mapping[str, Kind] = field(default_factory=dict)

    @property
    def words(self) -> str:
        return f"a dict with the keys {', '.join(self.required)}"

    def takes(self, value: Any) -> bool:
        return type(value) is dict

    def parts(self) -> Iterator[Kind]:
        yield from self.required.values()
        yield from self.optional.values()

    def inspect(self, value: Any, what: str, lengths: Lengths) -> None:
        known = {**self.required, **self.optional}
        for key in self.required:
            if key not in value:
                raise Refused(f"its {what} lacks the entry {key!r}.")
        for key, item in value.items():
            if key not in known:
                raise Refused(f"its {what} has an unknown entry {short(key)!r}.")
            known[key].check(item, f"{key!r} of {what}", lengths)


@dataclass(frozen=True)
class Record(Kind):
    """A named tuple or dataclass with fields of given kinds; files know it by `name`."""

    name: str
    made: type
    fields: Mapping[str, Kind]
    rule: Callable[[Any], str] | None = None  # returns the problem, or ""

    @property
    def words(self) -> str:
        return f"a {self.name}"

    def takes(self, value: Any) -> bool:
        return type(value) is self.made

    def parts(self) -> Iterator[Kind]:
        yield from self.fields.values()

    def inspect(self, value: Any, what: str, lengths: Lengths) -> None:
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
