"""Write tables to files, in the format of the extension; ``-`` is standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weft._base.validation import import_optional
from weft.tables.errors import InputError
from weft.tables.folders import csv_lines
from weft.tables.formats import ARROW, PARQUET, TEXT


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
            f"cannot write {path.name}: {kind!r} is not a supported format; use .csv, .tsv, "
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
