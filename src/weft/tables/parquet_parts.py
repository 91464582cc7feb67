"""Parquet files read and written part by part: tables that need not fit in memory."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from weft._base.arrays import Integers
from weft._base.validation import import_optional
from weft.tables.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES = (".parquet", ".pq")
PART_ROWS = 250_000  # rows of a part, at least, where a file has as many
STREAM_BYTES = 1 << 30  # files that are larger, unpacked, are not read at once


class Part(NamedTuple):
    """Some row groups of one file."""

    path: str
    groups: tuple[int, ...]
    n_rows: int
    columns: tuple[str, ...]


def parquet_files(path: str | Path) -> list[Path]:
    """Return the Parquet files of a folder, a pattern or a path, by name; none if there are others.

    Files whose names begin with a dot or an underscore are not parts of a table.
    """
    path = Path(path)
    if path.is_dir():
        found = [file for kind in SUFFIXES for file in path.rglob(f"*{kind}")]
    elif not path.exists() and glob.has_magic(str(path)):
        found = [Path(name) for name in glob.glob(str(path), recursive=True)]
    else:
        found = [path] if path.is_file() else []
    found = [file for file in found if file.is_file() and file.name[0] not in "._"]
    return sorted(found) if all(file.suffix.lower() in SUFFIXES for file in found) else []


def unpacked_bytes(files: list[Path]) -> int:
    """Return how large the files are in memory, from their own metadata."""
    return sum(_row_groups(file)[1] for file in files)


def _row_groups(file: Path) -> tuple[list[int], int, tuple[str, ...]]:
    parquet = import_optional("pyarrow.parquet", "app")
    try:
        metadata = parquet.read_metadata(file)
    except (OSError, ValueError) as error:
        raise InputError(f"{file.name} cannot be read as Parquet ({error}).") from None
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    names = tuple(metadata.schema.to_arrow_schema().names)
    return [group.num_rows for group in groups], sum(g.total_byte_size for g in groups), names


def parquet_parts(files: list[Path]) -> list[Part]:
    """Return the files as parts, in order; all must have the same columns."""
    parts: list[Part] = []
    for file in files:
        sizes, _, columns = _row_groups(file)
        if parts and set(columns) != set(parts[0].columns):
            other = sorted(set(columns) ^ set(parts[0].columns))[0]
            raise InputError(
                f"{file.name} and {Path(parts[0].path).name} do not have the same columns "
                f"({other!r} is in one of them only); give files of one kind."
            )
        first = 0
        for last in range(len(sizes)):
            n_rows = sum(sizes[first : last + 1])
            if n_rows >= PART_ROWS or (last == len(sizes) - 1 and n_rows):
                groups = tuple(range(first, last + 1))
                parts.append(
                    Part(str(file), groups, n_rows, parts[0].columns if parts else columns)
                )
                first = last + 1
    if not parts:
        raise InputError("the Parquet files have no rows; give a table with some.")
    return parts


def read_part(part: Part) -> pd.DataFrame:
    """Return the rows of a part."""
    parquet = import_optional("pyarrow.parquet", "app")
    with parquet.ParquetFile(part.path) as file:
        table = file.read_row_groups(list(part.groups), columns=list(part.columns))
    return table.select(list(part.columns)).to_pandas(ignore_metadata=True)


def starts_of(lengths: list[int]) -> Integers:
    """Return the number of the first row of each part, and that after the last."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def write_part(path: Path, columns: dict[str, Any]) -> None:
    """Write one file at once: a reader sees all of it or nothing."""
    pyarrow = import_optional("pyarrow", "app")
    parquet = import_optional("pyarrow.parquet", "app")
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        parquet.write_table(pyarrow.table(columns), draft)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def rows_written(path: Path) -> int:
    """Return the number of rows of a part that was written before; -1 if there is none."""
    return sum(_row_groups(path)[0]) if path.is_file() else -1
