"""Anomalous patterns, scattered rows and starts: small tables solved by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from weft.kmeans.data import make_data
from weft.kmeans.ordering import canonical_order
from weft.kmeans.seeding import (
    AnomalousPatterns,
    anomalous_patterns,
    complete,
    from_patterns,
    plain_factors,
    plus_plus,
    random_rows,
    scattered,
)
from weft.parallel.threads import one_range


class Plain:
    """Equal weights, whatever the pattern; remembers the sizes it was told."""

    def __init__(self):
        self.sizes = []

    def factors(self, weights):
        return np.ones_like(weights)

    def pattern_weights(self, spread, size):
        self.sizes.append(size)
        return np.full(len(spread), 1.0 / len(spread))

    def pool(self, weights):
        return weights


def data_of(values, mass=None):
    X = np.array(values, dtype=float)
    X = X[:, None] if X.ndim == 1 else X
    return make_data(
        X, np.ones(len(X)) if mass is None else np.array(mass, dtype=float), 2.0, one_range
    )


def patterns_of(values, mass=None, **options):
    data = data_of(values, mass)
    rule = Plain()
    return anomalous_patterns(data, rule, np.ones(data.X.shape[1], dtype=bool), **options), rule


LINE = [-10.0, -9.0, 0.0, 1.0, 18.0]  # its mean is 0


def test_patterns_are_taken_from_the_farthest_row_on():
    found, rule = patterns_of(LINE)
    # 18 is farthest and stays alone: 0 and 1 are nearer to the mean. Then -10 and -9; then 1, which
    # is nearer to itself than to the mean; then 0, which lies on the mean.
    assert found.labels.tolist() == [1, 1, 3, 2, 0]
    assert found.sizes.tolist() == [1.0, 2.0, 1.0, 1.0]
    assert_allclose(found.centers[:, 0], [18.0, -9.5, 1.0, 0.0])
    assert 2.0 in rule.sizes  # the pattern of two rows was told as two
    assert found.weights.shape == (4, 1)


def test_the_mass_of_rows_counts():
    found, rule = patterns_of([-10.0, -9.0, 0.0, 1.0, 18.0], [2.0, 2.0, 1.0, 1.0, 2.0])
    assert found.sizes.max() == 4.0
    assert 4.0 in rule.sizes


def test_the_search_stops_when_no_larger_pattern_is_left():
    # Three patterns of 1, 2 and 1; with one wanted: after -10 and -9 the two rows left are not
    # more than the two of the largest.
    found, _ = patterns_of(LINE, enough=1)
    assert len(found.sizes) == 2
    assert found.labels.tolist() == [1, 1, -1, -1, 0]
    assert len(patterns_of(LINE, enough=2)[0].sizes) == 3


def test_starts_are_the_largest_patterns():
    patterns = AnomalousPatterns(
        np.array([[1.0], [2.0], [3.0]]),
        np.ones((3, 1)),
        np.array([1.0, 5.0, 3.0]),
        np.zeros(9, dtype=np.int32),
    )
    data, rule, active = data_of(LINE), Plain(), np.array([True])

    def start(n_clusters, min_size):
        made = from_patterns(data, patterns, rule, active, n_clusters=n_clusters, min_size=min_size)
        return made.centers[:, 0].tolist()

    assert start(None, 3.0) == [2.0, 3.0]
    assert start(None, 3.1) == [2.0]
    assert start(None, 9.0) == [2.0]  # the largest, though it is too small
    assert start(2, 9.0) == [2.0, 3.0]
    # Five are more than there are: rows far from all starts fill up.
    assert start(5, 1.0) == [2.0, 3.0, 1.0, 18.0, -10.0]


def test_scattered_rows_are_far_from_each_other():
    data, active = data_of(LINE), np.array([True])
    assert scattered(data, active, 3)[:, 0].tolist() == [18.0, -10.0, 1.0]
    assert scattered(data, active, 2, np.array([[-10.0]]))[:, 0].tolist() == [-10.0, 18.0]


def test_missing_values_of_starts_are_those_of_the_centre():
    data = data_of([[0.0, 2.0], [np.nan, 4.0], [6.0, 6.0]])
    assert_array_equal(complete(data.X[[1]], data), [[3.0, 4.0]])
    same = complete(data.X[[0]], data)
    assert_array_equal(same, [[0.0, 2.0]])
    same[0, 0] = 99.0
    assert data.X[0, 0] == 0.0  # a copy


def test_factors_of_varying_columns():
    assert_array_equal(plain_factors(np.array([True, False]), 2), [[1.0, 0.0], [1.0, 0.0]])


@pytest.mark.parametrize(
    "draw",
    [
        lambda data, rng: random_rows(data, 4, rng),
        lambda data, rng: plus_plus(data, np.array([True]), 4, rng),
    ],
    ids=["random rows", "k-means++"],
)
def test_fewer_different_rows_than_clusters(draw):
    data = data_of([1.0, 1.0, 5.0, 5.0])
    rng = np.random.default_rng(0)
    found = draw(data, rng)
    assert set(found[:, 0]) == {1.0, 5.0}
    assert len(found) == 4
    assert found[-1] == found[-2]


def test_rows_are_drawn_by_their_mass():
    data = data_of([0.0, 1.0, 2.0], [0.0, 0.0, 3.0])
    for seed in range(5):
        assert random_rows(data, 1, np.random.default_rng(seed))[0, 0] == 2.0
        assert plus_plus(data, np.array([True]), 1, np.random.default_rng(seed))[0, 0] == 2.0


def test_the_order_follows_the_values_alone():
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[:, 2] = 0.0
    order, keys = canonical_order(X)
    turned = np.random.default_rng(1).permutation(30)
    again, _ = canonical_order(X[turned])
    assert_array_equal(X[turned][again], X[order])
    assert (np.diff(keys[order]) >= 0.0).all()
