"""Checks of parameters and tables: the last value that is allowed, and the first that is not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from weft._base import reading
from weft._base.memory import check_memory, check_swarm
from weft._base.validation import (
    LARGEST,
    check_choice,
    check_integer,
    check_magnitude,
    check_pair,
    check_params,
    check_real,
    import_optional,
    largest_for,
    parse_memory,
    shown,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x" * 58, "'" + "x" * 58 + "'"),  # 60 with its quotes
        ("x" * 59, "'" + "x" * 58 + "…"),
        ("a\nb\x1b", "'a\\nb\\x1b'"),
        (np.ones((2, 3)), "an array of shape (2, 3)"),
        (np.float64(3.0), "np.float64(3.0)"),
        (10**20 - 1, "9" * 20),
        (10**20, "a very large integer"),
        (-(10**20), "a very large integer"),
    ],
)
def test_values_in_a_sentence(value, text):
    assert shown(value) == text


def test_choices():
    assert check_choice("scale", "a", ("a", None)) == "a"
    assert check_choice("scale", None, ("a", None)) is None
    for wrong in ("b", ["a"], np.array("a"), {"a": 1}):
        with pytest.raises(ValueError, match=r"is not known; choose one of 'a', None\."):
            check_choice("scale", wrong, ("a", None))


def test_integers():
    assert [check_integer("k", value, low=2, high=5) for value in (2, np.int8(5))] == [2, 5]
    assert check_integer("k", 10**9, low=2) == 10**9
    for wrong in (1, 6):
        with pytest.raises(ValueError, match=f"k={wrong} must be between 2 and 5"):
            check_integer("k", wrong, low=2, high=5)
    with pytest.raises(ValueError, match="k=1 must be at least 2"):
        check_integer("k", 1, low=2)
    for wrong in (True, 2.0, "2", None):
        with pytest.raises(TypeError, match="must be an integer of at least 2"):
            check_integer("k", wrong, low=2)


def test_reals():
    assert check_real("p", 1, low=1.0, high=2.0) == 1.0
    assert check_real("p", 2.0, low=1.0, high=2.0) == 2.0
    assert check_real("p", -1e300) == -1e300
    cases = {
        "at least 1 and at most 2": (0.5, {"low": 1.0, "high": 2.0}),
        "at most 2": (2.5, {"high": 2.0}),
        "above 1": (1.0, {"low": 1.0, "open_low": True}),
        "at least 1": (math.nan, {"low": 1.0}),
        "a finite number": (math.inf, {}),
    }
    for words, (value, limits) in cases.items():
        with pytest.raises(ValueError, match=f"{words}.$"):
            check_real("p", value, **limits)
    with pytest.raises(ValueError, match="p=a very large integer must be a finite number"):
        check_real("p", 10**400)
    for wrong in (True, "1", None, 1j):
        with pytest.raises(TypeError, match="must be a number"):
            check_real("p", wrong)


@pytest.mark.parametrize(
    ("value", "n_bytes"),
    [
        (7, 7),
        ("7", 7),
        ("2KB", 2000),
        ("2kib", 2048),
        (" 1.5 MB ", 1_500_000),
        ("1GiB", 2**30),
        ("1TB", 10**12),
    ],
)
def test_amounts_of_memory(value, n_bytes):
    assert parse_memory("max_memory", value) == n_bytes


@pytest.mark.parametrize("value", [0, -1, True, 1.5, "", "0GB", "1.2.3GB", "GB", "1 PB", None])
def test_what_is_no_amount_of_memory(value):
    with pytest.raises(ValueError, match=r"max_memory=.* is not an amount of memory"):
        parse_memory("max_memory", value)


def test_pairs_and_parameters():
    assert check_pair("range", [1, 2]) == (1, 2)
    for wrong in ([1], (1, 2, 3), "ab", None):
        with pytest.raises(ValueError, match="must be two numbers"):
            check_pair("range", wrong)

    def make(a=1, b=2):
        return a, b

    assert check_params("x", {"b": 3}, make) == (1, 3)
    assert check_params("x", None, make) == (1, 2)
    with pytest.raises(ValueError, match="x has no parameter 'c'; it takes: a, b"):
        check_params("x", {"c": 3}, make)
    with pytest.raises(ValueError, match="it takes: none"):
        check_params("x", {"c": 3}, lambda: None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'weft\[app\]'"):
        import_optional("no_such_module", "app")


def test_magnitudes():
    check_magnitude(np.array([[LARGEST, -LARGEST]]))
    with pytest.raises(ValueError, match=r"X holds values up to 1.1e[+]145"):
        check_magnitude(np.array([[1.0, -1.1 * LARGEST]]))
    assert largest_for(2.0) == largest_for(1.0) == LARGEST
    assert largest_for(4.0) == pytest.approx(LARGEST**0.5)


def test_tables_are_read_block_by_block(monkeypatch):
    monkeypatch.setattr(reading, "_BLOCK", 4)  # two rows of two columns
    rows = np.ones((5, 2))
    reading.check_numbers(rows)
    for place in ((0, 1), (2, 1), (4, 1)):
        for value, words in (
            (1e200, "holds values up to 1e[+]200"),
            (-np.inf, "contains infinity, first in column 1;"),
            (np.nan, "contains NaN .missing values., first in column 1;"),
        ):
            wrong = rows.copy()
            wrong[place] = value
            with pytest.raises(ValueError, match=words):
                reading.check_numbers(wrong)
    gap = rows.copy()
    gap[0, 0] = np.nan
    reading.check_numbers(gap, allow_nan=True)
    gap[0, 1] = np.inf
    with pytest.raises(ValueError, match="first in column 'b'"):
        reading.check_numbers(gap, allow_nan=True, columns=["a", "b"])
    with pytest.raises(ValueError, match="first in column 7"):
        reading.check_numbers(gap, allow_nan=True, columns=[3, 7])
    with pytest.raises(ValueError, match="first in column 1"):
        reading.check_numbers(gap, allow_nan=True, columns=["a"])


@pytest.mark.parametrize(
    ("shape", "heights"),
    [((5, 3), [2, 2, 1]), ((4, 6), [1] * 4), ((3, 10), [1] * 3), ((7, 0), [6, 1]), ((0, 2), [])],
)
def test_blocks_have_a_limited_number_of_cells(shape, heights, monkeypatch):
    monkeypatch.setattr(reading, "_BLOCK", 6)
    seen = []

    class Slices:
        def __init__(self):
            self.shape = shape

        def __len__(self):
            return shape[0]

        def __getitem__(self, span):
            part = np.ones(shape)[span]
            seen.append(len(part))
            return part

    reading.check_numbers(Slices())
    assert seen == heights


def test_memory_is_checked_at_its_limit():
    check_memory(2**30, "it", "lower it", limit=2**30)
    with pytest.raises(
        ValueError, match=r"it would take 1.5 GiB, but max_memory allows 1.0 GiB; lower it\."
    ):
        check_memory(3 * 2**29, "it", "lower it", limit=2**30)
    check_swarm(10, 10)
    with pytest.raises(ValueError, match="n_particles=1000000000 with 1000000 numbers each"):
        check_swarm(10**9, 10**6)
