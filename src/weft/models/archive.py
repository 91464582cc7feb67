"""Model files: zip archives of JSON and arrays with checksums, written completely or not at all.

Nothing in it is compressed, so that a member cannot grow when it is read, and the last member
(``checksums.json``) holds the SHA-256 of each of the others. The JSON is ``model.json``, or
``checkpoint.json`` in a checkpoint.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import struct
import tokenize
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

NUMBER_KINDS = "biuf"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # a fixed date: the same model gives the same bytes


class Refused(Exception):
    """A file that is understood but not accepted; the text is the end of a sentence."""


# What a damaged file can raise in zipfile, json and numpy (which reads the head of an array as
# Python's tokens); RuntimeError covers NotImplementedError, RecursionError and a member marked as
# encrypted.
DAMAGE = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, struct.error, EOFError, OSError, RuntimeError),
    *(tokenize.TokenError, SyntaxError),
    *(LookupError, AttributeError, TypeError, ValueError, ArithmeticError, MemoryError),
)


def write_archive(
    path: Path, content: dict[str, Any], arrays: list[np.ndarray], *, name: str = "model.json"
) -> None:
    """Write to a temporary file, flush it to disk, then replace `path` in one step."""
    members = {name: json.dumps(content, allow_nan=False, indent=1).encode()}
    for number, array in enumerate(arrays):
        buffer = io.BytesIO()
        np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
        members[f"arrays/{number}.npy"] = buffer.getvalue()
    sums = {member: hashlib.sha256(data).hexdigest() for member, data in members.items()}
    members["checksums.json"] = json.dumps(sums, indent=1).encode()
    draft = draft_of(path)
    try:
        with draft.open("wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
                for member, data in members.items():
                    archive.writestr(zipfile.ZipInfo(member, _EPOCH), data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
        _force_folder(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def draft_of(path: Path) -> Path:
    """Return the temporary path that a file is written to first."""
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")


def _force_folder(folder: Path) -> None:
    """Flush the new file name to disk too, if the system allows folders to be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def read_archive(data: bytes, *, name: str = "model.json") -> tuple[Any, list[np.ndarray]]:
    """Return the JSON member `name` and the arrays, after all checks of the format."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = archive.infolist()
        if any(info.compress_type != zipfile.ZIP_STORED for info in infos):
            raise Refused("its members are compressed, but weft never compresses them.")
        if sum(info.file_size for info in infos) > len(data):
            raise Refused("its members declare more bytes than the file has.")
        members = {info.filename: archive.read(info) for info in infos}
    if len(members) != len(infos) or not {name, "checksums.json"} <= members.keys():
        raise Refused(f"it lacks {name} or checksums.json, or has a member twice.")
    sums = json.loads(members.pop("checksums.json"))
    if not isinstance(sums, dict) or sums.keys() != members.keys():
        raise Refused("members were added or removed after it was written.")
    for member, content in members.items():
        if hashlib.sha256(content).hexdigest() != sums[member]:
            raise Refused(f"{member} was changed or damaged after it was written.")
    model = json.loads(members.pop(name), parse_constant=_refuse_constant)
    arrays = [_read_array(members[f"arrays/{number}.npy"]) for number in range(len(members))]
    return model, arrays


def check_references(document: Any, arrays: list[np.ndarray]) -> None:
    """Refuse arrays without a reference, and arrays that two values would share."""
    if sorted(_array_numbers(document)) != list(range(len(arrays))):
        raise Refused("its JSON does not refer to each of its arrays exactly once.")


def _refuse_constant(text: str) -> None:
    raise Refused(f"it holds {text} in a form that weft never writes.")


def _array_numbers(value: Any) -> Iterator[int]:
    """Numbers of the arrays that a JSON document refers to."""
    if isinstance(value, dict):
        number = value.get("$array")
        if type(number) is int:
            yield number
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _array_numbers(item)


def _read_array(data: bytes) -> np.ndarray:
    """Return a .npy member; its size is checked before memory is allocated."""
    buffer = io.BytesIO(data)
    if np.lib.format.read_magic(buffer) != (1, 0):
        raise Refused("an array in it has an unknown version.")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(buffer)
    body = buffer.read()
    if dtype.kind not in NUMBER_KINDS or math.prod(shape) * dtype.itemsize != len(body):
        raise Refused("an array in it does not have the size or type that it declares.")
    if not dtype.isnative:
        raise Refused("an array in it has the byte order of another machine.")
    flat = np.frombuffer(body, dtype=dtype)
    # Compiled code expects C-contiguous arrays.
    return flat.reshape(shape, order="F" if fortran else "C").copy(order="C")
