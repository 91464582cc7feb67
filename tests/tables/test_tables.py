"""Tables in: what is read and decided about each column, and one sentence for what is wrong."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft.io import (
    InputError,
    RawTable,
    apply_recipe,
    prepare_table,
    read_csv,
)


def table_of(frame: dict | pd.DataFrame, **options):
    return prepare_table(RawTable(frame=pd.DataFrame(frame), name="t.csv"), **options)


def kinds(table) -> dict[str, str]:
    return {decision.name: decision.kind for decision in table.decisions}


@pytest.fixture
def numbers():
    rng = np.random.default_rng(0)
    return {"x": rng.normal(size=24), "y": rng.normal(size=24)}


@pytest.fixture
def write(tmp_path):
    def write(text: str | bytes, name: str = "t.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


# Reading ------------------------------------------------------------------------------------


def test_plain_file_is_read_exactly(write):
    raw = read_csv(write("a,b\n0.1,1e-300\n0.30000000000000004,2\n"))
    assert raw.frame["a"].tolist() == [0.1, 0.30000000000000004]
    assert raw.frame["b"].tolist() == [1e-300, 2.0]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separator_is_found_from_the_header(write, separator):
    raw = read_csv(write(f"a{separator}b\n1{separator}2\n3{separator}4\n"))
    assert raw.frame.to_numpy().tolist() == [[1, 2], [3, 4]]


def test_a_comma_inside_a_quoted_name_is_no_separator(write):
    assert list(read_csv(write('"a, b, c";d\n1;2\n3;4\n')).frame.columns) == ["a, b, c", "d"]


def test_spreadsheet_with_decimal_commas(write):
    assert read_csv(write("a;b\n1,5;2\n-2,25;4\n")).frame["a"].tolist() == [1.5, -2.25]


def test_byte_order_mark_and_spaces_do_not_enter_names(write):
    assert list(read_csv(write("\ufeffa , b\n1,2\n3,4\n")).frame.columns) == ["a", "b"]


def test_column_without_a_name_gets_one(write):
    assert list(read_csv(write(",b\n1,2\n3,4\n")).frame.columns) == ["column 1", "b"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("\n  \n", "empty"),
        ("a,b\n1,2\n3,4,5\n", "3 cells on line 3 but 2 column names"),
        ("a,b\n1,2,3\n3,4,5\n", "3 cells on line 2 but 2 column names"),
        ('a,b\n1,"2\n3,4\n', "never closed"),
        (bytes(range(256)), "is not a text file in UTF-8, UTF-16 or cp1252"),
    ],
)
def test_what_is_no_table_is_refused_in_one_sentence(write, text, words):
    with pytest.raises(InputError) as error:
        read_csv(write(text))
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(InputError, match="there is no file"):
        read_csv(tmp_path / "nothing.csv")
    with pytest.raises(InputError, match="is a folder"):
        read_csv(tmp_path)


def test_lines_are_counted_as_an_editor_does(write):
    # Row 0 is on line 2; row 1 starts on line 4, after a blank line; it holds a line break, so
    # that row 2 starts on line 6.
    raw = read_csv(write('a,b\n1,x\n\n2,"y\nz"\n3,w\n'))
    assert [raw.line(row) for row in range(3)] == [2, 4, 6]


# Decisions ----------------------------------------------------------------------------------


def test_every_column_gets_a_decision(numbers):
    table = table_of(
        {
            **numbers,
            "customer_id": np.arange(24) * 7,
            "row": np.arange(1, 25),
            "name": [f"n{i}" for i in range(24)],
            "same": 5,
            "void": np.nan,
            "flag": [True, False] * 12,
            "answer": ["yes", "no"] * 12,
            "colour": ["red", "green", "blue"] * 8,
            "sex": ["f", "m"] * 12,
            "note": [f"text {i % 22}" for i in range(24)],
            "label": [0, 1] * 12,
            "unwanted": numbers["x"],
        },
        label="label",
        drop=["unwanted"],
    )
    assert kinds(table) == {
        "x": "number",
        "y": "number",
        "customer_id": "identifier",
        "row": "identifier",
        "name": "identifier",
        "same": "constant",
        "void": "constant",
        "flag": "yes/no",
        "answer": "yes/no",
        "colour": "category",
        "sex": "category",
        "note": "text",
        "label": "label",
        "unwanted": "dropped",
    }
    # Three colours span two directions, whatever they are called.
    assert table.feature_names == [
        *("x", "y", "flag", "answer", "colour (1)", "colour (2)", "sex"),
    ]
    assert all(decision.reason for decision in table.decisions)
    warned = " ".join(table.warnings)
    assert all(repr(name) in warned for name in ("customer_id", "row", "name", "note"))


def test_dummies_by_hand(numbers):
    colours = ["red", "blue", "red", "green"]
    table = table_of({"x": numbers["x"][:4], "colour": colours}, keep=["colour"], scale="none")
    assert table.feature_names == ["x", "colour=red", "colour=blue", "colour=green"]
    assert table.X[:, 1:].tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]]
    two = table_of({"x": numbers["x"][:4], "colour": ["red", "blue"] * 2}, scale="none")
    assert two.feature_names == ["x", "colour=blue"]  # red is its mirror
    assert two.X[:, 1].tolist() == [0, 1, 0, 1]


def test_keep_overrules_a_guess(numbers):
    table = table_of({**numbers, "row": np.arange(24)}, keep=["row"])
    assert kinds(table)["row"] == "number"
    with pytest.raises(InputError, match="different text in every row"):
        table_of({**numbers, "name": [f"n{i}" for i in range(24)]}, keep=["name"])
    with pytest.raises(InputError, match="cannot be kept: one value only"):
        table_of({**numbers, "same": 5}, keep=["same"])


def test_a_shuffled_counter_is_a_counter_and_a_measurement_is_not(numbers):
    shuffled = np.random.default_rng(0).permutation(24) + 100
    measured = shuffled.copy()
    measured[0] = measured[1]
    table = table_of({**numbers, "a": shuffled, "b": measured})
    assert (kinds(table)["a"], kinds(table)["b"]) == ("identifier", "number")


def test_a_name_that_only_contains_id_is_no_identifier(numbers):
    whole = np.arange(24) % 5
    table = table_of({**numbers, "acid": whole, "idle": whole, "PassengerId": whole})
    assert kinds(table)["acid"] == kinds(table)["idle"] == "number"
    assert kinds(table)["PassengerId"] == "identifier"


def test_text_in_a_numeric_column_names_column_line_and_cell(write):
    rows = [f"{i * 1.5},{i * i}" for i in range(20)]
    rows[6] = "9.0,about 36"
    with pytest.raises(InputError) as error:
        prepare_table(read_csv(write("a,b\n" + "\n".join(rows))))
    assert "'b'" in str(error.value)
    assert "line 8" in str(error.value)
    assert "'about 36'" in str(error.value)
    assert "--drop b" in str(error.value)


def test_infinity_names_column_and_line(write):
    with pytest.raises(InputError, match=r"column 'b' on line 3 .*--drop b"):
        prepare_table(read_csv(write("a,b\n1,2\n3,-inf\n5,6\n")))


@pytest.mark.parametrize("cell", ["", "NA", "nan", "?", "null", "  "])
def test_missing_values_stop_where_that_is_asked_for(write, cell):
    raw = read_csv(write(f"a,b,c\n1,2,3\n3,{cell},1\n5,6,{cell}\n7,9,2\n"))
    with pytest.raises(InputError) as error:
        prepare_table(raw, missing="error")
    assert "2 missing values were filled in" in prepare_table(raw).warnings[0]
    text = str(error.value)
    assert "'b' (1), 'c' (1), the first in 'b' on line 3" in text
    assert "drop-rows (leaves out 2 of 4 rows)" in text
    assert "--missing median" in text


def test_missing_values_dropped_or_filled():
    frame = {"a": [1.0, 2.0, np.nan, 4.0, 9.0], "b": [5.0, 1.0, 2.0, 3.0, 4.0]}
    dropped = table_of(frame, missing="drop-rows", scale="none")
    assert dropped.rows.tolist() == [0, 1, 3, 4]
    assert dropped.X[:, 0].tolist() == [1, 2, 4, 9]
    filled = table_of(frame, missing="median", scale="none")
    assert filled.X[:, 0].tolist() == [1, 2, 3, 4, 9]  # the median of 1, 2, 4, 9 is 3
    assert "1 missing value was filled in with each column's median" in filled.warnings[0]
    frame["b"][0] = np.nan
    both = table_of(frame, missing="median", scale="none").warnings[0]
    assert both == (
        "2 missing values were filled in with each column's median or most frequent value "
        "(2 columns)."
    )
    frame["b"][0] = 5.0
    auto = table_of(frame)
    assert np.isnan(auto.mixed.values[:, 0]).tolist() == [False, False, True, False, False]
    assert np.isfinite(auto.X).all()


@pytest.mark.parametrize("missing", ["auto", "median"])
def test_missing_text_is_no_level(missing):
    frame = {"a": [1.0, 2.0, 3.0, 4.0, 5.0, 7.0], "c": ["u", "v", None, "u", "v", "u"]}
    table = table_of(frame, missing=missing, scale="none")
    assert table.feature_names == ["a", "c=v"]
    assert table.mixed.columns[1].levels == ("u", "v")
    assert table.X[:, 1].tolist() == [0, 1, 0, 0, 1, 0]  # the most frequent level


def test_a_column_that_turns_constant_with_the_dropped_rows_is_left_out():
    frame = {"a": [1.0, 2.0, 3.0, 4.0], "b": [5.0, 1.0, np.nan, 2.0], "c": [7.0, 7.0, 8.0, 7.0]}
    assert kinds(table_of(frame, missing="drop-rows"))["c"] == "constant"


def test_a_missing_value_in_a_column_left_out_is_nobodys_business():
    frame = {"a": [1.0, 2.0, 4.0], "b": [5.0, 1.0, 2.0], "c": [1.0, np.nan, 2.0], "y": [0, None, 1]}
    table = table_of(frame, drop=["c"], label="y")
    assert table.label.tolist() == [0, -1, 1]
    assert len(table.rows) == 3


def test_a_column_that_sounds_like_the_answer_is_pointed_out(numbers):
    table = table_of({**numbers, "class": [0, 1, 2] * 8})
    assert "--label class" in " ".join(table.warnings)
    assert not table_of({**numbers, "class": [0, 1, 2] * 8}, label="class").warnings


@pytest.mark.parametrize(
    ("frame", "options", "words"),
    [
        ({"a": [1, 2, 3]}, {}, "one column"),
        ({"a": [1], "b": [2]}, {}, "one row"),
        ({"a": [], "b": []}, {}, "no rows"),
        ({"a": [1, 1], "b": [2, 2]}, {}, "every column of t.csv holds one value only"),
        ({"a": [1, 2], "b": [2, 2]}, {}, "only 'a' to cluster on"),
        ({"a": [1, 2], "b": [2, 3]}, {"label": "c"}, "no column 'c' (given with --label)"),
        ({"age": [1, 2], "b": [2, 3]}, {"drop": ["Age"]}, "did you mean 'age'?"),
        ({"a": [1, 2], "b": [2, 3]}, {"label": "a", "drop": ["a"]}, "named twice"),
        ({"a": [1, 2], "b": [2, 3], "y": [None, None]}, {"label": "y"}, "is empty"),
        ({"a": [1e308, -1e308], "b": [2, 3]}, {}, "too large"),
        ({"a": [1, 2], "b": [2, 3]}, {"scale": "log"}, "choose one of"),
    ],
)
def test_tables_that_cannot_be_clustered(frame, options, words):
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the words are checked below
        table_of(frame, **options)
    assert words in str(error.value)


def test_scales_by_hand():
    # mean 3, population deviation sqrt(((-2)² + 0 + 2²) / 3) = sqrt(8 / 3); range 4
    frame = {"a": [1.0, 3.0, 5.0], "b": [0.0, 1.0, 1.0]}
    root = np.sqrt(8 / 3)
    numbers = {"a": frame["a"], "b": [1.0, 3.0, 5.0]}
    np.testing.assert_allclose(table_of(numbers).X[:, 0], [-2 / root, 0, 2 / root])
    np.testing.assert_array_equal(table_of(frame, scale="range").X[:, 0], [0, 0.5, 1])
    np.testing.assert_array_equal(table_of(frame, scale="none").X[:, 0], [1, 3, 5])
    for scale in ("range", "none"):  # 0/1 columns stay
        np.testing.assert_array_equal(table_of(frame, scale=scale).X[:, 1], [0, 1, 1])
    # A column of two values has variance 1 as well: (0 - 2/3) / sqrt(2/9), (1 - 2/3) / sqrt(2/9)
    expected = np.array([-2 / 3, 1 / 3, 1 / 3]) / np.sqrt(2 / 9)
    own = table_of(frame).X[:, 1]
    np.testing.assert_allclose(own * np.sign(own[1]), expected)


def test_the_plan_alone_makes_the_numbers_again(numbers):
    frame = pd.DataFrame({**numbers, "c": ["u", "v", "w"] * 8, "ok": ["yes", "no"] * 12})
    table = table_of(frame)
    same = apply_recipe(RawTable(frame, "t.csv"), table.plan)
    np.testing.assert_array_equal(same.X, table.X)
    assert same.warnings == []
    new = pd.DataFrame({"x": ["1e3"], "y": [None], "c": ["never seen"], "ok": ["Yes"]})
    row = apply_recipe(RawTable(new, "new.csv"), table.plan)
    assert row.mixed.values[0, [0, 3]].tolist() == [1000.0, 1.0]
    assert np.isnan(row.mixed.values[0, [1, 2]]).all()
    assert np.isfinite(row.X).all()
    assert "'c' has 1 cells with a value that was not seen in the fit ('never seen')" in " ".join(
        row.warnings
    )
    assert "'x' has 1 values far outside the range of the fit (such as 1000;" in " ".join(
        row.warnings
    )


cells = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.integers(-(10**25), 10**25),
    st.text(max_size=5),
    st.booleans(),
    st.none(),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(cells, min_size=3, max_size=3), min_size=0, max_size=8), st.data())
def test_any_table_gives_finite_numbers_or_one_sentence(tmp_path_factory, rows, data):
    path = tmp_path_factory.mktemp("any") / "any.csv"
    with path.open("w", newline="", encoding="utf-8", errors="replace") as file:
        csv.writer(file).writerows([["a", "b", "c"], *rows])
    missing = data.draw(st.sampled_from(["auto", "error", "drop-rows", "median"]))
    try:
        table = prepare_table(read_csv(path), missing=missing)
    except InputError:
        return
    assert np.isfinite(table.X).all()
    assert table.X.shape == (len(table.rows), len(table.feature_names))


def test_heavy_tails_are_compared_by_their_logarithm():
    # Quantiles of a log-normal column: its skewness is far above 1, that of its logarithm near 0.
    income = np.exp(np.linspace(-2.5, 2.5, 101) * 1.5 + 8.0)
    height = np.linspace(150.0, 190.0, 101)
    frame = pd.DataFrame(
        {"income": income, "height": height, "c": ["a", "b", "c"] * 33 + ["a"] * 2}
    )
    preparer = weft.TablePreparer().fit(frame)
    columns = {column.name: column for column in preparer.source_columns_}
    assert columns["income"].curve == "log"
    assert "log(1 + x / 3000)" in columns["income"].note  # the median, e^8 = 2981, in two digits
    assert columns["height"].curve == "none"
    back = preparer.inverse_transform(preparer.transform(frame))
    np.testing.assert_allclose(back["income"], income)
    # Columns in the units of the table are not bent.
    plain = weft.TablePreparer(output="columns").fit(frame)
    assert plain.transform(frame)[:, 0].tolist() == income.tolist()
    # A table of numbers without gaps stays as it is.
    only = weft.TablePreparer().fit(frame[["income", "height"]])
    assert {column.curve for column in only.source_columns_} == {"none"}


def test_space_before_a_quoted_cell_is_no_part_of_it(write):
    raw = read_csv(write('a,b\n1, "x, y"\n2, "z"\n3, "x, y"\n'))
    assert raw.frame["b"].tolist() == ["x, y", "z", "x, y"]
