"""The counts on a paper's page: every printed number once, with one verdict, and a placebo.

A number that appears in two tables (a baseline, a mean that another table repeats) is judged where
it appears first. The placebo judges our method A against the published number of another method B
if the two published numbers differ much. If the verdict were "agrees" even then, verdicts would
mean nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.harness.directions import Finding, findings, rows_for
from bench.harness.lines import Line, decimals_of, judged, lines_of
from bench.harness.study import Cell, Study
from bench.harness.summaries import Summary, of_cell
from bench.harness.verdicts import PER_CENT

JUDGED = ("agrees", "better", "worse", "differs", "never reached")
NOT_JUDGED = ("too uncertain", "other data", "not run")
GAPS = {**dict.fromkeys(PER_CENT, 20.0), **dict.fromkeys(("f", "f1", "fscore"), 0.2)}


class Table(NamedTuple):
    """A study with its lines; `repeats` names the earlier place of repeated numbers."""

    study: Study
    lines: list[Line]
    repeats: dict[int, str]  # place of a line -> the table that judged its number
    findings: list[Finding]


def tables_of(studies: list[Study], folder: Path) -> list[Table]:
    """Return the tables of one paper; numbers that appear in two of them are judged once."""
    known: dict[tuple[str, str, str], list[tuple[float, float, str, Line]]] = {}
    out = []
    for study in studies:
        rows = rows_for(study, folder)
        lines, repeats = lines_of(study, rows), {}
        decimals = decimals_of(study)
        for place, line in enumerate(lines):
            if line.theirs is None or not line.word:
                continue
            unit = 10.0 ** -decimals.get(line.metric, 2)
            seen = known.setdefault(_key(line), [])
            first = next((each for each in seen if _same(each, line.theirs, unit)), None)
            if first is None:
                seen.append((line.theirs, unit, study.table, line))
            else:
                repeats[place] = first[2]
                lines[place] = line._replace(word=first[3].word, reason=first[3].reason)
        out.append(Table(study, lines, repeats, findings(study, rows)))
    return out


def _key(line: Line) -> tuple[str, str, str]:
    # "vii, 10 sets" of an appendix is "vii" of the table that sums it up.
    data = line.data.split(", ")[0] if line.data.endswith(" sets") else line.data
    return data, SAME_METHOD.get(line.method, line.method), line.metric


# Table 4 of Lu et al.: "The results for PSOVW are taken from Tables 1, 2 and 3."
SAME_METHOD = {"PSO, function (14)": "PSOVW"}


def _same(each: tuple[float, float, str, Line], theirs: float, unit: float) -> bool:
    return abs(each[0] - theirs) <= 0.5 * max(each[1], unit) + 1e-9


def counted(tables: list[Table]) -> Counter[str]:
    """Return how many printed numbers have each verdict, each number once."""
    return Counter(
        line.word
        for table in tables
        for place, line in enumerate(table.lines)
        if line.word and line.theirs is not None and place not in table.repeats
    )


def numbered(count: int, verdict: str) -> str:
    """Return a count and its verdict, as in "1 differs" and "2 differ"."""
    plural = {"agrees": "agree", "differs": "differ"}.get(verdict, verdict)
    return f"{count} {verdict if count == 1 else plural}"


def with_reason(tables: list[Table]) -> int:
    """Return how many numbers that do not agree have a stated reason."""
    return sum(
        bool(line.reason) and line.word in JUDGED[1:] and place not in table.repeats
        for table in tables
        for place, line in enumerate(table.lines)
    )


def headline(tables: list[Table]) -> str:
    """Return a paper in a few sentences."""
    words = counted(tables)
    total = sum(words[word] for word in JUDGED)
    if not total:
        return "No printed number can be judged."
    missed = [numbered(words[word], word) for word in JUDGED[1:] if words[word]]
    text = f"**{words['agrees']} of {total} printed numbers that can be judged agree with ours**"
    if missed:
        text += f" ({', '.join(missed)}; {with_reason(tables)} of these with a stated reason)"
    text += "."
    rest = [
        f"{words[word]} {said}"
        for word, said in (
            ("too uncertain", "have an interval too wide for a verdict"),
            ("other data", "are of data that are not public"),
            ("not run", "have not been run"),
        )
        if words[word]
    ]
    if rest:
        text += f" {_listed(rest)}."
    told = [
        each
        for table in tables
        for each in table.findings
        if each.test is not None and not each.says.startswith("not in")
    ]
    if told:
        holds = sum(each.holds for each in told)
        text += (
            f" Of {len(told)} directions, {holds} {'holds' if holds == 1 else 'hold'} on our sets."
        )
    return text


class MethodCount(NamedTuple):
    """A method's accuracies or F over all tables of a paper."""

    method: str
    metric: str
    ours: float
    theirs: float
    n_numbers: int
    words: Counter[str]


def by_method(tables: list[Table]) -> list[MethodCount]:
    """Return for each method our mean accuracy (or F) and the published one, each number once.

    Numbers of data that are not public are left out.
    """
    groups: dict[tuple[str, str], list[Line]] = {}
    for table in tables:
        for place, line in enumerate(table.lines):
            known = line.ours is not None and line.theirs is not None
            if not known or not line.word or place in table.repeats or line.word == "other data":
                continue
            metric = line.metric.split("@")[0]
            if metric in GAPS and metric != "max":
                groups.setdefault((line.method.split(", β")[0], metric), []).append(line)
    return [
        MethodCount(
            method,
            metric,
            float(np.mean([line.ours for line in lines])),
            float(np.mean([line.theirs for line in lines])),
            len(lines),
            Counter(line.word for line in lines),
        )
        for (method, metric), lines in groups.items()
    ]


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


class Placebo(NamedTuple):
    """Our methods judged against other methods' printed numbers."""

    agrees: int
    refused: int
    uncertain: int

    @property
    def share(self) -> float:
        """The share of judged pairs that still agree."""
        return self.agrees / max(1, self.agrees + self.refused)

    @property
    def text(self) -> str:
        """The placebo in a sentence."""
        total = self.agrees + self.refused + self.uncertain
        if not total:
            return "Placebo: no two methods of a table differ by 20 points or 0.20 F in the paper."
        return (
            f"Placebo: for {total} pairs of methods, the published numbers differ by 20 points "
            f"(0.20 F) or more. Our runs of one method, judged against the published number of the "
            f"other: {self.refused} are rejected, {numbered(self.agrees, 'agrees')} "
            f"({100 * self.share:.0f} % of those judged), {self.uncertain} are too uncertain."
        )


def placebo(tables: list[Table], folder: Path) -> Placebo:
    """Judge every method against every other whose printed number is far from its own."""
    words = Counter(word for table in tables for word in _wrong_verdicts(table.study, folder))
    refused = sum(words[word] for word in ("better", "worse", "differs"))
    return Placebo(words["agrees"], refused, words["too uncertain"])


def _wrong_verdicts(study: Study, folder: Path) -> Iterator[str]:
    if study.rows_of:
        return  # these tables sum up numbers of others
    rows = rows_for(study, folder)
    decimals = decimals_of(study)
    found: list[tuple[Cell, Summary]] = [(cell, of_cell(study, cell, rows)) for cell in study.cells]
    for cell, summary in found:
        for key in summary.samples:
            name = key.split("@")[0]
            if name not in GAPS or key not in cell.printed:
                continue
            for other, _ in found:
                same_place = (other.data, other.which, other.other) == (
                    cell.data,
                    cell.which,
                    cell.other,
                )
                if not same_place or other.method == cell.method or key not in other.printed:
                    continue
                if abs(cell.printed[key] - other.printed[key]) >= GAPS[name] - 1e-9:
                    yield judged(study, cell, key, summary, decimals[key], other).word
