"""``python -m checks.branches``: how many branches of ``src/weft`` the tests reach.

Compiled functions run outside Python, where coverage cannot count their lines, so they are left out
(tests compare each with its readable form in ``backends/reference``, which is counted). Code that
only runs on a GPU, and programs that tests start, are left out too. A stopped run can be resumed
(`checks.reached`).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from checks.reached import SOURCE, branch_counter, counted_files, load_libraries, read, refresh

LEAST = 94.0
NOT_COUNTED = ("*/backends/gpu/*",)
EXCLUDED = (
    r"^\s*@(?:nb\.)?njit",
    r"^\s*@(?:numba\.)?njit",
    r"^\s*@_?compiled",
    r"^\s*@register_jitable",
    r"^\s*@intrinsic",
    "if TYPE_CHECKING:",
    "raise NotImplementedError",
    r"^\s*\.\.\.$",
    r": \.\.\.(?:  #.*)?$",
)


def counted() -> dict[str, Any]:
    """Return coverage's report over the records of all test files."""
    arcs: dict[str, set[tuple[int, int]]] = {}
    for path in counted_files():
        record = read(path)
        for module, jumps in record.arcs.items() if record else ():
            arcs.setdefault(str(SOURCE / module), set()).update((a, b) for a, b in jumps)
    with tempfile.TemporaryDirectory() as folder:
        counting = branch_counter(folder)
        # "report:exclude_also" has no effect once the options have been read.
        usual = counting.get_option("report:exclude_lines")
        counting.set_option("report:exclude_lines", [*usual, *EXCLUDED])
        counting.get_data().add_arcs(arcs)
        # Modules that no test imports count as well.
        counting.get_data().touch_files(map(str, (SOURCE / "weft").rglob("*.py")))
        report = Path(folder) / "report.json"
        counting.json_report(outfile=str(report), omit=list(NOT_COUNTED), ignore_errors=True)
        return dict(json.loads(report.read_text()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--page", action="store_true", help="count what was run so far")
    given = parser.parse_args()
    began = time.monotonic()
    if not given.page:
        load_libraries()
        for path in refresh(modules_too=True, n_processes=given.processes):
            record = read(path)
            seconds = sum(record.seconds.values()) if record else 0.0
            took = time.monotonic() - began
            print(f"{took:6.0f} s  {path.name}: {seconds:.1f} s of processor time", flush=True)
    found = counted()
    about = [(entry["summary"], path) for path, entry in found["files"].items()]
    for summary, path in sorted(about, key=lambda each: -each[0]["missing_branches"])[:25]:
        lines = found["files"][path]["missing_lines"]
        print(
            f"{path}: {summary['missing_branches']} of {summary['num_branches']} branches and "
            f"{summary['missing_lines']} lines missed; first {lines[:12]}"
        )
    total = found["totals"]
    branches = 100.0 * total["covered_branches"] / max(1, total["num_branches"])
    print(
        f"branches: {total['covered_branches']} of {total['num_branches']} ({branches:.1f} %); "
        f"lines and branches together {total['percent_covered']:.1f} %"
    )
    failed = []
    for path in counted_files():
        record = read(path)
        failed += [f"{path.name} has no record"] if record is None else record.failed
    for test in failed:
        print(f"failed: {test}")
    return int(bool(failed) or branches < LEAST)


if __name__ == "__main__":
    sys.exit(main())
