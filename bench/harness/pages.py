"""docs/reproduction: a page per paper, from the committed rows."""

from __future__ import annotations

from pathlib import Path

from bench.harness import figures, rows, study
from bench.harness.compare import name_of, number_text, report
from bench.harness.counting import JUDGED, Table, by_method, headline, placebo, tables_of
from bench.harness.directions import rows_for
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
    sections = []
    tables = tables_of(own, results)
    for table in tables:
        made = rows_for(table.study, results)
        drawn = figures.draw(table.study, made, folder / "figures")
        pictures = [f"![{caption}](figures/{path.name})\n\n*{caption}*" for path, caption in drawn]
        sections.append(
            report(table, results) + ("\n" + "\n\n".join(pictures) + "\n" if pictures else "")
        )
    head = headline(tables)
    facts = [f"- {fact}" for fact in FACTS[paper](results)]
    text = [
        f"# {TITLES[paper]}",
        "",
        f"{head} Made by `python -m bench pages all` from the rows in `bench/results`; "
        f"`python -m bench run '{paper}-*'` makes the rows. How to read the tables: "
        f"[reproduction](index.md).",
        "",
        placebo(tables, results).text,
        "",
        "## Method by method",
        "",
        *method_table(tables),
        "",
        "## Runs so far",
        "",
        *progress(own, results),
        "",
        "## What we found wrong or unstated",
        "",
        *facts,
        "",
    ]
    return "\n".join(text) + "\n" + "\n".join(sections), head


def method_table(tables: list[Table]) -> list[str]:
    """Return a table of every method's mean over all numbers of the paper."""
    names = "method, what, numbers, our mean, their mean, difference, agree, do not, too uncertain"
    heads = names.split(", ")
    out = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    for each in by_method(tables):
        missed = sum(each.words[word] for word in JUDGED[1:])
        numbers = [number_text(each.ours), number_text(each.theirs)]
        numbers.append(number_text(each.ours - each.theirs, signed=True))
        counts = [each.words["agrees"], missed, each.words["too uncertain"]]
        entries = [each.method, name_of(each.metric), each.n_numbers, *numbers, *counts]
        out.append(f"| {' | '.join(map(str, entries))} |")
    return out


def progress(own: list[study.Study], results: Path) -> list[str]:
    """Return how many runs of each table are finished."""
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
    """Return the index page."""
    listed = [f"- [{TITLES[paper]}]({paper}.md): {head}" for paper, head in heads.items()]
    return f"""# Reproduction

Tables of the five papers, ours compared with theirs. A table is a file of `bench/studies`
([format](format.md)); `python -m bench run TABLE` runs the missing parts of a table, and
`python -m bench compare TABLE` prints what these pages show.

{chr(10).join(listed)}

Some tables have no study: tables 3.2, 3.5, 3.7 and 3.9 of de Amorim 2011, which quote numbers of
other authors, and tables that describe data or settings. Tables 5.1 to 5.12 of de Amorim 2011 use
recordings that are not public; our study of them uses public recordings.

## How to read the tables

- **ours** is the mean over **runs** (or over sets, where the table is about sets), **theirs** the
  printed mean.
- The **interval** is that of the difference of two means; both have the spread of a mean. Theirs
  comes from the printed standard deviation and number of runs; if the paper gives none, our own
  spread over the square root of their number of runs is used. If the paper has one data set of a
  kind and we draw a new one for each run, the spread between sets is not reduced; only the spread
  between starts shrinks with their number of runs. The rounding of the published number is added at
  both ends.
- **agrees**: 0 is in the interval, and the interval is narrow enough to detect a difference: half
  of it is at most 8 points of accuracy, 0.08 of a measure from 0 to 1, or a quarter of any other
  number.
  **too uncertain**: 0 is in the interval, but it is wider than that.
- **better**, **worse**: 0 is outside the interval, and the measure says which side is better.
  **differs**: 0 is outside, and neither side is better. A reason is given next to a verdict only if
  it explains that number; a number with a reason does not count as one that agrees.
- **other data**: the paper's data are not public and are known to differ from ours; there is no
  verdict, whether the numbers are near or not.
- A number that is in two tables is judged in the first and counts once.
- The **placebo** on each page judges our runs of one method against the published number of
  another, if the two published numbers differ by 20 points (0.20 F) or more. If many of these
  agreed, the verdicts would mean nothing.
- A single number of a deterministic method must agree in every published digit.
- One number in twenty would fall outside by chance alone.

```{{toctree}}
:hidden:

{chr(10).join(heads)}
format
```
"""
