"""``weft compare``: two results side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft.cli.options import Json
from weft.cli.shared import one_sentence, print_json, refuse_overwriting, say, say_path

RESULT = "A model file, the folder of a run, or a table with a column of labels."


def compare(
    first: Annotated[Path, typer.Argument(help=RESULT)],
    second: Annotated[Path, typer.Argument(help="Another result, of the same rows.")],
    key: Annotated[
        str | None,
        typer.Option(
            help="Column that identifies the same rows in two tables with labels.",
            show_default="a column with a unique name for every row, or the order of the rows",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Output file for an HTML page with a Sankey diagram.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare two results: matching clusters, rows that moved, weights that changed."""
    with one_sentence():
        from weft.cli.given import save
        from weft.reporting.comparison import compare as compare_results

        refuse_overwriting(out, first, second)
        done = compare_results(first, second, key=key)
        if out is not None:
            save(done, out)
        if as_json:
            print_json(done.to_dict())
            return
        say(str(done))
        if out is not None:
            say("")
            say_path("HTML page", out)
