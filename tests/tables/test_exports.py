"""Files as programs export them: layouts that were once read wrongly, or refused without need."""

from __future__ import annotations

import numpy as np
import pytest

from weft.io import InputError, apply_recipe, prepare_table, read_table
from weft.tables.footers import count_footnotes

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
