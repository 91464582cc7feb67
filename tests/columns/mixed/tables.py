"""Small mixed tables that the tests share."""

from __future__ import annotations

import numpy as np

from weft.columns.source import MixedTable, SourceColumn


def levels(count: int) -> tuple[str, ...]:
    return tuple(f"level {code}" for code in range(count))


def every_kind(n: int = 80, *, gaps: float = 0.0, seed: int = 0) -> MixedTable:
    """Return a table with a column of each kind, a date of three parts among them."""
    rng = np.random.default_rng(seed)
    days = rng.uniform(0.0, 900.0, n)
    values = np.column_stack(
        [
            rng.standard_t(3, n),
            rng.integers(4, size=n),
            rng.integers(5, size=n),
            rng.integers(2, size=n),
            rng.uniform(0.0, 24.0, n),
            days,
            days % 7.0,
            days % 365.25,
        ]
    ).astype(float)
    columns = (
        SourceColumn("number", "number", (0,)),
        SourceColumn("grade", "ordered", (1,), levels=levels(4)),
        SourceColumn("colour", "category", (2,), levels=levels(5)),
        SourceColumn("member", "yes/no", (3,), levels=("no", "yes")),
        SourceColumn("hour", "cyclic", (4,), periods=(24.0,)),
        SourceColumn(
            "day", "date", (5, 6, 7), periods=(0.0, 7.0, 365.25), parts=("age", "week", "year")
        ),
    )
    table = MixedTable(values, columns)
    if gaps:
        gone = rng.random((n, len(columns))) < gaps
        gone[gone.all(axis=1), 0] = False
        table = MixedTable(np.where(gone[:, table.source_of], np.nan, values), columns)
    return table


def categories(n: int, n_levels: list[int], seed: int) -> MixedTable:
    """Return independent categories: a table without clusters."""
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.integers(count, size=n) for count in n_levels]).astype(float)
    columns = tuple(
        SourceColumn(f"category {number}", "category", (number,), levels=levels(count))
        for number, count in enumerate(n_levels)
    )
    return MixedTable(values, columns)
