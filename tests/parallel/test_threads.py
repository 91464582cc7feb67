"""Work on threads of this process: results in order, whatever the number of threads."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import joblib
import pytest

from weft.parallel import threads
from weft.parallel.threads import (
    has_client,
    local_threads,
    map_ranges,
    one_range,
    ordered_map,
    thread_runner,
)


@pytest.mark.parametrize("n_threads", [1, 2, 8])
def test_results_are_in_the_order_of_the_items(n_threads):
    def slow_at_first(item):
        time.sleep(0.01 * (item == 0))
        return item**2

    assert ordered_map(slow_at_first, range(5), n_threads) == [0, 1, 4, 9, 16]


@pytest.mark.parametrize(("n_items", "n_threads"), [(0, 4), (1, 4), (3, 1)])
def test_no_thread_is_started_for_one_item_or_one_thread(n_items, n_threads):
    own = threading.get_ident()
    seen = ordered_map(lambda item: threading.get_ident(), range(n_items), n_threads)
    assert seen == [own] * n_items


def test_an_error_of_one_item_is_raised():
    with pytest.raises(ZeroDivisionError):
        ordered_map(lambda item: 1 / item, [1, 0, 2], 2)


@pytest.fixture
def pools(monkeypatch):
    """The numbers of threads of the pools that are made."""
    made = []

    class Spy(ThreadPoolExecutor):
        def __init__(self, max_workers):
            made.append(max_workers)
            super().__init__(max_workers)

    monkeypatch.setattr(threads, "ThreadPoolExecutor", Spy)
    return made


@pytest.mark.parametrize(
    ("n_items", "n_threads", "expected"),
    [(1, 4, []), (2, 1, []), (2, 2, [2]), (2, 4, [2]), (5, 3, [3]), (0, 3, [])],
)
def test_there_is_no_thread_without_an_item(n_items, n_threads, expected, pools):
    assert ordered_map(lambda item: -item, range(n_items), n_threads) == [
        -item for item in range(n_items)
    ]
    assert pools == expected


@pytest.mark.parametrize(
    ("size", "n_threads", "expected"),
    [(5, 0, []), (5, 1, []), (1, 4, []), (0, 4, []), (2, 4, [2]), (5, 4, [4])],
)
def test_there_is_no_thread_without_a_range(size, n_threads, expected, pools):
    map_ranges(lambda start, stop: None, size, n_threads)
    assert pools == expected


def test_ranges_run_on_a_given_pool(pools):
    class Pool:
        given = None

        def map(self, task, starts, stops):
            self.given = list(zip(starts, stops, strict=True))
            return iter([])

    pool = Pool()
    map_ranges(None, 7, 3, pool)
    assert pool.given == [(0, 2), (2, 4), (4, 7)]
    assert pools == []


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_a_runner_keeps_its_threads(n_jobs, pools):
    seen = []
    with thread_runner(n_jobs) as run:
        assert (run is one_range) == (n_jobs == 1)
        for _ in range(3):
            run(lambda start, stop: seen.append((start, stop)), 6)
    assert pools == ([n_jobs] if n_jobs > 1 else [])
    assert len(seen) == 3 * n_jobs


@pytest.mark.parametrize(("n_cores", "most"), [(3, 24), (1, 8), (None, 8)])
def test_at_most_eight_threads_per_core(n_cores, most, monkeypatch):
    monkeypatch.setattr(threads.os, "cpu_count", lambda: n_cores)
    for n_jobs in (most - 1, most, most + 1):
        assert local_threads(n_jobs) == min(n_jobs, most)


@pytest.mark.parametrize("is_dask", [True, False])
def test_cores_of_other_machines_do_not_count(is_dask, monkeypatch):
    asked = []

    def effective_n_jobs(n_jobs):
        asked.append(type(joblib.parallel.get_active_backend()[0]).__name__)
        return 2

    backend = SimpleNamespace(client=SimpleNamespace(scatter=None)) if is_dask else object()
    monkeypatch.setattr(threads, "get_active_backend", lambda prefer: (backend, 1))
    monkeypatch.setattr(threads.joblib, "effective_n_jobs", effective_n_jobs)
    with joblib.parallel_config(backend="loky"):
        assert local_threads(2) == 2
    assert asked == ["ThreadingBackend" if is_dask else "LokyBackend"]


@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        (SimpleNamespace(client=SimpleNamespace(scatter=1)), True),
        (SimpleNamespace(client=SimpleNamespace()), False),
        (SimpleNamespace(scatter=1), False),
        (object(), False),
    ],
)
def test_a_backend_of_dask_is_recognised_by_its_client(backend, expected):
    assert has_client(backend) is expected
