"""``python -m checks.mutation``: insert small faults in src, and count those that tests detect.

Each fault changes one place of one module (a comparison, a sign, a constant, a condition, a minimum
that becomes a maximum). The tests that reach its statement (`checks.reached`) run until one fails,
tests of the same room first, short ones before long ones, up to `BUDGET` seconds. The faults are a
random sample with a seed; faults that survive are printed with their lines. Messages, annotations
and docstrings are not changed. `build/mutation.json` stores the results: a stopped run can be
resumed, and survivors are tried again when tests that reach them have changed. With ``--near`` no
record is needed: tests are chosen by the imports of their files (`checks.near`), and survivors are
tried again in a run without it. (mutmut and cosmic-ray copy and import everything again for each
fault. This program forks a process that has the libraries loaded. Needs Linux.)
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from checks.faults_of_source import Fault, faults, install, modules
from checks.near import near_files
from checks.reached import (
    OPTIONS,
    ROOT,
    SOURCE,
    Record,
    counted_files,
    digest_of,
    fork,
    function_of,
    load_libraries,
    processor_seconds,
    read,
    refresh,
)

LEAST = 90.0
BUDGET = 12.0  # processor seconds of tests for each fault
STILL = 300.0  # a process that uses no processor time for this long is assumed to hang
LEDGER = ROOT / "build" / "mutation.json"


# Which tests see a fault ------------------------------------------------------------------------


def statement_of(tree: ast.Module, line: int) -> tuple[range, bool]:
    """Return the lines of the innermost statement around a line, without the body of a compound
    one, and whether a function holds it: all else runs when the module is imported."""
    lines, inside = range(line, line + 1), False
    pending: list[tuple[ast.AST, bool]] = [(tree, False)]
    while pending:
        node, held = pending.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt) and child.lineno <= line <= (child.end_lineno or 0):
                body = [each for each in getattr(child, "body", []) if isinstance(each, ast.stmt)]
                end = body[0].lineno if body else (child.end_lineno or 0) + 1
                lines, inside = range(child.lineno, max(end, child.lineno + 1)), held
                is_function = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef))
                pending.append((child, held or is_function))
            elif not isinstance(child, ast.stmt):
                pending.append((child, held))
    return lines, inside


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


class Tests(NamedTuple):
    """Tests that reach a fault, and their duration."""

    names: list[str]  # in the order in which they run: functions, or files
    seconds: float  # 0 where it is not known
    digest: str  # of their files


def digest_of_files(names: list[str]) -> str:
    """Return a digest of the files of some tests."""
    files = sorted({name.partition("::")[0] for name in names})
    digests = "".join(digest_of(ROOT / name) for name in files)
    return hashlib.sha256(digests.encode()).hexdigest()[:16]


def seeing(fault: Fault, records: dict[Path, Record]) -> Tests:
    """Return the tests that reach the statement of a fault, within the budget."""
    lines, inside = statement_of(_tree(fault.path), fault.line)
    wanted = set(lines)
    found: list[tuple[bool, float, str]] = []
    own = Path("tests") / {"reporting": "report"}.get(fault.room, fault.room)
    for path, record in records.items():
        same = record.modules.get(fault.module) == digest_of(fault.path)
        failed = {function_of(name) for name in record.failed}
        for test, reached in record.lines.get(fault.module, {}).items():
            if test and test not in failed and not (inside and same and wanted.isdisjoint(reached)):
                far = not path.relative_to(ROOT).is_relative_to(own)
                found.append((far, record.seconds[test], test))
    names, total = list[str](), 0.0
    for _, seconds, test in sorted(found):
        if not names or total + seconds <= BUDGET:
            names.append(test)
            total += seconds
    return Tests(names, total, digest_of_files(names))


def near(fault: Fault) -> Tests:
    """Return the test files that are likely to detect a fault; they run within the budget."""
    inside = statement_of(_tree(fault.path), fault.line)[1]
    names = near_files(fault, in_function=inside)
    return Tests(names, 0.0, "near " + digest_of_files(names))


class _Chosen:
    """A pytest plugin: runs only the given tests, in their order, and stores the first failure."""

    def __init__(self, names: list[str]) -> None:
        self.rank = {name: number for number, name in enumerate(names)}
        self.failed: list[str] = []

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        def rank(item: Any) -> int:
            function = function_of(item.nodeid)
            return self.rank.get(function, self.rank.get(function.partition("::")[0], -1))

        items[:] = sorted((item for item in items if rank(item) >= 0), key=rank)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


# Runs --------------------------------------------------------------------------------------------


def start(fault: Fault, tests: Tests, told: Path, *, all_of_them: bool = False) -> int:
    """Run the tests in a fork with the faulty module; return the process."""
    process = fork()
    if process:
        return process
    code = 1
    try:
        limit = int(60 + 6 * tests.seconds)  # a fault that makes a loop endless ends by this limit
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        if fault.number >= 0:
            install(fault)
        import pytest

        chosen = _Chosen(tests.names)
        options = [*OPTIONS, *([] if all_of_them else ["-x"])]
        code = 0
        # Each file separately, so that only needed modules are imported.
        for file in dict.fromkeys(name.partition("::")[0] for name in tests.names):
            ended = int(pytest.main([*options, file], plugins=[chosen]))
            code = code or (0 if ended == 5 else ended)  # 5: no tests
            late = file in tests.names and processor_seconds() > BUDGET
            if late or (code and not all_of_them):
                break
        told.write_text(json.dumps(chosen.failed))
    finally:
        os._exit(code)


class Outcome(NamedTuple):
    """The outcome of a fault."""

    alive: bool
    by: list[str]  # the tests that failed


def _still(process: int, since: dict[int, tuple[float, float]]) -> bool:
    """Return whether a process has used no processor time for long."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    used = sum(map(float, fields[11:15]))  # its own time and that of its children, in ticks
    before, when = since.setdefault(process, (used, time.monotonic()))
    if used > before:
        since[process] = (used, time.monotonic())
    return time.monotonic() - when > STILL


def _end_group(process: int) -> None:
    """End what tests have left running: a fault may leave workers that run on without end."""
    with suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


def outcomes(
    work: list[tuple[Fault, Tests]], end: float, n_processes: int, *, all_of_them: bool = False
) -> Iterator[tuple[Fault, Tests, Outcome]]:
    """Try each fault, some at a time, until `end`."""
    waiting, running = list(work), dict[int, tuple[Fault, Tests, Path]]()
    since: dict[int, tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        while running or (waiting and time.monotonic() < end):
            while waiting and time.monotonic() < end and len(running) < n_processes:
                fault, tests = waiting.pop(0)
                told = Path(folder) / str(len(waiting))
                running[start(fault, tests, told, all_of_them=all_of_them)] = fault, tests, told
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                time.sleep(0.05)
                for one in running:
                    if _still(one, since):
                        os.killpg(one, signal.SIGKILL)
                continue
            _end_group(process)
            fault, tests, told = running.pop(process)
            since.pop(process, None)
            # A fault may break what pytest imports first; without a fault that is a mistake here.
            stopped = os.WIFEXITED(status) and os.WEXITSTATUS(status) in (3, 4)
            if stopped and fault.number < 0:
                raise RuntimeError(f"pytest could not run {tests.names}.")
            alive = os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0
            by = json.loads(told.read_text()) if told.exists() else []
            yield fault, tests, Outcome(alive, by)


def wrong_without_faults(ledger: dict[str, Any], end: float, n_processes: int) -> set[str]:
    """Return tests that killed faults but also fail without a fault; these kills do not count."""
    by_file: dict[str, set[str]] = defaultdict(set)
    for entry in ledger.values():
        for test in map(function_of, entry["by"]):
            by_file[test.partition("::")[0]].add(test)
    work = [(Fault(SOURCE, -1), Tests(sorted(names), 600.0, "")) for names in by_file.values()]
    done = outcomes(work, end, n_processes, all_of_them=True)
    return {function_of(name) for _, _, outcome in done for name in outcome.by}


def sample(everything: list[Fault], count: int, seed: int) -> list[Fault]:
    """Return a sample of the faults; a change of one module does not change that of others."""

    def draw(fault: Fault) -> str:
        name = f"{seed} {fault.module} {fault.number}"
        return hashlib.sha256(name.encode()).hexdigest()

    return sorted(everything, key=draw)[:count]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", type=int, default=300, help="how many, over all rooms")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=7200.0, help="start none after this")
    parser.add_argument("--rooms", nargs="*", help="try only faults of these rooms")
    parser.add_argument("--recorded", action="store_true", help="run no tests for the record first")
    parser.add_argument("--near", action="store_true", help="choose tests without a record")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(SOURCE))
    end = time.monotonic() + given.seconds
    load_libraries()
    if not given.recorded and not given.near:
        for path in refresh(modules_too=False, n_processes=given.processes):
            print(f"  ran {path.name}", flush=True)
    paths = [] if given.near else counted_files()
    records = {path: record for path in paths if (record := read(path)) is not None}
    everything = [fault for path in modules() for fault in faults(path)]
    chosen = sample(everything, given.faults, given.seed)
    print(f"{len(everything)} faults possible, {len(chosen)} drawn", flush=True)
    if given.rooms:
        chosen = [fault for fault in chosen if fault.room in given.rooms]
    ledger: dict[str, Any] = json.loads(LEDGER.read_text()) if LEDGER.exists() else {}
    work = []
    for fault in chosen:
        tests = near(fault) if given.near else seeing(fault, records)
        known = ledger.get(fault.key, {"alive": True, "tests": ""})
        if known["alive"] and not tests.names:
            ledger[fault.key] = {"alive": True, "by": [], "tests": tests.digest}
        elif known["alive"] and known["tests"] != tests.digest:
            work.append((fault, tests))
    for number, (fault, tests, outcome) in enumerate(outcomes(work, end, given.processes), 1):
        ledger[fault.key] = {**outcome._asdict(), "tests": tests.digest}
        LEDGER.write_text(json.dumps(ledger, indent=0))
        if outcome.alive or number % 20 == 0:
            words = "survived" if outcome.alive else "killed"
            print(f"  {number} of {len(work)} {words}: {fault.module}:{fault.line}", flush=True)
    tried = [fault for fault in chosen if fault.key in ledger]
    kept = {fault.key: ledger[fault.key] for fault in tried if not ledger[fault.key]["alive"]}
    wrong = wrong_without_faults(kept, end, given.processes)
    for test in sorted(wrong):
        print(f"fails without any fault, so its kills do not count: {test}")
    return report(
        tried, {key for key in kept if not wrong & set(map(function_of, kept[key]["by"]))}
    )


def report(tried: list[Fault], killed: set[str]) -> int:
    """Print the faults that survived, and the share of killed faults by room."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for fault in sorted(tried):
        counts[fault.room][0] += 1
        counts[fault.room][1] += fault.key in killed
        if fault.key not in killed:
            print(f"  survived: {fault.module}:{fault.line}  {fault.what}")
    for room, (n_tried, n_killed) in sorted(counts.items()):
        print(f"{room}: {n_killed} of {n_tried} killed")
    share = 100.0 * len(killed) / max(1, len(tried))
    print(f"mutation: {len(killed)} of {len(tried)} killed ({share:.1f} %)")
    return int(share < LEAST)


if __name__ == "__main__":
    sys.exit(main())
