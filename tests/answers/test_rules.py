"""Rules, traits and names of clusters, on cases that can be solved by hand."""

from __future__ import annotations

import numpy as np
import pytest

from weft.answers.conditions import Condition, possible_conditions, shortest_between
from weft.answers.rules import FEWEST_TO_SPLIT, _split, find_rules, spread_rows
from weft.answers.traits import find_traits, name_clusters, observe
from weft.answers.views import ColumnView, number_views, source_views
from weft.columns.source import MixedTable, SourceColumn


@pytest.mark.parametrize(
    ("below", "above", "number"),
    [
        (1.04, 2.31, 2.0),
        (754.0, 756.0, 755.0),
        (0.1234, 0.1236, 0.1235),
        (3.0, 3.0, 3.0),
        (19.0, 20.0, 19.0),
    ],
)
def test_a_cut_is_the_shortest_number_between_two_values(below, above, number):
    assert shortest_between(below, above) == number


def test_a_cut_separates_neighbouring_floats():
    below = 0.1
    above = np.nextafter(below, 1.0)
    cut = shortest_between(below, above)
    assert below <= cut < above


def test_two_groups_need_one_condition_each():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.r_[np.arange(30.0), 100 + np.arange(30.0)], rng.random(60)])
    labels = np.repeat([0, 1], 30)
    rules = find_rules(number_views(X, ["size", "noise"]), labels, np.ones(2))
    # The largest value below is 29, the smallest above 100; the middle is 64.5, or 60.
    assert [rule.conditions[0]["text"] for rule in rules] == ["size ≤ 60", "size > 60"]
    assert all(rule.precision == rule.coverage == 1.0 and rule.held_out for rule in rules)
    assert all(rule.columns == ("size",) for rule in rules)
    assert rules[0].n_rows == 20  # every third row of each cluster


def test_a_group_in_the_middle_is_a_range():
    X = np.arange(90.0)[:, None]
    labels = np.repeat([0, 1, 2], 30)
    middle = find_rules(number_views(X, ["x"]), labels, np.ones(1))[1]
    (condition,) = middle.conditions
    assert 28 <= condition["low"] < 31
    assert 58 <= condition["high"] < 61
    assert condition["text"].count("x") == 1


def test_only_columns_with_a_weight_are_named():
    X = np.column_stack([np.arange(40.0), np.arange(40.0)])
    labels = np.repeat([0, 1], 20)
    for rule in find_rules(number_views(X, ["a", "b"]), labels, np.array([0.0, 1.0])):
        assert set(rule.columns) == {"b"}


def test_categories_and_gaps():
    colour = SourceColumn("colour", "category", (0,), levels=("red", "green", "blue"))
    size = SourceColumn("size", "number", (1,))
    codes = np.repeat([0.0, 1.0, 2.0], 12)
    values = np.column_stack([codes, np.full(36, np.nan)])
    labels = (codes == 2).astype(int)
    views = source_views(MixedTable(values, (colour, size)))
    rules = find_rules(views, labels, np.ones(2))
    assert rules[0].conditions[0]["text"] == "colour is red or green"
    assert rules[1].conditions[0]["text"] == "colour = blue"
    assert name_clusters(views, labels, np.ones(2)) == {0: "colour not blue", 1: "colour blue"}


def test_ordered_levels_are_compared_by_name():
    view = ColumnView("grade", "ordered", np.array([0.0, 1.0, 2.0]), ("low", "mid", "top"))
    assert Condition(0, low=0.5).show(view) == "grade ≥ mid"
    assert Condition(0, high=1.0).show(view) == "grade ≤ mid"
    assert Condition(0, low=0.0, high=1.0).show(view) == "grade = mid"


def test_all_levels_are_no_condition():
    view = ColumnView("c", "category", np.array([0.0, 1.0]), ("a", "b"))
    found = possible_conditions(view, 0, np.array([True, True]))
    assert [condition.levels for condition in found] == [(0,)]


def test_few_rows_are_measured_on_themselves_and_say_so():
    X = np.r_[np.arange(5.0), 50 + np.arange(20.0)][:, None]
    labels = np.r_[np.zeros(5, dtype=int), np.ones(20, dtype=int)]
    small, large = find_rules(number_views(X, ["x"]), labels, np.ones(1))
    assert (small.held_out, small.n_rows) == (False, 25)
    assert (large.held_out, large.n_rows) == (True, 7)
    assert FEWEST_TO_SPLIT > 5


def test_one_cluster_is_any_row_and_none_gives_no_rules():
    views = number_views(np.arange(6.0)[:, None], ["x"])
    (rule,) = find_rules(views, np.zeros(6, dtype=int), np.ones(1))
    assert str(rule).startswith("cluster 0: any row")
    assert find_rules(views, np.full(6, -1), np.ones(1)) == []
    assert name_clusters(views, np.full(6, -1), np.ones(1)) == {}


def test_perfect_separation_is_the_strongest_trait():
    X = np.column_stack([np.r_[np.zeros(10), np.ones(10)], np.r_[np.arange(10), 5 + np.arange(10)]])
    labels = np.repeat([0, 1], 10)
    observed = observe(number_views(X, ["all", "some"]), np.ones(2))
    first, second = find_traits(observed, labels == 1, np.ones(2))
    assert (first.words, first.strength) == ("high all", 1.0)
    # Of 100 pairs of (0..9) and (5..14): 5 ties, 10 with the smaller one in the second group.
    assert second.strength == pytest.approx(2 * 0.875 - 1)


def test_names_are_distinct():
    X = np.column_stack([np.repeat([0.0, 1.0, 1.0], 10), np.repeat([0.0, 0.0, 5.0], 10)])
    names = name_clusters(number_views(X, ["a", "b"]), np.repeat([0, 1, 2], 10), np.ones(2))
    assert len(set(names.values())) == 3
    same = name_clusters(number_views(np.zeros((4, 1)), ["a"]), np.array([0, 0, 1, 1]), np.ones(1))
    assert list(same.values()) == ["no single trait", "no single trait (2)"]


def test_spread_rows_keep_small_clusters():
    labels = np.r_[np.zeros(10_000, dtype=int), np.ones(20, dtype=int)]
    rows = spread_rows(labels, 500)
    assert len(rows) <= 520
    assert (labels[rows] == 1).sum() >= FEWEST_TO_SPLIT


@pytest.mark.parametrize(
    ("below", "above", "number"),
    [
        (-1.0, 1.0, 0.0),  # 0 has no power of ten
        (-4.0, 4.0, 0.0),
        (-20.0, -19.0, -20.0),
        (0.019, 0.021, 0.02),
        (12.0, 13.0, 12.0),
    ],
)
def test_cuts_around_0_and_below(below, above, number):
    assert shortest_between(below, above) == number


def test_conditions_on_a_number_by_hand():
    view = ColumnView("x", "number", np.array([1.0, 2.0, 3.0, 4.0, np.nan]))
    inside = np.array([False, True, True, False, True])
    found = possible_conditions(view, 7, inside)
    assert [(each.column, each.low, each.high) for each in found] == [
        (7, 1.0, np.inf),
        (7, -np.inf, 3.0),
    ]
    # The lowest rows have no lower limit, the highest no upper one.
    assert [each.high for each in possible_conditions(view, 0, view.values == 1.0)] == [1.0]
    assert [each.low for each in possible_conditions(view, 0, view.values == 4.0)] == [3.0]
    assert possible_conditions(view, 0, np.isnan(view.values)) == []
    assert possible_conditions(view._replace(values=np.ones(5)), 0, inside) == []


def test_every_third_row_of_each_cluster_is_held_out():
    # Cluster 0 is rows 0, 2, 4, 6 and cluster 1 rows 1, 3, 5: the third of each is held out.
    used, held_out = _split(np.array([0, 1, 0, 1, 0, 1, 0]))
    assert held_out.tolist() == [4, 5]
    assert used.tolist() == [0, 1, 2, 3, 6]


def test_dates_units_and_levels_as_people_read_them():
    columns = (
        SourceColumn("day", "date", (0,)),
        SourceColumn("other day", "date", (1,)),
        SourceColumn("share", "number", (2,), unit="%"),
        SourceColumn("length", "number", (3,), unit="cm"),
        SourceColumn("grade", "ordered", (4,), levels=("low", "top")),
    )
    table = MixedTable(np.array([[10.0, 3.0, 0.25, 12.0, 1.0]]), columns)
    views = source_views(table, {"day": 19_010.0})
    # Day 19,000 after 1970-01-01 is 2022-01-08.
    assert [view.show(float(view.values[0])) for view in views] == [
        *("2022-01-08", "3 days ago", "25%", "12 cm", "top"),
    ]
    assert [view.kind for view in views] == ["date", "number", "number", "number", "ordered"]
    outside = source_views(MixedTable(np.array([[0, 0, 0, 0, 2.0]]), columns))[4]
    assert outside.show(float(outside.values[0])) == "missing"
