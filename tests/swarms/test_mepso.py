"""The elitist rule, step by step, and that the swarm finds a minimum."""

from __future__ import annotations

import numpy as np
import pytest

from weft.optimize import optimize
from weft.swarms.base import Evaluation
from weft.swarms.mepso import MEPSO


def told(swarm, *generations):
    """Return the state after these fitnesses, without a move in between."""
    rng = np.random.default_rng(0)
    state = swarm.start(np.arange(6.0).reshape(3, 2) / 10, rng)
    for number, fitness in enumerate(generations):
        state = state._replace(positions=state.positions + 0.01 * number)
        state = swarm.tell(state, np.array(fitness))
    return state


def test_the_first_generation_is_no_growth_and_the_fittest_guides():
    state = told(MEPSO(), [1.0, 3.0, 2.0])
    assert state.growth.tolist() == [0, 0, 0]
    assert state.guide_fitness == 3.0
    assert state.guide.tolist() == [0.2, 0.3]


def test_the_guide_is_the_candidate_with_the_highest_growth_not_the_fittest():
    # Guide 3. Particle 0 grows twice (1 < 2 < 4), particle 2 falls and then jumps to 5: growth 1.
    # Both are above 3, so both are candidates; β decides for particle 0 although 5 > 4. The best
    # position ever seen is still particle 2's.
    generations = ([1.0, 3.0, 2.0], [2.0, 3.0, 1.0], [4.0, 3.0, 5.0])
    state = told(MEPSO(), *generations)
    assert state.growth.tolist() == [2, 0, 1]
    assert state.guide_fitness == 4.0
    assert state.best_fitness == 5.0
    plain = told(MEPSO(elitist=False), *generations)
    assert plain.guide_fitness == 5.0


def test_equal_growth_takes_the_fitter():
    state = told(MEPSO(), [1.0, 1.0, 1.0], [2.0, 4.0, 3.0])
    assert state.growth.tolist() == [1, 1, 1]
    assert state.guide_fitness == 4.0


def test_the_guide_only_ever_gets_fitter():
    rng = np.random.default_rng(0)
    swarm = MEPSO()
    state = swarm.start(rng.random((8, 3)), rng)
    guides = []
    for _ in range(40):
        state = swarm.tell(state, rng.random(8))
        guides.append(state.guide_fitness)
        state = swarm.ask(state, rng)
    assert guides == sorted(guides)
    assert state.best_fitness >= state.guide_fitness


def test_pulls_run_from_first_to_last():
    # With inertia 0 and the guide as only pull, the first move is c2 r2 (guide - x) with
    # c2 = 2.4, and after the last generation 0.35.
    swarm = MEPSO(0.0, (0.0, 0.0), (2.4, 0.35), n_generations=11, max_velocity=100.0, bounds=None)
    rng = np.random.default_rng(1)
    state = swarm.start(np.zeros((1, 1)), rng)._replace(guide=np.ones(1), own_best=np.zeros((1, 1)))
    for moves, factor in ((0, 2.4), (5, 1.375), (10, 0.35), (99, 0.35)):
        draws = np.random.default_rng(7).random((2, 1, 1))
        moved = swarm.ask(state._replace(moves=moves), np.random.default_rng(7))
        assert moved.positions[0, 0] == pytest.approx(factor * draws[1, 0, 0])


def test_positions_stay_within_bounds_and_states_are_not_changed():
    rng = np.random.default_rng(0)
    swarm = MEPSO(max_velocity=5.0)
    state = swarm.tell(swarm.start(rng.random((5, 4)), rng), rng.random(5))
    before = state.positions.copy()
    moved = swarm.ask(state._replace(velocities=np.full((5, 4), 3.0)), rng)
    assert (state.positions == before).all()
    assert ((moved.positions >= 0.0) & (moved.positions <= 1.0)).all()


@pytest.mark.parametrize("elitist", [True, False])
def test_finds_a_minimum(elitist):
    target = np.array([0.2, 0.7, 0.5])

    def objective(positions):
        return Evaluation(-((positions - target) ** 2).sum(axis=1))

    rng = np.random.default_rng(0)
    best = optimize(
        objective,
        MEPSO(n_generations=150, elitist=elitist),
        rng.random((20, 3)),
        n_generations=150,
        rng=rng,
    )
    assert best.fitness > -1e-4
