"""What a paper says about which method is better, checked on our rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.harness import rows as results
from bench.harness import study as studies
from bench.harness.study import Study, any_match
from bench.harness.summaries import per_set
from bench.harness.verdicts import Test, compare_methods, paired_runs


class Finding(NamedTuple):
    """A direction and whether it holds."""

    says: str
    test: Test | None  # None: nothing was run
    holds: bool
    quick: bool
    significant: bool

    @property
    def word(self) -> str:
        """Return the finding in one or two words."""
        if self.test is None:
            return "not run"
        if not self.holds:
            return "does not hold" + ("" if self.significant else " (p ≥ 0.05)")
        return "holds" + ("" if self.significant else ", but p ≥ 0.05")


def rows_for(study: Study, folder: Path, quick: bool = False) -> list[dict[str, Any]]:
    """Return the rows of a table; for a summary table, those of its sources."""
    # Tables that share a run (a baseline) hold it twice; it counts once.
    found = {
        (results.key_of(row), row["identity"]): row
        for name in study.rows_of or (study.name,)
        for row in _kept(name, quick, folder, results.stamp(name, folder))
        if any_match(row["data"], [study.source_data])
    }
    return list(found.values())


@lru_cache(maxsize=128)
def _kept(name: str, quick: bool, folder: Path, stamp: Any) -> list[dict[str, Any]]:
    # Pages read the same rows many times; `stamp` changes with the files.
    return results.read(studies.load(name, quick=quick), folder)


def ours(name: str, column: str, method: str, folder: Path, data: str = "*") -> np.ndarray:
    """Return our numbers of a column."""
    found = [
        float(np.max(row[column]))
        for row in rows_for(studies.load(name), folder)
        if row["status"] == "ok"
        and any_match(row["method"], [method])
        and any_match(row["data"], [data])
        and row.get(column) is not None
    ]
    return np.array(found)


def findings(study: Study, rows: list[dict[str, Any]]) -> list[Finding]:
    """Return whether each direction holds."""
    return [_finding(study, each, rows) for each in study.directions]


def _finding(study: Study, asked: dict[str, Any], rows: list[dict[str, Any]]) -> Finding:
    chosen = [row for row in rows if any_match(row["data"], [asked.get("data", "*")])]
    more, less = (
        [each] if isinstance(each, str) else each for each in (asked["more"], asked["less"])
    )
    if study.summary == "oracle sets":
        pairs = _sets(study, chosen, more[0], less[0])
    else:
        pairs = paired_runs(chosen, asked["metric"], more, less)
    quick = bool(asked.get("quick", False))
    if len(pairs) == 0:
        return Finding(asked["says"], None, False, quick, False)
    test = compare_methods(pairs)
    significant = test.p_paired < 0.05
    if asked.get("claim") == "no better":
        # It does not hold only if chance does not explain the difference.
        return Finding(asked["says"], test, not (test.difference > 0 and significant), quick, True)
    return Finding(asked["says"], test, test.difference > 0, quick, significant)


def _sets(study: Study, rows: list[dict[str, Any]], more: str, less: str) -> np.ndarray:
    sides = []
    for name in (more, less):
        own = [row for row in rows if row["method"] == name and row["status"] == "ok"]
        sides.append(per_set(study, own, name).get("greedy", np.array([])))
    if len(sides[0]) != len(sides[1]):
        return np.empty((0, 2))
    return np.column_stack(sides)


def check(names: list[str], folder: Path, studies_folder: Path, write: Callable[[str], Any]) -> int:
    """Print whether each direction of the quick form holds; return how many do not."""
    wrong = seen = 0
    for name in names:
        study = studies.load(name, quick=True, folder=studies_folder)
        if not any(each.get("quick") for each in study.directions):
            continue
        rows = rows_for(study, folder, quick=True)
        lacking = any(row["status"] == "no data" for row in rows)
        for found in findings(study, rows):
            if not found.quick:
                continue
            if found.test is None and lacking:
                write(f"{name}: {found.says}: not run, its data is not available\n")
                continue
            seen += 1
            wrong += not found.holds
            gap = "" if found.test is None else f" ({found.test.difference:+.3g})"
            write(f"{name}: {found.says}: {'holds' if found.holds else 'DOES NOT HOLD'}{gap}\n")
    write(f"{seen - wrong} of {seen} directions hold\n")
    return wrong
