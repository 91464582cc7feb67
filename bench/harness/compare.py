"""Ours compared with theirs: a Markdown section per table."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

from bench.harness.counting import JUDGED, NOT_JUDGED, Table, numbered
from bench.harness.directions import rows_for
from bench.harness.lines import Line, test_of
from bench.harness.study import Study


def report(table: Table, folder: Path, *, level: int = 2) -> str:
    """Return the section of a table."""
    study = table.study
    rows = rows_for(study, folder)
    out = [
        f"{'#' * level} Table {study.table}: {study.title}".replace("Table figure", "Figure"),
        "",
        *(f"> {each}" for each in study.says.splitlines()),
        "",
    ]
    if study.notes:
        out += [study.notes, ""]
    out += [counts_of(table), ""]
    out += [
        "| data | method | what | ours | runs | theirs | difference | 95 % interval | verdict |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    out += [_row(line, table.repeats.get(place, "")) for place, line in enumerate(table.lines)]
    tests = _tests(study, rows)
    if tests:
        out += ["", *tests]
    if table.findings:
        out += ["", "| what the paper says | difference | p (signed ranks) | Cliff's δ | pairs | |"]
        out += ["| --- | --- | --- | --- | --- | --- |"]
        for each in table.findings:
            numbers = ["", "", "", ""]
            if each.test is not None:
                test = each.test
                numbers = [number_text(test.difference, signed=True), f"{test.p_paired:.2g}"]
                numbers += [f"{test.cliff:+.2f}", str(test.n_pairs)]
            out.append(f"| {each.says} | {' | '.join(numbers)} | {each.word} |")
    return "\n".join(out) + "\n"


def counts_of(table: Table) -> str:
    """Return how many of a table's numbers agree."""
    words = Counter(line.word for line in table.lines if line.word and line.theirs is not None)
    if not words:
        return "This table has no number that can be judged."
    total = sum(words[word] for word in JUDGED)
    rest = [numbered(words[word], word) for word in (*JUDGED[1:], *NOT_JUDGED) if words[word]]
    text = f"{words['agrees']} of {total} judged numbers agree"
    text += f"; {', '.join(rest)}." if rest else "."
    if table.repeats:
        text += (
            f" Numbers that are also in an earlier table, and count there: {len(table.repeats)}."
        )
    return text


def _row(line: Line, earlier: str) -> str:
    ours = "" if line.ours is None else number_text(line.ours)
    theirs = "" if line.theirs is None else number_text(line.theirs)
    gap = interval = ""
    if line.ours is not None and line.theirs is not None and not line.metric.endswith(".p"):
        gap = number_text(line.ours - line.theirs, signed=True)
    if not math.isnan(line.low):
        interval = f"{number_text(line.low, signed=True)} … {number_text(line.high, signed=True)}"
    runs = str(line.n_runs) if line.n_runs else ""
    data = {"*": "all sets"}.get(line.data, line.data)
    entries = [data, line.method, name_of(line.metric), ours, runs, theirs]
    verdict = line.word + (f": {line.reason}" if line.reason else "")
    verdict += f" (as in table {earlier})" if earlier else ""
    return "| " + " | ".join([*entries, gap, interval, verdict]) + " |"


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


def number_text(value: float, *, signed: bool = False) -> str:
    """Return a number with as many digits as tables show."""
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
            f"{number_text(test.difference, signed=True)} | {test.p_paired:.2g} | "
            f"{test.p_unpaired:.2g} | {test.p_t:.2g} | {test.cliff:+.2f} |"
        )
    return out if len(out) > 4 else []
