"""``weft cluster``: its options; `weft.cli.fitting` does the work."""

from __future__ import annotations

import time
from contextlib import ExitStack
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
    Transpose,
    clusterers,
    complete_method,
    criteria,
    one_of,
    swarms,
    use_config,
)
from weft.cli.shared import one_sentence, refuse_ignored, refuse_overwriting


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
            help="Name of the method; weft methods lists all of them.",
            show_default="auto; pso-fsw if one of its options is given",
            autocompletion=complete_method,
        ),
    ] = None,
    clusterer: Annotated[
        str | None,
        typer.Option(
            help="For PSO-FSW: the clusterer; weft methods lists them.",
            show_default="knn",
            autocompletion=one_of(clusterers),
        ),
    ] = None,
    criterion: Annotated[
        str | None,
        typer.Option(
            help="For PSO-FSW: the criterion; weft methods lists them.",
            show_default="csc",
            autocompletion=one_of(criteria),
        ),
    ] = None,
    swarm: Annotated[
        str | None,
        typer.Option(
            help="For PSO-FSW: the optimiser; weft methods lists them.",
            show_default="pso",
            autocompletion=one_of(swarms),
        ),
    ] = None,
    n_clusters: Annotated[
        str | None,
        typer.Option(help="Number of clusters; auto estimates it first. Not all methods take it."),
    ] = None,
    max_clusters: Annotated[
        int | None,
        typer.Option(help="Maximum number of clusters, for methods that find the number."),
    ] = None,
    exponents: Annotated[
        bool, typer.Option("--exponents", help="For PSO-FSW: also learn an exponent per feature.")
    ] = False,
    param: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Any other parameter of the method, as NAME=VALUE or NAME.SETTING=VALUE; {MANY}"
        ),
    ] = None,
    label: Label = None,
    seed: Seed = 0,
    generations: Annotated[int | None, typer.Option(help="Maximum number of generations.")] = None,
    particles: Annotated[int | None, typer.Option(help="Number of particles.")] = None,
    jobs: Annotated[
        int | None,
        typer.Option(help="Number of threads; the result does not depend on it.", show_default="1"),
    ] = None,
    scale: Scale = "standard",
    missing: Missing = "auto",
    drop: Drop = None,
    keep: Keep = None,
    sheet: Sheet = None,
    query: Query = None,
    transpose: Transpose = False,
    stability: Annotated[
        int, typer.Option(help="Number of refits on 80 % of the rows, to measure stability.")
    ] = 0,
    alternative: Annotated[
        int,
        typer.Option(
            help="Number of the answer to use, for methods that give several answers; the report "
            "lists them."
        ),
    ] = 1,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Checkpoint file: saves the search while it runs.")
    ] = None,
    checkpoint_every: Annotated[
        int, typer.Option(help="Generations between two checkpoints.")
    ] = 10,
    resume: Annotated[
        Path | None,
        typer.Option(help="Checkpoint to resume from; all other options must be the same."),
    ] = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Find the clusters in a table, and the columns that separate them."""
    with one_sentence(), ExitStack() as resources:
        from weft.cli.config import changed_input, digest
        from weft.cli.fitting import refuse_own_input, search
        from weft.cli.given import row_names
        from weft.cli.identifiers import identifier_columns
        from weft.cli.single_cell import cluster_cells, is_cells
        from weft.cli.streaming import (
            Streamed,
            large_parts,
            processes,
            read_sample,
            refuse_other_methods,
        )
        from weft.estimators.presets import find_method
        from weft.io import check_folder, check_name, prepare_table, read_table, table_stem
        from weft.tables.orientation import orientation_note, transposed

        of_swarms = (clusterer, criterion, swarm, generations, particles)
        is_swarm = exponents or any(option is not None for option in of_swarms)
        is_swarm = is_swarm and not is_cells(file)
        wanted = find_method(method or ("pso-fsw" if is_swarm else "auto"))
        if wanted.in_python_only:
            raise ValueError(f"{wanted.title} needs more than a table: weft.{wanted.call}.")
        check_name(file)
        if wanted.name == "auto":
            from weft.auto.compiling import compiled_beside

            resources.enter_context(compiled_beside())
        folder = check_folder(out or Path(f"{table_stem(file)}-weft"), force=force)
        if is_cells(file):
            if wanted.name != "auto":
                raise ValueError(f"{wanted.title} does not take .h5ad files; leave out --method.")
            refuse_ignored(
                {
                    **{"--clusterer": clusterer, "--criterion": criterion, "--swarm": swarm},
                    **{"--exponents": exponents, "--generations": generations},
                    **{"--particles": particles, "--label": label, "--drop": drop, "--keep": keep},
                    **{"--scale": scale != "standard", "--missing": missing != "auto"},
                    **{"--sheet": sheet, "--query": query, "--transpose": transpose},
                    **{"--stability": stability, "--alternative": alternative != 1},
                    **{"--checkpoint": checkpoint, "--resume": resume},
                },
                "for .h5ad files",
            )
            given_options = {"n_clusters": n_clusters, "max_clusters": max_clusters, "n_jobs": jobs}
            given_options = {
                key: value for key, value in given_options.items() if value is not None
            }
            cluster_cells(
                file,
                folder,
                given={**given_options, "random_state": seed},
                extra=param or (),
                force=force,
                as_json=as_json,
                quiet=quiet,
            )
            return
        began = time.perf_counter()
        parts = large_parts(file)
        if parts:
            refuse_other_methods(wanted.name, wanted.title)
            refuse_ignored(
                {"--sheet": sheet, "--query": query, "--transpose": transpose},
                "for tables that are read in parts",
            )
        resources.enter_context(processes((jobs or 1) if parts else None))
        raw = read_sample(parts, file) if parts else read_table(file, sheet=sheet, query=query)
        note = "" if transpose else orientation_note(raw)
        raw = transposed(raw) if transpose else raw
        table = prepare_table(
            raw, label=label, drop=drop or (), keep=keep or (), missing=missing, scale=scale
        )
        refuse_own_input(file, folder)
        refuse_overwriting(checkpoint, file, config, option="--checkpoint")
        table.warnings.extend([note] if note else [])
        if config is not None and not parts and changed_input(config, file):
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
            sha256=None if parts else digest(file),
            stream=Streamed(parts) if parts else None,
            read_seconds=time.perf_counter() - began,
            row_names=row_names(raw.frame, table),
            identifiers=identifier_columns(raw.frame, table.plan, taken=("row", "cluster")),
            stability=stability,
            alternative=alternative,
            checkpoint=checkpoint,
            checkpoint_every=checkpoint_every,
            resume=resume,
            force=force,
            as_json=as_json,
            quiet=quiet,
        )
