"""Numbers of reports and figures are those that were written down (tests/golden/reports.py)."""

from __future__ import annotations

import json

import pytest
from tests.golden.reports import PATH, differences, made

from weft.reporting import plots


@pytest.fixture(scope="module")
def reports():
    return made()


@pytest.mark.parametrize("name", ["search", "table", "figures"])
def test_numbers_are_those_that_were_written_down(name, reports):
    assert differences(reports[name], json.loads(PATH.read_text())[name], name) == []


def test_a_changed_number_a_missing_one_and_another_length_are_seen():
    expected = {"a": [1.0, 2.0], "b": None, "c": True}
    assert differences({**expected, "new": 3}, expected) == []
    assert differences({**expected, "a": [1.0, 2.1]}, expected) == ["/a/1: 2.1, not 2.0"]
    assert differences({**expected, "a": [1.0]}, expected) == ["/a: 2 entries expected"]
    assert differences({"a": [1.0, 2.0], "c": False}, expected) == [
        "/b: 'missing', not None",
        "/c: False, not True",
    ]


@pytest.mark.parametrize(("effect", "most"), [(0.1, 0.5), (2.0, 2.0), (90.0, 5.0)])
def test_the_colours_of_a_profile_reach_from_half_to_five_deviations(effect, most):
    found = {"features": ["a", "b"], "labels": [0], "effects": [[-effect, 0.0]]}
    heat = plots.profile({"profile": found}).data[0]
    assert (heat.zmin, heat.zmax) == (-most, most)
