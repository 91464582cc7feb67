"""Multi-elitist particle swarm optimisation.

A. Abraham, S. Das and A. Konar, "Kernel based automatic clustering using modified particle swarm
optimization algorithm", GECCO 2007, section 3; parameters of table 2.

========  ====  ===========================================================================
symbol    shape meaning
========  ====  ===========================================================================
β         (P,)  growth rate: how often a particle was fitter than in the generation before
guide     (D,)  the "global best" of the paper: of all own bests above the last guide,
                the one whose particle has the highest β (not the fittest)
========  ====  ===========================================================================

The guide moves the swarm; the fittest position ever seen is stored separately and is the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats
from weft._base.validation import check_choice, check_integer, check_pair, check_real
from weft.backends.cpu.kernels.moves import move_particles
from weft.search.swarms.base import nothing_known, remember


class MEPSOState(NamedTuple):
    """A swarm between two moves."""

    positions: Floats  # (P, D)
    velocities: Floats  # (P, D)
    own_best: Floats  # (P, D)
    own_best_fitness: Floats  # (P,)
    best_position: Floats  # (D,)
    best_fitness: float
    last_fitness: Floats  # (P,), of the generation before
    growth: NDArray[np.int64]  # β
    guide: Floats  # (D,)
    guide_fitness: float
    moves: int


@dataclass(frozen=True)
class MEPSO:
    """Settings of the swarm; the defaults are those of table 2.

    Parameters
    ----------
    inertia : float, default=0.794
        How much of its velocity a particle keeps.
    cognitive, social : float or (float, float), default=(0.35, 2.4), (2.4, 0.35)
        Pull of a particle's own best position and of the guide: constant, or (first, last). As
        published the cognitive pull grows and the social one falls, which is the opposite of the
        usual direction.
    n_generations : int, default=1250
        Number of generations over which the pulls change; :class:`weft.KernelSwarm` sets it to its
        own number of generations.
    max_velocity : float, default=1.0
        Maximum step in a dimension.
    initial_velocity : float, default=0.0
        First velocities are uniform within ± this, then clamped.
    bounds : (float, float) or None, default=(0.0, 1.0)
        Range of the positions.
    elitist : bool, default=True
        False: the guide is the fittest, as in plain PSO.

    Examples
    --------
    >>> from weft import KernelSwarm
    >>> from weft.search.swarms.mepso import MEPSO
    >>> KernelSwarm(swarm=MEPSO(cognitive=2.0)).swarm.cognitive
    (2.0, 2.0)
    """

    inertia: float = 0.794
    cognitive: tuple[float, float] = (0.35, 2.4)
    social: tuple[float, float] = (2.4, 0.35)
    n_generations: int = 1250
    max_velocity: float = 1.0
    initial_velocity: float = 0.0
    bounds: tuple[float, float] | None = (0.0, 1.0)
    elitist: bool = True

    def __post_init__(self) -> None:
        check_real("inertia", self.inertia, low=0.0)
        object.__setattr__(self, "cognitive", _pull("cognitive", self.cognitive))
        object.__setattr__(self, "social", _pull("social", self.social))
        check_integer("n_generations", self.n_generations, low=1)
        check_real("max_velocity", self.max_velocity, low=0.0, open_low=True)
        check_real("initial_velocity", self.initial_velocity, low=0.0)
        check_choice("elitist", self.elitist, (True, False))
        if self.bounds is not None:
            low, high = check_pair("bounds", self.bounds)
            check_real("bounds[1]", high, low=check_real("bounds[0]", low))

    def start(self, positions: Floats, rng: np.random.Generator) -> MEPSOState:
        """Return the first state: nothing is known yet."""
        reach = min(self.initial_velocity, self.max_velocity)
        n_particles = len(positions)
        return MEPSOState(
            positions.copy(),
            rng.uniform(-reach, reach, positions.shape),
            *nothing_known(positions),
            np.full(n_particles, np.inf),  # so that the first generation does not count as growth
            np.zeros(n_particles, dtype=np.int64),
            positions[0].copy(),
            -np.inf,
            0,
        )

    def ask(self, state: MEPSOState, rng: np.random.Generator) -> MEPSOState:
        """Move every particle once (eq. 9)."""
        done = min(1.0, state.moves / max(1, self.n_generations - 1))
        pulls = [first + (last - first) * done for first, last in (self.cognitive, self.social)]
        positions, velocities = move_particles(
            state.positions,
            state.velocities,
            state.own_best,
            state.guide,
            rng.random((2, *state.positions.shape)),
            np.array([self.inertia, *pulls]),
            self.max_velocity,
        )
        if self.bounds is not None:
            np.clip(positions, *self.bounds, out=positions)
        return state._replace(positions=positions, velocities=velocities, moves=state.moves + 1)

    def tell(self, state: MEPSOState, fitness: Floats) -> MEPSOState:
        """Update growth rates, own bests, the guide and the best seen."""
        growth = state.growth + (fitness > state.last_fitness)
        state = remember(state, fitness)._replace(last_fitness=fitness.copy(), growth=growth)
        own_best, own_best_fitness = state.own_best, state.own_best_fitness
        candidates = np.flatnonzero(own_best_fitness > state.guide_fitness)
        if len(candidates):
            rank = own_best_fitness[candidates]
            # The highest β; among equals, and without elitism, the fittest.
            keys = (rank, growth[candidates]) if self.elitist else (rank,)
            chosen = int(candidates[np.lexsort(keys)[-1]])
            state = state._replace(
                guide=own_best[chosen].copy(), guide_fitness=float(own_best_fitness[chosen])
            )
        return state


def _pull(name: str, given: Any) -> tuple[float, float]:
    pair = tuple(given) if isinstance(given, (tuple, list)) else (given, given)
    if len(pair) != 2:
        raise ValueError(f"{name}={given!r} must be one number, or two: first and last.")
    return (check_real(name, pair[0], low=0.0), check_real(name, pair[1], low=0.0))


# Settings by name: those of table 2 for multi-elitist and for plain PSO.
TABLE_2 = {"mepso": MEPSO(), "pso": MEPSO(0.75, (2.0, 2.0), (2.0, 2.0), elitist=False)}
