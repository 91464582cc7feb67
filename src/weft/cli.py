"""The command line: a table in, a folder of results out.

Exit codes: 0 done; 2 the input cannot be used (one sentence on standard error says why); 130
stopped with Ctrl-C. Whatever the code but 0, nothing is left half-written.
"""

from __future__ import annotations

import json
import re
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import weft

if TYPE_CHECKING:
    from rich.console import Console

    from weft.io import Table

app = typer.Typer(
    name="weft",
    help="Clustering that learns which features matter.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

# How the library's words are typed here; the first that fits wins.
_OPTIONS = (
    (r"lower (n_neighbors|min_samples)", "add rows, or take another --clusterer"),
    (r"for example with StandardScaler", "with --scale standard"),
    (r"\bn_clusters\b", "--n-clusters"),
    (r"\bn_generations\b", "--generations"),
    (r"\bn_particles\b", "--particles"),
    (r"(?<![-\w])(clusterer|criterion|scale|missing)(?==)", r"--\1"),
)

FILES = ("labels.csv", "features.csv", "model.weft", "summary.json", "report.html")


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


@app.command()
def cluster(
    file: Annotated[Path, typer.Argument(help="CSV file; its first line names the columns.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results.", show_default="FILE-weft")
    ] = None,
    clusterer: Annotated[str, typer.Option(help="knn, dbscan, linkage or affinity.")] = "knn",
    criterion: Annotated[
        str,
        typer.Option(
            help="What is maximised: "
            "csc, bcr, silhouette, connectedness, sparsity, separation or bic."
        ),
    ] = "csc",
    n_clusters: Annotated[
        int | None, typer.Option(help="How many clusters; for --clusterer linkage only.")
    ] = None,
    exponents: Annotated[
        bool, typer.Option("--exponents", help="Learn an exponent per feature as well.")
    ] = False,
    label: Annotated[
        str | None,
        typer.Option(help="Column with the known answer: compared with, never searched on."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same answer.")] = 0,
    generations: Annotated[int, typer.Option(help="Generations to search, at most.")] = 30,
    particles: Annotated[int, typer.Option(help="Candidates per generation.")] = 30,
    jobs: Annotated[
        int | None,
        typer.Option(help="Threads; the answer does not depend on them.", show_default="1"),
    ] = None,
    scale: Annotated[str, typer.Option(help="standard, range or none.")] = "standard",
    missing: Annotated[
        str, typer.Option(help="What to do about missing values: error, drop-rows or median.")
    ] = "error",
    drop: Annotated[
        list[str] | None, typer.Option(help="Column to leave out; may be given several times.")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(help="Column to use although it looks like an identifier; several times."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write into a folder that is not empty.")
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the summary as JSON on standard output, nothing else."),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Find the groups in a table, and the columns that make them."""
    with _one_sentence():
        from weft.io import check_folder, prepare_table, read_csv

        folder = check_folder(out or Path(f"{file.stem}-weft"), force=force)
        began = time.perf_counter()
        raw = read_csv(file)
        table = prepare_table(
            raw, label=label, drop=drop or (), keep=keep or (), missing=missing, scale=scale
        )
        _refuse_own_input(file, folder)
        settings = {
            "clusterer": clusterer,
            "criterion": criterion,
            "n_clusters": n_clusters,
            "exponents": exponents,
            "n_particles": particles,
            "n_generations": generations,
            "n_jobs": jobs,
            "random_state": seed,
        }
        _search(
            table,
            settings,
            folder,
            read_seconds=time.perf_counter() - began,
            as_json=as_json,
            quiet=quiet,
        )


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("weft-demo"),
    seed: Annotated[int, typer.Option(help="Same seed, same answer.")] = 0,
    force: Annotated[
        bool, typer.Option("--force", help="Write into a folder that is not empty.")
    ] = False,
) -> None:
    """Cluster scikit-learn's wine data with 13 columns of noise added."""
    with _one_sentence():
        import pandas as pd
        from sklearn.datasets import load_wine

        from weft.datasets import add_noise_features
        from weft.io import RawTable, check_folder, prepare_table

        folder = check_folder(out, force=force)
        began = time.perf_counter()
        wine = add_noise_features(load_wine(), 13, random_state=seed)
        frame = pd.DataFrame(wine.data, columns=wine.feature_names)
        frame["cultivar"] = wine.target
        table = prepare_table(RawTable(frame=frame, name="wine with noise"), label="cultivar")
        _search(
            table,
            # Complete linkage with the known number: the kNN graph's components tend to two here.
            {"clusterer": "linkage", "n_clusters": 3, "random_state": seed},
            folder,
            read_seconds=time.perf_counter() - began,
            relevant=wine.relevant,
        )


def _search(
    table: Table,
    settings: dict[str, Any],
    folder: Path,
    *,
    read_seconds: float,
    relevant: Any = None,
    as_json: bool = False,
    quiet: bool = False,
) -> None:
    """Fit, write the folder, tell the person."""
    import pandas as pd

    from weft.io import write_folder
    from weft.report.summary import summarize
    from weft.report.terminal import show_columns, show_result, show_warnings

    # With --json all that is for people goes to standard error.
    console, aside = _console(stderr=as_json, quiet=quiet), _console(stderr=True, quiet=quiet)
    described = table.describe()
    show_columns(described, console)
    show_warnings(table.warnings, aside)

    began = time.perf_counter()
    X = pd.DataFrame(table.X, columns=table.feature_names)
    model, told = _fit(X, settings, show_progress=not quiet)
    described["warnings"] += told
    summary = summarize(
        model,
        table.values,
        feature_names=table.feature_names,
        table=described,
        label=table.label,
        relevant=relevant,
        seconds={"read": read_seconds, "fit": time.perf_counter() - began},
    )
    write_folder(folder, lambda draft: _write(draft, table, model, summary))

    show_result(summary, console)
    show_warnings(summary["warnings"][len(table.warnings) :], aside)
    if as_json:
        typer.echo(json.dumps(summary, indent=2, allow_nan=False))
    console.print(f"\nWrote {', '.join(FILES)}", markup=False, highlight=False)
    console.print(f"Page to look at: {folder / 'report.html'}", markup=False, soft_wrap=True)


def _fit(X: Any, settings: dict[str, Any], *, show_progress: bool) -> tuple[Any, list[str]]:
    """Return the fitted model, and what it warned of."""
    from sklearn.exceptions import ConvergenceWarning

    from weft._validation import check_integer
    from weft.callbacks import Progress

    check_integer("--seed", settings["random_state"], low=0, high=2**32 - 1)
    if settings.get("n_jobs") == 0:
        raise ValueError("--jobs=0 is no number of threads; give 1 or more, or -1 for all cores.")
    bar = Progress("searching")
    seen = show_progress and sys.stderr.isatty()
    model = weft.FeatureSwarm(**settings, callbacks=[bar] if seen else None)
    try:
        if seen:
            bar.open()  # the first generation may have to wait for compilation
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", ConvergenceWarning)  # the summary says it
            model.fit(X)
    finally:
        bar.close()
    return model, list(dict.fromkeys(_in_options(str(entry.message)) for entry in caught))


def _in_options(text: str) -> str:
    """A message of the library on one line, with options where it names parameters."""
    text = " ".join(text.split())
    for pattern, words in _OPTIONS:
        text = re.sub(pattern, words, text)
    return text


def _write(draft: Path, table: Table, model: Any, summary: dict[str, Any]) -> None:
    """All files of a result; `FILES` names them."""
    from weft.io import save_model
    from weft.io.folders import write_csv
    from weft.report.html import render

    found: list[Any] = [""] * table.n_rows  # rows that were left out have no cluster
    for row, number in zip(table.rows, model.labels_, strict=True):
        found[row] = int(number)
    write_csv(draft / "labels.csv", ["row", "cluster"], enumerate(found, start=1))
    columns = ["name", "weight", "selected"]
    columns += ["exponent"] if model.feature_exponents_ is not None else []
    cells = [
        [str(entry[c]).lower() if c == "selected" else entry[c] for c in columns]
        for entry in summary["features"]
    ]
    write_csv(draft / "features.csv", columns, cells)
    save_model(model, draft / "model.weft", table=table.recipe)
    text = json.dumps(summary, indent=2, allow_nan=False)
    (draft / "summary.json").write_text(text + "\n", encoding="utf-8")
    (draft / "report.html").write_text(render(summary), encoding="utf-8")


def _refuse_own_input(file: Path, folder: Path) -> None:
    if any((folder / name).exists() and file.samefile(folder / name) for name in FILES):
        raise ValueError(f"{str(file)!r} would be overwritten by the results; give another --out.")


def _console(*, stderr: bool, quiet: bool) -> Console:
    from rich.console import Console

    return Console(stderr=stderr, quiet=quiet, highlight=False)


@contextmanager
def _one_sentence() -> Iterator[None]:
    """Turn what can go wrong with input into one sentence and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a bar must not fail in a narrow encoding
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("weft: stopped; nothing was written.", err=True)
        raise typer.Exit(130) from None
    except BrokenPipeError:
        raise
    except (ValueError, OSError, MemoryError) as error:
        from weft.report.terminal import clean

        text = _in_options(str(error)) or type(error).__name__
        typer.echo(f"weft: {clean(text)}", err=True)
        raise typer.Exit(2) from None
