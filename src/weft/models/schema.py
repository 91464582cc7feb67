"""The schema of an estimator (its parameters and learned attributes), and its check.

The declaration is used twice: on save, where a value that does not fit is a developer's error, and
on load, where it means that the file was damaged or forged. Compiled code reads arrays without
checking positions, so a value that was not checked here could crash the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from weft._base.validation import short
from weft.models.archive import Refused
from weft.models.kinds import Kind, Lengths, records_in

Values = Mapping[str, Any]
# Returns the problem of parameters and attributes together, or "".
Rule = Callable[[Values, Values], str]


@dataclass(frozen=True)
class Optional:
    """An attribute that some fits do not set."""

    kind: Kind


@dataclass(frozen=True)
class Only:
    """An attribute that is set exactly when a parameter has this value."""

    kind: Kind
    parameter: str
    value: Any


@dataclass(frozen=True)
class Added:
    """An attribute that files of weft 0.1.0 may lack; `older` computes it from the others."""

    kind: Kind
    older: Callable[[Values], Any]


Attribute = Kind | Optional | Only | Added


@dataclass(frozen=True)
class Schema:
    """The allowed values of the parameters and the learned attributes of an estimator.

    Attributes
    ----------
    params : mapping of str to Kind
        At least the parameters of the constructor.
    learned : mapping of str to Kind, Optional, Only or Added
        All attributes that a fit sets on the instance.
    rules : tuple of callables
        Conditions on several values; each returns the end of an error message, or "".
    """

    params: Mapping[str, Kind]
    learned: Mapping[str, Attribute]
    rules: tuple[Rule, ...] = ()

    def records(self) -> dict[str, type]:
        """The named tuples and dataclasses that a file may hold, by their names in the file."""
        kinds = [*self.params.values(), *map(kind_of, self.learned.values())]
        return {record.name: record.made for kind in kinds for record in records_in(kind)}


def kind_of(attribute: Attribute) -> Kind:
    return attribute if isinstance(attribute, Kind) else attribute.kind


def check(schema: Schema, params: Values, learned: Values) -> dict[str, Any]:
    """Return `learned`, completed for older files; raise `Refused` if a value is not allowed.

    Parameters
    ----------
    schema : Schema
        The declaration of the estimator's class.
    params : mapping
        All parameters of the constructor.
    learned : mapping
        The attributes as the file has them.
    """
    lengths = Lengths()
    for name, value in params.items():
        if name not in schema.params:
            raise Refused(f"its parameter {short(name)!r} is not declared in the schema.")
        schema.params[name].check(value, f"parameter {name!r}", lengths)
    for name in learned:
        if name not in schema.learned:
            raise Refused(f"its attribute {short(name)!r} is not declared in the schema.")
    values = dict(learned)
    for name, attribute in schema.learned.items():
        if isinstance(attribute, Added) and name not in values:
            values[name] = attribute.older(values)
        if name in values:
            if isinstance(attribute, Only) and params[attribute.parameter] != attribute.value:
                needed = f"{attribute.parameter}={attribute.value!r}"
                raise Refused(f"its attribute {name!r} belongs to {needed}.")
            kind_of(attribute).check(values[name], repr(name), lengths)
        elif isinstance(attribute, Kind) or (
            isinstance(attribute, Only) and params[attribute.parameter] == attribute.value
        ):
            raise Refused(f"it lacks the attribute {name!r}.")
    lengths.finish()
    for rule in schema.rules:
        problem = rule(params, values)
        if problem:
            raise Refused(problem)
    return values
