"""What a stranger meets first: names, import cost, examples in docstrings."""

import subprocess
import sys

import pytest

import weft


def test_public_names_are_there():
    for name in weft.__all__:
        assert getattr(weft, name) is not None
    assert set(weft.__all__) <= set(dir(weft))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = weft.nothing


def test_import_is_cheap():
    code = (
        "import sys, weft; "
        "print([m for m in ('numpy', 'numba', 'sklearn', 'pandas', 'torch') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
