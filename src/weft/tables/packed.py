"""Tables in packed files: gzip, bzip2, xz, zstd and zip, unpacked to a temporary folder.

A few bytes that unpack to more than the memory are not a real table, so unpacking stops when a file
grows larger than a table can be.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from weft._base.validation import import_optional
from weft.tables.errors import InputError

PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
# What a packed table may grow to when read: this much in any case, and this many times its size.
BOMB_SIZE = 2**30
BOMB_RATIO = 200
_CHUNK = 1 << 20
_DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError)


def is_bomb(path: Path, size: int) -> bool:
    """Return whether `size` bytes are more than the table of a file has."""
    return size > BOMB_SIZE and size > BOMB_RATIO * path.stat().st_size


def refuse_bomb(path: Path, size: int) -> None:
    """Refuse a file that would unpack to `size` bytes if that is more than a table has."""
    if is_bomb(path, size):
        raise InputError(
            f"{path.name} would unpack to {size / 2**30:.3g} GiB, more than {BOMB_RATIO} times "
            "its own size; write it again without compression if that is really the table."
        )


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """Yield the only table in a compressed file as a temporary file, inside the block."""
    with TemporaryDirectory(prefix="weft-") as folder:
        try:
            inner = _unpack(path, Path(folder))
        except InputError:
            raise
        except FileNotFoundError:
            raise InputError(f"there is no file {str(path)!r}; check the path.") from None
        except (*_DAMAGE, ValueError, NotImplementedError) as error:
            detail = " ".join(str(error).split())[:160] or type(error).__name__
            raise InputError(f"{path.name} cannot be unpacked ({detail}); fix the file.") from None
        yield inner


def _unpack(path: Path, folder: Path) -> Path:
    kind = path.suffix.lower()
    if kind == ".zip":
        return _unzip(path, folder)
    name = path.stem if Path(path.stem).suffix else f"{path.stem}.csv"
    inner = folder / name
    with _open(path, kind) as source, inner.open("wb") as target:
        _copy(path, source, target)
    return inner


def _open(path: Path, kind: str) -> Any:
    if kind == ".gz":
        return gzip.open(path)
    if kind == ".bz2":
        return bz2.open(path)
    if kind == ".xz":
        return lzma.open(path)
    pyarrow = import_optional("pyarrow", "app")
    return pyarrow.CompressedInputStream(pyarrow.OSFile(str(path)), "zstd")


def _copy(path: Path, source: Any, target: IO[bytes]) -> None:
    size = 0
    while chunk := source.read(_CHUNK):
        size += len(chunk)
        refuse_bomb(path, size)
        target.write(chunk)


def _unzip(path: Path, folder: Path) -> Path:
    with zipfile.ZipFile(path) as archive:
        members = [
            info
            for info in archive.infolist()
            if info.filename  # zipfile fails on an empty name below
            and not info.is_dir()
            and not info.filename.startswith("__MACOSX/")
            and not Path(info.filename).name.startswith(".")
        ]
        if len(members) != 1:
            listed = ", ".join(repr(info.filename[:60]) for info in members[:4])
            what = f"{len(members)} files ({listed})" if members else "no file"
            raise InputError(f"{path.name} holds {what}; pack one table, or unpack it first.")
        refuse_bomb(path, members[0].file_size)
        # The name comes from the archive and is not trusted: only its last part is used.
        inner = folder / (Path(members[0].filename).name or "table.csv")
        with archive.open(members[0]) as source, inner.open("wb") as target:
            shutil.copyfileobj(source, target, _CHUNK)
    return inner
