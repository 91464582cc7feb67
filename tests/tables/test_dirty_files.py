"""Files as people have them: each is read sensibly, or refused in one sentence.

Every case makes its own file. A case that is read says how many rows it has and what some columns
were taken for, by `kind`, `kind unit` or the values themselves; a case that is refused says words
of the sentence.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest

from weft.io import InputError, apply_recipe, prepare_table, read_table

N = 30
NUMBERS = np.random.default_rng(0).normal(50, 20, size=N).round(2)
OTHERS = np.random.default_rng(1).normal(5, 2, size=N).round(3)
COLOURS = np.array(["red", "green", "blue"])[np.arange(N) % 3]


def table(**columns) -> pd.DataFrame:
    return pd.DataFrame({"x": NUMBERS, "y": OTHERS, **columns})


def text_of(frame: pd.DataFrame, **options) -> str:
    return frame.to_csv(index=False, **options)


class Case(NamedTuple):
    """A file, and what becomes of it."""

    name: str
    write: Callable[[Path], None]
    n_rows: int = N
    kinds: dict[str, str] = {}  # noqa: RUF012 - never changed
    notes: tuple[str, ...] = ()
    refused: str = ""
    options: dict[str, str] = {}  # noqa: RUF012 - never changed


def written(content: str | bytes) -> Callable[[Path], None]:
    data = content if isinstance(content, bytes) else content.encode()
    return lambda path: path.write_bytes(data)


def csv_case(what: str, content: str | bytes, **expected) -> Case:
    return Case(f"{what}.csv", written(content), **expected)


def column(name: str, cells, kind: str, notes: tuple[str, ...] = ()) -> Case:
    """A column of one kind beside two columns of numbers."""
    frame = table(**{name: list(cells)})
    return csv_case(f"column {name}", text_of(frame), kinds={name: kind}, notes=notes)


def german(number: float) -> str:
    return f"{number:,.2f}".translate(str.maketrans(",.", ".,"))


def workbook(path: Path, **sheets: list[list]) -> None:
    with pd.ExcelWriter(path, engine="xlsxwriter") as writer:
        for name, rows in sheets.items():
            frame = pd.DataFrame(rows)
            frame.to_excel(writer, sheet_name=name, index=False, header=False)


def open_document(path: Path, rows: list[list]) -> None:
    """An .ods file, written by hand: a zip with a little XML."""

    def cell(value) -> str:
        if isinstance(value, float):
            return f'<table:table-cell office:value-type="float" office:value="{value}"/>'
        text = f"<text:p>{value}</text:p>"
        return f'<table:table-cell office:value-type="string">{text}</table:table-cell>'

    lines = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    names = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{short}:1.0"'
        for short in ("office", "table", "text")
    )
    body = f'<table:table table:name="Sheet1">{lines}</table:table>'
    content = (
        f'<?xml version="1.0"?><office:document-content {names}><office:body>'
        f"<office:spreadsheet>{body}</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", content)


def database(path: Path, **tables: pd.DataFrame) -> None:
    connection = sqlite3.connect(path)
    for name, frame in tables.items():
        frame.to_sql(name, connection, index=False)
    connection.close()


def zipped(path: Path, **members: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_csv", ".csv"), content)


PLAIN = text_of(table(colour=COLOURS))
MONEY = np.abs(NUMBERS) * 100
DAYS = pd.date_range("2021-03-01", periods=N, freq="17D")
ROWS = [[f"r{i}", float(NUMBERS[i]), float(OTHERS[i])] for i in range(N)]
HEAD = ["name", "x", "y"]

ENCODINGS = [
    csv_case("byte order mark", b"\xef\xbb\xbf" + PLAIN.encode(), kinds={"x": "number"}),
    csv_case("utf-16", PLAIN.encode("utf-16"), kinds={"colour": "category"}, notes=("utf-16",)),
    csv_case("utf-16 no mark", PLAIN.encode("utf-16-le"), kinds={"x": "number"}, notes=("utf-16",)),
    csv_case("utf-16 big endian", PLAIN.encode("utf-16-be"), kinds={"colour": "category"}),
    csv_case(
        "cp1252",
        text_of(table(größe=["groß", "klein", "größer"] * 10)).encode("cp1252"),
        kinds={"größe": "category"},
        notes=("cp1252",),
    ),
    csv_case("binary", bytes(range(256)), refused="is not a text file"),
    csv_case("half utf-16", PLAIN.encode("utf-16")[:-1], refused="cannot be read as such"),
    csv_case("windows line ends", PLAIN.replace("\n", "\r\n"), kinds={"x": "number"}),
    csv_case("old mac line ends", PLAIN.replace("\n", "\r"), kinds={"colour": "category"}),
]
PACKED = [
    Case("t.csv.gz", lambda path: path.write_bytes(gzip.compress(PLAIN.encode()))),
    Case("t.csv.bz2", lambda path: path.write_bytes(bz2.compress(PLAIN.encode()))),
    Case("t.csv.xz", lambda path: path.write_bytes(lzma.compress(PLAIN.encode()))),
    Case("t.csv.zst", lambda path: path.write_bytes(pa.compress(PLAIN.encode(), "zstd", True))),
    Case("one.zip", lambda path: zipped(path, t_csv=PLAIN)),
    Case("two.zip", lambda path: zipped(path, a_csv=PLAIN, b_csv=PLAIN), refused="holds 2 files"),
    Case(
        "five.zip",
        lambda path: zipped(path, **{f"{letter}_csv": PLAIN for letter in "abcde"}),
        refused="holds 5 files ('a.csv', 'b.csv', 'c.csv', 'd.csv'); pack one table",
    ),
    Case("empty.zip", lambda path: zipped(path), refused="holds no file"),
    Case("cut.csv.gz", written(gzip.compress(PLAIN.encode())[:-9]), refused="cannot be unpacked"),
    Case("no gzip.csv.gz", written(PLAIN), refused="cannot be unpacked"),
]
HEADERS = [
    csv_case("comments", "# made by a machine\n# today\n" + PLAIN, notes=("'#'",)),
    csv_case("names in a comment", "# a note\n#" + PLAIN, kinds={"x": "number"}),
    csv_case("comment in the middle", PLAIN.replace("\n", "\n# half\n", 5), notes=("'#'",)),
    csv_case("title", f"Sales 2024\n\n{PLAIN}", notes=("taken for a title",)),
    csv_case("padded title", f"Sales 2024,,\nall regions,,\n{PLAIN}", notes=("2 lines above",)),
    csv_case(
        "two lines of names",
        "2023,,2024,\nq1,q2,q1,q2\n" + "".join(f"{a},{b},{b},{a}\n" for _, a, b in ROWS),
        kinds={"2023 q1": "number", "2024 q2": "number"},
        notes=("two lines",),
    ),
    csv_case(
        "a name twice",
        text_of(table(z=OTHERS)).replace("x,y,z", "x,y,x", 1),
        kinds={"x": "number", "x (2)": "number"},
        notes=("several columns are called 'x'",),
    ),
    csv_case("no names", text_of(table(), header=False), n_rows=N - 1, notes=("only numbers",)),
    csv_case("names only", "x,y\n", refused="no rows"),
    csv_case("one row", "x,y\n1,2\n", refused="one row"),
    csv_case("nothing", "", refused="is empty"),
    csv_case("comments only", "# a\n# b\n", refused="one column"),
    csv_case("one column", "x\n" + "\n".join(map(str, NUMBERS)), refused="one column"),
]
ROWS_THAT_ARE_ODD = [
    csv_case("too many cells", PLAIN + "1,2,red,4\n", refused="4 cells on line 32"),
    csv_case("too few cells", PLAIN + "1\n2,3\n", n_rows=N + 2, notes=("missing",)),
    csv_case("open quote", PLAIN + '1,2,"red\n', refused="never closed"),
    csv_case("blank lines", PLAIN.replace("\n", "\n\n"), kinds={"x": "number"}),
    csv_case(
        "totals", PLAIN + f"{NUMBERS.sum():.2f},{OTHERS.sum():.3f},Total\n", notes=("totals",)
    ),
    csv_case("names again", PLAIN + "x,y,colour\n", notes=("repeats the column names",)),
    csv_case(
        "names in the middle",
        PLAIN + PLAIN + "1,2,x,3\n",
        refused="4 cells on line 63",
    ),
    csv_case(
        "a document in a cell", text_of(table(c=COLOURS, d=["a" * 200_000] + ["b"] * (N - 1)))
    ),
    csv_case("commas at the ends", PLAIN.replace("\n", ",\n"), kinds={"column 4": "constant"}),
    csv_case("zeros at the end", PLAIN.encode() + b"\0" * 50, refused="cell on line 32"),
    csv_case("text among numbers", PLAIN + "about 5,2,red\n", refused="('about 5')"),
    csv_case("infinity", PLAIN + "inf,2,red\n", refused="infinite value in column 'x' on line 32"),
    csv_case("all missing", "x,y\n" + ",\n" * 9, refused="one value only"),
    csv_case("a missing column", text_of(table(z=[None] * N)), kinds={"z": "constant"}),
    csv_case("all the same", "x,y\n" + "1,2\n" * 9, refused="one value only"),
    csv_case("semicolons", text_of(table(), sep=";", decimal=","), kinds={"x": "number"}),
    csv_case("bars", text_of(table(colour=COLOURS), sep="|"), kinds={"colour": "category"}),
    csv_case(
        "commas in semicolons", text_of(table(t=["a, b"] * N), sep=";"), kinds={"x": "number"}
    ),
]
KINDS = [
    column("price", [f"${x:,.2f}" for x in MONEY], "amount $"),
    column("preis", [f"€{german(x)}" for x in MONEY], "amount €"),
    column("lei", [f"{german(x)} RON" for x in MONEY], "amount RON"),
    column(
        "loss", [f"({x:,.2f})" if i % 2 else f"{x:,.2f}" for i, x in enumerate(MONEY)], "number"
    ),
    column("quota", [f"{x:.1f} %".replace(".", ",") for x in np.abs(NUMBERS)], "share %"),
    column("swiss", [f"{x:,.2f}".replace(",", "'") for x in MONEY], "number"),
    column("french", [f"{x:,.2f}".translate(str.maketrans(",.", " ,")) for x in MONEY], "number"),
    column(
        "codes", [-999 if i % 6 == 0 else x for i, x in enumerate(NUMBERS)], "number", ("-999",)
    ),
    column(
        "two currencies",
        [f"{'$€'[i % 2]}{x:,.2f}" for i, x in enumerate(MONEY)],
        "amount $",
        ("not converted",),
    ),
    column("limits", ["<0.5" if i % 7 == 0 else f"{x}" for i, x in enumerate(OTHERS)], "number"),
    column(
        "accounting",
        [f"({x:,.2f})" if i % 3 else f"{x:,.2f}" for i, x in enumerate(MONEY)],
        "number",
    ),
    column("dollars after", [f"{x:,.2f} USD" for x in MONEY], "amount USD"),
    column(
        "persian",
        [f"{x:.0f}".translate(str.maketrans("0123456789", "۰۱۲۳۴۵۶۷۸۹")) for x in MONEY],
        "number",
    ),
    column(
        "keine", ["keine Angabe" if i % 5 == 0 else f"{x}" for i, x in enumerate(NUMBERS)], "number"
    ),
    column(
        "place", [f"{x:.3f},-{y:.3f}" for x, y in zip(MONEY, OTHERS, strict=True)], "identifier"
    ),
    column("weight", [f"{x:.0f} kg" for x in MONEY], "number kg"),
    column("gaps", ["-" if i % 5 == 0 else f"{x}" for i, x in enumerate(NUMBERS)], "number"),
    column("excel", ["#DIV/0!" if i % 5 == 0 else f"{x}" for i, x in enumerate(NUMBERS)], "number"),
    column("day", DAYS.strftime("%Y-%m-%d"), "date days"),
    column("tag", DAYS.strftime("%d.%m.%Y"), "date days"),
    column("us", DAYS.strftime("%m/%d/%Y"), "date days"),
    column("words", DAYS.strftime("%d %b %Y"), "date days"),
    column("stamp", DAYS.strftime("%Y-%m-%dT%H:%M:%SZ"), "date days"),
    column("number_day", DAYS.strftime("%Y%m%d"), "date days"),
    column(
        "mixed days", [f"{d:%Y-%m-%d}" if d.day % 2 else f"{d:%d.%m.%Y}" for d in DAYS], "date days"
    ),
    column("start date", (DAYS - pd.Timestamp("1899-12-30")).days, "date days"),
    column("timestamp", DAYS.as_unit("s").astype("int64"), "date days"),
    column("vrai", ["vrai", "faux"] * 15, "yes/no"),
    column("да", ["да", "нет"] * 15, "yes/no"),
    column("ticked", ["x", None] * 15, "constant"),
    column("clock", [f"{i % 24:02d}:{i:02d}" for i in range(N)], "cyclic"),
    column("weekday", ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] * 5, "cyclic"),
    column("month", [1 + i % 12 for i in range(N)], "cyclic"),
    column("answer", ["yes", "No"] * 15, "yes/no"),
    column("flag", [True, False] * 15, "yes/no"),
    column("rating", ["low", "medium", "high"] * 10, "ordered"),
    column("ages", ["18-24", "25-34", "65+"] * 10, "ordered"),
    column("sex", ["male", "Male ", "female"] * 10, "category"),
    column("zip", [f"{100 + 37 * i:05d}" for i in range(N)], "identifier"),
    column("zip_code", [10000 + 37 * i for i in range(N)], "identifier"),
    column("phone", [f"+49 30 {123400 + 17 * i}" for i in range(N)], "identifier"),
    column("sha", [f"{i * 7919:012x}abcdef" for i in range(N)], "identifier"),
    column("mail", [f"p{i}@example.org" for i in range(N)], "identifier"),
    column("account", [4000123412340000 + 97 * i for i in range(N)], "identifier"),
    column(
        "remark", [f"a longer remark number {i // 2}, as people write" for i in range(N)], "text"
    ),
    column("same", ["x"] * N, "constant"),
    column("mixed units", ["5 kg", "300 g"] * 15, "category"),
]
FILES = [
    Case("t.tsv", written(text_of(table(colour=COLOURS), sep="\t")), kinds={"colour": "category"}),
    Case("t.feather", lambda path: table(c=COLOURS).to_feather(path), kinds={"c": "category"}),
    Case(
        "t.arrow",
        lambda path: pa.feather.write_feather(pa.Table.from_pandas(table(day=DAYS)), path),
        kinds={"day": "date days"},
    ),
    Case("t.parquet", lambda path: table(day=DAYS).to_parquet(path), kinds={"day": "date days"}),
    Case(
        "t.jsonl",
        written(table(c=COLOURS).to_json(orient="records", lines=True)),
        kinds={"c": "category"},
    ),
    Case("t.json", written(table(c=COLOURS).to_json(orient="records")), kinds={"c": "category"}),
    Case(
        "nested.json",
        written(json.dumps({"rows": [{"a": {"x": x, "y": x * x}} for x in NUMBERS]})),
        kinds={"a.x": "number", "a.y": "number"},
    ),
    Case("cut.jsonl", written('{"a": 1}\n{"a": 2'), refused="not valid JSON on line 2"),
    Case("no rows.json", written('{"a": 1}'), refused="no list of objects"),
    Case("one.sqlite", lambda path: database(path, sales=table(c=COLOURS))),
    Case(
        "two.db",
        lambda path: database(path, sales=table(c=COLOURS), other=table()),
        refused="holds 2 tables ('other', 'sales')",
    ),
    Case(
        "query.db",
        lambda path: database(path, sales=table(c=COLOURS), other=table()),
        n_rows=20,
        options={"query": "SELECT x, y FROM sales WHERE c <> 'red'"},
    ),
    Case(
        "harm.db",
        lambda path: database(path, sales=table()),
        refused="not authorized",
        options={"query": "DROP TABLE sales"},
    ),
    Case("text.db", written(PLAIN), refused="file is not a database"),
    Case(
        "titled.xlsx",
        lambda path: workbook(path, Sheet1=[["Sales", None, None], HEAD, *ROWS]),
        kinds={"name": "identifier", "x": "number"},
        notes=("taken for a title",),
    ),
    Case(
        "second.xlsx",
        lambda path: workbook(path, Notes=[["see the other sheet"]], Data=[HEAD, *ROWS]),
        kinds={"x": "number"},
        options={"sheet": "Data"},
    ),
    Case(
        "no such sheet.xlsx",
        lambda path: workbook(path, Data=[HEAD, *ROWS]),
        refused="has no sheet 'Dta'; it has 'Data'",
        options={"sheet": "Dta"},
    ),
    Case("t.ods", lambda path: open_document(path, [HEAD, *ROWS]), kinds={"x": "number"}),
    Case("t.pdf", written(b"%PDF-1.4"), refused="ends in '.pdf'"),
    Case("no workbook.xlsx", written(PLAIN), refused="cannot be read as xlsx"),
    Case("no table.parquet", written(PLAIN), refused="cannot be read as Parquet"),
]

CASES = [*ENCODINGS, *PACKED, *HEADERS, *ROWS_THAT_ARE_ODD, *KINDS, *FILES]


def test_there_are_enough_of_them():
    assert len({case.name for case in CASES}) == len(CASES) >= 60


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_dirty_file(case, tmp_path):
    path = tmp_path / case.name
    case.write(path)
    if case.refused:
        with pytest.raises(InputError) as error:
            prepare_table(read_table(path, **case.options))
        assert case.refused in str(error.value)
        assert "\n" not in str(error.value)
        assert str(error.value).endswith(".")
        return
    raw = read_table(path, **case.options)
    made = prepare_table(raw)
    assert made.n_rows == case.n_rows
    found = {d.name: f"{d.kind} {d.unit}".strip() for d in made.decisions}
    assert {name: found.get(name) for name in case.kinds} == case.kinds
    told = " ".join(made.warnings)
    for words in case.notes:
        assert words in told
    assert np.isfinite(made.X).all()
    again = apply_recipe(raw, made.plan)
    np.testing.assert_array_equal(again.X, made.X)
    assert again.warnings == list(raw.notes)


def test_several_files_by_a_pattern(tmp_path):
    frame = table(colour=COLOURS)
    frame[:12].to_csv(tmp_path / "s-1.csv", index=False)
    frame[12:][["colour", "y", "x"]].to_csv(tmp_path / "s-2.csv", index=False)
    raw = read_table(tmp_path / "s-*.csv")
    pd.testing.assert_frame_equal(raw.frame, frame, check_dtype=False)
    table(other=COLOURS).to_csv(tmp_path / "s-3.csv", index=False)
    with pytest.raises(InputError, match="do not have the same columns"):
        read_table(tmp_path / "s-*.csv")
    with pytest.raises(InputError, match="no file fits the pattern"):
        read_table(tmp_path / "z-*.csv")


def test_lines_are_counted_through_comments_and_titles(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("# a comment\nA title\n\nx,y\n" + "1,2\n3,4\n" * 9 + "5,oops\n")
    with pytest.raises(InputError, match="on line 23 \\('oops'\\)"):
        prepare_table(read_table(path))


def test_duckdb_names_the_extra_or_reads(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT range AS x, range * 2 AS y FROM range(30)")
    assert read_table(path).frame.shape == (30, 2)
    assert read_table(path, query="SELECT x FROM t WHERE y > 10").frame.shape == (24, 1)
    with pytest.raises(InputError, match="cannot be read"):
        read_table(path, query="SELECT * FROM read_csv('/etc/hosts')")


def test_five_other_sheets_of_a_workbook_are_named(tmp_path):
    path = tmp_path / "many.xlsx"
    sheets = {name: [HEAD, *ROWS] for name in "ABCDEFG"}
    workbook(path, **sheets)
    (note,) = [note for note in read_table(path).notes if "sheet" in note]
    assert note == "the sheet 'A' was read; others are 'B', 'C', 'D', 'E', 'F' (see --sheet)."
    workbook(path, Empty=[], Data=[HEAD, *ROWS])
    (note,) = [note for note in read_table(path).notes if "sheet" in note]
    assert note == "the sheet 'Data' was read; others are 'Empty' (see --sheet)."
    workbook(path, Data=[HEAD, *ROWS])
    assert not [note for note in read_table(path).notes if "sheet" in note]


@pytest.mark.parametrize(("option", "value"), [("sheet", "A"), ("query", "SELECT 1")])
def test_options_that_do_not_fit_the_file(tmp_path, option, value):
    path = tmp_path / "t.csv"
    path.write_text(PLAIN)
    with pytest.raises(InputError, match=f"leave out --{option}"):
        read_table(path, **{option: value})


def test_empty_rows_get_no_cluster_and_those_at_the_end_do_not_count(tmp_path):
    path = tmp_path / "t.csv"
    lines = [f"{i % 3},{i % 5},{'ab'[i % 2]}" for i in range(20)]
    path.write_text("\n".join(["x,y,z", *lines[:4], ",,", *lines[4:], ",,", "Total,,", ",,"]))
    made = prepare_table(read_table(path))
    assert made.n_rows == 21
    assert made.rows.tolist() == [row for row in range(21) if row != 4]
    assert "rows without any value get no cluster: 1." in made.warnings
    assert not any("filled in" in warning for warning in made.warnings)
