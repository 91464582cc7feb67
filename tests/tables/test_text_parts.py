"""Parts of reading a text table, each by itself: headers, separators, comments, encodings."""

from __future__ import annotations

import io

import pytest

from weft.io import read_csv, write_table
from weft.tables import text_form
from weft.tables.errors import InputError
from weft.tables.headers import find_header, is_total, number_names
from weft.tables.text_form import (
    TextForm,
    _wide_encoding,
    find_encoding,
    find_text_form,
    open_text,
    records,
    skip_records,
)

# Headers ------------------------------------------------------------------------------------------

ROWS = [["a", "b", "c"], ["1", "2", "3"], ["4", "5", "6"]]


def test_plain_names_stand_on_the_first_line():
    assert find_header(ROWS) == (["a", "b", "c"], 0, 1, [])


def test_titles_above_the_names():
    one = find_header([["Sales", "", ""], *ROWS])
    assert (one.names, one.n_above) == (["a", "b", "c"], 1)
    assert one.notes == ["a line was taken for a title ('Sales') and left out."]
    two = find_header([["Sales"], ["of 2024"], *ROWS])
    assert two.n_above == 2
    assert two.notes[0].startswith("2 lines above the column names were taken for a title")
    # Two cells of three are names, one of them empty.
    assert find_header([["a", "b", ""], *ROWS[1:]]).n_above == 0
    # A title fills a third of the cells at most: 2 of 6, not 3.
    wide = [list("abcdef"), list("123456"), list("123456")]
    assert find_header([["x", "y", "", "", "", ""], *wide]).n_above == 1
    assert find_header([["x", "y", "z", "", "", ""], *wide]).n_above == 0


def test_two_records_or_one_column_have_no_title():
    assert find_header([["Sales"], ["a", "b"]]).n_above == 0
    assert find_header([["a"], ["1"], ["2"]]).n_above == 0
    assert find_header([["x", "", ""], ["y", "", ""], ["1", "2", "3"]]).n_above == 0


def test_the_shortest_tables_with_a_title():
    titled = find_header([["Sales"], ["a", "b"], ["1", "2"]])
    assert titled == (["a", "b"], 1, 1, ["a line was taken for a title ('Sales') and left out."])
    assert find_header([["Sales"], ["a", "b"]]).names == ["Sales"]
    # The names are not the last record.
    assert find_header([["x"], ["y"], ["a", "b"]]).n_above == 0
    # A table that fills one cell of each record has no title.
    assert find_header([["", ""], ["a", ""], ["1", ""], ["2", ""]]).n_above == 0
    long = find_header([["t" * 70], *ROWS])
    assert long.notes == [f"a line was taken for a title ('{'t' * 60}') and left out."]


def test_names_of_unequal_lines():
    longer = find_header([["a", "b", ""], ["x", "y", "z", "w"], list("1234")])
    assert longer.names == ["a x", "b y", "b z", "b w"]
    assert find_header([["a", "", "c"], ["x", "y"], list("123")]).names == ["a x", "a y", "c"]


def test_names_on_two_lines():
    grouped = find_header([["size", "", "age"], ["low", "high", ""], ["1", "2", "3"]])
    assert grouped.names == ["size low", "size high", "age"]
    assert (grouped.n_above, grouped.n_lines) == (0, 2)
    assert grouped.notes == ["the column names are on two lines and were joined."]
    # One number below is enough: a table may have categories as well.
    mixed = find_header([["size", "", "age"], ["low", "high", ""], ["red", "2", "blue"]])
    assert mixed.names == ["size low", "size high", "age"]


@pytest.mark.parametrize(
    "table",
    [
        [["size", "", "age"], ["low", "", "x"], ["1", "2", "3"]],  # the gap has no name below it
        [["size", "", "", ""], ["low", "high", "x", ""], ["1", "2", "3", "4"]],  # one gap has none
        [["size", "", "age"], ["low", "7", "x"], ["1", "2", "3"]],  # a number among the names
        [["size", "", "age"], ["low", "high", "x"], ["a", "b", "c"]],  # no numbers below
        [["size", "", "age"], ["low", "high", "x"]],  # nothing below
        [["", "b", "age"], ["low", "high", "x"], ["1", "2", "3"]],  # the index column has no name
        [["a", "", "c", "d", "e"], ["", "x", "", "", ""], ["1", "2", "3", "4", "5"]],  # few names
    ],
)
def test_names_that_stand_on_one_line(table):
    assert find_header(table).n_lines == 1


def test_half_of_the_names_below_are_enough():
    table = [["a", "", "c", "d"], ["", "x", "", "y"], ["1", "2", "3", "4"]]
    assert find_header(table).names == ["a", "a x", "c", "d y"]


def test_names_that_repeat_are_numbered():
    names, notes = number_names(["a", "a", "", "a", "a (2)"])
    assert names == ["a", "a (3)", "column 3", "a (4)", "a (2)"]
    assert notes == ["several columns are called 'a'; they were numbered, as 'a (2)'."]
    assert number_names(list("aabbccdd"))[1][0].startswith(
        "several columns are called 'a', 'b', 'c' and 1 more;"
    )
    assert number_names(list("aabbcc"))[1][0].startswith(
        "several columns are called 'a', 'b', 'c';"
    )


def test_long_names_are_cut_in_notes():
    assert number_names(["n" * 70] * 2)[1] == [
        f"several columns are called '{'n' * 60}'; they were numbered, as 'a (2)'."
    ]
    assert number_names(["a", "", "b", ""])[0] == ["a", "column 2", "b", "column 4"]


def test_totals():
    assert is_total(["", " Total: ", "3"])
    assert is_total(["Gesamtsumme"])
    assert not is_total(["total weight", "3"])


# Text files ---------------------------------------------------------------------------------------


def _form(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    return find_text_form(path, "t.csv")


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1;2\n", ";"),
        ("a\tb\n1\t2\n", "\t"),
        ("a|b|c,d\n1|2|3\n", "|"),
        ('"x,y,z";b\n1;2\n', ";"),  # what is quoted does not count
        ("a, b;c\n1;2\n3;4\n", ";"),  # a comma in a name, semicolons in all lines
        ("a;b,c\n1,2\n3,4\n", ","),  # as many of both in the first line: the comma
        ("a;b;c\n1,2\n3,4\n", ";"),  # the names decide
        ("a\n1\n2\n", ","),
        ("a,b;x\n1;2\n3\n4;5\n", ","),  # semicolons not in all lines
        ("title\n1;2\n3;4\n", ";"),  # the names have none: most lines decide
    ],
)
def test_separators(tmp_path, text, separator):
    assert _form(tmp_path, text).separator == separator


def test_decimals_by_comma(tmp_path):
    assert _form(tmp_path, "a;b\n1,5;2\n").decimal == ","
    assert _form(tmp_path, "a;b\n1,5;2.5\n").decimal == "."  # both signs: commas are thousands
    assert _form(tmp_path, "a,b\n1,5\n").decimal == "."
    assert _form(tmp_path, "a;b\nx1,5;2\n").decimal == "."


def test_decimals_of_the_first_rows(tmp_path):
    assert _form(tmp_path, "a;b\n1;2\n1,5;2\n").decimal == ","
    assert _form(tmp_path, "a;b\n1,5;2\n1;2\n3,5;2.5\n").decimal == "."
    # The names and 19 rows are looked at.
    assert _form(tmp_path, "a;b\n" + "1;2\n" * 18 + "1,5;2\n").decimal == ","
    assert _form(tmp_path, "a;b\n" + "1;2\n" * 19 + "1,5;2\n").decimal == "."
    assert _form(tmp_path, "a;b\n" + "1,5;2\n" * 18 + "1.5;2\n").decimal == "."
    assert _form(tmp_path, "a;b\n" + "1,5;2\n" * 19 + "1.5;2\n").decimal == ","
    # A number in the names is no decimal.
    assert _form(tmp_path, "1,5;b\n1;2\n").decimal == "."


def test_whole_forms(tmp_path):
    assert _form(tmp_path, "a,b\n1,2\n") == TextForm()
    assert _form(tmp_path, "#a;b\n1;2\n1,5;2\n") == TextForm("utf-8", ";", ",", True, True)
    assert _form(tmp_path, "# x\na;b\n1;2\n") == TextForm("utf-8", ";", ".", True, False)


def test_a_comment_of_as_many_cells_as_a_row(tmp_path):
    # Above the names it is a comment, below them a row.
    form = _form(tmp_path, "# x,3\na,b\n#1,2\n")
    assert form == TextForm(has_comments=True)
    with open_text(tmp_path / "t.csv", form) as file:
        assert file.read() == "\na,b\n#1,2\n"
    form = _form(tmp_path, "#a,b\n\n# c,d,e\n1,2\n")
    with open_text(tmp_path / "t.csv", form) as file:
        assert file.read() == "\n\n\n1,2\n"


@pytest.mark.parametrize("size", range(1, 8))
def test_the_first_byte_that_is_not_utf_8(tmp_path, monkeypatch, size):
    # However the file is cut into chunks, also within a character.
    monkeypatch.setattr(text_form, "_CHUNK", size)
    path = tmp_path / "t.csv"
    for text, place in (("aé€b", 7), ("", 0), ("é", 2)):
        path.write_bytes(text.encode() + b"\xffz")
        assert text_form._not_utf8(path) == (0xFF, place)
        assert text_form._is_cp1252(path)
        path.write_bytes(text.encode() + b"z\x81")
        assert not text_form._is_cp1252(path)
        path.write_bytes(text.encode())
        assert text_form._not_utf8(path) is None
    path.write_bytes(b"ab\xe2\x82")  # a character that is cut at the end
    assert text_form._not_utf8(path) == (0xE2, 2)


def test_names_in_a_comment(tmp_path):
    form = _form(tmp_path, "# made by x\n#a,b\n1,2\n")
    assert (form.has_comments, form.header_is_comment) == (True, True)
    with open_text(tmp_path / "t.csv", form) as file:
        assert file.read() == "\na,b\n1,2\n"
    for text in ("# a\n1\n2\n", "#a,b,c\n1,2\n", "#a,2\n1,2\n", "#a,b\nc,d\n1,2\n"):
        assert not _form(tmp_path, text).header_is_comment, text
    with pytest.raises(InputError, match="is empty"):
        _form(tmp_path, "\n \n")


def test_comments_among_rows_are_left_out(tmp_path):
    form = _form(tmp_path, "a,b\n# note\n1,2\n#3,4\n")
    assert form.has_comments
    with open_text(tmp_path / "t.csv", form) as file:
        assert file.read() == "a,b\n\n1,2\n#3,4\n"  # as many cells as a row: a row
    assert not _form(tmp_path, "a,b\n#1,2\n").has_comments
    # Separators and line breaks in quotes are not those of the table.
    for rows in ('#1,"x, y"\n', '#1,"x\ny"\n', '1,"x\n#tag y\n# z"\n', '#1,"say ""x"", y"\n'):
        assert not _form(tmp_path, f"a,b\n1,2\n{rows}").has_comments, rows
    form = _form(tmp_path, 'a,b\n1,"x\n#tag"\n# note\n#2,"y\n#z" \n# end, of, all\n')
    with open_text(tmp_path / "t.csv", form) as file:
        assert file.read() == 'a,b\n1,"x\n#tag"\n\n#2,"y\n#z" \n\n'
    assert not _form(tmp_path, "#a,b\n#1,2\n").has_comments  # nothing but comments: names


def test_records_and_their_first_lines():
    text = 'a,b\n\n"1\n2",3\n \n,\n4,5\n'
    assert list(records(io.StringIO(text), ",")) == [
        *((1, ["a", "b"]), (3, ["1\n2", "3"]), (6, ["", ""]), (7, ["4", "5"]))
    ]
    for count, rest in ((1, '\n"1\n2",3\n \n,\n4,5\n'), (2, " \n,\n4,5\n"), (3, "4,5\n"), (4, "")):
        file = io.StringIO(text)
        skip_records(file, ",", count)
        assert file.read() == rest, count


def test_space_before_a_quote_in_records():
    text = 'a, "b,\nc"\n1,2\n'
    assert list(records(io.StringIO(text), ",")) == [(1, ["a", "b,\nc"]), (3, ["1", "2"])]
    file = io.StringIO(text)
    skip_records(file, ",", 1)
    assert file.read() == "1,2\n"


def test_utf_16_without_a_mark(tmp_path):
    assert _wide_encoding("a,b\n1,2\n".encode("utf-16-le")) == "utf-16-le"
    assert _wide_encoding("a,b\n1,2\n".encode("utf-16-be")) == "utf-16-be"
    # 6 of 10 pairs are not more than 0.6; a tenth of zeros on the other side is too many.
    assert _wide_encoding(b"a\0" * 6 + b"ab" * 4) == ""
    assert _wide_encoding(b"a\0" * 7 + b"ab" * 3) == "utf-16-le"
    assert _wide_encoding(b"a\0" * 9 + b"\0a") == ""
    assert _wide_encoding(b"\0a" * 9 + b"a\0") == ""
    assert _wide_encoding(b"a\0") == ""
    assert _wide_encoding(b"a\0b\0") == "utf-16-le"
    # One zero of twenty on the other side is less than a tenth.
    assert _wide_encoding(b"a\0" * 19 + b"\0\0") == "utf-16-le"
    assert _wide_encoding(b"\0a" * 19 + b"\0\0") == "utf-16-be"
    assert _wide_encoding(b"a\0" * 7 + b"\0") == "utf-16-le"  # the last byte is half a pair
    assert _wide_encoding(b"\0a" * 7 + b"\0") == "utf-16-be"
    assert _wide_encoding(b"\0a" * 6 + b"ab" * 4) == ""
    assert _wide_encoding(b"\0a" * 7 + b"ab" * 3) == "utf-16-be"
    path = tmp_path / "t.csv"
    path.write_bytes("a,b\n1,2\n".encode("utf-16-le"))
    assert find_encoding(path) == "utf-16-le"
    path.write_bytes(b"a,b\n1,\xe9\n")
    assert find_encoding(path) == "cp1252"
    path.write_bytes(b"a,b\n\x81,\xe9\n")
    with pytest.raises(InputError, match=r"byte 0x81 at position 4"):
        find_encoding(path)


def test_the_separator_of_what_is_written_is_that_of_the_ending(tmp_path):
    for name, sign in (("t.tsv", "\t"), ("t.csv", ",")):
        write_table(tmp_path / name, {"a": [1], "b": [2]})
        assert (tmp_path / name).read_text() == f"a{sign}b\n1{sign}2\n"


UNITS = [["t", "T", "who"], ["s", "°C", "-"], ["1", "20.5", "a"], ["2", "", "b"], ["3", "21", "c"]]


def test_units_below_the_names():
    more = [["4", "22", "d"]]
    header = find_header([*UNITS, *more])
    assert header.names == ["t [s]", "T [°C]", "who"]
    assert (header.n_above, header.n_lines) == (0, 2)
    assert header.notes == ["the line below the column names was taken for their units."]
    # Two numbers in a column are too few, one column with a text may hold a mistake, and words for
    # missing values are no units.
    assert find_header(UNITS).n_lines == 1
    assert find_header([UNITS[0], ["s", "20", "-"], *UNITS[2:], *more]).n_lines == 1
    assert find_header([UNITS[0], ["s", "", "x"], *UNITS[2:], *more]).n_lines == 1
    assert find_header([UNITS[0], ["n/a", "-", "x"], *UNITS[2:], *more]).n_lines == 1


@pytest.mark.parametrize(
    ("row", "is_left_out"),
    [
        (["[kg]", "m", ""], True),
        (["<kg>", "1/s", "m2"], True),
        # Numbers in any form, limits, and words for "missing" are a row.
        (["1e-5", "2e-3", "1e-4"], False),
        (["<0.5", "≤ 0.3", "> 1e2"], False),
        (["?", "?", "?"], False),
        (["#N/A", "<NA>", "NaN"], False),
    ],
)
def test_first_rows_are_no_units(row, is_left_out):
    below = [["1", "2", "3"], ["4", "5", "6"], ["7", "8", "9"]]
    header = find_header([["a", "b", "c"], row, *below])
    assert header.n_lines == 1 + is_left_out
    if not is_left_out:
        assert header.names == ["a", "b", "c"]


def test_a_blank_line_above_the_name_of_the_separator(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\nsep=;\na;b\n1;2\n3;4\n")
    assert read_csv(path).frame.to_dict("list") == {"a": [1, 3], "b": [2, 4]}


def test_names_of_a_wide_table():
    """Each name was compared with all names before it: 2e10 comparisons, which took an hour."""
    names = [f"g{i}" for i in range(200_000)]
    assert number_names(names) == (names, [])


@pytest.mark.parametrize(
    ("names", "row"),
    [
        (["a", "", "c"], ["x", "NaN", "y"]),  # a gap in a row, not a name
        (["a", "", "c"], ["x", "y", "1e-5"]),
        (["", "b", "c"], ["1e-5", "", ""]),
    ],
)
def test_first_rows_are_no_second_line_of_names(names, row):
    header = find_header([names, row, ["x", "2", "3"], ["y", "5", "6"], ["z", "8", "9"]])
    assert (header.n_above, header.n_lines) == (0, 1)
