"""Summary, terminal and page: effects by hand, plain JSON, text that stays text."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import time
from html.parser import HTMLParser

import numpy as np
import pytest
from rich.console import Console
from scipy import sparse

import weft
from weft.columns.profile import profile
from weft.reporting import plots
from weft.reporting.html import render
from weft.reporting.making import plain
from weft.reporting.page import report
from weft.reporting.snippet import snippet
from weft.reporting.summary import summarize
from weft.reporting.terminal import show_columns, show_result, show_warnings

NASTY = [
    "<script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    "🎈 emoji",
    "n" * 300,
    "מספר \u202eevil",
    "[bold red]markup[/]",
    "\x1b[31mred\x07",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}",
    "a&b",
]


class FakeModel:
    """What a summary needs of a fitted model, with answers that can be checked by hand."""

    def __init__(self, labels, weights, **attributes):
        self.labels_ = np.asarray(labels)
        self.n_clusters_ = len(set(labels) - {-1})
        self.feature_weights_ = np.asarray(weights, dtype=float)
        self.feature_exponents_ = None
        self.fitness_ = 1.5
        self.n_iter_ = 3
        self.history_ = {
            "generation": np.arange(1, 4),
            "best_fitness": np.array([-np.inf, 1.0, 1.5]),
            "mean_fitness": np.array([np.nan, 0.5, 0.75]),
            "n_features": np.array([1, 2, 2]),
            "n_clusters": np.array([1, 2, 2]),
        }
        vars(self).update(attributes)

    def get_support(self):
        return self.feature_weights_ > 0

    def get_params(self, deep=True):
        params = {"clusterer": "knn", "criterion": "csc", "n_particles": 4}
        return {**params, "callbacks": [print], "random_state": 7}


def nasty_summary():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, len(NASTY)))
    X[15:] += 3
    columns = [
        {"name": n, "kind": "numeric", "kept": True, "reason": "numbers", "features": [n]}
        for n in NASTY
    ]
    columns.append(
        {"name": NASTY[0], "kind": "constant", "kept": False, "reason": NASTY[7], "features": []}
    )
    data = {"name": NASTY[0] + ".csv", "scale": "standard", "missing": "error", "label": NASTY[0]}
    return summarize(
        FakeModel([0] * 15 + [1] * 15, np.arange(1, len(NASTY) + 1)),
        X,
        feature_names=NASTY,
        table={"data": data, "columns": columns, "warnings": NASTY},
        label=np.array([0] * 14 + [1] * 15 + [-1]),
        relevant=[True] * 9 + [False],
        seconds={"fit": 1.0},
    )


# Effects ------------------------------------------------------------------------------------


def test_effect_by_hand():
    # Cluster 0: 1, 3 (mean 2, squares about it 2). Rest: 5, 7, 9 (mean 7, squares 8).
    # pooled variance (2 + 8) / (5 - 2) = 10/3; effect (2 - 7) / sqrt(10/3) = -2.7386
    found = profile(np.array([[1.0], [3], [5], [7], [9]]), np.array([0, 0, 1, 1, 1]))
    np.testing.assert_allclose(found.effects[:, 0], [-5 / np.sqrt(10 / 3), 5 / np.sqrt(10 / 3)])
    np.testing.assert_allclose(found.means[:, 0], [2, 7])
    np.testing.assert_allclose(found.rest_means[:, 0], [7, 2])


def test_effects_against_the_definition():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 6)) * [1, 1e-6, 1e6, 1, 1, 1] + [0, 1, 1e9, 5, 0, 0]
    labels = rng.integers(-1, 3, size=50)
    found = profile(X, labels)
    assert found.labels.tolist() == [-1, 0, 1, 2]
    for i, label in enumerate(found.labels):
        a, b = X[labels == label], X[labels != label]
        pooled = ((len(a) - 1) * a.var(axis=0, ddof=1) + (len(b) - 1) * b.var(axis=0, ddof=1)) / 48
        expected = (a.mean(axis=0) - b.mean(axis=0)) / np.sqrt(pooled)
        np.testing.assert_allclose(found.effects[i], expected, rtol=1e-5)


def test_effects_of_degenerate_columns():
    X = np.array([[1.0, 4.0, 0.1], [1, 4, 0.1], [2, 4, 0.1], [2, 4, 0.1]])
    effects = profile(X, np.array([0, 0, 1, 1])).effects
    assert effects[0, 0] == -np.inf  # different, and nothing varies within
    assert effects[0, 1] == effects[0, 2] == 0  # the same everywhere
    assert np.isnan(profile(X, np.zeros(4, dtype=int)).effects).all()  # no rest


def test_clusters_are_told_by_selected_features_only():
    # Feature 0 separates perfectly but is not selected; feature 2 is a weak sign.
    X = np.array([[0.0, 1, 5], [0, 2, 6], [9, 11, 5], [9, 12, 5.5]])
    summary = summarize(FakeModel([0, 0, 1, 1], [0, 2, 1]), X, feature_names=["off", "on", "weak"])
    first = summary["clusters"][0]
    assert [trait["feature"] for trait in first["traits"]] == ["on", "weak"]
    assert first["traits"][0]["direction"] == "lower"
    assert first["sentence"].startswith("2 rows (50%) with on lower (1.5 against 11.5 on average)")


def test_yes_no_features_are_told_in_shares():
    X = np.array([[1.0, 0.3], [1, 0.2], [0, 0.1], [1, 0.5], [0, 0.4], [0, 0.3]])
    summary = summarize(FakeModel([0, 0, 0, 1, 1, 1], [1, 0]), X, feature_names=["sex=f", "b"])
    assert "sex=f more often (67% against 33%)" in summary["clusters"][0]["sentence"]


def test_shares_of_none_and_all_have_no_sign():
    X = np.array([[0.0, 0.3], [0, 0.2], [0, 0.1], [1, 0.5], [1, 0.4], [1, 0.3], [1, 0.7]])
    summary = summarize(FakeModel([0, 0, 0, 1, 1, 1, 1], [1, 0]), X, feature_names=["f", "b"])
    trait = summary["clusters"][0]["traits"][0]
    assert (str(trait["mean"]), trait["rest_mean"]) == ("0.0", 1.0)
    assert "0% against 100%" in render(summary)
    assert "-0" not in render(summary).split("</style>")[1].split("<script")[0]


# The dict -----------------------------------------------------------------------------------


def test_summary_is_plain_json():
    summary = nasty_summary()
    text = json.dumps(summary, allow_nan=False)
    assert json.loads(text) == summary
    assert summary["search"]["best_fitness"] == [None, 1.0, 1.5]
    assert summary["settings"]["seed"] == 7
    assert "callbacks" not in summary["settings"]


def test_plain_knows_numpy_and_what_is_not_finite():
    given = {1: np.float64("nan"), "a": (np.int64(3), np.array([1.0, np.inf])), "b": np.bool_(True)}
    assert plain(given) == {"1": None, "a": [3, [1.0, None]], "b": True}
    assert plain(print) == "print"


def test_features_are_sorted_and_shares_sum_to_one():
    X = np.random.default_rng(0).normal(size=(6, 4))
    model = FakeModel([0, 0, 0, 1, 1, 1], [1, -5, 3, 0])
    features = summarize(model, X, relevant=[True, False, False, True])["features"]
    assert [entry["name"] for entry in features] == ["x2", "x0", "x1", "x3"]
    assert [entry["share"] for entry in features] == [0.75, 0.25, 0, 0]
    assert [entry["noise"] for entry in features] == [True, False, True, False]


def test_noise_share_by_hand():
    X = np.random.default_rng(0).normal(size=(6, 4))
    model = FakeModel([0, 0, 0, 1, 1, 1], [1, -5, 3, 0])
    noise = summarize(model, X, relevant=[True, False, False, True])["noise"]
    assert noise == {"n_columns": 2, "column_share": 0.5, "weight_share": 0.75}


def test_scores_leave_out_rows_without_a_class():
    X = np.random.default_rng(0).normal(size=(6, 2))
    scores = summarize(
        FakeModel([0, 0, 0, 1, 1, 1], [1, 1]), X, label=np.array([5, 5, -1, 8, 8, -1])
    )["scores"]
    assert scores["n_rows"] == 4
    assert scores["n_classes"] == 2
    assert scores["pair_f"] == scores["purity"] == scores["accuracy"] == 1


@pytest.mark.parametrize(
    ("labels", "attributes", "words"),
    [
        ([0] * 10 + [1] * 10, {}, "Only two clusters"),
        ([0] * 39 + [1], {}, "One cluster holds 98%"),
        ([0] * 20, {"fitness_": -np.inf}, "found no clustering"),
        (list(range(20)), {}, "20 clusters for 20 rows"),
        ([0] * 10 + [1] * 9 + [2], {}, "single row"),
        ([-1] * 15 + [0] * 3 + [1] * 2, {}, "15 of 20 rows are in no cluster"),
        ([0] * 10 + [1] * 10, {"feature_weights_": np.zeros(3)}, "No feature was selected"),
        ([0] * 10 + [1] * 10, {"feature_weights_": np.ones(3)}, "All weights are about equal"),
    ],
)
def test_warnings_in_plain_words(labels, attributes, words):
    X = np.random.default_rng(0).normal(size=(len(labels), 3))
    warnings = summarize(FakeModel(labels, [1, 2, 0], **attributes), X)["warnings"]
    assert words in " ".join(warnings)


def test_a_good_answer_has_no_warnings():
    X = np.random.default_rng(0).normal(size=(20, 3))
    assert summarize(FakeModel([0] * 7 + [1] * 7 + [2] * 6, [1, 2, 0]), X)["warnings"] == []


# The page -----------------------------------------------------------------------------------


class Page(HTMLParser):
    """Tags, attributes and text of a page; complains about tags that do not match."""

    VOID = ("meta", "br", "line", "path", "img", "link", "input")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_names_are_text_on_the_page():
    text = render(nasty_summary())
    page = Page(text)
    assert page.open == []
    names = [tag for tag, _ in page.tags]
    assert not {"img", "link", "iframe", "object", "form", "embed"} & set(names)
    assert names.count("script") == 2  # the summary, and the page's own script
    words = "".join(Page(text.split("<script ")[0] + "</body></html>").words)
    for name in NASTY:
        assert name in words


def test_page_needs_no_network_and_runs_only_its_own_scripts():
    text = render(nasty_summary())
    for tag, attributes in Page(text).tags:
        assert not {"src", "srcset", "action", "data"} & attributes.keys(), tag
        assert attributes.get("href", "#").startswith("#"), tag
        assert not any(name.startswith("on") for name in attributes), tag
    style = text[text.index("<style>") : text.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    assert "prefers-color-scheme: dark" in style
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    policy = policy.replace("&#39;", "'")
    assert policy.startswith("default-src 'none'")
    assert "unsafe-eval" not in policy
    assert "script-src 'sha256-" in policy
    for script in re.findall(r"<script>(.*?)</script>", text, re.S):
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_the_summary_in_the_page_cannot_end_its_element():
    summary = nasty_summary()
    island = render(summary).split('id="summary">')[1].split("</script>")[0]
    assert "<" not in island
    assert json.loads(island) == summary


def test_page_ids_are_unique_and_labels_point_at_them():
    tags = Page(render(nasty_summary())).tags
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in tags:
        if "aria-labelledby" in attributes:
            assert attributes["aria-labelledby"] in ids


@pytest.mark.parametrize(
    "attributes",
    [
        {"fitness_": -np.inf, "history_": {"generation": [1], "best_fitness": [-np.inf]}},
        {"feature_weights_": np.zeros(3)},
        {"feature_exponents_": np.array([1.0, 2.0, 3.0])},
        {"labels_": np.full(12, -1), "n_clusters_": 0},
        {"labels_": np.zeros(12, dtype=int), "n_clusters_": 1},
        {"labels_": np.arange(12), "n_clusters_": 12},
    ],
)
def test_page_of_a_degenerate_answer_is_whole(attributes):
    model = FakeModel([0] * 6 + [1] * 6, [1, 2, 0], **attributes)
    model.history_.setdefault("mean_fitness", [np.nan])
    X = np.random.default_rng(0).normal(size=(12, 3))
    summary = summarize(model, X)
    assert Page(render(summary)).open == []
    show_result(summary, Console(file=io.StringIO()))


def test_page_of_a_large_answer_is_small_and_quick():
    """20,000 rows of 1,000 features: under 3 MB and under 10 s."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 1_000))
    model = FakeModel(rng.integers(0, 12, size=20_000).tolist(), rng.uniform(size=1000))
    model.cluster_feature_weights_ = rng.uniform(size=(12, 1000))
    began, worked = time.perf_counter(), time.process_time()
    made = report(model, X)
    # A machine that is busy with other things must not fail this: the work is what counts.
    assert min(time.perf_counter() - began, time.process_time() - worked) < 10
    assert len(made.html.encode()) < 3_000_000
    assert Page(made.html).open == []


# The figures --------------------------------------------------------------------------------


def test_names_are_text_in_figures():
    """Plotly takes tags, entities and %{...} in labels for markup, unless they are escaped."""
    text = plots._text("<b>a</b> %{x} &lt;", 80, template=True)
    assert text == "\u2068&lt;b&gt;a&lt;/b&gt; &#37;{x} &amp;lt;\u2069"
    assert len(plots._text("n" * 300, 24)) == 26
    for draw in (plots.weights, plots.profile, plots.map):
        found = draw(nasty_summary()).to_json()
        assert "<script>" not in found.replace("\\u003c", "<")


def test_figures_show_what_the_summary_says():
    summary = nasty_summary()
    bars = plots.weights(summary).data[0]
    assert list(bars.x)[::-1] == [f["share"] for f in summary["features"]]
    assert sum(len(trace.x) for trace in plots.map(summary).data) == 30
    assert np.shape(plots.profile(summary).data[0].z) == (10, 2)
    assert [trace.name for trace in plots.convergence(summary).data][:2] == [
        "best so far",
        "mean of the swarm",
    ]
    assert plots.heatmap(summary) is None


def test_two_names_cut_to_the_same_text_stay_two_bars():
    X = np.random.default_rng(0).normal(size=(6, 2))
    names = ["n" * 100 + "1", "n" * 100 + "2"]
    summary = summarize(FakeModel([0, 0, 0, 1, 1, 1], [1, 2]), X, feature_names=names)
    assert len(set(plots.weights(summary).data[0].y)) == 2


def test_without_rows_the_page_says_less_and_is_whole():
    summary = summarize(FakeModel([0, 0, 1, 1, -1], [1, 2, 0]))
    assert summary["map"] is summary["silhouette"] is summary["profile"] is None
    assert [c["size"] for c in summary["clusters"]] == [1, 2, 2]
    text = render(summary)
    assert Page(text).open == []
    assert "was made without the rows" in text


def test_rows_that_are_not_those_of_the_fit_are_refused():
    with pytest.raises(ValueError, match=r"fitted on 4 rows of 3 columns"):
        summarize(FakeModel([0, 0, 1, 1], [1, 2, 0]), np.ones((5, 3)))


def test_map_keeps_learned_distances_in_two_dimensions():
    # Two features with weights 2 and 1, the third dropped: the map is a rotation of (2x, y), so
    # that distances between mapped rows are those of (2x, y).
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 3))
    found = summarize(FakeModel([0] * 6 + [1] * 6, [2, 1, 0]), X)["map"]
    mapped = np.column_stack([found["x"], found["y"]])
    learned = X[:, :2] * [2, 1]
    for i, j in ((0, 1), (3, 9), (5, 11)):
        expected = np.linalg.norm(learned[i] - learned[j])
        assert np.linalg.norm(mapped[i] - mapped[j]) == pytest.approx(expected, rel=2e-3)
    assert sum(found["explained"]) == pytest.approx(1)


def test_silhouette_by_hand():
    # One feature, rows 0, 1 | 10, 12. Row 0: a = 1, b = (10 + 12) / 2 = 11: (11 - 1) / 11.
    # Row 1: a = 1, b = 10: 0.9. Row 10: a = 2, b = 9.5: 7.5 / 9.5. Row 12: a = 2, b = 11.5.
    X = np.array([[0.0], [1], [10], [12]])
    found = summarize(FakeModel([0, 0, 1, 1], [1]), X)["silhouette"]
    np.testing.assert_allclose(found["widths"][0], [10 / 11, 0.9], rtol=1e-3)
    np.testing.assert_allclose(found["widths"][1], [9.5 / 11.5, 7.5 / 9.5], rtol=1e-3)


def test_direction_of_a_name_ends_with_the_name():
    X = np.array([[0.0, 1], [0.1, 2], [9, 1], [9.1, 2]])
    names = ["מספר \u202eevil", "b"]
    summary = summarize(FakeModel([0, 0, 1, 1], [1, 1]), X, feature_names=names)
    assert f"\u2068{names[0]}\u2069 lower" in summary["clusters"][0]["sentence"]


@pytest.mark.parametrize(
    ("attributes", "params", "X", "words"),
    [
        ({}, {"max_clusters": 3}, None, "the maximum allowed (max_clusters=3)"),
        ({}, {}, np.array([1.0, 1e4, 1]), "'x1' varies"),
    ],
)
def test_more_warnings(attributes, params, X, words):
    rows = np.random.default_rng(0).normal(size=(21, 3)) * (1 if X is None else X)
    model = FakeModel([0] * 7 + [1] * 7 + [2] * 7, [1, 2, 3], **attributes)
    model.get_params = lambda deep=True: params
    assert words in " ".join(summarize(model, rows)["warnings"])


# Every estimator ----------------------------------------------------------------------------


def test_every_clusterer_has_a_page(any_clusterer, fitted, three_groups):
    model = fitted(any_clusterer)
    made = report(model, three_groups)
    assert Page(made.html).open == []
    assert made.summary["result"]["n_clusters"] == len(set(model.labels_.tolist()) - {-1})
    assert made.summary["map"] is not None
    assert Page(render(summarize(model))).open == []
    out = io.StringIO()
    show_result(made.summary, Console(file=out))
    assert "clusters" in out.getvalue()


def test_every_clusterer_reports_saves_and_shows_itself(
    any_clusterer, fitted, three_groups, tmp_path
):
    model = fitted(any_clusterer)
    made = model.report(three_groups, path=tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == made.html
    model.save(tmp_path / "m.weft", X=three_groups)
    back = weft.load(tmp_path / "m.weft")
    assert back.report().summary == {**made.summary, "warnings": made.summary["warnings"]}
    shown = model._repr_mimebundle_()["text/html"]
    assert "weft-answer" in shown
    assert f"{made.summary['result']['n_clusters']} clusters" in shown


def test_a_kept_summary_is_not_used_for_another_answer(fitted, three_groups, tmp_path):
    model = fitted("WeightedKMeans")
    model.save(tmp_path / "m.weft", X=three_groups)
    back = weft.load(tmp_path / "m.weft")
    assert back.report().summary["map"] is not None
    assert back.set_params(n_clusters=2).fit(three_groups).report().summary["map"] is None


def test_plots_return_figures_or_say_what_they_need(fitted, three_groups):
    model = fitted("ProjectedSwarm")
    for name in weft.plot.__all__:
        assert getattr(weft.plot, name)(model, three_groups).data
    for name in ("map", "silhouette", "profile"):
        with pytest.raises(ValueError, match="give X"):
            getattr(weft.plot, name)(model)
    with pytest.raises(ValueError, match="no search to show"):
        weft.plot.convergence(fitted("WeightedKMeans"))
    with pytest.raises(ValueError, match="no weights per cluster"):
        weft.plot.heatmap(fitted("FeatureSwarm"))


def test_stability_of_clear_groups_is_one(fitted, three_groups):
    found = summarize(fitted("WeightedKMeans"), three_groups, stability=2)["stability"]
    assert found["agreement"] == [1, 1]
    assert found["n_clusters"] == [3, 3]


def test_sparse_rows_have_a_page(fitted, three_groups):
    model = fitted("ProjectedSwarm", sparse.csr_array(three_groups), metric="jaccard")
    assert report(model, sparse.csr_array(three_groups)).summary["map"] is not None


def test_rows_with_gaps_have_a_page(three_groups):
    rows = three_groups.copy()
    rows[::7, 2] = np.nan
    model = weft.WeightedKMeans(3, allow_nan=True, random_state=0).fit(rows)
    summary = report(model, rows).summary
    assert summary["map"] is not None
    assert summary["profile"] is not None


def test_notebooks_show_names_as_text(three_groups):
    import pandas as pd

    frame = pd.DataFrame(three_groups, columns=NASTY[:4])
    shown = snippet(weft.WeightedKMeans(3, random_state=0).fit(frame))
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown
    framed = weft.WeightedKMeans(3, random_state=0).fit(frame)
    assert "<script" not in report(framed, frame)._repr_html_()


# The terminal -------------------------------------------------------------------------------


def test_names_cannot_steer_the_terminal():
    summary = nasty_summary()
    out = io.StringIO()
    console = Console(file=out, width=120)
    show_columns(summary, console)
    show_result(summary, console)
    show_warnings(summary["warnings"], console)
    text = out.getvalue()
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert "[bold red]markup[/]" in text  # shown, not obeyed
    assert "n" * 300 not in text.split("note:")[0]
    assert "F 0.9" in text


def test_long_lists_are_cut_in_the_terminal():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 100))
    summary = summarize(FakeModel((np.arange(400) % 40).tolist(), rng.uniform(1, 2, size=100)), X)
    out = io.StringIO()
    show_result(summary, Console(file=out, width=80))
    assert "28 smaller ones" in out.getvalue()
    assert "90 more selected" in out.getvalue()
    assert len(out.getvalue().splitlines()) < 70
