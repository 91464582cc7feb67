"""Numbered runs that threads begin before their results are needed.

AutoCluster repeats its search in this way: a repeat needs the rows and the settings, not the
answer, so threads can compute it while the search itself still runs, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import Generic, TypeVar

T = TypeVar("T")


class Ahead(Generic[T]):
    """Results of ``run(number)``; threads may be computing some of them."""

    def __init__(self, run: Callable[[int], T], futures: list[Future[T]]) -> None:
        self.run = run
        self.futures = futures
        self.own: dict[int, T] = {}

    def __call__(self, number: int) -> T:
        """Return one result; while a thread computes it, compute results not yet begun."""
        for other in range(number, len(self.futures)):
            if number in self.own or self.futures[number].done():
                break
            if other not in self.own and self.futures[other].cancel():
                self.own[other] = self.run(other)
        if number in self.own:
            return self.own[number]
        return self.futures[number].result() if self.futures else self.run(number)


@contextmanager
def run_ahead(run: Callable[[int], T], n_runs: int, n_threads: int) -> Iterator[Ahead[T]]:
    """Begin ``run(0)`` to ``run(n_runs - 1)`` on all threads but this one."""
    if n_threads < 2 or n_runs == 0:
        yield Ahead(run, [])
        return
    pool = ThreadPoolExecutor(min(n_threads - 1, n_runs))
    try:
        # Settings of the current context, such as those of NumPy's warnings, apply there too.
        yield Ahead(run, [pool.submit(copy_context().run, run, at) for at in range(n_runs)])
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
