"""A summary as a whole, of seven rows whose numbers can be worked out by hand; and its parts."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from weft.answers.views import ColumnView
from weft.reporting.drawn import _are_counts, _named, filled
from weft.reporting.facts import Facts
from weft.reporting.given_labels import GivenClustering, read_labels
from weft.reporting.html import _heat, _sure_by_label
from weft.reporting.profile import binary_columns, sentence_of_name
from weft.reporting.snippet import snippet
from weft.reporting.summary import summarize


class Fitted:
    method_name = "fake"
    n_features_in_ = 2
    labels_ = np.array([0, 0, 0, 1, 1, 1, -1])
    feature_weights_ = np.array([3.0, 1.0])
    fitness_, n_iter_ = 0.5, 7
    history_ = {"best_fitness": np.array([0.25, 0.5])}  # noqa: RUF012 - never changed

    def get_params(self, deep=True):
        return {"n_clusters": 2, "random_state": 3}


X = np.array([[0.0, 0], [0, 2], [0, 1], [4, 0], [4, 2], [4, 1], [2, 5]])


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return round(value, 3) + 0.0 if isinstance(value, float) else value


def trait(feature, direction, effect, mean, rest_mean):
    return {
        "feature": feature, "direction": direction, "effect": effect, "mean": mean,
        "rest_mean": rest_mean, "binary": False,
    }  # fmt: skip


def cluster(label, size, traits, sentence, title, *conditions):
    rule = {"conditions": list(conditions), "precision": 1.0, "coverage": 1.0, "held_out": False}
    return {
        "label": label, "name": "no cluster" if label == -1 else f"cluster {label}", "size": size,
        "share": round(size / 7, 3), "traits": traits, "sentence": sentence, "title": title,
        **({"rule": rule} if conditions else {}),
    }  # fmt: skip


def test_a_summary_of_seven_rows():
    found = summarize(
        Fitted(), X, feature_names=["a", "b"], label=np.array([0, 0, 0, 1, 1, -1, 0]),
        relevant=[True, False], seconds={"fit": 1.5},
    )  # fmt: skip
    versions = found.pop("versions")
    assert {"weft", "python", "numpy"} <= set(versions)
    fingerprint = found["result"].pop("fingerprint")
    assert len(fingerprint) == 16
    found = rounded(found)
    distributions = found.pop("distributions")
    assert found == {
        "schema": 2,
        "data": {"name": "data", "n_rows": 7, "n_rows_used": 7, "n_columns": 2, "n_features": 2},
        "columns": [],
        "settings": {"method": "fake", "n_clusters": 2, "seed": 3},
        "seconds": {"fit": 1.5},
        "result": {
            "n_clusters": 2, "n_clusters_given": True, "n_unassigned": 1, "n_selected": 2,
            "has_weights": True, "weights_are_measured": False, "fitness": 0.5,
            "n_generations": 7, "verdict": None,
        },
        "certainty": {
            "probability": None, "of": "right", "agreement": None, "share": 0.7,
            "by_cluster": None, "for": [], "against": [],
        },
        # Effects: differences of means over the pooled deviation. Of "b" in row 7 it is
        # (5 - 1) / √(4 / 5); of "a" in cluster 0 (0 - 3.5) / √(3 / 5), of "b" (1 - 2) / √(16 / 5).
        "clusters": [
            cluster(-1, 1, [trait("b", "higher", 4.472, 5.0, 1.0)],
                    "1 row (14%) in no cluster: b higher (5.00 against 1.00 on average).", ""),
            cluster(0, 3, [trait("a", "lower", -4.518, 0.0, 3.5),
                           trait("b", "lower", -0.559, 1.0, 2.0)],
                    "3 rows (43%) with a lower (0.00 against 3.50 on average), b lower (1.00 "
                    "against 2.00 on average).", "low a, medium b", "a ≤ 1"),
            cluster(1, 3, [trait("a", "higher", 4.518, 4.0, 0.5),
                           trait("b", "lower", -0.559, 1.0, 2.0)],
                    "3 rows (43%) with a higher (4.00 against 0.50 on average), b lower (1.00 "
                    "against 2.00 on average).", "high a, medium b", "a > 3"),
        ],
        "profile": {
            "labels": [-1, 0, 1], "features": ["a", "b"],
            "effects": [[0.0, 4.472], [-4.518, -0.559], [4.518, -0.559]],
        },
        "markers": [],
        # In the learned metric "b" is divided by √3: 24 of 24 + 17.71 / 3 is in the direction "a".
        "map": {
            "x": [2.0, 2.0, 2.0, -2.0, -2.0, -2.0, 0.0],
            "y": [-0.907, 0.247, -0.33, -0.907, 0.247, -0.33, 1.979],
            "label": [0, 0, 0, 1, 1, 1, -1], "row": [1, 2, 3, 4, 5, 6, 7],
            "explained": [0.803, 0.197], "n_rows": 7, "features": ["a", "b"],
            "values": X.tolist(),
        },
        # Row 1: 0.866 from the others of its cluster, 4.068 from those of the other.
        "silhouette": {
            "labels": [0, 1], "widths": [[0.857, 0.787, 0.787]] * 2, "mean": 0.81,
            "negative": 0.0, "n_rows": 6, "n_rows_all": 6,
        },
        "rows": {
            "n_rows": 7, "row": [1, 2, 3, 4, 5, 6, 7], "label": [0, 0, 0, 1, 1, 1, -1],
            "next": [1, 1, 1, 0, 0, 0, 0],
            "sure": [0.79, 0.79, 0.86, 0.79, 0.79, 0.86, None],
            # The farthest rows are 4.16, 4.04 and 3.51 away; 4.16 is usual.
            "odd": [1.0, 1.0, 0.97, 1.0, 1.0, 0.97, 0.84],
            "columns": [
                {"name": name, "kind": "number", "unit": "", "levels": []} for name in "ab"
            ],
            "values": [[0, 0, 0, 4, 4, 4, 2], [0, 2, 1, 0, 2, 1, 5]],
            "typical": [{"label": 0, "rows": [3, 1, 2]}, {"label": 1, "rows": [6, 4, 5]}],
            "doubtful": [], "odd_rows": [],
        },
        "candidates": [], "walk": None, "alternatives": [],
        "features": [
            {"name": "a", "weight": 3.0, "share": 0.75, "selected": True, "noise": False},
            {"name": "b", "weight": 1.0, "share": 0.25, "selected": True, "noise": True},
        ],
        "cluster_weights": None,
        "search": {"best_fitness": [0.25, 0.5]},
        "stability": None,
        "scores": {
            "label": None, "n_classes": 2, "n_rows": 6, "pair_f": 0.756, "purity": 1.0,
            "ari": 0.587, "ami": 0.668, "accuracy": 0.833,
        },
        "noise": {"n_columns": 1, "column_share": 0.5, "weight_share": 0.25},
        "warnings": [
            "Each cluster is one value of 'a': the clusters add nothing to that column. "
            "To find groups in the other columns, leave it out."
        ],
    }  # fmt: skip
    assert distributions["labels"] == [-1, 0, 1]
    a, b = distributions["columns"]
    assert a["edges"] == rounded(np.linspace(0.0, 4.0, 17).tolist())
    assert (a["all"][0], a["all"][8], a["all"][15], sum(a["all"])) == (
        *(0.429, 0.143, 0.429, pytest.approx(1.001)),
    )
    assert [row.index(1) for row in a["clusters"]] == [8, 0, 15]
    assert a["typical"] == [[2, 2, 2], [0, 0, 0], [4, 4, 4]]
    assert b["typical"] == [[5, 5, 5], [0.5, 1, 1.5], [0.5, 1, 1.5]]


def test_a_summary_without_rows():
    found = rounded(summarize(Fitted()))
    assert [found[key] for key in ("profile", "map", "silhouette", "scores", "noise")] == [None] * 5
    assert "rows" not in found
    assert found["clusters"] == [
        {"label": label, "name": name, "size": size, "share": share, "traits": [],
         "sentence": sentence}
        for label, name, size, share, sentence in [
            (-1, "no cluster", 1, 0.143, "1 row (14%)."),
            (0, "cluster 0", 3, 0.429, "3 rows (43%)."),
            (1, "cluster 1", 3, 0.429, "3 rows (43%)."),
        ]
    ]  # fmt: skip
    assert [entry["name"] for entry in found["features"]] == ["x0", "x1"]


# Names and rules ----------------------------------------------------------------------------------


def facts(**changes):
    made = Facts(
        labels=Fitted.labels_, n_clusters=2, names=["a", "b"], weights=np.array([3.0, 1.0]),
        has_weights=True, selected=np.ones(2, bool), exponents=None, cluster_weights=None,
        history={}, fitness=None, n_iter=None, params={},
    )  # fmt: skip
    return made._replace(**changes)


def name_of(model, *, told=None, names=None, own=True, traits=("t",)):
    entries = [
        {"label": label, "size": 3, "share": 0.5, "traits": list(traits), "sentence": "old"}
        for label in (0, 1)
    ]
    views = [ColumnView(name, "number", X[:, j]) for j, name in enumerate("ab")]
    return _named(model, entries, views, Fitted.labels_, told or facts(), np.arange(2), names, own)


def rule(k, conditions):
    return SimpleNamespace(cluster=k, conditions=conditions, precision=0.5, coverage=0.25,
                           held_out=True)  # fmt: skip


def test_names_and_rules_of_the_model_itself():
    model = SimpleNamespace(
        cluster_names_={0: "zero", 1: "one"}, rules_=[rule(0, [{"text": "a < 5"}]), rule(1, [])]
    )
    first, second = name_of(model)
    assert first["title"] == "zero"
    assert first["rule"] == {
        "conditions": ["a < 5"], "precision": 0.5, "coverage": 0.25, "held_out": True
    }  # fmt: skip
    assert (second["title"], "rule" in second) == ("one", False)
    # In other words than those of the model, or without rules, both are found again.
    for entries in (name_of(model, own=False), name_of(SimpleNamespace(cluster_names_={0: "z"}))):
        assert entries[0]["title"] == "low a, medium b"
        assert entries[0]["rule"]["conditions"] == ["a ≤ 1"]


def test_names_that_are_given_and_columns_without_weight():
    first, second = name_of(SimpleNamespace(), names={1: "mine"}, own=False)
    assert (first["title"], second["title"]) == ("low a, medium b", "mine")
    for told in (
        facts(weights=np.array([0.0, 1.0])),
        facts(selected=np.array([False, True])),
    ):
        assert "a" not in name_of(SimpleNamespace(), told=told)[0]["title"].split()
    none = name_of(SimpleNamespace(), told=facts(weights=np.zeros(2)))
    assert [(entry["title"], "rule" in entry) for entry in none] == [("", False)] * 2
    # Without traits the sentence has the name; a single cluster has neither.
    assert name_of(SimpleNamespace(), traits=())[0]["sentence"] == (
        "3 rows (50%) with low a, medium b."
    )
    assert name_of(SimpleNamespace())[0]["sentence"] == "old"
    alone = [{"label": 0}]
    assert _named(None, alone, [], Fitted.labels_, facts(), np.arange(2), None, False) is alone
    assert alone == [{"label": 0}]
    assert sentence_of_name({"sentence": "old", "size": 1, "share": 0.5}, "") == "old"


def test_counts_are_whole_numbers_from_0():
    model = SimpleNamespace(counts=True)
    counted = [[[0.0, 1.0]], [[0.5]], [[-1.0]], [[3.0]], [[0.5], [1.0]]]
    assert [_are_counts(model, np.array(values)) for values in counted] == [
        *(True, False, False, True, False),
    ]
    assert not _are_counts(SimpleNamespace(counts=False), np.zeros((1, 1)))
    assert not _are_counts(SimpleNamespace(), np.zeros((1, 1)))


def test_gaps_in_one_column():
    rows = np.array([[1.0, np.nan], [3.0, 4.0]])
    assert filled(rows).tolist() == [[1.0, 4.0], [3.0, 4.0]]


def test_columns_of_0_and_1():
    late = np.zeros((150, 3))
    late[120, 1] = 2.0
    late[:, 2] = np.arange(150) % 2
    assert binary_columns(late).tolist() == [True, False, True]
    assert binary_columns(np.array([[0.5], [1.0]])).tolist() == [False]


# Labels, notebooks, heat maps ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "numbers", "names"),
    [
        ([1, 0, -5], [1, 0, -1], {}),
        ([-1, -2, -1], [-1, -1, -1], {}),
        ([0.0, np.nan, 1.0], [0, -1, 1], {}),
        ([2, 5, 2], [0, 1, 0], {0: "2", 1: "5"}),
        ([10, 9, -1], [1, 0, -1], {0: "9", 1: "10"}),
        ([True, False, True], [1, 0, 1], {}),
        ([" b ", "Noise", "a"], [1, -1, 0], {0: "a", 1: "b"}),
        # Numbers as text, as a file of labels has them.
        (["1", "0", "-1"], [1, 0, -1], {}),
        (["10", "9", "9"], [1, 0, 0], {0: "9", 1: "10"}),
        (["01", "0", "0"], [1, 0, 0], {0: "0", 1: "01"}),
        (["", None, np.nan], [-1, -1, -1], {}),
    ],
)
def test_labels_of_programs(given, numbers, names):
    values = np.array(given, dtype=object) if isinstance(given[0], str) else given
    found = read_labels(values, 3)
    assert (found.numbers.tolist(), found.names) == (numbers, names)


def test_given_clusterings_have_measured_weights():
    rows = np.column_stack([np.repeat([0.0, 9.0], 20), np.arange(40) % 2])
    made = GivenClustering(np.repeat([0, 1], 20), rows, None, "m", {"k": 2})
    assert made.feature_weights_.tolist() == [1.0, 0.0]
    assert made.get_support().tolist() == [True, False]
    assert (made.n_features_in_, made.method_name, made.get_params()) == (2, "m", {"k": 2})
    made.owner = np.array([1, 0, 0])
    assert made.feature_weights_.tolist() == [0.0, 1.0, 1.0]


def test_whole_snippets():
    model = SimpleNamespace(
        labels_=np.array([0, 1, 1, -1, -1, -1]), feature_weights_=np.array([0.0, 3.0, 1.0]),
        feature_names_in_=["a", "<b>", "c"], cluster_names_={1: "big", 0: "small"},
        verdict_="Two & more.", get_params=lambda deep: {},
    )  # fmt: skip
    cell = '<tr><td><bdi>{}</bdi></td><td style="text-align:right">{}</td></tr>'
    assert snippet(model) == (
        '<div class="weft-answer"><p><strong>2 clusters of 6 rows</strong> (rows in each: none: 3, '
        "1: 2, 0: 1)</p><ul><li>1: <bdi>big</bdi></li><li>0: <bdi>small</bdi></li></ul>"
        "<p>Two &amp; more.</p><table><caption>2 of 3 features; share of the weight</caption>"
        f"<tbody>{cell.format('&lt;b&gt;', '75.0%')}{cell.format('c', '25.0%')}</tbody></table>"
        "</div>"
    )
    one = SimpleNamespace(
        labels_=np.zeros(3, int), n_features_in_=2, cluster_names_={0: "n"}, verdict_="None.",
        get_params=lambda deep: {},
    )  # fmt: skip
    assert snippet(one) == (
        '<div class="weft-answer"><p><strong>no clusters in 3 rows</strong></p><p>None.</p></div>'
    )
    many = SimpleNamespace(
        labels_=np.arange(3), feature_weights_=np.ones(9), get_params=lambda deep: {}
    )
    assert snippet(many).count("<tr>") == 8


def test_parts_of_a_page():
    silhouettes = {"labels": [0, 2], "widths": [[0.5, 0.25], [1.0]]}
    assert _sure_by_label({"silhouette": silhouettes}) == {0: 0.375, 2: 1.0}
    assert _sure_by_label({"silhouette": None}) == {}
    for n, is_many in ((14, False), (15, True)):
        effects = {"labels": list(range(n)), "features": ["a"], "effects": [[0.5]] * n}
        assert _heat({"profile": effects})["many"] is is_many
