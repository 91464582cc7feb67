"""Explanations of rows and comparisons of clusterings."""

from __future__ import annotations

import json

import numpy as np
import pytest

from weft.answers.comparing import Side, as_dict, compare_sides, match_clusters
from weft.answers.drawing import Explanation, explanation_html, sankey
from weft.answers.explaining import Placement, explain_rows, typical_range
from weft.answers.views import ColumnView, number_views


def _place(cluster: int, other: int) -> Placement:
    ones = np.ones(1)
    return Placement(np.array([cluster]), np.array([other]), 0.9 * ones, 0.1 * ones, 0 * ones)


def test_a_value_that_is_common_in_its_cluster_speaks_for_it():
    X = np.column_stack([np.r_[np.zeros(20), np.ones(20)], np.tile([0.0, 1.0], 20)])
    labels = np.repeat([0, 1], 20)
    row = number_views(np.array([[0.0, 0.0]]), ["a", "b"])
    (done,) = explain_rows(number_views(X, ["a", "b"]), labels, np.ones(2), row, _place(0, 1))
    first, second = done.reasons
    assert first.column == "a"
    # Two bins; 20 of 20 rows and 0 of 20 in the lower one, half a row added to each bin.
    assert first.contribution == pytest.approx(np.log((20.5 / 21) / (0.5 / 21)))
    assert second.contribution == pytest.approx(0.0)
    assert (first.typical, first.typical_next) == ("0", "1")


def test_missing_values_say_nothing_and_weightless_columns_are_left_out():
    X = np.column_stack([np.r_[np.zeros(5), np.ones(5)]] * 2)
    row = number_views(np.array([[np.nan, 0.0]]), ["a", "b"])
    (done,) = explain_rows(
        number_views(X, ["a", "b"]), np.repeat([0, 1], 5), np.array([1.0, 0.0]), row, _place(0, 1)
    )
    assert [(r.column, r.value, r.contribution) for r in done.reasons] == [("a", "missing", 0.0)]


def test_explanations_print_and_escape():
    views = number_views(np.r_[np.zeros(9), np.ones(9)][:, None], ["<b>"])
    row = number_views(np.array([[1.0]]), ["<b>"])
    done = explain_rows(views, np.repeat([0, 1], 9), np.ones(1), row, _place(1, 0))
    shown = Explanation(done, {0: "low", 1: "high"})
    assert "cluster 1 (high), probability 90%" in str(shown)
    assert "<b>" not in shown._repr_html_()
    assert json.loads(json.dumps(shown.to_dict()))["rows"][0]["next_cluster"] == 0
    assert "weft-explanation" in explanation_html(done[0], {})


def test_one_cluster_has_no_next_one():
    views = number_views(np.arange(10.0)[:, None], ["a"])
    done = explain_rows(views, np.zeros(10, dtype=int), np.ones(1), views, Placement(
        *(np.zeros(10, dtype=int), np.full(10, -1), np.ones(10), np.zeros(10), np.zeros(10))
    ))  # fmt: skip
    assert done[0].next_cluster is None
    assert "next is" not in str(Explanation(done, {}))


def test_the_next_cluster_may_have_no_known_row():
    # A forged model file can name a cluster that none of its stored rows belongs to.
    views = number_views(np.r_[np.zeros(5), np.ones(5)][:, None], ["a"])
    row = number_views(np.array([[0.0]]), ["a"])
    (done,) = explain_rows(views, np.repeat([0, 1], 5), np.ones(1), row, _place(0, 2))
    assert (done.next_cluster, done.reasons[0].typical_next) == (2, "missing")
    # The deciles are 0, 0.5 and 1, so four bins, each with half a row added: all 5 rows of cluster
    # 0 are in the lowest one; cluster 2 has no rows, so a quarter of it.
    assert done.reasons[0].contribution == pytest.approx(np.log((5.5 / 7) / (0.5 / 2)))


def test_typical_levels():
    view = ColumnView("c", "category", np.array([0, 0, 0, 1.0]), ("red", "blue"))
    assert typical_range(view, np.ones(4, dtype=bool)) == "red 75%, blue 25%"
    assert typical_range(view, np.zeros(4, dtype=bool)) == "missing"


def test_matching_keeps_most_rows():
    a = np.array([0, 0, 0, 1, 1, 2, -1])
    b = np.array([5, 5, 3, 3, 3, 3, -1])
    matches = match_clusters(a, b)
    assert [(m.first, m.second, m.n_both) for m in matches] == [(0, 5, 2), (1, 3, 2), (2, None, 0)]
    assert matches[0].overlap == pytest.approx(2 / 3)
    done = compare_sides(Side("a", a), Side("b", b))
    assert done.moved.tolist() == [2, 5]


def test_the_same_clusters_by_other_numbers_moved_nobody():
    a = np.array([0, 1, 2, 0, 1, 2])
    done = compare_sides(Side("a", a, {"x": 1.0, "y": 3.0}), Side("b", 2 - a, {"x": 2.0}))
    assert (done.ari, done.ami, len(done.moved)) == (1.0, 1.0, 0)
    assert [(w.column, w.first, w.second) for w in done.weights] == [
        ("x", 0.25, 1.0),
        ("y", 0.75, None),
    ]
    told = as_dict(Side("a", a), Side("b", 2 - a), done)
    assert json.loads(json.dumps(told))["n_moved"] == 0


def test_different_rows_are_refused():
    with pytest.raises(ValueError, match="a has 2 rows and b has 3"):
        compare_sides(Side("a", np.zeros(2, dtype=int)), Side("b", np.zeros(3, dtype=int)))


def test_the_sankey_is_sound_and_escaped():
    a, b = np.array([0, 0, 1, -1]), np.array([0, 1, 1, 1])
    first, second = Side("<a>", a, names={0: "low & wide"}), Side("b", b)
    text = sankey(first, second, compare_sides(first, second))
    assert text.count("<path ") == text.count("</path>") == 4
    assert "<a>" not in text
    assert "low &amp; wide" in text


def test_a_cluster_without_a_partner_has_no_colour_of_another():
    a, b = np.array([0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 2])
    first, second = Side("a", a), Side("b", b)
    text = sankey(first, second, compare_sides(first, second))
    assert text.count('fill="#888888"') == 1  # cluster 2 of the second, new
    assert text.count('fill-opacity="0.25"') == 1
    assert "script" not in text


def test_evidence_by_definition():
    rng = np.random.default_rng(0)
    values = rng.normal(size=80)
    values[:3] = np.nan
    levels = rng.integers(3, size=80).astype(float)
    labels = rng.integers(-1, 3, size=80)
    known = [
        ColumnView("x", "number", values),
        ColumnView("c", "category", levels, ("red", "green", "blue")),
    ]
    rows = [view._replace(values=view.values[:20]) for view in known]
    own, other = np.arange(20) % 3, (np.arange(20) + 1) % 3
    placed = Placement(own, other, np.ones(20), np.zeros(20), np.arange(20.0))
    weights = np.array([1.0, 2.0])
    titles = [f"row {i}" for i in range(20)]
    done = explain_rows(known, labels, weights, rows, placed, titles)
    cuts = np.quantile(values[3:], np.arange(1, 10) / 10)

    def share(column, cluster, value):
        inside = known[column].values[(labels == cluster) & ~np.isnan(known[column].values)]
        if column == 1:
            return (0.5 + (inside == value).sum()) / (1.5 + len(inside))
        alike = np.searchsorted(cuts, inside) == np.searchsorted(cuts, value)
        return (0.5 + alike.sum()) / (5.0 + len(inside))  # half a row in each of ten bins

    for i, one in enumerate(done):
        assert (one.row, one.cluster, one.next_cluster) == (f"row {i}", own[i], other[i])
        assert one.outlier_score == i
        found = {reason.column: reason.contribution for reason in one.reasons}
        for column, name in enumerate("xc"):
            value = known[column].values[i]
            ratio = 1.0
            if not np.isnan(value):
                ratio = share(column, own[i], value) / share(column, other[i], value)
            assert found[name] == pytest.approx(np.log(ratio))
        strengths = [abs(reason.contribution) for reason in one.reasons]
        assert strengths == sorted(strengths, reverse=True)


def test_a_row_in_no_cluster_has_no_evidence_and_equal_evidence_goes_by_weight():
    views = number_views(np.tile(np.arange(6.0)[:, None], 2), ["a", "b"])
    labels = np.array([0, 0, 0, 1, 1, 1])
    row = number_views(np.array([[1.0, 1.0]]), ["a", "b"])
    weights = np.array([1.0, 2.0])
    (nowhere,) = explain_rows(views, labels, weights, row, _place(-1, -1))
    assert [(r.column, r.contribution, r.typical) for r in nowhere.reasons] == [
        *(("b", 0.0, ""), ("a", 0.0, ""))
    ]
    assert nowhere.row == 0
    (inside,) = explain_rows(views, labels, weights, row, _place(0, 1))
    assert [reason.column for reason in inside.reasons] == ["b", "a"]
    assert [reason.weight for reason in inside.reasons] == [2.0, 1.0]


def test_without_a_next_cluster_a_row_is_compared_with_all_others():
    # Levels of cluster 0: 3 of 4 red; of all others: 1 of 5. Half a row is added to each level.
    view = ColumnView("c", "category", np.array([0, 0, 0, 1, 1, 1, 1, 1, 0.0]), ("red", "blue"))
    labels = np.array([0, 0, 0, 0, 1, 1, 2, -1, -1])
    row = view._replace(values=np.array([1.0, 0.0]))
    placed = Placement(
        *(np.zeros(2, dtype=int), np.full(2, -1)), *(np.ones(2), np.zeros(2), np.zeros(2))
    )
    done = explain_rows([view], labels, np.ones(1), [row], placed)
    red, blue = (3.5 / 5) / (1.5 / 6), (1.5 / 5) / (4.5 / 6)
    assert done[0].reasons[0].contribution == pytest.approx(np.log(blue))
    assert done[1].reasons[0].contribution == pytest.approx(np.log(red))
    assert done[0].reasons[0].typical == "red 75%, blue 25%"
    assert done[0].reasons[0].typical_next == ""


def test_typical_values_by_hand():
    # The middle 80 % of 0, …, 10 is 1 to 9.
    number = ColumnView("x", "number", np.r_[np.arange(11.0), np.nan])
    every = np.ones(12, dtype=bool)
    assert typical_range(number, every) == "1 to 9"
    assert typical_range(number, np.arange(12) == 3) == "3"
    assert typical_range(number, np.arange(12) == 11) == "missing"
    # Two levels at most, each of a tenth of the rows at least.
    names = tuple("abcdefghijkl")
    tenth = ColumnView("c", "category", np.r_[np.zeros(9), 1.0], names)
    assert typical_range(tenth, np.ones(10, dtype=bool)) == "a 90%, b 10%"
    less = ColumnView("c", "category", np.r_[np.zeros(10), 1.0], names)
    assert typical_range(less, np.ones(11, dtype=bool)) == "a 91%"
    three = ColumnView("c", "category", np.array([2.0, 2, 1, 1, 0]), names)
    assert typical_range(three, np.ones(5, dtype=bool)) == "b 40%, c 40%"
    each = ColumnView("c", "category", np.arange(12.0), names)
    assert typical_range(each, np.ones(12, dtype=bool)) == "mixed"
