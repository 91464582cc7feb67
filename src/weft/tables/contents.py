"""Files whose content is not what their name says: text as .xls, workbooks as .csv, web pages."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from weft.tables.errors import InputError
from weft.tables.text_form import find_encoding
from weft.tables.workbooks import EXCEL

_LOOK_AT = 4096  # bytes
_ZIP, _OLE, _GZIP, _PARQUET = b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b", b"PAR1"
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|\?xml|table|head)\b", re.I)


def find_kind(path: Path, called: str, kind: str, text: tuple[str, ...]) -> tuple[str, list[str]]:
    """Return the kind of a file by its content, and a note if it is not that of its name.

    Parameters
    ----------
    path : Path
        The file.
    called : str
        What it is called in messages.
    kind : str
        The end of its name: ".csv".
    text : tuple of str
        The kinds that hold text.
    """
    if kind not in (*text, ".xls"):
        return kind, []
    try:
        with path.open("rb") as file:
            head = file.read(_LOOK_AT)
    except OSError:
        return kind, []  # the reader reports it
    if _MARKUP.match(head):
        raise InputError(
            f"{called} is a web page or XML, not a table of cells; open it with a spreadsheet "
            "program and save it as .xlsx or .csv."
        )
    if kind == ".xls" and not head.startswith((_ZIP, _OLE)) and _is_text(path, head):
        return ".csv", [
            "the file holds text, though its name ends in '.xls', and was read as text."
        ]
    found = _packed_kind(path, head) if kind in text else ""
    if found == ".gz":
        raise InputError(f"{called} is packed with gzip; rename it so that it ends in '.gz'.")
    if not found:
        return kind, []
    what = "a workbook" if found in EXCEL else "a Parquet file"
    return found, [
        f"the file holds {what}, though its name ends in {kind!r}, and was read as such."
    ]


def _packed_kind(path: Path, head: bytes) -> str:
    """Return the kind of a file that is not text, as far as its first bytes tell; "" for others."""
    if head.startswith(_ZIP) and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
        if any(name.startswith("xl/") for name in names):
            return ".xlsx"
        return ".ods" if "content.xml" in names else ""
    return {_OLE: ".xls", _PARQUET: ".parquet"}.get(head[:4], ".gz" if head[:2] == _GZIP else "")


def _is_text(path: Path, head: bytes) -> bool:
    if not head.strip():
        return False
    try:
        return find_encoding(path) != "utf-8" or b"\0" not in head
    except InputError:
        return False
