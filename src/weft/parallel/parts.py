"""Objectives whose particles are evaluated in parts: on threads here, or by joblib's workers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import numpy as np

from weft._base.arrays import Floats
from weft.parallel.threads import map_ranges
from weft.parallel.workers import Crew, open_crew


class SpreadObjective:
    """Rows, and a swarm that is evaluated in parts while the objective is open.

    Another process gets a copy without threads: there each part is done one after the other.
    """

    def __init__(self, rows: Floats, n_threads: int) -> None:
        self.rows = np.ascontiguousarray(rows)
        self.columns = np.ascontiguousarray(rows.T)
        self.n_threads = n_threads
        self._pool: ThreadPoolExecutor | None = None
        self._crew: Crew | None = None

    def __enter__(self) -> Self:
        self._crew = open_crew(self, self.n_threads)
        if self._crew is None and self.n_threads > 1:
            self._pool = ThreadPoolExecutor(self.n_threads)
        return self

    def __exit__(self, *error: Any) -> None:
        if self._crew is not None:
            self._crew.__exit__(*error)
        if self._pool is not None:
            self._pool.shutdown()
        self._crew = self._pool = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pool": None, "_crew": None}

    def evaluate_part(self, positions: Floats) -> tuple[Any, ...]:
        """Return what is found of some of the particles, one array for each thing."""
        raise NotImplementedError

    def _evaluate(self, positions: Floats) -> tuple[Any, ...]:
        """Return what is found of all particles."""
        if self._crew is None:
            return self.evaluate_part(positions)
        parts = self._crew(positions)
        return tuple(np.concatenate(column) for column in zip(*parts, strict=True))

    def _run(self, work: Any, n_particles: int) -> None:
        """Call ``work(first, last)`` on ranges of the particles."""
        map_ranges(work, n_particles, self.n_threads if self._pool is not None else 1, self._pool)


class WholeSwarm:
    """For objectives on a GPU: a swarm is evaluated at once, not handed to joblib's workers."""

    def __enter__(self) -> Self:
        return self
