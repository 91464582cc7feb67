"""Which encoding a text file has: UTF-8, UTF-16 or UTF-32 with or without a mark, or cp1252."""

from __future__ import annotations

import codecs
from pathlib import Path

from weft.tables.errors import InputError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CHUNK = 1 << 20
# Control characters that occur in text: tab, line feed, vertical tab, form feed, return, DOS's end.
_TEXT_CONTROLS = {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1A}
_NO_TEXT = bytes(code for code in range(0x20) if code not in _TEXT_CONTROLS)
# Bytes that cp1252 gives no character.
_UNDEFINED = b"\x81\x8d\x8f\x90\x9d"


def find_encoding(path: Path) -> str:
    """Return the encoding of a text file, or refuse a file that is not text."""
    with path.open("rb") as file:
        head = file.read(4096)
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    if b"\0" in head:
        wide = _wide_encoding(head)
        if wide:
            return wide
    problem = _not_utf8(path)
    if problem is None:
        return "utf-8"
    if _is_cp1252(path):
        return "cp1252"
    byte, position = problem
    raise InputError(
        f"{path.name} is not a text file in UTF-8, UTF-16 or cp1252 (byte {byte:#04x} at position "
        f"{position}); save it as CSV in UTF-8."
    )


def _wide_encoding(head: bytes) -> str:
    """Return UTF-16's byte order where nearly every second byte is 0, "" elsewhere."""
    pairs = len(head) // 2
    if pairs < 2:
        return ""
    even, odd = head[0 : 2 * pairs : 2].count(0), head[1 : 2 * pairs : 2].count(0)
    if odd > 0.6 * pairs and even < 0.1 * pairs:
        return "utf-16-le"
    if even > 0.6 * pairs and odd < 0.1 * pairs:
        return "utf-16-be"
    return ""


def _not_utf8(path: Path) -> tuple[int, int] | None:
    """Return the first byte that is not UTF-8 and its position; None where all are."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    before = 0
    with path.open("rb") as file:
        while True:
            chunk = file.read(_CHUNK)
            held = decoder.getstate()[0]
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                return error.object[error.start], before - len(held) + error.start
            if not chunk:
                return None
            before += len(chunk)


def _is_cp1252(path: Path) -> bool:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            if len(chunk.translate(None, _NO_TEXT + _UNDEFINED)) < len(chunk):
                return False
    return True
