"""``weft predict`` and ``weft report``: what a saved model is good for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from weft.cli.shared import print_json
from weft.io import InputError, apply_recipe, read_model, read_table, write_table


def predict(model: Path, file: Path, *, out: Path, missing: str | None, as_json: bool) -> None:
    """Assign the rows of a new table to clusters."""
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
    """Write the HTML report of a model file; return where."""
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


def _model_path(path: Path) -> Path:
    return path / "model.weft" if path.is_dir() else path


def _read_model(path: Path) -> Any:
    where = _model_path(path)
    if path.is_dir() and not where.exists():
        raise InputError(f"the folder {str(path)!r} holds no model.weft; give a model file.")
    return read_model(os.fspath(where))
