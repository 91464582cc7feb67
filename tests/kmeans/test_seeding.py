"""Anomalous patterns solved by hand, and starts that do not depend on where rows stand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from weft import WeightedKMeans
from weft.kmeans.data import make_data
from weft.kmeans.ordering import canonical_order
from weft.kmeans.seeding import (
    _draw,
    anomalous_patterns,
    complete,
    from_patterns,
    plain_factors,
    plus_plus,
    random_rows,
    scattered,
)
from weft.kmeans.weights import PowerWeights, Unweighted


def run(task, size):
    task(0, size)


def table(X, p=2.0, mass=None):
    X = np.ascontiguousarray(X, dtype=np.float64)
    return make_data(X, np.ones(len(X)) if mass is None else np.asarray(mass, float), p, run)


def everything(n):
    return np.ones(n, bool)


def test_patterns_by_hand():
    # Values 0, 1, 2, 9, 10 and mean 4.4. Farthest is 10 (5.6 away): nearer to 10 than to 4.4 are
    # 9, 10; their mean 9.5 keeps them. Then 0 (4.4 away): nearer to 0 than to 4.4 are 0, 1, 2;
    # mean 1, the same three: done.
    data = table([[0.0], [1.0], [2.0], [9.0], [10.0]])
    patterns = anomalous_patterns(data, Unweighted(everything(1)), everything(1))
    np.testing.assert_array_equal(patterns.labels, [1, 1, 1, 0, 0])
    np.testing.assert_array_equal(patterns.centers[:, 0], [9.5, 1.0])
    np.testing.assert_array_equal(patterns.sizes, [2.0, 3.0])
    start = from_patterns(
        data, patterns, Unweighted(everything(1)), everything(1), n_clusters=2, min_size=1
    )
    np.testing.assert_array_equal(start.centers[:, 0], [1.0, 9.5])  # the largest first


def test_strictly_nearer_a_row_halfway_stays_out():
    # Values 0, 2, 4, -6, mean 0. Farthest is -6: alone. Then 4: the row 2 lies halfway between
    # 4 and 0 and does not join; 4 alone. Then 2: nearer to 2 than to 0 is 2 alone. Then 0.
    data = table([[0.0], [2.0], [4.0], [-6.0]])
    patterns = anomalous_patterns(data, Unweighted(everything(1)), everything(1))
    np.testing.assert_array_equal(patterns.labels, [3, 2, 1, 0])


def test_rows_on_the_reference_point_form_one_pattern():
    # -1, 1 and three zeros: mean 0; the zeros are never nearer to anything else.
    data = table([[0.0], [-1.0], [0.0], [1.0], [0.0]])
    patterns = anomalous_patterns(data, Unweighted(everything(1)), everything(1))
    np.testing.assert_array_equal(patterns.labels, [2, 0, 2, 1, 2])
    assert patterns.sizes[2] == 3.0


def test_a_pattern_that_weights_would_empty_stays_as_it_was():
    # Weights may favour a feature in which no row is nearer to the pattern than to the reference.
    rng = np.random.default_rng(0)
    for seed in range(20):
        X = np.random.default_rng(seed).normal(size=(30, 4)).round(1)
        rule = PowerWeights(everything(4), 1.0 if seed % 2 else 1.05)
        patterns = anomalous_patterns(table(X, p=1.0 + rng.random()), rule, everything(4))
        assert (patterns.sizes >= 1).all()
        assert patterns.sizes.sum() == 30
        assert np.isfinite(patterns.centers).all()
        assert (patterns.labels >= 0).all()


def test_the_search_stops_when_no_larger_pattern_can_follow():
    X = np.random.default_rng(1).normal(size=(300, 3))
    rule = Unweighted(everything(3))
    data = table(X)
    whole = anomalous_patterns(data, rule, everything(3))
    short = anomalous_patterns(data, rule, everything(3), enough=2)
    assert len(short.sizes) < len(whole.sizes)
    pair = [
        from_patterns(data, found, rule, everything(3), n_clusters=2, min_size=1).centers
        for found in (whole, short)
    ]
    np.testing.assert_array_equal(*pair)


def test_fewer_patterns_than_clusters_are_filled_with_far_rows():
    # Two patterns (9.5 and 1); the third start is the row farthest from both: 0 is 1 away from 1,
    # 2 is 1 away, 9 and 10 are 0.5 away: row 0, the first of the farthest.
    data = table([[0.0], [1.0], [2.0], [9.0], [10.0]])
    rule = Unweighted(everything(1))
    patterns = anomalous_patterns(data, rule, everything(1))
    start = from_patterns(data, patterns, rule, everything(1), n_clusters=3, min_size=1)
    np.testing.assert_array_equal(start.centers[:, 0], [1.0, 9.5, 0.0])


def test_small_patterns_are_discarded_when_the_number_is_open():
    data = table([[0.0], [2.0], [4.0], [-6.0]])  # four patterns of one row each, as above
    rule = Unweighted(everything(1))
    patterns = anomalous_patterns(data, rule, everything(1))
    for least, count in [(1, 4), (2, 1)]:  # at least one is always kept
        start = from_patterns(data, patterns, rule, everything(1), n_clusters=None, min_size=least)
        assert len(start.centers) == count


def test_scattered_rows_by_hand():
    # Mean of 0, 1, 2, 9 is 3: farthest is 9, then 0, then 2 (2 away from 0; 1 is only 1 away).
    centers = scattered(table([[0.0], [1.0], [2.0], [9.0]]), everything(1), 3)
    np.testing.assert_array_equal(centers[:, 0], [9.0, 0.0, 2.0])


@pytest.mark.parametrize("draw", ["random", "plus_plus"])
def test_draws_see_mass_not_position(draw):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 3))
    mass = rng.integers(1, 4, 40)
    twice = np.repeat(X, mass, axis=0)
    twice = twice[rng.permutation(len(twice))]
    for seed in range(10):
        found = []
        for data in (table(X, mass=mass), table(twice)):
            generator = np.random.default_rng(seed)
            if draw == "random":
                found.append(random_rows(data, 5, generator))
            else:
                found.append(plus_plus(data, everything(3), 5, generator))
        np.testing.assert_array_equal(*found)
        assert len(np.unique(found[0], axis=0)) == 5


@pytest.mark.parametrize("draw", ["random", "plus_plus"])
def test_fewer_different_rows_than_clusters(draw):
    data = table(np.array([[0.0], [0.0], [1.0], [1.0]]))
    generator = np.random.default_rng(0)
    if draw == "random":
        centers = random_rows(data, 3, generator)
    else:
        centers = plus_plus(data, everything(1), 3, generator)
    assert set(centers[:, 0]) == {0.0, 1.0}
    assert len(centers) == 3


# Single steps ---------------------------------------------------------------------------------


def test_the_search_stops_at_what_could_only_tie():
    # Values 0, 1, 2, 9, 10: patterns of 2 rows, then 3. After the first, 3 rows are left, more
    # than the smallest kept; with one row of mass 2 in place of three they are as many: enough.
    rule = Unweighted(everything(1))
    found = anomalous_patterns(
        table([[0.0], [1.0], [2.0], [9.0], [10.0]]), rule, everything(1), enough=1
    )
    assert len(found.sizes) == 2
    found = anomalous_patterns(
        table([[1.0], [9.0], [10.0]], mass=[2, 1, 1]), rule, everything(1), enough=1
    )
    assert len(found.sizes) == 1
    np.testing.assert_array_equal(found.labels, [-1, 0, 0])
    # Two are enough, and two were found: the third could be as large as the second.
    found = anomalous_patterns(table([[0.0], [2.0], [4.0], [-6.0]]), rule, everything(1), enough=2)
    np.testing.assert_array_equal(found.sizes, [1.0, 1.0, 1.0])


def test_sizes_are_masses():
    rule = Unweighted(everything(1))
    # Mean (3·0 + 9 + 10) / 5 = 3.8: 9 and 10 first (6.2 away), then 0.
    found = anomalous_patterns(
        table([[0.0], [9.0], [10.0]], mass=[3.0, 1.0, 1.0]), rule, everything(1)
    )
    np.testing.assert_array_equal(found.sizes, [2.0, 3.0])
    np.testing.assert_array_equal(found.centers[:, 0], [9.5, 0.0])


def test_mass_makes_no_row_farther():
    # The mean is 19/13: 10 is farthest though it counts least, then 0 (19/13 away), then 1.
    rule = Unweighted(everything(1))
    found = anomalous_patterns(
        table([[1.0], [0.0], [10.0]], mass=[9.0, 3.0, 1.0]), rule, everything(1)
    )
    np.testing.assert_array_equal(found.labels, [2, 1, 0])


def test_missing_values_make_a_row_farther_and_are_filled_from_the_reference():
    # Centres of the columns: 0 in the first (loads 1, 1, 2: (-3 + 3 + 2·0) / 4), and (1 + 3)/2 = 2
    # in the second. Row 2 has one value, 4 away: 16 · 2 = 32 against 9 + 1 = 10.
    X = [[-3.0, 1.0], [3.0, 3.0], [np.nan, 6.0], [np.nan, -2.0]]
    data = table(X)
    rule = Unweighted(everything(2))
    found = anomalous_patterns(data, rule, everything(2))
    np.testing.assert_array_equal(found.labels[2], 0)
    assert found.centers[0, 0] == 0.0
    assert found.centers[0, 1] == 6.0


def test_weights_of_a_pattern_are_its_own():
    # Rows around (10, 0): tight in the first column, loose in the second.
    rng = np.random.default_rng(3)
    far = rng.normal(size=(12, 2)) * [0.1, 1.0] + [10.0, 0.0]
    near = rng.normal(size=(30, 2))
    data = table(np.vstack([near, far]))
    rule = PowerWeights(everything(2), 2.0)
    found = anomalous_patterns(data, rule, everything(2))
    rows = found.labels == 0
    spread = ((data.X[rows] - data.X[rows].mean(axis=0)) ** 2).sum(axis=0)
    np.testing.assert_allclose(found.weights[0], rule.pattern_weights(spread, rows.sum()))
    np.testing.assert_allclose(found.centers[0], data.X[rows].mean(axis=0))


def test_the_largest_patterns_and_no_more():
    data = table([[0.0], [1.0], [2.0], [9.0], [10.0]])
    rule = Unweighted(everything(1))
    patterns = anomalous_patterns(data, rule, everything(1))  # sizes 2 and 3
    for least, centers in [(2, [1.0, 9.5]), (2.5, [1.0]), (3, [1.0]), (4, [1.0])]:
        start = from_patterns(data, patterns, rule, everything(1), n_clusters=None, min_size=least)
        np.testing.assert_array_equal(start.centers[:, 0], centers)
    # With a number given, how small they are does not matter.
    start = from_patterns(data, patterns, rule, everything(1), n_clusters=2, min_size=4)
    np.testing.assert_array_equal(start.centers[:, 0], [1.0, 9.5])
    start = from_patterns(data, patterns, rule, everything(1), n_clusters=1, min_size=1)
    np.testing.assert_array_equal(start.centers[:, 0], [1.0])


def test_rows_that_fill_up_have_equal_weights():
    data = table([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [9.0, 1.0], [10.0, 1.0]])
    active = np.array([True, False])
    rule = PowerWeights(active, 2.0)
    patterns = anomalous_patterns(data, rule, active)
    start = from_patterns(data, patterns, rule, active, n_clusters=4, min_size=1)
    assert start.centers.shape == start.weights.shape == (4, 2)
    np.testing.assert_array_equal(start.weights, [[1.0, 0.0]] * 4)
    # After 1 and 9.5: 0 (1 away), and then 2, which is 1 from 1.
    np.testing.assert_array_equal(start.centers[:, 0], [1.0, 9.5, 0.0, 2.0])


def test_what_a_row_lacks_comes_from_the_center():
    data = table([[0.0, 1.0], [4.0, np.nan], [2.0, 5.0]])
    # Loads 1, 2, 1: the first column's centre is (0 + 8 + 2) / 4, the second's (1 + 5) / 2.
    np.testing.assert_array_equal(complete(data.X, data), [[0.0, 1.0], [4.0, 3.0], [2.0, 5.0]])
    whole = np.array([[7.0, 7.0]])
    np.testing.assert_array_equal(complete(whole, data), whole)
    assert complete(whole, data) is not whole
    # A column without any value has its centre at 0.
    empty = table([[0.0, np.nan], [4.0, np.nan]])
    np.testing.assert_array_equal(complete(empty.X, empty), [[0.0, 0.0], [4.0, 0.0]])


def test_constant_columns_put_no_row_far():
    X = [[0.0, 50.0], [1.0, 50.0], [3.0, 50.0]]
    centers = scattered(table(X), np.array([True, False]), 2)
    np.testing.assert_array_equal(centers[:, 0], [3.0, 0.0])
    # A column that is said not to count does not, whatever is in it.
    X = [[0.0, 0.0], [1.0, 900.0], [3.0, 0.0]]
    centers = scattered(table(X), np.array([True, False]), 2)
    np.testing.assert_array_equal(centers[:, 0], [3.0, 0.0])


def test_factors_are_one_for_features_that_vary():
    found = plain_factors(np.array([True, False, True]), 2)
    np.testing.assert_array_equal(found, [[1.0, 0.0, 1.0]] * 2)


# Draws, as the definition has them ------------------------------------------------------------


class Known:
    """A generator whose numbers are known, and counted."""

    def __init__(self, *values):
        self.values = list(values)
        self.n_drawn = 0

    def random(self):
        self.n_drawn += 1
        return self.values.pop(0) if self.values else 0.5


def test_one_draw():
    mass = np.array([0.0, 1.0, 0.0, 3.0, 0.0])
    for value, index in [(0.0, 1), (0.2, 1), (0.25, 3), (0.9, 3), (1.0, 3)]:
        assert _draw(mass, Known(value)) == index


def test_random_rows_by_definition():
    # In the order of their values: 0 (mass 1), 1 (2 rows, mass 3 together), 4 (mass 4).
    data = table([[4.0], [1.0], [0.0], [1.0]], mass=[4.0, 1.0, 1.0, 2.0])
    for value, row in [(0.0, 0.0), (0.1, 0.0), (0.13, 1.0), (0.49, 1.0), (0.51, 4.0)]:
        assert random_rows(data, 1, Known(value))[0, 0] == row
    # After 1 is taken, 0 has one fifth and 4 the rest; a row is never taken twice.
    np.testing.assert_array_equal(random_rows(data, 2, Known(0.3, 0.15))[:, 0], [1.0, 0.0])
    np.testing.assert_array_equal(random_rows(data, 2, Known(0.3, 0.25))[:, 0], [1.0, 4.0])
    found = random_rows(data, 5, Known(0.3, 0.25, 0.5))
    np.testing.assert_array_equal(found[:, 0], [1.0, 4.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize(("n_clusters", "n_trials"), [(2, 2), (3, 3), (7, 3), (8, 4)])
def test_the_number_of_candidates_is_two_and_the_logarithm(n_clusters, n_trials):
    rng = Known()
    plus_plus(table(np.arange(20.0)[:, None] ** 2), everything(1), n_clusters, rng)
    assert rng.n_drawn == 1 + (n_clusters - 1) * n_trials


def test_plus_plus_by_definition():
    # Rows 0, 1, 5, 20 with masses 1, 2, 1, 1. The first draw, 0.3 of 5, takes 1. Squares to it:
    # 1, 0, 16, 361, total 378. Two candidates: 0.0 takes 0, and 0.02 (7.56) takes 5.
    # With 0: costs 2·0 + 16 + 361 = 377. With 5: 1 + 0 + 225. So 5.
    X = [[0.0], [1.0], [5.0], [20.0]]
    data = table(X, mass=[1.0, 2.0, 1.0, 1.0])
    found = plus_plus(data, everything(1), 2, Known(0.3, 0.0, 0.02))
    np.testing.assert_array_equal(found[:, 0], [1.0, 5.0])
    # 0.5 and 0.0: 20 and 0, and 20 leaves 1 + 16.
    found = plus_plus(data, everything(1), 2, Known(0.3, 0.5, 0.0))
    np.testing.assert_array_equal(found[:, 0], [1.0, 20.0])
    # Three clusters have three candidates each; after 1 and 20 the squares are 1, 0, 16, 0.
    found = plus_plus(data, everything(1), 3, Known(0.3, 0.5, 0.5, 0.5, 0.0, 0.05, 0.04))
    np.testing.assert_array_equal(found[:, 0], [1.0, 20.0, 0.0])
    found = plus_plus(data, everything(1), 3, Known(0.3, 0.5, 0.5, 0.5, 0.0, 0.06, 0.04))
    np.testing.assert_array_equal(found[:, 0], [1.0, 20.0, 5.0])


def test_plus_plus_with_masses_and_columns_that_do_not_count():
    # Candidates 0 and 20 after 5: with mass 400 on 0 it is 0 that saves most.
    X = [[0.0, 7.0], [5.0, -300.0], [20.0, 900.0]]
    data = table(X, mass=[400.0, 1.0, 1.0])
    active = np.array([True, False])
    order, _ = canonical_order(data.X)
    reached = np.cumsum(data.mass[order]) / 402.0
    take = {int(row): reached[i] - 1e-6 for i, row in enumerate(order)}
    reach = (data.mass * (data.X[:, 0] - 5.0) ** 2)[order]
    at = dict(zip(order.tolist(), np.cumsum(reach) / reach.sum() - 1e-9, strict=True))
    found = plus_plus(data, active, 2, Known(take[1], at[2], at[0]))
    np.testing.assert_array_equal(found[:, 0], [5.0, 0.0])


def test_rows_of_the_same_key_are_different_starts():
    data = table(np.eye(8))
    for seed in range(5):
        centers = random_rows(data, 8, np.random.default_rng(seed))
        assert len(np.unique(centers, axis=0)) == 8


@pytest.mark.parametrize("init", ["random", "k-means++"])
def test_starts_in_dummies_of_a_category_do_not_depend_on_the_order_of_rows(init):
    rng = np.random.default_rng(1)
    X = np.eye(16)[rng.integers(0, 16, 80)]
    turned = rng.permutation(80)
    for seed in range(5):
        model = WeightedKMeans(4, init=init, n_init=1, random_state=seed)
        labels = model.fit(X).labels_
        assert adjusted_rand_score(labels[turned], model.fit(X[turned]).labels_) == 1.0
