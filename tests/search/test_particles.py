"""What a position means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from weft.search.particles import (
    SelectionParticle,
    WeightExponentParticle,
    WeightParticle,
    make_particle,
)

positions = arrays(float, 6, elements=st.floats(-1e6, 1e6))


def test_weights_by_hand():
    weights, exponents = WeightParticle(3).decode(np.array([0.5, -0.1, 0.0]))
    np.testing.assert_array_equal(weights, [0.5, 0.0, 0.0])
    assert exponents is None


def test_exponents_by_hand():
    # (x + 4) / 2: -2 -> 1, 0 -> 2, 2 -> 3; outside the range clipped.
    solution = WeightExponentParticle(3).decode(np.array([1.0, -1.0, 2.0, -2.0, 0.0, 9.0]))
    np.testing.assert_array_equal(solution.weights, [1.0, 0.0, 2.0])
    np.testing.assert_array_equal(solution.exponents, [1.0, 2.0, 3.0])


@given(positions)
def test_decoded_values_stay_within_bounds(position):
    for particle in (WeightParticle(6), WeightExponentParticle(3), SelectionParticle(6)):
        weights, exponents = particle.decode(position)
        assert weights.shape == (particle.n_features,)
        assert (weights >= 0.0).all()
        if exponents is not None:
            assert ((exponents >= 1.0) & (exponents <= 3.0)).all()


@pytest.mark.parametrize(
    "particle", [WeightParticle(40), WeightExponentParticle(40), SelectionParticle(40)]
)
def test_initial_swarms(particle):
    def sizes(init):
        start = particle.initial(np.random.default_rng(0), 30, init)
        assert start.shape == (30, particle.n_dimensions)
        assert np.abs(start).max() <= 2.0
        return np.array([(particle.decode(row).weights > 0).sum() for row in start])

    assert 15 < sizes("uniform").mean() < 25
    assert (sizes("small") == 4).all()
    mixed = sizes("mixed")
    assert (mixed[:20] == 4).all()
    assert (mixed[20:] >= 20).all()


def test_given_positions():
    start = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(
        WeightParticle(3).initial(np.random.default_rng(0), 2, start), start
    )
    with pytest.raises(
        ValueError, match=r"shape \(4, 3\), particles × dimensions, got shape \(2, 3\)"
    ):
        WeightParticle(3).initial(np.random.default_rng(0), 4, start)
    with pytest.raises(ValueError, match="'random' is not known; choose one of 'uniform'"):
        WeightParticle(3).initial(np.random.default_rng(0), 4, "random")


@pytest.mark.parametrize("particle", [WeightParticle(4), WeightExponentParticle(4)])
def test_a_screened_swarm_keeps_the_columns_that_matter(particle):
    screened = np.array([True, False, False, True])
    plain = particle.initial(np.random.default_rng(0), 5, "uniform")
    start = particle.initial(np.random.default_rng(0), 5, "screened", screened)
    # The first particle has weights of exactly 1; the others keep their random distances from 0.
    assert start[0, :4].tolist() == [1.0, -1.0, -1.0, 1.0]
    np.testing.assert_array_equal(start[1:, :4], np.abs(plain[1:, :4]) * [1.0, -1.0, -1.0, 1.0])
    np.testing.assert_array_equal(start[:, 4:], plain[:, 4:])
    # Without a column that is known to matter, starts are random.
    for none in (None, np.zeros(4, dtype=bool)):
        found = particle.initial(np.random.default_rng(0), 5, "screened", none)
        np.testing.assert_array_equal(found, plain)


@pytest.mark.parametrize(("init", "n_small"), [("uniform", None), ("small", 6), ("mixed", 4)])
@pytest.mark.parametrize("n_features", [1, 4, 15, 30])
def test_first_positions_by_definition(init, n_small, n_features):
    particle = WeightExponentParticle(n_features)
    found = particle.initial(np.random.default_rng(3), 6, init)
    rng = np.random.default_rng(3)
    expected = rng.uniform(-2.0, 2.0, (6, 2 * n_features))
    for row in range(0 if n_small is None else 6):
        share = 0.1 if row < n_small else rng.uniform(0.5, 1.0)
        kept = rng.choice(n_features, max(1, round(share * n_features)), replace=False)
        features = -np.abs(expected[row, :n_features])
        features[kept] *= -1.0
        expected[row, :n_features] = features
    np.testing.assert_array_equal(found, expected)


def test_bits_by_hand():
    particle = SelectionParticle(3)
    weights, exponents = particle.decode(np.array([0.0, 1.0, 0.25]))
    assert (weights.tolist(), exponents) == ([0.0, 1.0, 1.0], None)
    start = particle.initial(np.random.default_rng(0), 4, "uniform")
    plain = WeightParticle(3).initial(np.random.default_rng(0), 4, "uniform")
    np.testing.assert_array_equal(start, plain > 0.0)
    given = np.array([[0.0, -1.0, 0.5]])
    assert particle.initial(np.random.default_rng(0), 1, given).tolist() == [[0.0, 0.0, 1.0]]


@pytest.mark.parametrize(
    ("exponents", "bits", "kind"),
    [
        (False, False, WeightParticle),
        (True, False, WeightExponentParticle),
        (False, True, SelectionParticle),
    ],
)
def test_the_particle_of_a_search(exponents, bits, kind):
    made = make_particle(3, exponents=exponents, bits=bits)
    assert type(made) is kind
    assert made.n_dimensions == (6 if exponents else 3)
    with pytest.raises(ValueError, match="exponents=True needs a swarm"):
        make_particle(3, exponents=True, bits=True)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_given_positions_are_finite(bad):
    start = np.zeros((2, 3))
    start[1, 2] = bad
    with pytest.raises(ValueError, match="must be finite"):
        WeightParticle(3).initial(np.random.default_rng(0), 2, start)


def test_exponents_are_between_1_and_3():
    position = np.array([-9.0, 0.0, -2.0, -1.9, 1.9, 2.1])
    _, exponents = WeightExponentParticle(3).decode(position)
    np.testing.assert_allclose(exponents, [1.05, 2.95, 3.0])
