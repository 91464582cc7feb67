"""Comprehensive learning: single moves by hand, properties, and a function with many valleys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.search.optimize import optimize
from weft.search.swarms.base import Evaluation
from weft.search.swarms.clpso import (
    CLPSO,
    PartitionCLPSO,
    clusters_differ,
    learn_clusters,
    learning_probabilities,
    match_clusters,
    tournament,
)


def test_learning_probabilities_as_printed():
    chance = learning_probabilities(10, 0.0, 0.5)
    # f(i) = 5 i / 9: Pc(1) = 0, Pc(10) = 0.5, and Pc(2) as below
    assert chance[0] == 0.0
    assert chance[-1] == 0.5
    e = np.exp
    assert chance[1] == pytest.approx(0.5 * (e(10 / 9) - e(5 / 9)) / (e(50 / 9) - e(5 / 9)))
    assert (np.diff(chance) > 0).all()


def test_tournament_never_picks_oneself_and_prefers_the_fitter():
    rng = np.random.default_rng(0)
    fitness = np.array([5.0, 1.0, 2.0, 3.0])
    picks = np.array([tournament(fitness, rng) for _ in range(4000)])
    for particle in range(4):
        assert (picks[:, particle] != particle).all()
    # Particle 1 draws two of {0, 2, 3}: 0 wins the pairs (0,2) and (0,3), 3 wins (2,3), 2 none.
    shares = np.bincount(picks[:, 1], minlength=4) / 4000
    np.testing.assert_allclose(shares, [2 / 3, 0, 0, 1 / 3], atol=0.03)


def test_small_swarms_still_have_somebody_to_learn_from():
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(tournament(np.array([1.0, 2.0]), rng), [1, 0])
    np.testing.assert_array_equal(tournament(np.array([1.0]), rng), [0])


def test_crossover_takes_at_least_one_number_of_the_exemplar():
    # Pc = 0 for all: only the forced number comes from the other.
    swarm = CLPSO(10, learning=(0.0, 0.0))
    state = swarm.start(np.array([[0.1] * 5, [0.9] * 5]), np.random.default_rng(0))
    state = swarm.tell(state, np.array([1.0, 2.0]))
    learned = swarm.crossover(state, np.random.default_rng(1))
    np.testing.assert_array_equal((learned != state.own_best).sum(axis=1), [1, 1])


def test_one_move_by_hand():
    swarm = CLPSO(10, learning=(1.0, 1.0))  # CpBest is the exemplar's best
    start = np.array([[0.2, 0.2], [0.3, 0.1]])
    state = swarm.start(start, np.random.default_rng(0))
    state = swarm.tell(state, np.array([1.0, 2.0]))
    state = state._replace(velocities=np.array([[0.1, 0.0], [0.0, 0.0]]))
    replay = np.random.default_rng(7)
    moved = swarm.ask(state, np.random.default_rng(7))
    # the same draws in the same order: tournament, uniform (taken), integers (spare), r1
    swarm.crossover(state, replay)
    r1 = replay.uniform(size=(2, 1))
    other = start[::-1]
    expected = 0.9 * state.velocities + 1.49445 * r1 * (other - start)  # eq. 13, λ = 0.9
    np.testing.assert_allclose(moved.velocities, np.clip(expected, -0.25, 0.25))
    np.testing.assert_allclose(moved.positions, start + moved.velocities)  # eq. 12
    np.testing.assert_array_equal(state.positions, start)  # the old state stays


def test_inertia_falls_from_first_to_last():
    swarm = CLPSO(50)
    assert swarm._inertia(0) == 0.9
    assert swarm._inertia(24) == pytest.approx(0.8)
    assert swarm._inertia(48) == pytest.approx(0.7)  # the 49th and last move
    assert swarm._inertia(100) == pytest.approx(0.7)
    assert CLPSO(1)._inertia(0) == 0.9
    assert CLPSO(3)._inertia(1) == pytest.approx(0.7)  # the second and last move
    assert CLPSO(4)._inertia(1) == pytest.approx(0.8)


@pytest.mark.parametrize("bounds", ["clip", "repair"])
@given(seed=st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_positions_stay_in_the_box(bounds, seed):
    rng = np.random.default_rng(seed)
    swarm = CLPSO(5, bounds=bounds)
    state = swarm.start(rng.uniform(size=(4, 6)), rng)
    for _ in range(5):
        state = swarm.tell(state, rng.normal(size=4))
        state = swarm.ask(state, rng)
        assert ((state.positions >= 0.0) & (state.positions <= 1.0)).all()
        assert (np.abs(state.velocities) <= 0.25).all()


def test_repair_reflects_and_turns():
    swarm = CLPSO(10, bounds="repair", acceleration=0.0)
    state = swarm.start(np.array([[0.9], [0.1]]), np.random.default_rng(0))
    state = swarm.tell(state, np.zeros(2))
    state = state._replace(velocities=np.array([[0.2], [-0.2]]))
    moved = swarm.ask(state, np.random.default_rng(0))
    # 0.9 + 0.9·0.2 = 1.08 → 0.92; 0.1 - 0.18 = -0.08 → 0.08; both turn
    np.testing.assert_allclose(moved.positions, [[0.92], [0.08]])
    np.testing.assert_allclose(moved.velocities, [[-0.18], [0.18]])


def test_neglect_lets_a_particle_fly_through_the_wall():
    swarm = CLPSO(10, bounds="neglect", acceleration=0.0)
    state = swarm.start(np.array([[0.9], [0.1]]), np.random.default_rng(0))
    state = swarm.tell(state, np.zeros(2))
    state = state._replace(velocities=np.array([[0.2], [-0.2]]))
    moved = swarm.ask(state, np.random.default_rng(0))
    # 0.9 + 0.9·0.2 = 1.08 and 0.1 - 0.18 = -0.08, and neither turns
    np.testing.assert_allclose(moved.positions, [[1.08], [-0.08]])
    np.testing.assert_allclose(moved.velocities, [[0.18], [-0.18]])
    # without a fitness there nothing is remembered of it
    told = swarm.tell(moved, np.array([-np.inf, 1.0]))
    np.testing.assert_allclose(told.own_best, [[0.9], [-0.08]])


def test_neglected_particles_come_back():
    # What they learned lies within, and draws them in again: they are not lost for good.
    rng = np.random.default_rng(0)
    swarm = CLPSO(400, bounds="neglect")
    state = swarm.start(rng.uniform(size=(6, 30)), rng)
    inside = np.ones((401, 6), dtype=bool)
    for move in range(1, 401):
        state = swarm.tell(state, np.where(inside[move - 1], 0.0, -np.inf))
        state = swarm.ask(state, rng)
        inside[move] = ((state.positions >= 0.0) & (state.positions <= 1.0)).all(axis=1)
    assert not inside[1].any()
    assert inside[200:].any()


def test_an_equal_fitness_changes_nothing():
    swarm = CLPSO(10)
    state = swarm.start(np.array([[0.5], [0.6]]), np.random.default_rng(0))
    state = swarm.tell(state, np.array([1.0, 1.0]))
    np.testing.assert_array_equal(state.best_position, [0.5])
    moved = swarm.ask(state, np.random.default_rng(1))
    told = swarm.tell(moved, np.array([1.0, 1.0]))
    np.testing.assert_array_equal(told.own_best, [[0.5], [0.6]])


def test_finds_the_lowest_of_many_valleys():
    # Rastrigin's function with its minimum at 0.3: valleys everywhere, 0 only there.
    def objective(positions):
        x = 8.0 * (positions - 0.3)
        return Evaluation(-(x**2 - 10 * np.cos(2 * np.pi * x) + 10).sum(axis=1))

    rng = np.random.default_rng(0)
    best = optimize(objective, CLPSO(300), rng.uniform(size=(20, 2)), n_generations=300, rng=rng)
    assert best.fitness > -1.0
    np.testing.assert_allclose(best.position, 0.3, atol=0.05)


def test_clusters_are_matched_by_their_rows():
    own = np.array([0, 0, 0, 1, 1, 2, 2], dtype=float)
    other = np.array([2, 2, 2, 0, 0, 1, 0], dtype=float)
    match = match_clusters(own, other, 3)
    np.testing.assert_array_equal(match, [2, 0, 1])
    # Cluster 0 is the other's 2, row for row; row 6 is in 2 here and in what matches 1 there.
    np.testing.assert_array_equal(clusters_differ(own, other, match), [False, True, True])


def test_learning_a_cluster_by_hand():
    own = np.array([0, 0, 0, 1, 1, 2, 2], dtype=float)
    other = np.array([2, 2, 2, 0, 0, 1, 0], dtype=float)
    match = np.array([2, 0, 1])
    learned = learn_clusters(own, other, match, np.array([False, True, False]))
    # Cluster 1 becomes the other's 0: rows 3, 4 and 6; cluster 2 keeps row 5.
    np.testing.assert_array_equal(learned, [0, 0, 0, 1, 1, 2, 1])
    learned = learn_clusters(own, other, match, np.array([False, False, True]))
    # Cluster 2 becomes the other's 1: row 5; row 6 was given up and belongs to none.
    np.testing.assert_array_equal(learned, [0, 0, 0, 1, 1, 2, -1])


@given(
    n_clusters=st.integers(1, 5),
    seed=st.integers(0, 10_000),
)
@settings(max_examples=60, deadline=None)
def test_learning_everything_gives_the_other_partition(n_clusters, seed):
    rng = np.random.default_rng(seed)
    own, other = rng.integers(n_clusters, size=(2, 30)).astype(float)
    match = match_clusters(own, other, n_clusters)
    assert sorted(match) == list(range(n_clusters))
    everything = learn_clusters(own, other, match, np.ones(n_clusters, dtype=bool))
    np.testing.assert_array_equal(match[everything.astype(int)], other)
    nothing = learn_clusters(own, other, match, np.zeros(n_clusters, dtype=bool))
    np.testing.assert_array_equal(nothing, own)
    # brute force: a cluster differs if its rows are not exactly the rows of its match
    differ = [
        set(np.flatnonzero(own == k)) != set(np.flatnonzero(other == match[k]))
        for k in range(n_clusters)
    ]
    np.testing.assert_array_equal(clusters_differ(own, other, match), differ)


def test_of_two_equals_one_starts_anew_and_the_best_is_kept():
    swarm = PartitionCLPSO(2)
    same = np.array([[0, 0, 1, 1], [1, 1, 0, 0]], dtype=float)  # one partition under two names
    state = swarm.start(same, np.random.default_rng(0))
    state = swarm.tell(state, np.array([1.0, 1.0]))
    moved = swarm.ask(state, np.random.default_rng(0))
    np.testing.assert_array_equal(moved.positions[0], same[0])
    np.testing.assert_array_equal(moved.positions[1], [-1, -1, -1, -1])
    assert moved.own_best_fitness[1] == -np.inf
    told = swarm.tell(moved._replace(positions=np.zeros((2, 4))), np.array([0.0, 0.5]))
    assert told.best_fitness == 1.0
    np.testing.assert_array_equal(told.best_position, same[0])
    np.testing.assert_array_equal(told.own_best[1], [0, 0, 0, 0])  # it remembers the new start


def test_a_particle_learns_something_new_where_there_is_something():
    # Pc = 0: the one cluster that is learned must be one that differs (1 or 2, never 0).
    swarm = PartitionCLPSO(3, learning=(0.0, 0.0))
    start = np.array([[0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 2, 2]], dtype=float)
    state = swarm.tell(swarm.start(start, np.random.default_rng(0)), np.array([1.0, 2.0]))
    for seed in range(20):
        moved = swarm.ask(state, np.random.default_rng(seed))
        assert (moved.positions[0] != start[0]).any()
        assert (moved.positions[1] != start[1]).any()


# Settings and single steps --------------------------------------------------------------------


def test_defaults_are_the_papers():
    swarm = CLPSO(10)
    assert (swarm.inertia, swarm.acceleration, swarm.learning) == ((0.9, 0.7), 1.49445, (0.0, 0.5))
    assert (swarm.low, swarm.high, swarm.bounds) == (0.0, 1.0, "clip")
    assert swarm.max_velocity == 0.25
    assert CLPSO(10, low=-2.0, high=6.0).max_velocity == 2.0
    assert PartitionCLPSO(3).learning == (0.0, 0.5)


def test_learning_probabilities_of_any_range():
    np.testing.assert_array_equal(learning_probabilities(1, 0.2, 0.6), [0.6])
    np.testing.assert_allclose(learning_probabilities(2, 0.2, 0.6), [0.2, 0.6])
    e = np.exp  # f = 2.5, 5, 7.5
    middle = 0.2 + 0.4 * (e(5) - e(2.5)) / (e(7.5) - e(2.5))
    np.testing.assert_allclose(learning_probabilities(3, 0.2, 0.6), [0.2, middle, 0.6])


def test_a_start_by_hand():
    start = np.array([[0.1, 0.2], [0.3, 0.4]])
    state = CLPSO(10, low=-1.0, high=3.0).start(start, np.random.default_rng(2))
    np.testing.assert_array_equal(
        state.velocities, np.random.default_rng(2).uniform(-1.0, 1.0, (2, 2))
    )
    np.testing.assert_array_equal(state.own_best, start)
    np.testing.assert_array_equal(state.best_position, start[0])
    np.testing.assert_array_equal(state.own_best_fitness, [-np.inf] * 2)
    assert (state.best_fitness, state.n_moves) == (-np.inf, 0)
    assert PartitionCLPSO(2).start(start, np.random.default_rng(2)).velocities.shape == (2, 0)


def test_moves_are_counted():
    rng = np.random.default_rng(0)
    for swarm in (CLPSO(10), PartitionCLPSO(2)):
        state = swarm.tell(swarm.start(np.array([[0.0, 1.0], [1.0, 1.0]]), rng), np.arange(2.0))
        assert swarm.ask(swarm.ask(state, rng), rng).n_moves == 2


def test_the_first_drawn_wins_a_tie():
    replay = np.random.default_rng(3)
    found = tournament(np.zeros(5), np.random.default_rng(3))
    for i in range(5):
        drawn = replay.choice(4, 2, replace=False)
        assert found[i] == drawn[0] + (drawn[0] >= i)


def test_a_wall_that_is_just_reached_is_no_wall_passed():
    # Inertia 1 and no pull: 0.75 + 0.25 = 1 and 0.25 - 0.25 = 0, exactly.
    swarm = CLPSO(10, inertia=(1.0, 1.0), acceleration=0.0, bounds="repair")
    state = swarm.tell(
        swarm.start(np.array([[0.75], [0.25]]), np.random.default_rng(0)), np.zeros(2)
    )
    state = state._replace(velocities=np.array([[0.25], [-0.25]]))
    moved = swarm.ask(state, np.random.default_rng(0))
    np.testing.assert_array_equal(moved.positions, [[1.0], [0.0]])
    np.testing.assert_array_equal(moved.velocities, [[0.25], [-0.25]])


def test_walls_elsewhere_reflect_as_well():
    # A box from -1 to 3 (velocities up to 1): 2.75 + 1 = 3.75 → 2.25; -0.5 - 1 = -1.5 → -0.5.
    swarm = CLPSO(10, inertia=(1.0, 1.0), acceleration=0.0, low=-1.0, high=3.0, bounds="repair")
    state = swarm.tell(
        swarm.start(np.array([[2.75], [-0.5]]), np.random.default_rng(0)), np.zeros(2)
    )
    state = state._replace(velocities=np.array([[1.0], [-1.0]]))
    moved = swarm.ask(state, np.random.default_rng(0))
    np.testing.assert_array_equal(moved.positions, [[2.25], [-0.5]])
    np.testing.assert_array_equal(moved.velocities, [[-1.0], [1.0]])
    clipped = CLPSO(10, inertia=(1.0, 1.0), acceleration=0.0, low=-1.0, high=3.0).ask(
        state, np.random.default_rng(0)
    )
    np.testing.assert_array_equal(clipped.positions, [[3.0], [-1.0]])
    np.testing.assert_array_equal(clipped.velocities, [[1.0], [-1.0]])


def test_crossover_by_definition():
    swarm = CLPSO(10, learning=(0.3, 0.3))
    start = np.random.default_rng(1).uniform(size=(5, 4))
    state = swarm.tell(swarm.start(start, np.random.default_rng(0)), np.arange(5.0))
    for seed in range(8):
        learned = swarm.crossover(state, np.random.default_rng(seed))
        replay = np.random.default_rng(seed)
        exemplars = tournament(state.own_best_fitness, replay)
        drawn, spare = replay.uniform(size=(5, 4)), replay.integers(4, size=5)
        for i in range(5):
            taken = [v for v in range(4) if drawn[i, v] < 0.3] or [spare[i]]
            wanted = [start[exemplars[i] if v in taken else i, v] for v in range(4)]
            np.testing.assert_array_equal(learned[i], wanted)


def test_bests_step_by_step():
    swarm = CLPSO(10)
    state = swarm.start(np.array([[0.1], [0.2]]), np.random.default_rng(0))
    state = swarm.tell(state, np.array([1.0, 3.0]))
    assert (state.best_position[0], state.best_fitness) == (0.2, 3.0)
    state = swarm.tell(state._replace(positions=np.array([[0.7], [0.8]])), np.array([3.0, 2.0]))
    np.testing.assert_array_equal(state.own_best[:, 0], [0.7, 0.2])
    np.testing.assert_array_equal(state.own_best_fitness, [3.0, 3.0])
    assert state.best_position[0] == 0.2  # an equal one came later
    state = swarm.tell(state._replace(positions=np.array([[0.5], [0.6]])), np.array([3.5, 4.0]))
    assert (state.best_position[0], state.best_fitness) == (0.6, 4.0)


def test_rows_in_no_cluster_match_nothing():
    own = np.array([0, 0, -1, -1, 1], dtype=float)
    other = np.array([1, -1, 0, 0, 0], dtype=float)
    # In common: 0 with 1 (row 0), and 1 with 0 (row 4); rows 2 and 3 count for nobody.
    match = match_clusters(own, other, 2)
    np.testing.assert_array_equal(match, [1, 0])
    np.testing.assert_array_equal(clusters_differ(own, other, match), [True, True])
    same = np.array([1, 1, -1, -1, 0], dtype=float)
    np.testing.assert_array_equal(clusters_differ(own, same, match), [False, False])
    # Learned: the other's 0, rows 2 to 4; row 1, which the other has in none, stays in 0.
    learned = learn_clusters(own, other, match, np.array([False, True]))
    np.testing.assert_array_equal(learned, [0, 0, 1, 1, 1])


def test_one_partition_alone_stays():
    swarm = PartitionCLPSO(2)
    start = np.array([[0, 1, 1, 0]], dtype=float)
    state = swarm.tell(swarm.start(start, np.random.default_rng(0)), np.array([1.0]))
    moved = swarm.ask(state, np.random.default_rng(0))
    np.testing.assert_array_equal(moved.positions, start)
    assert moved.own_best_fitness[0] == 1.0


@pytest.mark.parametrize("chance", [0.0, 0.4, 1.0])
def test_moves_of_partitions_by_definition(chance):
    swarm = PartitionCLPSO(3, learning=(chance, chance))
    rng = np.random.default_rng(4)
    start = rng.integers(3, size=(4, 12)).astype(float)
    start[3] = start[0]  # an equal
    state = swarm.tell(swarm.start(start, rng), np.array([4.0, 2.0, 3.0, 1.0]))
    renewed = 0
    for seed in range(30):
        moved = swarm.ask(state, np.random.default_rng(seed))
        replay = np.random.default_rng(seed)
        exemplars = tournament(state.own_best_fitness, replay)
        drawn, spare = replay.uniform(size=(4, 3)), replay.integers(3, size=4)
        for i, exemplar in enumerate(exemplars):
            match = match_clusters(start[i], start[exemplar], 3)
            new = np.flatnonzero(clusters_differ(start[i], start[exemplar], match))
            if len(new) == 0 and i > exemplar:
                renewed += 1
                np.testing.assert_array_equal(moved.positions[i], -1.0)
                assert moved.own_best_fitness[i] == -np.inf
                continue
            assert moved.own_best_fitness[i] == state.own_best_fitness[i]
            taken = drawn[i] < chance
            if len(new) and not any(taken[k] for k in new):
                taken[new[spare[i] % len(new)]] = True
            wanted = learn_clusters(start[i], start[exemplar], match, taken)
            np.testing.assert_array_equal(moved.positions[i], wanted)
    assert renewed
    np.testing.assert_array_equal(state.own_best_fitness, [4.0, 2.0, 3.0, 1.0])


def test_rows_of_the_first_cluster_count_as_well():
    # Five rows in one cluster there: 3 of ours 0, 2 of ours 1. The larger share has it.
    ours, theirs = np.array([0, 0, 0, 1, 1], dtype=float), np.zeros(5)
    np.testing.assert_array_equal(match_clusters(ours, theirs, 2), [0, 1])
    np.testing.assert_array_equal(match_clusters(theirs, ours, 2), [0, 1])


def test_a_row_that_the_other_has_in_none_makes_only_ours_differ():
    own, other = np.array([0, 0, 1], dtype=float), np.array([1, -1, 0], dtype=float)
    found = clusters_differ(own, other, np.array([1, 0]))
    np.testing.assert_array_equal(found, [True, False])
    found = clusters_differ(other, own, np.array([1, 0]))  # theirs: 1 lacks a row of ours
    np.testing.assert_array_equal(found, [False, True])


class Exactly:
    """A generator that draws the chance itself, which is not below it."""

    def __init__(self, chance):
        self.chance, self.rng = chance, np.random.default_rng(0)

    def uniform(self, size):
        return np.full(size, self.chance)

    def __getattr__(self, name):
        return getattr(self.rng, name)


def test_a_draw_that_is_the_chance_is_not_below_it():
    swarm = CLPSO(10, learning=(0.25, 0.25))
    state = swarm.start(np.array([[0.1] * 5, [0.9] * 5]), np.random.default_rng(0))
    learned = swarm.crossover(state, Exactly(0.25))
    np.testing.assert_array_equal((learned != state.own_best).sum(axis=1), [1, 1])
    start = np.array([[0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 0]], dtype=float)
    partitions = PartitionCLPSO(3, learning=(0.25, 0.25))
    state = partitions.start(start, np.random.default_rng(0))
    moved = partitions.ask(state, Exactly(0.25))
    for i, other in ((0, 1), (1, 0)):
        match = match_clusters(start[i], start[other], 3)
        one_each = [learn_clusters(start[i], start[other], match, one) for one in np.eye(3) > 0]
        assert any((moved.positions[i] == one).all() for one in one_each)
