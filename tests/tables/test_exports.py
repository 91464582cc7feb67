"""Files as programs export them: layouts that were once read wrongly, or refused without need."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest
import xlsxwriter

from weft.io import InputError, apply_recipe, prepare_table, read_table
from weft.tables.footers import count_footnotes, without_footnotes

N = 30
X = np.random.default_rng(0).normal(50, 20, size=N).round(2)
Y = np.random.default_rng(1).normal(5, 2, size=N).round(3)
MONEY = np.random.default_rng(2).lognormal(7.0, 1.5, size=N).round(2)
STAGES = ["won", "lost", "open"]


def dots(number: float, decimals: int = 2) -> str:
    """Return a number as in Germany and Brazil."""
    return f"{number:,.{decimals}f}".translate(str.maketrans(",.", ".,"))


def prepared(path, text: str | bytes):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return prepare_table(read_table(path))


def values(table, name):
    (column,) = [column for column in table.mixed.used if column.name == name]
    return column.in_units(table.mixed.values[:, column.positions[0]])


# Points that are thousands signs ------------------------------------------------------------------


def test_groups_of_digits_are_not_decimals(tmp_path):
    """pandas reads "1.234" as 1.234, next to "950" in the same column."""
    lines = [f"{dots(m, 0)};{dots(x)}\n" for m, x in zip(MONEY, X, strict=True)]
    table = prepared(tmp_path / "t.csv", "turnover;rate\n" + "".join(lines))
    np.testing.assert_array_equal(values(table, "turnover"), MONEY.round())
    np.testing.assert_array_equal(values(table, "rate"), X)
    # New rows of which pandas would read all as decimals.
    grouped = [i for i in range(N) if 1000 <= MONEY[i].round() < 1e6]
    some = tmp_path / "new.csv"
    some.write_text("turnover;rate\n" + "".join(lines[i] for i in grouped))
    made = apply_recipe(read_table(some), table.plan)
    np.testing.assert_array_equal(made.X, table.X[grouped])


def test_groups_with_a_unit_are_settled_by_the_other_columns(tmp_path):
    lines = [f"{1 + i % 9}.{100 + 7 * i} kg;{dots(x)}\n" for i, x in enumerate(X)]
    table = prepared(tmp_path / "t.csv", "mass;rate\n" + "".join(lines))
    np.testing.assert_array_equal(
        values(table, "mass"), [1000 * (1 + i % 9) + 100 + 7 * i for i in range(N)]
    )


def test_points_that_may_be_either_are_told(tmp_path):
    lines = [f"{1 + i % 9}.{100 + 7 * i};{i % 4}\n" for i in range(N)]
    table = prepared(tmp_path / "t.csv", "a;b\n" + "".join(lines))
    assert table.decisions[0].reason == "'.' could be a thousands sign too"
    table = prepared(tmp_path / "t.csv", "a,b\n" + "".join(lines).replace(";", ","))
    assert table.decisions[0].reason == "numbers"  # commas between the cells: decimal points


def test_groups_stay_text_where_the_names_are_repeated(tmp_path):
    lines = [f"{dots(m, 0)};{dots(x)}\n" for m, x in zip(MONEY, X, strict=True)]
    text = "".join(["a;b\n", *lines[:15], "a;b\n", *lines[15:]])
    np.testing.assert_array_equal(values(prepared(tmp_path / "t.csv", text), "a"), MONEY.round())


def test_new_rows_may_write_plain_numbers_in_another_way(tmp_path):
    table = prepared(
        tmp_path / "t.csv", "a,b\n" + "".join(f"{m},{x}\n" for m, x in zip(MONEY, X, strict=True))
    )
    new = tmp_path / "new.csv"
    new.write_text(
        "a;b\n" + "".join(f"{dots(m)};{dots(x)}\n" for m, x in zip(MONEY, X, strict=True))
    )
    np.testing.assert_array_equal(apply_recipe(read_table(new), table.plan).X, table.X)
    new.write_text('a,b\n"1,234",5\n"1,111",6\n')  # 1234 or 1.234
    with pytest.raises(InputError, match="was fitted on number values"):
        apply_recipe(read_table(new), table.plan)


# Lines below the table ----------------------------------------------------------------------------

ROWS = "".join(f"C{i // 2},{MONEY[i]},{STAGES[i % 3]}\n" for i in range(N))


@pytest.mark.parametrize(
    ("below", "note"),
    [
        ("Source: Eurostat,,\n* provisional,,\n", "2 lines below the table were taken for notes"),
        (",,\nas of last week,,\n", "a line below the table was taken for notes"),
        ("as of last week\n", "('as of last week')"),
        (
            '\n"Grand Totals (30 records)"\n\n"Copyright (c) 2000-2024 example.com"\n',
            "2 lines below the table were taken for notes ('Grand Totals (30 records)')",
        ),
        ("Total,99999,\n\nSource: Eurostat,,\n", "the last row ('Total') holds totals"),
    ],
)
def test_notes_below_the_table_are_no_rows(below, note, tmp_path):
    table = prepared(tmp_path / "t.csv", "name,amount,stage\n" + ROWS + below)
    assert table.n_rows == N
    assert note in " ".join(table.warnings)


def test_notes_below_numbers_do_not_turn_them_into_text(tmp_path):
    lines = "".join(f"{x},{y},{STAGES[i % 3]}\n" for i, (x, y) in enumerate(zip(X, Y, strict=True)))
    path = tmp_path / "t.csv"
    path.write_text("x,y,stage\n" + lines + "\nNote: preliminary\n")
    raw = read_table(path)
    assert raw.frame["x"].dtype == float
    assert len(raw.frame) == N


@pytest.mark.parametrize(
    ("last", "n_columns", "count"),
    [
        ([["a", "1", "2"], ["Bob", "", ""]], 3, 0),  # a row with gaps
        ([["a", "1", "2"], ["Bob"]], 3, 1),
        ([["a", "1"], ["Bob"]], 2, 0),
        ([["a", "1", "2"], [], ["17", "", ""]], 3, 0),
        ([["a", "1", "2"], ["", "", ""], ["Bob", "", ""]], 3, 1),
        ([["a", "1", "2"], ["Bob", "", ""], ["Source: x", "", ""]], 3, 1),
        ([["a", "1", "2"], ["Source: x", "", ""], ["and y", "", ""]], 3, 2),
        ([["a", "1", "2"], ["Noted Ltd", "", ""]], 3, 0),
        ([["Bob"], ["Ann"]], 3, 0),
        ([], 3, 0),
    ],
)
def test_which_last_records_are_footnotes(last, n_columns, count):
    assert count_footnotes(last, n_columns) == count


@pytest.mark.parametrize(
    ("rows", "count", "n_left"),
    [
        ([["1", "2"], ["Note", None]], 1, 1),
        ([["1", "2"], ["Note", None]], 2, 1),  # the row above fills two cells: it stays
        ([["Note", None]], 2, 0),
        ([], 1, 0),
    ],
)
def test_only_rows_of_one_cell_are_removed_whatever_the_text_looked_like(rows, count, n_left):
    frame = pd.DataFrame(rows, columns=["a", "b"], dtype=object)
    kept, notes = without_footnotes(frame, count)
    assert len(kept) == n_left
    assert len(notes) == (n_left < len(rows))


# Workbooks ----------------------------------------------------------------------------------------

HEAD = ["name", "x", "y"]
BODY = [[f"r{i}", float(X[i]), float(Y[i])] for i in range(N)]


def workbook(path, rows, *, merged=(), hidden=None):
    """Write a workbook; `hidden` has the rows of a first sheet that is not shown."""
    book = xlsxwriter.Workbook(path)
    if hidden is not None:
        first = book.add_worksheet("Old")
        for number, row in enumerate(hidden):
            first.write_row(number, 0, row)
        first.hide()
    sheet = book.add_worksheet("Data")
    sheet.activate()
    sheet.set_first_sheet()
    for number, row in enumerate(rows):
        sheet.write_row(number, 0, row)
    for top, left, bottom, right, value in merged:
        sheet.merge_range(top, left, bottom, right, value)
    book.close()
    return read_table(path)


def test_cells_that_are_merged_over_rows_have_the_same_value(tmp_path):
    rows = [["region", "x", "y"], *([None, *row[1:]] for row in BODY)]
    merged = [(1 + 10 * k, 0, 10 + 10 * k, 0, "NSW"[k]) for k in range(3)]
    raw = workbook(tmp_path / "t.xlsx", rows, merged=merged)
    assert raw.frame["region"].tolist() == ["N"] * 10 + ["S"] * 10 + ["W"] * 10
    assert any("merged cells" in note for note in raw.notes)
    # Names that are merged over columns are not values.
    rows = [["", "2023", "", "2024", ""], ["", "a", "b", "a", "b"]]
    rows += [[*row, *row[1:]] for row in BODY]
    raw = workbook(tmp_path / "u.xlsx", rows, merged=[(0, 1, 0, 2, "2023"), (0, 3, 0, 4, "2024")])
    assert raw.frame.columns.tolist()[1:] == ["2023 a", "2023 b", "2024 a", "2024 b"]
    assert not any("merged cells" in note for note in raw.notes)


def test_a_hidden_sheet_is_not_read_before_others(tmp_path):
    raw = workbook(tmp_path / "t.xlsx", [HEAD, *BODY], hidden=[["a", "b"], [1, 2], [3, 4]])
    assert raw.frame.columns.tolist() == HEAD
    assert raw.notes == ("the sheet 'Data' was read; others are 'Old' (hidden) (see --sheet).",)
    assert read_table(tmp_path / "t.xlsx", sheet="Old").frame.shape == (2, 2)


def test_years_as_names_of_columns(tmp_path):
    raw = workbook(tmp_path / "t.xlsx", [["name", 2019, 2020.5], *BODY])
    assert raw.frame.columns.tolist() == ["name", "2019", "2020.5"]


def test_notes_and_lines_of_a_sheet_with_blank_rows(tmp_path):
    rows = [[], ["", *HEAD], *(["", *row] for row in BODY[:10]), [], *(["", *r] for r in BODY[10:])]
    raw = workbook(tmp_path / "t.xlsx", [*rows, [], ["", "Note: preliminary"]])
    assert len(raw.frame) == N
    assert "taken for notes ('Note: preliminary')" in " ".join(raw.notes)
    assert [raw.line(row) for row in (0, 9, 10, 29)] == [3, 12, 14, 33]


# Names of files that do not fit, and JSON ---------------------------------------------------------

FRAME = pd.DataFrame({"x": X, "y": Y, "stage": (STAGES * N)[:N]})


def test_files_whose_content_is_not_what_the_name_says(tmp_path):
    path = tmp_path / "t.xls"
    path.write_text(FRAME.to_csv(index=False, sep="\t"))
    raw = read_table(path)
    assert raw.frame.shape == FRAME.shape
    assert "the file holds text, though its name ends in '.xls'" in raw.notes[0]
    FRAME.to_excel(tmp_path / "t.xlsx", index=False)
    for name in ("t.csv", "u.xls"):
        (tmp_path / name).write_bytes((tmp_path / "t.xlsx").read_bytes())
        pd.testing.assert_frame_equal(read_table(tmp_path / name).frame, FRAME)
    assert "the file holds a workbook" in read_table(tmp_path / "t.csv").notes[0]
    FRAME.to_parquet(tmp_path / "p.txt")
    pd.testing.assert_frame_equal(read_table(tmp_path / "p.txt").frame, FRAME)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.xls", b"<html><table><tr><td>1</td></tr></table></html>", "is a web page or XML"),
        ("t.csv", b"<!DOCTYPE html>\n<html><body>Sign in, please</body></html>", "is a web page"),
        ("t.csv", gzip.compress(b"a,b\n1,2\n", mtime=0), "is packed with gzip; rename it"),
        ("t.xls", b"\x00\x01\x02\x03" * 99, "cannot be read as xls"),
        ("t.xls", b"", "cannot be read as xls"),
    ],
)
def test_contents_that_are_refused(name, content, words, tmp_path):
    with pytest.raises(InputError) as error:
        prepared(tmp_path / name, content)
    assert words in str(error.value)


@pytest.mark.parametrize("options", [{"orient": "records", "lines": True}, {}])
def test_json_as_pandas_writes_it(options, tmp_path):
    path = tmp_path / "t.json"
    path.write_text(FRAME.to_json(**options))
    pd.testing.assert_frame_equal(read_table(path).frame, FRAME)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("t.json", FRAME.to_json(orient="index"), "write it as [{"),
        ("t.json", FRAME.to_json(orient="split"), "write it as [{"),
        ("t.json", "[[1, 2], [3, 4]]", "has a list as row 1, where an object such as"),
        ("t.jsonl", "null\n", "has null as row 1, where an object such as"),
    ],
)
def test_json_that_is_no_list_of_objects(name, text, words, tmp_path):
    with pytest.raises(InputError) as error:
        prepared(tmp_path / name, text)
    assert words in str(error.value)


def test_all_levels_of_an_index_are_columns(tmp_path):
    path = tmp_path / "t.parquet"
    index = pd.MultiIndex.from_arrays([FRAME["stage"], range(N)], names=["stage", "x"])
    FRAME[["x", "y"]].set_axis(index).to_parquet(path)
    raw = read_table(path)
    assert raw.frame.columns.tolist() == ["stage", "x", "x (2)", "y"]
    assert raw.frame["stage"].tolist() == FRAME["stage"].tolist()


# Separators, names of rows, lines of survey programs ----------------------------------------------

TRIPLES = [f"{x},{y},{STAGES[i % 3]}\n" for i, (x, y) in enumerate(zip(X, Y, strict=True))]


@pytest.mark.parametrize("sign", [";", ",", "\t", "|", "^"])
def test_the_separator_that_the_first_line_names(sign, tmp_path):
    for n_columns in (2, 3):
        lines = ["x,y,stage\n", *TRIPLES]
        rows = [sign.join(line.strip().split(",")[:n_columns]) for line in lines]
        path = tmp_path / "t.csv"
        path.write_text("\n".join([f"sep={sign}", *rows]))
        raw = read_table(path)
        pd.testing.assert_frame_equal(raw.frame, FRAME.iloc[:, :n_columns])
        assert raw.notes == ()
        assert raw.line(0) == 3


@pytest.mark.parametrize("sign", ["\t", ";", " "])
def test_names_of_rows_without_a_name_above_them(sign, tmp_path):
    path = tmp_path / "t.txt"
    rows = [f"r{i},{line}" for i, line in enumerate(TRIPLES)]
    path.write_text("".join(["x,y,stage\n", *rows]).replace(",", sign))
    raw = read_table(path)
    pd.testing.assert_frame_equal(raw.frame.iloc[:, 1:], FRAME)
    assert raw.frame.columns[0] == "column 1"
    assert "the rows have one cell more than there are column names" in raw.notes[0]


@pytest.mark.parametrize("name", ["r{}", "{}"])
def test_names_of_rows_in_a_file_with_commas_as_r_writes_it(name, tmp_path):
    path = tmp_path / "t.csv"
    rows = [f'"{name.format(i)}",{line}' for i, line in enumerate(TRIPLES, start=1)]
    path.write_text("".join(['"x","y","stage"\n', *rows]))
    raw = read_table(path)
    pd.testing.assert_frame_equal(raw.frame.iloc[:, 1:], FRAME)
    assert "the rows have one cell more than there are column names" in raw.notes[0]


@pytest.mark.parametrize(
    "start",
    [
        pytest.param(lambda i: f"r{i % 2}", id="repeated names"),
        pytest.param(lambda i: str(2 * i), id="numbers that are not those of the rows"),
        pytest.param(lambda i: "r1" if i == 1 else "", id="names that are missing"),
    ],
)
def test_a_cell_too_many_in_a_file_with_commas_is_refused_without_names_of_rows(start, tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{start(i)},{line}" for i, line in enumerate(TRIPLES, start=1)]
    path.write_text("".join(["x,y,stage\n", *rows]))
    with pytest.raises(InputError, match="4 cells on line 2 but 3 column names"):
        read_table(path)


def test_a_separator_at_the_end_of_each_row_names_no_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("".join(["x;y;stage\n", *TRIPLES]).replace(",", ";").replace("\n", ";\n"))
    path.write_text(path.read_text().replace(";\n", "\n", 1))
    pd.testing.assert_frame_equal(read_table(path).frame, FRAME)


def test_decimal_commas_without_quotes_are_still_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("name,x\n" + "".join(f"r{i},{i},5\n" for i in range(N)))
    with pytest.raises(InputError, match="3 cells on line 2 but 2 column names"):
        read_table(path)


def test_spaces_between_cells(tmp_path):
    path = tmp_path / "t.txt"
    for text in (FRAME.to_string(index=False), FRAME.to_csv(sep=" ", index=False)):
        path.write_text(text)
        pd.testing.assert_frame_equal(read_table(path).frame, FRAME)
    path.write_text(FRAME.to_string())
    pd.testing.assert_frame_equal(read_table(path).frame.iloc[:, 1:], FRAME)
    path.write_text("# x y stage\n" + FRAME.to_csv(sep=" ", index=False, header=False))
    pd.testing.assert_frame_equal(read_table(path).frame, FRAME)
    path.write_text(FRAME[["x", "y"]].to_csv(sep=" ", index=False, decimal=","))
    pd.testing.assert_frame_equal(read_table(path).frame, FRAME[["x", "y"]])
    path.write_text("first last\n" + "Ann Lee\nBob Ray\n" * 9)  # no numbers: one column of names
    with pytest.raises(InputError, match="with commas, semicolons, tabs or bars between them"):
        prepare_table(read_table(path))


def test_the_lines_of_a_survey_program_below_the_names(tmp_path):
    names = '"stage","pet"\n'
    questions = '"Which stage, please?","Which pet?"\n'
    codes = '"{""ImportId"":""QID0""}","{""ImportId"":""QID1""}"\n'
    rows = "".join(f"{STAGES[i % 3]},{['cat', 'dog'][i % 2]}\n" for i in range(N))
    for above in (names + questions + codes, names + codes):
        table = prepared(tmp_path / "t.csv", above + rows)
        assert table.n_rows == N
        assert [column.levels for column in table.mixed.used] == [tuple(STAGES), ("cat", "dog")]
        assert "the lines of Qualtrics below the column names were left out." in table.warnings


def test_three_decimals_beside_other_decimals_are_no_groups(tmp_path):
    lines = [f"{x};{1 + i}.{100 + i}\n" for i, x in enumerate(X)]
    table = prepared(tmp_path / "t.csv", "a;b\n" + "".join(lines))
    assert table.decisions[1].reason == "numbers"


@pytest.mark.parametrize(
    ("above", "note"),
    [
        ("Account;DE12 3456\nPeriod;January\n\nday;who;amount;code\n", "2 lines above the column"),
        ("[Header]\nDevice;ABC\nSerial;x\n[Data]\nday;who;amount;code\n", "4 lines above"),
        ("day;who;amount;code\n---;---;---;---\n", "the line of dashes below the column names"),
        ("day;who;amount;code\n---+---+---+---\n", "the line of dashes below the column names"),
        (";who;amount;code\nday;;;\n", "was taken for the name of the first column"),
        ("day;who;amount;code\n;;[USD];[1]\n", "was taken for their units"),
    ],
)
def test_lines_around_the_names(above, note, tmp_path):
    lines = [f"d{i};{STAGES[i % 3]};{x};{y}\n" for i, (x, y) in enumerate(zip(X, Y, strict=True))]
    table = prepared(tmp_path / "t.csv", above + "".join(lines))
    assert table.n_rows == N
    assert note in " ".join(table.warnings)
    names = [decision.name.split(" [")[0] for decision in table.decisions]
    assert names == ["day", "who", "amount", "code"]
    assert not any("[[" in decision.name for decision in table.decisions)


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n" + "1,5,2,5\n" * N,  # decimal commas without quotes
        "a,b\n" + "p,q,r,s\n" * N,  # no numbers: no telling which line has the names
    ],
)
def test_lines_that_are_too_long_are_still_refused(text, tmp_path):
    with pytest.raises(InputError, match="4 cells on line 2 but 2 column names"):
        prepared(tmp_path / "t.csv", text)


def test_words_that_may_be_values_are_told(tmp_path):
    lines = [
        f"{x},{['None', 'Light', 'Heavy'][i % 3]},{['NA', '2024-01-31', '2024-02-01'][i % 3]}\n"
        for i, x in enumerate(X)
    ]
    table = prepared(tmp_path / "t.csv", "x,alcohol,day\n" + "".join(lines))
    assert table.warnings[0] == (
        "'None' in column 'alcohol' was taken for missing; if it is a value, write it in another "
        "way."
    )
    assert not any("'NA'" in warning for warning in table.warnings)


def test_totals_of_parts_are_told(tmp_path):
    lines = [f"{'NSW'[i // 10]},c{i % 4},{m}\n" for i, m in enumerate(MONEY)]
    parts = [*lines[:10], "N Total,,9\n", *lines[10:20], "S Total,,9\n", *lines[20:]]
    table = prepared(tmp_path / "t.csv", "".join(["a,b,c\n", *parts, "Grand Total,,99\n"]))
    assert table.warnings[:2] == [
        "the last row ('Grand Total') holds totals and was left out.",
        "rows that look like totals were kept: 2 (such as 'N Total'); if they are totals, remove "
        "them from the file.",
    ]
    table = prepared(tmp_path / "t.csv", "".join(["a,b,c\n", *lines, "Grand Total,,99\n"]))
    assert not any("were kept" in warning for warning in table.warnings)


def test_a_word_that_became_a_gap_in_many_columns_has_one_note(tmp_path):
    path = tmp_path / "votes.csv"
    names = [f"V{number}" for number in range(1, 8)]
    rows = [["y", "n"][number % 2] for number in range(12)]
    lines = [",".join(names), ",".join(["NA"] * 7), *(",".join([row] * 7) for row in rows)]
    path.write_text("\n".join(lines))
    assert read_table(path).notes == (
        "'NA' in columns 'V1', 'V2', 'V3', 'V4', 'V5' and 2 more was taken for missing; if it is a "
        "value, write it in another way.",
    )
