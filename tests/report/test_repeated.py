"""Clusters that are the values of one column."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import weft
from weft.cli.app import app
from weft.reporting.repeated import about_repeated
from weft.reporting.summary import summarize

LABELS = np.repeat([0, 1, 2], 100)
AMOUNT = np.linspace(0.0, 1.0, 300)


def said(column, labels=LABELS):
    return about_repeated(np.column_stack([AMOUNT, column]), ["amount", "day"], labels)


def test_a_cluster_for_each_value():
    days = np.repeat([7.0, 1.0, 3.0], 100)
    (sentence,) = said(days)
    assert sentence.startswith("Each cluster is one value of 'day': ")
    assert "that column" in sentence
    assert said(days, np.where(np.arange(300) < 50, -1, LABELS)) == [sentence]  # rows in none
    assert said(days, np.zeros(300, dtype=int)) == []  # one cluster


@pytest.mark.parametrize(("n_other", "is_repeated"), [(0, True), (3, True), (4, False)])
def test_one_row_in_a_hundred_may_differ(n_other, is_repeated):
    # 3 of 300 rows are 1 %.
    days = np.repeat([7.0, 1.0, 3.0], 100)
    days[:n_other] = 1.0
    assert bool(said(days)) is is_repeated
    days[:n_other] = np.nan
    assert bool(said(days)) is is_repeated


def test_columns_with_other_values_than_the_clusters():
    assert said(np.repeat([1.0, 2.0], [100, 200])) == []  # two clusters have the same value
    assert said(np.repeat([1.0, 2.0, 3.0, 4.0], 75)) == []  # four values, three clusters
    # Three values, but the first two have most of their rows in the same cluster.
    assert said(np.repeat([1.0, 2.0, 3.0], [50, 50, 200])) == []


def test_two_columns_that_say_the_same():
    days = np.repeat([7.0, 1.0, 3.0], 100)
    (sentence,) = about_repeated(np.column_stack([days, -days]), ["day", "dose"], LABELS)
    assert sentence.startswith("Each cluster is one value of 'day' and of 'dose': ")
    assert "those columns" in sentence


def test_the_summary_of_a_model_warns():
    rng = np.random.default_rng(0)
    day = np.repeat([1.0, 2.0], 60)
    X = np.column_stack([day, rng.normal(size=120)])
    model = weft.WeightedKMeans(n_clusters=2, random_state=0).fit(X * [50.0, 1.0])
    warned = summarize(model, X * [50.0, 1.0])["warnings"]
    assert any(text.startswith("Each cluster is one value of 'x0'") for text in warned)


def test_the_command_line_says_so(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"visit": np.repeat([1, 2], 60), "a": rng.normal(size=120).round(3)})
    frame["b"] = rng.normal(size=120).round(3)
    frame.to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "out"
    options = ["--method", "imwk-means", "--n-clusters", "2", "--out", str(out)]
    done = CliRunner().invoke(app, ["cluster", str(tmp_path / "t.csv"), *options])
    assert done.exit_code == 0, done.output
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    clusters = pd.read_csv(out / "labels.csv")["cluster"].to_numpy()
    assert pd.crosstab(clusters, frame["visit"]).to_numpy().min() == 0
    assert any("one value of 'visit'" in text for text in summary["warnings"])
