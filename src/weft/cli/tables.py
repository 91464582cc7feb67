"""``weft generate`` and ``weft choose``: make test tables; estimate the number of clusters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import weft
from weft._base.validation import check_integer
from weft.cli.options import generators
from weft.cli.shared import console, print_json
from weft.io import InputError, prepare_table, read_table, write_table
from weft.reporting.terminal import show_warnings


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
    """Write a table with known clusters, and return its description."""
    from weft import datasets

    check_integer("--clusters", clusters, low=1)
    check_integer("--features", features, low=1)
    check_integer("--noise", noise, low=0)
    if rows is not None:
        check_integer("--rows", rows, low=1)
    per_cluster = None if rows is None else max(2, rows // clusters)
    if kind in ("ellipsoids", "gaussians"):
        make = getattr(datasets, f"make_{kind}")
        made = make(clusters, features, cluster_size=per_cluster, random_state=seed)
    elif kind == "subspaces":
        made = datasets.make_subspace_clusters(
            rows or 500, n_features=features, n_clusters=clusters, random_state=seed
        )
    else:
        if kind not in generators():
            raise InputError(
                f"{kind!r} cannot be generated; choose one of {', '.join(generators())}."
            )
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


def choose(
    file: Path,
    *,
    max_clusters: int | None,
    seed: int,
    sheet: str | None,
    query: str | None,
    as_json: bool,
    **table: Any,
) -> None:
    """Estimate the number of clusters, with the evidence."""
    from rich.table import Table

    ready = prepare_table(read_table(file, sheet=sheet, query=query), **table)
    show_warnings(ready.warnings, console(stderr=True))
    choice = weft.choose_n_clusters(ready.countable, max_clusters=max_clusters, random_state=seed)
    rows = choice.table
    if as_json:
        print_json(
            {"n_clusters": choice.n_clusters, "confidence": choice.confidence, "methods": rows}
        )
        return
    out = console()
    out.print(str(choice).partition("\n")[0], style="bold")
    grid = Table(box=None, pad_edge=False)
    for name in rows[0]:
        grid.add_column(name, justify="left" if isinstance(rows[0][name], str) else "right")
    for row in rows:
        grid.add_row(*[str(value) for value in row.values()])
    out.print(grid)
