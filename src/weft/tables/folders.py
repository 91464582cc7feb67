"""Write a folder of results all at once, or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from weft.tables.errors import InputError

# What makes a spreadsheet take a cell for a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


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
        file.writelines(csv_lines(header, rows))


def csv_lines(
    header: Sequence[str], rows: Iterable[Sequence[Any]], *, separator: str = ","
) -> Iterator[str]:
    """Lines of CSV for a spreadsheet: what it would take for a formula gets an apostrophe.

    Text with any separator that a spreadsheet may split at is quoted, whichever one is used here.
    """
    for cells in (header, *rows):
        yield separator.join(_cell(cell) for cell in cells) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return str(value)
    text = f"'{value}" if value.startswith(_FORMULA_STARTS) else value
    if any(char in text for char in ',;\t|"\n\r'):
        text = '"' + text.replace('"', '""') + '"'
    return text
