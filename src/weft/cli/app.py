"""The command line: the options of each command; the modules next to this one do the work.

Exit codes: 0 done; 1 a bug in weft; 2 the input or an option cannot be used (a message on standard
error gives the reason); 130 stopped with Ctrl-C, 143 with SIGTERM: a running search then writes its
best result, all other commands write nothing. Results are never left half-written.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

import weft
from weft.cli.cluster import cluster
from weft.cli.compare import compare
from weft.cli.explain import explain
from weft.cli.options import (
    TABLE,
    Drop,
    Force,
    Json,
    Keep,
    Label,
    Missing,
    Query,
    Scale,
    Seed,
    Sheet,
    Transpose,
    complete_method,
    generators,
    one_of,
)
from weft.cli.shared import one_sentence, say

EXIT_CODES = (
    "Exit codes: 0 done; 1 a bug in weft; 2 the input or an option cannot be used, and a message "
    "on standard error gives the reason; 130 stopped with Ctrl-C, 143 with SIGTERM (a search then "
    "writes its best result; a second Ctrl-C ends at once). Results are never left half-written."
)

app = typer.Typer(
    name="weft",
    help="Clustering that learns which features matter.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"weft {weft.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Clustering that learns which features matter."""


app.command()(cluster)
app.command()(explain)
app.command()(compare)


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(help="Model file, or the folder of a run.")],
    file: Annotated[Path, typer.Argument(help=TABLE)],
    out: Annotated[
        Path,
        typer.Option(
            help="Output file with row, identifiers and cluster; the extension decides the "
            "format, - writes CSV to standard output."
        ),
    ] = Path("-"),
    missing: Annotated[
        str | None,
        typer.Option(
            help="Missing values: auto, median, drop-rows or error.",
            show_default="as when the model was fitted",
        ),
    ] = None,
    join: Annotated[
        bool, typer.Option("--join", help="Write the whole table, with a cluster column added.")
    ] = False,
    sheet: Sheet = None,
    query: Query = None,
    transpose: Transpose = False,
    as_json: Json = False,
) -> None:
    """Assign new rows to clusters with a saved model."""
    with one_sentence():
        from weft.cli import saved

        saved.predict(
            model,
            file,
            out=out,
            missing=missing,
            join=join,
            sheet=sheet,
            query=query,
            transpose=transpose,
            as_json=as_json,
        )


@app.command()
def report(
    model: Annotated[
        Path,
        typer.Argument(
            help="Model file, or the folder of a run; with --labels, a table.",
        ),
    ],
    data: Annotated[
        Path | None,
        typer.Option(help="The table the model was fitted on, if its file has no summary."),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="File with one label per row of the table, from any clustering program."),
    ] = None,
    labels_column: Annotated[
        str | None,
        typer.Option(help="Name of the column with labels in that file.", show_default="cluster"),
    ] = None,
    label: Label = None,
    out: Annotated[
        Path | None, typer.Option(help="Where to write the report.", show_default="MODEL.html")
    ] = None,
    stability: Annotated[
        int,
        typer.Option(
            help="Number of refits on 80 % of the rows, to measure stability; needs --data."
        ),
    ] = 0,
) -> None:
    """Write the HTML report of a saved model, or of a table and its labels."""
    with one_sentence():
        from weft.cli import given, saved
        from weft.cli.shared import refuse_ignored, say_path

        if labels is None:
            only = {"--labels-column": labels_column, "--label": label}
            refuse_ignored(only, "of a report without --labels")
            made = saved.report(model, data=data, out=out, stability=stability)
        else:
            refuse_ignored({"--data": data, "--stability": stability}, "of a report with --labels")
            made = given.report_labels(model, labels, column=labels_column, truth=label, out=out)
        say_path("HTML report", made)


@app.command()
def generate(
    kind: Annotated[
        str,
        typer.Argument(
            help="ellipsoids, gaussians, subspaces, rings, moons, spirals, dish-shell, ellipses, "
            "rectangles or blobs.",
            autocompletion=one_of(generators),
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="Output file; the extension decides the format, - writes CSV to standard output."
        ),
    ] = Path("-"),
    clusters: Annotated[int, typer.Option(help="Number of clusters; shapes have their own.")] = 4,
    features: Annotated[int, typer.Option(help="Number of features; shapes have two.")] = 10,
    rows: Annotated[int | None, typer.Option(help="Approximate number of rows.")] = None,
    noise: Annotated[int, typer.Option(help="Number of noise columns to add.")] = 0,
    seed: Seed = 0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON description on standard error.")
    ] = False,
) -> None:
    """Generate a table with known clusters, given in its column 'label'."""
    with one_sentence():
        import json

        from weft.cli import tables

        made = tables.generate(
            kind,
            out=out,
            clusters=clusters,
            features=features,
            rows=rows,
            noise=noise,
            seed=seed,
        )
        if as_json:
            typer.echo(json.dumps(made), err=True)
        elif str(out) != "-":
            say(f"{out}: {made['n_rows']} rows, {made['n_clusters']} clusters in 'label'")


@app.command()
def choose(
    file: Annotated[Path, typer.Argument(help=TABLE)],
    max_clusters: Annotated[
        int | None, typer.Option(help="Largest number of clusters to try.")
    ] = None,
    label: Label = None,
    seed: Seed = 0,
    scale: Scale = "standard",
    missing: Missing = "auto",
    drop: Drop = None,
    keep: Keep = None,
    sheet: Sheet = None,
    query: Query = None,
    as_json: Json = False,
) -> None:
    """Estimate the number of clusters, and show the evidence."""
    with one_sentence():
        from weft.cli import tables

        tables.choose(
            file,
            max_clusters=max_clusters,
            seed=seed,
            as_json=as_json,
            label=label,
            scale=scale,
            missing=missing,
            drop=drop or (),
            keep=keep or (),
            sheet=sheet,
            query=query,
        )


@app.command()
def methods(
    name: Annotated[
        str | None,
        typer.Argument(help="Show this method in full.", autocompletion=complete_method),
    ] = None,
    as_json: Json = False,
) -> None:
    """List every method with its paper."""
    with one_sentence():
        from weft.cli.methods import list_methods

        list_methods(name, as_json=as_json)


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("weft-demo"),
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Cluster the wine data of scikit-learn with 13 noise columns added."""
    with one_sentence(), ExitStack() as resources:
        from weft.auto.compiling import compiled_beside

        resources.enter_context(compiled_beside())
        import pandas as pd
        from sklearn.datasets import load_wine

        from weft.cli.fitting import search
        from weft.datasets import add_noise_features
        from weft.estimators.presets import find_method
        from weft.io import RawTable, check_folder, prepare_table

        folder = check_folder(out, force=force)
        began = time.perf_counter()
        wine = add_noise_features(load_wine(), 13, random_state=seed)
        frame = pd.DataFrame(wine.data, columns=wine.feature_names)
        frame["cultivar"] = wine.target
        table = prepare_table(RawTable(frame=frame, name="wine with noise"), label="cultivar")
        search(
            table,
            find_method("auto"),
            {"random_state": seed},
            folder,
            read_seconds=time.perf_counter() - began,
            relevant=wine.relevant,
            force=force,
        )
