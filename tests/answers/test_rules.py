"""Rules, traits and names of clusters, on cases that can be solved by hand."""

from __future__ import annotations

import numpy as np
import pytest

from weft.answers.conditions import Condition, possible_conditions, shortest_between
from weft.answers.rules import (
    FEWEST_TO_SPLIT,
    MAX_ROWS,
    N_BEAMS,
    N_COLUMNS,
    _added,
    _Beam,
    _distinct,
    _f_measure,
    _split,
    _telling_conditions,
    find_rules,
    spread_rows,
)
from weft.answers.traits import (
    _numbered,
    _of_category,
    _of_number,
    find_traits,
    name_clusters,
    observe,
)
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


@pytest.mark.parametrize(
    ("cut", "text"),
    [
        (1013.2, "hPa > 1013.2"),
        (12345697.0, "hPa > 12345697"),
        (0.00025, "hPa > 0.00025"),
        (2.5e-7, "hPa > 2.5e-07"),
        (1.5e20, "hPa > 1.5e+20"),
        (-0.0, "hPa > 0"),
    ],
)
def test_a_rule_gives_every_digit_of_its_cut(cut, text):
    # Rounded to four digits, "hPa > 1013" would also select 1013.1, which the rule does not.
    assert Condition(0, low=cut).show(ColumnView("hPa", "number", np.empty(0))) == text


def test_a_rule_is_as_precise_as_on_all_rows_if_a_sample_was_used():
    # 10 of 10,000 rows form cluster 1, at x = 1; 300 rows of cluster 0 are there as well, and all
    # others at x = 0. The only rule, x = 1, selects 310 rows, 10 of them its own: precision 10/310.
    # The sample of 3,000 rows has 9 rows of the small cluster where its share is 3: if all rows
    # counted alike, the precision would be 9 / 99, almost three times as high.
    labels = np.r_[np.ones(10, dtype=int), np.zeros(9_990, dtype=int)]
    x = np.zeros(10_000)
    x[:10] = 1.0
    x[10 + np.random.default_rng(0).choice(9_990, size=300, replace=False)] = 1.0
    rule = find_rules(number_views(x[:, None], ["x"]), labels, np.ones(1))[1]
    assert rule.coverage == 1.0
    assert rule.precision == pytest.approx(10 / 310, rel=0.3)


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


def trait_of(own, rest, kind="number"):
    """Strength and words of a number column, from the values of a cluster and of all others."""
    view = ColumnView("x", kind, np.r_[own, rest].astype(float))
    inside = np.arange(len(view.values)) < len(own)
    (observed,) = observe([view], np.ones(1))
    return _of_number(view, inside, observed.ranks)


def test_a_cluster_in_the_middle_is_medium():
    # The middle 80 % of 0, …, 10 is 1 to 9. Of ten other rows 3 are below and 5 above, 1 and 9
    # are neither: 0.8 − 0.2. Of 110 pairs the cluster wins 33 with those below, 9½ with 1 and 1½
    # with 9: A = 0.4, and |2 A − 1| = 0.2 is less.
    own = np.arange(11)
    strength, words = trait_of(own, [1, 9, -5, -4, -3, 20, 21, 22, 23, 24])
    assert (strength, words) == (pytest.approx(0.6), "medium x")
    # One of ten rows below is enough: 0.8 − 0.4, and A = (11 + 4 · 9) / 110.
    rest = [-5, 20, 20, 20, 20, 20, 1.5, 1.5, 1.5, 1.5]
    assert trait_of(own, rest) == (pytest.approx(0.4), "medium x")
    # One of eleven is not: A = 11 / 121 + 4 · 9 / 121.
    strength, words = trait_of(own, [*rest, 20])
    assert (strength, words) == (pytest.approx(1 - 2 * 47 / 121), "low x")


def test_numbers_are_low_or_high_and_dates_early_or_late():
    # Of nine pairs seven are won, one is a tie and one is lost: A = 15/18.
    assert trait_of([1, 3, 4], [0, 3, 0]) == (pytest.approx(2 / 3), "high x")
    assert trait_of([1, 2], [5, 6, 7], "date") == (1.0, "early x")
    assert trait_of([5, 6, 7], [1, 2], "date") == (1.0, "late x")


@pytest.mark.parametrize(
    ("own", "rest", "strength", "words"),
    [
        ((100, 0), (0, 100), 1.0, "c a"),
        ((99, 1), (0, 100), 0.99, "c mostly a"),  # not above 0.99
        ((60, 40), (0, 100), 0.6, "c mostly a"),
        ((51, 49), (0, 100), 0.51, "c mostly a"),
        ((50, 50), (0, 100), 0.5, "c more often a"),  # not above one half
        ((0, 100), (100, 0), 1.0, "c not a"),
        ((0, 50, 50), (40, 30, 30), 0.4, "c not a"),
        ((1, 49, 50), (41, 29, 30), 0.4, "c rarely a"),  # not below 0.01
        ((20, 40, 40), (60, 20, 20), 0.4, "c rarely a"),
    ],
)
def test_the_share_of_a_level_in_words(own, rest, strength, words):
    # Where two levels differ by the same share, the first one is named.
    values = np.repeat(np.arange(float(len(own))).tolist() * 2, [*own, *rest])
    view = ColumnView("c", "category", values, ("a", "b", "c"))
    told = _of_category(view, np.arange(len(values)) < sum(own))
    assert told == (pytest.approx(strength), words)


def test_traits_are_sorted_by_strength_then_weight_and_weak_ones_are_left_out():
    inside = np.arange(20) < 10

    def levels(own, rest):
        return ColumnView("c", "category", np.repeat([0.0, 1, 2] * 2, [*own, *rest]), tuple("abc"))

    # Shares 0.3 − 0, which is just enough; 0.2 − 0; 1 − 0.5 twice; 1 − 0.
    twice = levels((10, 0, 0), (5, 5, 0))
    views = [
        *(levels((3, 4, 3), (0, 5, 5)), levels((2, 4, 4), (0, 5, 5))),
        *(twice, twice, levels((10, 0, 0), (0, 5, 5))),
    ]
    weights = np.array([9.0, 9.0, 1.0, 2.0, 0.1])
    traits = find_traits(observe(views, weights), inside, weights)
    assert [trait.column for trait in traits] == [4, 3, 2, 0]
    assert [trait.strength for trait in traits] == [1.0, 0.5, 0.5, 0.3]


def test_a_column_known_on_one_side_only_is_no_trait():
    inside = np.array([True, True, False, False])
    views = [
        ColumnView("own", "number", np.array([1.0, 2.0, np.nan, np.nan])),
        ColumnView("rest", "number", np.array([np.nan, np.nan, 1.0, 2.0])),
    ]
    assert find_traits(observe(views, np.ones(2)), inside, np.ones(2)) == []


def clusters_that_differ_in(column):
    """Three clusters of ten rows; the first two differ in one column of five alone."""
    labels = np.repeat([0, 1, 2], 10)
    same = (labels == 2).astype(float)
    # Level a: 8, 2 and 5 of ten rows, so 0.8 − 0.35 and 0.2 − 0.65. The two others share the rest.
    differs = np.r_[[0] * 8, 1, 2, 0, 0, [1] * 4, [2] * 4, [0] * 5, [1] * 3, [2] * 2].astype(float)
    views = [
        ColumnView(f"c{j}", "category", differs if j == column else same, ("a", "b", "c"))
        for j in range(1, 6)
    ]
    return views, labels, np.array([5.0, 4.0, 3.0, 2.0, 1.0])


def test_a_name_has_as_many_traits_as_it_takes_up_to_four():
    # Columns that the first two share are stronger: 1 − 0.5. Without the fifth column, the fourth
    # trait is the one that differs.
    views, labels, weights = clusters_that_differ_in(4)
    names = name_clusters(views[:4], labels, weights)
    assert names == {
        0: "c1 a, c2 a, c3 a, c4 mostly a",
        1: "c1 a, c2 a, c3 a, c4 rarely a",
        2: "c1 not a, c2 not a, c3 not a",
    }
    # A fifth trait is not used: names get numbers.
    names = name_clusters(*clusters_that_differ_in(5))
    assert names == {
        0: "c1 a, c2 a, c3 a, c4 a",
        1: "c1 a, c2 a, c3 a, c4 a (2)",
        2: "c1 not a, c2 not a, c3 not a, c4 not a",
    }
    # Two are enough where they differ.
    views, labels, weights = clusters_that_differ_in(0)
    labels = np.repeat([0, 1], [20, 10])
    assert name_clusters(views, labels, weights) == {0: "c1 a, c2 a", 1: "c1 not a, c2 not a"}


def test_conditions_hold_above_low_and_up_to_high():
    values = np.array([1.0, 2.0, 3.0, np.nan])
    assert Condition(0, low=1.0, high=2.0).holds(values).tolist() == [False, True, False, False]
    assert Condition(0, levels=(1, 3)).holds(values).tolist() == [True, False, True, False]
    both = Condition(4, 1.0, 9.0).narrowed(Condition(4, 0.0, 5.0))
    assert both == (4, 1.0, 5.0, ())
    assert Condition(4, levels=(1, 2, 3)).narrowed(Condition(4, levels=(3, 1, 0))).levels == (1, 3)


def test_conditions_in_words():
    number = ColumnView("x", "number", np.array([1.0]))
    assert Condition(0, high=2.0).show(number) == "x ≤ 2"
    assert Condition(0, low=1.0).show(number) == "x > 1"
    assert Condition(0, low=1.0, high=2.0).show(number) == "1 < x ≤ 2"
    ordered = ColumnView("g", "ordered", np.array([0.0]), ("a", "b", "c", "d"))
    assert Condition(0, low=2.5).show(ordered) == "g = d"
    assert Condition(0, high=0.5).show(ordered) == "g = a"
    assert Condition(0, low=0.5, high=2.0).show(ordered) == "b ≤ g ≤ c"
    assert Condition(0, low=1.0, high=3.0).show(ordered) == "g ≥ c"
    assert Condition(0, high=2.9).show(ordered) == "g ≤ c"


@pytest.mark.parametrize(
    ("levels", "n_levels", "text"),
    [
        ((1,), 4, "c = b"),
        ((0, 1), 3, "c is a or b"),  # as long as "not c"
        ((0, 1, 3), 4, "c is not c"),
        ((0, 1, 4), 5, "c is neither c nor d"),
        ((0, 1, 4), 6, "c is a, b or e"),
        ((0, 1, 2), 3, "c is a, b or c"),
    ],
)
def test_levels_in_words(levels, n_levels, text):
    view = ColumnView("c", "category", np.zeros(1), tuple("abcdef"[:n_levels]))
    told = Condition(0, levels=levels).to_dict(view)
    assert told == {
        **{"column": "c", "low": None, "high": None},
        **{"levels": ["abcdef"[level] for level in levels], "text": text},
    }


def test_bounds_in_plain_types():
    view = ColumnView("x", "number", np.zeros(1))
    told = Condition(0, low=1.0, high=2.0).to_dict(view)
    assert told == {"column": "x", "low": 1.0, "high": 2.0, "levels": [], "text": "1 < x ≤ 2"}


def test_sets_of_levels_begin_with_the_most_characteristic():
    # Shares of the cluster: b 2 of 2, a 2 of 3, c 2 of 3, d 0 of 1, e none at all. Where shares
    # are the same, more rows of the cluster come first, then the first level.
    codes = np.array([1, 1, 0, 0, 0, 2, 2, 2, 3, np.nan])
    inside = np.array([1, 1, 1, 1, 0, 1, 1, 0, 0, 1], dtype=bool)
    view = ColumnView("c", "category", codes, ("a", "b", "c", "d", "e"))
    found = possible_conditions(view, 3, inside)
    assert [each.levels for each in found] == [(1,), (0, 1), (0, 1, 2)]
    assert {each.column for each in found} == {3}
    # At most eight levels, of nine.
    nine = ColumnView("c", "category", np.arange(10.0), tuple("abcdefghij"))
    found = possible_conditions(nine, 0, np.arange(10) < 9)
    assert [each.levels for each in found] == [tuple(range(n)) for n in range(1, 9)]


def test_cuts_may_leave_out_some_rows_of_the_cluster():
    # 101 rows of the cluster at 0, …, 100; other rows between them. Shares 0 to 0.4 of 100 leave
    # out 0, 1, 2, 3, 5, 8, 12, 20, 30 and 40 rows on either side.
    own, rest = np.arange(101.0), np.arange(-1.0, 101.0) + 0.5
    view = ColumnView("x", "number", np.r_[own, rest])
    found = possible_conditions(view, 0, np.arange(len(view.values)) < 101)
    left_out = np.array([0, 1, 2, 3, 5, 8, 12, 20, 30, 40])
    lows = np.array([each.low for each in found if each.high == np.inf])
    highs = np.array([each.high for each in found if each.low == -np.inf])
    assert len(lows) == len(highs) == 10
    assert ((left_out - 0.5 <= lows) & (lows < left_out)).all()
    highest = np.sort(100 - left_out)
    assert ((highest <= highs) & (highs < highest + 0.5)).all()


def test_f_counts_precision_twice():
    # Precision 3/4, coverage 3/5: 1.25 · 0.45 / (0.25 · 0.75 + 0.6) = 5/7.
    assert _f_measure(np.array(3.0), np.array(4.0), 5.0) == pytest.approx(5 / 7)


def test_a_second_condition_on_a_column_narrows_the_first():
    first, other, second = Condition(0, low=1.0), Condition(1, high=5.0), Condition(0, high=3.0)
    assert _added((first,), other) == (first, other)
    assert _added((first, other), second) == (Condition(0, 1.0, 3.0), other)
    assert _added((other, first), second) == (other, Condition(0, 1.0, 3.0))


def test_beams_are_the_best_of_each_set_of_rows():
    rows = np.eye(12, dtype=bool)
    beams = [_Beam(float(n), (Condition(n),), rows[n]) for n in range(12)]
    again = _Beam(3.5, (Condition(20),), rows[3])
    kept = _distinct([*beams, again])
    assert [beam.score for beam in kept] == [11.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0][:N_BEAMS]
    assert _distinct([beams[3], again]) == [again]


def test_the_most_telling_columns_come_first_and_the_others_are_left_out():
    # Column j separates 60 − j of the 60 rows that are not in the cluster.
    inside = np.arange(70) < 10
    columns = [np.where(inside | (np.arange(70) < 10 + j), 0.0, 1.0) for j in range(50)]
    views = number_views(np.column_stack([np.zeros(70), *columns[::-1]]), list(map(str, range(51))))
    conditions, masks = _telling_conditions(views, inside)
    assert [each.column for each in conditions] == list(range(50, 50 - N_COLUMNS, -1))
    assert masks.sum(axis=1).tolist() == [10 + j for j in range(N_COLUMNS)]
    none, empty = _telling_conditions(views[:1], inside)
    assert (none, empty.shape) == ([], (0, 70))


def test_rows_are_spread_evenly_over_each_cluster():
    labels = np.repeat([0, 1], [90, 30])
    # 40 of 120 rows: 30 of 90, and 10 of 30, from the first to the last.
    rows = spread_rows(labels, 40)
    assert np.bincount(labels[rows]).tolist() == [30, 10]
    assert rows[[0, 29, 30, 39]].tolist() == [0, 89, 90, 119]
    assert np.isin(np.diff(rows[:30]), [3, 4]).all()
    # A third of 30 is less than the fewest; no cluster gives more rows than it has.
    assert np.bincount(labels[spread_rows(labels, 12)]).tolist() == [9, FEWEST_TO_SPLIT]
    small = np.repeat([0, 1], [100, 3])
    assert np.bincount(small[spread_rows(small, 102)]).tolist() == [99, 3]
    assert spread_rows(labels, 120).tolist() == list(range(120))
    assert MAX_ROWS > 120


def test_a_cluster_in_two_columns_needs_both():
    # The cluster is the rows with x > 4 and y ≤ 4; each column alone takes twice as many rows.
    x, y = (np.ravel(side) for side in np.meshgrid(np.arange(10.0), np.arange(10.0)))
    labels = ((x > 4) & (y <= 4)).astype(int)
    views = number_views(np.column_stack([x, y]), ["x", "y"])
    rule = find_rules(views, labels, np.ones(2))[1]
    assert [each["text"] for each in rule.conditions] == ["x > 4", "y ≤ 4"]
    assert (rule.precision, rule.coverage) == (1.0, 1.0)
    assert rule.n_rows == 25 + 8  # every third of 75 and of 25
    single = find_rules(views, labels, np.ones(2), max_conditions=1)[1]
    assert len(single.conditions) == 1
    assert single.precision < 0.7
    # The words of a rule give its own numbers as whole percents.
    told = f"{single.conditions[0]['text']} (precision {single.precision:.0%}, "
    assert str(single) == f"cluster 1: {told}coverage {single.coverage:.0%})"


def test_a_condition_that_helps_too_little_is_left_out():
    # 299 of the 300 rows that x selects are the cluster's. Without the last one, F rises from
    # 1.25 · 299 / (0.25 · 299 + 300) = 0.997 to 1, by less than the price of a condition.
    x = np.repeat([0.0, 1.0], [300, 300])
    labels = np.repeat([0, 1, 1], [299, 1, 300])
    y = np.where(np.arange(600) == 299, 1.0, 0.0)
    rule = find_rules(number_views(np.column_stack([x, y]), ["x", "y"]), labels, np.ones(2))[0]
    assert rule.columns == ("x",)


def test_outliers_are_rows_that_a_single_cluster_can_be_told_from():
    X = np.r_[np.arange(30.0), 100 + np.arange(30.0)][:, None]
    labels = np.repeat([0, -1], 30)
    (rule,) = find_rules(number_views(X, ["x"]), labels, np.ones(1))
    assert [each["text"] for each in rule.conditions] == ["x ≤ 60"]


def test_numbers_after_names_are_new_names():
    # A column may itself be called "x (2)".
    names = {0: "x", 1: "x", 2: "x (2)", 3: "y", 4: "x"}
    assert _numbered(names) == {0: "x", 1: "x (3)", 2: "x (2)", 3: "y", 4: "x (4)"}
    assert _numbered({0: "y", 1: "y", 2: "y"}) == {0: "y", 1: "y (2)", 2: "y (3)"}
