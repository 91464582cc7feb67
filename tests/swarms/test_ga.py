"""The genetic algorithm on strings of centres with gaps."""

from __future__ import annotations

import numpy as np
import pytest

from weft.optimize import optimize
from weft.swarms.base import Evaluation
from weft.swarms.ga import GA


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
