"""Fitted models as one file without pickle: JSON and arrays, so that loading runs no code.

The file is a zip archive, nothing in it compressed (a member can then not grow when it is read):

==================  ===============================================================================
``model.json``      format version, class name, parameters, fitted attributes, table recipe
``arrays/N.npy``    the arrays that ``model.json`` refers to as ``{"$array": N}``
``checksums.json``  SHA-256 of each of the other members
==================  ===============================================================================

In ``model.json`` a value that JSON has no word for is an object with one key that starts with
``$``: ``$array``, ``$texts`` (an array of text), ``$float`` (nan, inf, -inf), ``$tuple``,
``$pairs`` (a dict whose keys are no plain text).
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import weft

FORMAT_VERSION = 1
# The only classes a file can name; each is a public name of weft.
CLASSES = ("FeatureSwarm",)
# Parameters that only matter while fitting: stored as null when they are objects.
_FIT_ONLY = ("callbacks", "random_state")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # a fixed date: the same model gives the same bytes
_NUMBER_KINDS = "biuf"


class SavedModel(NamedTuple):
    """What a model file holds."""

    model: Any
    table: dict[str, Any] | None
    weft_version: str


def save_model(model: Any, path: str | Path, *, table: dict[str, Any] | None = None) -> None:
    """Write a fitted model to one file.

    Parameters
    ----------
    model : estimator
        A fitted estimator of weft.
    path : str or Path
        Where to write; an older file there is replaced in one step, or kept if writing fails.
    table : dict, optional
        The recipe that made numbers of a table (``Table.recipe``), kept for rows that come later.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.datasets import load_iris
    >>> from weft import FeatureSwarm
    >>> from weft.io import load_model, save_model
    >>> X = load_iris().data
    >>> model = FeatureSwarm(n_generations=2, random_state=0).fit(X)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "iris.weft"
    >>> save_model(model, file)
    >>> bool((load_model(file).predict(X) == model.predict(X)).all())
    True
    """
    name = type(model).__name__
    if name not in CLASSES:
        raise ValueError(
            f"a {name} cannot be saved; a model file holds one of {', '.join(CLASSES)}."
        )
    attributes = {key: value for key, value in vars(model).items() if _is_fitted(key)}
    if not attributes:
        raise ValueError(f"this {name} is not fitted; call fit before saving it.")
    arrays: list[np.ndarray] = []
    params = {}
    for key, value in model.get_params(deep=False).items():
        fit_only = key in _FIT_ONLY and not isinstance(value, (int, np.integer))
        params[key] = None if fit_only else _encode(value, f"parameter {key!r}", arrays)
    content = {
        "format": FORMAT_VERSION,
        "weft": weft.__version__,
        "class": name,
        "params": params,
        "attributes": {
            key: _encode(value, f"attribute {key!r}", arrays) for key, value in attributes.items()
        },
        "table": _encode(table, "the table recipe", arrays),
    }
    members = {"model.json": json.dumps(content, allow_nan=False, indent=1).encode()}
    for number, array in enumerate(arrays):
        buffer = io.BytesIO()
        np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
        members[f"arrays/{number}.npy"] = buffer.getvalue()
    sums = {member: hashlib.sha256(data).hexdigest() for member, data in members.items()}
    members["checksums.json"] = json.dumps(sums, indent=1).encode()
    _write_zip(Path(path), members)


def load_model(path: str | Path) -> Any:
    """Read a fitted model written by :func:`save_model`.

    No code in the file is run: it holds data only, and names its class from a fixed list.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    estimator
        Fitted, as it was saved.

    Raises
    ------
    ValueError
        When the file is damaged, is no model, or comes from a newer format.
    """
    return read_model(path).model


def read_model(path: str | Path) -> SavedModel:
    """Read a model file with everything in it: the model, the table recipe, weft's version."""
    path = Path(path)
    try:
        content, arrays = _read_zip(path)
        return _build(content, arrays)
    except OSError as error:
        raise ValueError(f"{str(path)!r} cannot be read: {error.strerror or error}.") from None
    except _Refused as error:
        raise ValueError(f"{path.name} cannot be loaded: {error}") from None
    except (
        *(zipfile.BadZipFile, zipfile.LargeZipFile, struct.error, EOFError, RuntimeError),
        *(LookupError, AttributeError, TypeError, ValueError, ArithmeticError, MemoryError),
    ) as error:
        # What a damaged file can raise in zipfile, json and numpy; RuntimeError covers
        # NotImplementedError, RecursionError and a member marked as encrypted.
        detail = " ".join(str(error).split())[:120] or type(error).__name__
        raise ValueError(f"{path.name} is damaged or no weft model ({detail}).") from None


class _Refused(Exception):
    """A file that is understood but not accepted; the text is the end of a sentence."""


def _is_fitted(name: str) -> bool:
    """Learned attributes end in ``_``; private ones that `predict` needs start with ``_fit``."""
    return not name.startswith("__") and (name.endswith("_") or name.startswith("_fit"))


def _encode(value: Any, what: str, arrays: list[np.ndarray]) -> Any:
    """JSON for `value`; arrays go to `arrays` and are referred to by number."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": repr(value)}
    if isinstance(value, np.ndarray) and value.dtype.kind in _NUMBER_KINDS:
        arrays.append(value)
        return {"$array": len(arrays) - 1}
    if isinstance(value, np.ndarray) and all(isinstance(item, str) for item in value.ravel()):
        return {"$texts": value.ravel().tolist(), "shape": list(value.shape)}
    if type(value) in (list, tuple):
        items = [_encode(item, what, arrays) for item in value]
        return items if isinstance(value, list) else {"$tuple": items}
    if isinstance(value, Mapping):
        if all(isinstance(key, str) and not key.startswith("$") for key in value):
            return {key: _encode(item, what, arrays) for key, item in value.items()}
        pairs = [[_encode(part, what, arrays) for part in pair] for pair in value.items()]
        return {"$pairs": pairs}
    raise ValueError(
        f"{what} is a {type(value).__name__}, which a model file without code cannot hold; use a "
        "name or plain numbers there, or keep the model in memory."
    )


def _decode(value: Any, arrays: list[np.ndarray]) -> Any:
    """The value that `_encode` took."""
    if isinstance(value, list):
        return [_decode(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"$array": int(number)}:
            return arrays[number]
        case {"$texts": list(texts), "shape": list(shape)}:
            return np.array([str(text) for text in texts], dtype=object).reshape(shape)
        case {"$float": str(text)}:
            return float(text)
        case {"$tuple": list(items)}:
            return tuple(_decode(item, arrays) for item in items)
        case {"$pairs": list(pairs)}:
            return {_decode(key, arrays): _decode(item, arrays) for key, item in pairs}
    return {key: _decode(item, arrays) for key, item in value.items()}


def _build(content: Any, arrays: list[np.ndarray]) -> SavedModel:
    if not isinstance(content, dict) or not isinstance(content.get("format"), int):
        raise _Refused("model.json does not say which format it has; it is no weft model.")
    if content["format"] > FORMAT_VERSION:
        raise _Refused(
            f"it has format {content['format']} and this weft ({weft.__version__}) reads up to "
            f"{FORMAT_VERSION}; install weft {content.get('weft', 'in a newer version')} or newer."
        )
    name = content["class"]
    if name not in CLASSES:
        raise _Refused(f"it holds a {name!r}; known are {', '.join(CLASSES)}.")
    kind = getattr(weft, name)
    params = _decode(content["params"], arrays)
    known = kind._get_param_names()
    unknown = sorted(set(params) - set(known))
    if unknown:
        raise _Refused(f"{name} has no parameter {unknown[0]!r}; it may come from a newer weft.")
    model = kind(**params)
    for key, value in content["attributes"].items():
        if not _is_fitted(key):
            raise _Refused(f"{key!r} is no attribute that a fitted model keeps.")
        vars(model)[key] = _decode(value, arrays)
    return SavedModel(model, _decode(content.get("table"), arrays), str(content.get("weft")))


def _write_zip(path: Path, members: dict[str, bytes]) -> None:
    """Write next to `path`, force it to the disk, then replace `path` in one step."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
                for member, data in members.items():
                    archive.writestr(zipfile.ZipInfo(member, _EPOCH), data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _read_zip(path: Path) -> tuple[Any, list[np.ndarray]]:
    with zipfile.ZipFile(path) as archive:
        infos = archive.infolist()
        if any(info.compress_type != zipfile.ZIP_STORED for info in infos):
            raise _Refused("its members are compressed, which weft never does.")
        if sum(info.file_size for info in infos) > path.stat().st_size:
            raise _Refused("its members claim to be larger than the file.")
        members = {info.filename: archive.read(info) for info in infos}
    if len(members) != len(infos) or not {"model.json", "checksums.json"} <= members.keys():
        raise _Refused("it lacks model.json or checksums.json, or has a member twice.")
    sums = json.loads(members.pop("checksums.json"))
    if not isinstance(sums, dict) or sums.keys() != members.keys():
        raise _Refused("its members are not those it was written with.")
    for member, data in members.items():
        if hashlib.sha256(data).hexdigest() != sums[member]:
            raise _Refused(f"{member} was changed or damaged since it was written.")
    content = json.loads(members.pop("model.json"))
    arrays = [_read_array(members[f"arrays/{number}.npy"]) for number in range(len(members))]
    return content, arrays


def _read_array(data: bytes) -> np.ndarray:
    """A .npy member; its size is checked before memory is taken for it."""
    buffer = io.BytesIO(data)
    if np.lib.format.read_magic(buffer) != (1, 0):
        raise _Refused("an array in it has an unknown version.")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(buffer)
    body = buffer.read()
    if dtype.kind not in _NUMBER_KINDS or math.prod(shape) * dtype.itemsize != len(body):
        raise _Refused("an array in it is not of the size or type it claims.")
    flat = np.frombuffer(body, dtype=dtype)
    return flat.reshape(shape, order="F" if fortran else "C").copy(order="K")
