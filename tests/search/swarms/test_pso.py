"""Single steps of the swarms by hand, and what must hold for any of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.search.swarms.binary import BinaryPSO
from weft.search.swarms.pso import PSO
from weft.search.swarms.standard import StandardPSO

SWARMS = {"pso": PSO(), "binary": BinaryPSO(), "standard": StandardPSO()}


class _Fixed:
    """A generator whose uniform numbers are known."""

    def __init__(self, *values):
        self.values = list(values)

    def uniform(self, low=0.0, high=1.0, size=None):
        return np.full(size, low + (high - low) * self.values.pop(0))


def test_one_move_by_hand():
    # v = 0.5 · 0.25 + 0.5 · 2 · (1 - 0) + 0.25 · 4 · (3 - 0) = 0.125 + 1 + 3 = 4.125 -> 4.
    swarm = PSO(inertia=0.5, cognitive=2.0, social=4.0, max_velocity=4.0)
    state = swarm.start(np.zeros((1, 1)), _Fixed(0.5))._replace(
        velocities=np.array([[0.25]]),
        own_best=np.array([[1.0]]),
        best_position=np.array([3.0]),
    )
    moved = swarm.ask(state, _Fixed(0.5, 0.25))
    assert moved.velocities[0, 0] == 4.0
    assert moved.positions[0, 0] == 4.0
    assert state.positions[0, 0] == 0.0  # the old state is as it was


def test_random_numbers_are_one_per_particle():
    rng = np.random.default_rng(0)
    swarm = PSO(inertia=0.0, cognitive=0.0, social=1.0, max_velocity=10.0)
    state = swarm.start(np.zeros((4, 3)), rng)._replace(best_position=np.ones(3))
    velocities = swarm.ask(state, rng).velocities
    assert all(len(np.unique(row)) == 1 for row in velocities)
    assert len(np.unique(velocities[:, 0])) == 4


def test_tell_keeps_the_best_and_lets_ties_stand():
    swarm = PSO()
    state = swarm.start(np.array([[0.0], [1.0]]), np.random.default_rng(0))
    state = swarm.tell(state, np.array([1.0, 2.0]))
    assert (state.best_position[0], state.best_fitness) == (1.0, 2.0)
    state = swarm.tell(state._replace(positions=np.array([[5.0], [6.0]])), np.array([2.0, 2.0]))
    np.testing.assert_array_equal(state.own_best, [[5.0], [1.0]])
    assert state.best_position[0] == 1.0


def test_nothing_valid_is_no_best():
    swarm = PSO()
    state = swarm.start(np.array([[3.0], [1.0]]), np.random.default_rng(0))
    state = swarm.tell(state, np.array([-np.inf, -np.inf]))
    assert state.best_fitness == -np.inf
    assert np.isfinite(swarm.ask(state, np.random.default_rng(0)).positions).all()


def test_a_bit_follows_its_velocity():
    swarm = BinaryPSO(inertia=1.0, cognitive=0.0, social=0.0)
    state = swarm.start(np.zeros((1, 2)), np.random.default_rng(0))
    state = state._replace(velocities=np.array([[100.0, -100.0]]))
    moved = swarm.ask(state, _Fixed(0.0, 0.0, 0.5))
    # Clamped to ±6: P = 0.9975 and 0.0025 around the drawn 0.5.
    np.testing.assert_array_equal(moved.velocities, [[6.0, -6.0]])
    np.testing.assert_array_equal(moved.positions, [[1.0, 0.0]])


@pytest.mark.parametrize("name", SWARMS)
@given(seed=st.integers(0, 2**32), n_particles=st.integers(1, 6), n_dimensions=st.integers(1, 5))
def test_any_swarm(name, seed, n_particles, n_dimensions):
    swarm = SWARMS[name]
    rng = np.random.default_rng(seed)
    start = (rng.uniform(size=(n_particles, n_dimensions)) < 0.5).astype(float)
    state = swarm.start(start, rng)
    best = -np.inf
    for _ in range(4):
        state = swarm.tell(state, -np.abs(state.positions - 0.3).sum(axis=1))
        assert state.best_fitness >= best
        best = state.best_fitness
        assert best == -np.abs(state.best_position - 0.3).sum()
        state = swarm.ask(state, rng)
        assert np.abs(state.velocities).max() <= swarm.max_velocity
        assert state.positions.shape == start.shape
        if name == "binary":
            assert set(np.unique(state.positions)) <= {0.0, 1.0}


def test_pso_finds_the_top_of_a_hill():
    swarm = PSO()
    rng = np.random.default_rng(0)
    state = swarm.start(rng.uniform(-2, 2, (20, 3)), rng)
    for _ in range(100):
        state = swarm.tell(state, -((state.positions - 0.5) ** 2).sum(axis=1))
        state = swarm.ask(state, rng)
    np.testing.assert_allclose(state.best_position, 0.5, atol=0.05)


# Settings and single steps --------------------------------------------------------------------


def test_defaults_are_the_papers():
    pso, binary, standard = PSO(), BinaryPSO(), StandardPSO()
    assert (pso.inertia, pso.cognitive, pso.social) == (0.73, 1.5, 1.5)
    assert (pso.max_velocity, pso.initial_velocity) == (1.0, 2.0)
    assert (binary.max_velocity, binary.inertia) == (6.0, 0.73)
    assert (standard.inertia, standard.cognitive, standard.social) == (0.729844, 1.49618, 1.49618)
    assert (standard.max_velocity, standard.initial_velocity) == (6.0, 0.0)


def test_a_start_by_hand():
    start = np.array([[3.0, 4.0], [5.0, 6.0]])
    # Three eighths of the way from -2 to 2 is -1/2; all the way is 2, clamped to 1.
    state = PSO().start(start, _Fixed(0.375))
    np.testing.assert_array_equal(state.velocities, np.full((2, 2), -0.5))
    np.testing.assert_array_equal(PSO().start(start, _Fixed(1.0)).velocities, np.ones((2, 2)))
    np.testing.assert_array_equal(PSO().start(start, _Fixed(0.0)).velocities, -np.ones((2, 2)))
    np.testing.assert_array_equal(state.positions, start)
    np.testing.assert_array_equal(state.own_best, start)
    np.testing.assert_array_equal(state.best_position, start[0])
    np.testing.assert_array_equal(state.own_best_fitness, [-np.inf] * 2)
    assert state.best_fitness == -np.inf


def test_one_binary_move_by_hand():
    # v = 0.5 · 1 + 0.5 · 2 · (1 - 0) + 0.25 · 4 · (0 - 0) = 1.5 for the first bit, and
    # 0.5 · 1 + 0.5 · 2 · (0 - 1) + 0.25 · 4 · (0 - 1) = -1.5 for the second.
    swarm = BinaryPSO(inertia=0.5, cognitive=2.0, social=4.0)
    state = swarm.start(np.array([[0.0, 1.0]]), _Fixed(0.5))._replace(
        velocities=np.ones((1, 2)),
        own_best=np.array([[1.0, 0.0]]),
        best_position=np.array([0.0, 0.0]),
    )
    moved = swarm.ask(state, _Fixed(0.5, 0.25, 0.5))
    np.testing.assert_array_equal(moved.velocities, [[1.5, -1.5]])
    np.testing.assert_array_equal(moved.positions, [[1.0, 0.0]])  # P = 0.82 and 0.18
    moved = swarm.ask(state, _Fixed(0.5, 0.25, 0.9))
    np.testing.assert_array_equal(moved.positions, [[0.0, 0.0]])
    moved = swarm.ask(state, _Fixed(0.5, 0.25, 0.1))
    np.testing.assert_array_equal(moved.positions, [[1.0, 1.0]])


def test_a_bit_is_set_below_its_chance():
    swarm = BinaryPSO(inertia=1.0, cognitive=0.0, social=0.0)
    state = swarm.start(np.zeros((1, 1)), _Fixed(0.5))  # velocity 0: P = 1/2
    assert swarm.ask(state, _Fixed(0.0, 0.0, 0.5)).positions[0, 0] == 0.0
    assert swarm.ask(state, _Fixed(0.0, 0.0, 0.49)).positions[0, 0] == 1.0


def test_bits_have_random_numbers_of_their_own():
    rng = np.random.default_rng(0)
    swarm = BinaryPSO(inertia=0.0, cognitive=0.0, social=1.0)
    state = swarm.start(np.zeros((4, 3)), rng)._replace(best_position=np.ones(3))
    assert len(np.unique(swarm.ask(state, rng).velocities)) == 12


def test_one_standard_move_by_hand():
    swarm = StandardPSO(inertia=0.5, cognitive=2.0, social=4.0, max_velocity=4.0)
    start = np.array([[0.0, 0.0], [1.0, 1.0]])
    state = swarm.start(start, np.random.default_rng(0))
    np.testing.assert_array_equal(state.velocities, np.zeros((2, 2)))
    state = state._replace(
        velocities=np.full((2, 2), 0.25),
        own_best=np.array([[1.0, 0.5], [1.0, -1.0]]),
        best_position=np.array([3.0, 0.5]),
    )
    rng, replay = np.random.default_rng(5), np.random.default_rng(5)
    moved = swarm.ask(state, rng)
    r1, r2 = replay.random((2, 2, 2))
    assert rng.random() == replay.random()  # and nothing else was drawn
    velocities = (
        0.125 + r1 * 2.0 * (state.own_best - start) + r2 * 4.0 * (state.best_position - start)
    )
    np.testing.assert_allclose(moved.velocities, np.clip(velocities, -4.0, 4.0), rtol=1e-14)
    np.testing.assert_allclose(moved.positions, start + moved.velocities, rtol=1e-14)


@pytest.mark.parametrize("swarm", [PSO(), StandardPSO(), BinaryPSO()])
def test_bests_step_by_step(swarm):
    state = swarm.start(np.array([[0.0], [1.0], [2.0]]), np.random.default_rng(0))
    nothing = swarm.tell(state, np.full(3, -np.inf))
    assert nothing.best_fitness == -np.inf
    state = swarm.tell(state, np.array([1.0, 3.0, 3.0]))
    assert (state.best_position[0], state.best_fitness) == (1.0, 3.0)  # the first on a tie
    np.testing.assert_array_equal(state.own_best_fitness, [1.0, 3.0, 3.0])
    # One better than itself, none better than the best.
    later = swarm.tell(
        state._replace(positions=np.array([[7.0], [8.0], [9.0]])), np.array([2.0, 3.0, 0.0])
    )
    np.testing.assert_array_equal(later.own_best[:, 0], [7.0, 1.0, 2.0])
    np.testing.assert_array_equal(later.own_best_fitness, [2.0, 3.0, 3.0])
    assert (later.best_position[0], later.best_fitness) == (1.0, 3.0)
    # Equal to the best from below: the best stays.
    tied = swarm.tell(
        later._replace(positions=np.array([[5.0], [8.0], [9.0]])), np.array([3.0, 1.0, 1.0])
    )
    assert tied.own_best[0, 0] == 5.0
    assert tied.best_position[0] == 1.0
    last = swarm.tell(
        tied._replace(positions=np.array([[5.0], [8.0], [9.0]])), np.array([0.0, 0.0, 4.0])
    )
    assert (last.best_position[0], last.best_fitness) == (9.0, 4.0)
    np.testing.assert_array_equal(state.own_best[:, 0], [0.0, 1.0, 2.0])  # old states stay
