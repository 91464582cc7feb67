"""Results that are kept when a run is stopped: one JSON line per finished cell."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


def load(path: Path) -> list[dict[str, Any]]:
    """Return the finished cells; an incomplete line of a killed run is skipped."""
    if not path.exists():
        return []
    rows = []
    for line in path.read_text().splitlines():
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return rows


def run(
    path: Path,
    cells: Iterable[dict[str, Any]],
    evaluate: Callable[..., dict[str, Any]],
    *,
    report: Callable[[str], None] = print,
) -> list[dict[str, Any]]:
    """Evaluate the cells that are missing in `path`; append each when it is done."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = load(path)
    done = {_identity(row["cell"]) for row in rows}
    wanted = list(cells)
    for number, cell in enumerate(wanted, 1):
        if _identity(cell) in done:
            continue
        row = {"cell": cell, **evaluate(**cell)}
        text = path.read_text() if path.exists() else ""
        start = "" if not text or text.endswith("\n") else "\n"
        with path.open("a") as file:
            file.write(start + json.dumps(row) + "\n")
        rows.append(row)
        report(f"[{number}/{len(wanted)}] {cell}")
    keep = {_identity(cell) for cell in wanted}
    return [row for row in rows if _identity(row["cell"]) in keep]


def _identity(cell: dict[str, Any]) -> str:
    return json.dumps(cell, sort_keys=True)
