"""Candidates and evidence are those that the judges were trained on (see tests/golden/evidence.py).

Low bits differ between processors, so numbers are compared with a tolerance.
"""

from __future__ import annotations

import json

import pytest
from numpy.testing import assert_allclose
from tests.golden.evidence import PATH, TABLES, evidence_of, mixed_evidence

CLOSE = {"rtol": 1e-5, "atol": 1e-6}


@pytest.fixture(scope="module")
def written():
    return json.loads(PATH.read_text())


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_the_evidence_that_was_written_down(name, written):
    found, expected = evidence_of(name), written[name]
    for part in ("kept", "group"):
        assert found[part] == expected[part]
    for part in ("strength", "values", "table", "gate", "confidence"):
        assert_allclose(found[part], expected[part], **CLOSE, err_msg=part)


def test_a_mixed_table_has_the_evidence_that_was_written_down(written):
    found, expected = mixed_evidence(), written["mixed"]
    for part in ("kept", "ways", "sizes"):
        assert found[part] == expected[part]
    assert_allclose(found["strength"], expected["strength"], **CLOSE)
    assert_allclose(found["values"], expected["values"], **CLOSE)
