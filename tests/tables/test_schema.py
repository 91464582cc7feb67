"""Limits of what a model file may hold about a table: the last allowed, the first refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.models.limits import takes

from weft.columns.mixed.blocks import Block
from weft.tables import schema
from weft.tables.reading import Reading
from weft.tables.schema import _block_fits, _reading_fits

READING, BLOCK, PLAN = schema._READING.fields, schema._BLOCK.fields, schema.plan_kind("d").fields
EMBEDDING, PLAIN = PLAN["points"].kinds
DIRECTIONS = EMBEDDING.fields["directions"].fields
SMALLEST = 5e-324


@pytest.mark.parametrize(
    ("kind", "allowed", "refused"),
    [
        (schema._FORMAT.fields["unit"], ["a" * 20], ["a" * 21]),
        (READING["unit"], ["a" * 20], ["a" * 21]),
        (READING["parts"], [["a" * 40] * 8], [["a"] * 9, ["a" * 41]]),
        (READING["periods"], [[0.0] * 8, [1e6]], [[0.0] * 9, [-1e-9], [1.1e6]]),
        (READING["origin"], [-1e9, 1e9], [-1.1e9, 1.1e9]),
        (READING["curve_scale"], [SMALLEST, 1e300], [0.0, 1.1e300]),
        (READING["low"], [-math.inf, 0.0, math.inf], [math.nan]),
        (BLOCK["position"], [0, 10**6], [-1, 10**6 + 1]),
        (BLOCK["source"], [0, 10**6], [-1, 10**6 + 1]),
        (BLOCK["period"], [0.0, 1e6], [-1e-9, 1.1e6]),
        (BLOCK["points"], [np.full((1, 1), np.nan)], [np.full((1, 1), np.inf), np.ones(2)]),
        (BLOCK["share"], [SMALLEST, 1000.0], [0.0, 1000.1]),
        (DIRECTIONS["axes"], [np.ones((0, 0)), np.ones((2, 3))], [np.ones(2)]),
        (
            DIRECTIONS["shrinkage"],
            [np.empty(0), np.array([0.0, 1.0])],
            [np.array([-0.1]), np.array([1.1])],
        ),
        (PLAIN.fields["fills"], [np.empty(0)], [np.array([np.nan])]),
        (PLAIN.fields["center"], [np.empty(0), -np.ones(1)], [np.array([np.nan])]),
        (PLAIN.fields["scale"], [np.empty(0), np.array([SMALLEST])], [np.zeros(1)]),
        (PLAN["fills"], [np.empty(0)], [np.array([np.nan])]),
        (PLAN["spread"], [np.empty(0), np.zeros(1)], [np.array([-SMALLEST])]),
        (schema._NONZERO, [SMALLEST, -SMALLEST, -2.0], [0.0]),
    ],
)
def test_limits_of_a_plan(kind, allowed, refused):
    assert [takes(kind, value) for value in allowed] == [True] * len(allowed)
    assert [takes(kind, value) for value in refused] == [False] * len(refused)


@pytest.mark.parametrize(
    ("measure", "shape", "period", "words"),
    [
        ("number", (1, 4), 0.0, ""),
        ("number", (1, 3), 0.0, "four numbers"),
        ("number", (2, 4), 0.0, "four numbers"),
        ("cyclic", (1, 3), 24.0, ""),
        ("cyclic", (1, 3), 0.0, "a circle needs"),
        ("cyclic", (1, 3), 1.0, ""),
        ("cyclic", (2, 3), 24.0, "a circle needs"),
        ("cyclic", (1, 4), 24.0, "a circle needs"),
        ("ordered", (5, 1), 0.0, ""),
        ("ordered", (5, 2), 0.0, "more than one coordinate"),
        ("category", (5, 2), 0.0, ""),
    ],
)
def test_numbers_of_a_block(measure, shape, period, words):
    found = _block_fits(Block(0, 0, measure, period, np.ones(shape), 1.0))
    assert (words in found) if words else found == ""


def test_numbers_are_not_divided_by_0():
    points = np.array([[0.0, 0.0, 1.0, 1.0]])
    assert _block_fits(Block(0, 0, "number", 0.0, points, 1.0)) == "divides by 0."
    assert _block_fits(Block(0, 0, "number", 0.0, points - np.eye(4)[1:2], 1.0)) == ""


def test_readings_that_make_no_sense():
    date = Reading("d", "date", form="year-month-day", parts=("age",), periods=(0.0,))
    assert _reading_fits(date) == ""
    assert "without a form" in _reading_fits(
        Reading("d", "date", form="", parts=("age",), periods=(0.0,))
    )
    both = Reading("d", "date", form="year-month", parts=("age", "x"), periods=(0.0, 7.0))
    assert _reading_fits(both) == "is a date with unknown parts."
    cycle = Reading("c", "cyclic", form="number", parts=("",), periods=(24.0,))
    assert _reading_fits(cycle) == ""
    assert _reading_fits(Reading("c", "cyclic", form="", parts=("",), periods=(24.0,)))
    assert _reading_fits(Reading("c", "category", levels=("a", "b"))) == ""
    assert _reading_fits(Reading("c", "category", levels=()))


def recipe(n_features, *columns):
    scale = {"method": "none", "center": [0.0] * n_features, "scale": [1.0] * n_features}
    return {"columns": list(columns), "missing": "error", "scale": scale}


def test_a_recipe_makes_as_many_features_as_it_scales():
    # A number is one feature, a category as many as it has values.
    number = {"name": "x", "kind": "numeric", "fill": 0.0}
    levels = {"name": "c", "kind": "categorical", "values": ["a", "b", "c"]}
    assert takes(schema.Recipe(), recipe(4, number, levels))
    assert takes(schema.Recipe(), recipe(2, number, number))
    assert not takes(schema.Recipe(), recipe(3, number, levels))
    assert not takes(schema.Recipe(), recipe(5, number, levels))
