"""One BLAS thread while weft computes: weft has its own threads, and results stay bit-identical.

BLAS keeps its number of threads for the whole process, and fits may overlap in threads. If each fit
saved and restored the number by itself, a fit that began second could save the limit of the first
one, restore it last, and so leave BLAS limited. So all of them share one counter: the first to
enter saves and limits, the last to leave restores.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

# The BLAS of both libraries must be loaded before the controller searches for them.
import numpy.linalg  # noqa: F401 - see above
import scipy.linalg.cython_blas  # noqa: F401 - see above
from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_n_inside = 0
_before: list[int] = []


@lru_cache(maxsize=1)
def _libraries() -> list[Any]:
    # The search for libraries takes milliseconds, and no library is loaded later.
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


def _set_threads(library: Any, n_threads: int) -> None:
    """Set a library's number of threads, from any thread.

    threadpoolctl 3.7 and newer let only the thread that came first set OpenBLAS's number, and
    silently ignore all others; `clear_controlling_thread` undoes that.
    """
    clear = getattr(library, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)
    library.set_num_threads(n_threads)
    if clear is not None:
        clear(force=True)


def hold_blas() -> None:
    """Limit BLAS to one thread until as many calls of `release_blas` have been made."""
    global _n_inside, _before
    with _lock:
        if _n_inside == 0:
            _before = [library.get_num_threads() for library in _libraries()]
            for library in _libraries():
                _set_threads(library, 1)
        _n_inside += 1


def release_blas() -> None:
    """Undo one call of `hold_blas`; the last one restores the numbers of threads."""
    global _n_inside
    with _lock:
        _n_inside -= 1
        if _n_inside == 0:
            for library, n_threads in zip(_libraries(), _before, strict=True):
                _set_threads(library, n_threads)


def _start_afresh() -> None:
    """Undo in a forked child what threads of its parent had begun: they do not exist there."""
    global _lock, _n_inside
    _lock = threading.Lock()
    if _n_inside:
        _n_inside = 0
        for library, n_threads in zip(_libraries(), _before, strict=True):
            _set_threads(library, n_threads)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread inside the block; blocks may overlap in any number of threads."""
    hold_blas()
    try:
        yield
    finally:
        release_blas()
