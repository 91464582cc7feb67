"""Prepared tables as a whole: warnings, descriptions, recipes of old models, written files."""

from __future__ import annotations

import gzip
import io
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from weft.tables import formats, packed
from weft.tables.errors import InputError
from weft.tables.formats import read_table
from weft.tables.orientation import orientation_note, transposed
from weft.tables.prepare import PREPARED, apply_recipe, prepare_table
from weft.tables.raw import RawTable
from weft.tables.recipes import encode
from weft.tables.writing import write_table

N = 24
X = np.round(np.random.default_rng(0).normal(size=N), 2)


def prepared(frame, notes=(), **options):
    return prepare_table(RawTable(pd.DataFrame(frame), "t.csv", notes=notes), **options)


LEFT = "'{}' was left out: {}; {}."
WHOLE = "whole numbers in a column named like an identifier"
KEEP = "if it measures something, keep it with --keep"
FREE = "20 distinct values in 24 rows: looks like free text"
USE = "to use it as a category, give --keep"


@pytest.mark.parametrize("n", [5, 6, 7])
def test_five_columns_of_a_kind_have_a_sentence_each(n):
    ids = {f"a{j}_id": np.arange(N) * 3 % 7 for j in range(n)}
    texts = {f"w{j}": [f"w {i % 20} {j}" for i in range(N)] for j in range(n)}
    made = prepared({"x": X, **ids, **texts, "b": X**2}, notes=["read."])
    expected = ["read."]
    for names, kind, why, remedy in ((ids, "identifier", WHOLE, KEEP), (texts, "text", FREE, USE)):
        expected += [LEFT.format(name, why, remedy) for name in list(names)[:5]]
        if n > 5:
            listed = ", ".join(map(repr, list(names)[5:]))
            expected.append(f"left out for the same reason ({kind}): {listed}.")
    assert made.warnings == expected


ANSWER = (
    "'{0}' looks like the known answer, but was used like any other column; if it is the answer, "
    "give --label {0}."
)


def test_other_warnings():
    frame = {"x": X, "Class": [0, 1, 2] * 8, "code": [-999.0, -999, *X[:22]]}
    code = (
        "'code': numbers; -999 in 2 rows looks like a code for missing values: if it is, empty "
        "those cells."
    )
    assert prepared(frame).warnings == [code, ANSWER.format("Class")]
    del frame["code"]
    assert prepared(frame).warnings == [ANSWER.format("Class")]
    assert prepared({**frame, "z": X**2}, label="Class").warnings == []
    numbers = "the first line holds only numbers and was read as the column names."
    assert prepared({"1": X, "2.5": X**2}).warnings == [numbers]
    assert prepared({"1": X, "b": X**2}).warnings == []


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ("auto", "3 missing values were filled in from the other columns of the row (2 columns)."),
        (
            "median",
            "3 missing values were filled in with each column's median or most frequent value "
            "(2 columns).",
        ),
        ("drop-rows", "2 rows with missing values were left out."),
    ],
)
def test_missing_values_are_counted(missing, words):
    x, z = X.copy(), X**2
    x[[3, 5]], z[5] = np.nan, np.nan
    made = prepared({"x": x, "z": z, "same": [None, 1.0] * 12}, missing=missing)
    assert made.warnings == [words]
    z[5] = 1.0
    x[5] = 0.5
    (one,) = prepared({"x": x, "z": z}, missing="auto").warnings
    assert one == "1 missing value was filled in from the other columns of the row (1 column)."


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ("auto", "2 missing values were filled in from the other columns of the row (1 column)."),
        (
            "median",
            "2 missing values were filled in with each column's median or most frequent value "
            "(1 column).",
        ),
        ("drop-rows", "2 rows with missing values were left out."),
    ],
)
def test_words_for_missing_are_counted_too(missing, words):
    """In a column of numbers "-" is a gap, however gaps are treated."""
    texts = ["-", *(f"{i * i}.5" for i in range(N - 2)), "-"]
    assert prepared({"x": X, "w": texts}, missing=missing).warnings == [words]


def test_what_a_summary_is_told():
    made = prepared({"x": X, "z": X**2, "kind": ["a", "b"] * 12, "gone": X}, label="kind",
                    drop=["gone"], scale="range")  # fmt: skip
    columns = [
        ("x", "number", True, "numbers"),
        ("z", "number", True, "numbers"),
        ("kind", "label", False,
         "the known answer: compared with the clusters, not used to find them"),
        ("gone", "dropped", False, "asked for with --drop"),
    ]  # fmt: skip
    keys = ("name", "kind", "kept", "reason")
    assert made.describe() == {
        "data": {
            "name": "t.csv", "n_rows": N, "n_rows_used": N, "n_columns": 4, "n_features": 2,
            "scale": "range", "missing": "auto", "label": "kind",
        },
        "columns": [{**dict(zip(keys, each, strict=True)), "unit": ""} for each in columns],
        "warnings": [],
    }  # fmt: skip
    assert made.label.tolist() == [0, 1] * 12
    assert made.countable is made.X
    frame = made.frame()
    assert frame.attrs == {}
    np.testing.assert_array_equal(frame.to_numpy(), made.X)
    assert frame.columns.tolist() == made.feature_names == ["x", "z"]


def test_a_frame_of_columns_of_several_kinds():
    made = prepared({"x": X, "kind": ["a", "b", "c"] * 8})
    assert made.countable is made.mixed
    frame = made.frame()
    assert frame.attrs[PREPARED].mixed is made.mixed
    assert frame.attrs[PREPARED].plan is made.plan
    other = prepared({"x": X * 2, "kind": ["a", "b", "c"] * 8}).plan
    again = made.frame(other)
    assert again.attrs[PREPARED].plan is other
    assert not np.allclose(again["x"], frame["x"])
    copied = frame.copy()
    assert copied.attrs[PREPARED].mixed is made.mixed


def test_labels_that_are_missing():
    labels = [None, "b", None, "a"] * 6
    assert (
        prepared({"x": X, "z": X**2, "k": labels}, label="k").label.tolist() == [-1, 0, -1, 1] * 6
    )
    made = prepared({"x": X, "z": X**2, "k": ["a"] * N}, label="k")
    assert made.label.tolist() == [0] * N
    words = "the label column 'k' is empty; leave --label out."
    with pytest.raises(InputError, match=words):
        prepared({"x": X, "z": X**2, "k": [None] * N}, label="k")


# Recipes of weft 0.1.0 ----------------------------------------------------------------------------


def recipe(missing="error"):
    return {
        "columns": [
            {"name": "x", "kind": "numeric", "fill": 5.0},
            {"name": "ok", "kind": "boolean", "fill": 1.0},
            {"name": "c", "kind": "categorical", "values": ["red", "(missing)"]},
        ],
        "missing": missing,
        "scale": {"center": [1.0, 0.0, 0.0, 0.5], "scale": [2.0, 1.0, 1.0, 0.5]},
    }


def test_an_old_recipe_by_hand():
    frame = pd.DataFrame(
        {"c": ["red", " red ", None], "ok": ["Yes", "f", None], "x": [3.0, "7", None]}
    )
    np.testing.assert_allclose(
        encode(frame, recipe()), [[1, 1, 1, -1], [3, 0, 1, -1], [2, 1, 0, 1]]
    )
    done = apply_recipe(RawTable(frame[:2], "n.csv", notes=("a",)), recipe())
    assert (done.n_rows, done.rows.tolist(), done.warnings) == (2, [0, 1], ["a"])
    raw = RawTable(frame, "n.csv")
    filled = apply_recipe(raw, recipe("median"))
    assert filled.X[2].tolist() == [2.0, 1.0, 0.0, 1.0]
    assert apply_recipe(raw, recipe(), missing="median").rows.tolist() == [0, 1, 2]
    dropped = apply_recipe(raw, recipe("drop-rows"))
    assert (dropped.n_rows, dropped.rows.tolist(), len(dropped.X)) == (3, [0, 1], 2)
    with pytest.raises(InputError, match="has missing values, the first on line 4; go on with"):
        apply_recipe(raw, recipe())
    assert encode(frame[[]], {"columns": [], "scale": {"center": [], "scale": []}}).shape == (3, 0)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"x": [1.0, "a", "b"]}, "n.csv has 'a' in column 'x' on line 3, where the model was fit"),
        ({"x": [1.0, np.inf, 2.0]}, "n.csv has 'inf' in column 'x' on line 3"),
        ({"ok": ["yes", "no", "maybe"]}, "n.csv has 'maybe' in column 'ok' on line 4"),
        ({"gone": 1}, "n.csv lacks column 'c', which the model was fitted on"),
    ],
)
def test_rows_that_an_old_recipe_refuses(changes, words):
    frame = {"x": [1.0, 2.0, 3.0], "ok": ["yes"] * 3, "c": ["red"] * 3, **changes}
    if "gone" in frame:
        del frame["c"], frame["gone"]
    with pytest.raises(InputError) as error:
        apply_recipe(RawTable(pd.DataFrame(frame), "n.csv"), recipe())
    assert str(error.value).startswith(words)


# Files --------------------------------------------------------------------------------------------

COLUMNS = {"a": [1, 2], "b": ["=x", "http://y.z"]}


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "t.pq", "t.feather", "t.arrow"])
def test_what_is_written_is_read(tmp_path, name):
    write_table(tmp_path / name, COLUMNS)
    frame = read_table(tmp_path / name).frame
    assert frame["a"].tolist() == [1, 2]
    is_text = name.endswith("sv")
    assert frame["b"].tolist() == (["'=x", "http://y.z"] if is_text else COLUMNS["b"])
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_workbook_holds_no_formula(tmp_path):
    write_table(tmp_path / "t.xlsx", COLUMNS)
    assert read_table(tmp_path / "t.xlsx").frame["b"].tolist() == COLUMNS["b"]
    import zipfile

    with zipfile.ZipFile(tmp_path / "t.xlsx") as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml")
    assert b"<f>" not in sheet
    assert b"hyperlink" not in sheet


def test_results_on_standard_output_and_what_cannot_be_written(tmp_path, capsys):
    write_table("-", COLUMNS)
    assert capsys.readouterr().out == "a,b\n1,'=x\n2,http://y.z\n"
    with pytest.raises(InputError, match=r"cannot write t.pdf: '.pdf' is not a supported format"):
        write_table(tmp_path / "t.pdf", COLUMNS)
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        write_table(tmp_path / "none" / "t.csv", COLUMNS)


def piped(monkeypatch, data, is_terminal=False):
    buffer = SimpleNamespace(buffer=io.BytesIO(data), isatty=lambda: is_terminal)
    monkeypatch.setattr(sys, "stdin", buffer)
    return read_table("-")


def test_tables_through_a_pipe(tmp_path, monkeypatch):
    text = b"# note\na,b\n1,2\n3,4\n"
    write_table(tmp_path / "t.parquet", {"a": [1, 3], "b": [2, 4]})
    for data in (text, gzip.compress(text), (tmp_path / "t.parquet").read_bytes()):
        raw = piped(monkeypatch, data)
        assert raw.frame.to_numpy().tolist() == [[1, 2], [3, 4]]
        assert (raw.name, raw.path) == ("standard input", None)
    with pytest.raises(InputError, match="but nothing is piped in"):
        piped(monkeypatch, text, is_terminal=True)
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="but nothing is piped in"):
        read_table("-")


def test_packed_files_have_no_lines_to_look_up(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,b\n\n1,2\n3,4\n"))
    raw = read_table(tmp_path / "t.csv.gz")
    assert (raw.path, raw.name, raw.line(0)) == (None, "t.csv.gz", 2)
    (tmp_path / "t.csv.gz.gz").write_bytes(gzip.compress(gzip.compress(b"a,b\n1,2\n")))
    with pytest.raises(InputError, match="is packed twice; unpack it first"):
        read_table(tmp_path / "t.csv.gz.gz")
    (tmp_path / "t.csv").write_text("a,b\n\n1,2\n3,4\n")
    assert read_table(tmp_path / "t.csv").line(0) == 3


def test_a_file_with_brackets_in_its_name_is_no_pattern(tmp_path):
    (tmp_path / "t[1].csv").write_text("a,b\n1,2\n3,4\n")
    raw = read_table(tmp_path / "t[1].csv")
    assert (raw.name, raw.frame.shape) == ("t[1].csv", (2, 2))


def test_files_in_folders_by_a_pattern(tmp_path):
    (tmp_path / "x" / "y").mkdir(parents=True)
    for place in ("x/a.csv", "x/y/b.csv"):
        (tmp_path / place).write_text("a,b\n1,2\n")
    found = formats.table_files(tmp_path / "**" / "*.csv")
    assert [path.name for path in found] == ["a.csv", "b.csv"]


def test_errors_without_words(tmp_path, monkeypatch):
    def fail(*_):
        raise RuntimeError

    path = tmp_path / "t.gz"
    path.write_bytes(b"")
    monkeypatch.setattr(packed, "_unpack", fail)
    with pytest.raises(InputError, match=r"t.gz cannot be unpacked \(RuntimeError\); fix the file"):
        read_table(path)
    monkeypatch.setattr(formats, "_read_frame", fail)
    (tmp_path / "t.parquet").write_bytes(b"")
    with pytest.raises(InputError, match=r"t.parquet cannot be read as parquet \(RuntimeError\);"):
        read_table(tmp_path / "t.parquet")


# The direction of a table -------------------------------------------------------------------------


def genes(n_rows=300, n_columns=3):
    frame = pd.DataFrame({"gene": [f"GENE{number}" for number in range(n_rows)]})
    for column in range(n_columns - 1):
        frame[f"s{column}"] = np.arange(n_rows) + column
    return frame


def test_the_smallest_table_of_genes():
    note = (
        "rows look like genes ('GENE0', 'GENE1', …) and columns like samples: the clusters are of "
        "genes; give --transpose to cluster the samples."
    )

    def told(frame):
        return orientation_note(RawTable(frame, "t"))

    assert told(genes(100)) == note
    assert told(genes(99)) == ""
    assert told(genes(100, 2)) == ""
    assert told(genes(120, 40)) == note
    assert told(genes(119, 40)) == ""
    first = genes(n_columns=4)
    first["s0"] = "x"
    assert told(first) == ""
    seventh = genes(n_columns=8)
    seventh["s5"] = "x"
    assert told(seventh) == note
    for wrong in (None, 5):
        frame = genes()
        frame["gene"] = frame["gene"].astype(object)
        frame.loc[7, "gene"] = wrong
        assert told(frame) == ""


def test_transposed_tables_are_read_as_numbers():
    frame = pd.DataFrame({"g": ["A", "B", "A"], "s1": [1, "2", 5], "s2": ["x", 4.5, 6]})
    turned = transposed(RawTable(frame, "t", notes=("n",)))
    assert turned.frame.to_dict("list") == {
        "sample": ["s1", "s2"], "A": [1, "x"], "B": [2.0, 4.5], "A (2)": [5, 6]
    }  # fmt: skip
    assert turned.frame["B"].dtype == np.float64
    assert turned.notes == (
        "n",
        "several columns are called 'A'; they were numbered, as 'a (2)'.",
        "rows and columns were exchanged: 2 samples, 3 columns.",
    )


def test_a_remedy_is_named_only_if_there_is_one():
    texts = [f"t{i}" for i in range(24)]
    told = prepared({"x": X, "z": X**2, "name": texts, "user_id": [*texts[:23], "t0"]}).warnings
    assert told == [
        "'name' was left out: a different text in every row.",
        "'user_id' was left out: text in a column named like an identifier; if it measures "
        "something, keep it with --keep.",
    ]


def test_columns_that_are_called_x_and_y_are_coordinates():
    assert prepared({"x": X, "Y": X**2}).warnings == []
    assert prepared({"z": X, "Y": X**2}).warnings == [ANSWER.format("Y")]


def test_names_that_look_like_values():
    note = (
        "the first line was read as the column names, but '-0.5' looks like a value; if the file "
        "has no names, add a line of them."
    )
    assert prepared({"red": X, "-0.5": X**2}).warnings == [note]
    assert prepared({"2020": X, "2021": X**2, "land": X}).warnings == []
