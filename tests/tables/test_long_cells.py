"""Cells of 100,000 characters: time must grow with their length, not with its square."""

from __future__ import annotations

import subprocess
import sys

import pytest

N = 100_000
# Each text almost fits a pattern. A pattern that divides a run of signs in all possible ways needs
# 5e9 steps or more for one of them; one that reads it once needs 1e5.
_CELLS = {
    "number": f"'1' + ' ' * {N} + '#'",
    "limit": f"'<' + ' ' * {N} + 'x'",
    "date": f"'2024-01-01 10:00' + ' ' * {N} + 'x'",
    "word": f"'a' * {N} + '1234'",
    "address": f"'a@' + '.' * {N} + '@'",
}
_READ = """
import pathlib, sys
from weft.io import prepare_table, read_csv
path = pathlib.Path(sys.argv[1])
rows = [f"{i},{i * i},{LONG if i == 3 else 'x@y.z'}" for i in range(40)]
path.write_text("\\n".join(["a,b,c", *rows]))
prepare_table(read_csv(path))
"""
_TABS = """
import pathlib, sys
from weft.tables.text_form import find_text_form
path = pathlib.Path(sys.argv[1])
path.write_text("a" + "\\tb" * 100_000 + "\\n" + ("1" + "\\t" * 100_000 + "1\\n") * 5)
find_text_form(path, "t.tsv")
"""


@pytest.mark.parametrize("name", [*_CELLS, "tabs"])
def test_long_cells_are_read_at_once(name, tmp_path):
    # A process of its own, because a regular expression cannot be interrupted. It takes seconds.
    code = _TABS if name == "tabs" else _READ.replace("LONG", _CELLS[name])
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "t.csv")], check=True, timeout=100)
