"""Checks every parameter of every estimator, with the schema that also checks model files.

A live estimator may hold more than a file can: NumPy's numbers, random states, functions, objects.
`Live` says what is allowed in addition to the schema; a class names its own in ``_live``.
"""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from weft._base.validation import parse_memory
from weft.estimators._declared import Memory
from weft.models.archive import Refused
from weft.models.kinds import Array, Choice, Integer, Kind, Lengths, ListOf, OneOf, described
from weft.search.clusterers import Clusterer
from weft.search.criteria import Criterion
from weft.search.swarms import Swarm


def check_parameters(estimator: Any) -> None:
    """Raise one sentence if a parameter has a value that is not allowed.

    Parameters
    ----------
    estimator : estimator with a ``_schema``
        Its parameters are those of ``get_params``.

    Raises
    ------
    TypeError, ValueError
        The sentence names the parameter, what was given and what is allowed.
    """
    for name, value in estimator.get_params(deep=False).items():
        kind = estimator._schema.params[name]
        more = estimator._live.get(name)
        if not (more is not None and more.takes(value)):
            _check(name, value, kind, more)


class Live(NamedTuple):
    """Values that a live estimator may hold in addition to those of the schema."""

    words: str
    takes: Callable[[Any], bool]


def _is_object(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds) and not isinstance(value, type)


# Objects that every estimator may hold, and those that a search with users' objects may hold.
LIVE = {
    "random_state": Live("a RandomState", _is_object(np.random.RandomState)),
    "callbacks": Live(
        "a list of functions",
        lambda value: isinstance(value, (list, tuple)) and all(map(callable, value)),
    ),
}
LIVE_OBJECTS = {
    **LIVE,
    "clusterer": Live("a clusterer object", _is_object(Clusterer, BaseEstimator)),
    "criterion": Live(
        "a Criterion object or a function",
        lambda value: (
            isinstance(value, Criterion) or (callable(value) and not isinstance(value, type))
        ),
    ),
    "swarm": Live("an object with start, ask and tell", _is_object(Swarm)),
}


def _check(name: str, value: Any, kind: Kind, more: Live | None) -> None:
    plain = _plain(value)
    fault = _find_fault(name, plain, kind)
    if not fault and not (_takes_arrays(kind) and _is_ragged(plain)):
        return
    array = _as_array(value) if _takes_arrays(kind) else None
    if array is not None and not _find_fault(name, array, kind):
        return
    if isinstance(kind, Memory) and isinstance(plain, (str, int)):
        parse_memory(name, plain)  # its sentence says how to write an amount
    if dataclasses.is_dataclass(plain) or isinstance(plain, dict):
        # A part of it is wrong, which the fault names.
        raise ValueError(fault.removeprefix("its "))
    raise _refusal(name, value, plain, kind, more)


def _find_fault(name: str, plain: Any, kind: Kind) -> str:
    """Return why the schema refuses a value; "" if it is allowed."""
    lengths = Lengths()
    try:
        kind.check(plain, name, lengths)
        lengths.finish()
    except Refused as error:
        return str(error)
    return ""


def _refusal(name: str, value: Any, plain: Any, kind: Kind, more: Live | None) -> Exception:
    """Return the exception for a value that is not allowed."""
    kinds = list(_simple_kinds(kind))
    choices = [choice for each in kinds if isinstance(each, Choice) for choice in each.values]
    if any(type(plain) is type(choice) for choice in choices):
        others = _listed([each for each in kinds if not isinstance(each, Choice)], more)
        listed = ", ".join(map(repr, choices)) + (f", or {others}" if others else "")
        return ValueError(f"{name}={described(value)} is not known; choose one of {listed}.")
    if type(plain) is int and any(isinstance(each, Integer) for each in kinds):
        low = min(each.low for each in kinds if isinstance(each, Integer))
        if plain < low:
            return ValueError(f"{name}={described(value)} must be at least {low}.")
    raised = ValueError if kind.takes(plain) else TypeError
    return raised(f"{name}={described(value)} must be {_listed(kinds, more)}.")


def _listed(kinds: list[Kind], more: Live | None) -> str:
    words = [_words(each) for each in kinds]
    return ", or ".join(words if more is None else [*words, more.words])


def _words(kind: Kind) -> str:
    if isinstance(kind, Array):
        sides = "dimension" if len(kind.shape) == 1 else "dimensions"
        return f"an array of finite numbers with {len(kind.shape)} {sides}"
    return kind.words


def _simple_kinds(kind: Kind) -> Iterator[Kind]:
    """Return the alternatives; lists of numbers are left out where arrays are allowed."""
    if not isinstance(kind, OneOf):
        yield kind
        return
    for each in kind.parts():
        if not (isinstance(each, ListOf) and _takes_arrays(kind)):
            yield from _simple_kinds(each)


def _plain(value: Any) -> Any:
    """Return a value with plain numbers instead of NumPy's, also within dicts and records."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        try:
            return float(value)
        except OverflowError:
            return value
    if type(value) is dict:
        return {key: _plain(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(_plain, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        changed = {key: _plain(item) for key, item in fields.items()}
        return dataclasses.replace(value, **changed)
    return value


def _takes_arrays(kind: Kind) -> bool:
    return isinstance(kind, Array) or any(map(_takes_arrays, kind.parts()))


def _is_ragged(plain: Any) -> bool:
    """Return whether a list has lists of different lengths."""
    rows = [len(row) for row in plain if isinstance(row, list)] if isinstance(plain, list) else []
    return len(set(rows)) > 1


def _as_array(value: Any) -> np.ndarray | None:
    """Return numbers in rows or in a row as a float64 array; None for anything else."""
    if not isinstance(value, (np.ndarray, list, tuple)) and not hasattr(value, "__array__"):
        return None
    try:
        return np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        return None
