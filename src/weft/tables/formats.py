"""Tables of any kind, by the file's extension; ``-`` is a pipe, ``*`` stands for several files."""

from __future__ import annotations

import glob
import re
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from weft._base.validation import import_optional
from weft.tables.contents import find_kind
from weft.tables.databases import DUCKDB, SQLITE, read_database
from weft.tables.errors import InputError
from weft.tables.headers import number_names
from weft.tables.json_rows import JSON, JSON_LINES, read_json
from weft.tables.packed import PACKED, refuse_bomb, unpacked
from weft.tables.parquet_parts import read_parquet, valid_frame
from weft.tables.raw import RawTable, read_csv
from weft.tables.workbooks import EXCEL, read_workbook

if TYPE_CHECKING:
    import pandas as pd

TEXT = (".csv", ".tsv", ".tab", ".txt", ".data", "")
PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather", ".ipc")
# First bytes of formats that may come through a pipe, where no file name shows the format.
_MAGIC = {
    b"PAR1": ".parquet",
    b"ARRO": ".arrow",
    b"\xff\xff\xff\xff": ".arrow",
    b"PK\x03\x04": ".xlsx",
    b"\x1f\x8b": ".csv.gz",
    b"\x28\xb5\x2f\xfd": ".csv.zst",
    b"SQLite format 3\0": ".sqlite",
}
_SHOWN = (".csv", ".tsv", ".parquet", ".arrow", ".feather", ".xlsx", ".ods", ".jsonl", ".sqlite")


def read_table(path: str | Path, *, sheet: str | None = None, query: str | None = None) -> RawTable:
    """Read a table by its extension; ``-`` reads standard input in any format.

    Parameters
    ----------
    path : str or Path
        Text (``.csv``, ``.tsv``, ``.txt``, as :func:`weft.io.read_csv` takes it), ``.parquet``,
        ``.arrow``, ``.feather``, ``.xlsx``, ``.xls``, ``.ods``, JSON (``.json``, ``.jsonl``),
        SQLite (``.db``, ``.sqlite``), DuckDB (``.duckdb``); any of them packed (``.gz``, ``.zip``,
        ``.zst``, ``.bz2``, ``.xz``); ``-``; or several files by a pattern: ``"sales-*.csv"``.
    sheet : str, optional
        Name or number (from 1) of the sheet of a workbook; the first that holds rows by default.
    query : str, optional
        What to read from a database; its only table by default.

    Returns
    -------
    RawTable
        The frame; ``notes`` says what was decided in reading.

    Raises
    ------
    InputError
        When the file is not a table; the message is one sentence.
    """
    if str(path) == "-":
        return _read_pipe(sheet=sheet, query=query)
    path = Path(path)
    if not path.exists() and glob.has_magic(str(path)):
        return _read_several(str(path), sheet=sheet, query=query)
    if path.is_dir() or not path.exists():
        return read_csv(path)  # which has the best error messages
    if path.suffix.lower() in PACKED:
        with unpacked(path) as inner:
            if inner.suffix.lower() in PACKED:
                raise InputError(f"{path.name} is packed twice; unpack it first.")
            raw = _read_one(inner, path.name, sheet=sheet, query=query)
        return replace(raw, path=None)  # the lines of a packed file are counted, not looked up
    return _read_one(path, path.name, sheet=sheet, query=query)


def _read_one(path: Path, called: str, *, sheet: str | None, query: str | None) -> RawTable:
    kind = path.suffix.lower()
    if sheet is not None and kind not in EXCEL:
        raise InputError(f"{called} has no sheets; leave out --sheet.")
    if query is not None and kind not in SQLITE + DUCKDB:
        raise InputError(f"{called} is not a database; leave out --query.")
    kind, notes = find_kind(path, called, kind, TEXT)
    if kind in TEXT:
        raw = read_csv(path, name=called)
        return replace(raw, notes=(*notes, *raw.notes))
    if kind not in PARQUET + ARROW + EXCEL + JSON + JSON_LINES + SQLITE + DUCKDB:
        raise InputError(
            f"{called} ends in {kind!r}, which weft cannot read; it reads "
            f"{', '.join(_SHOWN)}, also packed (.gz, .zip, .zst)."
        )
    try:
        if kind in EXCEL:
            raw = read_workbook(path, called, sheet)
            return replace(raw, notes=(*notes, *raw.notes))
        frame = _read_frame(path, kind, called, query)
    except (InputError, ModuleNotFoundError):
        raise
    except MemoryError:  # also where a damaged file names a length that no file has
        raise InputError(
            f"{called} needs more memory than there is; it is damaged, or too large for this "
            "machine."
        ) from None
    except Exception as error:  # each library raises its own exceptions for a damaged file
        detail = " ".join(str(error).split())[:160] or type(error).__name__
        raise InputError(
            f"{called} cannot be read as {kind[1:]} ({detail}); fix the file."
        ) from None
    named, told = _named(frame)
    return RawTable(frame=named, name=called, notes=(*notes, *told))


def _read_frame(path: Path, kind: str, called: str, query: str | None) -> pd.DataFrame:
    if kind in SQLITE + DUCKDB:
        return read_database(path, query)
    if kind in JSON + JSON_LINES:
        return read_json(path, called)
    if kind in PARQUET:
        return read_parquet(path)
    arrow, ipc = import_optional("pyarrow", "app"), import_optional("pyarrow.ipc", "app")
    batches, size = [], 0
    with path.open("rb") as file:
        stored = file.read(4) == b"ARRO"
        file.seek(0)
        if stored:
            reader = ipc.open_file(file)
            parts = (reader.get_batch(number) for number in range(reader.num_record_batches))
        else:
            reader = ipc.open_stream(file)
            parts = iter(reader)
        for batch in parts:
            size += batch.nbytes
            refuse_bomb(path, size)
            batches.append(batch)
        return valid_frame(arrow.Table.from_batches(batches, reader.schema))


def _named(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the frame with a default index and unique text names; a named index is columns."""
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index(allow_duplicates=True)
    names, notes = number_names([str(column).strip() for column in frame.columns])
    return frame.reset_index(drop=True).set_axis(names, axis=1), notes


def table_files(path: str | Path) -> list[Path]:
    """Return the files that a path or a pattern stands for, in the order of their names."""
    path = Path(path)
    if path.exists() or not glob.has_magic(str(path)):
        return [path]
    found = sorted(Path(name) for name in glob.glob(str(path), recursive=True))
    return [file for file in found if file.is_file()]


def table_stem(path: str | Path) -> str:
    """Return a name for results: that of the file without its extensions and wildcards."""
    name = Path(path).name
    while Path(name).suffix.lower() in PACKED:
        name = Path(name).stem
    kept = re.sub(r"[*?\[\]!]+", "", Path(name).stem).strip(" -_.")
    return kept or "table"


def _read_several(pattern: str, *, sheet: str | None, query: str | None) -> RawTable:
    """The rows of several files of the same columns, in the order of their names."""
    pd = import_optional("pandas", "app")
    paths = table_files(pattern)
    if not paths:
        raise InputError(f"no file fits the pattern {pattern!r}; check it.")
    tables = [read_table(path, sheet=sheet, query=query) for path in paths]
    first = list(tables[0].frame.columns)
    for path, table in zip(paths, tables, strict=True):
        other = set(table.frame.columns) ^ set(first)
        if other:
            raise InputError(
                f"{path.name} and {paths[0].name} do not have the same columns "
                f"({sorted(other)[0]!r} is in one of them only); give files of one kind."
            )
    frame = pd.concat([table.frame[first] for table in tables], ignore_index=True)
    notes = tuple(dict.fromkeys(note for table in tables for note in table.notes))
    called = f"{pattern} ({len(paths)} files)"
    return RawTable(frame, called, notes=notes)


def _read_pipe(*, sheet: str | None, query: str | None) -> RawTable:
    """Standard input through a temporary file: its kind shows in its first bytes."""
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("'-' reads a table from standard input, but nothing is piped in.")
    data = sys.stdin.buffer.read()
    kind = next((kind for magic, kind in _MAGIC.items() if data.startswith(magic)), ".csv")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"standard input{kind}"
        path.write_bytes(data)
        raw = read_table(path, sheet=sheet, query=query)
        # The lines of a pipe cannot be looked up later, so they are counted.
        return replace(raw, name="standard input", path=None)
