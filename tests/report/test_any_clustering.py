"""The report of any clustering, and numbers that appear twice."""

from __future__ import annotations

import io
import json
import re
import warnings
from html import unescape

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from sklearn import cluster
from sklearn.datasets import load_wine
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weft
from weft.reporting.html import render
from weft.reporting.summary import summarize
from weft.reporting.terminal import show_result
from weft.reporting.told import PERFECT, headline, percent, told_numbers, two_digits

CLUSTERERS = [
    cluster.KMeans(3, n_init=1, random_state=0),
    cluster.MiniBatchKMeans(3, n_init=1, random_state=0),
    cluster.BisectingKMeans(3, random_state=0),
    cluster.AgglomerativeClustering(3),
    cluster.Birch(n_clusters=3),
    cluster.DBSCAN(eps=2.0),
    cluster.HDBSCAN(min_cluster_size=5),
    cluster.OPTICS(min_samples=5),
    cluster.MeanShift(bandwidth=5.0),
    GaussianMixture(3, random_state=0),
]


def facts_on(html):
    """Numbers of a page by name; each must be the same wherever it appears."""
    found: dict[str, set[str]] = {}
    for key, text in re.findall(r'data-fact="([^"]*)">([^<]*)<', html):
        found.setdefault(key, set()).add(unescape(text))
    return found


def island_of(html):
    return json.loads(html.split('id="summary">')[1].split("</script>")[0])


@pytest.mark.parametrize("model", CLUSTERERS, ids=lambda model: type(model).__name__)
def test_any_clusterer_has_a_report(model, three_groups):
    X = StandardScaler().fit_transform(three_groups)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = weft.report(X, model=model.fit(X), stability=0)
    assert made.html.startswith("<!doctype html>")
    assert made.summary["settings"]["method"] == type(model).__name__
    labels = model.predict(X) if isinstance(model, GaussianMixture) else model.labels_
    assert made.summary["rows"]["label"] == np.maximum(labels, -1).tolist()


def test_a_pipeline_is_fitted_again_with_its_scaler():
    wine = load_wine(as_frame=True)
    model = make_pipeline(StandardScaler(), cluster.KMeans(3, n_init=2, random_state=0))
    made = weft.report(wine.data, model=model.fit(wine.data), truth=wine.target, title="wine")
    stability = made.summary["stability"]
    assert np.mean(stability["pairs"]) > np.mean(stability["null"])
    assert made.summary["scores"]["ari"] > 0.8
    assert "The columns were not scaled" not in " ".join(made.summary["warnings"])


def test_a_report_says_why_stability_is_missing(three_groups, monkeypatch):
    X = StandardScaler().fit_transform(three_groups)
    model = cluster.KMeans(3, n_init=1, random_state=0).fit(X)
    monkeypatch.setattr("weft.reporting.any_clustering.MAX_SECONDS", 0.0)
    slow = weft.report(X, model=model)
    assert slow.summary["stability"] is None
    assert any("refits of KMeans would take more" in note for note in slow.summary["warnings"])
    assert "there was no clusterer to refit" not in slow.html
    # Whoever asks for it gets it, however long it takes.
    assert weft.report(X, model=model, stability=2).summary["stability"]["n_repeats"] == 2
    too_many = cluster.KMeans(len(X), n_init=1, random_state=0).fit(X)
    failed = weft.report(X, model=too_many, stability=2)
    assert any("KMeans cannot be refitted" in note for note in failed.summary["warnings"])
    assert "there was no clusterer to refit" in weft.report(X, model.labels_).html


def test_models_of_weft_are_refitted_on_request(three_groups):
    model = weft.WeightedKMeans(3, random_state=0).fit(three_groups)
    assert weft.report(three_groups, model=model).summary["stability"] is None
    asked = weft.report(three_groups, model=model, stability=2)
    assert asked.summary["stability"]["n_repeats"] == 2


def test_raw_tables_and_named_labels():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 30)
    frame = pd.DataFrame(
        {
            "when": (np.datetime64("2024-01-01") + 100 * group).astype(str),
            "colour": np.array(["red", "blue"])[group],
            "size": rng.normal(size=60) + 5 * group,
        }
    )
    made = weft.report(frame, np.array(["old", "new"])[group])
    titles = {c["label"]: c["title"] for c in made.summary["clusters"]}
    assert titles == {0: "new", 1: "old"}
    columns = {c["name"]: c for c in made.summary["distributions"]["columns"]}
    assert columns["colour"]["levels"] == ["red", "blue"] or "red" in columns["colour"]["levels"]
    assert made.summary["result"]["weights_are_measured"]
    if "when" in columns:
        assert columns["when"]["edges"][0].startswith("20")


def test_a_clusterer_of_weft_gets_its_own_report(three_groups):
    model = weft.WeightedKMeans(3, random_state=0).fit(three_groups)
    made = weft.report(three_groups, model=model)
    assert made.summary["settings"]["method"] == "WeightedKMeans"
    assert made.summary["cluster_weights"] is not None


def test_bad_calls_get_one_sentence(three_groups):
    with pytest.raises(ValueError, match="give labels, or a fitted model"):
        weft.report(three_groups)
    with pytest.raises(ValueError, match="one label per row"):
        weft.report(three_groups, [0, 1])
    with pytest.raises(ValueError, match="at least 2 rows"):
        weft.report(np.ones(4), [0, 1, 1, 0])
    with pytest.raises(ValueError, match="no labels_ and no predict"):
        weft.report(three_groups, model=StandardScaler())


def test_numbers_that_appear_twice_agree():
    wine = load_wine(as_frame=True)
    model = weft.AutoCluster(n_resamples=2, random_state=0).fit(wine.data)
    made = model.report(wine.data, label=wine.target, stability=1)
    summary, html = made.summary, made.html
    assert island_of(html) == summary
    facts, told = facts_on(html), told_numbers(summary)
    assert {"n_clusters", "probability", "agreement", "silhouette", "ari"} <= facts.keys()
    for key, texts in facts.items():
        assert texts == {told[key]}, key
    verdict = summary["result"]["verdict"]
    assert verdict == model.verdict_
    assert f"{told['n_clusters']} clusters from {told['n_selected']} of" in verdict
    assert f"about {told['probability']}" in verdict
    assert f"index {told['agreement']}" in verdict
    assert told["n_clusters"] == str(len(summary["clusters"]))
    assert headline(summary).startswith(f"{told['n_clusters']} clusters")
    shares = [entry["share"] for entry in summary["clusters"]]
    assert sum(shares) == pytest.approx(1)
    for entry in summary["clusters"]:
        assert entry["size"] == summary["rows"]["label"].count(entry["label"])
        assert f"{entry['size']} rows" in entry["sentence"]
    answers = [one for one in summary["candidates"] if one["is_answer"]]
    assert [one["n_clusters"] for one in answers] == [model.n_clusters_]
    assert [one["number"] for one in summary["alternatives"] if one["is_answer"]] == [1]
    assert summary["certainty"]["for"] == model.evidence_["for"]
    assert len(summary["rows"]["chances"]) == len(wine.data)


def test_a_perfect_separation_is_the_strongest_cell():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 20)
    X = np.column_stack([labels, labels * 3 + rng.normal(size=40), rng.normal(size=40)])
    made = weft.report(X, labels, feature_names=["perfect", "good", "noise"])
    profile = made.summary["profile"]
    assert profile["features"][0] == "perfect"
    assert [effects[0] for effects in profile["effects"]] == [-PERFECT, PERFECT]
    depths = [int(depth) for depth in re.findall(r'--v: (\d+)%" title', made.html)]
    assert depths[:2] == [75, 75]
    assert max(depths[2:]) < 75
    assert "perfectly above the rest" in made.html


def test_no_clusters_are_not_called_one():
    X = np.random.default_rng(0).normal(size=(60, 4))
    model = weft.AutoCluster(n_resamples=0).fit(X)
    assert model.n_clusters_ == 1
    made = model.report(X)
    assert headline(made.summary).startswith("no clusters")
    assert "no groups to describe" in made.html
    assert "give their number: <code>AutoCluster(3)</code>" in made.html
    # Weights and shares would all be 0, and no column was used.
    table = made.html.partition('<table id="feature-table"')[2].partition("</table>")[0]
    assert table.count("<tr>") == 5
    assert not any(word in table for word in ("weight", "share", "not used"))
    assert "n_clusters" not in facts_on(made.html)


def test_summaries_of_before_still_have_a_page(three_groups):
    summary = weft.WeightedKMeans(3, random_state=0).fit(three_groups).report(three_groups).summary
    added = ("certainty", "candidates", "walk", "alternatives", "distributions", "rows", "markers")
    old = {key: value for key, value in summary.items() if key not in added}
    assert "How was it made?" in render(old)


def test_rules_name_columns_as_the_report_does():
    wine = load_wine()
    model = weft.AutoCluster(n_resamples=0).fit(wine.data)
    made = model.report(wine.data, feature_names=wine.feature_names)
    told = " ".join(c for entry in made.summary["clusters"] for c in entry["rule"]["conditions"])
    assert any(name in told for name in wine.feature_names)


def group_table(html):
    """Lines of the table of clusters, as texts by column heading."""
    found = {}
    body = html.split('id="group-table"')[1].split("</table>")[0]
    for label, line in re.findall(r'<tr data-label="(-?\d+)">(.*?)</tr>', body, flags=re.S):
        cells = re.findall(r'data-head="([^"]*)">([^<]*)<', line)
        found[int(label)] = {head: unescape(text) for head, text in cells}
    return found


def check_cards(made):
    """The table of clusters, their sentences, rules and names against the summary."""
    summary, html = made.summary, made.html
    table = group_table(html)
    widths = dict(zip(*(summary["silhouette"][key] for key in ("labels", "widths")), strict=True))
    stable = summary["certainty"]["by_cluster"]
    assert sorted(table) == sorted(entry["label"] for entry in summary["clusters"])
    words = unescape(re.sub(r"<[^>]*>", "", html.split("All clusters in words")[1]))
    for entry in summary["clusters"]:
        label, line = entry["label"], table[entry["label"]]
        assert line["rows"] == str(entry["size"]) == str(summary["rows"]["label"].count(label))
        assert line["share"] == percent(entry["share"])
        assert entry["sentence"].startswith(f"{line['rows']} rows ({line['share']})")
        assert entry["sentence"] in words
        if label in widths:
            assert line["silhouette"] == two_digits(np.mean(widths[label]))
        if stable and label >= 0:
            assert line["reproduced"] == two_digits(stable[label])
        if "rule" in entry:
            precision, coverage = (percent(entry["rule"][key]) for key in ("precision", "coverage"))
            where = ", measured on other rows" if entry["rule"]["held_out"] else ""
            assert f"(precision {precision}, coverage {coverage}{where})" in words
        title = f"{entry['name']}: {entry['size']} row"
        assert title in html  # the strip under the title
    assert [c["n_clusters"] for c in summary["candidates"] if c["is_answer"]] in (
        [], [summary["result"]["n_clusters"]],
    )  # fmt: skip


def test_cards_say_what_the_summary_says_for_weft_and_for_others():
    frame = load_wine(as_frame=True).data
    own = weft.AutoCluster(n_resamples=2, random_state=0).fit(frame)
    made = own.report(frame)
    check_cards(made)
    buffer = io.StringIO()
    show_result(made.summary, Console(file=buffer, width=200, no_color=True))
    told, text = told_numbers(made.summary), buffer.getvalue()
    assert own.verdict_ in " ".join(text.split())
    for entry in made.summary["clusters"]:
        assert re.search(rf"\b{entry['size']}\b.*{percent(entry['share'])}", text)
    assert told["n_selected"] in text
    other = make_pipeline(StandardScaler(), cluster.HDBSCAN(min_cluster_size=8, copy=True))
    made = weft.report(frame, model=other.fit(frame), stability=1)
    facts = facts_on(made.html)
    assert facts["n_unassigned"] == {str((other[-1].labels_ == -1).sum())}
    assert made.summary["settings"]["pipeline"] == "StandardScaler → HDBSCAN"
    assert facts["refits"] == {two_digits(np.mean(made.summary["stability"]["agreement"]))}
    check_cards(made)


def test_rows_of_the_map_have_the_numbers_of_the_table(three_groups):
    labels = np.repeat([0, 1, 2], 20)
    numbers = np.arange(60) * 2 + 11
    model = weft.WeightedKMeans(3, random_state=0).fit(three_groups)
    summary = summarize(model, three_groups, row_numbers=numbers)
    assert summary["map"]["row"] == summary["rows"]["row"] == numbers.tolist()
    assert sorted(np.unique(labels)) == sorted({*summary["map"]["label"]})


def test_alike_weights_do_not_hide_the_columns_that_differ():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 80))
    X[:100, 40:44] += 6
    X[100:200, 40:44] -= 6
    model = weft.WeightedKMeans(3, random_state=0, max_iter=10).fit(X)
    summary = model.report(X).summary
    assert headline(summary) == "3 clusters; all 80 columns weigh about the same"
    differing = {f"x{j}" for j in range(40, 44)}
    assert {c["name"] for c in summary["distributions"]["columns"][:4]} == differing
    for entry in summary["clusters"]:
        assert any(name in entry["title"] for name in differing), entry["title"]
        assert entry["rule"]["precision"] > 0.9
    middle = [entry for entry in summary["clusters"] if not entry["traits"]]
    assert all("with medium x4" in entry["sentence"] for entry in middle)
