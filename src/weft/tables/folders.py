"""Write a folder of results all at once, or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from weft.tables.errors import InputError

# First characters that make a spreadsheet read a cell as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def check_folder(path: str | Path, *, force: bool = False) -> Path:
    """Return `path` as the folder to write into; refuse it now, before the work, if it cannot be
    used."""
    folder = Path(path).absolute()
    if folder.is_symlink() and not folder.exists():
        raise InputError(
            f"{str(path)!r} is a link to {os.readlink(folder)!r}, which does not exist; remove the "
            "link, or give another --out."
        )
    try:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{str(path)!r} is a file; give a folder with --out.")
        if folder.is_dir() and any(folder.iterdir()) and not force:
            raise InputError(
                f"the folder {str(path)!r} exists and is not empty, and nothing was written; give "
                "--force to write into it, or another --out."
            )
        above = next(parent for parent in (folder, *folder.parents) if parent.exists())
        _draft_in(above).mkdir()  # the most reliable test whether writing is possible
        _draft_in(above).rmdir()
    except OSError as error:
        raise InputError(
            f"{str(path)!r} cannot be written ({error.strerror or error}); give another --out."
        ) from None
    return folder


def check_name(file: str | Path) -> None:
    """Refuse a file whose name cannot be written into the results, before the work."""
    try:
        str(file).encode()
    except UnicodeEncodeError:
        shown = str(file).encode(errors="replace").decode()
        raise InputError(
            f"the name {shown!r} is not valid UTF-8 and cannot be written into the results; "
            "rename the file."
        ) from None


def write_folder(folder: Path, write: Callable[[Path], None], *, force: bool = True) -> None:
    """Let `write` fill a temporary folder, and move its files to `folder` if it succeeds.

    An existing folder keeps its other files: only those of the same name are replaced. The
    temporary folder is on the same file system, so that each move is one step. If a move fails
    nevertheless (a full disk, or another process that wrote into the folder meanwhile), the work is
    not lost: the files are written to another folder, which the error names.

    Parameters
    ----------
    folder : Path
        As `check_folder` returned it.
    write : callable
        Writes all files into the folder that it is given.
    force : bool, default=True
        Write into a folder that has files by now.
    """
    try:
        _write_at_once(folder, write, force=force)
    except OSError as error:
        reason = error.strerror or str(error)
        place = _write_elsewhere(folder, write)
        if place is None:
            raise InputError(
                f"{str(folder)!r} cannot be written ({reason}), nor can a folder next to it or one "
                "for temporary files; free some disk space and run the command again."
            ) from None
        raise InputError(
            f"{str(folder)!r} cannot be written ({reason}); the results are in {str(place)!r} "
            "instead."
        ) from None


def _write_at_once(folder: Path, write: Callable[[Path], None], *, force: bool) -> None:
    exists = folder.is_dir()
    if exists and not force and any(folder.iterdir()):
        raise FileExistsError(17, "another process has written there meanwhile")
    home = folder if exists else folder.parent
    home.mkdir(parents=True, exist_ok=True)
    draft = _draft_in(home)
    try:
        draft.mkdir()
        write(draft)
        if exists:
            for file in sorted(draft.iterdir()):
                os.replace(file, folder / file.name)
        else:
            draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _write_elsewhere(folder: Path, write: Callable[[Path], None]) -> Path | None:
    """Write next to `folder`, or to the folder for temporary files; return where, or None."""
    for home in (folder.parent, Path(tempfile.gettempdir())):
        place = None
        try:
            place = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=home))
            write(place)
        except OSError:
            if place is not None:
                shutil.rmtree(place, ignore_errors=True)
        else:
            return place
    return None


def _draft_in(folder: Path) -> Path:
    return folder / f".weft-{os.getpid()}.tmp"


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write rows as CSV in which no text can start a formula."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(csv_lines(header, rows))


def csv_lines(
    header: Sequence[str], rows: Iterable[Sequence[Any]], *, separator: str = ","
) -> Iterator[str]:
    """Lines of CSV for a spreadsheet: cells that it would read as formulas get an apostrophe.

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
