"""Ranges of work on threads of this process.

Each range writes its own part of the output, so no bit depends on the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from numbers import Integral
from typing import Any, TypeAlias, TypeVar

import joblib
from joblib.parallel import get_active_backend

Item = TypeVar("Item")
Result = TypeVar("Result")
Task: TypeAlias = Callable[[int, int], None]
# ``run(task, size)`` calls ``task(start, stop)`` over ranges that cover [0, size).
Runner: TypeAlias = Callable[[Task, int], None]

# More threads are not faster, and a typing error must not start a million threads.
_THREADS_PER_CORE = 8


def local_threads(n_jobs: Any) -> int:
    """Return the number of threads for work in this process, for any backend of joblib."""
    whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and not (whole and int(n_jobs) != 0):
        raise ValueError(
            f"n_jobs={n_jobs!r} is not a number of threads; pass a whole number other than 0 "
            "(-1 for all cores), or None."
        )
    if not has_client(get_active_backend(prefer="threads")[0]):
        count = joblib.effective_n_jobs(n_jobs)
    else:
        # Dask's backend would return all cores of its cluster, which are on other machines.
        with joblib.parallel_config(backend="threading"):
            count = joblib.effective_n_jobs(n_jobs)
    return min(int(count), _THREADS_PER_CORE * (os.cpu_count() or 1))


def has_client(backend: Any) -> bool:
    """Return whether a backend of joblib hands its work to a Dask cluster."""
    return hasattr(backend, "client") and hasattr(backend.client, "scatter")


def one_range(task: Task, size: int) -> None:
    """Call ``task(0, size)``: a `Runner` for work that already has its own thread."""
    task(0, size)


def map_ranges(
    task: Task, size: int, n_threads: int, pool: ThreadPoolExecutor | None = None
) -> None:
    """Call ``task(start, stop)`` over [0, size), cut into one range per thread."""
    n_ranges = max(1, min(n_threads, size))
    if n_ranges == 1:
        task(0, size)
        return
    edges = [size * part // n_ranges for part in range(n_ranges + 1)]
    if pool is not None:
        list(pool.map(task, edges[:-1], edges[1:]))
        return
    with ThreadPoolExecutor(n_ranges) as own:
        list(own.map(task, edges[:-1], edges[1:]))


def ordered_map(
    call: Callable[[Item], Result], items: Sequence[Item], n_threads: int
) -> list[Result]:
    """Return ``call(item)`` of each item, in their order, computed on threads."""
    if n_threads == 1 or len(items) < 2:
        return [call(item) for item in items]
    with ThreadPoolExecutor(min(n_threads, len(items))) as pool:
        return list(pool.map(call, items))


@contextmanager
def thread_runner(n_jobs: Any) -> Iterator[Runner]:
    """Yield a `Runner` whose threads exist until the block ends."""
    n_threads = local_threads(n_jobs)
    if n_threads == 1:
        yield one_range
        return
    with ThreadPoolExecutor(n_threads) as pool:
        yield lambda task, size: map_ranges(task, size, n_threads, pool)
