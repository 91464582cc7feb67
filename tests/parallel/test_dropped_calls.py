"""Calls that are dropped at the end do not leave a thread that waits for them for ever."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest

from weft.parallel.ahead import Helpers


def test_a_thread_that_waits_for_a_dropped_call_ends():
    began, go_on = threading.Event(), threading.Event()

    def first():
        began.set()
        go_on.wait(30.0)

    with ThreadPoolExecutor(1) as pool:
        helpers = Helpers(pool)
        # The only thread is inside `first`: the second part waits, and is dropped meanwhile.
        repeat = helpers.ahead(lambda _: helpers.side_by_side([first, int]), 1)
        assert began.wait(30.0)
        helpers.drop_waiting()
        go_on.set()
        with pytest.raises(CancelledError):
            repeat(0)
