"""Parquet files, read at once or part by part: tables that need not fit in memory.

The reader reserves memory for the rows that a file claims to have. A damaged file may claim any
number, so claims are compared with the size of the file before anything is read.
"""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from weft._base.arrays import Integers
from weft._base.validation import import_optional
from weft.tables.errors import InputError
from weft.tables.packed import refuse_bomb

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


class Footer(NamedTuple):
    """What a file claims to hold."""

    n_rows: int
    group_rows: list[int]
    group_bytes: list[int]  # unpacked
    columns: tuple[str, ...]


def unpacked_bytes(files: list[Path]) -> int:
    """Return how large the files are in memory, from their own metadata."""
    return sum(sum(read_footer(file).group_bytes) for file in files)


def read_footer(file: Path) -> Footer:
    """Return the claims of a file, without reading rows."""
    parquet = import_optional("pyarrow.parquet", "app")
    try:
        about = parquet.read_metadata(file)
        groups = [about.row_group(number) for number in range(about.num_row_groups)]
        footer = Footer(
            n_rows=about.num_rows,
            group_rows=[group.num_rows for group in groups],
            group_bytes=[group.total_byte_size for group in groups],
            columns=tuple(about.schema.to_arrow_schema().names),
        )
    except Exception as error:  # a damaged footer raises errors of several kinds
        raise _damaged(file, error) from None
    if min([footer.n_rows, *footer.group_rows, *footer.group_bytes]) < 0:
        raise _damaged(file, "a negative number of rows or bytes")
    return footer


def _damaged(file: Path, reason: Exception | str) -> InputError:
    detail = " ".join(str(reason).split())[:160] or type(reason).__name__
    return InputError(f"{file.name} cannot be read as Parquet ({detail}); fix the file.")


def read_parquet(file: Path) -> pd.DataFrame:
    """Return all rows of a file, with the index that pandas stored."""
    footer = read_footer(file)
    # A damaged footer may claim other numbers of rows for the groups than for the file.
    n_rows = max(footer.n_rows, sum(footer.group_rows))
    _refuse_claims(file, footer, n_rows, sum(footer.group_bytes))
    parquet = import_optional("pyarrow.parquet", "app")
    with parquet.ParquetFile(file) as opened:
        return valid_frame(opened.read())


def _refuse_claims(file: Path, footer: Footer, n_rows: int, n_bytes: int) -> None:
    cells = 8 * n_rows * len(footer.columns)  # however well they are packed
    refuse_bomb(file, max(cells, n_bytes))


def valid_frame(table: Any, **options: Any) -> pd.DataFrame:
    """Return a table of Arrow as a DataFrame; refuse text that is not UTF-8 and wrong offsets."""
    table.validate(full=True)
    return table.to_pandas(**options)


def parquet_parts(files: list[Path]) -> list[Part]:
    """Return the files as parts, in order; all must have the same columns."""
    parts: list[Part] = []
    for file in files:
        footer = read_footer(file)
        if parts and set(footer.columns) != set(parts[0].columns):
            other = sorted(set(footer.columns) ^ set(parts[0].columns))[0]
            raise InputError(
                f"{file.name} and {Path(parts[0].path).name} do not have the same columns "
                f"({other!r} is in one of them only); give files of one kind."
            )
        twice = next((name for name in footer.columns if footer.columns.count(name) > 1), None)
        if twice is not None:
            raise InputError(
                f"{file.name} has more than one column {twice!r}; give columns different names."
            )
        first, last_group = 0, len(footer.group_rows) - 1
        for last in range(last_group + 1):
            n_rows = sum(footer.group_rows[first : last + 1])
            if n_rows >= PART_ROWS or (last == last_group and n_rows):
                n_bytes = sum(footer.group_bytes[first : last + 1])
                _refuse_claims(file, footer, n_rows, n_bytes)
                groups = tuple(range(first, last + 1))
                columns = parts[0].columns if parts else footer.columns
                parts.append(Part(str(file), groups, n_rows, columns))
                first = last + 1
    if not parts:
        raise InputError("the Parquet files have no rows; give a table with some.")
    return parts


def read_part(part: Part) -> pd.DataFrame:
    """Return the rows of a part."""
    parquet = import_optional("pyarrow.parquet", "app")
    path, columns = Path(part.path), list(part.columns)
    try:
        with parquet.ParquetFile(path) as file:
            table = file.read_row_groups(list(part.groups), columns=columns).select(columns)
        frame = valid_frame(table, ignore_metadata=True)
    except Exception as error:  # damaged pages raise errors of several kinds
        raise _damaged(path, error) from None
    if len(frame) != part.n_rows:
        raise _damaged(path, f"{part.n_rows} rows claimed, {len(frame)} read")
    return frame


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
    return sum(read_footer(path).group_rows) if path.is_file() else -1
