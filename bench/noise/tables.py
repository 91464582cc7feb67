"""Helpers for the tables on the page of the noise bench."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bench.noise.methods import ALL

OURS = "AutoCluster"
TABLE_LEVELS = (0, 100, 300)
RIVALS = tuple(name for name, method in ALL.items() if not method.ours and not method.ablation)
TOLD_K = tuple(name for name in RIVALS if ALL[name].told)
PLAIN = tuple(name for name, method in ALL.items() if not method.ablation)
Rows = list[dict[str, Any]]


def pick(rows: Rows, part: str, **wanted: Any) -> Rows:
    """Return the cells of a part whose identity has these values."""
    return [
        row
        for row in rows
        if row["cell"]["part"] == part
        and all(row["cell"][key] == value for key, value in wanted.items())
    ]


def mean(rows: Iterable[dict[str, Any]], key: str) -> float:
    """Return the mean of `key` over the rows that have it, NaN if none has."""
    values = [row[key] for row in rows if row.get(key) is not None]
    return float(np.mean(values)) if values else float("nan")


def table(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    """Return a table in Markdown; numbers get two decimals, NaN a dash."""

    def cell(value: Any) -> str:
        if isinstance(value, float):
            return "–" if np.isnan(value) else f"{value:.2f}"
        return str(value)

    body = ["| " + " | ".join(cell(value) for value in line) + " |" for line in lines]
    rule = "| " + " | ".join("---" for _ in head) + " |"
    return "\n".join(["| " + " | ".join(head) + " |", rule, *body])


def verdict(holds: bool, claim: str, *, done: bool = True) -> str:
    """Return a line that says whether a claim holds, for all runs or for those so far."""
    word = "holds" if holds else "does not hold"
    return f"- **{word if done else f'open, so far {word}'}**: {claim}"


def told(name: str) -> str:
    return ALL[name].told or "no"


def bold(name: str) -> str:
    return f"**{name}**" if name == OURS else name


def methods_of(rows: Rows, part: str) -> list[str]:
    return [name for name in PLAIN if pick(rows, part, method=name)]
