"""Every published number compared with ours, and the verdict on it."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from bench.harness.spread import start_share
from bench.harness.study import Cell, Study, any_match, load
from bench.harness.summaries import Summary, of_cell, per_set
from bench.harness.verdicts import (
    TELLING_SHARE,
    UNCERTAIN,
    Printed,
    Test,
    Verdict,
    compare_methods,
    direction_of,
    judge,
    paired_runs,
    telling_width,
)


class Line(NamedTuple):
    """A printed number compared with ours."""

    data: str
    method: str
    metric: str
    ours: float | None
    theirs: float | None
    n_runs: int
    low: float
    high: float
    word: str  # agrees, better, worse, differs, too uncertain, other data, not run, or ""
    reason: str = ""  # why it does not agree, if that is known


def lines_of(study: Study, rows: list[dict[str, Any]]) -> list[Line]:
    """Return one line per printed number, and per number of ours if none is printed."""
    if study.summary == "beside sets":
        return _beside_sets(study, rows)
    decimals = decimals_of(study)
    out = []
    for cell in study.cells:
        summary = of_cell(study, cell, rows)
        keys = [key for key in cell.printed if key != "at"] or list(summary.samples)
        for key in keys:
            out.append(_line(study, cell, key, summary, decimals.get(key, 0), rows))
    return out


def _line(
    study: Study, cell: Cell, key: str, summary: Summary, decimals: int, rows: list[dict[str, Any]]
) -> Line:
    theirs = cell.printed.get(key)
    method = cell.method + (f", {cell.which}" if cell.which else "")
    method += f", β = {cell.printed['at']:g}" if "at" in cell.printed else ""
    metric = f"{key}, {cell.other}" if cell.other else key
    start = (cell.data, method, metric)
    if key.endswith(".p"):
        test = test_of(study, cell, key[:-2], rows)
        ours = None if test is None else test.p_t if study.test == "t" else test.p_paired
        return Line(
            *start, ours, theirs, 0 if test is None else test.n_pairs, math.nan, math.nan, ""
        )
    if key in summary.samples and theirs is None:
        groups = [group for group in summary.samples[key] if len(group)]
        mean = float(np.mean([group.mean() for group in groups]))
        return Line(*start, mean, None, sum(map(len, groups)), math.nan, math.nan, "")
    if key in summary.samples and theirs is not None:
        found = judged(study, cell, key, summary, decimals)
        word = found.word
        if key == "max" and _n_trials(rows, cell) < study.their_trials and not _exact(study, cell):
            word = ""  # the largest of fewer runs is smaller
        if key == "seconds":
            word = ""  # another machine
        reason = reason_for(study, cell, key, word)
        other = other_data(study, cell) if word else ""
        if other:
            word, reason = "other data", other
        return Line(*start, found.ours, theirs, found.n_runs, found.low, found.high, word, reason)
    if key == "r" and "r" in summary.numbers and theirs is not None:
        return _correlation(start, summary, theirs, study.their_trials)
    if key in summary.numbers:
        return Line(*start, summary.numbers[key], theirs, 0, math.nan, math.nan, "")
    if key.startswith("reached") and _was_run(cell, rows):
        # A value that was never reached has no spread, so there is no verdict.
        word = "never reached" if key == "reached" else ""
        other = other_data(study, cell)
        if word and other:
            return Line(*start, None, theirs, 0, math.nan, math.nan, "other data", other)
        return Line(*start, None, theirs, 0, math.nan, math.nan, word)
    return Line(*start, None, theirs, 0, math.nan, math.nan, "not run")


def _was_run(cell: Cell, rows: list[dict[str, Any]]) -> bool:
    return any(
        row["status"] == "ok" and row["data"] == cell.data and row["method"] == cell.method
        for row in rows
    )


def _n_trials(rows: list[dict[str, Any]], cell: Cell) -> int:
    return 1 + max((row["trial"] for row in rows if row["method"] == cell.method), default=0)


def _exact(study: Study, cell: Cell) -> bool:
    return study.methods.get(cell.method, {}).get("trials") == 1


def judged(
    study: Study,
    cell: Cell,
    key: str,
    summary: Summary,
    decimals: int,
    against: Cell | None = None,
) -> Verdict:
    """Return the verdict on a cell's number, or, with `against`, on another cell's number."""
    other = cell if against is None else against
    return judge(
        summary.samples[key],
        Printed(
            other.printed[key], study.their_trials, study.their_sets, other.printed.get(f"{key}.sd")
        ),
        start_share=start_share(study, cell.method, key),
        rounding=0.5 * 10.0**-decimals,
        metric=key,
        exact=_exact(study, cell) and study.their_sets == 0,
    )


def _correlation(start: tuple[str, str, str], summary: Summary, theirs: float, n: int) -> Line:
    ours, n_ours = summary.numbers["r"], int(summary.numbers["rows"])
    error = math.hypot((1 - ours**2) / math.sqrt(n_ours - 3), (1 - theirs**2) / math.sqrt(n - 3))
    low, high = (ours - theirs + sign * (1.96 * error + 0.005) for sign in (-1, 1))
    word = "differs"
    if low <= 0 <= high:
        word = "agrees" if high - low <= 2 * TELLING_SHARE else UNCERTAIN
    return Line(*start, ours, theirs, n_ours, low, high, word)


def decimals_of(study: Study) -> dict[str, int]:
    """Return the number of printed decimals of each column."""
    found: dict[str, int] = {}
    for cell in study.cells:
        for key, value in cell.printed.items():
            text = f"{value:.10f}".rstrip("0")
            found[key] = max(found.get(key, 0), len(text.split(".")[1]))
    return found


def reason_for(study: Study, cell: Cell, key: str, word: str) -> str:
    """Return why a number does not agree, if a stated reason applies to this number.

    A reason may require a certain verdict, and a printed number above a bound.
    """
    if word not in ("better", "worse", "differs"):
        return ""
    for each in study.cannot:
        if each.get("other_data") or not _meant(each, cell):
            continue
        bound = each.get("printed_above", -math.inf)
        if word == each.get("verdict", word) and cell.printed[key] > bound:
            return str(each["why"])
    return ""


def other_data(study: Study, cell: Cell) -> str:
    """Return why our data differ from the paper's, so that no verdict is possible; else ""."""
    for each in study.cannot:
        if each.get("other_data") and _meant(each, cell):
            return str(each["why"])
    return ""


def _meant(each: dict[str, Any], cell: Cell) -> bool:
    return any_match(cell.data, [each["data"]]) and any_match(cell.method, [each["method"]])


def _beside_sets(study: Study, rows: list[dict[str, Any]]) -> list[Line]:
    """A table of single sets: theirs are as many draws as ours, so single sets are not compared."""
    theirs: dict[tuple[str, str], list[float]] = defaultdict(list)
    for cell in study.cells:
        for key, value in cell.printed.items():
            theirs[cell.method, key].append(value)
    out = []
    source = load(study.rows_of[0])
    data = source.cells[0].data if study.source_data == "*" else study.source_data
    for (method, key), printed in theirs.items():
        own = [row for row in rows if row["method"] == method and row["status"] == "ok"]
        found = per_set(source, own, method) if "learned" not in method else _learned_sets(own)
        label = (f"{data}, {len(printed)} sets", method, key)
        if key not in found:
            out.append(
                Line(*label, None, float(np.mean(printed)), 0, math.nan, math.nan, "not run")
            )
            continue
        test = stats.ttest_ind(found[key], printed, equal_var=False)
        low, high = test.confidence_interval()
        width = telling_width(key, float(np.mean(printed)))
        word = direction_of(low, key)
        if low <= 0 <= high:
            word = "agrees" if high - low <= 2 * width else UNCERTAIN
        if (
            key == "max"
            and not method.startswith("i")
            and 1 + max(row["trial"] for row in own) < study.their_trials
        ):
            word = ""
        mean = float(np.mean(printed))
        out.append(Line(*label, float(found[key].mean()), mean, len(found[key]), low, high, word))
    return out


def _learned_sets(rows: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    groups: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["set"]].append(row)
    found: dict[str, list[float]] = defaultdict(list)
    for group in groups.values():
        beta = [row["beta"] for row in group]
        values, counts = np.unique(beta, return_counts=True)
        found["beta"].append(float(np.mean(beta)))
        found["modal"].append(float(values[counts.argmax()]))
        found["greedy"].append(float(np.mean([row["greedy"] for row in group])))
        found["max"].append(float(np.max([row["greedy"] for row in group])))
    return {key: np.array(values) for key, values in found.items()}


def test_of(study: Study, cell: Cell, metric: str, rows: list[dict[str, Any]]) -> Test | None:
    """Return the test of a cell's method against its rival; None if there are too few runs."""
    chosen = [row for row in rows if any_match(row["data"], [cell.data])]
    pairs = paired_runs(chosen, metric, [cell.method], [cell.against])
    return compare_methods(pairs) if len(pairs) > 1 else None
