"""Repeats of a search: what comes out again, hand-solved, and what a checkpoint may hold."""

import numpy as np
import pytest

from weft.auto.repeating import threads_for
from weft.auto.resampling import (
    Repeat,
    RepeatedSearch,
    Rounds,
    cluster_stability,
    rows_of_round,
    stability_of,
    weight_interval,
)

LABELS = np.array([0, 0, 0, 0, 1, 1, 1, 1])


def repeat_of(rows, labels, kept=(True, True)):
    return Repeat(np.array(rows), np.array(labels), np.array(kept))


def test_stability_of_equal_and_unlike_repeats():
    same = repeat_of([0, 1, 4, 5], [1, 1, 0, 0])
    assert stability_of(LABELS, [same]) == 1.0
    # One cluster where the answer has two: an adjusted Rand index of 0.
    one = repeat_of([0, 1, 4, 5], [0, 0, 0, 0])
    assert stability_of(LABELS, [same, one]) == 0.5


def test_stability_of_each_cluster():
    # Of the rows 0 1 2 | 4 5 the repeat makes {0, 1} and {2, 4, 5}: cluster 0 meets {0, 1} with a
    # Jaccard index of 2/3, cluster 1 meets {2, 4, 5} with 2/3.
    repeat = repeat_of([0, 1, 2, 4, 5], [0, 0, 1, 1, 1])
    assert cluster_stability(LABELS, [repeat]) == pytest.approx([2 / 3, 2 / 3])
    # An outlier of the repeat belongs to none of its clusters: {4} of {4, 5}.
    repeat = repeat_of([0, 1, 4, 5], [0, 0, 1, -1])
    assert cluster_stability(LABELS, [repeat]) == pytest.approx([1.0, 0.5])


def test_weights_of_columns_that_a_repeat_dropped_are_zero():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 50)
    table = np.c_[labels + 0.01 * rng.normal(size=100), rng.normal(size=100)]
    repeats = [repeat_of(np.arange(100), labels, (True, False))]
    low, high = weight_interval(table, np.array([1.0, 0.5]), repeats)
    assert high.tolist() == [1.0, 0.0]
    assert low.tolist() == [1.0, 0.0]


def objective(n_rounds=3):
    calls = []

    def repeat(number):
        rows = rows_of_round(len(LABELS), 0, number)
        calls.append(rows)
        return Repeat(rows, LABELS[rows], np.array([True, False]))

    return RepeatedSearch(LABELS, 2, n_rounds, repeat), calls


def test_rounds_are_numbered_and_draw_other_rows():
    search, calls = objective()
    swarm = Rounds()
    state = swarm.start(np.zeros((1, 1)), None)
    for _ in range(3):
        evaluation = search(state.positions)
        state = swarm.ask(swarm.tell(state, evaluation.fitness), None)
        assert evaluation.fitness.tolist() == [1.0]
    assert state.best_fitness == 1.0
    assert len(calls) == 3
    assert len({rows.tobytes() for rows in calls}) > 1
    assert all(len(rows) == 5 for rows in calls)  # seven tenths of 8 rows


def test_a_state_is_restored_and_a_forged_one_refused():
    search, _ = objective()
    search(np.zeros((1, 1)))
    state = search.get_state()
    other, _ = objective()
    other.set_state(state)
    np.testing.assert_array_equal(other.repeats[0].labels, search.repeats[0].labels)
    rows, labels, kept = state["repeats"][0]
    for forged in (
        (rows + 100, labels, kept),
        (rows, labels[:-1], kept),
        (rows, labels + 10**9, kept),
        (rows, labels, kept[:1]),
        (rows, labels.astype(float), kept),
    ):
        with pytest.raises(ValueError, match="do not fit"):
            other.set_state({"repeats": [forged]})


def test_positions_that_are_rounds():
    search, _ = objective()
    assert search.accepts(np.array([[2.0]]))
    assert not search.accepts(np.array([[3.0]]))
    assert not search.accepts(np.array([[0.5]]))
    assert not search.accepts(np.array([[-1.0]]))


@pytest.mark.parametrize(
    ("n_rows", "n_threads", "expected"),
    [(20, 16, 2), (200, 16, 4), (200, 3, 3), (2000, 16, 16), (20, 1, 1)],
)
def test_few_rows_take_few_threads(n_rows, n_threads, expected):
    assert threads_for(n_rows, n_threads) == expected
