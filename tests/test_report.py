"""Summary, terminal and page: effects by hand, plain JSON, text that stays text."""

from __future__ import annotations

import io
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from rich.console import Console

from weft.report.html import chart, render, ticks
from weft.report.profile import profile
from weft.report.summary import plain, summarize
from weft.report.terminal import show_columns, show_result, show_warnings

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
    assert "-0" not in render(summary).split("</style>")[1]


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
        ([0] * 20, {"fitness_": -np.inf}, "no usable grouping"),
        (list(range(20)), {}, "20 clusters for 20 rows"),
        ([0] * 10 + [1] * 9 + [2], {}, "single row"),
        ([-1] * 15 + [0] * 3 + [1] * 2, {}, "15 of 20 rows are in no cluster"),
        ([0] * 10 + [1] * 10, {"feature_weights_": np.zeros(3)}, "No feature was selected"),
        ([0] * 10 + [1] * 10, {"feature_weights_": np.ones(3)}, "All weights are alike"),
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

    VOID = ("meta", "br", "line", "path", "img", "link")

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
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "img", "link", "iframe", "object", "form"}
    words = "".join(page.words)
    for name in NASTY:
        assert name in words
    assert "49" not in re.findall(r"\b49\b", words)  # {{ 7 * 7 }} was not evaluated


def test_page_needs_no_network_and_runs_nothing():
    text = render(nasty_summary())
    for tag, attributes in Page(text).tags:
        assert not {"src", "href", "srcset", "action", "data"} & attributes.keys(), tag
        assert not any(name.startswith("on") for name in attributes), tag
    style = text[text.index("<style>") : text.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    assert "prefers-color-scheme: dark" in style
    assert "default-src 'none'" in text


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


def test_page_of_a_wide_answer_is_small_and_quick():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 1000))
    model = FakeModel(rng.integers(0, 60, size=2000).tolist(), rng.normal(size=1000))
    text = render(summarize(model, X))
    assert len(text) < 1_000_000
    assert Page(text).open == []


def test_chart_leaves_gaps_and_stays_in_its_box():
    drawn = chart([1, 2, 3, 4], [("best", "best", [None, 1.0, None, 3.0])])
    assert drawn["lines"][0]["path"].count("M") == 2
    numbers = [float(n) for n in re.findall(r"[\d.]+", drawn["lines"][0]["path"])]
    assert all(0 <= x <= drawn["width"] for x in numbers[::2])
    assert all(0 <= y <= drawn["height"] for y in numbers[1::2])
    assert chart([1], [("best", "best", [None])]) is None
    assert chart([1], [("best", "best", [2.0])]) is not None  # one generation


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.25, 0.5, 0.75, 1]),
        (0.2, 0.55, [0.2, 0.3, 0.4, 0.5, 0.6]),
        (-3, 9, [-5, 0, 5, 10]),
        (2, 2, [2]),
    ],
)
def test_ticks_are_round_and_cover(low, high, expected):
    np.testing.assert_allclose(ticks(low, high), expected)


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
