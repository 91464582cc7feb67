"""The loop and its callbacks."""

import numpy as np
import pytest

from weft.search.callbacks import History, Patience, Progress, TimeLimit, _gained
from weft.search.optimize import Generation, optimize
from weft.search.swarms.base import Evaluation
from weft.search.swarms.pso import PSO


def _run(objective, callbacks=(), n_generations=10):
    rng = np.random.default_rng(0)
    return optimize(
        objective,
        PSO(),
        rng.uniform(-2, 2, (5, 2)),
        n_generations=n_generations,
        rng=rng,
        callbacks=callbacks,
    )


def _hill(positions):
    return Evaluation(-(positions**2).sum(axis=1))


def test_the_first_swarm_is_evaluated_before_the_first_move():
    seen = []

    def objective(positions):
        seen.append(positions.copy())
        return _hill(positions)

    start = np.random.default_rng(0).uniform(-2, 2, (5, 2))
    best = _run(objective, n_generations=1)
    assert len(seen) == best.n_generations == 1
    assert best.n_evaluations == 5
    np.testing.assert_array_equal(seen[0], start)
    np.testing.assert_array_equal(best.position, start[(start**2).sum(axis=1).argmin()])


def test_one_call_per_generation_with_the_whole_swarm():
    shapes = []

    def objective(positions):
        shapes.append(positions.shape)
        return _hill(positions)

    assert _run(objective).n_generations == 10
    assert shapes == [(5, 2)] * 10


def test_every_callback_is_called_and_any_may_stop():
    calls = []

    class Closing:
        closed = 0

        def __call__(self, generation):
            calls.append("closing")

        def close(self):
            self.closed += 1

    last = Closing()
    best = _run(_hill, [lambda g: calls.append("first") or g.number == 3, last])
    assert best.n_generations == 3
    assert calls == ["first", "closing"] * 3
    assert last.closed == 1


def test_callbacks_are_closed_when_the_objective_fails():
    history = []

    class Closing:
        def __call__(self, generation):
            pass

        def close(self):
            history.append("closed")

    def broken(positions):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        _run(broken, [Closing()])
    assert history == ["closed"]


def _generation(number, best, fitness=(0.0,)):
    evaluation = Evaluation(np.array(fitness), {"n_clusters": np.arange(len(fitness)) + number})
    empty = np.empty(0)
    return Generation(number, 10, number, empty, evaluation, empty, best, 0.5 * number, None)


def test_patience_waits_for_gains_not_for_rounding():
    patience = Patience(2)
    bests = [1.0, 1.0 + 1e-12, 2.0, 2.0, 2.0]
    stops = [patience(_generation(i + 1, best)) for i, best in enumerate(bests)]
    assert stops == [False, False, False, False, True]


def test_patience_with_no_valid_solution_yet():
    patience = Patience(2)
    # "5 generations without global best improvement": as long as nothing is valid there is no
    # global best, however many generations pass.
    assert not any(patience(_generation(number, -np.inf)) for number in range(1, 8))
    assert not patience(_generation(8, 0.0))
    assert not patience(_generation(9, 0.0))
    assert patience(_generation(10, 0.0))


def test_history_keeps_the_details_of_the_best():
    history = History()
    history(_generation(1, 5.0, (1.0, 5.0, -np.inf)))  # best is particle 1, detail 2
    history(_generation(2, 5.0, (3.0, 4.0, 3.0)))  # not better: the detail stays
    history(_generation(3, 6.0, (6.0, 4.0, 3.0)))  # particle 0, detail 3
    arrays = history.as_arrays()
    np.testing.assert_array_equal(arrays["n_clusters"], [2, 2, 3])
    np.testing.assert_allclose(arrays["mean_fitness"], [3.0, 10 / 3, 13 / 3])
    np.testing.assert_array_equal(arrays["generation"], [1, 2, 3])


def test_time_limit():
    limit = TimeLimit(1.0)
    assert [limit(_generation(i, 0.0)) for i in (1, 2, 3)] == [False, True, True]


def test_progress_shows_and_goes(capfd):
    progress = Progress("wine")
    progress.open()
    progress(_generation(1, 2.5))
    progress.close()
    progress.close()
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("make", "sentence"),
    [(lambda: Patience(0), "patience=0"), (lambda: TimeLimit(-1), "seconds=-1")],
)
def test_wrong_settings(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize(
    ("now", "before", "improved"),
    [
        (1.0 + 2e-8, 1.0, True),
        (1.0 + 0.5e-8, 1.0, False),
        (0.5 + 2e-8, 0.5, True),  # near 0 the least gain is absolute
        (0.5 + 0.75e-8, 0.5, False),
        (1e6 + 0.02, 1e6, True),
        (1e6 + 0.005, 1e6, False),
        (-1e6 + 0.02, -1e6, True),
        (-1e6 + 0.005, -1e6, False),
        (1.0, -np.inf, True),
        (-np.inf, -np.inf, False),
    ],
)
def test_a_gain_is_more_than_rounding(now, before, improved):
    assert _gained(now, before) is improved


@pytest.mark.parametrize("generations", [1, 2, 3])
def test_patience_counts_generations_in_a_row(generations):
    patience = Patience(generations)
    bests = [1.0, 1.0, 2.0, 2.0, 2.0, 2.0]
    stops = [patience(_generation(i + 1, best)) for i, best in enumerate(bests)]
    expected = {1: [0, 1, 0, 1, 1, 1], 2: [0, 0, 0, 0, 1, 1], 3: [0, 0, 0, 0, 0, 1]}
    assert stops == [bool(stop) for stop in expected[generations]]


def test_patience_starts_again_with_each_search_and_continues_in_a_resumed_one():
    patience = Patience(2)
    for number, best in ((1, 5.0), (2, 5.0)):
        assert not patience(_generation(number, best))
    assert patience.get_state() == {"best": 5.0, "waited": 1}
    resumed = Patience(2)
    resumed.set_state(patience.get_state())
    assert resumed(_generation(3, 5.0))
    assert not patience(_generation(1, 3.0))  # another search: its first generation is no wait
    assert patience.get_state() == {"best": 3.0, "waited": 0}


def test_a_history_continues_in_a_resumed_search():
    history, resumed = History(), History()
    assert history.get_state() == {"best": -np.inf, "details": {}, "columns": {}}
    history(_generation(1, 5.0, (1.0, 5.0)))
    history(_generation(2, 5.0, (-np.inf, -np.inf)))
    assert np.isnan(history.rows[1].pop("mean_fitness"))
    assert history.rows[1].pop("seconds") == 1.0
    assert history.rows[1] == {"generation": 2, "best_fitness": 5.0, "n_clusters": 2}
    history.rows[1] = {**history.rows[0], "generation": 2}
    resumed.set_state(history.get_state())
    assert resumed.rows == history.rows
    resumed(_generation(3, 5.0, (4.0, 4.5)))  # no better than 5: its details stay
    assert resumed.rows[2]["n_clusters"] == 2
    other = _generation(4, 5.0)
    other.evaluation.details["n_features"] = np.array([3])
    resumed._details = {"n_features": 3}
    with pytest.raises(ValueError, match="belongs to another search"):
        resumed(other)
    for wrong in (["1"], [True], [None]):
        with pytest.raises(ValueError, match="not numbers"):
            resumed.set_state({"best": 1.0, "details": {}, "columns": {"generation": wrong}})
    with pytest.raises(ValueError, match="argument 2 is longer"):
        resumed.set_state({"best": 1.0, "details": {}, "columns": {"a": [1], "b": [1, 2]}})


def test_equal_fitness_keeps_the_details_of_the_first():
    history = History()
    history(_generation(1, -np.inf, (-np.inf, -np.inf)))
    history(_generation(2, 5.0, (5.0, 5.0)))
    history(_generation(3, 5.0, (4.0, 5.0)))
    assert [row["n_clusters"] for row in history.rows] == [1, 2, 2]


def test_a_time_limit_is_above_0():
    assert TimeLimit(1e-9)(_generation(1, 0.0))
    for wrong in (0, -1.0):
        with pytest.raises(ValueError, match="seconds"):
            TimeLimit(wrong)


def test_numbers_of_an_optimum_and_of_what_callbacks_see():
    seen = []
    best = _run(_hill, [seen.append], n_generations=3)
    assert [(each.number, each.n_generations, each.n_evaluations) for each in seen] == [
        (1, 3, 5),
        (2, 3, 10),
        (3, 3, 15),
    ]
    assert (best.n_generations, best.n_evaluations) == (3, 15)
    assert 0.0 <= seen[0].seconds <= seen[1].seconds <= seen[2].seconds < 60.0
    assert best.fitness == seen[2].best_fitness == -(best.position**2).sum()
    assert seen[0].evaluation.fitness.shape == (5,)
