"""Runs that threads begin before they are asked for."""

import threading
import time

import pytest

from weft.parallel.ahead import run_ahead


@pytest.mark.parametrize("n_threads", [1, 2, 3, 9])
def test_results_are_those_of_their_number_whoever_ran_them(n_threads):
    calls = []

    def run(number):
        time.sleep(0.002)
        calls.append(number)
        return number * number

    with run_ahead(run, 5, n_threads) as ahead:
        assert [ahead(number) for number in range(5)] == [0, 1, 4, 9, 16]
    assert sorted(calls) == [0, 1, 2, 3, 4]  # each once


def test_what_nobody_asks_for_is_not_begun_after_the_block():
    started = threading.Event()
    calls = []

    def run(number):
        calls.append(number)
        started.set()
        time.sleep(0.01)
        return number

    with run_ahead(run, 50, 2):
        started.wait(5.0)
    assert len(calls) < 50


def test_an_error_of_a_run_reaches_who_asks():
    def run(number):
        raise ValueError(f"round {number}")

    with run_ahead(run, 3, 2) as ahead, pytest.raises(ValueError, match="round 1"):
        ahead(1)
