"""ARCHITECTURE.md names files, packages and functions of the tree as it is today."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "weft"
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
CODE = re.findall(r"`([^`\n]+)`", PAGE)
# "cli/fitting.py:search", "auto/evidence:measure", "estimators/x.py:Class.method"
HOPS = sorted({each for each in CODE if re.fullmatch(r"[\w/.]+:[\w.]+", each)})
FILES = sorted({each for each in CODE if re.fullmatch(r"[\w/]*[\w.]+/|[\w/]+\.py", each)})


def _place(name: str) -> Path | None:
    """Return the file or folder of that name, in the package or in the repository."""
    bases = (PACKAGE, ROOT, PACKAGE / "estimators")  # a line on estimators leaves their folder out
    return next((base / name for base in bases if (base / name).exists()), None)


def _defined(path: Path) -> set[str]:
    """Return the functions, classes and methods that a module defines or imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            inner = (part for part in node.body if isinstance(part, ast.FunctionDef))
            found |= {f"{node.name}.{part.name}" for part in inner}
        if isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in node.names}
    return found


def _top_level(block: str) -> set[str]:
    """Return the entries that a drawing of folders lists one level below its head."""
    return set(re.findall(r"^ {6}([\w.]+/?)(?= |$)", block, re.M))


@pytest.mark.parametrize("hop", HOPS)
def test_every_step_of_the_walks_exists(hop):
    name, _, function = hop.partition(":")
    path = _place(name)
    assert path is not None, f"{name} does not exist"
    module = path / "__init__.py" if path.is_dir() else path
    assert function in _defined(module), f"{name} does not define {function}"


def test_walks_have_steps():
    assert len(HOPS) >= 20


@pytest.mark.parametrize("name", FILES)
def test_every_file_and_folder_that_is_named_exists(name):
    assert _place(name) is not None, f"{name} does not exist"


def test_the_list_of_packages_is_complete():
    block = PAGE.partition("    src/weft/\n")[2].partition("\n\n")[0]
    packages = {f"{path.parent.name}/" for path in PACKAGE.glob("*/__init__.py")}
    assert _top_level(block) - {"__init__.py"} == packages


def test_only_one_package_starts_threads():
    starters = re.compile(r"\b(ThreadPoolExecutor|ProcessPoolExecutor|threading\.Thread)\b")
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if starters.search(path.read_text(encoding="utf-8"))
    }
    assert found
    assert {name.partition("/")[0] for name in found} == {"parallel"}


def test_the_list_of_benches_is_complete():
    block = PAGE.partition("    bench/\n")[2].partition("\n    bench/evidence.py")[0]
    benches = {f"{path.parent.name}/" for path in (ROOT / "bench").glob("*/__init__.py")}
    assert _top_level(block) == benches | {"results/"}
