"""Weights from dispersions: every rule by hand."""

from __future__ import annotations

import numpy as np
import pytest

from weft.kmeans.data import make_data
from weft.kmeans.weights import (
    EntropyWeights,
    PowerWeights,
    Unweighted,
    known,
    power_weights,
    tied,
    typical_dispersion,
    typical_share,
    uniform,
)
from weft.parallel.threads import one_range

NAN = np.nan
TWO = np.ones(2, bool)


def test_uniform_weights_are_for_features_that_vary():
    found = uniform(np.array([True, False, True]), 2)
    np.testing.assert_array_equal(found, [[0.5, 0.0, 0.5]] * 2)


def test_what_was_never_seen_has_the_largest_dispersion():
    given = np.array([[0.25, NAN, 0.5], [0.1, 0.2, 0.3], [NAN, NAN, NAN]])
    found = known(given)
    np.testing.assert_array_equal(found, [[0.25, 0.5, 0.5], [0.1, 0.2, 0.3], [0.0] * 3])
    whole = np.array([[1.0, 2.0]])
    assert known(whole) is whole
    np.testing.assert_array_equal(known(np.array([0.25, NAN])), [0.25, 0.25])


def test_a_column_that_never_varies_gets_nothing():
    # Of D = (9, 1, 4) the first column never varies: 1 and 4 share as 1/1 and 1/4.
    active = np.array([False, True, True])
    found = power_weights(np.array([[9.0, 1.0, 4.0]]), 2.0, active)
    np.testing.assert_allclose(found, [[0.0, 0.8, 0.2]], rtol=1e-15)
    found = power_weights(np.array([[0.0, 1.0, 4.0]]), 1.0, active)
    np.testing.assert_array_equal(found, [[0.0, 1.0, 0.0]])


def test_without_weights_every_feature_counts_alike():
    rule = Unweighted(TWO)
    np.testing.assert_array_equal(rule.weights(np.zeros((3, 4)), np.ones(3)), np.full((3, 4), 0.25))
    np.testing.assert_array_equal(rule.pattern_weights(np.zeros(4), 1.0), np.full(4, 0.25))
    np.testing.assert_array_equal(rule.factors(np.full((1, 2), 0.5)), [[1.0, 1.0]])
    assert rule.total(np.array([3.0, 4.0]), np.ones(2), np.ones((2, 2))) == 7.0
    given = np.array([[0.2, 0.8]])
    assert rule.pool(given) is given


def test_offsets_by_hand():
    # Two clusters, D = (1, 3) and (5, 7), β = 2. The mean of all four, 4, is added: w ∝ 1/(D + 4).
    spread = np.array([[1.0, 3.0], [5.0, 7.0]])
    found = PowerWeights(TWO, 2.0).weights(spread, np.ones(2))
    np.testing.assert_allclose(found, [[7 / 12, 5 / 12], [11 / 20, 9 / 20]], rtol=1e-15)
    found = PowerWeights(TWO, 2.0, 1.0).weights(spread, np.ones(2))
    np.testing.assert_allclose(found, [[4 / 6, 2 / 6], [8 / 14, 6 / 14]], rtol=1e-15)
    # One set for all: D = (6, 10), whose mean is 8: w ∝ (1/14, 1/18).
    found = PowerWeights(TWO, 2.0, per_cluster=False).weights(spread, np.ones(2))
    np.testing.assert_allclose(found, [[18 / 32, 14 / 32]] * 2, rtol=1e-15)
    # A column that never varies has no say in the mean: (1 + 5) / 2 = 3 is not asked, 3 alone is.
    active = np.array([False, True, True])
    found = PowerWeights(active, 2.0).weights(np.array([[100.0, 1.0, 3.0]]), np.ones(1))
    np.testing.assert_allclose(found, [[0.0, 5 / 8, 3 / 8]], rtol=1e-15)


def test_features_of_a_group_share_a_weight():
    # D = (1, 3, 4), the first two in one group: their mean is 2, so w ∝ (1/2, 1/2, 1/4) at β = 2.
    groups, active = np.array([0, 0, 1]), np.ones(3, bool)
    rule = PowerWeights(active, 2.0, 0.0, groups=groups)
    found = rule.weights(np.array([[1.0, 3.0, 4.0]]), np.ones(1))
    np.testing.assert_allclose(found, [[0.4, 0.4, 0.2]], rtol=1e-15)
    # No other shared weights have a lower Σ w^β D.
    best = (found**2 * [[1.0, 3.0, 4.0]]).sum()
    for share in np.linspace(0.05, 0.45, 9):
        other = np.array([share, share, 1.0 - 2.0 * share])
        assert (other**2 * [1.0, 3.0, 4.0]).sum() >= best - 1e-12
    # A constant feature has no say in its group.
    some = tied(np.array([[0.0, 3.0, 4.0]]), groups, np.array([False, True, True]))
    np.testing.assert_array_equal(some, [[3.0, 3.0, 4.0]])
    spread = PowerWeights(active, 2.0, groups=groups, pattern_offset=0.0)
    found = spread.pattern_weights(np.array([1.0, 3.0, 4.0]), 5.0)
    np.testing.assert_allclose(found, [0.4, 0.4, 0.2], rtol=1e-15)


def test_patterns_have_an_offset_of_their_own():
    # D = (0.01, 0.03) + 0.01, β = 2: w ∝ (1/0.02, 1/0.04).
    found = PowerWeights(TWO, 2.0).pattern_weights(np.array([0.01, 0.03]), 5.0)
    np.testing.assert_allclose(found, [2 / 3, 1 / 3], rtol=1e-12)
    found = PowerWeights(TWO, 2.0, pattern_offset=1.0).pattern_weights(np.array([1.0, NAN]), 5.0)
    np.testing.assert_allclose(found, [0.5, 0.5], rtol=1e-12)


def test_factors_total_and_pool_of_powers():
    rule = PowerWeights(TWO, 3.0)
    np.testing.assert_array_equal(rule.factors(np.array([[0.5, 2.0]])), [[0.125, 8.0]])
    assert rule.total(np.array([3.0, 4.0]), np.ones(2), np.ones((2, 2))) == 7.0
    weights = np.array([[1.0, 0.0], [2.0, 3.0]])
    assert rule.pool(weights) is weights
    # One set for all is the mean over clusters, (1.5, 1.5), made to sum to 1.
    pooled = PowerWeights(TWO, 3.0, per_cluster=False).pool(weights)
    np.testing.assert_array_equal(pooled, [[0.5, 0.5]] * 2)


@pytest.mark.parametrize("averaged", [True, False])
def test_entropy_weights_by_hand(averaged):
    # γ = 2, D = (0, 2 ln 3): exp(-D/γ) = (1, 1/3) as sums. A mean over two rows halves D.
    rule = EntropyWeights(TWO, 2.0, averaged)
    spread = np.array([[0.0, 2.0 * np.log(3.0)]])
    low = 3.0**-0.5 if averaged else 1 / 3
    found = rule.weights(spread, np.array([2.0]))
    np.testing.assert_allclose(found, [[1 / (1 + low), low / (1 + low)]], rtol=1e-12)
    np.testing.assert_allclose(rule.pattern_weights(spread[0], 2.0), found[0], rtol=1e-15)
    assert rule.factors(found) is found
    assert rule.pool(found) is found
    entropy = 2.0 * np.log(0.5)
    weights = np.full((2, 2), 0.5)
    total = rule.total(np.array([4.0, 9.0]), np.array([2.0, 3.0]), weights)
    assert total == pytest.approx((2.0 + 3.0 if averaged else 13.0) + 2.0 * entropy, rel=1e-14)


def test_entropy_weights_of_clusters_that_are_nothing():
    rule = EntropyWeights(np.array([True, True, False]), 1.0, True)
    found = rule.weights(np.array([[0.0, 0.0, 0.0], [1.0, NAN, 0.0]]), np.array([0.0, 1.0]))
    np.testing.assert_allclose(found, [[0.5, 0.5, 0.0]] * 2, rtol=1e-15)
    assert rule.total(np.zeros(1), np.zeros(1), np.array([[1.0, 0.0, 0.0]])) == 0.0


def test_entropy_weights_see_differences_alone():
    # As large as dispersions are beside γ: what they have in common is taken out before.
    rule = EntropyWeights(np.ones(3, bool), 1e-300, False)
    found = rule.weights(np.array([[1e10, 1e10, 2e10 / 2], [0.0, 0.0, 1e-300]]), np.ones(2))
    e = np.exp(-1.0)
    np.testing.assert_allclose(found, [[1 / 3] * 3, [1 / (2 + e), 1 / (2 + e), e / (2 + e)]])


@pytest.mark.parametrize(
    ("averaged", "share"),
    [
        (False, 3.0 / 4.0),  # the mean of 2 and 4, divided among four clusters
        (True, 3.0 / 12.0),  # or by the sum of loads
    ],
)
def test_the_share_of_a_random_cluster(averaged, share):
    assert typical_share(np.array([2.0, 4.0]), 12.0, 4, averaged) == share
    assert typical_share(np.zeros(2), 12.0, 4, averaged) == 1.0
    # Rows 0, 2 and 4 with masses 1, 2 and 3: mean 8/3, dispersion (64 + 2·4 + 3·16)/9 = 120/9. The
    # second column is constant.
    X, mass = np.array([[0.0, 5.0], [2.0, 5.0], [4.0, 5.0]]), np.array([1.0, 2.0, 3.0])
    data = make_data(X, mass, 2.0, one_range)
    expected = 120.0 / 9.0 / (6.0 if averaged else 4.0)
    active = np.array([True, False])
    assert typical_dispersion(data, active, 4, averaged) == pytest.approx(expected)
    whole = typical_dispersion(data, np.ones(2, bool), 4, averaged)
    assert whole == pytest.approx(expected / 2.0)
