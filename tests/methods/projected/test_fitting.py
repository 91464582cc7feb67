"""From a table to a projected search and back: units, rules and shares by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from weft.methods.projected.fitting import Clusters, standard_table, stream_rule, whole_rule
from weft.methods.projected.settings import Settings, SwarmSettings


def settings(**changes):
    given = {
        **{"objective": "ewkm", "metric": "euclidean", "particle": "clusters", "exponent": 2.0},
        **{"strength": None, "n_particles": 4, "n_generations": 3, "polish": True},
        **{"dispersion_floor": 0.5, "standardize": True, "swarm": SwarmSettings()},
    }
    return Settings(**{**given, **changes})


def test_columns_that_vary_in_units_of_their_deviations():
    X = np.array([[1.0, 7.0, 10.0], [3.0, 7.0, 50.0]])
    table = standard_table(X, True)
    assert table.active.tolist() == [True, False, True]
    assert table.unit.tolist() == [1.0, 20.0]
    np.testing.assert_allclose(table.rows, [[1.0, 0.5], [3.0, 2.5]])
    plain = standard_table(X, False)
    assert plain.unit.tolist() == [1.0, 1.0]
    np.testing.assert_array_equal(plain.rows, X[:, [0, 2]])
    # A deviation too small to divide by counts as 1.
    tiny = standard_table(np.array([[0.0], [1e-310]]), True)
    assert tiny.unit.tolist() == [1.0]


def test_the_rule_of_all_rows_by_hand():
    # 10 rows; dispersions 40 and 90 of the active columns are variances 4 and 9.
    active = np.array([True, False, True])
    dispersions = np.array([40.0, 99.0, 90.0])
    rule = whole_rule(settings(), 5, active, dispersions, 10.0)
    np.testing.assert_allclose(rule.unit, [2.0, 3.0])
    assert rule.active is active
    # In standard units a dispersion is 10: a fifth of it is a random cluster's; half of the
    # variance, 1, times two rows per cluster is the floor.
    assert rule.criterion.strength == pytest.approx(10.0 / 5)
    np.testing.assert_allclose(rule.criterion.floor, [1.0, 1.0])
    assert (rule.criterion.name, rule.criterion.exponent) == ("ewkm", 2.0)
    # Means over rows (lac): a random cluster's variance is that of all rows.
    lac = whole_rule(settings(objective="lac"), 5, active, dispersions, 10.0)
    assert lac.criterion.strength == pytest.approx(1.0)
    plain = whole_rule(settings(standardize=False), 5, active, dispersions, 10.0)
    assert plain.unit.tolist() == [1.0, 1.0]
    assert plain.criterion.strength == pytest.approx((40.0 + 90.0) / 2 / 5)
    np.testing.assert_allclose(plain.criterion.floor, [0.5 * 4.0 * 2, 0.5 * 9.0 * 2])
    given = whole_rule(settings(strength=0.25), 5, active, dispersions, 10.0)
    assert given.criterion.strength == 0.25
    constant = whole_rule(settings(), 5, active, np.zeros(3), 10.0)
    assert constant.unit.tolist() == [1.0, 1.0]


def test_the_rule_of_a_stream_is_that_of_its_rows():
    # Clusters of 1 and 3 rows around 0 and 4: the mean is 3, between them 9 + 3. Within, 4.5 and
    # 18 in units of 3 are 0.5 and 2.
    stream = SimpleNamespace(
        sizes=np.array([1.0, 3.0]), total=np.array([[4.5], [18.0]]), units=np.array([3.0])
    )
    active = np.array([True])
    rule = stream_rule(settings(), active, stream, np.array([[0.0], [4.0]]))
    expected = whole_rule(settings(), 2, active, np.array([14.5]), 4.0)
    np.testing.assert_allclose(rule.unit, expected.unit)
    np.testing.assert_allclose(rule.unit, np.sqrt(14.5 / 4.0))
    assert rule.criterion.strength == pytest.approx(expected.criterion.strength)
    np.testing.assert_allclose(rule.criterion.floor, expected.criterion.floor)


def test_sizes_of_clusters():
    found = Clusters(np.array([0, 2, 2]), np.zeros((4, 1)), np.ones((4, 1)), None, 0.0)
    assert found.sizes.tolist() == [1.0, 0.0, 2.0, 0.0]
