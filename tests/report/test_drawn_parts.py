"""Cells, badges, plots and lists of a report, from summaries written by hand."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

import weft
from weft.columns.profile import Profile
from weft.reporting import plots, told
from weft.reporting.any_clustering import _read
from weft.reporting.compared_files import as_numbers
from weft.reporting.drawn import (
    LARGEST,
    N_SHOWN,
    Compared,
    _are_counts,
    _by_importance,
    _profile,
    _shown,
    _soft,
    filled,
)
from weft.reporting.html import _cell, _cluster_class, _heat, _island, _numbers, _templates
from weft.reporting.told import PERFECT


@pytest.mark.parametrize(
    ("effect", "cell"),
    [
        (0.5, {"way": "u", "text": "+0.5", "words": "+0.5"}),
        (-0.5, {"way": "d", "text": "−0.5", "words": "−0.5"}),
        (PERFECT, {"way": "u", "text": "↑all", "words": "perfectly above the rest"}),
        (-PERFECT, {"way": "d", "text": "↓all", "words": "perfectly below the rest"}),
    ],
)
def test_effects_as_cells(effect, cell):
    found = _cell(effect)
    depth = int(found.pop("depth").removesuffix("%"))
    assert found == cell
    assert (depth == 75) is (abs(effect) == PERFECT)


def test_the_depth_of_a_colour():
    # Half of the strongest effect, 4, has half of the depth, 62 %; beyond it nothing is deeper.
    assert [_cell(effect)["depth"] for effect in (0.0, 2.0, -2.0, 4.0, 8.0, PERFECT)] == [
        *("0%", "31%", "31%", "62%", "62%", "75%")
    ]


def test_clusters_of_a_heat_map_are_in_order_and_none_is_last():
    found = _heat(
        {"profile": {"labels": [-1, 1, 0], "features": ["a"], "effects": [[3.0], [2.0], [1.0]]}}
    )
    assert found["labels"] == [0, 1, -1]
    assert [cell["text"] for cell in found["rows"][0]["cells"]] == ["+1.0", "+2.0", "+3.0"]
    assert _heat({"profile": None}) is None


def test_badges():
    assert _cluster_class(-1) == "cn"
    assert _cluster_class(0) == "c0 s0"
    assert _cluster_class(13) == "c3 s1"
    assert _cluster_class(40) == "c0 s0"


def test_numbers_near_the_answer():
    none = {"for": [], "against": []}
    candidates = [{"n_clusters": k, "reasons": none} for k in range(1, 12)]
    found = _numbers({"result": {"n_clusters": 5}, "candidates": candidates})
    near = [one["n_clusters"] for one in found["near_numbers"]]
    far = [one["n_clusters"] for one in found["far_numbers"]]
    assert sorted(near + far) == list(range(1, 12))
    assert near == list(range(near[0], near[-1] + 1))
    assert 5 - near[0] == near[-1] - 5 == min(abs(k - 5) for k in far) - 1
    assert not found["has_reasons"]
    candidates[3]["reasons"] = {"for": [], "against": ["one cluster is small"]}
    assert _numbers({"result": {"n_clusters": 5}, "candidates": candidates})["has_reasons"]


def test_json_in_a_page_ends_no_element():
    text = str(_island({"a": "</script><!--&\u2028"}))
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"a": "</script><!--&\u2028"}


def _summary(**changes):
    summary = {
        "result": {"n_clusters": 2, "n_selected": 3, "n_unassigned": 4},
        "data": {"n_rows_used": 1234, "n_features": 5},
        "certainty": {"probability": 0.875, "agreement": 0.5, "share": 0.7},
        "stability": {"agreement": [0.9, 0.5], "pairs": [0.2, 0.4], "null": [0.1]},
        "silhouette": {"mean": 0.25, "negative": 0.05},
        "scores": {"ari": 0.5, "purity": 1.0},
    }
    return {**summary, **changes}


def test_numbers_that_a_report_tells():
    found = told.told_numbers(_summary())
    assert found["n_rows"] == "1,234"
    assert (found["n_clusters"], found["n_selected"], found["n_unassigned"]) == ("2", "3", "4")
    assert (found["probability"], found["agreement"], found["share"]) == ("88%", "0.50", "70%")
    assert (found["refits"], found["worst_refit"]) == ("0.70", "0.50")
    assert (found["pairs"], found["null"]) == ("0.30", "0.10")
    assert (found["silhouette"], found["negative"]) == ("0.25", "5.0%")
    assert (found["ari"], found["purity"], found["ami"]) == ("0.500", "1.000", "")
    nothing = told.told_numbers(
        _summary(certainty=None, stability=None, silhouette=None, scores=None)
    )
    assert {nothing[key] for key in ("probability", "refits", "worst_refit", "pairs", "ari")} == {
        ""
    }
    assert nothing["negative"] == "–"


def test_no_clusters_found():
    for count, verdict, answer in (
        (0, None, True),
        (1, "none", True),
        (1, None, False),
        (2, "x", False),
    ):
        assert told.none_found({"result": {"n_clusters": count, "verdict": verdict}}) is answer


def test_silhouettes_are_drawn_one_below_the_other():
    found = {"labels": [0, 1], "widths": [[0.5, 0.1], [0.3]], "mean": 0.3, "n_rows": 3}
    figure = plots.silhouette({"silhouette": found})
    first, second = figure.data
    assert list(first.x) == [0, 0.5, 0.1, 0]
    assert list(first.y) == [-0.5, 0.0, 1.0, 1.5]
    assert list(second.y) == [2.5, 3.0, 3.5]  # a gap of one row
    assert list(figure.layout.yaxis.tickvals) == [1.0, 3.5]
    assert figure.layout.shapes[0].x0 == 0.3
    many = plots.silhouette({"silhouette": {**found, "n_rows": 200}})
    assert list(many.data[1].y) == [5.5, 6.0, 6.5]  # 2 % of the rows
    assert plots.silhouette({"silhouette": None}) is None


def test_the_search_is_drawn_in_as_many_panels_as_it_has():
    search = {"best_fitness": [1.0, 2.0], "mean_fitness": [0.5, 1.0], "n_features": [3, 2]}
    figure = plots.convergence({"search": search})
    assert [trace.name for trace in figure.data] == [
        *("best so far", "mean of the swarm", "features kept")
    ]
    assert [list(trace.y) for trace in figure.data] == [[1.0, 2.0], [0.5, 1.0], [3, 2]]
    assert [trace.showlegend for trace in figure.data] == [True, True, False]
    assert list(figure.data[0].x) == [1, 2]
    assert figure.layout.height == 160 + 130 * 2
    whole = plots.convergence({"search": {**search, "n_clusters": [4, 4]}})
    assert whole.layout.height == 160 + 130 * 3
    assert plots.convergence({"search": {"best_fitness": [None]}}) is None
    assert plots.convergence({"search": {}}) is None


def test_labels_of_files_as_numbers():
    assert as_numbers([0, 2.0, -7, None]).tolist()[:3] == [0, 2, -1]
    assert as_numbers(["3", "1", ""]).tolist()[:2] == [3, 1]
    # Too large for a number, so labels are texts: "1", then "1000…".
    assert as_numbers([10**400, 1, 10**400]).tolist() == [1, 0, 1]
    assert as_numbers([2**53 - 1, 0]).tolist() == [2**53 - 1, 0]
    assert as_numbers([2**53, 0]).tolist() == [1, 0]
    assert as_numbers(["b", "a"]).tolist() == [1, 0]
    assert as_numbers([0.5, 1.0]).tolist() == [0, 1]  # not whole: names
    assert as_numbers([2.0**53, 1.0]).tolist() == [1, 0]  # too large to be told apart
    missing = as_numbers(["a", None, float("nan"), ""])
    assert len(set(missing[1:].tolist())) == 1
    assert missing[1] < -1


def test_models_of_counts():
    told_so, not_told = weft.AutoCluster(counts=True), weft.AutoCluster()
    assert _are_counts(told_so, np.array([[0.0, 2.0]]))
    assert not _are_counts(told_so, np.array([[0.5, 2.0]]))
    assert not _are_counts(told_so, np.array([[-1.0, 2.0]]))
    assert not _are_counts(not_told, np.array([[0.0, 2.0]]))


def test_rows_of_a_foreign_clustering():
    rows, table, plan, names = _read(np.ones((2, 2)), None)
    assert (table, plan, names) == (None, None, ["x0", "x1"])
    assert rows.shape == (2, 2)
    for wrong in (np.ones((1, 2)), np.ones(3), np.ones((2, 2, 2))):
        with pytest.raises(ValueError, match="at least 2 rows"):
            _read(wrong, None)
    with pytest.raises(ValueError, match="infinite"):
        _read(np.array([[np.inf], [1.0]]), None)


@pytest.mark.parametrize(("n_moved", "words"), [(200, ""), (201, " and 1 more")])
def test_rows_that_moved_are_listed(n_moved, words):
    # So many rows of the second cluster move to the first, from row 401 on.
    a = np.repeat([0, 1], [400, n_moved + 300])
    b = np.concatenate([np.zeros(400, int), np.zeros(n_moved, int), np.ones(300, int)])
    page = weft.compare(a, b)._repr_html_()
    listed = page.partition("Rows that moved</summary><p>")[2].partition("</p>")[0]
    assert listed.count(",") == 199
    assert listed.endswith(f"600{words}")


def test_gaps_are_filled_by_the_mean_of_their_column():
    rows = np.array([[1.0, np.nan], [np.nan, np.nan], [4.0, np.nan]])
    np.testing.assert_array_equal(filled(rows), [[1.0, 0.0], [2.5, 0.0], [4.0, 0.0]])
    whole = np.ones((2, 2))
    assert filled(whole) is whole


def _against(effects, labels=(0, 1)):
    effects = np.array(effects, dtype=float)
    return Profile(np.array(labels), np.ones(len(labels)), effects, effects, effects)


def test_columns_in_the_order_of_weight_times_effect():
    # Weights × largest effects: 1 · 4 (5 counts as 4), 2 · 3, 3 · 0.5, 2 · 3 again. Columns that
    # were not selected come last.
    facts = SimpleNamespace(
        names=list("abcd"),
        weights=np.array([1.0, 2.0, 3.0, 2.0]),
        selected=np.array([True, True, True, True]),
    )
    against = _against([[5.0, 1.0, 0.5, 3.0], [0.0, -3.0, 0.0, np.nan]])
    every = np.arange(4)
    assert _by_importance(facts, against, every).tolist() == [1, 3, 0, 2]
    facts.selected = np.array([True, False, True, True])
    assert _by_importance(facts, against, every).tolist() == [3, 0, 2, 1]
    # An infinite effect counts as the largest. Of several parts of a column the strongest counts.
    facts = SimpleNamespace(
        names=list("ab"), weights=np.array([1.0, 1.5]), selected=np.array([True, True])
    )
    against = _against([[np.inf, 1.0, 2.0], [0.0, 0.0, 0.0]])
    assert LARGEST == 4.0
    assert _by_importance(facts, against, np.array([0, 1, 1])).tolist() == [0, 1]
    facts.weights = np.array([1.0, 2.5])
    assert _by_importance(facts, against, np.array([0, 1, 1])).tolist() == [1, 0]
    # With one cluster there are no effects: weights alone decide.
    alone = _against([[0.5, 0.0, 0.0]], labels=(0,))
    assert _by_importance(facts, alone, np.array([0, 1, 1])).tolist() == [1, 0]


def test_effects_of_a_profile_by_hand():
    names = [f"c{j}" for j in range(50)]
    effects = np.zeros((2, 50))
    effects[0] = np.arange(50.0)
    effects[1, 3] = -1000.0
    effects[0, 7] = np.inf
    effects[1, 9] = -np.inf
    effects[0, 5] = 1.23456
    found = _profile(_against(effects), names, np.ones(50, dtype=bool))
    # Infinite effects are the strongest there is, as is everything beyond it.
    assert found["features"][:4] == ["c3", "c7", "c9", "c49"]
    assert len(found["features"]) == N_SHOWN
    assert found["effects"][:, 0].tolist() == [3.0, -PERFECT]
    assert found["effects"][:, 2].tolist() == [9.0, -PERFECT]
    assert found["labels"] == [0, 1]
    # Columns that were not selected are not shown.
    few = np.isin(np.arange(50), [5, 2])
    found = _profile(_against(effects), names, few)
    assert found["features"] == ["c2", "c5"]
    assert found["effects"][0].tolist() == [2.0, 1.235]
    assert _profile(_against(effects), names, np.zeros(50, dtype=bool)) is None
    assert _profile(_against(effects[:1], labels=(0,)), names, few) is None


def test_columns_whose_distributions_are_shown():
    n = 60
    names = [f"c{j}" for j in range(n)]
    compared = Compared(np.zeros((2, n)), names, np.arange(n), [])
    order, selected = np.arange(n), np.ones(n, dtype=bool)
    clusters = [{"traits": [{"feature": f"c{j}"}]} for j in range(20, 50)] + [{"traits": []}]
    # The 30 heaviest, then what sets clusters apart and is not among them: ten at most.
    assert _shown(order, selected, clusters, compared) == list(range(40))
    # Five of the heaviest are selected: room for 25 others.
    few = np.arange(n) < 5
    assert _shown(order, few, clusters, compared) == [*range(5), *range(20, 45)]
    # With 12 columns all are shown, selected or not; with 13 none, so the first six.
    none = np.zeros(n, dtype=bool)
    assert _shown(order[:12], none, [], compared) == list(range(12))
    assert _shown(order[:13], none, [], compared) == list(range(6))


def test_soft_answers_of_two_clusters_at_least():
    two, one = SimpleNamespace(n_clusters=2), SimpleNamespace(n_clusters=1)
    assert _soft(SimpleNamespace()) == {}
    assert _soft(SimpleNamespace(membership_=one)) == {}
    found = _soft(SimpleNamespace(membership_=two))
    assert found == {"membership": two, "outlier_scores": None}


def test_the_range_of_colours_of_a_heat_map():
    found = {"labels": [0, 1], "features": ["a", "b"], "effects": [[0.5, -2.0], [1.0, 0.0]]}
    figure = plots.profile({"profile": found})
    assert (figure.data[0].zmin, figure.data[0].zmax) == (-2.0, 2.0)


def test_templates_escape_what_they_are_given():
    made = _templates().from_string("<p>{{ name }}</p>").render(name='<b> & "x"')
    assert made == "<p>&lt;b&gt; &amp; &#34;x&#34;</p>"
    with pytest.raises(Exception, match="name' is undefined"):
        _templates().from_string("{{ name }}").render()
