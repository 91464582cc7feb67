"""``python -m checks.mutation``: small faults in all rooms of src; do tests see them?

Each fault changes one place of one module (a comparison, a sign, a constant, a condition, a minimum
that becomes a maximum), and the tests of its package run until one fails. The faults are a random
sample with a seed; what survives is printed with its line, to be looked at. Messages, annotations
and docstrings are left alone. (mutmut and cosmic-ray copy and import everything again for each
fault; here each is a fork of a process that has the libraries loaded. Needs Linux.)
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import resource
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
LEAST = 90.0
CPU_SECONDS = 900  # a fault that makes a loop endless is seen by its end

LOADED = (
    *("hypothesis.extra.numpy", "numba", "pandas", "polars", "pytest", "scipy.optimize"),
    *("sklearn.utils.estimator_checks", "sklearn.metrics", "joblib", "threadpoolctl"),
    *("dask.array", "dask.dataframe", "dask.distributed"),
)
# A room of src/weft, or a part of it, and the tests that see the most of it in the least time.
TESTS = {
    "_base": ["tests/trust"],
    "parallel": ["tests/parallel", "tests/trust/test_surroundings.py"],
    "models": ["tests/models", "tests/trust/test_small_faults.py"],
    "datasets": ["tests/datasets"],
    "backends": ["tests/backends"],
    "metrics": ["tests/metrics"],
    "kmeans": [  # single steps: whole fits see less, and take minutes
        f"tests/kmeans/test_{name}.py"
        for name in (
            *("weights", "alternation", "data", "fitting", "seeding", "constraint_steps"),
            *("blocks", "rounds", "sampling", "stream_steps", "steps", "constraints"),
        )
    ],
    "search/swarms": ["tests/search/swarms", "tests/search/test_optimize.py"],
    "search": ["tests/search", "tests/trust/test_small_faults.py"],
    "methods": ["tests/methods", "tests/estimators/test_staged_swarm.py"],
    "columns": ["tests/columns"],
    "choosing": ["tests/choosing", "tests/trust/test_small_faults.py"],
    "auto": ["tests/auto", "tests/estimators/test_auto_cluster.py"],
    "tables": [
        "tests/tables",
        "tests/trust/test_small_faults.py",
        "tests/trust/test_work_is_kept.py",
    ],
    "report": ["tests/report", "tests/trust/test_small_faults.py", "tests/trust/test_terminal.py"],
    "estimators": ["tests/estimators", "tests/trust/test_bad_parameters.py"],
    "cli": ["tests/cli", "tests/trust/test_terminal.py", "tests/trust/test_work_is_kept.py"],
}
# Compiled code is not changed: its cache does not see a changed tree, and the same cases hold every
# kernel to the readable one. Code for a GPU is not reached on every machine.
NOT_CHANGED = ("kernels", "presets", "gpu")

_COMPARE: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_ARITHMETIC: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}  # fmt: skip
_NAMES = {
    "min": "max", "max": "min", "argmin": "argmax", "argmax": "argmin", "minimum": "maximum",
    "maximum": "minimum", "any": "all", "all": "any", "zeros": "ones", "ones": "zeros",
    "sum": "max", "mean": "sum", "floor": "ceil", "ceil": "floor",
}  # fmt: skip


def _changes(node: ast.AST) -> Iterator[str]:
    """Change `node` in each way there is, and say how; the caller puts it back."""
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            node.ops[place] = _COMPARE[type(operator)]()
            yield f"{type(operator).__name__} → {type(node.ops[place]).__name__}"
            node.ops[place] = operator
    elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in _ARITHMETIC:
        before = node.op
        node.op = _ARITHMETIC[type(before)]()
        yield f"{type(before).__name__} → {type(node.op).__name__}"
        node.op = before
    elif isinstance(node, ast.BoolOp):
        before_bool = node.op
        node.op = ast.Or() if isinstance(before_bool, ast.And) else ast.And()
        yield f"{type(before_bool).__name__} → {type(node.op).__name__}"
        node.op = before_bool
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        test = node.test
        node.test = ast.UnaryOp(ast.Not(), test)
        yield "condition turned round"
        node.test = test
    elif isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
        value = node.value
        changed: Any = not value if isinstance(value, bool) else value + 1
        if isinstance(value, float):
            changed = 1.0 if value == 0.0 else value * 1.5
        node.value = changed
        yield f"{value!r} → {changed!r}"
        node.value = value
    elif isinstance(node, ast.Attribute) and node.attr in _NAMES:
        name = node.attr
        node.attr = _NAMES[name]
        yield f"{name} → {node.attr}"
        node.attr = name
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NAMES:
        name = node.func.id
        node.func.id = _NAMES[name]
        yield f"{name} → {node.func.id}"
        node.func.id = name


def _worth_changing(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but messages, annotations, decorators, and the module's names in capitals.

    These bound work and memory, or are tolerances: no result hangs on their last digit.
    """
    if isinstance(tree, ast.Assign) and all(
        isinstance(name, ast.Name) and name.id.isupper() for name in tree.targets
    ):
        return
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, (ast.Raise, ast.JoinedStr)):
                continue
            if isinstance(child, ast.Call) and getattr(child.func, "attr", "") == "warn":
                continue
            yield child
            yield from _worth_changing(child)


def modules_of(package: str) -> list[Path]:
    """Return the modules of a room, without those of a part that has tests of its own."""
    folder = SOURCE / "weft" / package
    parts = [SOURCE / "weft" / other for other in TESTS if other.startswith(f"{package}/")]
    return [
        path
        for path in sorted(folder.rglob("*.py"))
        if not any(path.is_relative_to(part) for part in parts)
        and not any(word in path.relative_to(folder).parts for word in NOT_CHANGED)
    ]


class Fault(NamedTuple):
    """One place of one module."""

    package: str
    path: Path
    number: int  # among the faults of its module; -1: none
    line: int = 0
    what: str = ""


def faults(package: str, path: Path) -> Iterator[Fault]:
    """Every fault of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    number = 0
    for node in list(_worth_changing(tree)):
        for what in _changes(node):
            yield Fault(package, path, number, getattr(node, "lineno", 0), what)
            number += 1


def faulty(fault: Fault) -> ast.Module:
    """The module with the fault in it."""
    tree = ast.parse(fault.path.read_text(encoding="utf-8"))
    number = 0
    for node in list(_worth_changing(tree)):
        for _ in _changes(node):
            if number == fault.number:
                return tree  # before the change is taken back
            number += 1
    raise ValueError(f"{fault.path} has no fault {fault.number}.")


class _Faulty(MetaPathFinder, Loader):
    """Imports one module from a tree instead of its file."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        self.name, self.path, self.tree = name, path, tree

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self.name:
            return None
        places = [str(self.path.parent)] if self.path.name == "__init__.py" else None
        return spec_from_file_location(
            name, self.path, loader=self, submodule_search_locations=places
        )

    def exec_module(self, module: Any) -> None:
        exec(compile(ast.fix_missing_locations(self.tree), str(self.path), "exec"), vars(module))  # noqa: S102 - our own source


def start(fault: Fault) -> int:
    """Run the tests in a fork with the faulty module; return the process."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        if fault.number >= 0:
            name = ".".join(fault.path.relative_to(SOURCE).with_suffix("").parts)
            finder = _Faulty(name.removesuffix(".__init__"), fault.path, faulty(fault))
            sys.meta_path.insert(0, finder)
        import pytest

        options = ["-x", "-q", "-p", "no:cacheprovider"]
        code = int(pytest.main([*options, *TESTS[fault.package]]))
    finally:
        os._exit(code)


def outcomes(work: list[Fault], end: float) -> Iterator[tuple[Fault, bool]]:
    """Try each, as many at a time as there are processors, until `end`; yield what is done, and
    whether no test has seen it."""
    waiting, running = list(work), dict[int, Fault]()
    while running or (waiting and time.monotonic() < end):
        while waiting and time.monotonic() < end and len(running) < len(os.sched_getaffinity(0)):
            fault = waiting.pop(0)
            running[start(fault)] = fault
        process, status = os.waitpid(-1, 0)
        yield running.pop(process), os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", type=int, default=300, help="how many, over all packages")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=7200.0, help="begin none after that")
    parser.add_argument("--trust", action="store_true", help="do not run the tests without faults")
    parser.add_argument("--packages", nargs="*", default=list(TESTS))
    given = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(SOURCE))
    kernels = (SOURCE / "weft" / "backends" / "cpu" / "kernels").glob("[a-z]*.py")
    # Once, for all forks; of weft, only what is not changed and imports nothing that is.
    for name in (*LOADED, *(f"weft.backends.cpu.kernels.{path.stem}" for path in kernels)):
        import_module(name)
    everything = [
        fault
        for package in given.packages
        for path in modules_of(package)
        for fault in faults(package, path)
    ]
    chosen = random.Random(given.seed).sample(everything, min(given.faults, len(everything)))
    end = time.monotonic() + given.seconds
    sound = [Fault(package, SOURCE, -1) for package in given.packages]
    if not given.trust and not all(alive for _, alive in outcomes(sound, end)):
        print("tests fail without any fault")
        return 1
    print(f"{len(everything)} faults possible, {len(chosen)} drawn", flush=True)
    counts = {package: [0, 0] for package in given.packages}
    for fault, alive in outcomes(chosen, end):
        counts[fault.package][0] += 1
        counts[fault.package][1] += not alive
        if alive:
            place = fault.path.relative_to(SOURCE)
            print(f"  survived: {place}:{fault.line}  {fault.what}", flush=True)
    for package, (tried, killed) in counts.items():
        print(f"{package}: {killed} of {tried} killed")
    tried, killed = (sum(count[place] for count in counts.values()) for place in (0, 1))
    share = 100.0 * killed / max(1, tried)
    print(f"mutation: {killed} of {tried} killed ({share:.1f} %)")
    return int(share < LEAST)


if __name__ == "__main__":
    sys.exit(main())
