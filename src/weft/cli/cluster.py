"""``weft cluster``: how it is called; what it does is in `weft.cli.fitting`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from weft.cli.options import (
    MANY,
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
    clusterers,
    complete_method,
    criteria,
    one_of,
    swarms,
    use_config,
)
from weft.cli.shared import one_sentence


def cluster(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help=TABLE)],
    config: Annotated[
        Path | None,
        typer.Option(
            callback=use_config,
            is_eager=True,
            help="TOML file with options, such as the run.toml of an earlier run; command-line "
            "options override it.",
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
            autocompletion=complete_method,
        ),
    ] = None,
    clusterer: Annotated[
        str | None,
        typer.Option(
            help="For PSO-FSW, how rows are clustered; weft methods lists them.",
            show_default="knn",
            autocompletion=one_of(clusterers),
        ),
    ] = None,
    criterion: Annotated[
        str | None,
        typer.Option(
            help="For PSO-FSW, what is maximised; weft methods lists them.",
            show_default="csc",
            autocompletion=one_of(criteria),
        ),
    ] = None,
    swarm: Annotated[
        str | None,
        typer.Option(
            help="For PSO-FSW, what moves the weights; weft methods lists them.",
            show_default="pso",
            autocompletion=one_of(swarms),
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
        typer.Option(
            help="Any other parameter of the method as NAME=VALUE, a setting within one as "
            f"NAME.SETTING=VALUE; {MANY}"
        ),
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
    missing: Missing = "auto",
    drop: Drop = None,
    keep: Keep = None,
    sheet: Sheet = None,
    query: Query = None,
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
        from weft.io import check_folder, check_name, prepare_table, read_table, table_stem

        of_swarms = (clusterer, criterion, swarm, n_clusters, generations, particles)
        is_swarm = exponents or any(option is not None for option in of_swarms)
        wanted = find_method(method or ("pso-fsw" if is_swarm else "auto"))
        if wanted.in_python_only:
            raise ValueError(f"{wanted.title} needs more than a table: weft.{wanted.call}.")
        check_name(file)
        folder = check_folder(out or Path(f"{table_stem(file)}-weft"), force=force)
        began = time.perf_counter()
        raw = read_table(file, sheet=sheet, query=query)
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
            "swarm": swarm,
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
            force=force,
            as_json=as_json,
            quiet=quiet,
        )
