"""How a text file holds a table: encoding, separator, decimal sign, comments, records."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TextIO

from weft.tables.comments import find_comments, last_above, starts_as_comment
from weft.tables.errors import InputError
from weft.tables.headers import LOOK_AT

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


_SEPARATORS = (",", ";", "\t", "|")
_FEWEST_SPACED = 4  # lines; a few texts may have as many words by chance
_NAMED_SEPARATOR = re.compile(r'"?sep=(?P<sign>[^"\w])"?', re.IGNORECASE)


class TextForm(NamedTuple):
    """How a text file holds a table."""

    encoding: str = "utf-8"
    separator: str = ","
    decimal: str = "."
    has_comments: bool = False
    header_is_comment: bool = False  # "#a,b": the names are in the last comment
    names_separator: bool = False  # "sep=;" is the first line, for Excel


PLAIN_TEXT = TextForm()
# A cell may hold a whole document; the csv module's own limit is 131,072 characters.
_LONGEST_CELL = 2**27
csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))


def open_text(path: Path, form: TextForm) -> TextIO:
    """Open a text file without its comments; a comment becomes a blank line."""
    file = path.open(encoding=form.encoding, newline="")
    if not form.has_comments and not form.names_separator:
        return file
    with file:
        lines = list(file)
    if form.names_separator:
        lines[next(i for i, line in enumerate(lines) if line.strip())] = "\n"
    if not form.has_comments:
        return io.StringIO("".join(lines), newline="")
    last = last_above(lines)
    kept = []
    for number, (line, is_comment) in enumerate(
        zip(lines, find_comments(lines, form.separator), strict=True)
    ):
        if number == last and form.header_is_comment:
            kept.append(line.lstrip().lstrip("#").lstrip())
        else:
            kept.append("\n" if is_comment else line)
    return io.StringIO("".join(kept), newline="")


def find_text_form(path: Path, called: str) -> TextForm:
    """Return encoding, separator, decimal sign, and whether there are comments."""
    encoding = find_encoding(path)
    with path.open(encoding=encoding, newline="") as file:
        lines = [line for line in itertools.islice(file, 2000) if line.strip()]
    named = _NAMED_SEPARATOR.fullmatch(lines[0].rstrip("\r\n")) if lines else None
    if named is not None:
        lines = lines[1:]
    plain = [line for line in lines if not starts_as_comment(line)]
    comments = list(itertools.takewhile(starts_as_comment, lines))
    if not plain and not comments:
        raise InputError(f"{called} is empty; it needs a line of column names and rows below it.")
    only_comments = not plain
    if only_comments:  # a first name that starts with "#" is a name, not a comment
        plain, comments = lines, []
    separator = named["sign"] if named is not None else _find_separator(plain)
    header_is_comment = bool(comments) and _is_header(comments[-1], plain, separator)
    has_comments = not only_comments and any(find_comments(lines, separator))
    # Spreadsheets that separate with ";" do so because their decimals are written with ",".
    cell = r"(?:^|[;\t|])[^\S\t]*-?\d+,\d+[^\S\t]*(?:[;\t|]|$)"
    if separator == " ":
        cell = r"(?<!\S)-?\d+,\d+(?!\S)"
    commas = separator != "," and any(re.search(cell, line.rstrip()) for line in plain[1:20])
    dots = any(re.search(cell.replace(",", r"\."), line.rstrip()) for line in plain[1:20])
    return TextForm(
        encoding,
        separator,
        "," if commas and not dots else ".",
        has_comments,
        header_is_comment,
        named is not None,
    )


def records(file: TextIO, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (first line, cells) of each record that pandas would read, the header included."""
    reader = csv.reader(file, delimiter=separator, skipinitialspace=True)
    start = 1
    for cells in reader:
        if len(cells) > 1 or (cells and cells[0].strip()):
            yield start, cells
        start = reader.line_num + 1


class _Lines:
    """The lines of a file one by one, so that a parser takes no more than it needs."""

    def __init__(self, file: TextIO) -> None:
        self.file = file

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self.file.readline()
        if not line:
            raise StopIteration
        return line


def skip_records(file: TextIO, separator: str, count: int) -> None:
    """Move to the record after the first `count`, blank lines not counted."""
    reader = csv.reader(_Lines(file), delimiter=separator, skipinitialspace=True)
    for cells in reader:
        if len(cells) > 1 or (cells and cells[0].strip()):
            count -= 1
        if count == 0:
            return


def _find_separator(lines: list[str]) -> str:
    """Return the sign that the names, or most lines, have most of."""
    unquoted = [re.sub(r'"[^"]*"', "", line) for line in lines[:LOOK_AT]]
    first = max(_SEPARATORS, key=unquoted[0].count)  # the first one wins a tie
    if unquoted[0].count(first) and not (first == "," and _same(unquoted, ";")):
        return first
    if not unquoted[0].count(first) and _has_spaces(lines):
        return " "
    return max(_SEPARATORS, key=lambda sign: sum(sign in line for line in unquoted))


def _has_spaces(lines: list[str]) -> bool:
    """Return whether spaces separate cells: as many in each row, and a number in each."""
    cells = [re.sub(r'"[^"]*"', "x", line).split() for line in lines]
    width = len(cells[-1])
    if width < 2 or len(cells) < _FEWEST_SPACED or len(cells[0]) not in (width, width - 1):
        return False
    return all(len(row) == width and any(map(_is_number, row)) for row in cells[1:])


def _same(lines: list[str], sign: str) -> bool:
    counts = {line.count(sign) for line in lines}
    return len(counts) == 1 and counts != {0}


def _is_header(comment: str, plain: list[str], separator: str) -> bool:
    """Return whether the last comment names the columns: as many cells as the rows, no numbers."""
    sign = None if separator == " " else separator  # None: any number of spaces
    names = comment.strip().lstrip("#").split(sign)
    rows = plain[0].strip().split(sign)
    if len(names) != len(rows) or len(names) < 2:
        return False
    return not any(_is_number(name) for name in names) and any(_is_number(cell) for cell in rows)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"\s*[-+]?\d[\d.,]*([eE][-+]?\d+)?\s*", text) is not None
