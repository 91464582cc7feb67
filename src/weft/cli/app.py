"""The command line: how each command is called; what it does is in ``commands/``.

Exit codes: 0 done; 1 a fault in weft itself; 2 the input or an option cannot be used (one sentence
on standard error says why); 130 stopped with Ctrl-C, 143 with SIGTERM: a search that was under way
has then written the best it had found, all else nothing. Nothing is ever left half-written.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

import weft
from weft.cli.fitting import FILES
from weft.cli.shared import one_sentence

__all__ = ["FILES", "app"]

EXIT_CODES = (
    "Exit codes: 0 done; 1 a fault in weft itself; 2 the input or an option cannot be used, and "
    "one sentence on standard error says why; 130 stopped with Ctrl-C, 143 with SIGTERM (a search "
    "then writes the best so far; a second Ctrl-C ends at once). Nothing is ever left half-written."
)

app = typer.Typer(
    name="weft",
    help="Clustering that learns which features matter.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

TABLE = "Table: CSV, TSV, Parquet, Arrow or Excel by its extension; - reads standard input."
MANY = "may be given several times."
Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, nothing else.")]
Seed = Annotated[int, typer.Option(help="Same seed, same answer.")]
Force = Annotated[bool, typer.Option("--force", help="Write into a folder that is not empty.")]
Label = Annotated[
    str | None,
    typer.Option(help="Column with the known answer: compared with, never searched on."),
]
Scale = Annotated[str, typer.Option(help="standard, range or none.")]
Missing = Annotated[
    str, typer.Option(help="What to do about missing values: error, drop-rows or median.")
]
Drop = Annotated[list[str] | None, typer.Option(help=f"Column to leave out; {MANY}")]
Keep = Annotated[
    list[str] | None,
    typer.Option(help=f"Column to use although it looks like an identifier; {MANY}"),
]


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"weft {weft.__version__}")
        raise typer.Exit


def _complete_method(incomplete: str) -> list[str]:
    from weft.estimators.presets import METHODS

    found = [method.name for method in METHODS if not method.in_python_only]
    return [name for name in found if name.startswith(incomplete.lower())]


def _one_of(*words: str) -> Any:
    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return complete


def _use_config(context: typer.Context, path: Path | None) -> Path | None:
    """Let a file say what the command line does not."""
    if path is not None and not context.resilient_parsing:
        from weft.cli.config import read_config

        with one_sentence():
            known = [p.name for p in context.command.params if p.name not in ("config", "help")]
            names = {"json": "as_json"}
            given = read_config(path, [*(k for k in known if k), *names])
            context.default_map = {names.get(key, key): value for key, value in given.items()}
    return path


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Clustering that learns which features matter."""


@app.command(epilog=EXIT_CODES)
def cluster(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help=TABLE)],
    config: Annotated[
        Path | None,
        typer.Option(
            callback=_use_config,
            is_eager=True,
            help="TOML file with options, such as the run.toml of an earlier run; options given "
            "here go before it.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results.", show_default="FILE-weft")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="A method by its paper's name; weft methods lists them.",
            show_default="auto, or pso-fsw where its options are given",
            autocompletion=_complete_method,
        ),
    ] = None,
    clusterer: Annotated[
        str | None,
        typer.Option(
            help="For PSO-FSW: knn, dbscan, linkage or affinity.",
            show_default="knn",
            autocompletion=_one_of("knn", "dbscan", "linkage", "affinity"),
        ),
    ] = None,
    criterion: Annotated[
        str | None,
        typer.Option(
            help="For PSO-FSW, what is maximised: "
            "csc, bcr, silhouette, connectedness, sparsity, separation, bic or robust.",
            show_default="csc",
            autocompletion=_one_of("csc", "bcr", "silhouette", "connectedness", "bic"),
        ),
    ] = None,
    n_clusters: Annotated[
        str | None,
        typer.Option(help="How many clusters, for methods that want to know; auto chooses."),
    ] = None,
    max_clusters: Annotated[
        int | None, typer.Option(help="At most so many, for methods that count by themselves.")
    ] = None,
    exponents: Annotated[
        bool, typer.Option("--exponents", help="For PSO-FSW: an exponent per feature as well.")
    ] = False,
    param: Annotated[
        list[str] | None,
        typer.Option(help=f"Any other parameter of the method as NAME=VALUE; {MANY}"),
    ] = None,
    label: Label = None,
    seed: Seed = 0,
    generations: Annotated[int | None, typer.Option(help="Generations to search, at most.")] = None,
    particles: Annotated[int | None, typer.Option(help="Candidates per generation.")] = None,
    jobs: Annotated[
        int | None,
        typer.Option(help="Threads; the answer does not depend on them.", show_default="1"),
    ] = None,
    scale: Scale = "standard",
    missing: Missing = "error",
    drop: Drop = None,
    keep: Keep = None,
    stability: Annotated[
        int, typer.Option(help="Repeat the search so often on 4/5 of the rows and compare.")
    ] = 0,
    checkpoint: Annotated[
        Path | None, typer.Option(help="File to write the search down in as it goes.")
    ] = None,
    checkpoint_every: Annotated[
        int, typer.Option(help="After how many generations to write it.")
    ] = 10,
    resume: Annotated[
        Path | None, typer.Option(help="Checkpoint to go on from; all else as it was then.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Find the groups in a table, and the columns that make them."""
    with one_sentence():
        from weft.cli.config import changed_input, digest
        from weft.cli.fitting import refuse_own_input, search
        from weft.estimators.presets import find_method
        from weft.io import check_folder, prepare_table, read_table

        swarm = (clusterer, criterion, n_clusters, generations, particles)
        is_swarm = exponents or any(option is not None for option in swarm)
        wanted = find_method(method or ("pso-fsw" if is_swarm else "auto"))
        if wanted.in_python_only:
            raise ValueError(f"{wanted.title} needs more than a table: weft.{wanted.call}.")
        stem = "table" if str(file) == "-" else file.stem
        folder = check_folder(out or Path(f"{stem}-weft"), force=force)
        began = time.perf_counter()
        raw = read_table(file)
        table = prepare_table(
            raw, label=label, drop=drop or (), keep=keep or (), missing=missing, scale=scale
        )
        refuse_own_input(file, folder)
        if config is not None and changed_input(config, file):
            table.warnings.append(
                f"{file.name} has changed since {config.name} was written: the answer may differ."
            )
        given: dict[str, Any] = {
            "clusterer": clusterer,
            "criterion": criterion,
            "n_clusters": n_clusters,
            "max_clusters": max_clusters,
            "exponents": exponents or None,
            "n_particles": particles,
            "n_generations": generations,
            "n_jobs": jobs,
        }
        given = {key: value for key, value in given.items() if value is not None}
        left_out = [
            *("context", "config", "out", "force", "as_json", "quiet"),
            *("checkpoint", "checkpoint_every", "resume"),
        ]
        order = [parameter.name for parameter in context.command.params]
        options = {k: context.params[k] for k in order if k in context.params and k not in left_out}
        search(
            table,
            wanted,
            {**given, "random_state": seed},
            folder,
            extra=param or (),
            options={**options, "method": wanted.name, "file": str(file)},
            sha256=digest(file),
            read_seconds=time.perf_counter() - began,
            stability=stability,
            checkpoint=checkpoint,
            checkpoint_every=checkpoint_every,
            resume=resume,
            as_json=as_json,
            quiet=quiet,
        )


@app.command(epilog=EXIT_CODES)
def predict(
    model: Annotated[Path, typer.Argument(help="Model file, or the folder of a run.")],
    file: Annotated[Path, typer.Argument(help=TABLE)],
    out: Annotated[
        Path, typer.Option(help="Where to write row and cluster, by extension; - is CSV to stdout.")
    ] = Path("-"),
    missing: Annotated[
        str | None,
        typer.Option(help="error, drop-rows or median.", show_default="as in the run"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Label rows that came later, with a model that was kept."""
    with one_sentence():
        from weft.cli import later

        later.predict(model, file, out=out, missing=missing, as_json=as_json)


@app.command(epilog=EXIT_CODES)
def report(
    model: Annotated[Path, typer.Argument(help="Model file, or the folder of a run.")],
    data: Annotated[
        Path | None,
        typer.Option(help="The table it was fitted on, if the model file has no summary in it."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where to write the page.", show_default="MODEL.html")
    ] = None,
    stability: Annotated[
        int, typer.Option(help="Repeat the search so often on 4/5 of the rows; needs --data.")
    ] = 0,
) -> None:
    """Write the page of a model that was kept."""
    with one_sentence():
        from weft.cli import later

        typer.echo(later.report(model, data=data, out=out, stability=stability))


@app.command(epilog=EXIT_CODES)
def generate(
    kind: Annotated[
        str,
        typer.Argument(
            help="ellipsoids, gaussians, subspaces, rings, moons, spirals, dish-shell, ellipses, "
            "rectangles or blobs.",
            autocompletion=_one_of("ellipsoids", "gaussians", "subspaces", "rings", "moons"),
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="Where to write the table, by extension; - is CSV to stdout.")
    ] = Path("-"),
    clusters: Annotated[int, typer.Option(help="Clusters.")] = 4,
    features: Annotated[int, typer.Option(help="Features.")] = 10,
    rows: Annotated[int | None, typer.Option(help="About so many rows.")] = None,
    noise: Annotated[int, typer.Option(help="Columns of noise to add.")] = 0,
    seed: Seed = 0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was made as JSON on standard error.")
    ] = False,
) -> None:
    """Make a table whose groups are known, in its column 'label'."""
    with one_sentence():
        import json

        from weft.cli import later

        made = later.generate(
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
            typer.echo(f"{out}: {made['n_rows']} rows, {made['n_clusters']} clusters in 'label'")


@app.command(epilog=EXIT_CODES)
def choose(
    file: Annotated[Path, typer.Argument(help=TABLE)],
    max_clusters: Annotated[int | None, typer.Option(help="Look at so many at most.")] = None,
    label: Label = None,
    seed: Seed = 0,
    scale: Scale = "standard",
    missing: Missing = "error",
    drop: Drop = None,
    keep: Keep = None,
    as_json: Json = False,
) -> None:
    """Say how many clusters there are, and on what evidence."""
    with one_sentence():
        from weft.cli import later

        later.choose(
            file,
            max_clusters=max_clusters,
            seed=seed,
            as_json=as_json,
            label=label,
            scale=scale,
            missing=missing,
            drop=drop or (),
            keep=keep or (),
        )


@app.command(epilog=EXIT_CODES)
def methods(
    name: Annotated[
        str | None,
        typer.Argument(help="One of them, in full.", autocompletion=_complete_method),
    ] = None,
    as_json: Json = False,
) -> None:
    """List every method with the paper it comes from."""
    with one_sentence():
        from weft.cli import later

        later.list_methods(name, as_json=as_json)


@app.command(epilog=EXIT_CODES)
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("weft-demo"),
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Cluster scikit-learn's wine data with 13 columns of noise added."""
    with one_sentence():
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
        )
