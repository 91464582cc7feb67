"""Ours beside theirs: a Markdown section per table."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

from bench.harness.directions import findings, rows_for
from bench.harness.lines import Line, lines_of, test_of
from bench.harness.study import Study


def report(study: Study, folder: Path, *, level: int = 2) -> str:
    """Return the section of a table."""
    rows = rows_for(study, folder)
    lines = lines_of(study, rows)
    out = [
        f"{'#' * level} Table {study.table}: {study.title}".replace("Table figure", "Figure"),
        "",
        *(f"> {each}" for each in study.says.splitlines()),
        "",
    ]
    if study.notes:
        out += [study.notes, ""]
    out += [counted(lines), ""]
    out += [
        "| data | method | what | ours | runs | theirs | difference | 95 % interval | verdict |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    out += [_row(line) for line in lines]
    tests = _tests(study, rows)
    if tests:
        out += ["", *tests]
    found = findings(study, rows)
    if found:
        out += ["", "| what the paper says | difference | p (signed ranks) | Cliff's δ | pairs | |"]
        out += ["| --- | --- | --- | --- | --- | --- |"]
        for each in found:
            numbers = ["", "", "", ""]
            if each.test is not None:
                test = each.test
                numbers = [_number(test.difference, signed=True), f"{test.p_paired:.2g}"]
                numbers += [f"{test.cliff:+.2f}", str(test.n_pairs)]
            out.append(f"| {each.says} | {' | '.join(numbers)} | {each.word} |")
    return "\n".join(out) + "\n"


def counted(lines: list[Line]) -> str:
    """Return how many printed numbers agree."""
    words = Counter(
        line.word.split(":")[0] for line in lines if line.word and line.theirs is not None
    )
    if not words:
        return "No number to judge."
    total = sum(words.values())
    rest = ", ".join(f"{count} {word}" for word, count in words.most_common() if word != "agrees")
    return f"{words['agrees']} of {total} printed numbers agree" + (f"; {rest}." if rest else ".")


def _row(line: Line) -> str:
    ours = "" if line.ours is None else _number(line.ours)
    theirs = "" if line.theirs is None else _number(line.theirs)
    gap = interval = ""
    if line.ours is not None and line.theirs is not None and not line.metric.endswith(".p"):
        gap = _number(line.ours - line.theirs, signed=True)
    if not math.isnan(line.low):
        interval = f"{_number(line.low, signed=True)} … {_number(line.high, signed=True)}"
    runs = str(line.n_runs) if line.n_runs else ""
    data = {"*": "all sets"}.get(line.data, line.data)
    entries = [data, line.method, name_of(line.metric), ours, runs, theirs]
    return "| " + " | ".join([*entries, gap, interval, line.word]) + " |"


NAMES = {
    "greedy": "accuracy",
    "huang": "accuracy",
    "f1": "F",
    "row purity": "purity",
    "f": "F",
    "max": "largest accuracy",
    "beta": "β",
    "modal": "modal β",
    "kept": "share of features",
}
ENDINGS = {"sd": ", sd", "max": ", largest", "p": ", p"}


def name_of(metric: str) -> str:
    """Return a metric as tables write it."""
    base, _, ending = metric.partition(".") if "@" not in metric else (metric, "", "")
    base = base.replace("f@", "F at ") if "@" in base else NAMES.get(base, base)
    return base + ENDINGS.get(ending, "")


def _number(value: float, *, signed: bool = False) -> str:
    size = abs(value)
    if size != 0 and (size < 1e-3 or size >= 1e6):
        return f"{value:+.1e}" if signed else f"{value:.1e}"
    digits = 3 if size < 10 else 1 if size < 1000 else 0
    return f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"


def _tests(study: Study, rows: list[dict[str, Any]]) -> list[str]:
    """The paper's own kind of test, on our rows: every cell against its rival."""
    cells = [cell for cell in study.cells if cell.against]
    if not cells or study.summary == "t-test":
        return []
    metric = next(iter(cells[0].printed))
    if metric == "features":  # the staged paper tests every column; F says most
        metric = "f1"
    out = [
        f"Tests on our rows, {NAMES.get(metric, metric)}: signed ranks (paired by set and trial), "
        f"rank sums, "
        "Student's t (Welch).",
        "",
        "| data | method | against | difference | p paired | p unpaired | p t | Cliff's δ |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for cell in cells:
        test = test_of(study, cell, metric, rows)
        if test is None:
            continue
        out.append(
            f"| {cell.data} | {cell.method} | {cell.against} | "
            f"{_number(test.difference, signed=True)} | {test.p_paired:.2g} | "
            f"{test.p_unpaired:.2g} | {test.p_t:.2g} | {test.cliff:+.2f} |"
        )
    return out if len(out) > 4 else []
