"""The command line from outside: what it prints, writes, refuses, and leaves behind."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from typer.testing import CliRunner

import weft
from weft.cli.app import app
from weft.cli.fitting import FILES
from weft.io import apply_recipe, read_csv, read_model

FAST = ["--generations", "2", "--particles", "6"]


@pytest.fixture
def groups(here):
    """Three groups in two of five columns, a text column, an identifier, a label with a gap."""
    rng = np.random.default_rng(0)
    truth = np.arange(60) % 3
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["n1", "n2", "=n3"])
    frame["left"] = truth * 8 + rng.normal(size=60)
    frame["right"] = (truth == 1) * 900 + rng.normal(size=60)
    frame["colour"] = np.array(["red", "green", "blue"])[rng.integers(0, 3, size=60)]
    frame["id"] = np.arange(60)
    frame["kind"] = np.array(["a", "b", "c"])[truth]
    frame.loc[5, "kind"] = None
    path = here / "groups.csv"
    frame.to_csv(path, index=False)
    return path


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def refused(result, here: Path, *left: str) -> str:
    """The sentence of a refusal, after checking all that a refusal promises."""
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    lines = [line for line in result.stderr.splitlines() if not line.startswith(("note:", "   "))]
    assert len(lines) == 1, lines
    assert lines[0].startswith("weft: ")
    assert sorted(file.name for file in here.iterdir()) == sorted(left)
    return lines[0]


# What it does -------------------------------------------------------------------------------


def test_cluster_writes_everything_and_says_so(groups, here):
    result = run("cluster", groups, "--label", "kind", "--out", "out", *FAST)
    assert result.exit_code == 0, result.output
    assert sorted(os.listdir("out")) == sorted(FILES)
    shown = result.stdout
    assert "5 used as numbers" in shown
    assert "1 used as a category: colour" in shown
    assert "left out: id" in shown
    assert "left out: kind, the known answer" in shown
    assert "scaled to variance 1, so that each column counts once" in shown
    assert "Against 'kind' (3 classes, 59 rows): ARI " in shown
    assert str(here / "out" / "report.html") in shown
    assert "'id' was left out" in result.stderr

    labels = pd.read_csv("out/labels.csv")
    assert labels.columns.tolist() == ["row", "id", "cluster"]
    assert labels["row"].tolist() == list(range(1, 61))
    assert labels["id"].tolist() == list(range(60))
    features = pd.read_csv("out/features.csv")
    assert features.columns.tolist() == ["name", "weight", "selected"]
    assert sorted(features["name"]) == ["'=n3", "colour", "left", "n1", "n2", "right"]
    assert features["weight"].is_monotonic_decreasing
    assert (features["selected"] == (features["weight"] > 0)).all()
    summary = json.loads(Path("out/summary.json").read_text())
    assert summary["scores"]["n_classes"] == 3
    assert summary["scores"]["n_rows"] == 59
    assert summary["settings"]["seed"] == 0
    sizes = {entry["label"]: entry["size"] for entry in summary["clusters"]}
    assert labels["cluster"].value_counts().to_dict() == sizes
    assert Path("out/report.html").read_text().startswith("<!doctype html>")


def test_the_saved_model_labels_the_file_again(groups):
    assert run("cluster", groups, "--drop", "kind", "--out", "out", *FAST).exit_code == 0
    held = read_model("out/model.weft")
    new = apply_recipe(read_csv(groups), held.table)
    X = pd.DataFrame(new.X, columns=held.model.feature_names_in_)
    found = pd.read_csv("out/labels.csv")["cluster"].to_numpy()
    np.testing.assert_array_equal(held.model.predict(X), found)
    # The same file in Python: raw rows, in pandas or polars.
    frame = pd.read_csv(groups)
    loaded = weft.load("out/model.weft")
    np.testing.assert_array_equal(loaded.predict(frame), found)
    np.testing.assert_array_equal(loaded.predict(pl.from_pandas(frame)), found)


def test_the_label_is_never_searched_on(groups):
    """Another answer in the label column changes the scores and nothing else."""
    frame = pd.read_csv(groups)
    assert run("cluster", groups, "--label", "kind", "--out", "one", *FAST).exit_code == 0
    frame["kind"] = frame["kind"].to_numpy()[::-1]
    frame.to_csv(groups, index=False)
    assert run("cluster", groups, "--label", "kind", "--out", "two", *FAST).exit_code == 0
    for name in ("labels.csv", "features.csv"):
        assert Path("one", name).read_bytes() == Path("two", name).read_bytes()


def test_same_seed_same_files_for_any_number_of_threads(groups):
    for out, jobs in (("one", 1), ("two", 2)):
        arguments = ["--drop", "kind", "--seed", 5, "--jobs", jobs, "--out", out]
        assert run("cluster", groups, *arguments, *FAST).exit_code == 0
    for name in ("labels.csv", "features.csv"):
        assert Path("one", name).read_bytes() == Path("two", name).read_bytes()


def test_default_folder_is_named_after_the_file(groups, here):
    assert run("cluster", groups, "--drop", "kind", *FAST).exit_code == 0
    assert (here / "groups-weft" / "summary.json").exists()


def test_json_is_all_there_is_on_standard_output(groups):
    result = run("cluster", groups, "--label", "kind", "--json", *FAST)
    summary = json.loads(result.stdout)
    assert summary == json.loads(Path("groups-weft/summary.json").read_text())
    assert "used as numbers" in result.stderr


def test_quiet_prints_nothing_and_json_still_prints(groups):
    result = run("cluster", groups, "--drop", "kind", "--quiet", *FAST)
    assert (result.stdout, result.stderr) == ("", "")
    result = run("cluster", groups, "--drop", "kind", "--quiet", "--json", "--force", *FAST)
    assert json.loads(result.stdout)
    assert result.stderr == ""


@pytest.mark.parametrize(
    "options",
    [
        ["--clusterer", "linkage", "--n-clusters", "3"],
        ["--clusterer", "dbscan"],
        ["--clusterer", "affinity"],
        ["--exponents"],
        ["--criterion", "bcr"],
        ["--scale", "range"],
        ["--scale", "none"],
        ["--keep", "id"],
    ],
)
def test_options_run_and_are_recorded(groups, options):
    result = run("cluster", groups, "--drop", "kind", "--json", *options, *FAST)
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    kept = [entry["name"] for entry in summary["columns"] if entry["kept"]]
    assert ("id" in kept) == (options == ["--keep", "id"])
    told = {**summary["settings"], **summary["data"]}
    name = options[0].removeprefix("--")
    if name == "exponents":
        assert told[name] is True
        assert pd.read_csv("groups-weft/features.csv").columns[-1] == "exponent"
    elif name != "keep":
        assert told[name] == options[1]


def test_rows_left_out_keep_their_place_in_labels(groups):
    frame = pd.read_csv(groups)
    frame.loc[[3, 7], "left"] = None
    frame.to_csv(groups, index=False)
    result = run("cluster", groups, "--drop", "kind", "--missing", "drop-rows", *FAST)
    assert result.exit_code == 0, result.output
    labels = pd.read_csv("groups-weft/labels.csv")
    assert labels["row"].tolist() == list(range(1, 61))
    assert np.flatnonzero(labels["cluster"].isna()).tolist() == [3, 7]
    assert "2 rows with missing values were left out" in result.stderr


def test_force_replaces_results_and_keeps_other_files(groups, here):
    assert run("cluster", groups, "--drop", "kind", "--out", "out", *FAST).exit_code == 0
    (here / "out" / "mine.txt").write_text("precious")
    (here / "out" / "labels.csv").write_text("old")
    again = ["cluster", groups, "--drop", "kind", "--out", "out", *FAST]
    assert "--force" in refused(run(*again), here, "groups.csv", "out")
    assert (here / "out" / "labels.csv").read_text() == "old"
    assert run(*again, "--force").exit_code == 0
    assert sorted(os.listdir("out")) == sorted([*FILES, "mine.txt"])
    assert (here / "out" / "mine.txt").read_text() == "precious"
    assert (here / "out" / "labels.csv").read_text() != "old"


def test_a_failed_run_with_force_keeps_the_old_results(groups, here):
    (here / "out").mkdir()
    (here / "out" / "labels.csv").write_text("old")
    bad = ["--clusterer", "linkage", "--n-clusters", "500", "--force", "--out", "out"]
    refused(run("cluster", groups, "--drop", "kind", *bad), here, "groups.csv", "out")
    assert os.listdir("out") == ["labels.csv"]
    assert (here / "out" / "labels.csv").read_text() == "old"


def test_the_input_is_never_overwritten(groups, here):
    os.rename(groups, here / "labels.csv")
    result = run("cluster", "labels.csv", "--drop", "kind", "--out", ".", "--force", *FAST)
    assert "would be overwritten" in refused(result, here, "labels.csv")


def test_demo_names_clusters_features_and_the_noise_share(here):
    result = run("demo")
    assert result.exit_code == 0, result.output
    assert sorted(os.listdir("weft-demo")) == sorted(FILES)
    noise = json.loads(Path("weft-demo/summary.json").read_text())["noise"]
    assert noise["n_columns"] == 13
    assert noise["weight_share"] < 0.1
    assert noise["column_share"] == 0.5
    told = ("Clusters", "Features that matter", "flavanoids", "accuracy", "of the weight")
    for words in (*told, "3 clusters from"):
        assert words in result.stdout
    assert str(here / "weft-demo" / "report.html") in result.stdout


def test_demo_does_not_overwrite_results_unless_forced(here, monkeypatch):
    searched = []
    monkeypatch.setattr("weft.cli.fitting.search", lambda *_, **options: searched.append(options))
    (here / "weft-demo").mkdir()
    (here / "weft-demo" / "labels.csv").write_text("old")
    result = run("demo")
    assert result.exit_code == 2, result.output
    assert searched == []
    result = run("demo", "--force")
    assert result.exit_code == 0, result.output
    assert searched[0]["force"] is True
    assert searched[0]["relevant"].tolist() == [True] * 13 + [False] * 13
    run("demo", "--out", "other")
    assert searched[1]["force"] is False


def test_version_and_help():
    assert run("--version").stdout == f"weft {weft.__version__}\n"
    assert "cluster" in run("--help").stdout
    assert run("cluster", "--help").exit_code == 0


# What it refuses ----------------------------------------------------------------------------

ROWS = [f"{i * 7 % 11},{i * 5 % 13},{i % 3}" for i in range(20)]


def lines(**changed: str) -> str:
    """A good file with some lines (numbered as an editor does) changed."""
    rows = ["a,b,c", *ROWS]
    for number, text in changed.items():
        rows[int(number[1:]) - 1] = text
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("", [], "is empty"),
        ("a,b\n", [], "no rows"),
        ("a,b\n1,2\n", [], "one row"),
        ("a\n1\n2\n3\n", [], "one column ('a')"),
        ("a,b\n" + "1,2\n" * 9, [], "one value only"),
        (lines(_7="1,oops,2"), [], "text in the cell on line 7 ('oops')"),
        (lines(_7="1,,2"), ["--missing", "error"], "'b' (1), the first in 'b' on line 7"),
        (lines(_7="1,inf,2"), [], "infinite value in column 'b' on line 7"),
        (lines(_7="1,2,3,4"), [], "4 cells on line 7"),
        (
            "a,b\n1,2\n4,5\n2,8\n",
            ["--clusterer", "knn"],
            "n_neighbors=3 needs more than 3 samples, got 3",
        ),
        (lines(), ["--clusterer", "linkage", "--n-clusters", "21"], "--n-clusters=21"),
        (lines(), ["--clusterer", "linkage"], "pass --n-clusters=K"),
        (lines(), ["--label", "nope"], "no column 'nope'"),
        (lines(), ["--clusterer", "kmeans"], "--clusterer='kmeans' is not known"),
        (lines(), ["--criterion", "best"], "--criterion='best' is not known"),
        (lines(), ["--scale", "log"], "--scale='log' is not known"),
        (lines(), ["--generations", "0"], "--generations=0 must be at least 1"),
        (lines(), ["--particles", "0"], "--particles=0 must be at least 1"),
        (lines(), ["--seed", "-1"], "--seed=-1 must be between"),
        (lines(), ["--jobs", "0"], "--jobs=0"),
        (lines(), ["--out", "bad.csv"], "is a file"),
        (lines(), ["--out", "bad.csv/below"], "cannot be written"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(here, text, options, words):
    (here / "bad.csv").write_text(text)
    sentence = refused(run("cluster", "bad.csv", *options), here, "bad.csv")
    assert words in sentence


def test_missing_file_and_binary_file(here):
    assert "no file 'nothing.csv'" in refused(run("cluster", "nothing.csv"), here)
    (here / "b.csv").write_bytes(bytes(range(256)))
    assert "not a text file in UTF-8" in refused(run("cluster", "b.csv"), here, "b.csv")


def test_unused_options_are_noted(groups):
    result = run("cluster", groups, "--drop", "kind", "--n-clusters", 3, *FAST)
    assert result.exit_code == 0
    assert "--n-clusters=3 is not used" in result.stderr


def test_a_name_with_a_terminal_code_in_an_error_is_harmless(here):
    (here / "bad.csv").write_text("a,\x1b[31mb\n1,2\n3,inf\n5,6\n")
    assert "\x1b" not in run("cluster", "bad.csv").stderr


def start_search(here, *options):
    """A search that would take hours, once it is under way."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 10)))
    X.columns = [f"x{i}" for i in range(10)]
    X.to_csv(here / "large.csv", index=False)
    search = ["cluster", "large.csv", "--method", "pso-fsw", "--generations", "100000"]
    search += ["--param", "patience=null", "--out", "out", "--checkpoint", "run.checkpoint"]
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "weft", *search, "--checkpoint-every", "1", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    for line in process.stdout:
        if b"scaled to" in line:  # the last line before the search
            break
    while not (here / "run.checkpoint").exists() and process.poll() is None:
        time.sleep(0.05)
    return process


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_writes_the_best_so_far_and_says_how_to_go_on(here, which):
    process = start_search(here)
    process.send_signal(which)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 128 + which, err
    told = " ".join(err.decode().split())
    assert "of 100000 by" in told
    assert "the same command and --resume run.checkpoint" in told
    assert sorted(os.listdir(here)) == ["large.csv", "out", "run.checkpoint"]
    assert sorted(os.listdir(here / "out")) == sorted(FILES)
    first = read_model(here / "out" / "model.weft").model.n_iter_
    (here / "run.checkpoint").rename(here / "first.checkpoint")
    process = start_search(here, "--resume", "first.checkpoint", "--force")
    process.send_signal(which)
    process.communicate(timeout=120)
    assert read_model(here / "out" / "model.weft").model.n_iter_ > first


def test_a_second_ctrl_c_leaves_nothing_and_exits_130(here):
    process = start_search(here, "--particles", "2000")  # a generation takes a while
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "weft: stopped; nothing was written." in err.decode()
    assert sorted(os.listdir(here)) == ["large.csv", "run.checkpoint"]


def start_auto(here, *options):
    """AutoCluster on a table that takes it a while, once it listens to signals."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 40))
    X[:, :5] += 6.0 * rng.integers(3, size=(1500, 1))
    table = pd.DataFrame(X, columns=[f"x{i}" for i in range(40)])
    table.to_csv(here / "large.csv", index=False)
    process = subprocess.Popen(
        [sys.executable, "-m", "weft", "cluster", "large.csv", "--out", "out", *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    status = Path(f"/proc/{process.pid}/status")
    # Python itself leaves SIGTERM alone: a handler for it is that of the fit.
    while process.poll() is None:
        caught = re.search(r"SigCgt:\s*(\w+)", status.read_text())
        if int(caught[1], 16) >> (signal.SIGTERM - 1) & 1:
            break
        time.sleep(0.02)
    return process


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_default_method_with_what_it_has(here, which):
    process = start_auto(here)
    process.send_signal(which)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 128 + which, err
    assert "the model is fitted with the best found until then" in " ".join(err.decode().split())
    assert sorted(os.listdir(here)) == ["large.csv", "out"]
    assert sorted(os.listdir(here / "out")) == sorted(FILES)
    model = read_model(here / "out" / "model.weft").model
    assert model.n_clusters_ == 3
    assert "Repeats were left out" in model.verdict_


def test_a_second_signal_ends_the_default_method_at_once(here):
    process = start_auto(here)
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert "weft: stopped; nothing was written." in err.decode()
    assert os.listdir(here) == ["large.csv"]


def test_a_further_ctrl_c_does_not_change_the_exit_code():
    program = (
        "import os, signal\n"
        "from weft.cli.shared import one_sentence\n"
        "from typer import Exit\n"
        "try:\n"
        "    with one_sentence():\n"
        "        raise KeyboardInterrupt\n"
        "except Exit as stop:\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    raise SystemExit(stop.exit_code)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 130
    assert done.stderr.decode().strip() == "weft: stopped; nothing was written."


def test_text_that_a_terminal_cannot_show_is_replaced():
    program = (
        "from weft.cli.shared import one_sentence\n"
        "with one_sentence():\n"
        "    print('caf\\u00e9 \\u2588')\n"
    )
    narrow = {**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=narrow)
    assert (done.returncode, done.stdout.strip()) == (0, b"caf\xe9 ?")


def test_the_default_method_is_written_down_and_taken_up_again(groups, here):
    search = ("cluster", groups, "--quiet", "--drop", "kind")
    first = run(*search, "--out", "first", "--checkpoint", "c", "--checkpoint-every", "2")
    assert first.exit_code == 0, first.output
    again = run(*search, "--out", "again", "--resume", "c")
    assert again.exit_code == 0, again.output
    for name in ("labels.csv", "features.csv"):
        assert (here / "first" / name).read_bytes() == (here / "again" / name).read_bytes()
    assert type(read_model(here / "again" / "model.weft").model).__name__ == "AutoCluster"


def test_resume_is_refused_where_it_does_not_fit(groups, here):
    search = ("cluster", groups, "--method", "pso-fsw", "--particles", "6", "--quiet")
    search += ("--drop", "kind")
    fine = run(*search, "--generations", "3", "--checkpoint", "c", "--checkpoint-every", "2")
    assert fine.exit_code == 0, fine.output
    again = run(*search, "--generations", "3", "--resume", "c", "--out", "again")
    assert again.exit_code == 0, again.output
    labels = [(here / name / "labels.csv").read_bytes() for name in ("groups-weft", "again")]
    assert labels[0] == labels[1]
    left = ("groups.csv", "groups-weft", "again", "c")
    for options, sentence in (
        (("--generations", "4", "--resume", "c"), "written with --generations=3"),
        (("--generations", "3", "--resume", "none"), "no checkpoint 'none'; leave out --resume"),
        (("--generations", "3", "--resume", groups), "damaged, or is not a checkpoint"),
        (("--checkpoint", "no/where"), "give --checkpoint another path"),
        (("--checkpoint", "c", "--checkpoint-every", "0"), "every=0"),
    ):
        assert sentence in refused(run(*search, *options, "--out", "new"), here, *left)
    kmeans = ("cluster", groups, "--method", "ik-means", "--n-clusters", "3", "--out", "new")
    kmeans += ("--drop", "kind", "--quiet")
    assert "--resume is not an option of iK-Means" in refused(
        run(*kmeans, "--resume", "c"), here, *left
    )


def test_python_m_weft_is_the_same_program():
    done = subprocess.run(
        [sys.executable, "-m", "weft", "--version"], capture_output=True, text=True
    )
    assert done.stdout == f"weft {weft.__version__}\n"


def test_without_the_extra_it_says_what_to_install(tmp_path):
    """With typer out of reach the command names the extra; no traceback."""
    (tmp_path / "typer.py").write_text("raise ModuleNotFoundError('no typer', name='typer')")
    done = subprocess.run(
        [sys.executable, "-m", "weft", "demo"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 2
    assert "pip install 'weft[app]'" in done.stderr
    assert "Traceback" not in done.stderr
