"""Settings that travel together in one frozen dataclass, such as ``swarm=PSO(inertia=0.6)``.

A parameter that takes a record also takes a short form: the name of a method, or None. The short
form means a record with default settings.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

# Puts settings into the value of a parameter: (old value, settings by name) -> new value.
Merge = Callable[[Any, Mapping[str, Any]], Any]


def given_fields(record: Any) -> dict[str, Any]:
    """Return the fields of a record that differ from their defaults."""
    return {
        field.name: getattr(record, field.name)
        for field in dataclasses.fields(record)
        if field.init and getattr(record, field.name) != _default(field)
    }


def _default(field: Any) -> Any:
    made = field.default_factory is not dataclasses.MISSING
    return field.default_factory() if made else field.default


def named(value: Any) -> str:
    """Return a name for an object: of a function, the call of a record, or of its class."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return written(value)
    return str(getattr(value, "__name__", type(value).__name__))


def written(value: Any) -> str:
    """Return the call that makes a record, without fields at their defaults; else the repr."""
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return repr(value)
    fields = given_fields(value)
    first = [repr(fields.pop("name"))] if "name" in fields else []
    rest = [f"{key}={written(part)}" for key, part in fields.items()]
    return f"{type(value).__name__}({', '.join(first + rest)})"


def flat(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with the fields of records instead of the records.

    The field ``name`` of a record is the value of the parameter itself.
    """
    settings: dict[str, Any] = {}
    for key, value in params.items():
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = given_fields(value)
            if hasattr(value, "short_form"):  # the name that the record stands for
                settings[key] = value.short_form
            settings |= {key if field == "name" else field: part for field, part in fields.items()}
        else:
            settings[key] = value
    return settings


def with_fields(
    record: Any, kind: type[Any] | tuple[type[Any], ...], fields: Mapping[str, Any]
) -> Any:
    """Return `record`, which must be a `kind`, with other settings."""
    if not isinstance(record, kind) or not dataclasses.is_dataclass(record):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        raise TypeError(
            f"{', '.join(fields)} are settings of {' or '.join(k.__name__ for k in kinds)}, not of "
            f"{type(record).__name__}; set them on that object."
        )
    known = [field.name for field in dataclasses.fields(record) if field.init]
    for key in fields:
        if key not in known:
            listed = ", ".join(known) or "none"
            raise ValueError(f"{type(record).__name__} has no setting {key!r}; it takes: {listed}.")
    changed: Any = dataclasses.replace(record, **fields)  # type: ignore[type-var] # not a class
    return changed


@dataclasses.dataclass(frozen=True)
class RecordParameter:
    """Puts settings into a parameter that takes a `kind` or a short form of it.

    `stands_for` returns the record that a short form means; values for which `has_none` is true do
    not take the settings and stay unchanged.
    """

    kind: type[Any] | tuple[type[Any], ...]
    stands_for: Callable[[Any], Any]
    has_none: Callable[[Any], bool] = lambda value: False

    def record(self, value: Any) -> Any:
        """Return the record that a value is or means."""
        return value if isinstance(value, self.kind) else self.stands_for(value)

    def __call__(self, value: Any, fields: Mapping[str, Any]) -> Any:
        """Return the value with other settings; a short form is kept if nothing changes."""
        if not isinstance(value, self.kind) and self.has_none(value):
            return value
        before = self.record(value)
        after = with_fields(before, self.kind, fields)
        return value if after == before else after
