"""One-lump copies: margins with one mode, correlations kept, no gaps left."""

from __future__ import annotations

import numpy as np
from bench.unseen.world import make_table
from bench.unseen.world.lumps import (
    KINDS,
    few_values,
    normal_scores,
    number_of_modes,
    one_lump_copy,
    one_mode_width,
)


def _two_heaps():
    rng = np.random.default_rng(0)
    side = np.repeat([0.0, 8.0], 100)
    return np.stack([side + rng.standard_normal(200), 2 * side + rng.standard_normal(200)], axis=1)


def test_two_heaps_have_two_modes_until_they_are_smoothed():
    values = _two_heaps()[:, 0]
    assert number_of_modes(values, 0.5) == 2
    assert number_of_modes(values, one_mode_width(values)) == 1


def test_a_copy_has_no_gap_and_the_same_correlation():
    X = _two_heaps()
    copy = one_lump_copy(X, np.random.default_rng(0))
    assert copy.shape == X.shape
    # The empty middle between the heaps, 3.6 wide, is filled (tails are thin by nature).
    middle = slice(20, 180)
    assert np.diff(np.sort(X[:, 0])[middle]).max() > 3.0
    assert np.diff(np.sort(copy[:, 0])[middle]).max() < 1.0
    assert copy.std() < 1.3 * X.std()
    given, copied = (np.corrcoef(normal_scores(table).T)[0, 1] for table in (X, copy))
    assert abs(given - copied) < 0.15


def test_few_levels_stay_levels_and_constant_columns_stay_constant():
    rng = np.random.default_rng(1)
    X = np.stack([rng.integers(0, 3, 80), np.full(80, 4.0), rng.standard_normal(80)], axis=1)
    copy = one_lump_copy(X, np.random.default_rng(0))
    assert set(np.unique(copy[:, 0])) <= {0.0, 1.0, 2.0}
    np.testing.assert_array_equal(copy[:, 1], np.full(80, 4.0))
    np.testing.assert_array_equal(copy, one_lump_copy(X, np.random.default_rng(0)))


def test_tables_of_few_values_are_told_by_half_of_their_columns():
    numbers, codes = np.arange(63.0).reshape(21, 3), np.ones((21, 3))
    assert not few_values(np.hstack([numbers, codes[:, :2]]))  # 2 of 5
    assert few_values(np.hstack([numbers, codes]))  # 3 of 6
    assert few_values(numbers[:20])  # 20 values are few, 21 are not


def test_kinds_of_lumps_are_clusterless_copies_with_one_mode_in_most_columns():
    assert len(KINDS) == 15
    table = make_table("lump_of_blobs", 0)
    assert not table.clustered
    assert not few_values(table.X)
    # An outlier alone may be a second mode of a kernel estimate, so not of all columns.
    one_mode = [number_of_modes(column, 0.5 * column.std()) == 1 for column in table.X.T]
    assert np.mean(one_mode) > 0.8
    np.testing.assert_array_equal(table.X, make_table("lump_of_blobs", 0).X)
