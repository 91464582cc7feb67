"""Files that are made to harm: bombs, places outside, text that is no text."""

from __future__ import annotations

import sqlite3
import zipfile
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest

from weft.io import (
    InputError,
    read_csv,
    read_table,
)

# Bombs and places -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["parquet", "arrow", "feather", "xlsx"])
def test_a_bomb_is_refused_before_it_is_unpacked(kind, tmp_path, monkeypatch):
    """Limits lowered, not the machine's memory filled: 4 MB of zeros in a few kilobytes."""
    monkeypatch.setattr("weft.tables.packed.BOMB_SIZE", 2**20)
    path = tmp_path / f"zeros.{kind}"
    frame = pd.DataFrame(np.zeros((2**18, 2)), columns=["a", "b"])
    if kind == "parquet":
        frame.to_parquet(path, compression="zstd")
    elif kind == "xlsx":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("xl/worksheets/sheet1.xml", b"0" * 2**22)
    else:
        frame.to_feather(path, compression="zstd")
    assert path.stat().st_size < 2**22 / 200
    with pytest.raises(InputError, match="would unpack to"):
        read_table(path)


def test_a_stream_that_names_a_huge_length_is_refused(tmp_path):
    import pyarrow as pa

    table = pa.table({"a": np.arange(5.0), "b": ["x"] * 5})
    path = tmp_path / "t.feather"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    good = path.read_bytes()
    # Lengths, 8 bytes each in the messages of the stream, become more than any memory.
    refusals = set()
    for place in range(0, len(good) - 8, 4):
        path.write_bytes(good[: place + 6] + b"\x7f" + good[place + 7 :])
        with suppress(InputError):
            read_table(path)
            continue
        refusals.add(place)
    assert len(refusals) > 5


def test_memory_that_ends_while_a_file_is_read_is_a_sentence(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1.0, 2.0]}).to_parquet(path)

    def no_memory(table):
        raise MemoryError

    monkeypatch.setattr("weft.tables.formats.read_parquet", no_memory)
    with pytest.raises(InputError, match=r"t\.parquet needs more memory than there is; it is dam"):
        read_table(path)


ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS a FROM c"


def _view(path, query):
    connection = sqlite3.connect(path)
    connection.execute(f"CREATE VIEW v AS {query}")
    connection.close()
    return path


def test_a_view_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("weft.tables.packed.BOMB_SIZE", 2**20)
    many = _view(tmp_path / "many.sqlite", ENDLESS)
    with pytest.raises(InputError, match="far more than the file; say with --query"):
        read_table(many)
    assert len(read_table(many, query="SELECT * FROM v LIMIT 25000").frame) == 25_000
    # One that gives no row is ended by its work.
    monkeypatch.setattr("weft.tables.databases.MAX_STEPS", 3 * 10**6)
    none = _view(tmp_path / "none.sqlite", f"{ENDLESS} WHERE x < 0")
    with pytest.raises(InputError, match=r"all of none.sqlite takes too long; say with --query"):
        read_table(none)


def test_a_text_that_a_query_makes_has_a_limit(tmp_path, monkeypatch):
    path = _view(tmp_path / "t.sqlite", f"{ENDLESS} LIMIT 500")
    with pytest.raises(InputError, match=r"too big\); check the file and --query"):
        read_table(path, query="SELECT zeroblob(10000001) AS b FROM v")
    # SQLite itself leaves out a number that would be wider than that.
    wide = "SELECT a, printf('%8888888888d', a) AS wide FROM v"
    assert read_table(path, query=wide).frame["wide"].isna().all()
    # Shorter texts count with all their bytes: 500 of 9,999 are more than the limit here.
    monkeypatch.setattr("weft.tables.packed.BOMB_SIZE", 2**20)
    with pytest.raises(InputError, match="far more than the file"):
        read_table(path, query="SELECT printf('%9999d', a) AS wide FROM v")
    assert len(read_table(path, query="SELECT printf('%99d', a) AS wide FROM v").frame) == 500


def test_a_query_of_ones_own_may_take_long(tmp_path, monkeypatch):
    monkeypatch.setattr("weft.tables.databases.MAX_STEPS", 10**6)
    path = _view(tmp_path / "t.sqlite", ENDLESS)
    query = "SELECT count(*) AS n FROM (SELECT a FROM v LIMIT 300000)"
    assert read_table(path, query=query).frame["n"].tolist() == [300_000]


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_text_that_is_no_text_is_refused(kind, tmp_path):
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    wrong = pa.array([b"fine", b"\xff\xfe", b"fine"]).view(pa.string())
    table = pa.table({"a": [1.0, 2.0, 3.0], "b": wrong})
    if kind == "parquet":
        pa.parquet.write_table(table, tmp_path / "t.parquet")
    else:
        pa.feather.write_feather(table, tmp_path / "t.feather")
    with pytest.raises(InputError, match="cannot be read as"):
        read_table(tmp_path / f"t.{kind}")


def test_a_table_that_packs_well_is_no_bomb(tmp_path):
    frame = pd.DataFrame(np.zeros((2**18, 2)), columns=["a", "b"])
    frame.to_parquet(tmp_path / "zeros.parquet", compression="zstd")
    frame.to_feather(tmp_path / "zeros.feather", compression="zstd")
    for name in ("zeros.parquet", "zeros.feather"):
        assert read_table(tmp_path / name).frame.equals(frame)


@pytest.mark.parametrize(
    "line",
    [
        'out = "/etc/weft"',
        'out = "../up"',
        'out = "below/../../up"',
        'out = "link/here"',
        'checkpoint = "/tmp/x"',
        'checkpoint = "../x"',
        "out = 3",
        "force = true",
    ],
)
def test_a_config_cannot_write_outside_or_overwrite(line, tmp_path, monkeypatch):
    from weft.cli.config import read_config

    (tmp_path / "work").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "work" / "link").symlink_to(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "work")
    (tmp_path / "work" / "run.toml").write_text(f"[cluster]\n{line}\n")
    with pytest.raises(InputError, match=r"outside the current folder|give --force"):
        read_config("run.toml", ["out", "checkpoint", "force"])


def test_a_config_may_name_a_place_below(tmp_path, monkeypatch):
    from weft.cli.config import read_config

    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.toml").write_text('out = "deep/er"\nforce = false\n')
    assert read_config("run.toml", ["out", "force"]) == {"out": "deep/er", "force": False}


def test_a_refusal_is_one_line_whatever_it_quotes(tmp_path):
    text = str(InputError("a\nb\r\nc\u2028d" + "x" * 5000))
    assert text.startswith("a b c d")
    assert len(text.splitlines()) == 1
    assert len(text) < 2100
    (tmp_path / "quotes.csv").write_bytes(b'""\n""\n')
    with pytest.raises(InputError, match="is empty"):
        read_csv(tmp_path / "quotes.csv")


def test_toml_nested_too_deep_is_a_sentence(tmp_path):
    from weft.cli.config import read_config

    (tmp_path / "deep.toml").write_text("drop = " + "[" * 100_000)
    with pytest.raises(InputError, match="nested too deep"):
        read_config(tmp_path / "deep.toml", ["drop"])
