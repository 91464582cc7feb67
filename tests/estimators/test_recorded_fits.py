"""Every estimator learns on a small table what was recorded (tests/golden/fits.py)."""

from __future__ import annotations

import json
import math

import pytest
from tests.golden.fits import PATH, WAYS

RECORDED = json.loads(PATH.read_text(encoding="utf-8"))


def named(*starts: str) -> list[str]:
    """Return the cases whose names start with one of these texts."""
    return [name for name in WAYS if name.startswith(starts)]


def differences(name: str) -> list[str]:
    """Return the attributes that differ from the recorded ones, as sentences."""
    found, expected = WAYS[name](name), RECORDED[name]
    assert list(found) == list(expected)
    return [
        f"{key}: {found[key]}, recorded {value}"
        for key, value in expected.items()
        if not math.isclose(found[key], value, rel_tol=1e-5, abs_tol=1e-7)
    ]


def test_every_case_is_recorded():
    assert set(RECORDED) == set(WAYS)


@pytest.mark.parametrize("name", named("weighted"))
def test_weighted_k_means(name):
    assert differences(name) == []


@pytest.mark.parametrize("name", named("entropy", "adaptive"))
def test_entropy_k_means(name):
    assert differences(name) == []


@pytest.mark.parametrize("name", named("constrained"))
def test_constrained_k_means(name):
    assert differences(name) == []


@pytest.mark.parametrize("name", named("projected"))
def test_projected_swarms(name):
    assert differences(name) == []


@pytest.mark.parametrize("name", named("features", "dynamic", "genetic"))
def test_feature_swarms_and_pools_of_centres(name):
    assert differences(name) == []


@pytest.mark.parametrize("name", named("staged"))
def test_staged_swarms(name):
    assert differences(name) == []


@pytest.mark.parametrize("name", named("kernel", "subtractive"))
def test_kernel_methods(name):
    assert differences(name) == []


@pytest.mark.parametrize("name", named("similar", "feature clusters", "normalized"))
def test_columns_that_are_selected_or_normalized(name):
    assert differences(name) == []


@pytest.mark.parametrize("name", named("ranges", "prepared"))
def test_tables_that_are_scaled_or_prepared(name):
    assert differences(name) == []


# The last bits of evidence depend on the processor and on the version of LAPACK. Where they decide
# between two branches of the judge's trees, its scores change by whole steps.
JUDGED = ("alternatives_", "candidates_", "confidence_", "fitness_", "explain")
JUDGED += ("membership", "outlier_score", "predict_proba")


@pytest.mark.parametrize("name", named("auto"))
def test_auto_cluster(name):
    assert [text for text in differences(name) if not text.startswith(JUDGED)] == []


def test_every_case_belongs_to_an_estimator_above():
    tests = [test for name, test in globals().items() if hasattr(test, "pytestmark")]
    tested = [name for test in tests for name in test.pytestmark[0].args[1]]
    assert sorted(tested) == sorted(WAYS)
