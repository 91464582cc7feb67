"""One-lump copies: margins with one mode, correlations kept, no gaps left."""

from __future__ import annotations

import numpy as np
from bench.unseen.lumps import normal_scores, number_of_modes, one_lump_copy, one_mode_width


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
    copy = one_lump_copy(X, 0)
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
    copy = one_lump_copy(X, 0)
    assert set(np.unique(copy[:, 0])) <= {0.0, 1.0, 2.0}
    np.testing.assert_array_equal(copy[:, 1], np.full(80, 4.0))
    np.testing.assert_array_equal(copy, one_lump_copy(X, 0))
