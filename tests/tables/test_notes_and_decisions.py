"""Messages, decisions about tables, notes about numbers, and heavy tails; both sides of limits."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refusal

from weft.columns.source import MixedTable, SourceColumn
from weft.tables.decisions import ColumnDecision, check_features, check_names, check_size
from weft.tables.errors import InputError, in_python, quoted, short
from weft.tables.number_notes import about_limits, about_missing_code, about_scales, needs_care
from weft.tables.raw import RawTable
from weft.tables.reading import Reading
from weft.tables.tails import _skewness, bend_tails, tail_scale

# Messages and decisions ---------------------------------------------------------------------------


def test_messages_for_python():
    def told(text):
        with pytest.raises(InputError) as error, in_python():
            raise InputError(text)
        return str(error.value)

    assert told("leave it out with --drop 'my col'.") == "leave it out with drop=['my col']."
    assert told("use --missing drop-rows, or --drop x; or --scale.") == (
        "use missing='drop-rows', or drop=['x']; or scale."
    )
    # Names may have points, commas and quotes in them.
    assert told("out with --drop sepal.length.") == "out with drop=['sepal.length']."
    assert told("out with --drop 'a, b'.") == "out with drop=['a, b']."
    assert told("out with --drop 'it's'.") == 'out with drop=["it\'s"].'
    assert told("one of --label, --drop and --keep.") == "one of label, drop and keep."
    assert told("so leave out --keep for it.") == "so leave it out of keep."
    assert str(InputError("a\nb")) == "a b"
    assert str(InputError("x" * 2000)) == "x" * 2000
    assert str(InputError("x" * 2001)) == "x" * 2000 + "…"


def test_short_and_quoted():
    assert (short("x" * 40), short("x" * 41)) == ("x" * 40, "x" * 39 + "…")
    assert (short("abc", 3), short("abcd", 3), short(5)) == ("abc", "ab…", "5")
    assert (quoted("a.b=c+/-d"), quoted("a b"), quoted("")) == ("a.b=c+/-d", "'a b'", "''")


def test_sizes_of_tables():
    def raw(rows, columns):
        return RawTable(pd.DataFrame(np.zeros((rows, columns)), columns=list("ab"[:columns])), "t")

    check_size(raw(2, 2))
    assert refusal(check_size, raw(5, 1)).startswith("t has one column ('a'); weft compares")
    assert refusal(check_size, raw(1, 2)) == "t has one row; clustering needs at least two."
    assert refusal(check_size, raw(0, 2)) == (
        "t has no rows below its header; clustering needs at least two."
    )


def test_names_of_columns_that_are_given():
    raw = RawTable(pd.DataFrame(np.zeros((1, 3)), columns=["age", "size", "hue"]), "t")
    check_names(raw, label="age", drop=["size"], keep=["hue"])
    check_names(raw, label=None, drop=[], keep=["hue"])

    def told(label=None, drop=(), keep=()):
        return refusal(check_names, raw, label=label, drop=list(drop), keep=list(keep))

    assert told(label="Age") == ("t has no column 'Age' (given with --label); did you mean 'age'?")
    assert told(drop=["qqq"]) == (
        "t has no column 'qqq' (given with --drop); it has: age, size, hue."
    )
    assert "(given with --keep)" in told(keep=["qqq"])
    twice = "column 'age' is named twice; name it in one of --label, --drop and --keep."
    assert told(label="age", drop=["age"]) == twice
    assert told(label="age", keep=["age"]) == twice
    assert told(drop=["age"], keep=["age"]) == twice
    wide = RawTable(pd.DataFrame(np.zeros((1, 13)), columns=list("abcdefghijklm")), "t")
    listed = refusal(check_names, wide, label="zzzz", drop=[], keep=[])
    assert listed.endswith("it has: a, b, c, d, e, f, g, h, i, j, k, l, ….")
    twelve = RawTable(wide.frame.iloc[:, :12], "t")
    listed = refusal(check_names, twelve, label="zzzz", drop=[], keep=[])
    assert listed.endswith("it has: a, b, c, d, e, f, g, h, i, j, k, l.")


def test_columns_that_are_too_few():
    raw = RawTable(pd.DataFrame(), "t")
    x, y = (SourceColumn(name, "number", (place,)) for place, name in enumerate("xy"))
    made = [ColumnDecision("x", "number", True, "numbers"),
            ColumnDecision("c", "constant", False, "one value only (5)"),
            ColumnDecision("d", "dropped", False, "asked for with --drop")]  # fmt: skip
    check_features(raw, MixedTable(np.zeros((3, 2)), (x, y)), made)
    one = MixedTable(np.zeros((3, 1)), (x,))
    assert refusal(check_features, raw, one, made) == (
        "t has only 'x' to cluster on, and at least two are needed (c: one value only (5); d: "
        "asked for with --drop)."
    )
    none = MixedTable(np.zeros((3, 0)), ())
    assert refusal(check_features, raw, none, made[1:]) == (
        "every column of t holds one value only; there is nothing to cluster."
    )
    assert refusal(check_features, raw, none, made[2:]).startswith("t has no column to cluster on")
    text = ColumnDecision("w", "text", False, "free text")
    assert refusal(check_features, raw, none, [text, made[1]]).startswith("t has no column to")


# Notes and tails ----------------------------------------------------------------------------------


def test_sentences_about_cells():
    assert about_limits(["1", ">9", "<0.5", "≤3"]) == "cells such as '>9' taken at the limit"
    assert about_limits(["1", "9>"]) == ""
    assert about_scales(["1", "x k", "5k", "6M"]) == (
        "cells such as '5k' taken as thousands, millions or billions"
    )
    assert about_scales(["k", "5", "5b"]) == ""
    assert about_scales(["$5k"]) == "cells such as '$5k' taken as thousands, millions or billions"
    assert needs_care("a; -9 looks like a code for missing values")
    assert needs_care("in $ and €, not converted")
    assert not needs_care("numbers")


@pytest.mark.parametrize(
    ("values", "note"),
    [
        ([1.0, 5.0, 99.0, 99.0, np.nan], "99 in 2 rows"),
        ([-99.0, -99.0, -99.0, 1.0, 5.0], "-99 in 3 rows"),
        # 11 is as far from 99 as the others range, 88; 12 to 99 are nearer than 11 to 99.
        ([11.0, 12.0, 99.0, 99.0], "99 in 2 rows"),
        ([0.0, 49.5, 99.0, 99.0], ""),
        ([0.0, 49.0, 99.0, 99.0], "99 in 2 rows"),
        ([1.0, 5.0, 99.0], ""),
        ([1.0, 5.0, 9.0, 9.0], ""),
        ([1.0, 5.0, 99.5, 99.5], ""),
        ([3.0, 3.0, 99.0, 99.0], ""),
        ([99.0, 99.0], ""),
        ([1.0, 2.0, np.inf, np.inf], ""),
    ],
)
def test_codes_that_may_mean_missing(values, note):
    reading = Reading("x", "number", "numbers")
    found = about_missing_code(reading, np.array(values)).note
    full = f"numbers; {note} looks like a code for missing values: if it is, empty those cells"
    assert found == (full if note else "numbers")


def test_tails_by_hand():
    # Away from the mean 2 by -2, -1, 0, 3: third moment 18 / 4, variance 14 / 4.
    assert _skewness(np.array([0.0, 1.0, 2.0, 5.0])) == pytest.approx(4.5 / 3.5**1.5)
    assert _skewness(np.ones(3)) == 0.0
    assert tail_scale(np.array([0.0, 0, 0, 0, 0, 1.0])) is None
    heavy = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 64.0])
    assert tail_scale(heavy) == 6.0
    assert tail_scale(heavy[[0, 1, 2, 3, 5, 5]]) is None  # five different values
    assert tail_scale(np.append(heavy, 0.0)) == 6.0
    assert tail_scale(heavy / 8.0) == 0.75
    assert tail_scale(heavy - 1.5) is None
    # Without the second 1, 1 to 64 has six values and the logarithm corrects its skewness.
    assert tail_scale(np.array([1.0, 1.0, 2.0, 8.0, 16.0, 64.0])) is None
    assert tail_scale(np.array([1.0, 1.1, 2.0, 8.0, 16.0, 64.0])) == 5.0
    with np.errstate(over="ignore"):
        assert tail_scale(np.append(heavy, 1e150)) is None
    values = np.column_stack([heavy, heavy])
    rank = SourceColumn("r", "ordered", (1,), levels=tuple("abcdefg"))
    table = MixedTable(values, (SourceColumn("x", "number", (0,)), rank))
    readings = [Reading("x", "number", "numbers"), Reading("r", "ordered", "levels")]
    bent = bend_tails(readings, table)
    assert bent[0] == Reading(
        "x", "number", "numbers; heavy tail, compared by log(1 + x / 6)", curve="log",
        curve_scale=6.0,
    )  # fmt: skip
    assert bent[1] is readings[1]
    # Units have two digits; a table of numbers without gaps stays as it is.
    odd = MixedTable(values * np.array([123.0, 1.0]), table.columns)
    assert bend_tails(readings, odd)[0].curve_scale == 740.0
    plain = MixedTable(values, (table.columns[0], SourceColumn("y", "number", (1,))))
    assert bend_tails(readings, plain) == readings
