"""Ranges of rows, one per thread."""

from __future__ import annotations

import os

import pytest

from weft.parallel.threads import local_threads, map_ranges, thread_runner


@pytest.mark.parametrize(
    ("size", "n_threads", "ranges"),
    [
        (10, 3, [(0, 3), (3, 6), (6, 10)]),
        (10, 1, [(0, 10)]),
        (2, 5, [(0, 1), (1, 2)]),
        (0, 5, [(0, 0)]),
    ],
)
def test_ranges_cover_all_rows_once(size, n_threads, ranges):
    seen = []
    map_ranges(lambda start, stop: seen.append((start, stop)), size, n_threads)
    assert sorted(seen) == ranges


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_runner_covers_all_rows_once(n_jobs):
    seen = []
    with thread_runner(n_jobs) as run:
        for _ in range(2):
            run(lambda start, stop: seen.append((start, stop)), 10)
    halves = [(0, 10)] if n_jobs == 1 else [(0, 5), (5, 10)]
    assert sorted(seen) == sorted(2 * halves)


def test_errors_of_a_range_reach_the_caller():
    def task(start, stop):
        if start:
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        map_ranges(task, 4, 2)


def test_numbers_of_threads():
    assert local_threads(None) == 1
    assert local_threads(2) == 2
    assert local_threads(-1) == len(os.sched_getaffinity(0))
    assert local_threads(10**6) == 8 * (os.cpu_count() or 1)
    for wrong in (0, 2.5, True, "2", float("nan")):
        with pytest.raises(ValueError, match="is not a number of threads"):
            local_threads(wrong)
