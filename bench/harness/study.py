"""A study is one published table: its cells, its printed numbers, its text.

Files are ``bench/studies/*.toml``. A cell is a row of the table: a data set, a method, and what
is printed there. ``include`` names a file of ``bench/studies/shared`` with data sets and methods
that several tables share; ``rows_of`` says that a table sums up the runs of other tables. The
format is described in docs/reproduction/format.md.
"""

from __future__ import annotations

import fnmatch
import hashlib
import itertools
import json
import tomllib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from bench.harness import places
from weft._base.records import flat
from weft.estimators.presets import find_method

FOLDER = places.STUDIES
PAPERS = ("oneill", "amorim", "projected", "staged", "kernel")


class Cell(NamedTuple):
    """A row of a printed table; in a summary table, `data` and `method` are patterns."""

    data: str
    method: str
    against: str  # the method that the paper's test compares with; "" without one
    which: str  # an option of some summaries
    other: str
    printed: dict[str, float]


class Run(NamedTuple):
    """One data set, one method, once."""

    data: str
    number: int  # number of the set among those of that name
    method: str
    trial: int


@dataclass(frozen=True)
class Study:
    """A published table."""

    name: str
    paper: str
    table: str
    title: str
    says: str  # the text of the table about settings
    trials: int
    their_trials: int
    their_sets: int  # 0: the same data as ours
    metrics: tuple[str, ...]
    cells: tuple[Cell, ...]
    pairs: tuple[tuple[str, str], ...]  # data set and method of each thing to run
    data: dict[str, dict[str, Any]]
    methods: dict[str, dict[str, Any]]
    rows_of: tuple[str, ...] = ()
    source_data: str = "*"  # data sets to use from those rows
    spread_of: str = ""  # the study that separates the spread of sets from that of starts
    summary: str = "plain"
    test: str = ""
    notes: str = ""
    directions: tuple[dict[str, Any], ...] = ()
    cannot: tuple[dict[str, Any], ...] = ()
    figures: tuple[dict[str, Any], ...] = ()
    quick: dict[str, Any] = field(default_factory=dict)
    is_quick: bool = False

    def runs(self, trials: int | None = None) -> list[Run]:
        """Return the runs: trial by trial, slow methods last."""
        chosen: dict[tuple[int, int, int, int], Run] = {}
        for place, (data, name) in enumerate(self.pairs):
            method = self.methods[name]
            limits = (method.get("trials"), self.data[data].get("trials"), trials, self.trials)
            n_trials = min(limit for limit in limits if limit is not None)
            for number, trial in self._numbers(data, n_trials):
                stage = method.get("stage", 0) + self.data[data].get("stage", 0)
                chosen[stage, trial, place, number] = Run(data, number, name, trial)
        return [run for _, run in sorted(chosen.items())]

    def _numbers(self, data: str, trials: int) -> Iterator[tuple[int, int]]:
        spec = self.data[data]
        for trial in range(trials):
            if spec.get("fresh"):
                yield trial, trial
            else:
                for number in range(spec.get("sets", 1)):
                    yield number, trial

    def identity(self, run: Run) -> str:
        """Return a name of the settings of a run; other settings have another name."""
        recipe = {
            "paper": self.paper,
            "data": [run.data, _recipe(self.data[run.data])],
            "method": _recipe(self.methods[run.method]),
            "metrics": sorted(self.metrics),
        }
        return hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()[:12]

    def seed(self, run: Run) -> int:
        """Return the seed of a run: the paper, the data set, the trial; the same for all methods.

        Methods of one trial start from the same numbers, as two of the papers ask for; their
        comparison is paired.
        """
        spec = self.data[run.data]
        several = spec.get("sets", 1) > 1 and not spec.get("fresh")
        label = f"{run.data} {run.number}" if several else run.data
        return seed_of(self.paper, label, run.trial)

    def data_seed(self, run: Run) -> int:
        """Return the seed of the run's data set."""
        return seed_of(self.paper, "data", run.data, run.number)


def _recipe(spec: dict[str, Any]) -> dict[str, Any]:
    # Order and number of runs are not part of the settings.
    kept = {key: value for key, value in spec.items() if key not in ("stage", "trials")}
    return kept | ({"params": _flat_params(spec["params"])} if "params" in spec else {})


def _flat_params(params: dict[str, Any]) -> dict[str, Any]:
    """Return parameters with the settings of records under their old, flat names.

    So rows that were made before there were records keep their names.
    """
    settings = {}
    for key, value in flat(params).items():
        if isinstance(value, dict) and "name" in value:
            others = {field: part for field, part in value.items() if field != "name"}
            of_own_name = key in ("clusterer", "criterion")
            settings |= {key: value["name"]}
            settings |= {f"{key}_params": others} if of_own_name else others
        else:
            settings[key] = value
    return settings


def seed_of(*identity: object, whole: bool = False) -> int:
    """Return a seed that depends only on the identity of a run; 31 bits, or all 32."""
    number = zlib.crc32(repr(identity).encode())
    return number if whole else number % 2**31


def names() -> list[str]:
    """Return the names of all studies, paper by paper."""
    found = [path.stem for path in FOLDER.glob("*.toml")]
    return sorted(found, key=lambda name: (PAPERS.index(name.split("-")[0]), _natural(name)))


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    words = name.replace("-", ".").split(".")[1:]
    return tuple((int(word), "") if word.isdigit() else (10**6, word) for word in words)


@cache
def load(name: str, *, quick: bool = False, folder: Path = FOLDER) -> Study:
    """Read a study; with `quick` its small form."""
    path = folder / f"{name}.toml"
    if not path.exists():
        raise SystemExit(f"study {name!r} is not known; the studies are: {', '.join(names())}.")
    content = tomllib.loads(path.read_text())
    shared: dict[str, Any] = {}
    if "include" in content:
        shared = tomllib.loads((folder / "shared" / f"{content['include']}.toml").read_text())
    data = shared.get("data", {}) | content.get("data", {})
    methods = {
        key: with_preset(spec)
        for key, spec in (shared.get("methods", {}) | content.get("methods", {})).items()
    }
    cells = tuple(_cells(content))
    pairs = [] if "rows_of" in content else [(cell.data, cell.method) for cell in cells]
    if "runs" in content:  # the table's rows are means over several of these
        pairs = list(itertools.product(content["runs"]["data"], content["runs"]["methods"]))
    trials = content.get("trials", 1)
    study = Study(
        name=name,
        paper=name.split("-")[0],
        table=content["table"],
        title=content["title"],
        says=content["says"].strip(),
        trials=trials,
        their_trials=content.get("their_trials", trials),
        their_sets=content.get("their_sets", 0),
        metrics=tuple(content.get("metrics", shared.get("metrics", ()))),
        cells=cells,
        pairs=tuple(dict.fromkeys(pairs)),
        data=data,
        methods=methods,
        rows_of=tuple(content.get("rows_of", ())),
        source_data=content.get("source_data", "*"),
        spread_of=content.get("spread_of", ""),
        summary=content.get("summary", "plain"),
        test=content.get("test", ""),
        notes=content.get("notes", "").strip(),
        directions=tuple(content.get("directions", ())),
        cannot=tuple(content.get("cannot", ())),
        figures=tuple(content.get("figures", ())),
        quick=content.get("quick", {}),
    )
    _check(study)
    return make_quick(study) if quick else study


def with_preset(spec: dict[str, Any]) -> dict[str, Any]:
    """Return a method with the call and the settings of the preset that it names.

    Parameters of the study replace those of the preset. Parameters in ``leave_out``, and the one
    that is swept, are not used.
    """
    own = {key: value for key, value in spec.items() if key not in ("preset", "leave_out")}
    if "preset" not in spec:
        return own
    preset = find_method(spec["preset"])
    left_out = (*spec.get("leave_out", ()), spec.get("sweep", {}).get("parameter"))
    params = {
        key: "None" if value is None else value  # as study files write it
        for key, value in preset.params.items()
        if key not in left_out
    } | spec.get("params", {})
    return {"call": preset.estimator} | own | ({"params": params} if params else {})


def _cells(content: dict[str, Any]) -> Iterator[Cell]:
    columns = content["columns"]
    for number, values in enumerate(content["cells"], 1):
        if len(values) != len(columns):
            raise SystemExit(
                f"row {number} of table {content['table']} has {len(values)} entries for "
                f"{len(columns)} columns; give one per column."
            )
        row = dict(zip(columns, values, strict=True))
        words = [str(row.pop(key, "")) for key in ("data", "method", "against", "which", "with")]
        yield Cell(*words, {key: float(value) for key, value in row.items() if value != ""})


def _check(study: Study) -> None:
    for data, method in study.pairs:
        for kind, name in (("data", data), ("methods", method)):
            if name not in getattr(study, kind):
                raise SystemExit(
                    f"study {study.name}: {name!r} is not in [{kind}]; "
                    f"it has {', '.join(getattr(study, kind))}."
                )


def make_quick(study: Study) -> Study:
    """Return the small form of a study: fewer cells and trials, smaller searches."""
    asked = study.quick
    data, methods = asked.get("data", ["*"]), asked.get("methods", ["*"])
    pairs = tuple(
        pair for pair in study.pairs if any_match(pair[0], data) and any_match(pair[1], methods)
    )
    smaller = {
        name: spec
        | {"params": spec.get("params", {}) | _wanted(spec, asked.get("params", {}))}
        | (
            {"sweep": spec["sweep"] | asked["sweep"]}
            if "sweep" in spec and "sweep" in asked
            else {}
        )
        for name, spec in study.methods.items()
    }
    sets = {
        name: spec
        | {key: asked[key] for key in ("sets", "runs") if key in asked and key in spec}
        | (
            {"params": spec.get("params", {}) | asked["make"]}
            if "make" in asked and "make" in spec
            else {}
        )
        for name, spec in study.data.items()
    }
    changes = {"pairs": pairs, "methods": smaller, "data": sets, "is_quick": True}
    return Study(**{**study.__dict__, **changes, "trials": asked.get("trials", 1)})


def _wanted(spec: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    # Parameters by the call they belong to: {"FeatureSwarm": {"n_generations": 5}}
    return params.get(spec["call"], {})


def any_match(name: str, patterns: list[str]) -> bool:
    """Whether the name is one of the patterns, with * for anything."""
    return any(name == pattern or fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def printed(name: str, column: str, method: str = "*", data: str = "*") -> list[float]:
    """Return the printed numbers of a column."""
    return [
        cell.printed[column]
        for cell in load(name).cells
        if column in cell.printed
        and any_match(cell.method, [method])
        and any_match(cell.data, [data])
    ]
