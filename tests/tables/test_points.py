"""Coordinates of mixed tables, notes about numbers, packed files and the direction of a table."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import weft
from weft.columns.mixed.embedding import Embedding, learn_embedding, transform
from weft.columns.source import MixedTable, SourceColumn
from weft.io import read_table
from weft.tables.errors import InputError
from weft.tables.number_notes import about_limits, about_missing_code, about_money
from weft.tables.orientation import orientation_note, transposed
from weft.tables.points import (
    PlainPoints,
    _on_circle,
    coordinate_names,
    is_plain,
    learn_points,
    owners,
    place_rows,
    point_names,
    typical_values,
    values_at,
)
from weft.tables.raw import RawTable
from weft.tables.reading import Reading
from weft.tables.schema import _plan_fits

COLUMNS = (
    SourceColumn("size", "number", (0,)),
    SourceColumn("flag", "yes/no", (1,), levels=("no", "yes")),
    SourceColumn("colour", "category", (2,), levels=("red", "green", "blue")),
    SourceColumn("hour", "cyclic", (3,), periods=(24.0,)),
)
VALUES = np.array(
    [
        [1.0, 0.0, 0.0, 0.0],
        [2.0, 1.0, 1.0, 6.0],
        [3.0, 1.0, 2.0, 18.0],
        [np.nan, np.nan, 2.0, 18.0],
    ]
)
TABLE = MixedTable(VALUES, COLUMNS)


def test_plain_columns_by_hand():
    points = learn_points(TABLE, "none")
    assert points.fills.tolist() == [2.0, 1.0, 2.0, 18.0]  # the median, and the most frequent
    placed = place_rows(points, TABLE)
    assert coordinate_names(TABLE) == [
        *("size", "flag", "colour=red", "colour=green", "colour=blue", "hour cos", "hour sin")
    ]
    assert point_names(points, COLUMNS) == coordinate_names(TABLE)
    assert owners(points, COLUMNS).tolist() == [0, 1, 2, 2, 2, 3, 3]
    np.testing.assert_allclose(
        placed,
        [
            [1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0],
            [2.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0],
            [3.0, 1.0, 0.0, 0.0, 1.0, 0.0, -1.0],
            [2.0, 1.0, 0.0, 0.0, 1.0, 0.0, -1.0],
        ],
        atol=1e-12,
    )
    filled = np.where(np.isnan(VALUES), points.fills, VALUES)
    np.testing.assert_allclose(values_at(points, COLUMNS, placed), filled, atol=1e-12)


def test_scaled_columns_go_back_to_their_values():
    table = MixedTable(VALUES[:3, :1] * 10.0, COLUMNS[:1])
    ranged = learn_points(table, "range")
    np.testing.assert_allclose(place_rows(ranged, table)[:, 0], [0.0, 0.5, 1.0])
    standard = learn_points(table, "standard")
    np.testing.assert_allclose(
        place_rows(standard, table)[:, 0], np.sqrt(1.5) * np.array([-1, 0, 1])
    )
    for points in (ranged, standard):
        back = values_at(points, table.used, place_rows(points, table))
        np.testing.assert_allclose(back, table.values)


def test_points_of_the_mixed_metric_go_back_to_their_values():
    # Levels of few rows would share a point.
    rows = np.tile(np.vstack([VALUES[:3], [[2.5, 0.0, 0.0, 12.0]]]), (10, 1))
    full = MixedTable(rows, COLUMNS)
    points = learn_points(full, "standard")
    back = values_at(points, COLUMNS, place_rows(points, full))
    np.testing.assert_allclose(back, full.values, atol=1e-9)
    names = point_names(points, COLUMNS)
    assert names[:2] == ["size", "flag"]
    assert names[-2:] == ["hour (cos)", "hour (sin)"]
    assert "colour (1)" in names


def test_far_values_go_back_through_the_logarithm():
    rng = np.random.default_rng(0)
    values = np.column_stack([np.append(rng.normal(size=40), [400.0, -90.0]), np.arange(42) % 2])
    table = MixedTable(values, COLUMNS[:2])
    embedding = learn_embedding(table)
    back = values_at(embedding, COLUMNS[:2], transform(embedding, values))
    np.testing.assert_allclose(back, values, rtol=1e-9, atol=1e-9)


def test_constant_columns_cannot_be_scaled():
    table = MixedTable(np.ones((4, 1)), COLUMNS[:1])
    with pytest.raises(InputError, match="column 'size' spans values too large or too close"):
        learn_points(table, "range")
    np.testing.assert_array_equal(place_rows(learn_points(table, "none"), table), np.ones((4, 1)))


def test_plain_tables_are_numbers_without_gaps():
    assert is_plain(MixedTable(VALUES[:3, :1], COLUMNS[:1]))
    assert not is_plain(MixedTable(VALUES[:, :1], COLUMNS[:1]))
    assert not is_plain(MixedTable(VALUES[:3, :2], COLUMNS[:2]))


def test_typical_values_of_empty_columns():
    gaps = MixedTable(np.full((3, 2), np.nan), COLUMNS[:2])
    assert typical_values(gaps).tolist() == [0.0, 0.0]


def test_angles_are_values_below_the_period():
    angles = np.array([0.0, np.pi, -np.pi / 2, -1e-15])
    np.testing.assert_allclose(_on_circle(angles, 24.0), [0.0, 12.0, 18.0, 0.0])


def _plan_of(output="coordinates", **options):
    numbers = np.arange(12.0)
    frame = pd.DataFrame({"size": numbers**2, "colour": ["red", "blue", "green"] * 4})
    frame["age"] = numbers[::-1] % 5
    return weft.TablePreparer(output=output, **options).fit(frame).plan_


def test_what_does_not_fit_in_the_plan_of_a_model_file():
    plan = _plan_of()
    assert isinstance(plan.points, Embedding)
    assert _plan_fits(plan) == ""
    blocks = plan.points.blocks  # of size, colour and age

    def with_blocks(*changed):
        return replace(plan, points=plan.points._replace(blocks=changed))

    # Three columns are used: there is no fourth, and the last one does not make the first position.
    unknown = "has a block for a column that it does not make."
    assert _plan_fits(with_blocks(*blocks[:2], blocks[2]._replace(source=3))) == unknown
    assert _plan_fits(with_blocks(*blocks[:2], blocks[2]._replace(position=0))) == unknown
    missing = "does not have one block for each column that it makes."
    assert _plan_fits(with_blocks(*blocks[:2])) == missing
    twice = replace(plan, readings=(*plan.readings, plan.readings[0]))
    assert _plan_fits(twice) == "reads a column twice."
    short = replace(plan, fills=plan.fills[:-1])
    assert _plan_fits(short) == "fills 2 columns, but makes 3."
    width = len(plan.names)
    flat = replace(plan, spread=plan.spread[:-1])
    assert _plan_fits(flat) == f"makes {width} coordinates, but has {width - 1} variances."


def test_plain_points_fill_as_many_columns_as_there_are():
    plan = _plan_of(scale="range")
    assert isinstance(plan.points, PlainPoints)
    assert _plan_fits(plan) == ""
    fewer = replace(plan, points=plan.points._replace(fills=plan.points.fills[1:]))
    assert _plan_fits(fewer) == "does not fill as many columns as it makes."


# Notes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "is_noted"),
    [
        ([1.0, 2.0, 3.0, -999.0, -999.0], True),
        ([1.0, 2.0, 3.0, 99.0, 99.0, np.nan], True),
        ([1.0, 2.0, 3.0, -999.0], False),  # once is a number
        ([1.0, 2.0, 3.0, -9.0, -9.0], False),  # one digit
        ([1.0, 2.0, 3.0, 98.0, 98.0], False),
        ([1.0, 60.0, 3.0, 99.0, 99.0], False),  # not far from the others
        ([1.0, 1.0, 1.0, 99.0, 99.0], False),  # two values: 0/1 by other names
        ([99.0, 99.0, 99.0], False),
    ],
)
def test_codes_for_missing_values(values, is_noted):
    reading = Reading("x", "number", "a number")
    found = about_missing_code(reading, np.array(values))
    assert ("looks like a code for missing values" in found.note) is is_noted
    if is_noted:
        assert "99 in 2 rows" in found.note


def test_limits_and_money():
    assert about_limits(["1", "<0.5", ">9"]) == "cells such as '<0.5' taken at the limit"
    assert about_limits(["1"]) == ""
    assert about_money(["$5", "6 €"]) == "in $ and €, not converted"
    assert about_money(["$5", "$6"]) == ""


# Files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ending", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_packed_files(tmp_path, ending, pack):
    path = tmp_path / f"t.csv.{ending}"
    path.write_bytes(pack(b"a,b\n1,2\n3,4\n"))
    assert read_table(path).frame["b"].tolist() == [2, 4]


def test_archives_hold_one_table(tmp_path):
    path = tmp_path / "t.zip"

    def write(*names):
        with zipfile.ZipFile(path, "w") as file:
            for name in names:
                file.writestr(name, "a,b\n1,2\n3,4\n")

    write("t.csv", "__MACOSX/t.csv", ".hidden", "folder/.x")
    assert read_table(path).frame["a"].tolist() == [1, 3]
    write("1.csv", "2.csv", "3.csv", "4.csv", "5.csv")
    with pytest.raises(InputError, match=r"5 files \('1.csv', '2.csv', '3.csv', '4.csv'\);"):
        read_table(path)
    write()
    with pytest.raises(InputError, match="holds no file"):
        read_table(path)


def _genes(n_rows=120, n_columns=4, name="GENE{}"):
    frame = pd.DataFrame({"g": [name.format(number) for number in range(n_rows)]})
    for column in range(n_columns - 1):
        frame[f"s{column}"] = np.arange(n_rows) + column
    return frame


def _note(frame):
    return orientation_note(RawTable(frame, "t.csv"))


def test_rows_that_look_like_genes_are_noticed():
    assert _note(_genes()).startswith("rows look like genes ('GENE0', 'GENE1', …)")
    assert _note(_genes(99)) == ""
    assert _note(_genes(n_columns=2)) == ""
    assert _note(_genes(118, 40)) == ""  # not three times as many rows as columns
    assert _note(_genes(120, 40)) != ""
    assert _note(_genes(name="row {}")) == ""
    assert _note(_genes(name="GENE")) == ""  # not unique
    mixed = _genes()
    mixed.loc[:12, "g"] = [f"row {number}" for number in range(13)]  # 89 % look like genes
    assert _note(mixed) == ""
    mixed.loc[0, "g"] = "GENE"
    assert _note(mixed) != ""
    words = _genes()
    words["s1"] = "x"
    assert _note(words) == ""
    # Half of the first 50 cells of a column may be no numbers, not more; later ones do not count.
    words["s1"] = ["x"] * 25 + [1] * 25 + ["x"] * (len(words) - 50)
    assert _note(words) != ""
    words.loc[25, "s1"] = "x"
    assert _note(words) == ""


def test_a_table_is_turned():
    turned = transposed(RawTable(_genes(3, 3), "t.csv")).frame
    assert turned.columns.tolist() == ["sample", "GENE0", "GENE1", "GENE2"]
    assert turned["sample"].tolist() == ["s0", "s1"]
    assert turned["GENE2"].tolist() == [2, 3]
    with pytest.raises(InputError, match="one column"):
        transposed(RawTable(_genes(3, 1), "t.csv"))


def test_a_member_of_an_archive_without_a_name_is_not_a_file(tmp_path):
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "x,y\n1,2\n")
    # The name of the directory, in the second of two places, begins with a zero byte: it is empty.
    head, mark, tail = path.read_bytes().rpartition(b"a.csv")
    path.write_bytes(head + b"\0" + mark[1:] + tail)
    with pytest.raises(InputError, match=r"t\.zip holds no file; pack one table"):
        read_table(path)
