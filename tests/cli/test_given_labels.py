"""``weft report TABLE --labels FILE``, ``--alternative``, and what the terminal says once."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from weft.cli.app import app


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    group = np.arange(60) % 3
    frame = pd.DataFrame({"size": rng.normal(size=60) + 6 * group, "noise": rng.normal(size=60)})
    frame["colour"] = np.array(["red", "blue", "green"])[group]
    frame.to_csv("t.csv", index=False)
    pd.DataFrame({"cluster": group}).to_csv("plain.csv", index=False)
    some = pd.DataFrame({"row": np.arange(60, 0, -1), "cluster": group[::-1]})[5:]
    some.to_csv("rows.csv", index=False)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def island(path):
    text = Path(path).read_text(encoding="utf-8")
    return json.loads(text.split('id="summary">')[1].split("</script>")[0])


def test_labels_in_the_order_of_the_table(here):
    result = run("report", "t.csv", "--labels", "plain.csv", "--out", "r.html")
    assert result.exit_code == 0, result.output
    assert "HTML report: r.html" in result.stdout
    summary = island("r.html")
    assert summary["rows"]["label"] == (np.arange(60) % 3).tolist()
    assert summary["result"]["n_selected"] == 2  # size and colour, not the noise
    assert run("report", "t.csv", "--labels", "plain.csv").exit_code == 0
    assert Path("t-report.html").exists()


def test_labels_by_row_number(here):
    assert run("report", "t.csv", "--labels", "rows.csv", "--out", "r.html").exit_code == 0
    labels = island("r.html")["rows"]["label"]
    assert labels[:55] == (np.arange(55) % 3).tolist()
    assert labels[55:] == [-1] * 5  # rows without a label are in no cluster


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cluster\n1\n2\n", "2 labels but the table has 60 rows"),
        ("row,cluster\n1,0\n2,1\n2,0\n", "has row 2 twice in column 'row'"),
        ("a,b\n1,2\n3,4\n", "none called 'cluster'; name one with --labels-column: a, b"),
        ("row,cluster\n99,1\n98,2\n", "rows are counted from 1 to 60"),
    ],
)
def test_labels_that_do_not_fit_get_one_sentence(here, text, words):
    Path("bad.csv").write_text(text)
    result = run("report", "t.csv", "--labels", "bad.csv")
    assert result.exit_code == 2
    assert words in result.stderr.replace("\n", " ")


def test_exit_codes_are_in_the_main_help_alone():
    assert "Exit codes" in run("--help").stdout
    for command in ("cluster", "report", "predict", "choose"):
        assert "Exit codes" not in run(command, "--help").stdout


def test_the_terminal_says_everything_once(here):
    result = run("cluster", "t.csv", "--label", "colour", "--out", "o", "--param", "n_resamples=0")
    assert result.exit_code == 0, result.output
    shown = result.stdout
    assert shown.count("left out: colour") == 1
    assert " ".join(shown.split()).count("columns; the probability") <= 1
    assert "ARI " in shown
    assert "AMI " in shown
    refused = run("cluster", "t.csv", "--out", "p", "--alternative", "99")
    assert refused.exit_code == 2
    assert "--alternative=99 is not possible" in refused.stderr


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (("report", "t.csv", "--labels", "plain.csv", "--stability", 2), "--stability is not an"),
        (("report", "t.csv", "--labels", "plain.csv", "--data", "t.csv"), "--data is not an"),
        (("report", "m.weft", "--label", "colour"), "--label is not an option of a report without"),
        (("report", "m.weft", "--labels-column", "a"), "--labels-column is not an option of a"),
        (("predict", "m.weft", "t.csv", "--json", "--join"), "--join is not an option together"),
        (("cluster", "c.h5ad", "--label", "colour"), "--label is not an option for .h5ad files"),
        (("cluster", "c.h5ad", "--alternative", 2), "--alternative is not an option for .h5ad"),
        (("cluster", "c.h5ad", "--generations", 2), "--generations is not an option for .h5ad"),
        (("generate", "gaussians", "--clusters", 0, "--rows", 9), "--clusters=0 must be at least"),
        (("generate", "rings", "--rows", 0), "--rows=0 must be at least 1"),
        (("generate", "gaussians", "--features", 0), "--features=0 must be at least 1"),
        (("generate", "gaussians", "--noise", -1), "--noise=-1 must be at least 0"),
    ],
)
def test_options_that_would_be_ignored_are_refused(here, command, sentence):
    result = run(*command)
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "command",
    [
        ("report", "t.csv", "--labels", "plain.csv", "--out", "t.csv"),
        ("report", "t.csv", "--labels", "plain.csv", "--out", "plain.csv"),
        ("compare", "plain.csv", "rows.csv", "--out", "rows.csv"),
        ("cluster", "t.csv", "--method", "pso-fsw", "--checkpoint", "t.csv"),
    ],
)
def test_no_file_that_is_read_is_overwritten(here, command):
    before = Path(command[-1]).read_bytes()
    result = run(*command)
    assert result.exit_code == 2, result.output
    assert f"{command[-1]!r} is read and would be overwritten; give another --" in result.stderr
    assert Path(command[-1]).read_bytes() == before
