"""Values as JSON and arrays, and back. Other values cannot be saved.

A value that JSON cannot express is an object with a key that starts with ``$``:

==========================  =====================================================================
``{"$array": N}``           the array in ``arrays/N.npy``
``{"$texts", "shape"}``     an array of text
``{"$float": "nan"}``       a number that is not finite (nan, inf, -inf)
``{"$tuple": [...]}``       a tuple
``{"$record", "fields"}``   one of the named tuples and dataclasses that the schema names
==========================  =====================================================================
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from weft.models.archive import NUMBER_KINDS, Refused

NO_RECORDS: Mapping[str, type] = {}
_NOT_FINITE = {repr(value): value for value in (math.nan, math.inf, -math.inf)}


def encode(
    value: Any, what: str, arrays: list[np.ndarray], records: Mapping[str, type] = NO_RECORDS
) -> Any:
    """JSON for `value`; arrays go to `arrays` and are referred to by number."""
    if isinstance(value, np.generic):
        value = value.item()
    elif type(value).__module__.startswith("dask."):  # labels that were not computed yet
        value = np.asarray(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": repr(value)}
    if isinstance(value, np.ndarray):
        return _encode_array(value, what, arrays)
    names = field_names(type(value))
    if names is not None:
        for name, kind in records.items():
            if type(value) is kind:
                fields = {key: encode(getattr(value, key), what, arrays, records) for key in names}
                return {"$record": name, "fields": fields}
    elif type(value) in (list, tuple):
        items = [encode(item, what, arrays, records) for item in value]
        return items if isinstance(value, list) else {"$tuple": items}
    elif isinstance(value, Mapping) and all(
        isinstance(key, str) and not key.startswith("$") for key in value
    ):
        return {key: encode(item, what, arrays, records) for key, item in value.items()}
    raise ValueError(
        f"{what} is a {type(value).__name__}, which a model file cannot hold; use a "
        "name or plain numbers instead, or keep the model in memory."
    )


def field_names(kind: type) -> tuple[str, ...] | None:
    """Return the field names of a named tuple or a dataclass; None for other types."""
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind) if field.init)
    return getattr(kind, "_fields", None) if issubclass(kind, tuple) else None


def _encode_array(value: np.ndarray, what: str, arrays: list[np.ndarray]) -> dict[str, Any]:
    if value.dtype.kind in NUMBER_KINDS:
        # All arrays in files are C-contiguous and in the byte order of the machine.
        arrays.append(np.asarray(value, dtype=value.dtype.newbyteorder("="), order="C"))
        return {"$array": len(arrays) - 1}
    if all(isinstance(item, str) for item in value.ravel()):
        return {"$texts": value.ravel().tolist(), "shape": list(value.shape)}
    raise ValueError(
        f"{what} is an array of {value.dtype}, which a model file cannot hold; use "
        "numbers or text instead."
    )


def decode(value: Any, arrays: list[np.ndarray], records: Mapping[str, type] = NO_RECORDS) -> Any:
    """The value that `encode` took."""
    if isinstance(value, list):
        return [decode(item, arrays, records) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"$array": int(number)} if 0 <= number < len(arrays) and len(value) == 1:
            return arrays[number]
        case {"$texts": list(texts), "shape": list(shape)} if len(value) == 2:
            return np.array([str(text) for text in texts], dtype=object).reshape(shape)
        case {"$float": str(text)} if text in _NOT_FINITE and len(value) == 1:
            return _NOT_FINITE[text]
        case {"$tuple": list(items)} if len(value) == 1:
            return tuple(decode(item, arrays, records) for item in items)
        case {"$record": str(name), "fields": dict(fields)} if len(value) == 2:
            return _decode_record(name, fields, arrays, records)
    unknown = [key for key in value if key.startswith("$")]
    if unknown:
        raise Refused(f"it holds {unknown[0][:60]!r} in a form that this weft does not know.")
    return {key: decode(item, arrays, records) for key, item in value.items()}


def _decode_record(
    name: str, fields: dict[str, Any], arrays: list[np.ndarray], records: Mapping[str, type]
) -> Any:
    if name not in records:
        raise Refused(f"it holds a record {name[:60]!r} that its class does not have.")
    kind = records[name]
    names = field_names(kind) or ()
    known = {key: decode(part, arrays, records) for key, part in fields.items() if key in names}
    if len(known) != len(fields):
        raise Refused(f"a record {name!r} in it has fields that this weft does not know.")
    return kind(**known)
