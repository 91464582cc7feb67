"""A run step by step: what is saved when, what a signal changes, and what a record must be like."""

from __future__ import annotations

import signal
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from weft.models.checkpoints import Mismatch, Record
from weft.search import runs
from weft.search.runs import Run, Search, SearchInterrupted, check_like, open_run, running


class Saves:
    """A callback that saves every second generation, in a list."""

    path = Path("run.checkpoint")

    def __init__(self):
        self.written, self.checked = [], 0

    def due(self, number):
        return number % 2 == 0

    def check(self):
        self.checked += 1

    def write(self, content):
        self.written.append(content)


def run_of(*calls, resume=None, monkeypatch=None, old=((), ())):
    monkeypatch.setattr(runs, "settings_of", lambda estimator, X: {"weft": "1"})
    monkeypatch.setattr(
        runs, "read_checkpoint", lambda path, settings: [list(each) for each in old]
    )
    return Run(SimpleNamespace(callbacks=list(calls)), None, resume)


@pytest.fixture
def run(monkeypatch):
    return run_of(Saves(), monkeypatch=monkeypatch)


def record(over, number=1, **changes):
    given = Record(over, number, 3 * number, 0.5, {"best_position": np.zeros(2)}, {}, {}, [])
    return given._replace(**changes)


def told(run, number, over=False, sure=False):
    return run.note(number, 9, lambda done: record(done, number), over=over, sure=sure)


def saved(run):
    """What was written: the number and the end of each search."""
    return [
        [(each["number"], each["over"]) for each in content["searches"]]
        for content in run.keepers[0].written
    ]


def test_a_run_is_saved_when_it_is_due(run):
    assert run.keepers[0].checked == 1
    assert [told(run, number) for number in (1, 2, 3, 4)] == [False] * 4
    assert saved(run) == [[(2, False)], [(4, False)]]
    # A certain end is saved at once, the end that a callback chose with the next search.
    assert told(run, 5, over=True, sure=True)
    assert saved(run)[2:] == [[(5, True)]]
    assert told(run, 3, over=True, sure=False)
    assert len(saved(run)) == 3
    assert not told(run, 2)
    assert saved(run)[3:] == [[(5, True), (3, True), (2, False)]]


def test_without_a_keeper_nothing_is_recorded(monkeypatch):
    run = run_of(lambda generation: None, monkeypatch=monkeypatch)
    assert not run.note(2, 9, pytest.fail, over=False, sure=False)
    assert run.note(3, 9, pytest.fail, over=True, sure=True)
    assert run._settings == {}
    assert not run.signals._listens


@pytest.mark.parametrize("over", [False, True])
def test_a_signal_ends_the_run_and_saves_it_at_once(over, run):
    run.signals.received = signal.SIGINT
    assert told(run, 3, over=over, sure=True)
    assert saved(run) == [[(3, over)]]
    # What follows does not belong to the run.
    assert told(run, 4)
    assert run.stop_requested_by() == "Ctrl-C"
    assert len(saved(run)) == 1


def test_a_signal_between_two_searches_saves_those_that_are_left(monkeypatch):
    old = ([11, 12, 13], [record(True, 1), record(True, 2), record(False, 3)])
    run = run_of(Saves(), resume="old", monkeypatch=monkeypatch, old=old)
    search = SimpleNamespace(restore=lambda record, fresh: record.number)
    assert run.begin(search, None) == (old[1][0], 1)
    assert run.seed(0) == 11
    assert run.stop_requested_by() == ""
    run.signals.received = signal.SIGTERM
    assert run.stop_requested_by() == "SIGTERM"
    assert saved(run) == [[(1, True), (2, True), (3, False)]]
    assert run.keepers[0].written[0]["seeds"] == [11, 12, 13]
    assert run.keepers[0].written[0]["weft"] == "1"
    assert run.stop_requested_by() == "SIGTERM"
    assert len(saved(run)) == 1


def test_seeds_of_a_resumed_run_come_first(monkeypatch):
    run = run_of(resume="old", monkeypatch=monkeypatch, old=([5, 6], []))
    drawn = int(np.random.RandomState(3).randint(2**31 - 1))
    assert [run.seed(3) for _ in range(3)] == [5, 6, drawn]
    assert run.seeds == [5, 6, drawn]
    assert run_of(monkeypatch=monkeypatch).seed(3) == drawn


def test_searches_are_restored_in_their_order(monkeypatch):
    old = ([], [record(True, 4), record(False, 2)])
    run = run_of(Saves(), resume="old", monkeypatch=monkeypatch, old=old)
    search = SimpleNamespace(restore=lambda record, fresh: (record.number, fresh))
    assert run.begin(search, "a") == (old[1][0], (4, "a"))
    assert run.begin(search, "b") == (old[1][1], (2, "b"))
    assert run.begin(search, "c") is None
    # The search that was over is part of what is saved next.
    told(run, 2)
    assert saved(run) == [[(4, True), (2, False)]]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (KeyError("x"), r"cannot resume from old: it is damaged \('x'\)"),
        (AttributeError("y"), "it is damaged"),
        (Mismatch("it is of another kind."), "cannot resume from old: it is of another kind"),
    ],
)
def test_a_search_that_does_not_fit_is_refused(error, message, monkeypatch):
    run = run_of(resume="folder/old", monkeypatch=monkeypatch, old=([], [record(True)]))

    def restore(record, fresh):
        raise error

    with pytest.raises(Mismatch, match=message):
        run.begin(SimpleNamespace(restore=restore), None)


def test_which_runs_handle_signals(monkeypatch):
    class Listens:
        on_signals = True

    assert run_of(Saves(), monkeypatch=monkeypatch).signals._listens
    assert run_of(Listens(), monkeypatch=monkeypatch).signals._listens
    assert not run_of(print, monkeypatch=monkeypatch).signals._listens
    assert not Run(object(), None).signals._listens  # an estimator without callbacks


def test_the_warning_says_where_it_stopped_and_how_to_resume(run, monkeypatch):
    run.warn_if_stopped()  # nothing came: no warning
    run.signals.received = signal.SIGINT
    told(run, 3)
    with pytest.warns(SearchInterrupted, match="in generation 3 of 9 by Ctrl-C.*resume=") as caught:
        run.warn_if_stopped()
    assert caught[0].message.signal == signal.SIGINT
    alone = run_of(monkeypatch=monkeypatch)
    alone.signals.received = signal.SIGTERM
    told(alone, 1)
    with pytest.warns(SearchInterrupted, match=r"by SIGTERM.*A callback Checkpoint\(path\)"):
        alone.warn_if_stopped()
    # A signal after the last generation has its usual effect.
    raised = []
    monkeypatch.setattr(runs, "raise_signal", raised.append)
    late = run_of(monkeypatch=monkeypatch)
    late.signals.received = signal.SIGTERM
    late.warn_if_stopped()
    assert raised == [signal.SIGTERM]


def test_a_fit_inside_a_fit_joins_its_run():
    with running(object(), None) as outer:
        with running(object(), None) as inner:
            assert inner is outer
        with pytest.raises(ValueError, match="outer estimator"), running(object(), None, "path"):
            pass
        with open_run() as found:
            assert found is outer
            with open_run() as within:
                assert within is None
        with open_run() as found:
            assert found is outer
    with open_run() as found:
        assert found is None


# A search and its record ----------------------------------------------------------------------


class State(NamedTuple):
    positions: np.ndarray
    best_position: np.ndarray
    best_fitness: float


class Counts:
    """A callback with a state."""

    def __init__(self, n=0):
        self.n = n

    def get_state(self):
        return {"n": self.n}

    def set_state(self, state):
        self.n = state["n"]


class Other(Counts):
    pass


def search_of(*calls, objective=None, seed=0):
    return Search(objective, list(calls), np.random.default_rng(seed))


def state(value=0.0):
    return State(np.full((2, 3), value), np.full(3, value), value)


@pytest.mark.parametrize("over", [False, True])
def test_a_search_is_restored_as_it_was(over):
    search = search_of(Counts(3), print, Other(4), Counts(5), objective=Counts(6), seed=1)
    search.rng.random(5)
    record = search.record(state(2.0), 7, 21, runs.time.monotonic() - 50.0, over)
    assert (record.over, record.number, record.n_evaluations) == (over, 7, 21)
    assert 50.0 <= record.seconds < 60.0
    assert set(record.state) == set(State._fields[over:])
    assert record.callbacks == [["Counts", {"n": 3}], ["Other", {"n": 4}], ["Counts", {"n": 5}]]
    # Callbacks are matched by their class and order; those that are new keep their state.
    calls = [Other(), Counts(), print, Counts(), Counts(9)]
    again = search_of(*calls, objective=Counts(), seed=2)
    restored = again.restore(record, state(0.5))
    assert [call.n for call in calls if call is not print] == [4, 3, 5, 9]
    assert again.objective.n == 6
    assert again.rng.random() == search.rng.random()
    assert restored.best_fitness == 2.0
    assert (restored.positions == (0.5 if over else 2.0)).all()


def test_positions_that_an_objective_does_not_accept_are_refused():
    objective = SimpleNamespace(accepts=lambda positions: positions.max() < 3.0)
    search = search_of(objective=objective)
    given = search.record(state(2.0), 1, 3, 0.0, False)
    assert search.restore(given, state()).best_fitness == 2.0
    given.state["best_position"][0] = 3.0
    with pytest.raises(Mismatch, match="positions that are not possible"):
        search.restore(given, state())
    with pytest.raises(Mismatch, match="another kind of swarm"):
        search.restore(given._replace(state={"best_position": np.zeros(3)}), state())


def test_a_generator_is_restored_only_to_a_state_of_its_kind():
    rng = np.random.default_rng(0)
    for wrong in ({}, {"bit_generator": "MT19937"}, None, {**rng.bit_generator.state, "state": 5}):
        with pytest.raises(Mismatch, match="random numbers"):
            runs.restore_rng(rng, wrong)


@pytest.mark.parametrize(
    ("value", "like", "name", "fits"),
    [
        (np.zeros(2), np.ones(2), "positions", True),
        (np.zeros(3), np.ones(2), "positions", False),
        (np.zeros(2, np.float32), np.ones(2), "positions", False),
        ([0.0, 0.0], np.ones(2), "positions", False),
        (np.array([0.0, np.nan]), np.ones(2), "positions", False),
        (np.array([0.0, np.inf]), np.ones(2), "positions", False),
        (np.array([0.0, -np.inf]), np.ones(2), "fitness", True),
        (np.array([0.0, np.nan]), np.ones(2), "fitness", False),
        (-np.inf, 1.0, "best_fitness", True),
        (np.nan, 1.0, "best_fitness", False),
        (np.inf, 1.0, "inertia", False),
        (1.0, np.float64(1.0), "best_fitness", True),
        (1, 1.0, "best_fitness", False),
        (1, 2, "step", True),
        (True, 2, "step", False),
    ],
)
def test_a_value_must_be_like_that_of_a_fresh_swarm(value, like, name, fits):
    if fits:
        assert check_like(value, like, name) is value
    else:
        with pytest.raises(Mismatch, match=f"'{name}' does not fit"):
            check_like(value, like, name)
