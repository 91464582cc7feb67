"""Tables in SQLite and DuckDB files, whole or by a query that can only read."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft._base.validation import import_optional
from weft.tables.errors import InputError
from weft.tables.packed import is_bomb

if TYPE_CHECKING:
    import pandas as pd

SQLITE = (".db", ".sqlite", ".sqlite3")
DUCKDB = (".duckdb", ".ddb")
# What a query may do: look at tables and compute. All else (attach, write, pragma) is refused.
_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
# A view in a file may be endless. This many steps of SQLite take about a minute.
MAX_STEPS = 2 * 10**9
_STEPS_AT_ONCE = 10**6
_ROWS_AT_ONCE = 100
# A short query or view can make a text of any length: printf('%999999999d', x).
MAX_BYTES_OF_VALUE = 10_000_000


def read_database(path: Path, query: str | None) -> pd.DataFrame:
    """Return the answer of a query, or the one table that a database holds."""
    if path.suffix.lower() in DUCKDB:
        return _read_duckdb(path, query)
    return _read_sqlite(path, query)


def _read_sqlite(path: Path, query: str | None) -> pd.DataFrame:
    pandas = import_optional("pandas", "app")
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    given = query is not None
    n_looks = 0

    def look() -> bool:
        """Count the work, and let Ctrl-C in; True ends it."""
        nonlocal n_looks
        n_looks += 1
        return not given and n_looks * _STEPS_AT_ONCE > MAX_STEPS

    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BYTES_OF_VALUE)
        connection.set_progress_handler(look, _STEPS_AT_ONCE)
        if query is None:
            found = connection.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                "AND name NOT LIKE 'sqlite_%' ORDER BY name"
            ).fetchall()
            query = _whole_table(path, [name for (name,) in found])
        connection.set_authorizer(_only_reading)
        cursor = connection.execute(query)
        return _frame(pandas, path, cursor)
    except sqlite3.Error as error:
        if not given and n_looks * _STEPS_AT_ONCE > MAX_STEPS:
            raise InputError(
                f"reading all of {path.name} takes too long; say with --query which rows to read."
            ) from None
        raise InputError(_explain(path, error)) from None
    finally:
        connection.close()


def _only_reading(action: int, *_: Any) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _read_duckdb(path: Path, query: str | None) -> pd.DataFrame:
    duckdb = import_optional("duckdb", "sql")
    pandas = import_optional("pandas", "app")
    try:
        # Without access to other files a query reads this database and nothing else.
        connection = duckdb.connect(
            str(path), read_only=True, config={"enable_external_access": "false"}
        )
        try:
            if query is None:
                found = connection.execute(
                    "SELECT table_name FROM information_schema.tables ORDER BY table_name"
                ).fetchall()
                query = _whole_table(path, [name for (name,) in found])
            return _frame(pandas, path, connection.execute(query))
        finally:
            connection.close()
    except duckdb.Error as error:
        raise InputError(_explain(path, error)) from None


def _whole_table(path: Path, names: Sequence[str]) -> str:
    if len(names) != 1:
        listed = ", ".join(repr(name[:60]) for name in names[:8])
        what = f"{len(names)} tables ({listed})" if names else "no table"
        raise InputError(f"{path.name} holds {what}; say with --query which rows to read.")
    # The name comes from the database; its quotes are doubled, so that it cannot contain SQL.
    own = names[0].replace('"', '""')
    return f'SELECT * FROM "{own}"'  # noqa: S608  # nosec B608


def _frame(pandas: Any, path: Path, cursor: Any) -> pd.DataFrame:
    if cursor.description is None:
        raise InputError(f"the query on {path.name} gives no rows; give a SELECT.")
    names = [column[0] for column in cursor.description]
    rows: list[Any] = []
    size = 0
    while part := cursor.fetchmany(_ROWS_AT_ONCE):
        rows += part
        texts = sum(len(cell) for row in part for cell in row if isinstance(cell, (str, bytes)))
        size += 8 * len(part) * len(names) + texts
        if is_bomb(path, size):  # an answer may be endless
            raise InputError(
                f"the rows that {path.name} gives take more than {size / 2**30:.3g} GiB, far more "
                "than the file; say with --query which rows to read."
            )
    frame = pandas.DataFrame(rows, columns=range(len(names)), dtype=object).infer_objects()
    return frame.set_axis(names, axis=1)


def _explain(path: Path, error: Exception) -> str:
    detail = " ".join(str(error).split())[:200]
    return f"{path.name} cannot be read ({detail}); check the file and --query."
