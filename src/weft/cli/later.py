"""Commands around a search: new rows, pages from models, tables to try, how many, which method."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import weft
from weft.cli.shared import console, print_json
from weft.estimators.presets import METHODS, find_method
from weft.io import InputError, apply_recipe, prepare_table, read_model, read_table, write_table


def predict(model: Path, file: Path, *, out: Path, missing: str | None, as_json: bool) -> None:
    """Label the rows of a table that came later."""
    import pandas as pd

    held = _read_model(model)
    if held.table is None:
        raise InputError(
            f"{model.name} does not say how its table was made into numbers: it was not written by "
            "weft cluster; use weft.load and predict in Python."
        )
    if not hasattr(held.model, "predict"):
        raise InputError(f"a {type(held.model).__name__} cannot label new rows.")
    new = apply_recipe(read_table(file), held.table, missing=missing)
    names = getattr(held.model, "feature_names_in_", None)
    X = new.X if names is None else pd.DataFrame(new.X, columns=names)
    labels: list[int | None] = [None] * new.n_rows
    for row, label in zip(new.rows, held.model.predict(X) if len(X) else [], strict=True):
        labels[row] = int(label)
    if as_json:
        print_json({"n_rows": new.n_rows, "labels": labels})
    else:
        write_table(out, {"row": list(range(1, new.n_rows + 1)), "cluster": labels})


def report(model: Path, *, data: Path | None, out: Path | None, stability: int) -> Path:
    """Write the page of a model file; return where."""
    import pandas as pd

    from weft.report.html import render
    from weft.report.page import Report
    from weft.report.page import report as draw

    held = _read_model(model)
    where = out or (_model_path(model).with_suffix(".html"))
    if data is not None:
        if held.table is None:
            raise InputError(
                f"{model.name} does not say how its table was made into numbers: it was not "
                "written by weft cluster; use model.report(X) in Python."
            )
        new = apply_recipe(read_table(data), held.table)
        names = list(held.model.feature_names_in_)
        X = pd.DataFrame(new.X, columns=names)
        made = draw(held.model, X, values=new.values, stability=stability)
    elif stability:
        raise InputError("--stability fits the model again and needs the rows; give --data FILE.")
    elif held.summary is not None:
        made = Report(render(held.summary), held.summary)
    else:
        made = draw(held.model)
    try:
        return made.save(where)
    except OSError as error:
        raise InputError(f"{str(where)!r} cannot be written: {error.strerror or error}.") from None


def generate(
    kind: str,
    *,
    out: Path,
    clusters: int,
    features: int,
    rows: int | None,
    noise: int,
    seed: int,
) -> dict[str, Any]:
    """Write a table whose truth is known; return what it is."""
    from weft import datasets
    from weft.datasets.shapes import SHAPES

    per_cluster = None if rows is None else max(2, rows // clusters)
    if kind in ("ellipsoids", "gaussians"):
        make = getattr(datasets, f"make_{kind}")
        made = make(clusters, features, cluster_size=per_cluster, random_state=seed)
    elif kind == "subspaces":
        made = datasets.make_subspace_clusters(
            rows or 500, n_features=features, n_clusters=clusters, random_state=seed
        )
    else:
        if kind not in SHAPES:
            known = ", ".join(("ellipsoids", "gaussians", "subspaces", *SHAPES))
            raise InputError(f"{kind!r} cannot be generated; choose one of {known}.")
        made = datasets.make_shapes(kind, n_samples=rows or 600, random_state=seed)
    if noise:
        made = datasets.add_noise_features(made, noise, random_state=seed)
    names = [str(name) for name in made.feature_names]
    columns: dict[str, Any] = {name: made.data[:, j].tolist() for j, name in enumerate(names)}
    write_table(out, {**columns, "label": [int(label) for label in made.target]})
    relevant = [bool(flag) for flag in getattr(made, "relevant", [True] * len(names))]
    return {
        "kind": kind,
        "n_rows": len(made.data),
        "n_clusters": len(set(made.target.tolist())),
        "label": "label",
        "relevant": [name for name, flag in zip(names, relevant, strict=True) if flag],
        "noise": [name for name, flag in zip(names, relevant, strict=True) if not flag],
    }


def choose(file: Path, *, max_clusters: int | None, seed: int, as_json: bool, **table: Any) -> None:
    """Say how many clusters there are, and on what evidence."""
    from rich.table import Table

    ready = prepare_table(read_table(file), **table)
    found = weft.choose_n_clusters(ready.X, max_clusters=max_clusters, random_state=seed)
    rows = found.table
    if as_json:
        print_json(
            {"n_clusters": found.n_clusters, "confidence": found.confidence, "methods": rows}
        )
        return
    out = console()
    out.print(f"{found.n_clusters} clusters (confidence {found.confidence:.2f})", style="bold")
    grid = Table(box=None, pad_edge=False)
    for name in rows[0]:
        grid.add_column(name, justify="left" if isinstance(rows[0][name], str) else "right")
    for row in rows:
        grid.add_row(*[str(value) for value in row.values()])
    out.print(grid)


def list_methods(name: str | None, *, as_json: bool) -> None:
    """Every method with the paper it comes from."""
    from rich.table import Table

    shown = METHODS if name is None else (find_method(name),)
    if as_json:
        print_json(
            [
                {**m._asdict(), "call": m.call, "paper": m.source, "params": dict(m.params)}
                for m in shown
            ]
        )
        return
    out = console()
    if name is not None:
        method = shown[0]
        out.print(f"{method.title}: {method.what}", style="bold", markup=False)
        out.print(f"  weft cluster FILE --method {method.name}", markup=False)
        out.print(f"  weft.{method.call}", markup=False)
        out.print(f"  {method.source}", markup=False)
        return
    grid = Table(box=None, pad_edge=False)
    grid.add_column("--method", no_wrap=True, style="bold")
    grid.add_column("what it does")
    grid.add_column("from", style="dim")
    for method in shown:
        note = " (in Python only)" if method.in_python_only else ""
        grid.add_row(method.name, f"{method.what}{note}", method.source.split(', "')[0])
    out.print(grid)
    out.print("\nweft methods NAME shows the call and the paper in full.", style="dim")


def _model_path(path: Path) -> Path:
    return path / "model.weft" if path.is_dir() else path


def _read_model(path: Path) -> Any:
    where = _model_path(path)
    if path.is_dir() and not where.exists():
        raise InputError(f"the folder {str(path)!r} holds no model.weft; give a model file.")
    return read_model(os.fspath(where))
