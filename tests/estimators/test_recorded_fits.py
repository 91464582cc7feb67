"""Every estimator on a small table learns what was written down (tests/golden/fits.py)."""

from __future__ import annotations

import json
import math

import pytest
from tests.golden.fits import PATH, WAYS

RECORDED = json.loads(PATH.read_text(encoding="utf-8"))


def test_every_case_is_recorded():
    assert set(RECORDED) == set(WAYS)


@pytest.mark.parametrize("name", WAYS)
def test_fits_learn_what_is_recorded(name):
    found = WAYS[name](name)
    expected = RECORDED[name]
    assert list(found) == list(expected)
    wrong = [
        f"{key}: {found[key]}, recorded {value}"
        for key, value in expected.items()
        if not math.isclose(found[key], value, rel_tol=1e-5, abs_tol=1e-7)
    ]
    assert wrong == []
