"""Ranges of work on threads. Each item writes its own place, so no bit depends on the threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


def run_chunks(
    work: Callable[[int, int], None],
    n_items: int,
    n_threads: int,
    pool: ThreadPoolExecutor | None = None,
) -> None:
    """Call ``work(first, last)`` over [0, n_items), cut into one range per thread."""
    n_chunks = max(1, min(n_threads, n_items))
    if n_chunks == 1:
        work(0, n_items)
        return
    edges = [n_items * chunk // n_chunks for chunk in range(n_chunks + 1)]
    if pool is not None:
        list(pool.map(work, edges[:-1], edges[1:]))
        return
    with ThreadPoolExecutor(n_chunks) as own:
        list(own.map(work, edges[:-1], edges[1:]))
