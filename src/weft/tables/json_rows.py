"""Tables as JSON: one object per line, or a list of objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft._base.validation import import_optional
from weft.tables.errors import InputError
from weft.tables.text_form import find_encoding

if TYPE_CHECKING:
    import pandas as pd

_NAMES: dict[type, str] = {
    type(None): "null",
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a text",
    list: "a list",
}
JSON_LINES = (".jsonl", ".ndjson")
JSON = (".json",)


def read_json(path: Path, called: str) -> pd.DataFrame:
    """Return the objects of a file as rows; objects within objects become columns "a.b"."""
    pandas = import_optional("pandas", "app")
    rows = list(_lines(path, called) if path.suffix.lower() in JSON_LINES else _list(path, called))
    frame = pandas.DataFrame([dict(_flat(row)) for row in rows])
    if not len(frame.columns):
        raise InputError(f"{called} holds no object with a value; there is nothing to read.")
    return frame


def _lines(path: Path, called: str) -> Iterator[dict[str, Any]]:
    with path.open(encoding=find_encoding(path)) as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield _object(_parse(line, called, f" on line {number}"), called, number)


def _list(path: Path, called: str) -> Iterator[dict[str, Any]]:
    text = path.read_text(encoding=find_encoding(path))
    if _is_lines(text):
        yield from _lines(path, called)
        return
    found = _parse(text, called, "")
    if isinstance(found, dict):  # {"rows": [...]} is a list in a wrapping
        lists = [value for value in found.values() if isinstance(value, list)]
        found = lists[0] if len(lists) == 1 else _rows_of_columns(found)
    if not isinstance(found, list):
        raise InputError(
            f"{called} holds no list of objects, which is what a table is in JSON; write it as "
            '[{"a": 1, "b": 2}, {"a": 3, "b": 4}] (pandas does so with orient="records").'
        )
    for number, row in enumerate(found, start=1):
        yield _object(row, called, number)


def _is_lines(text: str) -> bool:
    """Return whether the first line is an object and more follows: JSON lines named .json."""
    first, _, rest = text.lstrip().partition("\n")
    try:
        return bool(rest.strip()) and isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _rows_of_columns(found: dict[str, Any]) -> Any:
    """Return the rows of {"a": {"0": 1, "1": 3}, ...}, as pandas writes columns; else `found`."""
    columns = list(found.values())
    if not columns or not all(isinstance(column, dict) and column for column in columns):
        return found
    numbers = [str(number) for number in range(len(columns[0]))]
    if any(list(column) != numbers for column in columns):
        return found
    return [{name: column[number] for name, column in found.items()} for number in numbers]


def _parse(text: str, called: str, where: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        at = where or f" on line {error.lineno}"
        raise InputError(f"{called} is not valid JSON{at} ({error.msg}); fix the file.") from None
    except RecursionError:
        raise InputError(f"{called} has values nested too deep{where}; fix the file.") from None
    except ValueError as error:  # an integer of thousands of digits
        raise InputError(f"{called} has a value that cannot be read ({error}).") from None


def _object(row: Any, called: str, number: int) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise InputError(
            f"{called} has {_NAMES.get(type(row), 'no object')} as row {number}, where an object "
            'such as {"a": 1, "b": 2} is needed; fix the file.'
        )
    return row


def _flat(row: dict[str, Any], before: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        name = f"{before}{key}"
        if isinstance(value, dict) and depth < 4:
            yield from _flat(value, f"{name}.", depth + 1)
        else:
            yield name, json.dumps(value) if isinstance(value, (dict, list)) else value
