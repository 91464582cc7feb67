"""Pages that follow from the code: papers to calls, names of the reference.

    python docs/tables.py

``docs/papers/calls.md`` is kept with the source, and a test fails when it is old; the reference is
written for each build.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import weft
from weft.estimators.presets import METHODS, PAPERS, Method
from weft.kmeans.anomalous import AnomalousStart
from weft.methods.mercer import FeatureCenters, InputCenters, Kernel
from weft.methods.projected import Objective, SwarmSettings
from weft.methods.staged import ClusterEstimate
from weft.search.clusterers import CLUSTERERS
from weft.search.criteria import CRITERIA
from weft.search.swarms import PSO, SWARMS
from weft.search.swarms.mepso import MEPSO
from weft.search.swarms.staged import StagedPSO

HERE = Path(__file__).parent
# The parts of FeatureSwarm that are taken by name.
REGISTRIES = {"Clusterers": CLUSTERERS, "Criteria": CRITERIA, "Swarms": SWARMS}
# Settings that travel together.
RECORDS = (
    *(
        Objective,
        SwarmSettings,
        Kernel,
        FeatureCenters,
        InputCenters,
        ClusterEstimate,
        AnomalousStart,
    ),
    *(PSO, MEPSO, StagedPSO),
)
SETTINGS_HEAD = """# Settings

`FeatureSwarm` takes its parts by name or as objects; an object has settings of its own. Other
parameters take a name, or a record with settings that are rarely changed.
"""
CALLS_HEAD = """# Papers and calls

Every method of the papers under its published name, and the call that runs it. `weft methods`
prints the same table; `weft cluster FILE --method NAME` runs one, and in Python
`weft.estimators.presets.find_method(NAME).make()` returns the estimator.

The fourth column says how close the call is to its paper. **as published**: the call follows the
paper exactly; below each table are the sentences of the paper that fix each setting. **nearly so**:
the call is close to the paper, and the differences are listed. **weft's**: an alternative of weft,
where the published method performs poorly or leaves a choice; the
[decision records](../decisions/index.md) give the reasons.

Records in a call, such as `Objective(...)`, hold settings that are rarely changed;
`weft methods NAME` shows where each is imported from.

This page is made from `weft.estimators.presets` by `python docs/tables.py`.
"""

DECISIONS_HEAD = """# Decision records

Half a page for each choice that needs a reason: where a paper leaves something open, where our
numbers differ from a paper's, or where another design was possible. *Accepted* decisions are in
force. This page is made by `python docs/tables.py`.
"""
DECISIONS_TAIL = """
```{toctree}
:hidden:
:glob:

0*
```
"""


def papers_to_calls() -> str:
    """Return the page "papers → calls"."""
    parts = [CALLS_HEAD]
    for key, source in PAPERS.items():
        methods = [method for method in METHODS if method.paper == key]
        parts.append(f"## {_heading(source)}\n\n{source}.\n")
        rows = [
            "| in the paper | `--method` | the call | | what it is |",
            "| --- | --- | --- | --- | --- |",
            *map(_row, methods),
        ]
        parts.append("\n".join(rows) + "\n")
        notes = [f"- {m.title}: {m.note}." for m in methods if m.note]
        if notes:
            parts.append("\n".join(notes) + "\n")
        parts += [_reasons(method) for method in methods if method.because]
    return "\n".join(parts)


def _heading(source: str) -> str:
    return source.split(', "')[0].split(":")[0]


def _row(method: Method) -> str:
    name = f"`{method.name}`" + (" (in Python only)" if method.in_python_only else "")
    return f"| {method.title} | {name} | `{method.call}` | {method.status} | {method.what} |"


def _reasons(method: Method) -> str:
    lines = [f"**{method.title}**: what fixes the settings", ""]
    lines += [f"- `{setting}`: {words}" for setting, words in method.because.items()]
    return "\n".join(lines) + "\n"


def decisions_index() -> str:
    """Return the page that lists the decision records with the status of each.

    A record that says nothing about its status is in force. One that is not says so in a line that
    starts with ``Status:``.
    """
    rows = []
    for path in sorted((HERE / "decisions").glob("[0-9]*.md")):
        text = path.read_text(encoding="utf-8")
        title = re.sub(r"^# *\d+ *[.:·]? *", "", text.split("\n", 1)[0])
        status = re.search(r"^Status: (.*?)\.?$", text, re.M)
        said = status[1] if status else "accepted"
        rows.append(f"| {int(path.name[:4])} | [{title}]({path.name}) | {said} |")
    head = ["| number | decision | status |", "| --- | --- | --- |"]
    return "\n".join([DECISIONS_HEAD, *head, *rows, DECISIONS_TAIL])


def write_tables() -> None:
    """Write every page that is made from the code."""
    (HERE / "papers" / "calls.md").write_text(papers_to_calls(), encoding="utf-8")
    (HERE / "decisions" / "index.md").write_text(decisions_index(), encoding="utf-8")
    classes = sorted(name for name in weft._PUBLIC if name[0].isupper())
    functions = sorted(name for name in weft._PUBLIC if not name[0].isupper())
    for stem, names in (("estimators", classes), ("functions", functions)):
        listed = "\n".join(f"   {name}" for name in names)
        page = (
            f"# {stem.title()}\n\n"
            "```{eval-rst}\n.. currentmodule:: weft\n\n.. autosummary::\n   :toctree: ../api\n\n"
            f"{listed}\n```\n"
        )
        (HERE / "reference" / f"{stem}.md").write_text(page)
    (HERE / "reference" / "settings.md").write_text(settings_page())


def settings_page() -> str:
    """Return the page of what parameters take besides names: parts of a search, and records."""
    parts = [SETTINGS_HEAD]
    for title, registry in REGISTRIES.items():
        rows = [
            f'| `"{name}"` | `{kind.__name__}` of `{public_module(kind)}` | {_summary(kind)} |'
            for name, kind in registry.items()
        ]
        head = ["| name | class | what it is |", "| --- | --- | --- |"]
        parts.append("\n".join([f"## {title}", "", *head, *rows]) + "\n")
    listed = "\n".join(f"   {public_module(kind)}.{kind.__name__}" for kind in RECORDS)
    parts.append(
        f"## Records\n\n```{{eval-rst}}\n.. autosummary::\n   :toctree: ../api\n\n{listed}\n```\n"
    )
    return "\n".join(parts)


def public_module(kind: type) -> str:
    """Return where a class is imported from: its package, where that names it."""
    package = kind.__module__.rpartition(".")[0]
    named = getattr(importlib.import_module(package), kind.__name__, None) is kind
    return package if named else kind.__module__


def _summary(kind: type) -> str:
    return (kind.__doc__ or "").split("\n")[0].rstrip(".")


if __name__ == "__main__":
    write_tables()
