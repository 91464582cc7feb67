"""Complete outputs of comparisons, explanations, rules and drawings, and limits between them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.special import erf
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from weft.answers.comparing import (
    Compared,
    Flow,
    Match,
    Side,
    WeightChange,
    as_dict,
    compare_sides,
    match_clusters,
)
from weft.answers.conditions import Condition, shortest_between
from weft.answers.drawing import COLOURS, sankey, shown_reasons
from weft.answers.explaining import Reason, RowExplanation, _bins
from weft.answers.membership import center_softness, soften, softness_of, with_labels_first
from weft.answers.outlyingness import (
    N_NEIGHBOURS,
    _dimension,
    around_middle,
    group_anchors,
    measure_reach,
    nearest_of_groups,
    outlier_scores,
    squared_blocks,
)
from weft.answers.rules import Rule, find_rules
from weft.answers.traits import name_clusters, observe
from weft.answers.views import ColumnView, number_views, show_number, source_views
from weft.columns.source import MixedTable, SourceColumn

# Comparisons ------------------------------------------------------------------------------------


def test_a_comparison_in_plain_types_is_complete():
    a, b = np.array([0, 0, 0, 1, 1, 2, -1, -1]), np.array([5, 5, 3, 3, 3, 9, -1, 3])
    first = Side("one", a, {"x": 1.0, "y": 3.0}, {0: "low"})
    second = Side("two", b, {"x": 3.0, "z": 1.0})
    done = compare_sides(first, second)
    assert as_dict(first, second, done) == {
        "first": {
            **{"title": "one", "n_clusters": 3},
            **{"sizes": {"-1": 2, "0": 3, "1": 2, "2": 1}, "names": {"0": "low"}},
        },
        "second": {
            **{"title": "two", "n_clusters": 3},
            **{"sizes": {"-1": 1, "3": 4, "5": 2, "9": 1}, "names": {}},
        },
        "n_rows": 8,
        "ari": adjusted_rand_score(a, b),
        "ami": adjusted_mutual_info_score(a, b),
        "n_moved": 2,
        "moved": [2, 7],
        "matches": [
            {**Match(0, 5, 3, 2, 2)._asdict(), "overlap": 2 / 3},
            {**Match(1, 3, 2, 4, 2)._asdict(), "overlap": 0.5},
            {**Match(2, 9, 1, 1, 1)._asdict(), "overlap": 1.0},
        ],
        "flows": [
            {"first": i, "second": j, "n_rows": n}
            for i, j, n in [(-1, -1, 1), (-1, 3, 1), (0, 3, 1), (0, 5, 2), (1, 3, 2), (2, 9, 1)]
        ],
        # Shares 1/4, 3/4 and 3/4, 1/4: columns of one result alone change by their whole share.
        "weights": [
            {"column": "y", "first": 0.75, "second": None, "change": -0.75},
            {"column": "x", "first": 0.25, "second": 0.75, "change": 0.5},
            {"column": "z", "first": None, "second": 0.25, "change": 0.25},
        ],
    }


def test_clusters_without_common_rows_have_no_partner():
    # The rows of cluster 0 have no cluster in the second result; those of cluster 4 have none in
    # the first.
    found = match_clusters(np.array([0, 0, 1, -1, -1]), np.array([-1, -1, 2, 4, 4]))
    assert found == (Match(1, 2, 1, 1, 1), Match(0, None, 2, 0, 0), Match(None, 4, 0, 2, 0))
    assert [match.overlap for match in found] == [1.0, 0.0, 0.0]
    # No common row at all: an assignment exists, but it has no rows.
    apart = match_clusters(np.array([0, -1]), np.array([-1, 0]))
    assert apart == (Match(0, None, 1, 0, 0), Match(None, 0, 0, 1, 0))


def test_weights_that_sum_to_nothing_have_no_shares():
    labels = np.array([0, 1])
    zero, half = {"x": 0.0, "y": 0.0}, {"x": 0.5, "y": 0.0}
    done = compare_sides(Side("a", labels, zero), Side("b", labels, half))
    assert done.weights == (WeightChange("x", 0.0, 1.0), WeightChange("y", 0.0, 0.0))
    assert compare_sides(Side("a", labels), Side("b", labels, half)).weights == ()
    assert compare_sides(Side("a", labels, half), Side("b", labels)).weights == ()
    # Weights that sum to less than one are divided by their sum, too.
    done = compare_sides(Side("a", labels, {"x": 0.25}), Side("b", labels, {"x": 0.125}))
    assert done.weights == (WeightChange("x", 1.0, 1.0),)
    assert WeightChange("x", 0.5, 0.25).change == -0.25


# Drawings ---------------------------------------------------------------------------------------


def bars(text):
    found = re.findall(
        r'<rect x="(\d+)" y="([\d.]+)" width="14" height="([\d.]+)" fill="(.*?)"', text
    )
    return [(int(x), float(y), float(height), fill) for x, y, height, fill in found]


def test_many_small_clusters_share_half_the_height():
    # 59 gaps of 8 are more than the height of 420: the 60 rows share 210, each bar has 3.5.
    first, second = Side("a", np.arange(60)), Side("b", np.zeros(60, dtype=int))
    text = sankey(first, second, compare_sides(first, second))
    found = bars(text)
    assert found[:60] == [(0, 11.5 * k, 3.5, COLOURS[k % 8]) for k in range(60)]
    assert found[60:] == [(706, 0.0, 210.0, COLOURS[0])]
    assert f'viewBox="-6 -6 732 {210 + 59 * 8 + 12}"' in text


def test_a_single_row_fills_the_height():
    side = Side("a", np.zeros(1, dtype=int))
    text = sankey(side, side, compare_sides(side, side))
    assert bars(text) == [(0, 0.0, 420.0, COLOURS[0]), (706, 0.0, 420.0, COLOURS[0])]
    assert 'fill="#0072b2" fill-opacity="0.55"' in text


def test_new_clusters_come_after_those_with_a_partner():
    # Cluster 3 of the second is opposite cluster 0; clusters 1 and 2 are new; rows in none end it.
    a = np.array([0, 0, 0, 0, -1, -1])
    b = np.array([3, 3, 1, 2, -1, 2])
    first, second = Side("a", a), Side("b", b)
    text = sankey(first, second, compare_sides(first, second))
    right = [fill for x, _, _, fill in bars(text) if x > 0]
    assert right == [COLOURS[0], "#888888", "#888888", "#888888"]
    assert re.findall(r">(cluster \d|no cluster) \(\d\)<", text) == [
        *("cluster 0", "no cluster", "cluster 3", "no cluster", "cluster 1", "cluster 2")
    ]


def test_only_eight_reasons_beyond_a_twentieth_are_shown():
    row = RowExplanation(
        *(0, 1, 1.0, None, 0.0, 0.0),
        tuple(
            Reason(str(n), "", contribution, "", "", 1.0)
            for n, contribution in enumerate([0.05, -0.05, 0.051, -0.051, *[1.0] * 8])
        ),
    )
    assert [reason.column for reason in shown_reasons(row)] == [str(n) for n in range(2, 10)]


# Memberships and outliers -----------------------------------------------------------------------


def test_small_weights_count_as_many_columns_as_large_ones():
    small, large = (center_softness(scale * np.ones((2, 3))) for scale in (1e-3, 5.0))
    assert small.sharp == pytest.approx(large.sharp)
    assert large.sharp == pytest.approx(np.exp(0.975 + 0.167 * np.log(3.0)))
    # The other two numbers are constants.
    assert (large.flat, large.doubt) == (0.241, 0.083)
    none = center_softness(np.zeros((1, 3)))
    assert none.sharp == pytest.approx(np.exp(0.975))


def test_the_surest_confidence_is_cut_on_both_sides():
    assert softness_of(0.0, 2.0) == softness_of(0.02, 2.0)
    assert softness_of(0.03, 2.0) != softness_of(0.02, 2.0)
    assert softness_of(0.97, 2.0) != softness_of(0.98, 2.0)


def test_rows_that_equal_an_anchor_are_a_million_times_nearer_at_most():
    found = soften(np.array([[0.0, 2.0], [1e-5, 10.0]]), softness_of(0.5, 1.0)._replace(doubt=0.0))
    power = softness_of(0.5, 1.0).sharp
    odds = 1e6**power
    np.testing.assert_allclose(found[:, 1], 1.0 / (1.0 + odds), rtol=1e-6)


def test_labels_come_first_only_where_they_are_given():
    given = np.array([[0.6, 0.4], [0.6, 0.4]])
    found = with_labels_first(given, np.array([-1, 0]))
    np.testing.assert_array_equal(found, given)
    assert with_labels_first(given[:1], np.array([1])).sum() == pytest.approx(1.0)


def test_points_are_compared_around_the_middle():
    anchors = np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 6.0]])
    known = around_middle(anchors)
    assert known.middle.tolist() == [2.0, 2.0]
    assert known.squares.tolist() == [8.0, 4.0, 20.0]
    ((span, squared),) = squared_blocks(np.array([[2.0, 1.0]]), anchors)
    assert (span.start, span.stop) == (0, 1)
    np.testing.assert_allclose(squared, [[5.0, 1.0, 29.0]])


def test_groups_of_anchors_by_hand():
    groups = group_anchors(np.array([2, 0, -1, 2, 0]), 4)
    assert groups.order.tolist() == [1, 4, 0, 3]
    assert (groups.starts.tolist(), groups.clusters.tolist()) == ([0, 2], [0, 2])
    squared = np.array([[9.0, 4.0, 0.0, 16.0, 25.0], [np.inf, np.inf, 1.0, 4.0, np.inf]])
    # Clusters 1 and 3 have no anchors, cluster 0 of the second row none that is left.
    np.testing.assert_array_equal(
        nearest_of_groups(squared, groups), [[2.0, 2.0, 3.0, 2.0], [2.0, 2.0, 2.0, 2.0]]
    )


def test_reach_and_dimension_of_many_anchors_by_definition():
    rng = np.random.default_rng(0)
    anchors = rng.standard_normal((40, 3))
    reach = measure_reach(anchors)
    gaps = np.linalg.norm(anchors[:, None] - anchors, axis=2)
    order = np.argsort(gaps, axis=1)[:, 1 : N_NEIGHBOURS + 1]
    near = np.take_along_axis(gaps, order, axis=1)
    lengths = np.sqrt((near**2).mean(axis=1))
    factors = lengths / lengths[order].mean(axis=1) - 1.0
    assert reach.spread == pytest.approx(1.4826 * np.median(np.abs(factors)))
    logs = np.log(near[:, -1:] / near[:, :-1]).mean(axis=1)
    assert reach.dimension == pytest.approx(1.0 / np.median(logs))
    assert _dimension(near**2) == pytest.approx(reach.dimension)
    # Scores of the anchors themselves, and of far rows, by the same formula.
    scores = outlier_scores(anchors, anchors, reach)
    expected = np.maximum(erf(factors / (3.0 * np.sqrt(2.0) * reach.spread)), 0.0)
    np.testing.assert_allclose(scores, expected, atol=1e-12)


def test_anchors_that_repeat_have_a_floor():
    # All rows but one repeat others: the reach of most rows is 0.
    anchors = np.r_[np.zeros(30), np.full(12, 1.0), 5.0][:, None]
    reach = measure_reach(anchors)
    assert (reach.lengths[:42] == 0.0).all()
    assert reach.spread == 1e-3
    scores = outlier_scores(anchors, anchors, reach)
    assert scores[:42].tolist() == [0.0] * 42
    assert scores[42] == pytest.approx(1.0)


# Rules, names and views -------------------------------------------------------------------------


def test_the_rule_of_a_single_cluster_is_any_row():
    views = number_views(np.arange(6.0)[:, None], ["x"])
    assert find_rules(views, np.full(6, 4), np.ones(1)) == [Rule(4, (), 1.0, 1.0, 6, False)]
    rule = Rule(
        1, ({"column": "a", "text": "a > 1"}, {"column": "b", "text": "b = c"}), 0.5, 1, 9, 1
    )
    assert rule.to_dict() == {
        **{"cluster": 1, "conditions": list(rule.conditions), "precision": 0.5, "coverage": 1},
        **{"n_rows": 9, "held_out": 1},
        "text": "cluster 1: a > 1 and b = c (precision 50%, coverage 100%)",
    }
    # A column without a weight is not used in rules; a weight of any size is enough.
    table = np.column_stack([np.arange(40.0), np.arange(40.0)])
    labels = np.repeat([0, 1], 20)
    for weights in ([1e-9, 0.0], [0.5, 0.0]):
        found = find_rules(number_views(table, ["a", "b"]), labels, np.array(weights))
        assert [rule.columns for rule in found] == [("a",), ("a",)]
    assert find_rules(number_views(table, ["a", "b"]), labels, np.zeros(2))[0].conditions == ()


def test_a_range_of_the_only_condition_takes_two_steps():
    X = np.arange(90.0)[:, None]
    labels = np.repeat([0, 1, 2], 30)
    middle = find_rules(number_views(X, ["x"]), labels, np.ones(1), max_conditions=1)[1]
    assert len(middle.conditions) == 1
    assert middle.conditions[0]["low"] is not None
    assert middle.conditions[0]["high"] is not None


def test_nine_rows_of_a_cluster_are_enough_to_hold_some_out():
    for n_rows, held_out in ((9, True), (8, False)):
        X = np.r_[np.arange(float(n_rows)), 50.0 + np.arange(20.0)][:, None]
        labels = np.r_[np.zeros(n_rows, dtype=int), np.ones(20, dtype=int)]
        rule = find_rules(number_views(X, ["x"]), labels, np.ones(1))[0]
        assert rule.held_out is held_out


def test_conditions_have_no_bound_where_there_is_none():
    assert Condition(3) == (3, -np.inf, np.inf, ())
    assert Condition(0, low=0.0).holds(np.array([0.0, 0.5, -1.0])).tolist() == [False, True, False]
    view = ColumnView("x", "number", np.zeros(1))
    told = Condition(0, low=0.0).to_dict(view)
    assert (told["low"], told["high"]) == (0.0, None)


@pytest.mark.parametrize(
    ("below", "above", "number"),
    [
        (0.0, 1.0, 0.5),
        (0.0, 0.3, 0.1),  # the middle, 0.15, rounds to 0.1 (half to even)
        (99.0, 101.0, 100.0),
        (1234.0, 1235.0, 1234.0),
        (1e-5, 3e-5, 2e-5),
        (-3.0, -1.0, -2.0),
        (95.0, 104.0, 100.0),
        (1.0, 1.0 + 4e-16, 1.0),
    ],
)
def test_cuts_have_the_fewest_digits(below, above, number):
    assert shortest_between(below, above) == number


def test_names_of_clusters_by_the_weight_of_their_columns():
    X = np.column_stack([np.arange(20.0), np.arange(20.0)[::-1], np.arange(20.0)])
    labels = np.repeat([0, 1], 10)
    names = name_clusters(number_views(X, list("abc")), labels, np.array([0.0, 1e-3, 2e-3]))
    assert names == {0: "low c, high b", 1: "high c, low b"}
    views = number_views(np.array([[1.0], [np.nan], [0.5], [1.0]]), ["x"])
    (seen,) = observe(views, np.array([0.25]))
    assert seen.known.tolist() == [True, False, True, True]
    assert seen.ranks.tolist() == [2.5, 1.0, 2.5]
    assert observe(views, np.zeros(1)) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (999.96, "1000"),
        (1000.0, "1000"),
        (-1000.4, "-1000"),
        (12345.6, "12346"),
        (9999999.0, "9999999"),
        (1e7, "1e+07"),
        (0.123456, "0.1235"),
        (0.0, "0"),
    ],
)
def test_numbers_with_four_digits(value, text):
    assert show_number(value) == text


def test_values_as_people_read_them():
    day = ColumnView("d", "date", np.zeros(1))
    assert [day.show(value) for value in (10.0, 10.9, -0.5)] == [
        *("1970-01-11", "1970-01-11", "1969-12-31")
    ]
    grade = ColumnView("g", "ordered", np.zeros(1), ("a", "b", "c"))
    assert [grade.show(value) for value in (-3.0, 0.4, 0.6, 2.0, 7.0)] == list("aabcc")
    assert ColumnView("x", "number", np.zeros(1), (), "kg").show(2.0) == "2 kg"
    assert day.show(np.nan) == "missing"
    columns = (
        SourceColumn("c", "category", (0,), levels=("a", "b")),
        SourceColumn("m", "yes/no", (1,), levels=("no", "yes")),
    )
    values = np.array([[0.0, 1.5], [1.0, -0.5], [2.0, 0.0], [np.nan, 1.0]])
    one, two = source_views(MixedTable(values, columns))
    np.testing.assert_array_equal(one.values, [0.0, 1.0, np.nan, np.nan])
    np.testing.assert_array_equal(two.values, [1.0, np.nan, 0.0, 1.0])
    assert (one.kind, two.kind) == ("category", "category")
    assert one.is_category
    assert number_views(values, [1, "b"])[0].name == "1"


def test_bins_of_numbers_and_levels():
    # The deciles of 0 … 10 are 1 … 9: values up to a cut lie below it.
    view = ColumnView("x", "number", np.r_[np.arange(11.0), np.nan])
    bins, n_bins = _bins(view, np.array([-5.0, 1.0, 1.5, 9.0, 99.0, np.nan]))
    assert (bins.tolist(), n_bins) == ([0, 0, 1, 8, 9, -1], 10)
    codes, n_levels = _bins(
        ColumnView("c", "category", np.zeros(2), ("a", "b", "c")), np.array([2.0, np.nan])
    )
    assert (codes.tolist(), n_levels) == ([2, -1], 3)
    empty = ColumnView("x", "number", np.full(3, np.nan))
    assert _bins(empty, np.array([4.0])) == (np.array([0]), 1)


def test_flows_are_plain_numbers():
    side = Side("a", np.array([0, 1]))
    done = compare_sides(side, side)
    assert isinstance(done, Compared)
    assert done.flows == (Flow(0, 0, 1), Flow(1, 1, 1))
    assert done.n_rows == 2
