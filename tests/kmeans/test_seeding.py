"""Anomalous patterns solved by hand, and starts that do not depend on where rows stand."""

from __future__ import annotations

import numpy as np
import pytest

from weft.kmeans.data import make_data
from weft.kmeans.seeding import (
    anomalous_patterns,
    from_patterns,
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
