"""The genetic algorithm on strings of centres with gaps."""

from __future__ import annotations

import numpy as np
import pytest

from weft.search.optimize import optimize
from weft.search.swarms.base import Evaluation
from weft.search.swarms.ga import GA


def test_crossover_swaps_whole_genes():
    swarm = GA(4, 2, crossover=1.0, mutation=0.0)
    parents = np.vstack([np.zeros(12), np.ones(12)])
    children = swarm._cross(parents, np.random.default_rng(0))
    # Each column comes from one parent, and a gene's flag and both numbers from the same.
    flags, values = children[0, :4], children[0, 4:].reshape(4, 2)
    assert (values == flags[:, np.newaxis]).all()
    assert (children.sum(axis=0) == 1.0).all()
    assert 0 < flags.sum() < 4  # some genes swapped, the first never
    assert flags[0] == 0.0


def test_mutation_by_hand():
    # v → v(1 + δ), δ in [-2, 2], or δ itself where v is 0; flags are left alone.
    swarm = GA(1, 2, mutation=1.0)
    rng = np.random.default_rng(3)
    children = swarm._mutate(np.array([[1.0, 0.0, 10.0]]), rng)
    again = np.random.default_rng(3)
    again.random((1, 2))
    delta = again.uniform(-2.0, 2.0, (1, 2))[0]
    assert children[0].tolist() == pytest.approx([1.0, delta[0], 10.0 * (1.0 + delta[1])])


def test_parents_are_drawn_by_fitness():
    swarm = GA(2, 1)
    rng = np.random.default_rng(0)
    drawn = np.concatenate(
        [swarm._draw_parents(np.array([0.0, 1.0, 3.0]), rng) for _ in range(2000)]
    )
    shares = np.bincount(drawn, minlength=3) / len(drawn)
    assert shares[0] == 0.0
    assert shares[2] == pytest.approx(0.75, abs=0.03)
    # No valid string at all: anyone may breed.
    assert set(swarm._draw_parents(np.zeros(50), rng)) <= set(range(50))


def test_elitism_keeps_the_best():
    swarm = GA(2, 1)
    rng = np.random.default_rng(0)
    state = swarm.start(np.arange(12.0).reshape(3, 4), rng)
    state = swarm.tell(state, np.array([1.0, 5.0, 2.0]))
    best = state.best_position.copy()
    state = swarm.tell(state._replace(positions=np.zeros((3, 4))), np.array([1.0, 0.5, 2.0]))
    assert state.best_fitness == 5.0
    assert (state.positions[1] == best).all()  # in the place of the worst
    assert state.fitness.tolist() == [1.0, 5.0, 2.0]


def test_finds_a_maximum():
    def objective(positions):
        return Evaluation(1.0 / (1.0 + ((positions[:, 2:] - 2.0) ** 2).sum(axis=1)))

    rng = np.random.default_rng(0)
    start = np.hstack([np.ones((40, 2)), rng.uniform(1.0, 5.0, (40, 4))])
    best = optimize(objective, GA(2, 2, mutation=0.05), start, n_generations=100, rng=rng)
    assert best.fitness > 0.8


def test_defaults_are_the_papers():
    assert (GA(3, 2).crossover, GA(3, 2).mutation) == (0.85, 0.005)


def test_a_start_knows_nothing():
    start = np.arange(8.0).reshape(2, 4)
    state = GA(2, 1).start(start, np.random.default_rng(0))
    np.testing.assert_array_equal(state.positions, start)
    np.testing.assert_array_equal(state.fitness, [0.0, 0.0])
    np.testing.assert_array_equal(state.best_position, start[0])
    assert state.best_fitness == -np.inf


def test_crossover_by_definition():
    swarm = GA(3, 2, crossover=0.6)
    parents = np.arange(45.0).reshape(5, 9)  # flags 0-2, then three genes of two numbers
    seen = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        children = swarm._cross(parents, rng)
        replay = np.random.default_rng(seed)
        wanted = parents.copy()
        for first in (0, 2):  # the fifth has no mate
            if replay.random() < 0.6:
                cut = int(replay.integers(1, 3))
                seen.add(cut)
                columns = [*range(cut, 3), *range(3 + 2 * cut, 9)]
                wanted[first, columns] = parents[first + 1, columns]
                wanted[first + 1, columns] = parents[first, columns]
        np.testing.assert_array_equal(children, wanted)
        assert rng.random() == replay.random()  # and nothing else was drawn
    assert seen == {1, 2}
    np.testing.assert_array_equal(parents, np.arange(45.0).reshape(5, 9))


def test_mutation_hits_some():
    swarm = GA(2, 3, mutation=0.4)
    before = np.arange(1.0, 17.0).reshape(2, 8)
    found = swarm._mutate(before.copy(), np.random.default_rng(8))
    replay = np.random.default_rng(8)
    hit = replay.random((2, 6)) < 0.4
    delta = replay.uniform(-2.0, 2.0, (2, 6))
    values = before[:, 2:]
    np.testing.assert_allclose(found[:, 2:], np.where(hit, values * (1.0 + delta), values))
    np.testing.assert_array_equal(found[:, :2], before[:, :2])
    assert 0 < hit.sum() < 12


def test_fitness_that_is_none_draws_nobody():
    swarm = GA(2, 1)
    fitness = np.array([-5.0, 0.0, np.inf, np.nan, 2.0, -np.inf])
    drawn = swarm._draw_parents(fitness, np.random.default_rng(0))
    np.testing.assert_array_equal(drawn, [4] * 6)
    drawn = swarm._draw_parents(np.array([0.0, 0.25, 0.0]), np.random.default_rng(0))
    np.testing.assert_array_equal(drawn, [1] * 3)  # however small it is
    # Nobody at all: everybody alike.
    drawn = np.concatenate(
        [swarm._draw_parents(-np.ones(4), np.random.default_rng(seed)) for seed in range(200)]
    )
    np.testing.assert_allclose(np.bincount(drawn, minlength=4) / 800, 0.25, atol=0.06)


def test_a_generation_is_bred_from_its_parents():
    swarm = GA(2, 1, crossover=0.0, mutation=0.0)
    start = np.arange(12.0).reshape(3, 4)
    state = swarm.tell(swarm.start(start, np.random.default_rng(0)), np.array([1.0, 0.0, 1.0]))
    moved = swarm.ask(state, np.random.default_rng(1))
    rows = swarm._draw_parents(state.fitness, np.random.default_rng(1))
    np.testing.assert_array_equal(moved.positions, start[rows])


def test_bests_step_by_step():
    swarm = GA(1, 1)
    start = np.array([[1.0, 10.0], [1.0, 20.0]])
    state = swarm.tell(swarm.start(start, np.random.default_rng(0)), np.array([1.0, 2.0]))
    assert (state.best_position[1], state.best_fitness) == (20.0, 2.0)
    np.testing.assert_array_equal(state.positions, start)  # the best is among them
    # An equal: the old one comes back in the place of the worst.
    later = swarm.tell(
        state._replace(positions=np.array([[1.0, 30.0], [1.0, 40.0]])), np.array([2.0, 0.5])
    )
    np.testing.assert_array_equal(later.positions[:, 1], [30.0, 20.0])
    np.testing.assert_array_equal(later.fitness, [2.0, 2.0])
    assert later.best_position[1] == 20.0
    better = swarm.tell(
        later._replace(positions=np.array([[1.0, 50.0], [1.0, 60.0]])), np.array([0.0, 3.0])
    )
    np.testing.assert_array_equal(better.positions[:, 1], [50.0, 60.0])
    assert (better.best_position[1], better.best_fitness) == (60.0, 3.0)


class Exactly:
    """A generator that draws the chance itself, which is not below it."""

    def random(self, shape=None):
        return 0.5 if shape is None else np.full(shape, 0.5)

    def uniform(self, low, high, shape):
        return np.full(shape, 0.7)


def test_a_draw_that_is_the_chance_is_not_below_it():
    swarm = GA(3, 1, crossover=0.5, mutation=0.5)
    parents = np.arange(12.0).reshape(2, 6)
    np.testing.assert_array_equal(swarm._cross(parents, Exactly()), parents)
    np.testing.assert_array_equal(swarm._mutate(parents.copy(), Exactly()), parents)
