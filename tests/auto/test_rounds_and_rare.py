"""Rounds on parts of the rows, and rare clusters, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

from weft.auto import rare, repeating, rows
from weft.auto.clock import Clock
from weft.auto.rare import Core, Known, RareCluster, Way, core_rows, find_rare, has_valley, way_to
from weft.auto.repeating import repeat_search
from weft.auto.resampling import (
    Repeat,
    RepeatedSearch,
    Rounds,
    cluster_stability,
    rows_of_round,
    weight_interval,
)
from weft.auto.rows import RowsInMemory
from weft.auto.search import Answer, Partition, Settings
from weft.columns.screening import Screening
from weft.columns.weights import association

# Rounds -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "size"), [(4, 4), (5, 4), (6, 4), (8, 5), (714, 499), (720, 500)])
def test_seven_tenths_of_the_rows_are_in_a_round(n, size):
    found = rows_of_round(n, 3, 2)
    drawn = np.random.default_rng([3, 1, 2]).choice(n, size, replace=False)
    assert_array_equal(found, np.sort(drawn))


def test_the_best_round_is_noted():
    swarm = Rounds()
    state = swarm.start(np.array([[4.0]]), None)
    assert (state.best_position.tolist(), state.best_fitness) == ([4.0], -np.inf)
    state = swarm.tell(state, np.array([0.5]))
    later = swarm.ask(state, None)
    assert later.positions.tolist() == [[5.0]]
    assert swarm.tell(later, np.array([0.5])) is later
    assert swarm.tell(later, np.array([0.4])) is later
    better = swarm.tell(later, np.array([0.6]))
    assert (better.best_position.tolist(), better.best_fitness) == ([5.0], 0.6)


def test_a_round_is_compared_with_the_answer():
    labels = np.array([0, 0, 1, 1, 2, 2])
    made = Repeat(np.array([0, 1, 2, 4]), np.array([0, 1, 1, 2]), np.array([True]))
    asked = []
    search = RepeatedSearch(labels, 1, 3, lambda number: asked.append(number) or made)
    found = search(np.array([[2.0]]))
    assert asked == [2]
    expected = adjusted_rand_score([0, 0, 1, 2], [0, 1, 1, 2])
    assert found.fitness.tolist() == [pytest.approx(expected)]
    assert found[1]["n_clusters"].tolist() == [3]
    assert search.repeats == [made]


def test_stability_of_clusters_that_a_repeat_does_not_have():
    labels = np.array([0, 0, 1, 1, -1, 2])
    repeats = [
        Repeat(np.array([0, 2, 3, 4]), np.array([0, 0, 1, 1]), np.array([True])),
        Repeat(np.array([0, 1, 5]), np.array([-1, -1, 0]), np.array([True])),
    ]
    # First: {0} with {0, 2} a half; {2, 3} with {0, 2} or {3, 4} a third; nothing of cluster 2.
    # Second: clusters 0 and 1 have nothing, cluster 2 is the same.
    assert_allclose(cluster_stability(labels, repeats), [0.25, 1 / 6, 0.5])
    none = [Repeat(np.array([0, 1]), np.array([-1, -1]), np.array([True]))]
    assert_array_equal(cluster_stability(labels, none), np.zeros(3))


def test_weights_over_repeats_by_definition():
    rng = np.random.default_rng(0)
    table = rng.standard_normal((40, 3)) + 4.0 * (np.arange(40) % 2)[:, None] * [1, 0.3, 0]
    weights = np.array([1.0, 0.5, 0.0])
    repeats, drawn = [], []
    for number in range(4):
        chosen = np.sort(rng.choice(40, 25, replace=False))
        labels = chosen % 2
        labels[number] = -1
        kept = np.array([True, number != 1, True])
        repeats.append(Repeat(chosen, labels, kept))
        used = kept & (weights > 0.0)
        own = np.zeros(3)
        inside = labels >= 0
        own[used] = association(table[chosen[inside]][:, used], labels[inside])
        drawn.append(own)
    # A round without clusters, and one without columns, count as 0.
    repeats.append(Repeat(np.arange(25), np.zeros(25, dtype=int), np.ones(3, dtype=bool)))
    repeats.append(Repeat(np.arange(25), np.arange(25) % 2, np.array([False, False, True])))
    drawn += [np.zeros(3)] * 2
    expected = np.quantile(drawn, [0.05, 0.95], axis=0)
    assert_allclose(weight_interval(table, weights, repeats), expected)


@pytest.mark.parametrize(
    ("method", "n_rounds", "used", "n_repeats"),
    [("m", 2, 4.9, 2), ("", 2, 0.0, 0), ("m", 0, 0.0, 0), ("m", 2, 5.1, 0)],
)
def test_rounds_run_until_half_of_the_time_is_over(monkeypatch, method, n_rounds, used, n_repeats):
    kept = np.ones(1, dtype=bool)
    labels = np.array([0, 1, 1])
    screening = Screening(kept, kept, np.zeros(1, int), np.ones(1))
    answer = Answer(
        np.arange(3),
        labels,
        Partition(labels, kept, screening, 0.5, method),
        np.ones(1),
        [],
        [],
        "",
    )
    settings = Settings(0.05, None, None, None, 1, False, n_rounds, None, 0)
    clock = Clock(10.0, lambda: "")
    monkeypatch.setattr("weft.auto.clock.time.monotonic", lambda: clock.start + used)
    asked, seen = [], []

    def rounds(number):
        asked.append(number)
        return Repeat(np.arange(3), labels, kept)

    found = repeat_search(rounds, answer, settings, clock, [lambda generation: seen.append(1)])
    assert len(found) == n_repeats
    assert asked == list(range(n_repeats))
    assert len(seen) == n_repeats
    # A stop in between ends the rounds.
    if n_repeats:
        asked.clear()
        late = Clock(None, lambda: "a signal" if asked else "")
        assert len(repeat_search(rounds, answer, settings, late, None)) == 1
        assert late.stopped_by == "a signal"
    assert repeating.ROWS_PER_THREAD == 100


# Rare clusters ------------------------------------------------------------------------------------


def test_rows_in_memory_are_folded_in_their_order(monkeypatch):
    monkeypatch.setattr(rows, "PART_ROWS", 3)
    X = np.arange(7.0)[:, None]
    for n_threads in (1, 2):
        found = RowsInMemory(X, n_threads).fold(
            lambda first, part, state: (first, part.ravel().tolist(), state), list, "state"
        )
        assert found == [
            *((0, [0.0, 1.0, 2.0], "state"), (3, [3.0, 4.0, 5.0], "state"), (6, [6.0], "state"))
        ]


def test_the_core_of_many_rows_by_definition():
    rng = np.random.default_rng(0)
    points = rng.standard_normal((320, 2))
    labels = np.r_[np.zeros(300), np.full(20, 1)].astype(int)
    core, usual = core_rows(points, labels)
    # A hundredth of 320 rows is three; clusters of more than six rows lose their lonely ones.
    gaps = cdist(points, points)
    reach = np.sort(gaps, axis=1)[:, 3]
    expected = np.ones(320, dtype=bool)
    for label in (0, 1):
        own = labels == label
        expected[own] = reach[own] <= 1.5 * np.median(reach[own])
    assert_array_equal(core, expected)
    np.fill_diagonal(gaps, np.inf)
    nearest = gaps[np.ix_(core, core)].min(axis=1)
    assert usual == pytest.approx(np.quantile(nearest, 0.99))
    # Six rows are a cluster of few rows, seven are not.
    for n, is_whole in ((6, True), (7, False)):
        few = np.r_[np.zeros(320 - n), np.ones(n)].astype(int)
        far = points.copy()
        far[-1] = 99.0
        assert core_rows(far, few)[0][-1] == is_whole


def valley_by_definition(counts):
    windows = [sum(counts[at : at + 4]) for at in range(len(counts) - 3)]
    last = windows[-8:]
    peak = max(last)
    place = len(windows) - 8 + last.index(peak)
    lowest = min([peak, *windows[:place]])
    return peak >= 10 and peak >= 2 * lowest and peak - lowest >= 2.3 * np.sqrt(peak + lowest)


def test_valleys_by_definition():
    rng = np.random.default_rng(0)
    answers = set()
    for _ in range(300):
        counts = rng.integers(0, 6, 14)
        counts[:3] += 20
        assert has_valley(counts) == valley_by_definition(counts.tolist())
        answers.add(has_valley(counts))
    assert answers == {True, False}


def test_a_way_along_the_line_to_the_nearest_cluster():
    rng = np.random.default_rng(1)
    anchors = rng.standard_normal((40, 3))
    anchors[20:, 0] += 30.0
    labels = np.repeat([0, 1], 20)
    metric = np.array([1.0, 0.0, 2.0])
    group = rng.standard_normal((12, 3)) + np.array([8.0, 50.0, 3.0])
    way = way_to(group, Known(anchors, labels, metric))
    start = anchors[:20, [0, 2]].mean(axis=0) * [1.0, 2.0]
    places = group[:, [0, 2]] * [1.0, 2.0] - start
    line = places.mean(axis=0)
    length = np.linalg.norm(line)
    along = places @ line / length
    aside = (places**2).sum(axis=1) - along**2
    assert_allclose(way.start, start)
    assert_allclose(way.axis, line / length)
    assert way.length == pytest.approx(length)
    assert way.width == pytest.approx(max(along.std(), length / 4))
    assert way.reach == pytest.approx(np.quantile(aside, 0.9))
    assert isinstance(way, Way)
    small = way_to(1e-6 * group, Known(1e-6 * anchors, labels, metric))
    assert_allclose(small.axis, way.axis)
    assert small.length == pytest.approx(1e-6 * length)


def test_rare_clusters_from_given_parts(monkeypatch):
    # 200 anchors in two columns, of which the second has no weight; anchors 0 and 1 are not in the
    # core, and the first is among the rows of the group.
    anchors = np.column_stack([np.arange(200.0), np.zeros(200)])
    known = Known(anchors, np.zeros(200, dtype=int), np.array([2.0, 0.0]))
    core = np.arange(200) > 1
    asked = {}

    def core_of(points, labels):
        asked["points"] = points
        return core, 0.5

    def linked(far, metric, smallest):
        asked["smallest"] = smallest
        return [np.array([0, 2]), np.array([1])]

    valleys = iter([True, False])
    monkeypatch.setattr(rare, "core_rows", core_of)
    monkeypatch.setattr(rare, "linked_groups", linked)
    monkeypatch.setattr(rare, "has_valley", lambda count: next(valleys))
    X = np.array([[-50.0, 9.0], [0.0, 7.0], [150.0, 1.0], [-60.0, 2.0]])
    (found,) = find_rare(RowsInMemory(X), known, 3)
    assert_array_equal(asked["points"], 2.0 * anchors[:, :1])
    assert asked["smallest"] == 10
    assert isinstance(found, RareCluster)
    # The farthest first: rows 3, 0 and 1; the group has the first and the last of them.
    assert found.number.tolist() == [3, 1]
    assert_array_equal(found.rows, X[[3, 1]])
    # Row 1 equals anchor 0 in the column that counts.
    assert found.anchors.tolist() == [0]
    valleys = iter([True, True])
    assert len(find_rare(RowsInMemory(X), known, 30)) == 2
    assert asked["smallest"] == 30
    # A group that holds more than a fiftieth of the anchors was a cluster already.
    core = np.arange(200) > 9
    valleys = iter([True, True])
    five = np.column_stack([np.array([-60.0, -50.0, 0.0, 1.0, 2.0, 3.0, 4.0]), np.zeros(7)])
    monkeypatch.setattr(rare, "linked_groups", lambda far, metric, smallest: [np.arange(6)])
    (four,) = find_rare(RowsInMemory(five), known, 3)
    assert len(four.anchors) == 4
    monkeypatch.setattr(rare, "linked_groups", lambda far, metric, smallest: [np.arange(7)])
    assert find_rare(RowsInMemory(five), known, 3) == []
    monkeypatch.setattr(rare, "linked_groups", lambda far, metric, smallest: [])
    assert find_rare(RowsInMemory(five), known, 3) == []
    assert Core(known, 0.5).usual == 0.5
