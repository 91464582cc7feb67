"""Source columns and the prepared table: what they promise to each other."""

import numpy as np
import pytest

from weft.columns.source import MixedTable, SourceColumn

NAN = np.nan
SIZE = SourceColumn("size", "amount", (0,), unit="$", curve="log", curve_scale=2.0)
COLOUR = SourceColumn("colour", "category", (1,), levels=("blue", "red"))
SIGNED = SourceColumn(
    "signed", "date", (2, 3), periods=(0.0, 12.0), parts=("age", "month"), unit="days"
)
CODE = SourceColumn("code", "identifier", note="a different text in every row")


def table():
    values = np.array([[0.5, 0, 100.0, 3.0], [NAN, 1, NAN, NAN], [2.0, NAN, 90.0, 2.5]])
    return MixedTable(values, (CODE, SIZE, COLOUR, SIGNED))


def test_columns_of_the_matrix_know_their_source():
    made = table()
    assert [column.name for column in made.used] == ["size", "colour", "signed"]
    assert made.source_of.tolist() == [0, 1, 2, 2]
    assert made.names == ["size", "colour", "signed (age)", "signed (month)"]
    assert SIGNED.measures == ("number", "cyclic")
    assert COLOUR.measures == ("category",)
    assert SIZE.measures == ("number",)
    assert not CODE.is_used


def test_some_rows_and_some_columns():
    made = table().take_rows([2, 0]).take_columns([2, 0])
    # Date first: its two columns, then the amount.
    np.testing.assert_array_equal(made.values, [[90.0, 2.5, 2.0], [100.0, 3.0, 0.5]])
    assert [column.positions for column in made.columns] == [(0, 1), (2,)]


def test_the_curve_is_undone():
    # 2 * (e^log(1 + 6 / 2) - 1) = 6, and the sign stays.
    values = np.array([6.0, -6.0, 0.0, NAN])
    np.testing.assert_allclose(SIZE.on_curve(values)[:2], [np.log(4), -np.log(4)])
    np.testing.assert_allclose(SIZE.in_units(SIZE.on_curve(values)), values)
    assert COLOUR.in_units(values) is values


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "colour", "positions": (0,)},
        {"kind": "identifier", "positions": (0,)},
        {"kind": "number"},
        {"kind": "number", "positions": (0, 1)},
        {"kind": "category", "positions": (0,)},
        {"kind": "number", "positions": (0,), "levels": ("a",)},
        {"kind": "cyclic", "positions": (0,)},
        {"kind": "date", "positions": (0, 1), "periods": (0.0,)},
        {"kind": "number", "positions": (0,), "curve": "square"},
        {"kind": "number", "positions": (0,), "curve": "log", "curve_scale": 0.0},
    ],
)
def test_a_record_that_contradicts_itself_is_refused(wrong):
    with pytest.raises(ValueError, match=r"kind|source column"):
        SourceColumn("x", **wrong)


@pytest.mark.parametrize("positions", [((0,), (0,)), ((0,), (2,)), ((0,),)])
def test_each_column_of_the_matrix_belongs_to_one_source(positions):
    columns = tuple(SourceColumn(f"x{i}", "number", p) for i, p in enumerate(positions))
    with pytest.raises(ValueError, match="each of which belongs to one"):
        MixedTable(np.zeros((2, 2)), columns)
