"""Write a folder of results all at once, or not at all."""

from __future__ import annotations

import csv
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from weft.io.tables import InputError

# What makes a spreadsheet take a cell for a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def check_folder(path: str | Path, *, force: bool = False) -> Path:
    """Return `path` as the folder to write into, or say now, before the work, why it cannot be."""
    folder = Path(path).absolute()
    try:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{str(path)!r} is a file; give a folder with --out.")
        if folder.is_dir() and any(folder.iterdir()) and not force:
            raise InputError(
                f"the folder {str(path)!r} is there and not empty; it was left as it is: give "
                "--force to write into it, or another --out."
            )
        above = next(parent for parent in (folder, *folder.parents) if parent.exists())
        _draft_in(above).mkdir()  # the surest way to learn whether writing is possible
        _draft_in(above).rmdir()
    except OSError as error:
        raise InputError(
            f"{str(path)!r} cannot be written ({error.strerror or error}); give another --out."
        ) from None
    return folder


def write_folder(folder: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary folder, and move what it wrote to `folder` if it succeeds.

    A folder that is there keeps its other files: only those of the same name are replaced. The
    temporary folder is on the same file system, so that each move is one step.
    """
    there = folder.is_dir()
    home = folder if there else folder.parent
    home.mkdir(parents=True, exist_ok=True)
    draft = _draft_in(home)
    try:
        draft.mkdir()
        write(draft)
        if there:
            for file in sorted(draft.iterdir()):
                os.replace(file, folder / file.name)
        else:
            draft.rename(folder)
    except IsADirectoryError as error:
        raise InputError(f"{error.filename2!r} is a folder; remove it, or give --out.") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _draft_in(folder: Path) -> Path:
    return folder / f".weft-{os.getpid()}.tmp"


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write rows as CSV in which no text can start a formula."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([_inert(cell) for cell in header])
        writer.writerows([_inert(cell) for cell in row] for row in rows)


def _inert(cell: Any) -> Any:
    """Text that a spreadsheet would run gets a leading apostrophe; numbers stay numbers."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) else cell
