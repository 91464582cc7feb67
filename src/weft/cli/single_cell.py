"""``weft cluster cells.h5ad``: the cells of an AnnData file."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import typer

from weft import sc
from weft._base.validation import import_optional
from weft.cli.fitting import fit_model, make_callbacks, make_settings, write_answer
from weft.cli.shared import clickable, console, print_json
from weft.estimators.presets import find_method
from weft.io import InputError, write_folder
from weft.reporting.summary import summarize
from weft.reporting.terminal import show_result, show_warnings
from weft.tables.folders import write_csv

SUFFIX = ".h5ad"
FILES = ("labels.csv", "features.csv", "markers.csv", "model.weft", "summary.json", "report.html")


def is_cells(file: Path) -> bool:
    """Return whether the file has the name of an AnnData file."""
    return file.suffix.lower() == SUFFIX


def cluster_cells(
    file: Path,
    folder: Path,
    *,
    given: dict[str, Any],
    extra: Sequence[str],
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Cluster the cells of a file and write the result folder."""
    began = time.perf_counter()
    adata = read_cells(file)
    method = find_method("auto")
    settings, _ = make_settings(method, given, extra, None)
    table, _ = sc.table_of(adata, None, None, None)
    out = console(quiet=quiet or as_json)
    out.print(f"{file.name}: {adata.n_obs:,} cells, {adata.n_vars:,} genes", markup=False)
    read = time.perf_counter()
    callbacks = make_callbacks(method, None, 1, None)
    model, warned, signal = fit_model(
        table, method, settings, callbacks, None, show_progress=not quiet
    )
    seconds = {"read": read - began, "fit": time.perf_counter() - read}
    genes = [str(name) for name in adata.var_names]
    cells = [str(name) for name in adata.obs_names]
    data = {"name": file.name, "n_columns": len(genes), "method": method.title}
    summary = summarize(
        model,
        table,
        feature_names=genes,
        table={"data": data, "warnings": warned},
        seconds=seconds,
        row_names=cells,
    )
    write_folder(
        folder,
        lambda draft: _write(draft, table, cells, genes, model, summary),
        force=force,
    )
    show_result(summary, out)
    show_warnings(summary["warnings"], console(stderr=True, quiet=quiet))
    if as_json:
        print_json(summary)
    out.print(f"\nWrote {', '.join(FILES)}", markup=False, highlight=False)
    out.print("HTML report: ", clickable(folder / "report.html"), sep="", soft_wrap=True)
    if signal:
        raise typer.Exit(128 + signal)


def label_cells(model: Any, file: Path) -> tuple[list[str], dict[str, list[Any]]]:
    """Return the names of the cells of a file, with the cluster and confidence of each cell."""
    genes = [str(name) for name in getattr(model, "feature_names_in_", [])]
    if not genes or not hasattr(model, "membership"):
        raise InputError(
            "the model was not fitted by weft cluster on a .h5ad file; give a model that was."
        )
    adata = read_cells(file)
    missing = [name for name in genes if name not in adata.var_names]
    if missing:
        listed = ", ".join(map(repr, missing[:3]))
        raise InputError(
            f"{file.name} lacks {len(missing)} of the {len(genes)} genes of the model ({listed}); "
            "give a file with all of them."
        )
    table, _ = sc.table_of(adata[:, genes], None, None, None)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        labels, sure = model.predict(table), sc.cell_confidences(model, table)
    columns = {"cluster": labels.tolist(), "confidence": sure.round(6).tolist()}
    return [str(name) for name in adata.obs_names], columns


def read_cells(file: Path) -> Any:
    """Return the AnnData of a file; the error says why a file cannot be read."""
    anndata = import_optional("anndata", "sc")
    if not file.exists():
        raise InputError(f"there is no file {str(file)!r}; check its name.")
    try:
        return anndata.read_h5ad(file)
    except Exception as error:  # the file may be anything
        detail = " ".join(str(error).split())[:160] or type(error).__name__
        raise InputError(f"{file.name} cannot be read as h5ad ({detail}); fix the file.") from None


def _write(
    draft: Path, table: Any, cells: list[str], genes: list[str], model: Any, summary: dict[str, Any]
) -> None:
    sure = sc.cell_confidences(model, table)
    rows = zip(cells, model.labels_.tolist(), sure.round(6).tolist(), strict=True)
    write_csv(draft / "labels.csv", ["cell", "cluster", "confidence"], rows)
    weights = zip(genes, model.feature_weights_.tolist(), strict=True)
    kept = sorted(weights, key=lambda pair: -pair[1])
    write_csv(
        draft / "features.csv",
        ["name", "weight", "selected"],
        ([name, weight, str(weight > 0).lower()] for name, weight in kept),
    )
    model.feature_names_in_ = np.array(genes, dtype=object)  # weft predict matches genes by name
    write_answer(draft, model, summary, table, genes, None)
