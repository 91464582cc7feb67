"""What a stranger meets first: names, import cost, examples in docstrings."""

import doctest
import importlib
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


def _modules_with_examples():
    yield from ("weft.callbacks", "weft.metrics.external", "weft.metrics.internal")
    yield from sorted(set(weft._PUBLIC.values()))


@pytest.mark.parametrize("name", list(_modules_with_examples()))
def test_docstring_examples(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0
