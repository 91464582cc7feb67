"""The only search loop: ask, evaluate, tell, until a callback or the last generation ends it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from weft._base.arrays import Floats
from weft.search.runs import Search, open_run
from weft.search.swarms.base import Evaluation, Swarm

Objective = Callable[[Floats], Evaluation]


@dataclass(frozen=True)
class Generation:
    """The argument of callbacks after each generation; the first generation has number 1."""

    number: int
    n_generations: int
    n_evaluations: int
    positions: Floats
    evaluation: Evaluation
    best_position: Floats
    best_fitness: float
    seconds: float
    state: Any  # the swarm's own


Callback = Callable[[Generation], Any]


class Optimum(NamedTuple):
    """The best position of the search."""

    position: Floats
    fitness: float
    n_generations: int
    n_evaluations: int


def optimize(
    objective: Objective,
    swarm: Swarm[Any],
    positions: Floats,
    *,
    n_generations: int,
    rng: np.random.Generator,
    callbacks: Iterable[Callback] = (),
) -> Optimum:
    """Move `swarm` from `positions` until `n_generations` are evaluated or a callback stops it.

    The objective gets the whole swarm in one call. Every callback is called after every generation;
    any that returns true stops the search. The ``close`` method of callbacks that have one is
    called at the end, also after an error. Within a resumed fit the search continues where its
    checkpoint was written; see `weft.search.runs`.
    """
    calls = list(callbacks)
    began = time.monotonic()
    state = swarm.start(positions, rng)
    search = Search(objective, calls, rng)
    number = n_evaluations = 0
    over = False
    try:
        with open_run() as run:
            known = None if run is None else run.begin(search, state)
            if known is not None:
                earlier, state = known
                number, n_evaluations, over = earlier.number, earlier.n_evaluations, earlier.over
                began -= earlier.seconds
                if not over:
                    state = swarm.ask(state, rng)
            while not over:
                evaluation = objective(state.positions)
                state = swarm.tell(state, evaluation.fitness)
                number += 1
                n_evaluations += len(evaluation.fitness)
                generation = Generation(
                    number,
                    n_generations,
                    n_evaluations,
                    state.positions,
                    evaluation,
                    state.best_position,
                    state.best_fitness,
                    time.monotonic() - began,
                    state,
                )
                # All callbacks are called, even if one of them stops the search: a history needs
                # the last generation.
                stopped_by = [call for call in calls if call(generation)]
                last = number >= n_generations
                over = bool(stopped_by) or last
                if run is not None:
                    over = run.note(
                        number,
                        n_generations,
                        partial(search.record, state, number, n_evaluations, began),
                        over=over,
                        sure=last or any(getattr(call, "settled", False) for call in stopped_by),
                    )
                if not over:
                    state = swarm.ask(state, rng)
    finally:
        for call in calls:
            close = getattr(call, "close", None)
            if close is not None:
                close()
    return Optimum(state.best_position, state.best_fitness, number, n_evaluations)
