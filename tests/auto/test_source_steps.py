"""Candidates of mixed tables, their evidence and what is left in them, against definitions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score
from tests.auto.source_cases import HALVES, THIRDS, candidate, categories
from tests.golden.evidence import mixed_table

from weft.auto import source_family, source_rest
from weft.auto.source_family import (
    CLASSES,
    DEPENDENT,
    KMEANS,
    _all_ways,
    _Clustering,
    _likelihoods,
    _packed,
    _stability,
    _view_of,
    source_candidates,
)
from weft.auto.source_judge import confidence_of, reasons_of, why_behind
from weft.auto.source_rest import is_product, look_into_clusters, put_repetitions_behind
from weft.columns.mixed import along_main_directions, learn_main_view
from weft.columns.mixed.classes import fit_classes, joint_likelihood, profile_of
from weft.columns.mixed.dependent import dependent_likelihood, dependents_of, fit_dependent
from weft.columns.mixed.repeats import Repetition
from weft.columns.source import MixedTable
from weft.kmeans.plain import kmeans

# Clumps within clusters ---------------------------------------------------------------------------


def looked_into(monkeypatch, found, clumps):
    """Examine clusterings whose clumps are given by their number of clusters."""
    asked = []

    def remaining(labels, table, rng):
        asked.append(int(labels.max()) + 1)
        return clumps[asked[-1]]

    monkeypatch.setattr(source_rest, "remaining_clumps", remaining)
    order = look_into_clusters(found, None, None)
    return [(each.n_clusters, each.way, each.remaining) for each in order], asked


QUARTERS, SIXTHS = np.arange(24) // 6, np.arange(24) // 4


def test_the_search_for_clumps_ends_with_the_first(monkeypatch):
    # Scores fall with the number of clusters. Three more deviations than are usual cost 3.
    two, again = candidate(), candidate(1 - HALVES, CLASSES, ratio=0.9)
    three = candidate(THIRDS)
    order, asked = looked_into(monkeypatch, [three, again, two], {2: 5.5, 3: 1.0})
    assert asked == [2, 3]
    # The two clusterings in two say the same and share the result.
    assert order == [(3, KMEANS, 1.0), (2, CLASSES, 5.5), (2, KMEANS, 5.5)]
    # Nothing is clumped: the first stays, and others are not examined.
    order, asked = looked_into(monkeypatch, [three, two], {2: 0.5})
    assert (asked, order) == ([2], [(2, KMEANS, 0.5), (3, KMEANS, 0.0)])


def test_fewer_clusters_have_at_least_the_clumps_of_more(monkeypatch):
    # Three clusters lead; their clumps count for the two that were not examined as well.
    three = candidate(THIRDS, ratio=1.0)
    two = candidate(ratio=0.1, joint_ratio=0.1)
    order, asked = looked_into(monkeypatch, [three, two], {3: 9.0, 2: 4.0})
    assert asked == [3]
    assert order == [(3, KMEANS, 9.0), (2, KMEANS, 9.0)]
    # Another clustering with the same number of clusters does not share them.
    other = candidate(np.arange(24) % 3, CLASSES, ratio=0.1, joint_ratio=0.1)
    order, asked = looked_into(monkeypatch, [three, other], {3: 1.0})
    assert (asked, order[1]) == ([3], (3, CLASSES, 0.0))


def test_at_most_four_clusterings_are_examined(monkeypatch):
    # Scores fall by 1.83 log(8 / 2) = 2.5 from two to eight clusters, and clumps cost 3.
    found = [candidate(labels) for labels in (HALVES, THIRDS, QUARTERS, SIXTHS)]
    found.append(candidate(np.arange(24) // 3))
    order, asked = looked_into(monkeypatch, found, dict.fromkeys(range(2, 9), 9.0))
    assert asked == [2, 3, 4, 6]
    assert order[0] == (8, KMEANS, 0.0)
    unstable = [candidate(stability=0.49)]
    assert looked_into(monkeypatch, unstable, {})[1] == []
    stable = [candidate(stability=0.5)]
    assert looked_into(monkeypatch, stable, {2: 1.0})[1] == [2]


def test_clusterings_that_only_repeat_a_category_come_last(monkeypatch):
    mere, fair = Repetition((0,), 1.0, 0.1), Repetition((0,), 1.0, 0.9)
    script = {}
    monkeypatch.setattr(source_rest, "find_repetition", lambda labels, table: script[len(labels)])
    monkeypatch.setattr(source_rest, "describe_repetition", lambda repetition, table: "why")

    def of(n, **changes):
        return candidate(np.arange(n) % 2, **changes)

    script.update({10: mere, 11: mere, 12: None, 13: fair})
    first, second, third, fourth = (of(n) for n in (10, 11, 12, 13))
    found = put_repetitions_behind([first, second, third, fourth], None)
    assert [len(each.labels) for each in found] == [12, 10, 11, 13]
    assert [each.behind for each in found] == ["", "why", "why", ""]
    found = put_repetitions_behind([first, fourth, third], None)
    assert [len(each.labels) for each in found] == [13, 10, 12]
    # All repeat, or those that do not are unstable: the order stays.
    given = [first, second]
    assert put_repetitions_behind(given, None) is given
    given = [first, of(12, stability=0.49), third]
    assert put_repetitions_behind(given, None) is given
    given = [first, of(12, stability=0.5)]
    assert put_repetitions_behind(given, None)[0] is given[1]
    # Six are tried.
    given = [first] * 5 + [third]
    assert put_repetitions_behind(given, None)[0] is third
    given = [first] * 6 + [third]
    assert put_repetitions_behind(given, None) is given


def test_products_of_clusters_and_categories():
    table = categories(3, 240)
    first, second = table.values[:, 0].astype(int), table.values[:, 1].astype(int)
    coarse = np.arange(240) // 120
    both = (coarse * 3 + first) * 3 + second
    assert is_product(both, coarse, (0, 1), table)
    assert not is_product(both, coarse, (0,), table)
    assert is_product(coarse * 3 + first, coarse, (0,), table)
    # Without a category, as many clusters are no split; rows of the first level count as well.
    assert not is_product(coarse, coarse, (), table)
    wrong = coarse * 3 + first
    wrong[first == 0] = np.arange(80) % 6
    assert not is_product(wrong, coarse, (0,), table)
    values = table.values.copy()
    values[:, 0] = np.nan
    assert not is_product(coarse * 3 + first, coarse, (0,), MixedTable(values, table.columns))


def test_confidence_has_a_least_value():
    # Evidence of -30 and less counts as -30.
    assert confidence_of(candidate(stability=-20.0)) == 1.0 / (1.0 + np.exp(30.0))
    assert confidence_of(candidate(stability=-90.0)) == 1.0 / (1.0 + np.exp(30.0))


def test_why_a_clustering_is_not_the_answer():
    assert why_behind(candidate(stability=0.5, behind="x")) == "x"
    assert why_behind(candidate(stability=0.4)) == (
        "two halves of the rows give different clusters (adjusted Rand index 0.40)"
    )
    said = reasons_of(candidate())
    assert said["for"] == [
        "two halves of the rows give nearly the same clusters (adjusted Rand index 0.90)",
        "other methods find nearly the same clusters",
        "the clusters describe the rows better than one cloud does",
    ]


# Candidates and their evidence --------------------------------------------------------------------


@pytest.fixture(scope="module")
def table():
    return mixed_table().take_rows(np.arange(0, 150, 2))


def test_a_table_as_each_method_takes_it(table):
    view = _view_of(table)
    assert_array_equal(view.points, along_main_directions(learn_main_view(table), table.values))
    assert_array_equal(view.profile.numbers, profile_of(table).numbers)
    assert_array_equal(view.dependents.numbers, dependents_of(table).numbers)
    assert _view_of(table, view).dependents is not None
    assert _view_of(table, view._replace(dependents=None)).dependents is None
    assert _packed(np.array([4, 0, 4, 9])).tolist() == [1, 0, 1, 2]


@pytest.mark.parametrize("has_dependents", [True, False])
def test_the_gains_of_each_method_by_definition(table, has_dependents):
    view = _view_of(table)
    if not has_dependents:
        view = view._replace(dependents=None)
    found = _all_ways(view, 3, np.random.default_rng(1))
    start = kmeans(view.points, 3, 10, np.random.default_rng(1)).labels
    one = np.zeros(75, dtype=np.int64)
    classes = fit_classes(view.profile, start, 3)
    plain = [
        fit_classes(view.profile, labels, int(labels.max()) + 1, max_rounds=1).likelihood
        for labels in (start, one)
    ]
    assert_array_equal(found[KMEANS].labels, start)
    assert_array_equal(found[CLASSES].labels, _packed(classes.labels))
    if not has_dependents:
        assert set(found) == {KMEANS, CLASSES}
        assert_allclose(found[KMEANS].gains, [plain[0] - plain[1]] * 2)
        assert_allclose(found[CLASSES].gains, [classes.likelihood - plain[1]] * 2)
        return
    own = fit_dependent(view.dependents, start, 3)
    joint = [
        fit_dependent(view.dependents, labels, int(labels.max()) + 1, max_rounds=1).likelihood
        for labels in (start, one, _packed(classes.labels), _packed(own.labels))
    ]
    assert_array_equal(found[DEPENDENT].labels, _packed(own.labels))
    assert_allclose(found[KMEANS].gains, [plain[0] - plain[1], joint[0] - joint[1]])
    assert_allclose(found[CLASSES].gains, [classes.likelihood - plain[1], joint[2] - joint[1]])
    of_own = fit_classes(view.profile, _packed(own.labels), 3, max_rounds=1).likelihood
    assert_allclose(found[DEPENDENT].gains, [of_own - plain[1], own.likelihood - joint[1]])
    assert_allclose(_likelihoods(view, one), [plain[1], joint[1]])


def test_halves_of_the_rows_by_definition(table):
    view = _view_of(table)
    halves = [np.array_split(np.random.default_rng(seed).permutation(75), 2) for seed in (0, 1)]
    found = _stability(view, halves, 3, np.random.default_rng(2))
    rng, agreed = np.random.default_rng(2), {KMEANS: [], CLASSES: [], DEPENDENT: []}
    for half in halves:
        labels = {KMEANS: [], CLASSES: [], DEPENDENT: []}
        for rows in half:
            own = kmeans(np.ascontiguousarray(view.points[rows]), 3, 3, rng)
            gaps = ((view.points[:, None] - own.centers) ** 2).sum(axis=2)
            labels[KMEANS].append(gaps.argmin(axis=1))
            model = fit_classes(view.profile.take(rows), own.labels, 3).model
            labels[CLASSES].append(joint_likelihood(view.profile, model).argmax(axis=1))
            model = fit_dependent(view.dependents.take(rows), own.labels, 3).model
            labels[DEPENDENT].append(dependent_likelihood(view.dependents, model).argmax(axis=1))
        for way, pair in labels.items():
            agreed[way].append(adjusted_rand_score(*pair))
    assert found == {way: pytest.approx(np.mean(values)) for way, values in agreed.items()}
    few = [[np.arange(2), np.arange(2, 75)]]
    assert set(_stability(view, few, 3, rng).values()) == {0.0}
    assert _stability(view, [[np.arange(3), np.arange(3, 75)]], 3, rng)[KMEANS] > 0.0
    none = _stability(view._replace(dependents=None), halves, 3, np.random.default_rng(2))
    assert none[DEPENDENT] == 0.0
    assert none[KMEANS] == found[KMEANS]


def test_candidates_are_put_together_by_hand(monkeypatch):
    # Two ways; the gains of four clouds are 0.125 and 0.0625 less than the usual 0.25 on average.
    table, views, calls = categories(), iter(range(100)), []
    eighths = np.repeat([0, 1], [6, 18])

    def all_ways(view, count, rng, n_starts=10):
        calls.append((view, count, n_starts))
        if view == 0:
            labels = {KMEANS: 1 - HALVES, CLASSES: eighths}
            return {way: _Clustering(own, np.array([1.0, 2.0])) for way, own in labels.items()}
        own = np.array([0.25, 0.5]) * view
        return {way: _Clustering(HALVES, own) for way in (KMEANS, CLASSES)}

    monkeypatch.setattr(source_family, "_view_of", lambda table, like=None: next(views))
    monkeypatch.setattr(source_family, "_all_ways", all_ways)
    monkeypatch.setattr(
        source_family, "_stability", lambda view, halves, count, rng: {KMEANS: 0.75, CLASSES: 0.5}
    )
    monkeypatch.setattr(source_family, "FEWEST_ROWS", 4)
    found = source_candidates(table, low=2, high=2, with_classes=True, rng=np.random.default_rng(0))
    assert calls == [(0, 2, 10), (1, 2, 3), (2, 2, 3), (3, 2, 3), (4, 2, 3)]
    first, second = found
    agreement = adjusted_rand_score(HALVES, eighths)
    assert_array_equal(first.labels, HALVES)  # numbered by first row
    assert (first.way, second.way) == (KMEANS, CLASSES)
    assert (first.stability, second.stability) == (0.75, 0.5)
    assert first.agreement == second.agreement == pytest.approx(agreement)
    # Clouds gain 0.25 · 2.5 and 0.5 · 2.5 on average.
    assert (first.gain, first.joint_gain) == (pytest.approx(0.375), pytest.approx(0.75))
    assert (first.smallest, second.smallest) == (0.06, 0.06)
    assert first.n_clusters == 2
    assert (first.ratio, first.joint_ratio, first.remaining) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("n", "low", "high", "numbers"),
    [
        (80, 2, None, [2, 3, 4]),  # 10 rows of each half and cluster
        (79, 2, None, [2, 3]),
        (80, 3, 3, [3]),
        (80, 2, 3, [2, 3]),
        (80, 6, None, [6]),  # the smallest is tried in any case
        (400, 2, None, list(range(2, 11))),
        (400, 9, 20, [9, 10]),
        (400, 12, 14, [12]),
    ],
)
def test_numbers_of_clusters_of_mixed_tables(monkeypatch, n, low, high, numbers):
    counts = []

    def all_ways(view, count, rng, n_starts=10):
        labels = np.r_[np.zeros(n - 2, dtype=int), [1, 1]]
        if n_starts == 10:
            counts.append(count)
        return {way: _Clustering(labels, np.ones(2)) for way in (KMEANS, CLASSES)}

    monkeypatch.setattr(source_family, "_view_of", lambda table, like=None: None)
    monkeypatch.setattr(source_family, "_all_ways", all_ways)
    halves_seen = []

    def stability(view, halves, count, rng):
        halves_seen.append([[len(part) for part in half] for half in halves])
        return dict.fromkeys((KMEANS, CLASSES), 1.0)

    monkeypatch.setattr(source_family, "_stability", stability)
    rng = np.random.default_rng(0)
    found = source_candidates(categories(2, n), low=low, high=high, with_classes=False, rng=rng)
    assert counts == numbers
    assert [each.way for each in found] == [KMEANS] * len(numbers)
    assert halves_seen[0] == [[n - n // 2, n // 2]] * 5
    assert found[0].smallest == pytest.approx(min(2 / n, 0.06))
    assert found[0].agreement == 1.0
