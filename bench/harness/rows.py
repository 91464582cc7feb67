"""Rows that are kept when a run is killed: a part per finished run, then one file per study.

A part is written under a temporary name, then renamed: it is either complete or absent. `compact`
writes one Parquet file of all parts, renames it, and only then removes the parts. If it is killed
in between, rows are stored twice, which `read` corrects. One process at a time may write.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from bench.harness import places
from bench.harness.study import Run, Study

FOLDER = places.RESULTS
KEY = ("data", "set", "method", "trial")
COMPACT_EVERY = 200


def key_of(row: dict[str, Any]) -> Run:
    """Return the run of a row."""
    return Run(row["data"], row["set"], row["method"], row["trial"])


def read(study: Study, folder: Path = FOLDER) -> list[dict[str, Any]]:
    """Return the rows of a study that match its present settings, in the table's order."""
    places = {pair: place for place, pair in enumerate(study.pairs)}
    rows: dict[Run, dict[str, Any]] = {}
    for path in (
        folder / f"{study.name}.parquet",
        *sorted(_parts(study, folder).glob("*.parquet")),
    ):
        if not path.exists():
            continue
        for row in pq.read_table(path).to_pylist():
            run = key_of(row)
            # Left out now, not at the end: an old row must not replace a new one.
            if (run.data, run.method) not in places or row["identity"] != study.identity(run):
                continue
            before = rows.get(run)
            # A failed run that succeeded later is not a failure.
            if before is None or before["status"] != "ok":
                rows[run] = row

    def order(row: dict[str, Any]) -> tuple[int, int, int]:
        return places[row["data"], row["method"]], row["set"], row["trial"]

    return sorted(rows.values(), key=order)


def stamp(name: str, folder: Path = FOLDER) -> tuple[float, ...]:
    """Return a value that changes when rows of a study are added."""
    paths = (folder / f"{name}.parquet", folder / f"{name}.parts")
    return tuple(path.stat().st_mtime if path.exists() else 0.0 for path in paths)


def add(study: Study, row: dict[str, Any], folder: Path = FOLDER) -> None:
    """Store a row."""
    parts = _parts(study, folder)
    parts.mkdir(parents=True, exist_ok=True)
    name = f"{row['identity']}-{row['set']}-{row['trial']}-{row['seed']}.parquet"
    _write(parts / name, [row])


def compact(study: Study, folder: Path = FOLDER) -> None:
    """Write one file of all rows, without rows of other settings and repeated failures."""
    parts = sorted(_parts(study, folder).glob("*.parquet"))
    if not parts:
        return
    rows = read(study, folder)
    if rows:
        _write(folder / f"{study.name}.parquet", rows)
    for part in parts:
        part.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        _parts(study, folder).rmdir()


@contextlib.contextmanager
def writing(study: Study, folder: Path = FOLDER) -> Iterator[None]:
    """Lock the study for this process; a killed process releases the lock."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f".{study.name}.lock"
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(
                f"study {study.name} is being run by another process; wait for it or stop it."
            ) from None
        for left in _parts(study, folder).glob(".*"):
            left.unlink(missing_ok=True)  # incomplete file of a killed process
        try:
            yield
        finally:
            compact(study, folder)
            path.unlink(missing_ok=True)


def _parts(study: Study, folder: Path) -> Path:
    return folder / f"{study.name}.parts"


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    arrays = [_array(column, [row.get(column) for row in rows]) for column in columns]
    half = path.with_name(f".{path.name}.{os.getpid()}")
    pq.write_table(pa.table(dict(zip(columns, arrays, strict=True))), half, compression="zstd")
    with half.open("rb") as file:
        os.fsync(file.fileno())
    half.replace(path)


def _array(column: str, values: list[Any]) -> pa.Array:
    given = [value for value in values if value is not None]
    if any(isinstance(value, list) for value in given):
        # Methods without a sweep count as a sweep of one step.
        lists = [value if isinstance(value, list | None) else [value] for value in values]
        return pa.array(lists, type=pa.list_(pa.float32()))
    if given and all(isinstance(value, (int, float)) for value in given) and column not in INTEGERS:
        return pa.array(values, type=pa.float64())
    if not given:
        return pa.array(values, type=pa.string() if column == "error" else pa.float64())
    return pa.array(values)


INTEGERS = ("set", "trial", "seed")
