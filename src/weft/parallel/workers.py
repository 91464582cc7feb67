"""Evaluate a swarm's particles with joblib's backend: threads, processes, or Dask workers.

The object that evaluates the particles (the *owner*: data, settings) is sent to each worker once
and stays there with its working memory. After that only positions and results are sent, a few
chunks per worker and generation. Chunks are evaluated by the same code everywhere and joined in
their order, so the result does not depend on which worker evaluates which chunk. If a chunk is lost
with its worker, it is evaluated again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import CancelledError, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import pairwise
from typing import Any, Self
from uuid import uuid4

import joblib
import numpy as np
from joblib.parallel import get_active_backend

from weft._base.arrays import Floats
from weft.parallel.blas import one_blas_thread
from weft.parallel.threads import has_client, local_threads

# More chunks would balance the load better, but sending each takes a few ms: one was fastest.
CHUNKS_PER_WORKER = 1
# Number of retries of a generation after the loss of a pool, or of all copies of the owner.
MAX_LOSSES = 3
# Seconds between two checks whether an actor without an answer still exists.
SECONDS_BETWEEN_LOOKS = 1.0


def works_elsewhere() -> bool:
    """Return whether joblib is set to work in other processes, or on other machines."""
    return _process_backend() is not None


def threads_per_process(n_jobs: int | None) -> int:
    """Return how many particles one process evaluates at a time; they share its memory."""
    backend = _process_backend()
    if backend is None:
        return local_threads(n_jobs)
    if has_client(backend):
        return max(backend.client.nthreads().values(), default=1)
    return 1


class Crew:
    """Call ``owner.evaluate_part(part)`` on parts of a swarm, with joblib's active backend.

    `n_threads` is for threads, `n_jobs` for processes of joblib; Dask uses all its workers.
    """

    def __init__(self, owner: Any, *, n_jobs: int | None, n_threads: int = 1) -> None:
        self.owner = owner
        self.n_threads = n_threads
        self.n_jobs = n_jobs
        self._backend: Any = None
        self._pool: Any = None
        self._copies: Any = None  # of the owner, with Dask's workers
        self._seats: list[tuple[Any, Any]] = []  # (future, actor); each actor holds one copy
        self._last: Any = None  # results of the last generation on the workers
        self._token = uuid4().hex

    def __enter__(self) -> Self:
        self._backend = _process_backend()
        if self._backend is None:
            if self.n_threads > 1:
                # joblib checks every 10 ms whether all is done, which is too slow for small tables.
                self._pool = ThreadPoolExecutor(self.n_threads).__enter__()
        elif has_client(self._backend):
            self._scatter()
        else:
            self._open_pool()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._pool is not None:
            self._pool.__exit__(*error)
        self._pool = self._copies = self._last = self._backend = None
        self._seats = []

    def __call__(self, positions: Any) -> list[Any]:
        """Return the result of each part of `positions`, in their order."""
        if self._backend is not None:
            n_chunks = CHUNKS_PER_WORKER * max(1, int(joblib.effective_n_jobs(self.n_jobs)))
            parts = _cut(positions, min(n_chunks, len(positions)))
            return self._retry(parts, self._on_dask if self._pool is None else self._on_processes)
        evaluate = self.owner.evaluate_part
        if self._pool is None:
            return [evaluate(positions)]
        # Parts may be as small as the owner prefers: passing them to threads costs nothing.
        together = getattr(self.owner, "n_together", 1)
        parts = _cut(positions, max(-(-len(positions) // together), self.n_threads))
        return list(self._pool.map(evaluate, parts))

    def _retry(self, parts: list[Any], run: Callable[[list[Any]], list[Any]]) -> list[Any]:
        for _ in range(MAX_LOSSES):
            try:
                return run(parts)
            except CancelledError:  # every worker that had a copy of the owner is gone
                self._scatter()
            except BrokenProcessPool:  # a process was killed, which ends its pool
                self._open_pool()
        return run(parts)

    def _open_pool(self) -> None:
        # "c": processes get arrays as memory maps of one file (copy on write).
        pool = joblib.Parallel(self.n_jobs, mmap_mode="c", pre_dispatch="all")
        self._pool = pool.__enter__()

    def _on_processes(self, parts: list[Any]) -> list[Any]:
        task = joblib.delayed(_evaluate_in_worker)
        return self._pool(task(self._token, self.owner, part) for part in parts)

    def _scatter(self) -> None:
        client = self._backend.client
        self._copies = client.scatter(self.owner, broadcast=True, hash=False)
        threads = client.nthreads()
        # An actor answers without the scheduler, in half the time, but one call at a time.
        if all(number == 1 for number in threads.values()):
            options = {"actor": True, "pure": False}
            seats = [client.submit(_Seat, self._copies, workers=[w], **options) for w in threads]
            self._seats = [(seat, seat.result()) for seat in seats]

    def _on_dask(self, parts: list[Any]) -> list[Any]:
        if len(parts) <= len(self._seats):
            try:
                pairs = list(zip(self._seats, parts, strict=False))
                asked = [(seat, actor.evaluate(part)) for (seat, actor), part in pairs]
                return [_answer(seat, answer) for seat, answer in asked]
            except (OSError, RuntimeError):
                self._seats = []  # a worker is gone: tasks are sent to another one automatically
        client = self._backend.client
        # One message for all of them: Dask's client waits 10 ms before it sends the next one. For
        # the same reason the results of the last generation are released only now.
        futures = client.map(_evaluate, [self._copies] * len(parts), parts, pure=False)
        self._last = futures
        # Fetching one by one is a few ms faster than all at once.
        return [future.result() for future in futures]


class SpreadObjective:
    """An objective on rows: a crew evaluates it in parts while it is open, a GPU all at once.

    Another process gets a copy without a crew, which evaluates each part directly.
    """

    # Particles take similar time, so one part for each thread is enough.
    n_together = sys.maxsize

    def __init__(self, rows: Floats, n_threads: int, backend: Any) -> None:
        self.rows = np.ascontiguousarray(rows)
        self.n_threads = n_threads
        self.backend = backend
        self._crew: Crew | None = None

    def __enter__(self) -> Self:
        if not self.backend.on_gpu:
            self._crew = Crew(self, n_jobs=self.n_threads, n_threads=self.n_threads).__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._crew is not None:
            self._crew.__exit__(*error)
        self._crew = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_crew": None}

    def evaluate_part(self, positions: Floats) -> tuple[Any, ...]:
        """Return the results of some of the particles, one array for each quantity."""
        raise NotImplementedError

    def _evaluate(self, positions: Floats) -> tuple[Any, ...]:
        """Return the results of all particles."""
        if self._crew is None:
            return self.evaluate_part(positions)
        return tuple(np.concatenate(column) for column in zip(*self._crew(positions), strict=True))


def _evaluate(owner: Any, part: Any) -> Any:
    with one_blas_thread():
        return owner.evaluate_part(part)


class _Seat:
    """The owner in one of Dask's workers."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def evaluate(self, part: Any) -> Any:
        return _evaluate(self.owner, part)


def _answer(seat: Any, answer: Any) -> Any:
    """Wait for an actor's answer while the actor exists; a lost actor never answers."""
    while True:
        try:
            return answer.result(timeout=SECONDS_BETWEEN_LOOKS)
        except TimeoutError:
            if answer.done():
                raise
            if seat.status != "finished":
                raise RuntimeError(f"the actor is {seat.status}") from None


_kept: dict[str, Any] = {}


def _evaluate_in_worker(token: str, owner: Any, part: Any) -> Any:
    """Evaluate in a process of joblib, which keeps the first owner and its buffers."""
    if token not in _kept:
        _kept.clear()  # one search at a time: its memory is freed when the next begins
        _kept[token] = owner
    return _evaluate(_kept[token], part)


def _process_backend() -> Any:
    """Return joblib's active backend if it works in other processes, else None."""
    backend, _ = get_active_backend(prefer="threads")
    if has_client(backend) and _inside_task():
        return None  # the sender of this task has already distributed the work
    threaded = ("uses_threads", "supports_sharedmem")
    return None if any(getattr(backend, name, False) for name in threaded) else backend


def _inside_task() -> bool:
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return False
    return True


def _cut(items: Any, n_parts: int) -> list[Any]:
    edges = [len(items) * part // n_parts for part in range(n_parts + 1)]
    return [items[a:b] for a, b in pairwise(edges) if a < b]
