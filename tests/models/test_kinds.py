"""Kinds of values: what each takes and what it refuses, in one sentence."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

from weft.models.archive import Refused
from weft.models.kinds import (
    NOTHING,
    Array,
    Choice,
    Fields,
    Flag,
    Integer,
    Lengths,
    ListOf,
    MapOf,
    Number,
    OneOf,
    Record,
    Text,
    Texts,
    records_in,
)
from weft.models.kinds.simple import described
from weft.models.schema import Added, Only, Optional, Schema, check


class Pair(NamedTuple):
    first: np.ndarray
    second: int


PAIR = Record("Pair", Pair, {"first": Array(("n",)), "second": Integer(high=5)})
CASES = [
    (Number(0, 1), [0, 1, 0.5], [-0.1, 1.1, True, "1", None, math.nan, math.inf, 10**400]),
    (Number(0, above=True), [5e-324, 1e308, 3, 2**53], [0, 0.0, -1.0, 2**54]),
    (Number(whole=False), [1.0], [1, True]),
    (Number(nan=True, inf=True), [math.nan, -math.inf], [None, "nan"]),
    (Integer(1, 3), [1, 3], [0, 4, 1.0, True, "1", None, 10**400]),
    (Flag(), [True, False, 0, 1], [2, -1, 0.0, 1.0, None, "True", []]),
    (Text(3), ["", "abc", "é"], ["abcd", 1, None, b"a", "\ud800"]),
    (Choice("a", None, 2), ["a", None, 2], ["b", 2.0, True, 0, [], np.zeros(2)]),
    (OneOf(NOTHING, Integer(1, 3)), [None, 2], [0, "x", [], {}, np.ones(1)]),
    (ListOf(Integer(), 2), [[1, 2], (0, 3)], [[1], [1, 2, 3], [1, "2"], "ab", None, {1: 2, 2: 3}]),
    (ListOf(Text(), least=1, longest=2), [["a"], ["a", "b"]], [[], ["a"] * 3]),
    (MapOf(Number()), [{}, {"a": 1.5}], [{"a": "b"}, {1: 2}, [], None]),
    (
        Fields({"a": Flag()}, {"b": Text()}),
        [{"a": 1}, {"a": True, "b": ""}],
        [{}, {"a": 1, "c": 1}],
    ),
    (Array(("n", 2)), [np.ones((3, 2))], [np.ones((3, 3)), np.ones(2), np.ones((0, 2)), [[1, 2]]]),
    (Array(("*",), least=0), [np.ones(0), np.ones(7)], [np.ones(2, "f4"), np.ones(2, int), None]),
    (Array(("n",)), [np.ones(2)], [np.array([np.nan]), np.array([np.inf]), np.ones(2, ">f8")]),
    (Array(("n",), nan=True), [np.array([np.nan])], [np.array([-np.inf])]),
    (Array(("n",), low=0, high=1), [np.array([0.0, 1.0])], [np.array([-1e-9]), np.array([1.1])]),
    (Array(("n", "n")), [np.eye(3)], [np.ones((2, 3)), np.asfortranarray(np.ones((2, 2)))]),
    (Array(("n",), ("int64",), low=-1, into="n"), [np.array([-1, 1])], [np.array([2, 0])]),
    (Array(("n",), ("int64",), low=0, into="n"), [np.array([1, 0])], [np.array([0, -1])]),
    (Array(("n",), ("int64",), low=0, into="m"), [], [np.array([0])]),
    (Texts(("n",)), [np.array(["a"], dtype=object)], [np.array(["a"]), np.array([1], object), "a"]),
    (PAIR, [Pair(np.ones(2), 5)], [Pair(np.ones(2), 6), Pair(1, 2), (np.ones(2), 5), None]),
]


def fits(kind, value) -> bool:
    """Whether the value is allowed; a refusal must be the end of one sentence."""
    lengths = Lengths()
    try:
        kind.check(value, "'value_'", lengths)
        lengths.finish()
    except Refused as error:
        text = str(error)
        assert text.startswith("its ")
        assert text.endswith(".")
        assert "\n" not in text
        assert len(text) < 300
        return False
    return True


@pytest.mark.parametrize(("kind", "good", "bad"), CASES, ids=lambda each: type(each).__name__)
def test_what_a_kind_takes(kind, good, bad):
    assert [fits(kind, value) for value in good] == [True] * len(good)
    assert [fits(kind, value) for value in bad] == [False] * len(bad)


def test_a_symbol_has_one_length_in_the_whole_file():
    schema = Schema({}, {"n_": Integer(binds="n"), "a_": Array(("n",)), "b_": Array(("n", "m"))})
    good = {"n_": 2, "a_": np.ones(2), "b_": np.ones((2, 5))}
    assert check(schema, {}, good) == good
    for name, value in (("n_", 3), ("a_", np.ones(3)), ("b_", np.ones((3, 5)))):
        with pytest.raises(Refused, match=r"its '[nab]_' is"):
            check(schema, {}, {**good, name: value})


def test_alternatives_leave_no_length_behind():
    """A kind that was tried and did not fit must not decide what a symbol stands for."""
    tried = OneOf(Array(("n", 3)), Array(("m", 2)))
    schema = Schema({}, {"a_": tried, "b_": Array(("n",))})
    check(schema, {}, {"a_": np.ones((4, 2)), "b_": np.ones(7)})


def test_when_an_attribute_must_be_there():
    schema = Schema(
        {"form": Choice("x", "y")},
        {
            "always_": Integer(),
            "sometimes_": Optional(Integer()),
            "only_": Only(Integer(), "form", "x"),
            "added_": Added(Integer(), lambda learned: learned["always_"] + 1),
        },
        (lambda params, learned: "it is too large." if learned["added_"] > 9 else "",),
    )
    assert check(schema, {"form": "y"}, {"always_": 1}) == {"always_": 1, "added_": 2}
    assert check(schema, {"form": "x"}, {"always_": 1, "only_": 3, "sometimes_": 4})["only_"] == 3
    for params, learned, words in (
        ({"form": "y"}, {}, "always_"),
        ({"form": "x"}, {"always_": 1}, "lacks the attribute 'only_'"),
        ({"form": "y"}, {"always_": 1, "only_": 3}, "belongs to form='x'"),
        ({"form": "y"}, {"always_": 1, "more_": 3}, "'more_' is not declared"),
        ({"form": "z"}, {"always_": 1}, "parameter 'form' is 'z'"),
        ({"form": "y", "size": 1}, {"always_": 1}, "parameter 'size' is not declared"),
        ({"form": "y"}, {"always_": 9}, "too large"),
    ):
        with pytest.raises((Refused, LookupError), match=words):
            check(schema, params, learned)


def test_records_are_found_wherever_they_are():
    nested = ListOf(OneOf(NOTHING, Fields({"a": MapOf(PAIR)})))
    assert [record.name for record in records_in(nested)] == ["Pair"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "None"),
        (True, "True"),
        (2.5, "2.5"),
        ("a\nb", "'a\\nb'"),
        ("x" * 59, "'" + "x" * 58 + "…"),
        ("x" * 58, "'" + "x" * 58 + "'"),
        (10**20 - 1, "9" * 20),
        (-(10**20), "a very large integer"),
        (np.zeros((2, 3), np.int8), "an array of int8 with shape (2, 3)"),
        ([1], "a list"),
    ],
)
def test_values_of_a_file_in_words(value, words):
    assert described(value) == words
