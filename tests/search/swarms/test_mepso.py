"""The elitist rule, step by step, and that the swarm finds a minimum."""

from __future__ import annotations

import numpy as np
import pytest

from weft.search.optimize import optimize
from weft.search.swarms.base import Evaluation
from weft.search.swarms.mepso import MEPSO


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


def test_defaults_are_the_papers():
    swarm = MEPSO()
    assert (swarm.inertia, swarm.cognitive, swarm.social) == (0.794, (0.35, 2.4), (2.4, 0.35))
    assert (swarm.n_generations, swarm.max_velocity, swarm.initial_velocity) == (1250, 1.0, 0.0)
    assert (swarm.bounds, swarm.elitist) == ((0.0, 1.0), True)


def test_a_start_by_hand():
    start = np.array([[0.1, 0.2], [0.3, 0.4]])
    state = MEPSO(initial_velocity=3.0, max_velocity=0.5).start(start, np.random.default_rng(2))
    np.testing.assert_array_equal(
        state.velocities, np.random.default_rng(2).uniform(-0.5, 0.5, (2, 2))
    )
    assert not MEPSO().start(start, np.random.default_rng(2)).velocities.any()
    for part in (state.positions, state.own_best):
        np.testing.assert_array_equal(part, start)
    for part in (state.best_position, state.guide):
        np.testing.assert_array_equal(part, start[0])
    np.testing.assert_array_equal(state.own_best_fitness, [-np.inf] * 2)
    assert (state.best_fitness, state.guide_fitness) == (-np.inf, -np.inf)
    np.testing.assert_array_equal(state.growth, [0, 0])
    assert state.moves == 0
    assert MEPSO().ask(state, np.random.default_rng(0)).moves == 1


def test_one_move_by_hand():
    swarm = MEPSO(
        0.5, (1.0, 3.0), (4.0, 2.0), n_generations=5, max_velocity=0.6, bounds=(-1.0, 2.0)
    )
    start = np.array([[0.0, 1.0], [0.5, 0.25]])
    state = swarm.start(start, np.random.default_rng(0))._replace(
        velocities=np.array([[0.25, -0.25], [0.5, 0.0]]),
        own_best=np.array([[0.2, 0.9], [0.6, 0.2]]),
        guide=np.array([0.1, 0.8]),
        moves=1,
    )
    rng, replay = np.random.default_rng(6), np.random.default_rng(6)
    moved = swarm.ask(state, rng)
    r1, r2 = replay.random((2, 2, 2))
    assert rng.random() == replay.random()  # and nothing else was drawn
    # One of four steps is done: pulls of 1.5 and 3.5.
    velocities = (
        0.5 * state.velocities
        + 1.5 * r1 * (state.own_best - start)
        + 3.5 * r2 * (state.guide - start)
    )
    np.testing.assert_allclose(moved.velocities, np.clip(velocities, -0.6, 0.6), rtol=1e-13)
    np.testing.assert_allclose(moved.positions, start + moved.velocities, rtol=1e-13)


def test_a_single_generation_has_the_first_pulls():
    swarm = MEPSO(0.0, (0.0, 0.0), (2.0, 1.0), n_generations=1, max_velocity=9.0, bounds=None)
    state = swarm.start(np.zeros((1, 1)), np.random.default_rng(0))._replace(guide=np.ones(1))
    draw = np.random.default_rng(7).random((2, 1, 1))[1, 0, 0]
    moved = swarm.ask(state, np.random.default_rng(7))
    assert moved.positions[0, 0] == pytest.approx(2.0 * draw)
    two = MEPSO(0.0, (0.0, 0.0), (2.0, 1.0), n_generations=2, max_velocity=9.0, bounds=None)
    moved = two.ask(state._replace(moves=1), np.random.default_rng(7))
    assert moved.positions[0, 0] == pytest.approx(1.0 * draw)


def test_an_equal_fitness_is_no_growth_and_no_better():
    state = told(MEPSO(), [1.0, 3.0, 2.0], [1.0, 3.0, 2.0])
    assert state.growth.tolist() == [0, 0, 0]
    np.testing.assert_allclose(state.own_best, np.arange(6.0).reshape(3, 2) / 10)
    assert state.guide.tolist() == [0.2, 0.3]
    # Particle 0 grows to the guide's fitness: equal is not above, the guide stays.
    state = told(MEPSO(), [1.0, 3.0, 2.0], [3.0, 3.0, 2.0])
    assert state.growth.tolist() == [1, 0, 0]
    assert state.guide.tolist() == [0.2, 0.3]
    assert state.best_position.tolist() == [0.2, 0.3]
    np.testing.assert_allclose(state.own_best[0], [0.01, 0.11])


def test_growth_compares_with_the_generation_before():
    # Particle 0 falls and rises again below its best: that is growth, and no new best.
    state = told(MEPSO(), [5.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0])
    assert state.growth.tolist() == [1, 0, 0]
    np.testing.assert_array_equal(state.own_best_fitness, [5.0, 0.0, 0.0])
    assert (state.best_fitness, state.guide_fitness) == (5.0, 5.0)
    np.testing.assert_array_equal(state.last_fitness, [2.0, 0.0, 0.0])
