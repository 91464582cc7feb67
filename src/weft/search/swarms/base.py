"""The interface of swarms (start, ask, tell), and the best positions of particle swarms.

A swarm gets positions and fitness, never data.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats


class Evaluation(NamedTuple):
    """The result of the objective for a whole swarm."""

    fitness: Floats  # (P,), higher is better; -inf where there is no valid solution
    details: dict[str, NDArray[Any]] = {}  # noqa: RUF012 - per particle, only for the history


class SwarmState(Protocol):
    """The attributes of a swarm's state that the loop reads; each swarm has more."""

    @property
    def positions(self) -> Floats: ...  # (P, D), to be evaluated
    @property
    def best_position(self) -> Floats: ...  # (D,)
    @property
    def best_fitness(self) -> float: ...


State = TypeVar("State")


@runtime_checkable
class Swarm(Protocol[State]):
    """An optimiser. Each call returns a new state and does not change the old one."""

    def start(self, positions: Floats, rng: np.random.Generator) -> State:
        """Return the state whose positions are evaluated first."""

    def ask(self, state: State, rng: np.random.Generator) -> State:
        """Move: return the state whose positions are evaluated next."""

    def tell(self, state: State, fitness: Floats) -> State:
        """Return the state after the fitness of its positions is known."""


Remembering = TypeVar("Remembering", bound=Any)


class Bests(NamedTuple):
    """The best positions and fitness values, in the order that all states have."""

    own_best: Floats  # (P, D)
    own_best_fitness: Floats  # (P,)
    best_position: Floats  # (D,)
    best_fitness: float


def nothing_known(positions: Floats) -> Bests:
    """Return the state of the bests before the first evaluation."""
    unknown = np.full(len(positions), -np.inf)
    return Bests(positions.copy(), unknown, positions[0].copy(), -np.inf)


def remember(state: Remembering, fitness: Floats) -> Remembering:
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
