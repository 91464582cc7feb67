"""Objectives whose swarms are evaluated in parts: the only place that distributes the parts.

On a CPU particles do not depend on each other: threads of this process or joblib's workers take
ranges of them. On a GPU the whole swarm is one call.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import numpy as np

from weft._base.arrays import Floats
from weft.parallel.workers import Crew, open_crew


class SpreadObjective:
    """An objective on rows that evaluates its swarm in parts while it is open, or whole on a GPU.

    Another process gets a copy without threads: there each part is done one after the other.
    """

    def __init__(self, rows: Floats, n_threads: int, backend: Any) -> None:
        self.rows = np.ascontiguousarray(rows)
        self.n_threads = n_threads
        self.backend = backend
        self._threads: ThreadPoolExecutor | None = None
        self._crew: Crew | None = None

    def __enter__(self) -> Self:
        if not self.backend.on_gpu:
            self._crew = open_crew(self, self.n_threads)
            if self._crew is None and self.n_threads > 1:
                self._threads = ThreadPoolExecutor(self.n_threads)
        return self

    def __exit__(self, *error: Any) -> None:
        if self._crew is not None:
            self._crew.__exit__(*error)
        if self._threads is not None:
            self._threads.shutdown()
        self._crew = self._threads = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_threads": None, "_crew": None}

    def evaluate_part(self, positions: Floats) -> tuple[Any, ...]:
        """Return what is known of some of the particles, one array for each quantity."""
        raise NotImplementedError

    def _evaluate(self, positions: Floats) -> tuple[Any, ...]:
        """Return what is known of all particles."""
        if self._crew is not None:
            parts = self._crew(positions)
        elif self._threads is not None:
            n_parts = min(self.n_threads, len(positions))
            parts = list(self._threads.map(self.evaluate_part, np.array_split(positions, n_parts)))
        else:
            return self.evaluate_part(positions)
        return tuple(np.concatenate(column) for column in zip(*parts, strict=True))
