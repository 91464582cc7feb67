"""Calls that threads take before they are asked for."""

import contextvars
import threading
import time
from functools import partial

import pytest

from weft.parallel.ahead import Helpers, helping_threads


@pytest.mark.parametrize("n_threads", [1, 2, 3, 9])
def test_results_are_those_of_their_number_whoever_ran_them(n_threads):
    calls = []

    def run(number):
        time.sleep(0.002)
        calls.append(number)
        return number * number

    with helping_threads(n_threads) as helpers:
        square = helpers.ahead(run, 5)
        assert [square(number) for number in range(5)] == [0, 1, 4, 9, 16]
    assert sorted(calls) == [0, 1, 2, 3, 4]  # each once


@pytest.mark.parametrize("n_threads", [1, 2, 3, 9])
def test_parts_of_runs_are_computed_side_by_side(n_threads):
    def part(number, place):
        time.sleep(0.001)
        return 10 * number + place

    with helping_threads(n_threads) as helpers:

        def run(number):
            return helpers.side_by_side([partial(part, number, place) for place in range(3)])

        rounds = helpers.ahead(run, 4)
        assert run(9) == [90, 91, 92]
        assert [rounds(number) for number in range(4)] == [
            [10 * number, 10 * number + 1, 10 * number + 2] for number in range(4)
        ]


def test_urgent_calls_are_taken_before_runs_that_wait():
    begun, go_on = threading.Event(), threading.Event()
    order = []

    def run(number):
        begun.set()
        go_on.wait(5.0)
        order.append(f"run {number}")

    def first():
        go_on.set()
        while "second" not in order and time.monotonic() < limit:  # the other thread takes it
            time.sleep(0.001)

    limit = time.monotonic() + 5.0
    with helping_threads(2) as helpers:
        helpers.ahead(run, 3)
        begun.wait(5.0)  # run 0 is in work, runs 1 and 2 wait
        helpers.side_by_side([first, lambda: order.append("second")])
    assert order[:2] == ["run 0", "second"]


def test_who_waits_takes_other_calls():
    asked = threading.Event()
    threads = {}

    def run(number):
        threads[number] = threading.current_thread()
        if number == 0:
            asked.wait(5.0)
        else:
            asked.set()

    with helping_threads(2) as helpers:
        result_of = helpers.ahead(run, 2)
        while 0 not in threads:
            time.sleep(0.001)
        result_of(0)  # the other thread has it; it ends after this thread has run 1
    assert threads[1] is threading.current_thread() is not threads[0]


def test_what_nobody_asks_for_is_not_begun_after_the_block():
    started = threading.Event()
    calls = []

    def run(number):
        calls.append(number)
        started.set()
        time.sleep(0.01)
        return number

    with helping_threads(2) as helpers:
        helpers.ahead(run, 50)
        started.wait(5.0)
    assert len(calls) < 50


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_of_a_run_reaches_who_asks(n_threads):
    def run(number):
        if number == 1:
            raise ValueError(f"round {number}")
        return number

    with helping_threads(n_threads) as helpers:
        result_of = helpers.ahead(run, 3)
        assert result_of(0) == 0
        with pytest.raises(ValueError, match="round 1"):
            result_of(1)
        assert result_of(2) == 2


def test_an_interrupt_ends_what_the_thread_does():
    begun, go_on = threading.Event(), threading.Event()

    def run(number):
        if number == 0:
            begun.set()
            go_on.wait(5.0)
            return number
        go_on.set()
        raise KeyboardInterrupt

    with helping_threads(2) as helpers:
        result_of = helpers.ahead(run, 2)
        begun.wait(5.0)
        with pytest.raises(KeyboardInterrupt):  # it came while this thread computed run 1
            result_of(0)


def test_calls_have_the_settings_of_who_gave_them():
    setting = contextvars.ContextVar("setting", default="usual")
    setting.set("own")
    with helping_threads(2) as helpers:
        result_of = helpers.ahead(lambda number: setting.get(), 3)
        assert [result_of(number) for number in range(3)] == ["own"] * 3


class Idle:
    """A pool whose threads never come, so that this thread runs all calls itself."""

    def __init__(self):
        self.n_calls = 0

    def submit(self, call):
        self.n_calls += 1


@pytest.mark.parametrize("n_urgent", [0, 1, 2, 4])
def test_calls_side_by_side_run_in_their_order(n_urgent):
    pool, order = Idle(), []
    helpers = Helpers(pool)
    run = helpers.ahead(lambda number: order.append(f"run {number}") or number, 2)
    calls = [partial(lambda n: order.append(n) or n * n, number) for number in range(n_urgent)]
    assert helpers.side_by_side(calls) == [number**2 for number in range(n_urgent)]
    assert order == list(range(n_urgent))  # none of the runs
    assert pool.n_calls == 2 + (n_urgent - 1 if n_urgent > 1 else 0)
    # The second run is asked for first, so the first still waits.
    assert run(1) == 1
    assert run(1) == 1
    assert order[n_urgent:] == ["run 1"]
    assert len(helpers.waiting) == 1
    assert helpers._take()
    assert order[n_urgent:] == ["run 1", "run 0"]
    assert not helpers._take()


def test_without_threads_calls_run_where_they_are():
    with helping_threads(1) as alone:
        assert alone.pool is None
        assert alone.side_by_side([lambda: 1, lambda: 2]) == [1, 2]
        assert alone.ahead(lambda number: number + 1, 3)(5) == 6


@pytest.mark.parametrize("n_threads", [2, 3])
def test_this_thread_is_one_of_them(n_threads):
    with helping_threads(n_threads) as helpers:
        assert helpers.pool._max_workers == n_threads - 1


def test_runs_start_in_their_order():
    order = []
    helpers = Helpers(Idle())
    helpers.ahead(order.append, 3)
    while helpers._take():
        pass
    assert order == [0, 1, 2]
