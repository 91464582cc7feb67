"""Runs that are killed, fail, or happen elsewhere leave the same rows."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bench.harness import cells, rows, runs, study
from bench.harness.progress import Bar
from bench.harness.study import Run

ROOT = Path(__file__).parents[3]
TOML = """
table = "0"
title = "A small one"
says = "none"
trials = 6
metrics = ["f", "clusters"]
columns = ["data", "method", "f"]
cells = [
  ["blobs", "knn", 1.0],
  ["blobs", "slow", 1.0],
]

[data.blobs]
make = "make_gaussians"
params = { n_clusters = 3, n_features = 2, cluster_size = 15 }
fresh = true

[methods.knn]
call = "plain"
params = { clusterer = "knn", n_neighbors = 3 }

[methods.slow]
call = "flaky.Slow"
"""
FLAKY = """
import os, time
import numpy as np

class Slow:
    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit_predict(self, X):
        time.sleep(float(os.environ.get("SLOW", "0")))
        if os.path.exists(os.environ.get("FAIL", "/no such file")):
            raise ValueError("asked to fail")
        return np.random.default_rng(self.random_state).integers(0, 3, len(X))
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder of studies with one study, and a module that it calls."""
    folder = tmp_path / "studies"
    folder.mkdir()
    (folder / "oneill-0.toml").write_text(TOML)
    (tmp_path / "flaky.py").write_text(FLAKY)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT), str(ROOT / "src")]))
    yield tmp_path
    sys.modules.pop("flaky", None)


def run(place, **settings):
    of = study.load("oneill-0", folder=place / "studies")
    trouble = runs.run(of, results=place / "rows", folder=place / "studies", **settings)
    return of, trouble


def content(place, results="rows"):
    """What must not depend on when and where a row was made."""
    of = study.load("oneill-0", folder=place / "studies")
    varying = ("seconds", "commit")
    return [
        {key: value for key, value in row.items() if key not in varying}
        for row in rows.read(of, place / results)
    ]


def command(place, results, **environment):
    words = ["run", "oneill-0", "--results", str(place / results)]
    words += ["--studies-folder", str(place / "studies")]
    return subprocess.Popen(
        [sys.executable, "-m", "bench", *words],
        cwd=ROOT,
        env={**os.environ, **environment},
        stderr=subprocess.DEVNULL,
    )


def test_a_killed_run_goes_on_to_the_same_rows(place):
    run(place)
    whole = content(place)
    assert len(whole) == 12
    parts = place / "killed" / "oneill-0.parts"
    process = command(place, "killed", SLOW="0.3")
    while len(list(parts.glob("*.parquet"))) < 3:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    half = content(place, "killed")
    assert 3 <= len(half) < 12
    assert not (place / "killed" / "oneill-0.parquet").exists()
    (parts / ".half-written.parquet.1").write_bytes(b"PAR1")  # as if killed while writing
    assert command(place, "killed").wait() == 0
    assert content(place, "killed") == whole
    assert not parts.exists()
    assert [path.name for path in (place / "killed").iterdir()] == ["oneill-0.parquet"]


def test_killed_between_the_new_file_and_the_end_of_the_parts(place):
    of, _ = run(place)
    whole = content(place)
    for row in rows.read(of, place / "rows")[:5]:  # rows that are there twice
        rows.add(of, row, place / "rows")
    assert content(place) == whole
    rows.compact(of, place / "rows")
    assert content(place) == whole


def test_a_failed_cell_says_so_and_is_tried_again(place, monkeypatch, capsys):
    flag = place / "fail"
    flag.touch()
    monkeypatch.setenv("FAIL", str(flag))
    of, trouble = run(place)
    assert len(trouble) == 6
    assert "asked to fail" in capsys.readouterr().err
    assert {row["status"] for row in rows.read(of, place / "rows")} == {"ok", "failed"}
    flag.unlink()
    _, trouble = run(place)
    assert trouble == []
    assert {row["status"] for row in content(place)} == {"ok"}


def test_nothing_is_run_twice(place, monkeypatch):
    run(place)
    monkeypatch.setattr(cells, "evaluate", lambda *a, **k: pytest.fail("it was there"))
    run(place)


@pytest.mark.parametrize("engine_name", ["threads", "processes", "dask"])
def test_engines_give_the_same_rows(place, engine_name):
    run(place)
    here = content(place)
    (place / "rows" / "oneill-0.parquet").unlink()
    run(place, jobs=2, engine=engine_name)
    assert content(place) == here


def test_rows_of_another_recipe_are_made_again(place):
    run(place)
    path = place / "studies" / "oneill-0.toml"
    path.write_text(path.read_text().replace("n_neighbors = 3", "n_neighbors = 2"))
    study.load.cache_clear()
    kept = content(place)
    assert {row["method"] for row in kept} == {"slow"}
    run(place)  # the old rows are still in the file: they must not hide the new ones
    assert len(content(place)) == 12


def test_one_process_at_a_time(place):
    of = study.load("oneill-0", folder=place / "studies")
    with rows.writing(of, place / "rows"), pytest.raises(SystemExit, match="another process"):
        run(place)


def test_missing_data_is_no_failure_of_the_method(monkeypatch):
    monkeypatch.delenv("WEFT_DATA", raising=False)
    row = cells.evaluate("amorim-3.1", Run("iris", 0, "iK-Means", 0), quick=False)
    assert row["status"] == "no data"
    assert "WEFT_DATA" in row["error"]


def test_the_bar_says_what_is_running_and_how_long_is_left():
    runs = [Run("blobs", 0, "knn", trial) for trial in range(4)]
    bar = Bar("oneill-0", 6, runs, jobs=1)
    assert bar.text(0.0).endswith("2/6, running: blobs knn #0")
    bar.finished, bar.failed = 1, 1
    del bar.waiting[runs[0]]
    # one run took 40 s, three are left
    assert bar.text(40.0).endswith("3/6, 1 failed, 2:00 left, running: blobs knn #1")


def test_a_part_of_a_table_can_be_run(place):
    run(place, methods=["k*"], trials=2)
    assert [(row["method"], row["trial"]) for row in content(place)] == [("knn", 0), ("knn", 1)]
    run(place, data=["no such set"])
    assert len(content(place)) == 2
