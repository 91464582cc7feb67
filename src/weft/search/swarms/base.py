"""The interface of swarms: start, ask, tell. A swarm gets positions and fitness, never data."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats


class Evaluation(NamedTuple):
    """What the objective returns for a whole swarm."""

    fitness: Floats  # (P,), higher is better; -inf where there is no valid solution
    details: dict[str, NDArray[Any]] = {}  # noqa: RUF012 - per particle, for the history alone


class SwarmState(Protocol):
    """What the loop reads of a swarm's state; each swarm keeps more."""

    @property
    def positions(self) -> Floats: ...  # (P, D), to be evaluated
    @property
    def best_position(self) -> Floats: ...  # (D,)
    @property
    def best_fitness(self) -> float: ...


State = TypeVar("State")


@runtime_checkable
class Swarm(Protocol[State]):
    """An optimiser. Each call returns a new state and leaves the old one as it was."""

    def start(self, positions: Floats, rng: np.random.Generator) -> State:
        """Return the state whose positions are evaluated first."""

    def ask(self, state: State, rng: np.random.Generator) -> State:
        """Move: return the state whose positions are evaluated next."""

    def tell(self, state: State, fitness: Floats) -> State:
        """Return the state after the fitness of its positions is known."""
