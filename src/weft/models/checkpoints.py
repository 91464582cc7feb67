"""Checkpoint files: archives like model files, accepted only by the fit that wrote them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import weft
from weft.models.archive import (
    DAMAGE,
    Refused,
    check_references,
    read_archive,
    write_archive,
)
from weft.models.codec import decode, encode

FORMAT_VERSION = 1
DOCUMENT = "checkpoint.json"
_FIELDS = {
    "over": bool,
    "number": int,
    "n_evaluations": int,
    "seconds": float,
    "state": dict,
    "rng": dict,
    "objective": dict,
    "callbacks": list,
}


class Mismatch(ValueError):
    """A checkpoint that does not belong to this fit, or was tampered with."""


class Record(NamedTuple):
    """The state of a search at the end of a generation, as stored in a checkpoint."""

    over: bool
    number: int
    n_evaluations: int
    seconds: float
    state: dict[str, Any]  # the swarm's state; of a finished search, only the best particle
    rng: dict[str, Any]
    objective: dict[str, Any]
    callbacks: list[Any]  # [name of the class, its state], in the order they are called


def write_checkpoint(path: Path, content: dict[str, Any]) -> None:
    """Write to a temporary file, flush it to disk, then replace `path` in one step."""
    arrays: list[np.ndarray] = []
    document = {"format": FORMAT_VERSION, **encode(content, "the checkpoint", arrays)}
    write_archive(path, document, arrays, name=DOCUMENT)


def read_checkpoint(path: str | Path, settings: dict[str, Any]) -> tuple[list[int], list[Record]]:
    """Return seeds and searches, if the file was written by a fit with these settings."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ValueError(f"there is no checkpoint {str(path)!r}; fit without resume.") from None
    except OSError as error:
        raise ValueError(f"{str(path)!r} cannot be read: {error.strerror or error}.") from None
    try:
        return _build(*read_archive(data, name=DOCUMENT), settings)
    except (Refused, Mismatch) as error:
        raise Mismatch(f"cannot resume from {path.name}: {error}") from None
    except DAMAGE as error:
        detail = " ".join(str(error).split())[:120] or type(error).__name__
        raise Mismatch(
            f"cannot resume from {path.name}: it is damaged, or is not a checkpoint ({detail})."
        ) from None


def _build(
    content: Any, arrays: list[np.ndarray], settings: dict[str, Any]
) -> tuple[list[int], list[Record]]:
    if not isinstance(content, dict) or type(content.get("format")) is not int:
        raise Refused("it does not say which format it has.")
    if content["format"] != FORMAT_VERSION:
        raise Refused(
            f"it has format {content['format']} and this weft ({weft.__version__}) reads "
            f"{FORMAT_VERSION}; use the weft that wrote it."
        )
    _compare(content, settings)
    seeds, searches = decode(content["seeds"], arrays), decode(content["searches"], arrays)
    if not isinstance(seeds, list) or not isinstance(searches, list):
        raise Refused("its seeds or searches are not a list.")
    if not all(type(seed) is int and 0 <= seed < 2**32 for seed in seeds):
        raise Refused("its seeds are not valid.")
    records = [_record(search) for search in searches]
    if not all(record.over for record in records[:-1]):
        raise Refused("a search in it is unfinished although the next one has begun.")
    check_references(content, arrays)
    return seeds, records


def _compare(content: dict[str, Any], settings: dict[str, Any]) -> None:
    """Refuse a checkpoint of another fit; the error says what differs."""
    written, current = content["weft"], settings["weft"]
    if written != current:
        raise Mismatch(
            f"weft {written} wrote it and this is weft {current}; use version {written}."
        )
    written, current = content["estimator"], settings["estimator"]
    if written != current:
        raise Mismatch(f"it was written by {written}, not {current}; fit without resume.")
    written, current = content["params"], settings["params"]
    for name in sorted(written.keys() | current.keys()):
        if written.get(name) != current.get(name):
            raise Mismatch(
                f"it was written with {name}={written.get(name)!r}, and this fit has "
                f"{name}={current.get(name)!r}; set it back, or fit without resume."
            )
    written, current = content["data"], settings["data"]
    if written != current:
        shapes = [
            " × ".join(str(length) for length in each["shape"]) for each in (written, current)
        ]
        apart = f"{shapes[0]} in the checkpoint, {shapes[1]} in this fit"
        if shapes[0] == shapes[1]:
            apart = f"both are {shapes[0]}, but the values differ"
        raise Mismatch(f"it belongs to other data ({apart}); fit without resume.")


def _record(search: Any) -> Record:
    if not isinstance(search, dict) or search.keys() != _FIELDS.keys():
        raise Refused("a search in it is not complete.")
    for name, kind in _FIELDS.items():
        if type(search[name]) is not kind:
            raise Refused(f"the {name!r} of a search in it is not of type {kind.__name__}.")
    if search["number"] < 1 or search["n_evaluations"] < 1 or not search["seconds"] >= 0.0:
        raise Refused("a search in it has counts that are not possible.")
    pairs = search["callbacks"]
    if not all(
        isinstance(pair, list) and [type(part) for part in pair] == [str, dict] for pair in pairs
    ):
        raise Refused("the states of its callbacks are not valid.")
    return Record(**search)
