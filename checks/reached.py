"""Which tests reach which lines of src/weft: each test file runs once, under coverage.

``build/reached`` has one record for each test file, with digests of the modules that it reached. A
file runs again if it, or a module that it reached, has changed. So a stopped run can be resumed,
and `checks.branches` and `checks.mutation` share one run. (Each test file runs in a fork of a
process that has the libraries loaded. Needs Linux.)
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import signal
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
KEPT = ROOT / "build" / "reached"
# Loaded once for all forks. Not weft itself: coverage and faults need to see its import.
LOADED = (
    *("hypothesis.extra.numpy", "numba", "pandas", "polars", "pytest", "scipy.optimize"),
    *("sklearn.utils.estimator_checks", "sklearn.metrics", "joblib", "threadpoolctl"),
    *("dask.array", "dask.dataframe", "dask.distributed", "coverage"),
)
# These tests start other programs, which are not counted.
NOT_RUN = ("test_faults.py", "test_docs.py")
OPTIONS = ("-q", "-p", "no:cacheprovider")


class Record(NamedTuple):
    """The record of one test file. A test is a function, with all its parameters together."""

    digest: str  # of the test file
    modules: dict[str, str]  # each module that it reached, by its path in src, and its digest
    seconds: dict[str, float]  # processor time of each test
    failed: list[str]
    lines: dict[str, dict[str, list[int]]]  # module → test → lines; "" is the import
    arcs: dict[str, list[tuple[int, int]]]  # module → jumps from line to line


def counted_files() -> list[Path]:
    """Return the test files that are counted; tests of single steps come first."""

    def rank(path: Path) -> tuple[int, Path]:
        parts = path.relative_to(ROOT / "tests").parts
        return 2 * (len(parts) == 1) + ("gpu" in parts or "bench" in parts), path

    files = sorted(ROOT.glob("tests/**/test_*.py"), key=rank)
    return [path for path in files if path.name not in NOT_RUN]


@cache
def digest_of(path: Path) -> str:
    """Return a digest of a file's content; empty if there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else ""


def load_libraries() -> None:
    """Import the libraries that every fork needs."""
    for name in LOADED:
        import_module(name)
    # Exclude these objects from garbage collection: pytest collects twice for each file, which took
    # as long as the tests of many files.
    gc.collect()
    gc.freeze()


def fork() -> int:
    """Fork; the child has its own process group, the usual Ctrl-C, and no output."""
    process = os.fork()
    if process == 0:
        os.setsid()
        # A job in the background ignores Ctrl-C; tests send it to themselves.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
    return process


def function_of(nodeid: str) -> str:
    """Return the function of a test, without its parameters."""
    return nodeid.partition("[")[0]


def processor_seconds() -> float:
    """Return the processor time of this process and of the children it has waited for."""
    return sum(os.times()[:4])


class _Watch:
    """A pytest plugin: one context of coverage, and the time, for each test."""

    def __init__(self, counting: Any) -> None:
        self.counting = counting
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed: list[str] = []
        self._before = processor_seconds()
        self._current = ""

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if function_of(nodeid) != self._current:
            self._current = function_of(nodeid)
            self.counting.switch_context(self._current)
        self._before = processor_seconds()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.seconds[function_of(nodeid)] += processor_seconds() - self._before

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


def branch_counter(folder: str) -> Any:
    """Return a coverage object for the branches of src/weft, with its data in a folder."""
    import coverage

    return coverage.Coverage(
        data_file=f"{folder}/data",
        branch=True,
        source=[str(SOURCE / "weft")],
        config_file=False,
    )


def _observe(path: Path) -> Record:
    """Run one test file in this process."""
    import pytest

    with tempfile.TemporaryDirectory() as folder:
        counting = branch_counter(folder)
        counting.start()
        watch = _Watch(counting)
        pytest.main([*OPTIONS, str(path.relative_to(ROOT))], plugins=[watch])
        counting.stop()
        data = counting.get_data()
        lines: dict[str, dict[str, list[int]]] = {}
        arcs: dict[str, list[tuple[int, int]]] = {}
        for name in sorted(data.measured_files()):
            jumps = data.arcs(name)
            if not jumps:
                continue  # coverage names every file of the source
            module = str(Path(name).relative_to(SOURCE))
            arcs[module] = sorted(jumps)
            by_test: dict[str, list[int]] = defaultdict(list)
            for line, tests in data.contexts_by_lineno(name).items():
                for test in tests:
                    by_test[test].append(line)
            lines[module] = by_test
    modules = {module: digest_of(SOURCE / module) for module in lines}
    return Record(digest_of(path), modules, watch.seconds, watch.failed, lines, arcs)


def _place(path: Path) -> Path:
    return KEPT / ("-".join(path.relative_to(ROOT / "tests").with_suffix("").parts) + ".json")


def read(path: Path) -> Record | None:
    """Return the record of a test file, if there is one."""
    place = _place(path)
    return Record(**json.loads(place.read_text())) if place.exists() else None


def _is_stale(path: Path, *, modules_too: bool) -> bool:
    record = read(path)
    if record is None or record.digest != digest_of(path):
        return True
    changed = (digest_of(SOURCE / name) != before for name, before in record.modules.items())
    return modules_too and any(changed)


def refresh(*, modules_too: bool, n_processes: int) -> Iterator[Path]:
    """Run the test files without a current record; yield each when it is done.

    Without `modules_too`, records are used even if modules have changed since; this is enough to
    choose tests.
    """
    KEPT.mkdir(parents=True, exist_ok=True)
    waiting = [path for path in counted_files() if _is_stale(path, modules_too=modules_too)]
    running: dict[int, Path] = {}
    while waiting or running:
        while waiting and len(running) < n_processes:
            path = waiting.pop(0)
            process = fork()
            if process == 0:
                try:
                    text = json.dumps(_observe(path)._asdict())
                    temporary = _place(path).with_suffix(".new")
                    temporary.write_text(text)
                    temporary.replace(_place(path))
                finally:
                    os._exit(0)
            running[process] = path
        process, _ = os.waitpid(-1, 0)
        yield running.pop(process)
