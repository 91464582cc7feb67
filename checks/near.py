"""Test files that are likely to detect a fault, by their names and imports.

A record of the lines that every test reaches (`checks.reached`) takes as long as all tests. Most
faults are detected by a file that imports their module, so these files are tried first.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from checks.faults_of_source import Fault
from checks.reached import ROOT, SOURCE, counted_files

# Folders with tests of rooms that use another room.
_USERS = {"tables": ("cli",), "weft": ("sc",), "_base": ("trust",), "reporting": ("cli",)}
_USERS |= dict.fromkeys(("methods", "search", "kmeans", "choosing"), ("estimators",))


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _distance(module: Path, room: str, path: Path) -> int:
    """Return the distance of a test file from a module: 0 if it names it, 4 if unrelated."""
    parts = module.relative_to(SOURCE).with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    package, last, text = ".".join(parts[:-1]), parts[-1], _text(path)
    names = rf"\b{re.escape('.'.join(parts))}\b|from {re.escape(package)} import [^\n]*\b{last}\b"
    folder = path.relative_to(ROOT / "tests").parts[0]
    is_own = folder == {"reporting": "report"}.get(room, room)
    if re.search(names, text) or (is_own and path.stem == f"test_{last}"):
        return 0 if is_own else 1
    if is_own:
        return 2
    return 3 if folder in _USERS.get(room, ()) else 4


# Compares every default of the code with what its docstring says.
DEFAULTS = "tests/test_documented_defaults.py"


def near_files(fault: Fault, *, in_function: bool = True) -> list[str]:
    """Return test files by their distance from a fault, short ones first.

    Code outside functions is mostly a default.
    """
    names = _ranked(fault.path, fault.room)
    return [*([] if in_function else [DEFAULTS]), *names]


@cache
def _ranked(module: Path, room: str) -> tuple[str, ...]:
    ranked = sorted(
        (distance, path.stat().st_size, str(path.relative_to(ROOT)))
        for path in counted_files()
        if (distance := _distance(module, room, path)) < 4
        and not {"gpu", "bench"} & set(path.parts)
    )
    return tuple(name for _, _, name in ranked)
