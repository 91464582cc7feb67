"""What particle swarms remember: each particle's best position, and the swarm's."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np

from weft._base.arrays import Floats

State = TypeVar("State", bound=Any)


class Bests(NamedTuple):
    """The part of a state that is remembered, in the order that all states have."""

    own_best: Floats  # (P, D)
    own_best_fitness: Floats  # (P,)
    best_position: Floats  # (D,)
    best_fitness: float


def nothing_known(positions: Floats) -> Bests:
    """Return what is remembered before the first evaluation."""
    unknown = np.full(len(positions), -np.inf)
    return Bests(positions.copy(), unknown, positions[0].copy(), -np.inf)


def remember(state: State, fitness: Floats) -> State:
    """Update each particle's best and the swarm's; an equal fitness changes nothing."""
    better = np.flatnonzero(fitness > state.own_best_fitness)
    if len(better) == 0:
        return state
    own_best, own_best_fitness = state.own_best.copy(), state.own_best_fitness.copy()
    own_best[better] = state.positions[better]
    own_best_fitness[better] = fitness[better]
    state = state._replace(own_best=own_best, own_best_fitness=own_best_fitness)
    leader = int(own_best_fitness.argmax())
    if own_best_fitness[leader] > state.best_fitness:
        state = state._replace(
            best_position=own_best[leader].copy(), best_fitness=float(own_best_fitness[leader])
        )
    return state
