"""When a search first has the right clusters: evaluations counted by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from weft.search.reached import Reached, bind_all

TRUTH = [0, 0, 1, 1]
GUESSES = {"one": [0, 0, 0, 0], "wrong": [0, 1, 0, 1], "near": [0, 0, 0, 1], "right": [1, 1, 0, 0]}


def told(reached, best, fitness, n_evaluations):
    return reached(
        SimpleNamespace(best_position=best, best_fitness=fitness, n_evaluations=n_evaluations)
    )


def bound(n_before=0, **settings):
    reached = Reached(TRUTH, **{"threshold": 0.9, **settings})
    asked = []
    reached.bind(lambda best: asked.append(best) or np.array(GUESSES[best]), n_before)
    return reached, asked


@pytest.mark.parametrize("stop", [False, True])
def test_the_first_right_partition_counts(stop):
    reached, asked = bound(100, stop=stop)
    assert reached.n_evaluations == np.inf
    assert not told(reached, "wrong", 1.0, 10)
    assert not told(reached, "right", 1.0, 20)  # no better than before: it is not looked at
    assert not told(reached, "near", 2.0, 30)
    assert told(reached, "right", 3.0, 40) is stop
    assert reached.n_evaluations == 140
    assert not told(reached, "right", 3.0, 50)
    assert told(reached, "one", 4.0, 60) is stop
    assert reached.n_evaluations == 140
    assert asked == ["wrong", "near", "right"]


@pytest.mark.parametrize(("threshold", "n_evaluations"), [(0.75, 30), (0.76, 40)])
def test_the_accuracy_that_is_enough(threshold, n_evaluations):
    reached, _ = bound(threshold=threshold)
    told(reached, "near", 1.0, 30)
    told(reached, "right", 2.0, 40)
    assert reached.n_evaluations == n_evaluations


def test_it_waits_until_it_is_bound_and_starts_again_with_each_search():
    reached = Reached(TRUTH, threshold=0.9)
    assert reached.stop is False
    assert not told(reached, "right", 1.0, 10)
    assert reached.n_evaluations == np.inf
    calls = bind_all([print, reached], lambda best: np.array(GUESSES[best]))
    assert calls == [print, reached]
    told(reached, "wrong", 5.0, 10)
    bind_all([reached], lambda best: np.array(GUESSES[best]), 10)
    told(reached, "right", 1.0, 7)
    assert reached.n_evaluations == 17
    assert bind_all(None, len) == []
    for bind in (reached.bind, lambda labels_of: bind_all([reached], labels_of)):
        reached.n_evaluations = np.inf
        bind(lambda best: np.array(GUESSES[best]))  # no evaluations before
        told(reached, "right", 1.0, 7)
        assert reached.n_evaluations == 7
