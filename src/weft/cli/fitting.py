"""``weft cluster`` and ``weft demo``: make a model, fit it, write the folder, print the result."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from sklearn.exceptions import ConvergenceWarning

import weft
from weft._base.validation import check_integer, shown
from weft.callbacks import Checkpoint, Progress, StopOnSignal
from weft.cli.config import write_config
from weft.cli.shared import clickable, console, in_options, print_json, take_answer
from weft.columns.marker_table import FIELDS as MARKER_FIELDS
from weft.estimators.presets import Method
from weft.io import Table, save_model, table_files, write_folder
from weft.reporting.html import render
from weft.reporting.sources import facets
from weft.reporting.summary import summarize
from weft.reporting.terminal import show_columns, show_result, show_warnings
from weft.search.runs import SearchInterrupted
from weft.tables.folders import write_csv

if TYPE_CHECKING:
    from weft.cli.streaming import Streamed

_TABLES = ("labels.csv", "features.csv", "markers.csv")
FILES = (*_TABLES, "model.weft", "summary.json", "report.html", "run.toml")
# Options that methods without them silently ignore.
_QUIET = ("random_state", "n_jobs")
_IN_JSON = {"none": "null", "None": "null", "True": "true", "False": "false"}
_NOT_TYPED = ("callbacks", "verbose")  # parameters that cannot be given as text
_WORDS = {
    "n_particles": "--particles",
    "n_generations": "--generations",
    "n_clusters": "--n-clusters",
    "max_clusters": "--max-clusters",
}


def make_settings(
    method: Method, given: dict[str, Any], extra: Sequence[str], X: Any
) -> tuple[dict[str, Any], list[str]]:
    """Return the parameters of the method's estimator, and notes on what weft chose."""
    estimator = getattr(weft, method.estimator)
    known = estimator().get_params(deep=False)
    settings = dict(method.params)
    for key, value in given.items():
        if key in known:
            settings[key] = value
        elif key not in _QUIET:
            option = _WORDS.get(key, f"--{key.replace('_', '-')}")
            raise ValueError(f"{option} is not an option of {method.title}; leave it out.")
    for text in extra:
        _put(settings, text, estimator, known, method.title)
    return _count(known, settings, X)


def _put(
    settings: dict[str, Any], text: str, estimator: Any, known: dict[str, Any], title: str
) -> None:
    """Put NAME=VALUE, or NAME.SETTING=VALUE for a setting within a record, into `settings`."""
    key, mark, value = text.partition("=")
    name, _, setting = key.partition(".")
    records = getattr(estimator, "_records", {})
    old = estimator._old_names() if hasattr(estimator, "_old_names") else ()  # these still work
    taken = name in records if setting else name in (*known, *old)
    if not mark or not taken or name in _NOT_TYPED:
        listed = ", ".join(sorted(set(known) - set(_NOT_TYPED)))
        raise ValueError(
            f"--param {shown(text)} is not a NAME=VALUE of {title}; it takes: {listed}."
        )
    if setting:
        before = settings.get(name, known[name])
        settings[name] = records[name](before, {setting: _literal(value)})
    else:
        settings[name] = _literal(value)


def _count(
    known: dict[str, Any], settings: dict[str, Any], X: Any
) -> tuple[dict[str, Any], list[str]]:
    """Choose the number of clusters if the user asked for it, or if the method needs it."""
    asked = settings.get("n_clusters")
    if isinstance(asked, str) and asked != "auto":
        try:
            settings["n_clusters"] = int(asked)
        except ValueError:
            raise ValueError(
                f"--n-clusters={shown(asked)} is neither a number nor 'auto'."
            ) from None
        return settings, []
    cannot = known.get("n_clusters") is not None and asked is None
    if asked != "auto" and not cannot:
        return settings, []
    chosen = weft.choose_n_clusters(X, random_state=settings.get("random_state"))
    settings["n_clusters"] = max(2, chosen.n_clusters)
    why = "" if asked == "auto" else "the method needs the number of clusters; "
    if chosen.n_clusters < 2:
        return settings, [
            f"{why}the estimate is a single cluster (confidence {chosen.confidence:.2f}), so the "
            "two clusters may be meaningless; see the evidence with weft choose."
        ]
    return settings, [
        f"{why}the estimate is {chosen.n_clusters} (confidence {chosen.confidence:.2f}); see the "
        "evidence with weft choose, or give --n-clusters."
    ]


def _literal(text: str) -> Any:
    """Return a number, true, false, a list or null if the text is one, else the text."""
    try:
        return json.loads(_IN_JSON.get(text, text))
    except (ValueError, RecursionError):  # also numbers that are too long, too many brackets
        return text


def search(
    table: Table,
    method: Method,
    given: dict[str, Any],
    folder: Path,
    *,
    extra: Sequence[str] = (),
    options: dict[str, Any] | None = None,
    sha256: str | None = None,
    read_seconds: float,
    row_names: list[str] | None = None,
    identifiers: dict[str, list[Any]] | None = None,
    relevant: Any = None,
    stability: int = 0,
    alternative: int = 1,
    stream: Streamed | None = None,
    checkpoint: Path | None = None,
    checkpoint_every: int = 10,
    resume: Path | None = None,
    force: bool = False,
    as_json: bool = False,
    quiet: bool = False,
) -> None:
    """Fit, write the folder, print the result."""
    check_integer("--seed", given["random_state"], low=0, high=2**32 - 1)
    if given.get("n_jobs") == 0:
        raise ValueError("--jobs=0 is not allowed; give 1 or more threads, or -1 for all cores.")
    # With --json, everything that is meant for people goes to standard error.
    out, aside = console(stderr=as_json, quiet=quiet), console(stderr=True, quiet=quiet)
    described = table.describe()
    show_columns(described, out)
    show_warnings(table.warnings, aside)

    began = time.perf_counter()
    X = table.frame()
    settings, notes = make_settings(method, given, extra, table.countable)
    callbacks = make_callbacks(method, checkpoint, checkpoint_every, resume)
    model, warned, signal = fit_model(
        X, method, settings, callbacks, resume, show_progress=not quiet
    )
    model = take_answer(model, alternative)
    described["warnings"] += [*notes, *warned]
    described["data"]["method"] = method.title
    fitted = time.perf_counter() - began
    plan = vars(model).get("_table", table.plan)  # a method may have balanced the coordinates
    if stream is not None:
        stream.look_again(model, plan, table.frame(plan))
    summary = summarize(
        model,
        table.frame(plan),
        plan=plan,
        mixed=table.mixed,
        table=described,
        label=table.label,
        relevant=relevant,
        seconds={"read": read_seconds, "fit": fitted},
        stability=0 if signal else stability,
        row_numbers=table.rows + 1,
        row_names=row_names,
    )
    write_folder(
        folder,
        lambda draft: _write(
            draft, table, model, summary, options or {}, sha256, identifiers or {}, stream is None
        ),
        force=force,
    )
    show_result(summary, out)
    show_warnings(summary["warnings"][len(table.warnings) :], aside)
    if as_json:
        print_json(summary)
    written = FILES if stream is None else FILES[1:]  # labels are written afterwards, in parts
    out.print(f"\nWrote {', '.join(written)}", markup=False, highlight=False)
    out.print("HTML report: ", clickable(folder / "report.html"), sep="", soft_wrap=True)
    if stream is not None:
        out.print(stream.write(model, plan, folder), markup=False, soft_wrap=True)
    if signal:
        raise typer.Exit(128 + signal)


def make_callbacks(
    method: Method, checkpoint: Path | None, every: int, resume: Path | None
) -> list[Any]:
    """Return the callbacks of the search: signals always, a checkpoint if requested."""
    if not method.searches:
        for option, given in (("--checkpoint", checkpoint), ("--resume", resume)):
            if given is not None:
                raise ValueError(f"{option} is not an option of {method.title}; leave it out.")
        return []
    return [StopOnSignal() if checkpoint is None else Checkpoint(checkpoint, every=every)]


def fit_model(
    X: Any,
    method: Method,
    settings: dict[str, Any],
    callbacks: list[Any],
    resume: Path | None,
    *,
    show_progress: bool,
) -> tuple[Any, list[str], int]:
    """Return the fitted model, its warnings, and the signal that ended the search, or 0."""
    bar = Progress()
    seen = show_progress and sys.stderr.isatty()
    kind = getattr(weft, method.estimator)
    if "callbacks" in kind().get_params(deep=False):
        settings = {**settings, "callbacks": [*callbacks, bar] if seen else callbacks}
    model = kind(**settings)
    try:
        if seen:
            bar.open()  # the first generation may have to wait for compilation
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if method.estimator == "FeatureSwarm":
                warnings.simplefilter("ignore", ConvergenceWarning)  # the summary warns about it
            model.fit(X) if resume is None else model.fit(X, resume=resume)
    finally:
        bar.close()
    stops = [entry.message for entry in caught if isinstance(entry.message, SearchInterrupted)]
    messages = list(dict.fromkeys(in_options(str(entry.message)) for entry in caught))
    return model, messages, stops[0].signal if stops else 0


def _write(
    draft: Path,
    table: Table,
    model: Any,
    summary: dict[str, Any],
    options: dict[str, Any],
    sha256: str | None,
    identifiers: dict[str, list[Any]],
    all_rows: bool = True,
) -> None:
    """Write all files of a result, see `FILES`; without `all_rows`, all except the labels."""
    clusters: list[Any] = [""] * table.n_rows  # rows that were left out have no cluster
    for row, number in zip(table.rows, model.labels_, strict=True):
        clusters[row] = int(number)
    if all_rows:
        rows = range(1, table.n_rows + 1)
        cells = zip(rows, *identifiers.values(), clusters, strict=True)
        write_csv(draft / "labels.csv", ["row", *identifiers, "cluster"], cells)
    columns = ["name", "weight", "selected"]
    columns += ["exponent"] if any("exponent" in entry for entry in summary["features"]) else []
    features = [
        [str(entry[c]).lower() if c == "selected" else entry[c] for c in columns]
        for entry in summary["features"]
    ]
    write_csv(draft / "features.csv", columns, features)
    shown = facets(table.mixed)
    plan = vars(model).get("_table", table.plan)
    write_answer(draft, model, summary, shown.values, shown.names, plan)
    seed = summary["settings"]["seed"]
    command = None if options else f"weft demo --seed {seed}"
    write_config(draft / "run.toml", options, sha256=sha256, command=command)


def write_answer(
    draft: Path, model: Any, summary: dict[str, Any], values: Any, names: list[str], plan: Any
) -> None:
    """Write markers, model, summary and report, which all results have."""
    counts = bool(getattr(model, "counts", False))
    markers = weft.marker_columns(values, model.labels_, counts=counts, feature_names=names)
    write_csv(draft / "markers.csv", MARKER_FIELDS, (each.values() for each in markers.rows()))
    save_model(model, draft / "model.weft", table=plan, summary=summary)
    text = json.dumps(summary, indent=2, allow_nan=False)
    (draft / "summary.json").write_text(text + "\n", encoding="utf-8")
    (draft / "report.html").write_text(render(summary), encoding="utf-8")


def refuse_own_input(file: Path, folder: Path) -> None:
    """Refuse results that would overwrite the table they are made from."""
    inputs = [] if str(file) == "-" else table_files(file)
    if any(
        (folder / name).exists() and own.samefile(folder / name) for name in FILES for own in inputs
    ):
        raise ValueError(f"{str(file)!r} would be overwritten by the results; give another --out.")
