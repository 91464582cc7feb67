"""Columns of wide tables: sums by brute force, the rate on noise, markers found."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from weft.columns.wide import is_wide, screen_wide


def test_sums_are_those_of_all_squared_rank_correlations():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 40))
    X[:, 7] = 1.0
    X[:, 3] = X[:, 4] + 0.1 * rng.normal(size=15)
    varying = [column for column in range(40) if column != 7]
    screening = screen_wide(X, 0.05, np.random.default_rng(1))
    correlations = spearmanr(X[:, varying]).statistic
    expected = (correlations**2).sum(axis=0) - 1.0
    got = screening.strength[varying]
    # The level is the same for all columns, so strengths are the sums in another unit.
    np.testing.assert_allclose(got / got[0], expected / expected[0], rtol=1e-9)
    assert screening.strength[7] == 0.0
    assert not screening.kept[7]


@pytest.mark.parametrize(("n", "d"), [(12, 200), (20, 800), (60, 2000)])
def test_noise_is_seldom_kept(n, d):
    kept = 0
    for seed in range(40):
        X = np.random.default_rng([seed, n]).standard_normal((n, d))
        kept += screen_wide(X, 0.05, np.random.default_rng(0)).kept.any()
    assert kept <= 5  # 2 expected; 6 or more in 1.4 % of all series


def test_markers_of_two_groups_are_kept_and_noise_is_not():
    rng = np.random.default_rng(2)
    labels = np.repeat([0, 1], 20)
    X = rng.standard_normal((40, 1000))
    X[:, :60] += 3.0 * labels[:, None]
    kept = screen_wide(X, 0.05, np.random.default_rng(0)).kept
    assert kept[:60].mean() > 0.95
    assert kept[60:].sum() <= 1


def test_what_is_wide():
    assert is_wide(62, 2000)
    assert not is_wide(208, 60)
