"""Which lines of a text table are comments: they start with "#", and are not rows.

Below the names, a line that starts with "#" can be a row ("#17,open,3") or a part of a quoted cell
of several lines, as in posts with hashtags. Neither may be lost.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

_END_OF_CELL = re.compile(r'(?:[^"]|"")*"(?!")')


def starts_as_comment(line: str) -> bool:
    """Return whether a line starts with "#"."""
    return line.lstrip().startswith("#")


def last_above(lines: Sequence[str]) -> int:
    """Return the position of the last comment above the names, -1 if there is none."""
    above = enumerate(
        itertools.takewhile(lambda line: starts_as_comment(line) or not line.strip(), lines)
    )
    return max((number for number, line in above if starts_as_comment(line)), default=-1)


def find_comments(lines: Sequence[str], separator: str) -> Iterator[bool]:
    """Yield for each line whether it is a comment."""
    last = last_above(lines)
    names = next((line for line in lines if not starts_as_comment(line) and line.strip()), "")
    n_separators, _ = _scan(names, separator, False)
    inside = False
    for number, line in enumerate(lines):
        n_own, ends_inside = _scan(line, separator, inside)
        could_be = starts_as_comment(line) and not inside
        is_row = n_own == n_separators or ends_inside
        is_comment = could_be and (number <= last or not is_row)
        if not is_comment:
            inside = ends_inside
        yield is_comment


def _scan(line: str, separator: str, inside: bool) -> tuple[int, bool]:
    """Return the number of separators outside of quotes, and whether a quote stays open.

    With `inside`, the line starts in a quoted cell.
    """
    if '"' not in line:
        return (0, True) if inside else (line.count(separator), False)
    if inside:
        end = _END_OF_CELL.match(line)
        if end is None:
            return 0, True
        line = "." + line[end.end() :]  # the rest of that cell is not the start of one
    start = rf"(^|{re.escape(separator)})\s*"
    bare = re.sub(rf'{start}"(?:[^"]|"")*"', r"\1", line)
    opened = re.search(rf'{start}"', bare)
    if opened is not None:
        bare = bare[: opened.end()]
    return bare.count(separator), opened is not None
