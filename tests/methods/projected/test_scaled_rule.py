"""A criterion as a rule in the columns' own units: by hand, with a column that never varies."""

from __future__ import annotations

import numpy as np
import pytest

from weft.methods.projected.criteria import Criterion, ScaledRule

ENTROPY = 0.75 * np.log(0.75) + 0.25 * np.log(0.25) + np.log(0.5)
SHARES = np.array([[0.75, 0.0, 0.25], [0.5, 0.0, 0.5]])
COSTS = np.array([5.0, 7.0])


def rule(name, strength=3.0, floor=0.0):
    criterion = Criterion(name, 2.0, strength, np.full(2, floor))
    return ScaledRule(criterion, np.array([True, False, True]), np.array([2.0, 10.0]))


def test_dispersions_are_read_in_standard_units():
    # 4 and 400 over 2² and 10² are 1 and 4: shares 4 : 1 with β = 2.
    found = rule("psovw").weights(np.array([[4.0, 9.0, 400.0]]), np.ones(1))
    np.testing.assert_allclose(found, [[0.8, 0.0, 0.2]])
    assert rule("psovw").pattern_weights(np.ones(3), 5.0).tolist() == [0.5, 0.0, 0.5]


def test_factors_belong_to_distances_in_the_own_units():
    np.testing.assert_allclose(
        rule("ewkm").factors(SHARES), [[0.75 / 4, 0.0, 0.25 / 100], [0.5 / 4, 0.0, 0.5 / 100]]
    )
    # psovw: (2 w)² of 0.75, 0.25, 0.5, 0.5 are 2.25, 0.25, 1, 1.
    np.testing.assert_allclose(
        rule("psovw").factors(SHARES), [[2.25 / 4, 0.0, 0.25 / 100], [1 / 4, 0.0, 1 / 100]]
    )


def test_the_value_of_each_criterion():
    sizes = np.array([2.0, 0.5])
    # The floor counts with every factor: 2.25 + 0.25 + 1 + 1.
    assert rule("psovw", floor=1.0).total(COSTS, sizes, SHARES) == pytest.approx(12.0 + 4.5)
    assert rule("psovw", floor=0.5).total(COSTS, sizes, SHARES) == pytest.approx(12.0 + 2.25)
    assert rule("ewkm").total(COSTS, sizes, SHARES) == pytest.approx(12.0 + 3.0 * ENTROPY)
    # lac: 5 over 2 rows, 7 over one (a mass below 1 counts as 1).
    assert rule("lac").total(COSTS, sizes, SHARES) == pytest.approx(9.5 + 3.0 * ENTROPY)


def test_one_set_of_weights_for_all_clusters():
    pooled = rule("wkmeans").pool(SHARES)
    np.testing.assert_allclose(pooled, [[0.625, 0.0, 0.375]] * 2)
    assert rule("lac").pool(SHARES) is SHARES
