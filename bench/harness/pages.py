"""docs/reproduction: a page per paper, from the committed rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from bench.harness import figures, rows, study
from bench.harness.compare import report
from bench.harness.directions import findings, rows_for
from bench.harness.lines import Line, lines_of
from bench.studies.facts import FACTS, TITLES


def write_pages(names: list[str], results: Path, folder: Path) -> None:
    """Write the pages of the papers that these studies belong to, and the list of papers."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "figures").mkdir(exist_ok=True)
    heads = {}
    for paper in study.PAPERS:
        own = [study.load(name) for name in names if name.startswith(f"{paper}-")]
        if own:
            text, heads[paper] = page(paper, own, results, folder)
            (folder / f"{paper}.md").write_text(text)
    if set(heads) == set(study.PAPERS):
        (folder / "index.md").write_text(index(heads))


def page(paper: str, own: list[study.Study], results: Path, folder: Path) -> tuple[str, str]:
    """Return the page of a paper, and its headline."""
    sections, lines, found = [], [], []
    for of in own:
        made = rows_for(of, results)
        lines += [(of, line) for line in lines_of(of, made)]
        found += findings(of, made)
        drawn = figures.draw(of, made, folder / "figures")
        pictures = [f"![{of.title}](figures/{path.name})" for path in drawn]
        sections.append(
            report(of, results) + ("\n" + "\n\n".join(pictures) + "\n" if pictures else "")
        )
    head = headline([line for _, line in lines], found)
    facts = [f"- {fact}" for fact in FACTS[paper](results)]
    text = [
        f"# {TITLES[paper]}",
        "",
        f"{head} Made by `python -m bench pages all` from the rows in `bench/results`; "
        f"`python -m bench run '{paper}-*'` makes the rows. How to read the tables: "
        f"[reproduction](index.md).",
        "",
        "## How far the runs are",
        "",
        *progress(own, results),
        "",
        "## What we found wrong or unstated",
        "",
        *facts,
        "",
    ]
    return "\n".join(text) + "\n" + "\n".join(sections), head


def headline(lines: list[Line], found: list[Any]) -> str:
    """Return the paper in a sentence or two."""
    words = Counter(
        line.word.split(":")[0] for line in lines if line.word and line.theirs is not None
    )
    waiting = words.pop("not run", 0)
    total = sum(words.values())
    parts = [
        f"{words[word]} {word}"
        for word in ("better", "worse", "differs", "never reached", "cannot be reproduced")
        if words[word]
    ]
    text = f"**{words['agrees']} of {total} printed numbers agree with ours**"
    text += f" ({', '.join(parts)})." if parts else "."
    if waiting:
        text += f" {waiting} more have not been run."
    told = [each for each in found if each.test is not None and not each.says.startswith("not in")]
    if told:
        holds = sum(each.holds for each in told)
        text += f" Of {len(told)} directions, {holds} hold on our sets."
    return text


def progress(own: list[study.Study], results: Path) -> list[str]:
    """Return how many of the runs of each table are there."""
    out = ["| table | runs there | of | failed | commits |", "| --- | --- | --- | --- | --- |"]
    for of in own:
        if of.rows_of:
            continue
        made = rows.read(of, results)
        good = [row for row in made if row["status"] == "ok"]
        commits = ", ".join(sorted({row["commit"].rstrip("+") for row in good}))
        failed = len(made) - len(good)
        out.append(f"| {of.table} | {len(good)} | {len(of.runs())} | {failed or ''} | {commits} |")
    return out


def index(heads: dict[str, str]) -> str:
    """Return the page over the pages."""
    listed = [f"- [{TITLES[paper]}]({paper}.md): {head}" for paper, head in heads.items()]
    return f"""# Reproduction

Every table of the five papers, ours beside theirs. A table is a file of `bench/studies`
([format](format.md)); `python -m bench run TABLE` runs what is missing of it,
`python -m bench compare TABLE` prints what these pages show.

{chr(10).join(listed)}

## How to read the tables

- **ours** is the mean over **runs** (or over sets, where the table is about sets), **theirs** the
  printed mean.
- The **interval** is that of the difference: our noise and theirs (their printed standard
  deviation, or ours where none is printed), and print's rounding at both ends. Where print has one
  data set and we draw a new one for each trial, it asks whether the printed set could be one of
  ours.
- **agrees**: 0 lies in the interval. **better**, **worse**: it does not, and more (or less) is
  better there. **differs**: it does not, and neither side is better. **cannot be reproduced** comes
  with its reason.
- A single number of a method without chance is judged to the printed digit.
- One number in twenty would fall outside by chance alone.

```{{toctree}}
:hidden:

{chr(10).join(heads)}
format
```
"""
