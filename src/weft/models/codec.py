"""Values as JSON and arrays, and back. What has no word here cannot be saved.

A value that JSON has no word for is an object with a key that starts with ``$``:

==========================  =====================================================================
``{"$array": N}``           the array in ``arrays/N.npy``
``{"$texts", "shape"}``     an array of text
``{"$float": "nan"}``       a number that is not finite (nan, inf, -inf)
``{"$tuple": [...]}``       a tuple
``{"$pairs": [[k, v]]}``    a dict whose keys are no plain text
``{"$record", "fields"}``   one of the named tuples and dataclasses in `RECORDS`
``{"$sparse", ...}``        a sparse array in CSR form
==========================  =====================================================================
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from scipy import sparse

from weft.models.archive import NUMBER_KINDS, Refused

# The only named tuples and dataclasses a file can hold, by name, and where they are defined now.
RECORDS = {
    "AnomalousPatterns": "weft.kmeans.seeding",
    "KernelSpace": "weft.methods.mercer.spaces",
    "Stream": "weft.kmeans.streams",
    "StandardScaling": "weft._base.scaling",
    "Walk": "weft.methods.mercer.spaces",
    "WalkSpace": "weft.methods.mercer.spaces",
    "_Column": "weft.estimators.range_scaler",
    "_Scaling": "weft.estimators.staged_swarm",
}


def encode(value: Any, what: str, arrays: list[np.ndarray]) -> Any:
    """JSON for `value`; arrays go to `arrays` and are referred to by number."""
    if isinstance(value, np.generic):
        value = value.item()
    elif type(value).__module__.startswith("dask."):  # labels that were not asked for yet
        value = np.asarray(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": repr(value)}
    if isinstance(value, np.ndarray):
        return _encode_array(value, what, arrays)
    if sparse.issparse(value):
        rows = sparse.csr_array(value)
        parts = [
            _encode_array(part, what, arrays) for part in (rows.data, rows.indices, rows.indptr)
        ]
        return {"$sparse": parts, "shape": list(rows.shape)}
    names = field_names(type(value))
    if names is not None:
        if RECORDS.get(type(value).__name__) == type(value).__module__:
            fields = {key: encode(getattr(value, key), what, arrays) for key in names}
            return {"$record": type(value).__name__, "fields": fields}
    elif type(value) in (list, tuple):
        items = [encode(item, what, arrays) for item in value]
        return items if isinstance(value, list) else {"$tuple": items}
    elif isinstance(value, Mapping):
        if all(isinstance(key, str) and not key.startswith("$") for key in value):
            return {key: encode(item, what, arrays) for key, item in value.items()}
        return {"$pairs": [[encode(part, what, arrays) for part in pair] for pair in value.items()]}
    raise ValueError(
        f"{what} is a {type(value).__name__}, which a model file without code cannot hold; use a "
        "name or plain numbers there, or keep the model in memory."
    )


def field_names(kind: type) -> tuple[str, ...] | None:
    """Names of a named tuple's or a dataclass's fields; None for other types."""
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    return getattr(kind, "_fields", None) if issubclass(kind, tuple) else None


def _encode_array(value: np.ndarray, what: str, arrays: list[np.ndarray]) -> dict[str, Any]:
    if value.dtype.kind in NUMBER_KINDS:
        arrays.append(value)
        return {"$array": len(arrays) - 1}
    if all(isinstance(item, str) for item in value.ravel()):
        return {"$texts": value.ravel().tolist(), "shape": list(value.shape)}
    raise ValueError(
        f"{what} is an array of {value.dtype}, which a model file without code cannot hold; use "
        "numbers or text there."
    )


def decode(value: Any, arrays: list[np.ndarray]) -> Any:
    """The value that `encode` took."""
    if isinstance(value, list):
        return [decode(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"$array": int(number)} if 0 <= number < len(arrays):
            return arrays[number]
        case {"$texts": list(texts), "shape": list(shape)}:
            return np.array([str(text) for text in texts], dtype=object).reshape(shape)
        case {"$float": str(text)}:
            return float(text)
        case {"$tuple": list(items)}:
            return tuple(decode(item, arrays) for item in items)
        case {"$pairs": list(pairs)}:
            return {decode(key, arrays): decode(item, arrays) for key, item in pairs}
        case {"$record": str(name), "fields": dict(fields)}:
            return _decode_record(name, fields, arrays)
        case {"$sparse": list(parts), "shape": list(shape)}:
            data, indices, indptr = (decode(part, arrays) for part in parts)
            made = sparse.csr_array((data, indices, indptr), shape=tuple(shape))
            made.check_format(full_check=True)
            return made
    unknown = [key for key in value if key.startswith("$")]
    if unknown:
        raise Refused(f"it holds {unknown[0]!r} in a form that this weft does not know.")
    return {key: decode(item, arrays) for key, item in value.items()}


def _decode_record(name: str, fields: dict[str, Any], arrays: list[np.ndarray]) -> Any:
    if name not in RECORDS:
        raise Refused(f"it holds a record {name!r} that this weft does not know.")
    kind = getattr(import_module(RECORDS[name]), name)
    names = field_names(kind) or ()
    known = {key: decode(part, arrays) for key, part in fields.items() if key in names}
    if len(known) != len(fields):
        raise Refused(f"a record {name!r} in it has fields that this weft does not know.")
    return kind(**known)
