"""Checks of parameters and tables: the last that is allowed, the first that is refused."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from tests.refusals import refusal as refused_with

from weft._base import memory, reading
from weft._base.memory import check_memory, check_swarm, machine_memory
from weft._base.reading import check_numbers, convert, read_array, read_generator, refuse_huge
from weft._base.scaling import check_size, standard_scaling
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
    short,
    shown,
)

refusal = partial(refused_with, kind=ValueError)


# Parameters ---------------------------------------------------------------------------------------


def test_texts_of_messages_are_short():
    assert short("x" * 60) == "x" * 60
    assert short("x" * 61) == "x" * 59 + "…"
    assert (short("abc", 3), short("abcd", 3), short("a\nb")) == ("abc", "ab…", "a�b")
    assert short("\n" * 9, 4) == "���…"


def test_values_of_messages():
    assert shown(np.zeros((2, 3))) == "an array of shape (2, 3)"
    assert shown(np.ndarray) == "<class 'numpy.ndarray'>"
    assert shown(np.float64(2.0)) == repr(np.float64(2.0))
    assert shown(10**20 - 1) == "99999999999999999999"
    assert shown(10**20) == shown(-(10**20)) == "a very large integer"
    assert shown("a\nb\x1b") == "'a\\nb\\x1b'"
    # 60 characters with the quotes.
    assert shown("x" * 58) == "'" + "x" * 58 + "'"
    assert shown("x" * 59) == "'" + "x" * 58 + "…"


def test_choices():
    for value in ("a", 1, None):
        assert check_choice("x", value, ("a", 1, None)) == value
    assert refusal(check_choice, "x", "c", ("a", 1)) == (
        "x='c' is not known; choose one of 'a', 1."
    )
    for wrong in (None, ["a"], np.array("a"), {"a": 1}):
        assert "is not known" in refusal(check_choice, "x", wrong, ("a", ["a"]))
    assert math.isnan(check_choice("x", math.nan, (math.nan,)))


def test_integers():
    assert [check_integer("x", value, low=2, high=4) for value in (2, 3, np.int64(4))] == [2, 3, 4]
    assert type(check_integer("x", np.int64(4), low=2)) is int
    assert refusal(check_integer, "x", 1, low=2, high=4) == ("x=1 must be between 2 and 4.")
    assert refusal(check_integer, "x", 5, low=2, high=4).endswith("between 2 and 4.")
    assert refusal(check_integer, "x", 1, low=2) == "x=1 must be at least 2."
    assert check_integer("x", 10**9, low=2) == 10**9
    for value in (True, 2.0, "2", None):
        text = refusal(check_integer, "x", value, kind=TypeError, low=2)
        assert text == f"x={shown(value)} must be an integer of at least 2."


def test_real_numbers():
    assert [check_real("x", value, low=0.0, high=1.0) for value in (0, 0.5, 1)] == [0.0, 0.5, 1.0]
    assert type(check_real("x", 1, low=0.0)) is float
    assert check_real("x", -1e300) == -1e300
    assert check_real("x", 5e-324, low=0.0, open_low=True) == 5e-324
    both = "must be a finite number at least 0 and at most 1."
    for value in (-0.1, 1.1, math.nan, math.inf, 10**400):
        text = refusal(check_real, "x", value, low=0.0, high=1.0)
        assert text == f"x={shown(value)} {both}"
    assert refusal(check_real, "x", 0.0, low=0.0, open_low=True) == (
        "x=0.0 must be a finite number above 0."
    )
    assert refusal(check_real, "x", 2.0, high=1.0) == ("x=2.0 must be a finite number at most 1.")
    assert refusal(check_real, "x", math.inf) == "x=inf must be a finite number."
    for value in (True, "1", None, 1j):
        assert refusal(check_real, "x", value, kind=TypeError) == f"x={value!r} must be a number."


def test_powers_that_can_be_summed():
    assert largest_for(1.0) == largest_for(2.0) == LARGEST == 1e145
    assert largest_for(4.0) == pytest.approx(1e145**0.5)
    assert largest_for(2.5) == pytest.approx(1e116)


def test_magnitudes():
    check_magnitude(np.array([[1.0, -1e145]]))
    assert refusal(check_magnitude, np.array([[1.0, -1.1e145]])) == (
        "X holds values up to 1.1e+145, whose squares cannot be summed; scale the columns first, "
        "for example with StandardScaler."
    )


@pytest.mark.parametrize(
    ("value", "n_bytes"),
    [
        (1, 1), (np.int64(5), 5), ("7", 7), ("7B", 7), (" 1.5 kb ", 1500), ("2MB", 2 * 10**6),
        ("2GB", 2 * 10**9), ("1TB", 10**12), ("1KiB", 1024), ("1MiB", 2**20), ("0.5gib", 2**29),
        ("1TiB", 2**40),
    ],
)  # fmt: skip
def test_amounts_of_memory(value, n_bytes):
    assert parse_memory("m", value) == n_bytes


@pytest.mark.parametrize(
    "value", [0, -1, True, 1.5, "", "0", "0GB", "1.2.3", "GB", "5XB", "1 PB", "-1", None]
)
def test_values_that_are_not_an_amount_of_memory(value):
    assert refusal(parse_memory, "m", value) == (
        f"m={value!r} is not an amount of memory; write '1GiB', '500MB' or bytes."
    )


def test_pairs():
    assert check_pair("x", [1, 2]) == (1, 2)
    assert check_pair("x", (1, None)) == (1, None)
    for value in ([1], [1, 2, 3], {1, 2}, "ab"):
        assert refusal(check_pair, "x", value) == (f"x={shown(value)} must be two numbers.")


class Made:
    def __init__(self, a=1, b=2):
        self.both = a, b


def test_parameters_of_a_factory():
    assert check_params("Made", None, Made).both == (1, 2)
    assert check_params("Made", {"b": 5}, Made).both == (1, 5)
    assert refusal(check_params, "Made", {"c": 5}, Made) == (
        "Made has no parameter 'c'; it takes: a, b."
    )
    assert refusal(check_params, "x", {"c": 5}, lambda: 0).endswith("takes: none.")


def test_optional_libraries():
    assert import_optional("math", "app") is math
    assert refusal(import_optional, "no_such_module", "app", kind=ModuleNotFoundError) == (
        "this needs 'no_such_module', which is not installed; install it with: pip install "
        "'weft[app]'"
    )


# Tables -------------------------------------------------------------------------------------------


def test_tables_as_rows():
    found = read_array([[1, 2], [3, 4]])
    hidden = np.ma.masked_array([[1.0, 2.0]], mask=[[False, True]])
    assert refused_with(read_array, hidden, kind=ValueError, name="rows") == (
        "rows is a masked array that hides 1 of its values; pass rows.filled(np.nan) for missing "
        "values, or drop such rows."
    )
    assert read_array(np.ma.masked_array([[1.0, 2.0]])).tolist() == [[1.0, 2.0]]
    assert (found.dtype, found.tolist()) == (np.float64, [[1.0, 2.0], [3.0, 4.0]])
    assert read_array(np.asfortranarray(np.ones((2, 3)))).flags.c_contiguous
    assert read_array([[1.0]]).shape == (1, 1)
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        read_array([[1.0]], min_rows=2)
    assert np.isnan(read_array([[1.0, np.nan]], allow_nan=True)[0, 1])
    assert refusal(read_array, [[1.0, np.nan]], name="Y") == (
        "Y contains NaN (missing values), first in column 1; fill the gaps, for example with "
        "SimpleImputer, or use WeightedKMeans(allow_nan=True), which takes gaps."
    )


def raising(error):
    def act():
        raise error

    return act


def test_errors_of_conversions():
    assert convert(lambda: 5) == 5
    assert refusal(convert, raising(ValueError("other\ntext"))) == "other\ntext"
    assert refusal(convert, raising(ValueError("Complex data not supported\n[[1j]]")),
                   "Y") == "Complex data not supported: pass Y as real numbers."  # fmt: skip
    assert refusal(convert, raising(OverflowError()), "Y").startswith(
        "Y holds an integer that is too large for a float64 number"
    )


@pytest.mark.parametrize("block", [1, 3, 6, 2**22])
def test_numbers_of_tables(monkeypatch, block):
    # However many numbers are checked at a time.
    monkeypatch.setattr(reading, "_BLOCK", block)
    rows = np.array([[1.0, 2.0], [3.0, -4.0], [0.0, 0.5]])
    check_numbers(rows)
    check_numbers(rows, largest=4.0)
    assert refusal(check_numbers, rows, largest=3.9).startswith(
        "X holds values up to 4, whose powers cannot be summed; values up to 3.9 are allowed"
    )
    gap, infinite = rows.copy(), rows.copy()
    gap[2, 1], infinite[1, 1] = np.nan, -np.inf
    assert "first in column 1;" in refusal(check_numbers, gap)
    assert "first in column 'b';" in refusal(check_numbers, gap, columns=["a", "b"])
    assert "first in column 7;" in refusal(check_numbers, gap, columns=[5, 7])
    assert "first in column 1;" in refusal(check_numbers, gap, columns=["a"])
    assert refusal(check_numbers, gap, gap_remedy="or else").endswith(", or else.")
    check_numbers(gap, allow_nan=True)
    assert "up to 4" in refusal(check_numbers, gap, allow_nan=True, largest=3.0)
    for nan_too in (False, True):
        assert refusal(check_numbers, infinite, allow_nan=nan_too) == (
            "X contains infinity, first in column 1; replace it by a number, or drop such rows."
        )
    infinite[2, 0] = np.nan
    infinite[1, 1], infinite[2, 1] = 1.0, np.inf
    assert "infinity, first in column 1" in refusal(check_numbers, infinite, allow_nan=True)
    check_numbers(np.empty((0, 2)))
    check_numbers(np.empty((2, 0)))


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

    check_numbers(Slices())
    assert seen == heights


def test_the_largest_magnitude():
    refuse_huge(1e145)
    refuse_huge(5.0, largest=5.0)
    assert refusal(refuse_huge, 5.1, name="Y", largest=5.0).startswith(
        "Y holds values up to 5.1, whose powers cannot be summed; values up to 5 are allowed"
    )


def test_generators():
    generator = np.random.default_rng(3)
    assert read_generator(generator) is generator
    first, second = read_generator(5), read_generator(5)
    assert first.integers(10**9) == second.integers(10**9)
    same = np.random.default_rng(np.random.RandomState(5).randint(2**31 - 1))
    assert read_generator(np.random.RandomState(5)).integers(10**9) == same.integers(10**9)


# Memory and scaling -------------------------------------------------------------------------------


def test_memory_of_allocations(monkeypatch):
    check_memory(1000, "x", "y", 1000)
    assert refusal(check_memory, 3 * 2**30, "it", "stop", 2**29) == (
        "it would take 3.0 GiB, but max_memory allows 0.5 GiB; stop."
    )
    monkeypatch.setattr(memory, "machine_memory", lambda: 2**30)
    check_memory(2**30, "x", "y")
    assert refusal(check_memory, 2**30 + 2**29, "it", "stop") == (
        "it would take 1.5 GiB, but this process can have 1.0 GiB; stop."
    )
    # Six arrays of 8 bytes for each number of each particle.
    monkeypatch.setattr(memory, "machine_memory", lambda: 48 * 10 * 7)
    check_swarm(10, 7)
    text = refusal(check_swarm, 10, 8)
    assert text.startswith("n_particles=10 with 8 numbers each would take")


def test_memory_of_the_machine(monkeypatch, tmp_path):
    import resource

    monkeypatch.setattr(memory.os, "sysconf", {"SC_PAGE_SIZE": 8, "SC_PHYS_PAGES": 100}.get)
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "Path", lambda name: limit)

    def installed(text):
        memory._installed.cache_clear()
        limit.write_text(text)
        return memory._installed()

    try:
        assert (installed("max\n"), installed("700\n"), installed("900\n")) == (800, 700, 800)
        for own, expected in ((resource.RLIM_INFINITY, 800), (500, 500), (900, 800)):
            monkeypatch.setattr(resource, "getrlimit", lambda kind, own=own: (own, own))
            assert machine_memory() == expected
    finally:
        memory._installed.cache_clear()


def test_standardised_columns():
    X = np.array([[1.0, 5.0, 1e6], [3.0, 5.0, 1e6 * (1 + 1e-13)]])
    scaling = standard_scaling(X, scaled=True)
    assert scaling.mean[:2].tolist() == [2.0, 5.0]
    # Constant columns, also those that differ by rounding, are not divided.
    assert scaling.deviation.tolist() == [1.0, 1.0, 1.0]
    wide = standard_scaling(X * [2.0, 1.0, 1.0], scaled=True)
    assert wide.deviation[0] == 2.0
    assert wide.apply(X * [2.0, 1.0, 1.0])[:, 0].tolist() == [-1.0, 1.0]
    plain = standard_scaling(X, scaled=False)
    assert (plain.mean.tolist(), plain.deviation.tolist()) == ([0.0] * 3, [1.0] * 3)
    small = standard_scaling(np.array([[1.0], [1.0 + 1e-11]]), scaled=True)
    assert small.deviation[0] < 1e-11


def test_matrices_of_rows():
    X = np.ones((10, 2))
    check_size(X, 2, 8 * 2 * 100)
    text = refusal(check_size, X, 2, 8 * 2 * 100 - 1)
    assert text.startswith("10 rows need 2 matrices of rows × rows, which would take 0.0 GiB, but")
    assert "squares cannot be summed" in refusal(check_size, 1e146 * X, 2, 10**9)


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        ([{"a": 1.0}, {"a": 2.0}], TypeError, "X holds values that are not numbers .*DataFrame"),
        ([[1.0, 2.0], [3.0]], ValueError, "X is not a table of numbers with rows and columns"),
        ([["a", "b"], ["c", "d"]], ValueError, "X holds text .* is read as categories"),
    ],
)
def test_unclear_errors_of_libraries_get_a_clearer_message(X, error, words):
    with pytest.raises(error, match=words):
        read_array(X)
