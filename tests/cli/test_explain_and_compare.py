"""``weft explain`` and ``weft compare``."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import weft
from weft.cli.app import app
from weft.cli.explain import _text


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 30)
    points = 7.0 * np.eye(3)[truth] + rng.standard_normal((90, 3))
    frame = pd.DataFrame(np.round(points, 3), columns=["height", "width", "depth"])
    frame.insert(0, "id", [f"part-{i:02d}" for i in range(90)])
    frame.to_csv(folder / "parts.csv", index=False)
    for name, options in (("three", []), ("two", ["--n-clusters", "2"])):
        call = ["cluster", str(folder / "parts.csv"), "--out", str(folder / name), "-q"]
        done = CliRunner().invoke(
            app, [*call, "--method", "auto", *options, "--param", "n_resamples=0"]
        )
        assert done.exit_code == 0, done.output
    return folder


def call(*words: object):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_a_row_is_explained_in_the_units_of_its_table(runs):
    done = call("explain", runs / "three", runs / "parts.csv", "--row", 2)
    assert done.exit_code == 0, done.output
    value = pd.read_csv(runs / "parts.csv")["height"][1]
    assert done.output.startswith("Row 2 is in cluster 0")
    assert f"height = {value:.4g}" in done.output


def test_rows_are_found_by_a_value(runs):
    named = call(
        *("explain", runs / "three", runs / "parts.csv"), "--where", "id=part-40", "--json"
    )
    told = json.loads(named.output)
    assert [row["row"] for row in told["rows"]] == [41]
    by_number = call("explain", runs / "three", runs / "parts.csv", "--row", 41, "--json")
    assert json.loads(by_number.output) == told


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "--row N"),
        (("--row", 91), "no row 91; its rows are numbered from 1 to 90"),
        (("--where", "colour=red"), "names no column"),
        (("--where", "id=none"), "no row of parts.csv"),
        (("--row", 1, "--where", "id=part-00"), "--row N"),
    ],
)
def test_questions_that_cannot_be_answered(runs, options, sentence):
    done = call("explain", runs / "three", runs / "parts.csv", *options)
    assert done.exit_code == 2
    assert sentence in done.stderr


def test_a_method_that_keeps_no_rows_cannot_explain(runs, tmp_path):
    out = tmp_path / "kmeans"
    made = call(
        *("cluster", runs / "parts.csv", "--out", out, "--method", "k-means", "--n-clusters", 3)
    )
    assert made.exit_code == 0, made.output
    done = call("explain", out, runs / "parts.csv", "--row", 1)
    assert done.exit_code == 2
    assert "does not store the rows" in done.stderr


def test_two_runs_are_compared(runs, tmp_path):
    page = tmp_path / "page.html"
    done = call("compare", runs / "three", runs / "two", "--out", page)
    assert done.exit_code == 0, done.output
    assert "three: 3 clusters; two: 2 clusters; 90 rows." in done.output
    assert "has no matching cluster" in done.output
    text = page.read_text(encoding="utf-8")
    assert "<svg" in text
    assert "<script" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    told = json.loads(call("compare", runs / "three", runs / "two", "--json").output)
    assert told["n_moved"] == len(told["moved"]) >= 25
    assert {entry["column"] for entry in told["weights"]} == {"height", "width", "depth"}
    same = json.loads(
        call("compare", runs / "three", runs / "three" / "model.weft", "--json").output
    )
    assert (same["ari"], same["n_moved"]) == (1.0, 0)


def test_tables_are_matched_by_a_key(tmp_path):
    pd.DataFrame({"id": ["a", "b", "c"], "cluster": ["x", "x", "y"]}).to_csv(
        tmp_path / "one.csv", index=False
    )
    pd.DataFrame({"id": ["c", "a", "b", "d"], "cluster": [0, 1, 1, 1]}).to_csv(
        tmp_path / "two.csv", index=False
    )
    done = weft.compare(tmp_path / "one.csv", tmp_path / "two.csv")
    assert done.rows == ["a", "b", "c"]
    assert (done.result.ari, len(done.result.moved)) == (1.0, 0)
    failed = call("compare", tmp_path / "one.csv", tmp_path / "two.csv", "--key", "name")
    assert failed.exit_code == 2
    assert "no column 'name'" in failed.stderr


def test_different_tables_are_refused(tmp_path):
    with pytest.raises(ValueError, match="no column identifies the rows"):
        weft.compare([0, 1], [0, 1, 1])
    with pytest.raises(ValueError, match="cannot be compared"):
        weft.compare([[0, 1]], [0, 1])
    assert call("compare", tmp_path, tmp_path).exit_code == 2


def test_models_arrays_and_notebooks():
    rng = np.random.default_rng(0)
    X = 7.0 * np.eye(3)[np.repeat([0, 1, 2], 20)] + rng.standard_normal((60, 3))
    model = weft.WeightedKMeans(3, random_state=0).fit(X)
    done = weft.compare(model, model.labels_)
    assert done.result.ari == 1.0
    assert "<svg" in done._repr_html_()
    assert "Comparison of the first and the second" in repr(done)
    assert done.result.weights == ()
    both = weft.compare(model, model)
    assert "The weights of the columns are the same." in str(both)


def test_a_page_that_cannot_be_written(runs, tmp_path):
    done = call("compare", runs / "two", runs / "three", "--out", tmp_path / "nothing" / "x.html")
    assert done.exit_code == 2
    # The name that was given, not that of a temporary file.
    assert done.stderr.endswith("x.html' cannot be written: No such file or directory.\n")


def test_rows_without_a_cluster_are_not_explained(runs, tmp_path):
    # weft predict puts a row without any value into no cluster.
    frame = pd.read_csv(runs / "parts.csv")
    frame.loc[1, ["height", "width", "depth"]] = np.nan
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    done = call("explain", runs / "three", tmp_path / "gaps.csv", "--row", 1, "--row", 2)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "row 2 of gaps.csv has too many missing values, and so no cluster" in done.stderr
    frame.drop(columns="depth").to_csv(tmp_path / "less.csv", index=False)
    done = call("explain", runs / "three", tmp_path / "less.csv", "--row", 1)
    assert done.exit_code == 2
    assert "less.csv lacks column 'depth'" in done.stderr  # the name of the file, not "X"


def test_warnings_are_notes_without_lines_of_the_source(tmp_path):
    hue = np.array(["red", "blue"])[np.repeat([0, 1], 20)]
    x = np.repeat([0.0, 9.0], 20) + np.arange(40) % 7 / 10
    pd.DataFrame({"x": x, "hue": hue}).to_csv(tmp_path / "t.csv", index=False)
    pd.DataFrame({"x": x, "hue": "green"}).to_csv(tmp_path / "new.csv", index=False)
    out = tmp_path / "out"
    options = ("--method", "auto", "--n-clusters", 2, "--param", "n_resamples=0", "-q")
    assert call("cluster", tmp_path / "t.csv", "--out", out, *options).exit_code == 0
    done = call("explain", out, tmp_path / "new.csv", "--row", 1, "--row", 30)
    assert done.exit_code == 0, done.output
    lines = done.stderr.replace("\n      ", " ").strip().split("\n")  # long notes are wrapped
    assert len(lines) == 1
    assert lines[0].startswith("note: 'hue' has ")


def test_days_are_found_as_they_are_written():
    assert _text(pd.Timestamp("2020-01-05")) == "2020-01-05"
    assert _text(pd.Timestamp("2020-01-05 06:30")) == "2020-01-05 06:30:00"
    assert _text("at 00:00:00") == "at 00:00:00"
