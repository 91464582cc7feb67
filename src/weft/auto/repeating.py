"""The search on parts of the rows, round by round in the package's one loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft.auto.clock import Clock
from weft.auto.resampling import Repeat, RepeatedSearch, Rounds
from weft.auto.search import Answer, Settings
from weft.search.optimize import optimize

ROWS_PER_THREAD = 100


def threads_for(n_rows: int, n_threads: int) -> int:
    """Return how many threads are worth starting.

    With few rows most calls are short and hold the interpreter lock, for which more threads would
    only wait: 200 x 20,000 takes longer on 16 threads than on 4.
    """
    return min(n_threads, 2 + n_rows // ROWS_PER_THREAD)


def repeat_search(
    rounds: Callable[[int], Repeat],
    answer: Answer,
    settings: Settings,
    clock: Clock,
    callbacks: Sequence[Any] | None,
) -> list[Repeat]:
    """Repeat the search on parts of the rows, until a stop is requested."""
    if not answer.partition.clustered or not settings.n_resamples or clock.is_late(0.5):
        return []
    n_columns = len(answer.weights)
    objective = RepeatedSearch(answer.labels, n_columns, settings.n_resamples, rounds)
    optimize(
        objective,
        Rounds(),
        np.zeros((1, 1)),
        n_generations=settings.n_resamples,
        rng=np.random.default_rng(settings.seed),
        callbacks=[lambda generation: clock.is_late(0.5), *(callbacks or [])],
    )
    return objective.repeats
