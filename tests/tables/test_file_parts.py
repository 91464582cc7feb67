"""Parts of reading files: packed files, JSON, sheets, lines, totals, databases, Parquet parts."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.refusals import refusal

from weft.tables import databases, packed, parquet_parts
from weft.tables.footers import as_numbers, without_totals
from weft.tables.formats import _named, read_table, table_files, table_stem
from weft.tables.headers import Header
from weft.tables.json_rows import _flat, read_json
from weft.tables.packed import is_bomb, refuse_bomb, unpacked
from weft.tables.parquet_parts import parquet_files, read_part, rows_written
from weft.tables.raw import RawTable, _exact_floats, _explain_shape, without_names
from weft.tables.text_columns import find_text_columns
from weft.tables.text_form import TextForm
from weft.tables.workbooks import _choose_sheet

# Packed files -------------------------------------------------------------------------------------


def test_the_size_of_a_bomb(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "BOMB_SIZE", 1000)
    path = tmp_path / "t.gz"
    path.write_bytes(b"x" * 10)
    # More than 1000 bytes, and more than 200 times the 10 bytes of the file.
    assert [is_bomb(path, size) for size in (1000, 1001, 2000, 2001)] == [False] * 3 + [True]
    path.write_bytes(b"x")
    assert [is_bomb(path, size) for size in (999, 1000, 1001)] == [False, False, True]
    refuse_bomb(path, 1000)
    assert refusal(refuse_bomb, path, 3 * 2**29) == (
        "t.gz would unpack to 1.5 GiB, more than 200 times its own size; write it again without "
        "compression if that is really the table."
    )


def test_names_of_unpacked_files(tmp_path):
    import gzip

    for name, inner in (("t.tsv.gz", "t.tsv"), ("t.gz", "t.csv")):
        (tmp_path / name).write_bytes(gzip.compress(b"a,b\n1,2\n" * 3))
        with unpacked(tmp_path / name) as path:
            assert path.name == inner
            assert path.read_bytes() == b"a,b\n1,2\n" * 3
        assert not path.exists()
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("up/../t.csv", "a")
    with unpacked(tmp_path / "t.zip") as path:
        assert (path.name, path.read_text()) == ("t.csv", "a")


# JSON ---------------------------------------------------------------------------------------------


def test_objects_within_objects():
    deep = {"a": {"b": {"c": {"d": {"e": {"f": 1}}}}}, "g": [1, 2], "h": None}
    # Four levels become names, what is below stays JSON.
    assert dict(_flat(deep)) == {"a.b.c.d.e": '{"f": 1}', "g": "[1, 2]", "h": None}


def test_rows_of_json(tmp_path):
    path = tmp_path / "t.json"

    def read(value):
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return read_json(path, "t.json")

    rows = [{"a": 1, "b": {"c": 2}}, {"a": 3}]
    assert read(rows).columns.tolist() == ["a", "b.c"]
    assert read({"n": 2, "rows": rows})["a"].tolist() == [1, 3]
    list_words = (
        "t.json holds no list of objects, which is what a table is in JSON; write it as "
        '[{"a": 1, "b": 2}, {"a": 3, "b": 4}] (pandas does so with orient="records").'
    )
    assert refusal(read, {"one": rows, "two": rows}) == list_words
    assert refusal(read, {"a": 1}) == list_words
    row_words = 'where an object such as {"a": 1, "b": 2} is needed; fix the file.'
    assert refusal(read, [{"a": 1}, 5]) == f"t.json has a number as row 2, {row_words}"
    assert refusal(read, [{}]) == "t.json holds no object with a value; there is nothing to read."
    assert refusal(read, '[\n{"a": }]').startswith("t.json is not valid JSON on line 2 (")
    lines = tmp_path / "t.jsonl"
    lines.write_text('{"a": 1}\n\n{"a": 2}\n')
    assert read_json(lines, "t.jsonl")["a"].tolist() == [1, 2]
    lines.write_text('{"a": 1}\n\n[2]\n')
    assert refusal(read_json, lines, "t") == f"t has a list as row 3, {row_words}"
    lines.write_text('{"a": 1}\n\n{"a"}\n')
    assert refusal(read_json, lines, "t").startswith("t is not valid JSON on line 3 (")


# Formats ------------------------------------------------------------------------------------------


def test_sheets_by_name_and_number():
    names = ["Data", "7", "Notes"]
    assert _choose_sheet("t.xlsx", names, None) is None
    chosen = [_choose_sheet("t.xlsx", names, sheet) for sheet in ("Notes", "1", "3", "7")]
    assert chosen == ["Notes", "Data", "Notes", "7"]
    words = "t.xlsx has no sheet {!r}; it has 'Data', '7', 'Notes'."
    for sheet in ("0", "4", "data"):
        assert refusal(_choose_sheet, "t.xlsx", names, sheet) == words.format(sheet)
    many = [f"{'n' * 65}{number}" for number in range(9)]
    listed = ", ".join([repr("n" * 60)] * 8)
    assert refusal(_choose_sheet, "t", many, "x") == f"t has no sheet 'x'; it has {listed}."


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("sales.csv.gz", "sales"),
        ("sales-*.csv", "sales"),
        ("a/b.c.tsv", "b.c"),
        ("*.csv", "table"),
        ("[!x]?.csv", "x"),
        ("t.csv.GZ.zip", "t"),
    ],
)
def test_names_for_results(path, stem):
    assert table_stem(path) == stem


def test_files_of_a_pattern(tmp_path):
    for name in ("b.csv", "a.csv", "[x].csv"):
        (tmp_path / name).write_text("")
    (tmp_path / "c.csv").mkdir()
    found = table_files(tmp_path / "*.csv")
    assert [path.name for path in found] == ["[x].csv", "a.csv", "b.csv"]
    assert table_files(tmp_path / "[x].csv") == [tmp_path / "[x].csv"]
    assert table_files(tmp_path / "none.csv") == [tmp_path / "none.csv"]


def test_index_and_names_of_frames():
    frame = pd.DataFrame({" a ": [1, 2], "b": [3, 4]}, index=[5, 6])
    assert _named(frame)[0].to_dict("list") == {"a": [1, 2], "b": [3, 4]}
    assert _named(frame)[0].index.tolist() == [0, 1]
    named = _named(frame.rename_axis("key"))
    assert named[0].to_dict("list") == {"key": [5, 6], "a": [1, 2], "b": [3, 4]}
    assert named[1] == []


def test_notes_of_several_files_are_given_once(tmp_path):
    for name in ("t-1.csv", "t-2.csv"):
        (tmp_path / name).write_text("# note\na,b\n1,2\n3,4\n")
    raw = read_table(tmp_path / "t-*.csv")
    assert raw.notes == ("lines that start with '#' were taken for comments.",)
    assert raw.name == f"{tmp_path / 't-*.csv'} (2 files)"
    assert raw.frame.to_numpy().tolist() == [[1, 2], [3, 4]] * 2
    assert raw.frame.index.tolist() == [0, 1, 2, 3]


def test_arrow_files_and_streams(tmp_path):
    table = pa.table({"a": [1.0, 2.0, 3.0]})
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    with pa.ipc.new_stream(tmp_path / "s.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    for name in ("t.arrow", "s.arrow"):
        assert read_table(tmp_path / name).frame["a"].tolist() == [1.0, 2.0, 3.0]


# Text tables --------------------------------------------------------------------------------------


def test_lines_of_rows(tmp_path):
    frame = pd.DataFrame({"a": [1, 2, 3]})
    # Without a file, rows are below one line of names; row 1 was left out, so row 1 is record 2.
    assert [RawTable(frame, "t").line(row) for row in (0, 2)] == [2, 4]
    assert [RawTable(frame, "t", n_above=3).line(row) for row in (0, 2)] == [4, 6]
    left = RawTable(frame, "t", left_out=(1, 2))
    assert [left.line(row) for row in (0, 1, 2)] == [2, 5, 6]
    assert RawTable(frame, "t").place(0) == "line 2"
    path = tmp_path / "t.csv"
    path.write_text("a\n\n1\n2\n")
    on_disk = RawTable(frame, "t", path)
    assert [on_disk.line(row) for row in (0, 1, 2)] == [3, 4, 4]


def test_rows_that_repeat_the_names():
    frame = pd.DataFrame({"a": ["1", "a", "2", "a"], "b": ["x", "b", "b", "b"]})
    kept, repeated = without_names(frame)
    assert repeated == (1, 3)
    assert kept.to_dict("list") == {"a": [1, 2], "b": ["x", "b"]}
    for same in (
        pd.DataFrame({"a": ["1", "a"], "b": [1, 2]}),  # numbers are not names
        pd.DataFrame({"a": ["1", "2"], "b": ["b", "x"]}),
        pd.DataFrame({"a": ["a", "a"]}),  # nothing would be left
        pd.DataFrame({"a": []}, dtype=object),
    ):
        assert without_names(same)[0] is same
        assert without_names(same)[1] == ()


def test_columns_without_the_names_in_them():
    assert as_numbers(pd.Series(["1", "2.5"])).tolist() == [1.0, 2.5]
    assert as_numbers(pd.Series(["01", "2"])).tolist() == ["01", "2"]
    assert as_numbers(pd.Series(["x", "2"])).tolist() == ["x", "2"]


def test_last_rows_of_totals():
    frame = pd.DataFrame({"a": ["x", "y", "Total"], "b": [1, 2, 3]})
    kept, notes = without_totals(frame)
    assert kept.to_dict("list") == {"a": ["x", "y"], "b": [1, 2]}
    assert notes == ["the last row ('Total') holds totals and was left out."]
    assert without_totals(frame[1:])[0].shape == (2, 2)  # two rows have no totals
    twice = pd.DataFrame({"a": ["x", "Total", "Total"], "b": [1, 2, 3]})
    assert without_totals(twice)[0] is twice
    plain = pd.DataFrame({"a": ["x", "y", "z"]})
    assert without_totals(plain)[1] == []
    long = pd.DataFrame({"a": ["x", "y", "Sum"], "b": ["", "", "t" * 70]})
    assert without_totals(long)[1] == [
        f"the last row ({('Sum ' + 't' * 70)[:60]!r}) holds totals and was left out."
    ]


def test_codes_with_leading_zeros(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c,d\n01,1,0,x\n2,05 ,0.5,0x\n")
    header = Header(list("abcd"), 0, 1, [])
    assert find_text_columns(path, TextForm(), header, 1) == ({"a", "b"}, set(), {})
    assert find_text_columns(path, TextForm(), header, 2) == ({"b"}, set(), {})


@pytest.mark.parametrize(
    ("version", "decimal", "is_needed"),
    [
        ("2.3.1", ".", True),
        ("3.0.2", ".", True),
        ("3.1.0", ".", False),
        ("4.0", ".", False),
        ("2.3.1", ",", False),
    ],
)
def test_floats_to_the_last_bit(version, decimal, is_needed):
    assert _exact_floats(version, decimal) == (
        {"float_precision": "round_trip"} if is_needed else {}
    )


def test_the_record_that_does_not_fit(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("long,long,long\na,b\n1,2\n1,2,3\n")
    header = Header(["a", "b"], 1, 1, [])
    error = ValueError("no  \n reason")
    assert _explain_shape(path, TextForm(), header, "t.csv", error) == (
        "t.csv has 3 cells on line 4 but 2 column names; fix that line, or quote cells that "
        "contain the separator."
    )
    path.write_text("a,b\n1,2\n")
    assert _explain_shape(path, TextForm(), header, "t.csv", error) == (
        "t.csv cannot be read as CSV (no reason); fix the file."
    )
    ended = ValueError("EOF inside string starting at row 3")
    assert _explain_shape(path, TextForm(), header, "t.csv", ended) == (
        "t.csv has a quote that is opened and never closed; fix the file."
    )


# Databases ----------------------------------------------------------------------------------------


def test_answers_of_databases(tmp_path, monkeypatch):
    path = tmp_path / "t.db"
    connection = sqlite3.connect(path)
    connection.execute('CREATE TABLE "a ""b" (x REAL, "x y" TEXT)')
    connection.executemany('INSERT INTO "a ""b" VALUES (?, ?)', [(n, "é" * n) for n in range(250)])
    connection.commit()
    frame = databases.read_database(path, None)
    assert frame.columns.tolist() == ["x", "x y"]
    assert frame["x"].tolist() == list(range(250))
    assert refusal(databases.read_database, path, "  ") == (
        "the query on t.db gives no rows; give a SELECT."
    )
    # The first 100 rows: 8 bytes for each of 200 cells, and the letters, 0 + 1 + ... + 99 = 4950.
    sizes = []
    monkeypatch.setattr(databases, "is_bomb", lambda path, size: sizes.append(size))
    databases.read_database(path, None)
    assert sizes == [1600 + 4950, 3200 + 19900, 4000 + 31125]
    connection.execute("CREATE TABLE other (y)")
    connection.close()
    assert refusal(databases.read_database, path, None) == (
        "t.db holds 2 tables ('a \"b', 'other'); say with --query which rows to read."
    )
    connection = sqlite3.connect(tmp_path / "long.db")
    for letter in "abcdefghi":
        connection.execute(f"CREATE TABLE {letter * 61} (x)")
    connection.close()
    listed = ", ".join(repr(letter * 60) for letter in "abcdefgh")
    assert refusal(databases.read_database, tmp_path / "long.db", None) == (
        f"long.db holds 9 tables ({listed}); say with --query which rows to read."
    )
    assert databases._explain(path, ValueError("x " * 150)) == (
        f"t.db cannot be read ({'x ' * 100}); check the file and --query."
    )
    empty = tmp_path / "e.db"
    sqlite3.connect(empty).close()
    assert refusal(databases.read_database, empty, None) == (
        "e.db holds no table; say with --query which rows to read."
    )


# Parquet files ------------------------------------------------------------------------------------


def test_what_a_parquet_file_would_unpack_to(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(parquet_parts, "refuse_bomb", lambda path, size: asked.append(size))
    # 3000 rows of 2 cells are 48,000 bytes at least; long texts take more.
    pd.DataFrame({"a": [1.0] * 3000, "b": [2.0] * 3000}).to_parquet(tmp_path / "t.parquet")
    pd.DataFrame({"a": ["x" * 999, "y" * 999]}).to_parquet(tmp_path / "u.parquet")
    for name in ("t.parquet", "u.parquet"):
        read_table(tmp_path / name)
        parquet_parts.parquet_parts([tmp_path / name])
    assert asked[:2] == [48_000] * 2
    assert min(asked[2:]) > 1998


def test_a_parquet_file_whose_groups_claim_more_rows_than_the_file(tmp_path, monkeypatch):
    # Found by fuzzing: the reader reserves memory for the rows that a group claims.
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1.0, 2.0, 3.0]}).to_parquet(path)
    claims = parquet_parts.read_footer(path)._replace(group_rows=[73_939_220_095])
    monkeypatch.setattr(parquet_parts, "read_footer", lambda file: claims)
    words = (
        "t.parquet would unpack to 551 GiB, more than 200 times its own size; write it again "
        "without compression if that is really the table."
    )
    # 8 bytes for each of 73,939,220,095 cells are 550.9 GiB.
    assert refusal(read_table, path) == words
    assert refusal(parquet_parts.parquet_parts, [path]) == words


def test_numbers_of_rows_below_zero(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1.0, 2.0, 3.0]}).to_parquet(path)
    metadata = parquet_parts.import_optional("pyarrow.parquet", "app").read_metadata(path)
    group = SimpleNamespace(num_rows=-3, total_byte_size=24)
    about = SimpleNamespace(
        num_rows=3, num_row_groups=1, row_group=lambda number: group, schema=metadata.schema
    )
    parquet = SimpleNamespace(read_metadata=lambda path: about)
    monkeypatch.setattr(parquet_parts, "import_optional", lambda *_: parquet)
    assert refusal(parquet_parts.read_footer, path) == (
        "t.parquet cannot be read as Parquet (a negative number of rows or bytes); fix the file."
    )


def test_damaged_parts(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": ["x" * 40, "y" * 40, "z" * 40]}).to_parquet(path, compression=None)
    (part,) = parquet_parts.parquet_parts([path])
    assert refusal(read_part, part._replace(n_rows=4)) == (
        "t.parquet cannot be read as Parquet (4 rows claimed, 3 read); fix the file."
    )
    good = path.read_bytes()
    path.write_bytes(good.replace(b"y" * 40, b"\xff" * 40))  # which is not UTF-8
    assert refusal(read_part, part).startswith("t.parquet cannot be read as Parquet (")
    path.write_bytes(good[:4] + bytes(100) + good[104:])
    assert refusal(read_part, part).startswith("t.parquet cannot be read as Parquet (")
    path.write_bytes(good[:-50])
    for call in (read_part, lambda part: parquet_parts.parquet_parts([path])):
        assert refusal(call, part).startswith("t.parquet cannot be read as Parquet (")


def test_a_column_that_occurs_twice_in_parts(tmp_path):
    path = tmp_path / "t.parquet"
    table = pa.table([pa.array([1.0]), pa.array([2.0])], names=["a", "a"])
    parquet_parts.import_optional("pyarrow.parquet", "app").write_table(table, path)
    assert refusal(parquet_parts.parquet_parts, [path]) == (
        "t.parquet has more than one column 'a'; give columns different names."
    )


def test_parts_by_rows(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    frame = pd.DataFrame({"x": np.arange(7.0), "y": np.arange(7)})
    frame.to_parquet(path, row_group_size=2)  # 2, 2, 2, 1 rows
    found = {}
    for size in (1, 2, 3, 4, 6, 7, 9):
        monkeypatch.setattr(parquet_parts, "PART_ROWS", size)
        found[size] = [(part.groups, part.n_rows) for part in parquet_parts.parquet_parts([path])]
    pairs = [((0, 1), 4), ((2, 3), 3)]
    whole = [((0, 1, 2, 3), 7)]
    single = [((0,), 2), ((1,), 2), ((2,), 2), ((3,), 1)]
    assert found == {
        1: single, 2: single, 3: pairs, 4: pairs, 6: [((0, 1, 2), 6), ((3,), 1)], 7: whole, 9: whole
    }  # fmt: skip
    monkeypatch.setattr(parquet_parts, "PART_ROWS", 3)
    parts = parquet_parts.parquet_parts([path])
    assert read_part(parts[1]).to_dict("list") == {"x": [4.0, 5.0, 6.0], "y": [4, 5, 6]}
    monkeypatch.setattr(parquet_parts, "PART_ROWS", 9)
    assert [part.n_rows for part in parquet_parts.parquet_parts([path, path])] == [7, 7]
    # Columns are in the order of the first file.
    other = tmp_path / "u.parquet"
    frame[["y", "x"]].to_parquet(other)
    assert parquet_parts.parquet_parts([path, other])[-1].columns == ("x", "y")
    assert rows_written(other) == 7
    empty = tmp_path / "v.parquet"
    frame[:0].to_parquet(empty)
    assert refusal(parquet_parts.parquet_parts, [empty]) == (
        "the Parquet files have no rows; give a table with some."
    )
    assert len(parquet_parts.parquet_parts([path, empty])) == 1


def test_which_files_are_parts(tmp_path):
    for name in ("a.parquet", "b.PQ", ".c.parquet", "_d.parquet", "deep/e.pq"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    names = [path.name for path in parquet_files(tmp_path)]
    assert names == ["a.parquet", "e.pq"]
    assert [path.name for path in parquet_files(tmp_path / "*.*")] == ["a.parquet", "b.PQ"]
    assert parquet_files(tmp_path / "b.PQ") == [tmp_path / "b.PQ"]
    assert parquet_parts.SUFFIXES == (".parquet", ".pq")
    (tmp_path / "f.csv").write_bytes(b"")
    assert parquet_files(tmp_path / "*.*") == []
    (tmp_path / "g[1].pq").write_bytes(b"")
    assert parquet_files(tmp_path / "g[1].pq") == [tmp_path / "g[1].pq"]
    assert parquet_files(tmp_path / "f.csv") == []


@pytest.mark.parametrize(
    ("brand", "city"),
    [
        (["Shell", "Total", "Esso", "total"], ["Rome", "Oslo", "Rome", "Oslo"]),  # a brand
        (["sum", "mean", "max", "Sum"], [None, None, None, None]),
        (["x", "Total", "y", "Total"], [None, None, None, None]),  # parts, or all rows: not clear
    ],
)
def test_words_for_totals_that_occur_above_are_values(brand, city):
    frame = pd.DataFrame({"brand": brand, "city": city, "v": [1, 2, 3, 4]})
    assert without_totals(frame)[0] is frame


def test_columns_above_totals_are_read_as_without_them():
    frame = pd.DataFrame(
        {"day": ["20240101", "20240201", "Total"], "code": ["1", "2", "x"], "v": [1, 2, 3]}
    )
    kept, _ = without_totals(frame, as_text=["code"])
    assert kept.to_dict("list") == {"day": [20240101, 20240201], "code": ["1", "2"], "v": [1, 2]}
    # Typed days are not numbers of nanoseconds.
    days = [pd.Timestamp("2024-01-01"), pd.Timestamp("2024-02-01")]
    typed = pd.DataFrame({"day": [*days, "Total"], "v": [1, 2, 3]}, dtype=object)
    assert without_totals(typed)[0]["day"].tolist() == days
