"""Malicious model files: valid files with a few changes and correct checksums."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Members = dict[str, bytes]
Rng = np.random.Generator

_FLOATS = (*(np.nan, np.inf, -np.inf, 1e308, -1e308, 1e200, 1e-320), *(0.0, -1.0, 1.5, -1e-9))
_INTEGERS = (-(2**63), -(10**9), -2, -1, 0, 1, 3, 60, 61, 10**9, 2**31, 2**40, 2**63 - 1)
_TYPES = ("<f4", "<f2", ">f8", "<i8", "<i4", ">i8", ">i4", "<u8", "|b1", "<c16", "<U3", "<M8[s]")
_ODD = (
    *(None, True, False, -1, 0, 1, 2, 3, 61, 10**9, 10**12, 2**63, 2**70, 10**400, -(10**12)),
    *(0.5, -0.5, 1e308, 1e-320, "", "x", "cpu", "cuda", "auto", "nan", "jaccard", "input", "rbf"),
    *("polynomial", "median", "weights", "9" * 400 + "GiB", "é\ud800", "a\nb", "x" * 200_000),
    *([], [[]], {}, {"a": 1}, [1, [2]], [None], [0.1, 0.2, 0.3], {"gamma": "x"}, {"foo": 1}),
    *({"$array": 0}, {"$array": -1}, {"$array": 3}, {"$array": "0"}, {"$array": True}),
    *({"$float": value} for value in ("nan", "inf", "-inf", "1e5", "__import__('os')")),
    *({"$tuple": []}, {"$tuple": [1, 2]}, {"$tuple": ["a", 0.5]}, {"$pairs": [[[], 1]]}),
    *({"$record": "AnomalousPatterns", "fields": {}}, {"$record": "os", "fields": {}}),
    *({"$texts": ["a"], "shape": [2]}, {"$texts": [1], "shape": [-1, 10**9]}),
    {"$texts": ["a", "b", "c", "d"], "shape": [4]},
    {"$sparse": [], "shape": [1, 1]},
)


def read_members(data: bytes) -> Members:
    """The members of a model file, without its checksums."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    del members["checksums.json"]
    return members


def packed(members: Members) -> bytes:
    """Return a model file of these members, with correct checksums."""
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, data in {**members, "checksums.json": json.dumps(sums).encode()}.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def forged(members: Members, rng: Rng) -> bytes:
    """The same file with one to three changes."""
    made = dict(members)
    for _ in range(_pick((1, 1, 1, 2, 3), rng)):
        change = _CHANGES[int(rng.integers(len(_CHANGES)))]
        change(made, rng)
    return packed(made)


def _pick(options: Any, rng: Rng) -> Any:
    return options[int(rng.integers(len(options)))]


# Arrays -------------------------------------------------------------------------------------


def _npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=array.dtype.hasobject)
    return buffer.getvalue()


def _change_array(made: Members, rng: Rng, change: Callable[[np.ndarray, Rng], Any]) -> None:
    names = [name for name in made if name.endswith(".npy")]
    if not names:
        return
    name = _pick(names, rng)
    try:
        array = np.load(io.BytesIO(made[name]))
        with np.errstate(all="ignore"):
            made[name] = _npy(np.asarray(change(array.copy(), rng)))
    except (ValueError, TypeError, OverflowError, IndexError):
        return  # the array is empty, or an earlier change left nothing to change in this way


def _contents(array: np.ndarray, rng: Rng) -> np.ndarray:
    flat = array.ravel()
    if not len(flat):
        return array
    count = _pick((1, 1, max(1, len(flat) // 3), len(flat)), rng)
    places = rng.choice(len(flat), count, replace=False)
    values: Any = _FLOATS if array.dtype.kind == "f" else _INTEGERS
    if array.dtype.kind == "b":
        flat[places] = ~flat[places]
    else:
        value = np.array(_pick(values, rng))
        flat[places] = value.astype(array.dtype)
    return flat.reshape(array.shape)


def _mild(array: np.ndarray, rng: Rng) -> np.ndarray:
    """Return contents that may be allowed: permuted, scaled, repeated, one exchanged."""
    flat = array.ravel()
    if not len(flat):
        return array
    match int(rng.integers(4)):
        case 0:
            flat = rng.permutation(flat)
        case 1 if array.dtype.kind == "f":
            flat = flat * _pick((0.0, 1e-12, 0.5, 2.0, 1e6, 1e30, -1.0), rng)
        case 2:
            flat[:] = _pick(flat, rng)
        case _:
            flat[int(rng.integers(len(flat)))] = _pick(flat, rng)
    return flat.reshape(array.shape)


def _shape(array: np.ndarray, rng: Rng) -> np.ndarray:
    options: list[Callable[[], np.ndarray]] = [
        lambda: array.T.copy(),
        lambda: array[:-1],
        lambda: array[:1],
        lambda: array[:0],
        lambda: np.concatenate([array, array[:1]]),
        lambda: np.concatenate([array, array, array]),
        lambda: array[..., :-1],
        lambda: array.ravel(),
        lambda: array[None],
        lambda: array[..., None],
        lambda: array.ravel()[0],
        lambda: np.asfortranarray(array),
        lambda: np.zeros((0, 0), dtype=array.dtype),
    ]
    return _pick(options, rng)()


def _type(array: np.ndarray, rng: Rng) -> np.ndarray:
    if rng.random() < 0.1:
        return array.astype(object)
    return array.astype(_pick(_TYPES, rng))


def _head(made: Members, rng: Rng) -> None:
    """Change the header of an array so that it does not match its data."""
    names = [name for name in made if name.endswith(".npy")]
    if names:
        name = _pick(names, rng)
        old, new = _pick(
            ((b"<f8", b"<i8"), (b"<i8", b"<f8"), (b"(6", b"(9"), (b", 4)", b", 3)")), rng
        )
        made[name] = made[name].replace(old, new, 1)


def _swap(made: Members, rng: Rng) -> None:
    names = [name for name in made if name.endswith(".npy")]
    if len(names) > 1:
        first, second = rng.choice(len(names), 2, replace=False)
        one, other = names[first], names[second]
        made[one], made[other] = made[other], made[one]


def _member(made: Members, rng: Rng) -> None:
    """Add a member, or remove one."""
    names = [name for name in made if name.endswith(".npy")]
    match int(rng.integers(3)):
        case 0 if names:
            del made[_pick(names, rng)]
        case 1:
            made[f"arrays/{len(names)}.npy"] = _npy(np.zeros(3))
        case 2:
            made["extra.txt"] = b"more"


# JSON ---------------------------------------------------------------------------------------


def places(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON document."""
    yield path
    if isinstance(content, (dict, list)):
        inner = content if isinstance(content, dict) else dict(enumerate(content))
        for key, value in inner.items():
            yield from places(value, (*path, key))


def _change_json(made: Members, rng: Rng, under: str | None) -> None:
    content = json.loads(made["model.json"])
    root = content if under is None else content.get(under)
    spots = [spot for spot in places(root) if spot]
    if not spots:
        return
    # Short paths first: long lists would hide the few entries that matter.
    length = int(rng.integers(1, 1 + max(map(len, spots))))
    near = [spot for spot in spots if len(spot) <= length] or spots
    *above, last = _pick(near, rng)
    inner = root
    for key in above:
        inner = inner[key]
    match int(rng.integers(10)):
        case 0:
            del inner[last]
        case 1 if isinstance(last, str):
            inner[_pick(("__class__", "fit", last + "x", "_schema", "labels_"), rng)] = inner.pop(
                last
            )
        case 2 if isinstance(inner, dict):
            key = _pick(("extra_", "_fit_extra", "__init__", "$array", "n_jobs"), rng)
            inner[key] = copy.deepcopy(_pick(_ODD, rng))
        case 3 if isinstance(inner[last], list) and inner[last]:
            inner[last] = inner[last] * int(rng.integers(2, 4))
        case 4 if isinstance(inner[last], (int, float)) and not isinstance(inner[last], bool):
            values = _INTEGERS if rng.random() < 0.5 else [v for v in _FLOATS if np.isfinite(v)]
            inner[last] = _pick(values, rng)
        case _:
            inner[last] = copy.deepcopy(_pick(_ODD, rng))
    made["model.json"] = json.dumps(content).encode()


def _class(made: Members, rng: Rng) -> None:
    import weft

    content = json.loads(made["model.json"])
    names = [name for name in weft._PUBLIC if name[0].isupper()]
    content["class"] = _pick((*names, "Popen", "load"), rng)
    made["model.json"] = json.dumps(content).encode()


_CHANGES: tuple[Callable[[Members, Rng], None], ...] = (
    *[lambda made, rng: _change_array(made, rng, _contents)] * 5,
    *[lambda made, rng: _change_array(made, rng, _mild)] * 5,
    *[lambda made, rng: _change_array(made, rng, _shape)] * 2,
    *[lambda made, rng: _change_array(made, rng, _type)] * 2,
    *[lambda made, rng: _change_json(made, rng, "params")] * 4,
    *[lambda made, rng: _change_json(made, rng, "attributes")] * 4,
    *[lambda made, rng: _change_json(made, rng, "summary")] * 2,
    *[lambda made, rng: _change_json(made, rng, "table")] * 1,
    lambda made, rng: _change_json(made, rng, None),
    *(_head, _swap, _member, _class),
)
