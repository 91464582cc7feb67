"""``python -m checks.branches``: how many branches of ``src/weft`` the tests reach.

Compiled functions run outside Python, where nothing counts their lines: they are left out of the
number (their tests compare each with its readable twin in ``kernels/reference``, which counts). So
is what runs on a GPU alone. Programs that tests start are not counted either.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
LEAST = 92.0
SETTINGS = """
[run]
branch = true
source = {source}
omit =
    */kernels/gpu/*
    */kernels/cpu/__pycache__/*
[report]
exclude_also =
    ^\\s*@(?:nb\\.)?njit
    ^\\s*@(?:numba\\.)?njit
    ^\\s*@_?compiled
    ^\\s*@register_jitable
    ^\\s*@intrinsic
    if TYPE_CHECKING:
    raise NotImplementedError
    ^\\s*\\.\\.\\.$
    : \\.\\.\\.(?:  #.*)?$
"""


def groups(n_groups: int) -> list[list[str]]:
    """The test files in groups of about the same work, by file size."""
    files = sorted(ROOT.glob("tests/**/test_*.py"), key=lambda path: -path.stat().st_size)
    # These start programs of their own, where nothing is counted.
    kept = [str(path) for path in files if path.name not in ("test_faults.py", "test_docs.py")]
    return [kept[first::n_groups] for first in range(n_groups)]


def main() -> int:
    tool = [sys.executable, "-m", "coverage"]
    with tempfile.TemporaryDirectory() as name:
        settings, report = Path(name) / "settings", Path(name) / "report.json"
        settings.write_text(SETTINGS.format(source=ROOT / "src" / "weft"))
        options = [f"--rcfile={settings}", f"--data-file={Path(name) / 'data'}"]
        pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *sys.argv[1:]]
        running = [
            subprocess.Popen([*tool, "run", "--parallel-mode", *options, *pytest, *files], cwd=ROOT)
            for files in groups(max(1, len(os.sched_getaffinity(0))))
        ]
        failed = [process.wait() for process in running]
        subprocess.run([*tool, "combine", "--quiet", *options], cwd=ROOT, check=True)
        subprocess.run([*tool, "json", "-q", *options, "-o", str(report)], cwd=ROOT, check=True)
        found = json.loads(report.read_text())
    shares = []
    for path, entry in found["files"].items():
        about = entry["summary"]
        shares.append((about["percent_covered"], path, about))
    for share, path, about in sorted(shares)[:25]:
        lines = found["files"][path]["missing_lines"]
        print(
            f"{share:5.1f} %  {path}: {about['missing_lines']} lines, "
            f"{about['missing_branches']} branches missed; first {lines[:12]}"
        )
    total = found["totals"]
    branches = 100.0 * total["covered_branches"] / max(1, total["num_branches"])
    print(
        f"branches: {total['covered_branches']} of {total['num_branches']} ({branches:.1f} %); "
        f"lines and branches together {total['percent_covered']:.1f} %"
    )
    return int(any(failed) or branches < LEAST)


if __name__ == "__main__":
    sys.exit(main())
