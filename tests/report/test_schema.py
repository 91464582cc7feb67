"""Limits of what a summary in a model file may hold: the last value allowed, the first refused."""

from __future__ import annotations

import math

import pytest
from tests.models.limits import takes

from weft.reporting import schema
from weft.reporting.marking import MARKERS


def field(kind, *names):
    """The kind of a field, through optional parts, lists and dicts."""
    for name in names:
        while not hasattr(kind, "required"):
            kind = kind.kinds[-1] if hasattr(kind, "kinds") else kind.kind
        kind = {**kind.required, **kind.optional}[name]
    return kind


SUMMARY = schema.SUMMARY
TINY = 1e-12


@pytest.mark.parametrize(
    ("kind", "allowed", "refused"),
    [
        (schema._NUMBER, [None, -1e300, 1e300], [-1.1e300, 1.1e300, math.nan]),
        (schema._SURE, [-1e300, 1e300], [None, -1.1e300, 1.1e300]),
        (schema._SHARE, [0.0, 1.0, 1.0 + 1e-9], [-TINY, 1.0 + 2e-9]),
        (schema._COUNT, [0, 2**53], [-1, 2**53 + 1]),
        (schema._LABEL, [-1, 2**31 - 1], [-2, 2**31]),
        (field(SUMMARY, "schema"), [2], [1, 3]),
        (field(SUMMARY, "result", "fingerprint"), ["a" * 64], ["a" * 65]),
        (field(SUMMARY, "map", "label"), [[0] * 10_000], [[0] * 10_001]),
        (field(SUMMARY, "map", "explained"), [[0.5, 0.5]], [[1.0], [0.5, 0.3, 0.2]]),
        (field(SUMMARY, "silhouette", "mean"), [-1.001, 1.001], [-1.0011, 1.0011]),
        (
            field(SUMMARY, "silhouette", "widths"),
            [[[-1.001]], [[0.0] * 10_000]],
            [[[]], [[0.0] * 10_001], [[-1.0011]], [[1.0011]]],
        ),
        (field(SUMMARY, "scores", "ari"), [-1.001, 1.001], [-1.0011, 1.0011]),
        (field(SUMMARY, "stability", "n_repeats"), [1, 100], [0]),
        (field(SUMMARY, "versions"), [{"a": "1" * 100}], [{"a": "1" * 101}]),
        (field(SUMMARY, "certainty", "for"), [["x" * 200]], [["x" * 201]]),
        (field(SUMMARY, "candidates", "method"), ["x" * 100], ["x" * 101]),
        (field(SUMMARY, "alternatives", "method"), ["x" * 100], ["x" * 101]),
        (field(SUMMARY, "walk", "links"), [[[[0, 1, 2]]]], [[[[0, 1]]], [[[0, 1, 2, 3]]]]),
        (
            field(SUMMARY, "distributions", "columns", "typical"),
            [[[1, 2.5, "x"]], ["x", None]],
            [[[1, 2]], [[1, 2, 3, 4]]],
        ),
        (field(SUMMARY, "rows", "row"), [[0] * 50_000], [[0] * 50_001]),
        (field(MARKERS, "cluster"), [0, 2**31 - 1], [-1, 2**31]),
        (field(MARKERS, "effect"), [-1e300, 1e300], [-1.1e300, 1.1e300]),
        (field(MARKERS, "false_discovery_rate"), [0.0, 1.0], [-TINY, 1.0 + TINY]),
        (field(MARKERS, "module"), [-1, 2**53], [-2, 2**53 + 1]),
    ],
)
def test_limits_of_a_summary(kind, allowed, refused):
    assert [takes(kind, value) for value in allowed] == [True] * len(allowed)
    assert [takes(kind, value) for value in refused] == [False] * len(refused)


def test_settings_are_four_levels_deep():
    settings = field(SUMMARY, "settings")
    assert takes(settings, {"a": {"b": [[{"c": 1}]]}})
    assert takes(settings, {"a": {"b": [[None, True, 0.5, "x"]]}})
    assert not takes(settings, {"a": {"b": [[[[1]]]]}})


def test_a_marker_without_a_module_has_the_number_minus_1():
    module = field(MARKERS, "module")
    assert [takes(module, value) for value in (-2, -1, 0, 2**53, 2**53 + 1)] == [
        *(False, True, True, True, False)
    ]
