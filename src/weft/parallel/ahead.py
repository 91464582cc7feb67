"""Calls that other threads run while this thread computes something else.

AutoCluster repeats its search on parts of the rows. A repeat needs the rows and the settings, not
the answer, so threads begin repeats while the search itself still runs. The search also has parts
that are independent of each other. These are urgent and run before any repeat. No result depends on
the thread that computes it, so results are bit-identical for any number of threads.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


class Helpers:
    """Threads that run waiting calls, the urgent ones first; without a pool there are no threads.

    A thread that waits for a call that another thread runs takes other calls meanwhile. There is no
    deadlock as long as no urgent call waits for another call.
    """

    def __init__(self, pool: ThreadPoolExecutor | None = None) -> None:
        self.pool = pool
        self.waiting: deque[_Call] = deque()
        self.lock = threading.Lock()

    def side_by_side(self, calls: Sequence[Callable[[], T]]) -> list[T]:
        """Return the results of urgent calls, in their order; this thread takes the first."""
        if self.pool is None or len(calls) < 2:
            return [call() for call in calls]
        others = [self._add(call, urgent=True) for call in calls[:0:-1]][::-1]
        return [calls[0](), *(self._result_of(each) for each in others)]

    def ahead(self, run: Callable[[int], T], n_runs: int) -> Callable[[int], T]:
        """Let threads begin ``run(0)`` to ``run(n_runs - 1)``; return a getter of the results."""
        if self.pool is None:
            return run
        runs = [self._add(partial(run, number), urgent=False) for number in range(n_runs)]
        return lambda number: self._result_of(runs[number])

    def drop_waiting(self) -> None:
        """Forget the calls that no thread has begun."""
        with self.lock:
            for call in self.waiting:
                call.future.cancel()  # a thread that waits for it ends with an error
            self.waiting.clear()

    def _add(self, call: Callable[[], Any], *, urgent: bool) -> _Call:
        # Settings of the current context, such as NumPy's warnings, also apply in the thread.
        added = _Call(partial(copy_context().run, call))
        with self.lock:
            if urgent:
                self.waiting.appendleft(added)
            else:
                self.waiting.append(added)
        if self.pool is not None:
            self.pool.submit(self._take)
        return added

    def _take(self, wanted: _Call | None = None) -> bool:
        """Run the wanted call if it still waits, else the first; return whether there was one."""
        with self.lock:
            if wanted is not None and wanted in self.waiting:
                self.waiting.remove(wanted)
                taken = wanted
            elif self.waiting:
                taken = self.waiting.popleft()
            else:
                return False
        taken.compute()
        return True

    def _result_of(self, call: _Call) -> Any:
        while not call.future.done() and self._take(call):
            pass
        return call.future.result()


class _Call:
    """A call and its future result."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self.call = call
        self.future: Future[Any] = Future()

    def compute(self) -> None:
        try:
            self.future.set_result(self.call())
        except BaseException as error:
            self.future.set_exception(error)  # raised where the result is read
            if not isinstance(error, Exception):
                raise  # an interrupt also ends this thread's work


ALONE = Helpers()


@contextmanager
def helping_threads(n_threads: int) -> Iterator[Helpers]:
    """Yield `Helpers` with `n_threads` - 1 threads; calls not begun at the end are dropped."""
    if n_threads < 2:
        yield ALONE
        return
    pool = ThreadPoolExecutor(n_threads - 1)
    helpers = Helpers(pool)
    try:
        yield helpers
    finally:
        helpers.drop_waiting()
        pool.shutdown(wait=True, cancel_futures=True)
