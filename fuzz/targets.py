"""All readers of files, as functions of bytes: they return, or raise `Crash`.

A reader may refuse any input with one sentence (a `ValueError` of one line). Everything else is a
crash: other exceptions, several lines, answers that are not numbers.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

# In memory if there is such a folder: a case must not wait for a disk.
_FOLDER = Path(
    tempfile.mkdtemp(prefix="weft-fuzz-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
)


class Crash(Exception):
    """A failure that no file may cause."""


def _refusal(error: Exception) -> None:
    text = str(error)
    if "\n" in text or not text or len(text) > 4000:
        raise Crash(f"a refusal that is not one sentence: {text[:200]!r}") from error


def _file(name: str, data: bytes) -> Path:
    path = _FOLDER / name
    path.write_bytes(data)
    return path


def _table(path: Path, query: str | None = None) -> None:
    from weft.io import prepare_table, read_table

    with warnings.catch_warnings():
        # Only a crash or a wrong answer counts here.
        warnings.simplefilter("ignore")
        try:
            table = prepare_table(read_table(path, query=query))
        except ValueError as error:
            _refusal(error)
            return
    if not np.isfinite(table.X).all() or len(table.X) != len(table.rows):
        raise Crash("a table with values that are not numbers")


def csv(data: bytes) -> None:
    """Text tables."""
    _table(_file("t.csv", data))


def encodings(data: bytes) -> None:
    """Text tables in other encodings; the first byte selects the encoding."""
    if data:
        name = ("utf-16", "utf-16-le", "utf-16-be", "cp1252", "utf-8-sig")[data[0] % 5]
        _table(_file("t.csv", data[1:].decode("utf-8", "replace").encode(name, "replace")))


def json_lines(data: bytes) -> None:
    """Tables with one JSON object per line, or as one list: both are tried."""
    _table(_file("t.jsonl", data))
    _table(_file("t.json", data))


def arrow(data: bytes) -> None:
    """Feather files and streams of Arrow."""
    _table(_file("t.feather", data))


def database(data: bytes) -> None:
    """SQLite files."""
    _table(_file("t.sqlite", data))


def query(data: bytes) -> None:
    """Queries on a SQLite file. Endless queries are the user's responsibility and are not tried."""
    text = data.decode("utf-8", "replace")
    if "recursive" not in text.lower() and "\0" not in text:
        _table(_database(), text)


def packed(data: bytes) -> None:
    """Compressed text tables; the first byte selects the compression."""
    if data:
        kind = (".gz", ".zip", ".zst", ".xz", ".bz2")[data[0] % 5]
        _table(_file(f"t.csv{kind}", data[1:]))


def workbook(data: bytes) -> None:
    """Excel and OpenDocument files; the first byte selects the format."""
    if data:
        _table(_file(("t.xlsx", "t.ods")[data[0] % 2], data[1:]))


def parquet(data: bytes) -> None:
    """Parquet tables."""
    _table(_file("t.parquet", data))


def parts(data: bytes) -> None:
    """Folders of Parquet files, read part by part: a file of any bytes beside a valid one."""
    from weft.tables.parquet_parts import parquet_files, parquet_parts, read_part, rows_written

    path = _part_folder() / "a.parquet"
    path.write_bytes(data)
    try:
        rows_written(path)
        found = parquet_parts(parquet_files(path.parent))
        frames = [read_part(part) for part in found]
    except ValueError as error:
        _refusal(error)
        return
    if [len(frame) for frame in frames] != [part.n_rows for part in found]:
        raise Crash("parts with other numbers of rows than announced")
    if len({tuple(frame.columns) for frame in frames}) != 1:
        raise Crash("parts with different columns")


@cache
def _part_folder() -> Path:
    folder = _FOLDER / "parts"
    folder.mkdir()
    (folder / "b.parquet").write_bytes(_parquet_tables()[0])
    return folder


def labels(data: bytes) -> None:
    """Files with one label for each row, as ``weft report`` and ``weft compare`` read them."""
    from weft.cli.given import read_label_file
    from weft.reporting.compared_files import read_result

    path = _file(("l.csv", "l.jsonl")[data[0] % 2], data[1:]) if data else _file("l.csv", data)
    with warnings.catch_warnings():
        # Only a crash or a wrong answer counts here.
        warnings.simplefilter("ignore")
        try:
            read_label_file(path, None, 3)
        except ValueError as error:
            _refusal(error)
        try:
            found = read_result(path, "l").labels
        except ValueError as error:
            _refusal(error)
            return
    if found.dtype != np.int64 or found.min(initial=0) < -2:
        raise Crash(f"invalid labels: {found[:5]}")


@cache
def _command() -> Any:
    import typer.main

    from weft.cli.app import app

    # Typer makes a group, which has commands.
    return typer.main.get_command(app).commands["cluster"]  # type: ignore[attr-defined]


def config(data: bytes) -> None:
    """TOML files with options, up to the point where the command would run."""
    path = _file("c.toml", data)
    command = _command()
    with redirect_stderr(io.StringIO()) as err, redirect_stdout(io.StringIO()):
        try:
            command.make_context("cluster", ["t.csv", "--config", str(path)])
        except Exception as error:
            # weft's own errors end with code 2 after a sentence; errors of the parser contain one.
            said = err.getvalue().strip()
            if getattr(error, "exit_code", None) != 2 or "\n" in said:
                raise Crash(f"{error!r}, {said!r}") from error


# Archives: wrong checksums end the reading at once, so most cases get correct ones -------------


def _members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _pack(members: dict[str, bytes]) -> bytes:
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    members = {**members, "checksums.json": json.dumps(sums).encode()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return buffer.getvalue()


def _forged(base: bytes, data: bytes) -> bytes:
    """`data` as a file, as the document of `base`, or as changes to a member of it."""
    if len(data) < 3:
        return data
    how, rest = data[0] % 3, data[1:]
    if how == 0:
        return rest
    members = _members(base)
    members.pop("checksums.json")
    names = list(members)
    if how == 1:
        members[names[0]] = rest
        return _pack(members)
    name = names[rest[0] % len(names)]
    content = bytearray(members[name])
    for place in range(1, len(rest) - 2, 3):
        where = int.from_bytes(rest[place : place + 2], "little") % len(content)
        content[where] = rest[place + 2]
    members[name] = bytes(content)
    return _pack(members)


_BASES: dict[str, tuple[Any, ...]] = {}


def _rows() -> np.ndarray:
    X = np.random.default_rng(0).normal(size=(12, 3))
    X[6:, 0] += 8.0
    return X


def _raw_rows() -> Any:
    import pandas as pd

    X = _rows()
    days = pd.date_range("2024-01-01", periods=12, freq="40D")
    return pd.DataFrame({"a": X[:, 0], "kind": list("xyxyxyzzzzxx"), "day": days})


def _models() -> tuple[bytes, ...]:
    if "models" not in _BASES:
        import weft
        from weft.methods.staged import ClusterEstimate

        X, kept = _rows(), []
        for model in (
            weft.FeatureSwarm("linkage", n_clusters=2, n_generations=2, n_particles=3),
            weft.WeightedKMeans(2, random_state=0),
            weft.StagedSwarm(
                n_generations=2,
                n_particles=4,
                n_clusters_estimate=ClusterEstimate(n_estimates=1),
                random_state=0,
            ),
            weft.KernelKMeans(2, n_init=1, random_state=0),
            weft.WeightedKMeans(2, weights="global", random_state=0),  # on a raw table
        ):
            path = _FOLDER / "base.weft"
            raw = getattr(model, "weights", "") == "global"
            model.fit(_raw_rows() if raw else X).save(path)
            kept.append(path.read_bytes())
        _BASES["models"] = tuple(kept)
    return _BASES["models"]


def model(data: bytes) -> None:
    """Model files: an error of one sentence, or a model that works."""
    import weft

    bases = _models()
    base = bases[data[0] // 3 % len(bases)] if data else b""
    path = _file("m.weft", _forged(base, data))
    try:
        loaded = weft.load(path)
    except ValueError as error:
        _refusal(error)
        return
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # Only a crash or a wrong answer counts here.
        warnings.simplefilter("ignore")
        try:
            raw = hasattr(vars(loaded).get("_table"), "readings")
            labels = loaded.predict(_raw_rows()[:2] if raw else np.zeros((2, 3)))
        except ValueError as error:
            _refusal(error)
            return
    if labels.shape != (2,):
        raise Crash(f"labels of shape {labels.shape}")


def _searches() -> tuple[Any, ...]:
    if "searches" not in _BASES:
        import weft
        from weft.search.callbacks import Checkpoint

        class _Cut(Exception):
            pass

        def cut(generation: Any) -> None:
            if generation.number == 3:
                raise _Cut

        kept = []
        for make in (
            lambda **options: weft.FeatureSwarm(
                "linkage", n_clusters=2, n_generations=4, n_particles=3, random_state=0, **options
            ),
            lambda **options: weft.ProjectedSwarm(
                2, n_evaluations=16, n_particles=4, random_state=0, patience=None, **options
            ),
            lambda **options: weft.ProjectedSwarm(
                2,
                particle="weights",
                n_evaluations=16,
                n_particles=4,
                random_state=0,
                patience=None,
                **options,
            ),
        ):
            path = _FOLDER / "base.checkpoint"
            try:
                make(callbacks=[Checkpoint(path, every=1), cut]).fit(_rows())
            except _Cut:
                kept.append((make, path.read_bytes()))
        _BASES["searches"] = tuple(kept)
    return _BASES["searches"]


def checkpoint(data: bytes) -> None:
    """Checkpoints, resumed from."""
    searches = _searches()
    make, base = searches[data[0] // 3 % len(searches)] if data else (searches[0][0], b"")
    path = _file("c.checkpoint", _forged(base, data))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # Only a crash or a wrong answer counts here.
        warnings.simplefilter("ignore")
        try:
            make().fit(_rows(), resume=path)
        except ValueError as error:
            _refusal(error)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "csv": csv,
    "encodings": encodings,
    "parquet": parquet,
    "parts": parts,
    "arrow": arrow,
    "json_lines": json_lines,
    "database": database,
    "query": query,
    "packed": packed,
    "workbook": workbook,
    "labels": labels,
    "config": config,
    "model": model,
    "checkpoint": checkpoint,
}


def _small_frame() -> Any:
    import pandas as pd

    return pd.DataFrame({"a": [1.0, 2.0, None], "b": ["$1,5", "x", "2024-01-02"], "c": [1, 2, 3]})


@cache
def _database() -> Path:
    import sqlite3

    path = _FOLDER / "asked.sqlite"
    connection = sqlite3.connect(path)
    _small_frame().to_sql("t", connection, index=False)
    connection.close()
    return path


def _parquet_tables() -> list[bytes]:
    import pandas as pd

    frame = pd.DataFrame({"a": [1.0, 2.0, None], "b": ["x", "y", "x"], "c": [1, 2, 3]})
    kept = []
    for compression in (None, "snappy", "gzip", "zstd"):
        path = _FOLDER / "seed.parquet"
        frame.to_parquet(path, compression=compression)
        kept.append(path.read_bytes())
    return kept


def _other_tables(name: str) -> list[bytes]:
    import bz2
    import gzip
    import lzma
    import sqlite3

    import pyarrow as pa

    frame = _small_frame()
    text = frame.to_csv(index=False).encode()
    if name == "json_lines":
        lines = frame.to_json(orient="records", lines=True).encode()
        nested = b'{"a": {"x": 1}, "b": [1]}\n{"a": {"x": 2}, "b": null}\n'
        listed = frame.to_json(orient="records").encode()
        return [lines, nested, listed, b'{"rows": ' + listed + b"}"]
    if name == "arrow":
        import pyarrow.feather

        table, kept = pa.Table.from_pandas(frame), []
        for compression in ("uncompressed", "lz4", "zstd"):
            sink = io.BytesIO()
            pyarrow.feather.write_feather(table, sink, compression=compression)
            kept.append(sink.getvalue())
        stream = io.BytesIO()
        with pa.ipc.new_stream(stream, table.schema) as writer:
            writer.write_table(table)
        return [*kept, stream.getvalue()]
    path = _FOLDER / f"seed.{'sqlite' if name == 'database' else 'xlsx'}"
    path.unlink(missing_ok=True)
    if name == "database":
        connection = sqlite3.connect(path)
        frame.to_sql("t", connection, index=False)
        connection.close()
        first = path.read_bytes()
        connection = sqlite3.connect(path)
        connection.execute("DELETE FROM t WHERE c = 2")
        connection.commit()
        connection.close()
        return [first, path.read_bytes()]
    if name == "workbook":
        frame.to_excel(path, index=False, engine="xlsxwriter")
        sheet = b"<table:table-row><table:table-cell/></table:table-row>"
        opened = io.BytesIO()
        with zipfile.ZipFile(opened, "w") as file:
            file.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
            file.writestr("META-INF/manifest.xml", "<manifest/>")
            file.writestr("content.xml", b"<office:spreadsheet>" + sheet + b"</office:spreadsheet>")
        return [b"\0" + path.read_bytes(), b"\1" + opened.getvalue()]
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("t.csv", text)
    kept = [gzip.compress(text, mtime=0), archive.getvalue()]
    kept += [pa.compress(text, "zstd", True), lzma.compress(text), bz2.compress(text)]
    return [bytes([number]) + data for number, data in enumerate(kept)]


def seeds(name: str) -> list[bytes]:
    """Return the first cases: small valid files."""
    if name == "csv":
        return [
            b"a,b\n1,2\n3,4\n5,6\n",
            b'a;b\n"1,5";2\n3;4\n\n5;x\n',
            b"\xef\xbb\xbfa\tb\n1\t?\n2\tNA\n3\t1e308\n",
            b'"a ""q""",b,\n1,2,x\n3,4,"y\nz"\n',
        ]
    if name == "encodings":
        text = "naïve;größe\n1,5;Zürich\n2,5;Žižkov\n3,5;x\n".encode()
        return [bytes([number]) + text for number in range(5)]
    if name == "query":
        return [
            b"SELECT * FROM t",
            b"SELECT a + 1 AS a, max(c) FROM t GROUP BY b ORDER BY 1 LIMIT 5",
            b"SELECT json_object('k', b), printf('%d', c), CAST(a AS TEXT), X'ff00' FROM t",
            b"VALUES (1, 'x'), (2, NULL)",
            b"SELECT * FROM t JOIN t AS u USING (c)",
            b"ATTACH 'x' AS y; DROP TABLE t; PRAGMA table_info(t)",
        ]
    if name == "labels":
        return [
            b"\0row,cluster\n1,0\n2,-1\n3,1\n",
            b"\0name,label\na,x\nb,\nc,y\n",
            b'\1{"row": 1, "cluster": 0}\n{"row": 3, "cluster": 1e9}\n',
            b'\1{"cluster": 1}\n{"cluster": 1' + b"0" * 400 + b"}\n",
        ]
    if name == "config":
        return [
            b'[cluster]\nmethod = "pso-fsw"\nseed = 3\ndrop = ["a"]\n\n[input]\nsha256 = "0"\n',
            b"generations = 5\njson = true\nstability = 2\n",
        ]
    if name in ("parquet", "parts"):
        return _parquet_tables()
    if name in ("json_lines", "arrow", "database", "packed", "workbook"):
        return _other_tables(name)
    bases = _models() if name == "model" else [base for _, base in _searches()]
    kept = []
    for number, base in enumerate(bases):
        mark = 3 * number
        document = next(iter(_members(base).values()))
        kept += [bytes([mark]) + base, bytes([mark + 1]) + document]
        kept += [bytes([mark + 2, member, 9, 0, 7]) for member in range(3)]
    return kept
