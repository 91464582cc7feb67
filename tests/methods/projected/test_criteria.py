"""The four objectives: values by hand, closed-form weights against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.methods.projected.criteria import OBJECTIVES, Criterion, shares_of


def make(name, *, exponent=2.0, strength=1.0, floor=0.0, m=2):
    return Criterion(name, exponent, strength, np.full(m, floor))


def test_values_by_hand():
    shares = np.array([[0.75, 0.25], [0.5, 0.5]])
    spread = np.array([[1.0, 2.0], [4.0, 6.0]])
    sizes = np.array([2.0, 4.0])
    # psovw, β = 2, with m w = (1.5, 0.5) and (1, 1): 2.25·1 + 0.25·2 + 4 + 6
    assert make("psovw").value(shares, sizes, spread) == pytest.approx(12.75)
    # the floor comes on top of every dispersion: + 2.25 + 0.25 + 1 + 1
    assert make("psovw", floor=1.0).value(shares, sizes, spread) == pytest.approx(17.25)
    entropy = 0.75 * np.log(0.75) + 0.25 * np.log(0.25) + np.log(0.5)
    # ewkm, γ = 3: 0.75 + 0.5 + 2 + 3 + 3 Σ w log w
    assert make("ewkm", strength=3.0).value(shares, sizes, spread) == pytest.approx(
        6.25 + 3 * entropy
    )
    # lac, h = 3: dispersions over 2 and 4 rows
    assert make("lac", strength=3.0).value(shares, sizes, spread) == pytest.approx(
        0.625 + 1.25 + 3 * entropy
    )


def test_weights_by_hand():
    spread = np.array([[1.0, 4.0]])
    # β = 2: w ∝ 1 / D
    np.testing.assert_allclose(make("psovw").weights(spread, np.ones(1)), [[0.8, 0.2]])
    # β = 3: w ∝ D^(-1/2) = (1, 1/2)
    np.testing.assert_allclose(
        make("psovw", exponent=3.0).weights(spread, np.ones(1)), [[2 / 3, 1 / 3]]
    )
    # γ = 1/log 2, D apart by 3: 2^-3
    np.testing.assert_allclose(
        make("ewkm", strength=1 / np.log(2)).weights(spread, np.ones(1)), [[8 / 9, 1 / 9]]
    )


def test_shared_weights_come_from_summed_dispersions():
    spread = np.array([[1.0, 1.0], [1.0, 7.0]])  # sums 2 and 8
    found = make("wkmeans").weights(spread, np.ones(2))
    np.testing.assert_allclose(found, [[0.8, 0.2], [0.8, 0.2]])
    swarm = make("wkmeans").weights(np.stack([spread, spread[:, ::-1]]), np.ones((2, 2)))
    np.testing.assert_allclose(swarm[0], found)
    np.testing.assert_allclose(swarm[1], found[:, ::-1])


@pytest.mark.parametrize("name", OBJECTIVES)
@given(seed=st.integers(0, 10_000), exponent=st.floats(1.2, 10))
@settings(max_examples=30, deadline=None)
def test_closed_form_is_the_least(name, seed, exponent):
    rng = np.random.default_rng(seed)
    criterion = Criterion(name, exponent, rng.uniform(0.5, 5), rng.uniform(0, 0.1, 4))
    spread = rng.uniform(0.1, 5, size=(3, 4))
    sizes = rng.integers(1, 9, size=3).astype(float)
    best = criterion.weights(spread, sizes)
    np.testing.assert_allclose(best.sum(axis=1), 1.0)
    least = criterion.value(best, sizes, spread)
    for _ in range(20):
        other = shares_of(criterion.pool(best * rng.uniform(0.7, 1.4, size=best.shape)))
        assert criterion.value(other, sizes, spread) >= least * (1 - 1e-12) - 1e-12


def test_a_swarm_is_its_particles():
    rng = np.random.default_rng(0)
    spread = rng.uniform(0.1, 5, size=(5, 3, 4))
    sizes = rng.integers(1, 9, size=(5, 3)).astype(float)
    for name in OBJECTIVES:
        criterion = make(name, exponent=8.0, m=4)
        shares = criterion.weights(spread, sizes)
        values = criterion.value(shares, sizes, spread)
        for p in range(5):
            alone = criterion.weights(spread[p], sizes[p])
            np.testing.assert_allclose(shares[p], alone)
            assert values[p] == pytest.approx(criterion.value(alone, sizes[p], spread[p]))


def test_eighth_power_by_products_is_the_power():
    w = np.random.default_rng(0).uniform(size=(4, 7))
    quick = make("psovw", exponent=8.0, m=7).factors(w)
    np.testing.assert_allclose(quick, (7 * w) ** 8, rtol=1e-13)


def test_weights_that_are_all_zero_count_alike():
    shares = shares_of(np.array([[0.0, 0.0], [1.0, 3.0]]))
    np.testing.assert_array_equal(shares, [[0.5, 0.5], [0.25, 0.75]])


@pytest.mark.parametrize("exponent", [1.0, 2.5, 8.0, 12.0])
def test_factors_are_powers(exponent):
    w = np.array([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]])
    found = make("psovw", exponent=exponent, m=3).factors(w)
    np.testing.assert_allclose(found, (3.0 * w) ** exponent, rtol=1e-13)
    assert make("ewkm", exponent=exponent, m=3).factors(w) is w


def test_weights_of_a_swarm_are_pooled_over_clusters():
    weights = np.array([[[0.5, 0.5], [0.25, 0.75]], [[1.0, 0.0], [0.0, 1.0]]])
    expected = [[[0.375, 0.625]] * 2, [[0.5, 0.5]] * 2]
    assert make("wkmeans").pool(weights).tolist() == expected
    assert make("lac").pool(weights) is weights


def test_small_clusters_have_the_mass_of_a_row():
    # lac divides by at least 1: ½ · 4 + ½ · 6, and no entropy with h = 1e-300.
    shares, spread = np.array([[0.5, 0.5]]), np.array([[4.0, 6.0]])
    tiny = make("lac", strength=1e-300)
    assert tiny.value(shares, np.array([0.5]), spread) == pytest.approx(5.0)
    assert tiny.value(shares, np.array([2.0]), spread) == pytest.approx(2.5)
