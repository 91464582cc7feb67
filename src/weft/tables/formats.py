"""Tables of any kind, by the file's extension: CSV, TSV, Parquet, Arrow, Excel; ``-`` is a pipe."""

from __future__ import annotations

import os
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft._base.validation import import_optional
from weft.tables.folders import csv_lines
from weft.tables.raw import InputError, RawTable, read_csv

if TYPE_CHECKING:
    import pandas as pd

TEXT = (".csv", ".tsv", ".txt", "")
PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather", ".ipc")
EXCEL = (".xlsx", ".xls", ".xlsb", ".xlsm", ".ods")
# What a packed table may grow to when read: this much in any case, and so many times its size.
_BOMB_SIZE = 2**30
_BOMB_RATIO = 200
# First bytes of what may come through a pipe, where no name says what it is.
_MAGIC = {
    b"PAR1": ".parquet",
    b"ARRO": ".arrow",
    b"\xff\xff\xff\xff": ".arrow",
    b"PK\x03\x04": ".xlsx",
}


def read_table(path: str | Path) -> RawTable:
    """Read a table by its extension; ``-`` reads standard input, whatever kind it holds.

    Parameters
    ----------
    path : str or Path
        ``.csv``, ``.tsv``, ``.txt`` (text, as :func:`weft.io.read_csv` takes it), ``.parquet``,
        ``.arrow``, ``.feather``, ``.xlsx``, ``.xls``, ``.ods`` (the first sheet), or ``-``.

    Returns
    -------
    RawTable
        The frame.

    Raises
    ------
    InputError
        When the file is not a table; the message is one sentence.
    """
    if str(path) == "-":
        return _read_pipe()
    path = Path(path)
    kind = path.suffix.lower()
    if kind in TEXT or not path.is_file():
        return read_csv(path)  # which also says it best when there is no file
    if kind not in PARQUET + ARROW + EXCEL:
        known = ", ".join((*TEXT[:2], *PARQUET[:1], *ARROW[:2], *EXCEL[:1]))
        raise InputError(
            f"{path.name} ends in {kind!r}, which is no table that weft knows; known are {known}."
        )
    try:
        frame = _read_frame(path, kind)
    except InputError:
        raise
    except (ModuleNotFoundError, MemoryError):
        raise
    except Exception as error:  # each library has its own for a damaged file
        detail = " ".join(str(error).split())[:160] or type(error).__name__
        raise InputError(
            f"{path.name} cannot be read as {kind[1:]} ({detail}); mend the file."
        ) from None
    return RawTable(frame=_named(frame, path.name), name=path.name)


def _read_frame(path: Path, kind: str) -> pd.DataFrame:
    pd = import_optional("pandas", "app")
    if kind in EXCEL:
        import_optional("python_calamine", "app")
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                _refuse_bomb(path, sum(info.file_size for info in archive.infolist()))
        return pd.read_excel(path, engine="calamine")
    if kind in PARQUET:
        file = import_optional("pyarrow.parquet", "app").ParquetFile(path)
        about = file.metadata
        groups = [about.row_group(number) for number in range(about.num_row_groups)]
        cells = 8 * about.num_rows * about.num_columns  # however well they are packed
        _refuse_bomb(path, max(cells, sum(group.total_byte_size for group in groups)))
        return _as_frame(file.read())
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
            _refuse_bomb(path, size)
            batches.append(batch)
        return _as_frame(arrow.Table.from_batches(batches, reader.schema))


def _as_frame(table: Any) -> pd.DataFrame:
    """Text that is no UTF-8, and offsets that lie, show here and not in the middle of the work."""
    table.validate(full=True)
    return table.to_pandas()


def _refuse_bomb(path: Path, size: int) -> None:
    """A few bytes that unpack to more than the memory are no table that anybody has measured."""
    if size > _BOMB_SIZE and size > _BOMB_RATIO * path.stat().st_size:
        raise InputError(
            f"{path.name} would unpack to {size / 2**30:.3g} GiB, more than {_BOMB_RATIO} times "
            "its own size; write it again without compression if that is really the table."
        )


def _named(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """The frame with an index of its own and names that are text, each once."""
    if frame.index.name is not None:
        frame = frame.reset_index()
    names = [
        str(column).strip() or f"column {i}" for i, column in enumerate(frame.columns, start=1)
    ]
    repeated = [column for column, count in Counter(names).items() if count > 1]
    if repeated:
        raise InputError(
            f"{name} has {names.count(repeated[0])} columns called {repeated[0]!r}; give each "
            "column a name of its own."
        )
    return frame.reset_index(drop=True).set_axis(names, axis=1)


def _read_pipe() -> RawTable:
    """Standard input through a temporary file: its kind shows in its first bytes."""
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("'-' reads a table from standard input, but nothing is piped in.")
    data = sys.stdin.buffer.read()
    kind = next((kind for magic, kind in _MAGIC.items() if data.startswith(magic)), ".csv")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"standard input{kind}"
        path.write_bytes(data)
        raw = read_table(path)
        # The lines of a pipe cannot be looked up later, so none are promised.
        return RawTable(frame=raw.frame, name="standard input", separator=raw.separator)


def write_table(path: str | Path, columns: Mapping[str, Sequence[Any]]) -> None:
    """Write columns by the extension of `path`; ``-`` writes CSV to standard output.

    No text becomes a formula when the file is opened in a spreadsheet.
    """
    names = list(columns)
    rows = list(zip(*columns.values(), strict=True))
    if str(path) == "-":
        sys.stdout.writelines(csv_lines(names, rows))
        return
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in (*TEXT, *PARQUET, *ARROW, ".xlsx"):
        raise InputError(
            f"cannot write {path.name}: {kind!r} is no kind of table known here; use .csv, .tsv, "
            ".parquet, .arrow or .xlsx."
        )
    draft = path.with_name(f".{path.stem}.{os.getpid()}{kind}")
    try:
        _write(draft, kind, names, rows)
        os.replace(draft, path)
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be written: {error.strerror or error}.") from None
    finally:
        draft.unlink(missing_ok=True)


def _write(path: Path, kind: str, names: list[str], rows: list[tuple[Any, ...]]) -> None:
    if kind in TEXT:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(csv_lines(names, rows, separator="\t" if kind == ".tsv" else ","))
        return
    pd = import_optional("pandas", "app")
    frame = pd.DataFrame(rows, columns=names)
    if kind in PARQUET:
        frame.to_parquet(path, index=False)
    elif kind in ARROW:
        frame.to_feather(path)
    else:
        import_optional("xlsxwriter", "app")
        options = {"options": {"strings_to_formulas": False, "strings_to_urls": False}}
        with pd.ExcelWriter(path, engine="xlsxwriter", engine_kwargs=options) as writer:
            frame.to_excel(writer, index=False)
