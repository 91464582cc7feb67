"""Single steps of the swarms by hand, and what must hold for any of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.swarms.binary import BinaryPSO
from weft.swarms.pso import PSO

SWARMS = {"pso": PSO(), "binary": BinaryPSO()}


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
