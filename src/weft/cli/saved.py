"""``weft predict`` and ``weft report``: commands that use a saved model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from weft.cli.given import save
from weft.cli.identifiers import cells_by_column, free_name, identifier_columns
from weft.cli.shared import console, print_json, refuse_ignored, refuse_overwriting
from weft.cli.single_cell import is_cells, label_cells
from weft.cli.streaming import large_parts, processes, refuse_other_methods, write_labels
from weft.io import InputError, apply_recipe, read_model, read_table, write_table
from weft.reporting.html import render
from weft.reporting.page import Report
from weft.reporting.page import report as draw
from weft.reporting.terminal import show_warnings
from weft.tables.orientation import transposed
from weft.tables.parquet_parts import Part
from weft.tables.plan import TablePlan
from weft.tables.prepare import NewRows


def predict(
    model: Path,
    file: Path,
    *,
    out: Path,
    missing: str | None,
    join: bool,
    sheet: str | None,
    query: str | None,
    transpose: bool,
    as_json: bool,
) -> None:
    """Assign the rows of a new table to clusters."""
    import pandas as pd

    refuse_overwriting(out, _model_path(model), file)
    shape = {"--join": join, "--sheet": sheet, "--query": query, "--transpose": transpose}
    if as_json and str(out) == "-":
        refuse_ignored({"--join": join}, "together with --json unless --out names a file")
    held = _read_model(model)
    if is_cells(file):
        refuse_ignored({**shape, "--missing": missing}, "for .h5ad files")
        _predict_cells(held.model, file, out, as_json)
        return
    if held.table is None:
        raise InputError(
            f"{model.name} does not say how its table was read, because weft cluster did not write "
            "it from a table; use weft.load and predict in Python."
        )
    if not hasattr(held.model, "predict"):
        raise InputError(
            f"a {type(held.model).__name__} cannot assign new rows to clusters; use a method "
            "with predict, such as auto."
        )
    parts = large_parts(file)
    if parts:
        refuse_ignored({**shape, "--json": as_json}, "for tables that are read in parts")
        _predict_parts(held, parts, out, missing)
        return
    raw = read_table(file, sheet=sheet, query=query)
    raw = transposed(raw) if transpose else raw
    new = without_empty_rows(apply_recipe(raw, held.table, missing=missing))
    show_warnings(new.warnings, console(stderr=True))
    names = getattr(held.model, "feature_names_in_", None)
    X = new.X if names is None else pd.DataFrame(new.X, columns=names)
    columns: dict[str, list[Any]] = {"cluster": [None] * new.n_rows}
    if len(X):
        _fill(columns, new.rows, "cluster", [int(label) for label in held.model.predict(X)])
        for name, values in _certainty(held.model, X).items():
            columns[name] = [None] * new.n_rows
            _fill(columns, new.rows, name, [round(float(value), 6) for value in values])
    if as_json:
        named = {"labels" if name == "cluster" else name: v for name, v in columns.items()}
        print_json({"n_rows": new.n_rows, **named, "warnings": new.warnings})
        if str(out) == "-":
            return
    before = cells_by_column(raw.frame) if join else identifier_columns(raw.frame, held.table)
    taken = {name: free_name(name, before) for name in columns}
    write_table(
        out,
        {
            **({} if join else {"row": list(range(1, new.n_rows + 1))}),
            **before,
            **{taken[name]: values for name, values in columns.items()},
        },
    )


def without_empty_rows(new: NewRows) -> NewRows:
    """Leave out rows that have no value in any column of the model: they get no cluster."""
    if new.mixed is None:
        return new
    has_value = ~np.isnan(new.mixed.values).all(axis=1)
    n_empty = int((~has_value).sum())
    if n_empty == 0:
        return new
    rows, they = (
        ("1 row has", "it gets") if n_empty == 1 else (f"{n_empty:,} rows have", "they get")
    )
    note = f"{rows} no value in any column that the model uses; {they} no cluster."
    return new._replace(
        X=new.X[has_value], rows=new.rows[has_value], warnings=[*new.warnings, note], mixed=None
    )


def _predict_cells(model: Any, file: Path, out: Path, as_json: bool) -> None:
    """Write the clusters of the cells of an AnnData file."""
    cells, columns = label_cells(model, file)
    if as_json:
        named = {"labels" if name == "cluster" else name: v for name, v in columns.items()}
        print_json({"n_rows": len(cells), **named})
    if not as_json or str(out) != "-":
        write_table(out, {"cell": cells, **columns})


def _predict_parts(held: Any, parts: list[Part], out: Path, missing: str | None) -> None:
    """Write the labels of Parquet files part by part."""
    refuse_other_methods(
        "auto" if hasattr(held.model, "_fit_anchor_rows") else "other", type(held.model).__name__
    )
    if str(out) == "-" or out.suffix:
        raise InputError(
            "the labels of a folder of files are written to a folder; give its name with --out."
        )
    with processes(1):
        write_labels(held.model, held.table, parts, out, missing)


def _certainty(model: Any, X: Any) -> dict[str, Any]:
    """Return further columns for each row: how certain its cluster is, and how unusual the row is.

    ``confidence`` is the largest probability of ``membership``; ``outlier_score`` is higher for
    rows that are less like those of the fit.
    """
    columns: dict[str, Any] = {}
    if hasattr(model, "membership"):
        columns["confidence"] = model.membership(X, n_top=1).probabilities[:, 0]
    if hasattr(model, "outlier_score"):
        columns["outlier_score"] = np.asarray(model.outlier_score(X))
    return columns


def _fill(columns: dict[str, list[Any]], rows: Any, name: str, values: list[Any]) -> None:
    for row, value in zip(rows, values, strict=True):
        columns[name][row] = value


def report(model: Path, *, data: Path | None, out: Path | None, stability: int) -> Path:
    """Write the HTML report of a model file, and return its path."""
    import pandas as pd

    held = _read_model(model)
    where = out or (_model_path(model).with_suffix(".html"))
    refuse_overwriting(where, _model_path(model), data)
    if data is not None:
        if held.table is None:
            raise InputError(
                f"{model.name} does not say how its table was read, because weft cluster did not "
                "write it from a table; use model.report(X) in Python."
            )
        new = apply_recipe(read_table(data), held.table)
        names = list(held.model.feature_names_in_)
        X = pd.DataFrame(new.X, columns=names)
        plan = held.table if isinstance(held.table, TablePlan) else None
        made = draw(
            held.model,
            X,
            plan=plan,
            mixed=new.mixed,
            stability=stability,
            table={
                "data": {"name": data.name, "n_rows": new.n_rows},
                "warnings": new.warnings,
            },
            row_numbers=new.rows + 1,
        )
    elif stability:
        raise InputError("--stability refits the model and needs the rows; give --data FILE.")
    elif held.summary is not None:
        made = Report(render(held.summary), held.summary)
    else:
        made = draw(held.model)
    return save(made, where)


def load_with_table(path: Path) -> Any:
    """Return a saved model that takes raw rows; its file must say how its table was read."""
    held = _read_model(path)
    if held.table is None:
        raise InputError(
            f"{path.name} does not say how its table was read, because weft cluster did not write "
            "it from a table; use weft.load and explain in Python."
        )
    vars(held.model)["_table"] = held.table
    return held.model


def _model_path(path: Path) -> Path:
    return path / "model.weft" if path.is_dir() else path


def _read_model(path: Path) -> Any:
    where = _model_path(path)
    if path.is_dir() and not where.exists():
        raise InputError(
            f"the folder {str(path)!r} has no file model.weft; give a model file, or the folder "
            "of a run."
        )
    return read_model(os.fspath(where))
