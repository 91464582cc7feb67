"""Values as JSON and back, by hand; what is not known is refused."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

from weft.models.archive import Refused
from weft.models.codec import decode, encode, field_names


class Pair(NamedTuple):
    first: object
    second: object = 2


@dataclass(frozen=True)
class Box:
    size: int = 1
    made: int = field(default=5, init=False)


RECORDS = {"Pair": Pair, "Box": Box}


@pytest.mark.parametrize(
    ("value", "json"),
    [
        (None, None),
        (True, True),
        (3, 3),
        ("a", "a"),
        (0.5, 0.5),
        (np.float64(0.5), 0.5),
        (np.int32(3), 3),
        (math.nan, {"$float": "nan"}),
        (-math.inf, {"$float": "-inf"}),
        ([1, [2]], [1, [2]]),
        ((1, "a"), {"$tuple": [1, "a"]}),
        ({"a": (1,)}, {"a": {"$tuple": [1]}}),
        (Pair(1, [2]), {"$record": "Pair", "fields": {"first": 1, "second": [2]}}),
        (Box(7), {"$record": "Box", "fields": {"size": 7}}),
    ],
)
def test_values_and_their_json(value, json):
    arrays = []
    assert encode(value, "x", arrays, RECORDS) == json
    again = decode(json, arrays, RECORDS)
    assert type(again) is type(value) or isinstance(value, np.generic)
    assert again == value or math.isnan(value)
    assert arrays == []


def test_arrays_are_numbered():
    arrays = []
    given = {"a": np.arange(3), "b": np.ones((2, 2), order="F"), "c": np.ones(2, dtype=">f8")}
    json = encode(given, "x", arrays)
    assert json == {"a": {"$array": 0}, "b": {"$array": 1}, "c": {"$array": 2}}
    assert arrays[1].flags.c_contiguous
    assert all(array.dtype.isnative for array in arrays)
    again = decode(json, arrays)
    assert all((again[key] == given[key]).all() for key in given)


def test_arrays_of_text_keep_their_shape():
    texts = np.array([["a", "b"], ["c", "d"]], dtype=object)
    json = encode(texts, "x", [])
    assert json == {"$texts": ["a", "b", "c", "d"], "shape": [2, 2]}
    np.testing.assert_array_equal(decode(json, []), texts)
    with pytest.raises(ValueError, match="x is an array of object"):
        encode(np.array(["a", 1], dtype=object), "x", [])


@pytest.mark.parametrize("value", [object(), {1: 2}, {"$a": 1}, {1, 2}, Pair(1), Box])
def test_values_that_cannot_be_saved(value):
    with pytest.raises(ValueError, match="cannot hold"):
        encode(value, "x", [])


@pytest.mark.parametrize(
    "json",
    [
        {"$array": 1},
        {"$array": -1},
        {"$array": 0, "more": 1},
        {"$array": "0"},
        {"$texts": ["a"]},
        {"$texts": ["a"], "shape": [1], "more": 1},
        {"$float": "1.0"},
        {"$float": "nan", "more": 1},
        {"$tuple": [], "more": 1},
        {"$tuple": {}},
        {"$record": "Pair"},
        {"$record": "Pair", "fields": {}, "more": 1},
        {"$record": "Other", "fields": {}},
        {"$record": "Pair", "fields": {"third": 1}},
        {"$record": "Box", "fields": {"made": 1}},
        {"a": {"$other": 1}},
    ],
)
def test_forms_that_are_not_known(json):
    with pytest.raises(Refused):
        decode(json, [np.zeros(1)], RECORDS)


def test_fields_that_make_a_record():
    assert field_names(Pair) == ("first", "second")
    assert field_names(Box) == ("size",)
    assert field_names(tuple) is None
    assert field_names(int) is None
    # A field that a file does not have keeps its default.
    assert decode({"$record": "Pair", "fields": {"first": 1}}, [], RECORDS) == Pair(1, 2)
