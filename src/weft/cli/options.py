"""Options shared by several commands, their completion, and config files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer

from weft.cli.shared import one_sentence

TABLE = (
    "Table: CSV, TSV, Parquet, Arrow, Excel, ODS, JSON, SQLite, DuckDB or AnnData (.h5ad), by "
    "extension; may be compressed (.gz, .zip, .zst). A quoted pattern reads several files; - "
    "reads standard input."
)
MANY = "may be given several times."
Json = Annotated[bool, typer.Option("--json", help="Print only JSON on standard output.")]
Seed = Annotated[
    int, typer.Option(help="Seed of the random numbers; the same seed gives the same answer.")
]
Force = Annotated[bool, typer.Option("--force", help="Write into a folder that is not empty.")]
Label = Annotated[
    str | None,
    typer.Option(
        help="Column with known classes: it is compared with the clusters, not used to find them."
    ),
]
Scale = Annotated[str, typer.Option(help="How columns are scaled: standard, range or none.")]
Missing = Annotated[
    str,
    typer.Option(
        help="Missing values: auto (fill in from the rest of the row), median, drop-rows or error."
    ),
]
Sheet = Annotated[str | None, typer.Option(help="Sheet of a workbook, by name or number from 1.")]
Query = Annotated[
    str | None, typer.Option(help="SQL query that selects the rows of a database file.")
]
Drop = Annotated[list[str] | None, typer.Option(help=f"Column to leave out; {MANY}")]
Transpose = Annotated[
    bool,
    typer.Option(
        "--transpose", help="Exchange rows and columns first: a table of genes × samples."
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(help=f"Column to use although it looks like an identifier or free text; {MANY}"),
]


def complete_method(incomplete: str) -> list[str]:
    """Return the methods that need only a table."""
    from weft.estimators.presets import METHODS

    names = [method.name for method in METHODS if not method.in_python_only]
    return [name for name in names if name.startswith(incomplete.lower())]


def one_of(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return a completion whose names are looked up only when it is used."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


def clusterers() -> list[str]:
    """Return the names that ``--clusterer`` takes."""
    from weft.search.clusterers import CLUSTERERS

    return list(CLUSTERERS)


def criteria() -> list[str]:
    """Return the names that ``--criterion`` takes."""
    from weft.search.criteria import CRITERIA

    return list(CRITERIA)


def swarms() -> list[str]:
    """Return the names that ``--swarm`` takes."""
    from weft.search.swarms import SWARMS

    return list(SWARMS)


def generators() -> list[str]:
    """Return the kinds that ``weft generate`` makes."""
    from weft.datasets.shapes import SHAPES

    return ["ellipsoids", "gaussians", "subspaces", *SHAPES]


def use_config(context: typer.Context, path: Path | None) -> Path | None:
    """Read the options that are missing on the command line from a config file."""
    if path is not None and not context.resilient_parsing:
        from weft.cli.config import read_config

        with one_sentence():
            known = [p.name for p in context.command.params if p.name not in ("config", "help")]
            names = {"json": "as_json"}
            given = read_config(path, [*(k for k in known if k), *names])
            context.default_map = {names.get(key, key): value for key, value in given.items()}
    return path
