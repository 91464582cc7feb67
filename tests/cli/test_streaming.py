"""``weft cluster`` on a folder of Parquet files: labels part by part, and what was there stays."""

import numpy as np
import pytest
from typer.testing import CliRunner

from weft.cli.app import app

pandas = pytest.importorskip("pandas")
parquet = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("dask")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for module in ("auto.large", "estimators.auto_cluster"):
        monkeypatch.setattr(f"weft.{module}.SAMPLE_ROWS", 300)
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(3, 4))[rng.integers(3, size=900)] * 6 + rng.normal(size=(900, 4))
    (tmp_path / "table").mkdir()
    for number in range(3):
        frame = pandas.DataFrame(rows[number * 300 : (number + 1) * 300], columns=list("abcd"))
        frame.to_parquet(tmp_path / "table" / f"part-{number}.parquet")
    return tmp_path / "table"


def run(*arguments):
    return CliRunner().invoke(app, [str(each) for each in arguments])


def read(folder):
    return [parquet.read_table(file) for file in sorted(folder.glob("part-*.parquet"))]


def test_labels_of_a_folder_are_written_in_parts_and_made_once(folder, tmp_path):
    out = tmp_path / "out"
    done = run("cluster", folder, "--out", out, "--param", "n_resamples=0")
    assert done.exit_code == 0, done.output
    parts = read(out / "labels")
    assert [len(part) for part in parts] == [300, 300, 300]
    assert parts[1]["row"][0].as_py() == 301
    assert set(parts[0].column_names) == {"row", "cluster", "confidence"}
    (out / "labels" / "part-00001.parquet").unlink()
    kept = (out / "labels" / "part-00000.parquet").stat().st_mtime_ns
    again = run("cluster", folder, "--out", out, "--param", "n_resamples=0", "--force")
    assert again.exit_code == 0, again.output
    assert "2 of them were complete already" in again.output
    assert (out / "labels" / "part-00000.parquet").stat().st_mtime_ns == kept
    assert read(out / "labels")[1].equals(parts[1])
    told = run("predict", out, folder, "--out", tmp_path / "predicted")
    assert told.exit_code == 0, told.output
    assert all(a.equals(b) for a, b in zip(read(tmp_path / "predicted"), parts, strict=True))


def test_labels_of_a_file_that_has_changed_are_made_again(folder, tmp_path):
    out = tmp_path / "out"
    assert run("cluster", folder, "--out", out, "--param", "n_resamples=0").exit_code == 0
    before = read(out / "labels")[1]["cluster"].to_pylist()
    # The same number of rows, in the opposite order: labels follow their rows.
    changed = pandas.read_parquet(folder / "part-1.parquet")[::-1]
    changed.to_parquet(folder / "part-1.parquet", index=False)
    told = run("predict", out, folder, "--out", out / "labels")
    assert told.exit_code == 0, told.output
    assert read(out / "labels")[1]["cluster"].to_pylist() == before[::-1]
    refused = run("predict", out, folder, "--out", out / "labels", "--join")
    assert (refused.exit_code, refused.stderr) == (
        2, "weft: --join is not an option for tables that are read in parts; leave it out.\n"
    )  # fmt: skip


def test_other_methods_are_refused_in_one_sentence(folder):
    done = run("cluster", folder, "--method", "pso-fsw")
    assert done.exit_code == 2
    assert "needs the whole table in memory" in done.output


@pytest.mark.parametrize(("jobs", "n_processes"), [((), 1), (("--jobs", 3), 3)])
def test_parts_run_on_one_process_unless_more_are_asked_for(jobs, n_processes, folder, monkeypatch):
    asked = []

    def processes(count):
        asked.append(count)
        raise ValueError("this is enough")

    monkeypatch.setattr("weft.cli.streaming.processes", processes)
    done = run("cluster", folder, *jobs)
    assert "this is enough" in done.output
    run("cluster", folder / "part-0.parquet", *jobs)  # small enough for the memory
    assert asked == [n_processes, None]
