"""iKFS: its patterns against those of the k-means family, eq. 5.3, and copies."""

import numpy as np
import pytest

from weft.kmeans.plain import plain_patterns
from weft.methods.selection import ikfs as ikfs_module
from weft.methods.selection.compression import range_scaled
from weft.methods.selection.ikfs import feature_patterns, ikfs


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["random", "groups", "ties", "many"])
def test_patterns_are_those_of_ik_means(seed, kind):
    rng = np.random.default_rng(seed)
    if kind == "random":
        columns = rng.normal(size=(40, 6))
    elif kind == "groups":
        columns = np.repeat(rng.normal(size=(6, 9)), 8, axis=0) + 0.1 * rng.normal(size=(48, 9))
    elif kind == "ties":
        columns = rng.integers(0, 2, (30, 3)).astype(float)
    else:
        columns = rng.normal(size=(700, 60))
    found = feature_patterns(columns)
    expected = plain_patterns(columns)
    assert found.sizes.tolist() == expected.sizes.tolist()
    np.testing.assert_allclose(found.centers, expected.centers, atol=1e-12)
    assert found.sizes.sum() == len(columns)


def test_how_many_stand_for_a_cluster():
    # Two tight groups of 6 and 2 of 8 features: K = 2, so ⌈6/8 · 2⌉ = 2 and ⌈2/8 · 2⌉ = 1.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))[:, [0, 0, 0, 0, 0, 0, 1, 1]] + 0.01 * rng.normal(size=(50, 8))
    found = ikfs(range_scaled(X))
    assert sorted(found.n_taken.tolist()) == [1, 2]
    assert found.support[:6].sum() == 2
    assert found.support[6:].sum() == 1


@pytest.mark.parametrize("noise", [0.01, 0.1, 0.2])
def test_one_of_each_group_of_copies_stays(noise):
    rng = np.random.default_rng(1)
    X = np.repeat(rng.normal(size=(100, 12)), 40, axis=1)
    X += noise * rng.normal(size=X.shape)
    for pick in ("spread", "largest"):
        kept = np.flatnonzero(ikfs(range_scaled(X), pick=pick).support)
        assert np.unique(kept // 40).tolist() == list(range(12))
        assert len(kept) <= 24


def test_features_that_share_nothing_all_stay():
    X = np.random.default_rng(2).normal(size=(200, 30))
    assert ikfs(range_scaled(X)).support.all()


def test_constant_and_equal_features():
    assert ikfs(range_scaled(np.ones((5, 4)))).support.sum() == 1
    X = np.repeat(np.random.default_rng(3).normal(size=(9, 1)), 5, axis=1)
    assert ikfs(range_scaled(X)).support.sum() == 1


def test_features_at_the_reference_point_are_one_pattern():
    # The mean is 0. The farthest are 5 and -5, each alone; then four features are at the mean.
    columns = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 0.0], [-3.0, -4.0], [0.0, 0.0], [0.0, 0.0]])
    found = feature_patterns(columns)
    assert found.sizes.tolist() == [1, 1, 4]
    assert found.centers.tolist() == [[3.0, 4.0], [-3.0, -4.0], [0.0, 0.0]]
    assert feature_patterns(np.ones((3, 2))).sizes.tolist() == [3]


def test_patterns_do_not_depend_on_how_many_are_begun_together(monkeypatch):
    columns = np.random.default_rng(0).normal(size=(60, 4))
    expected = feature_patterns(columns)
    for seeds in (1, 2, 7):
        monkeypatch.setattr(ikfs_module, "SEEDS", seeds)
        found = feature_patterns(columns)
        np.testing.assert_array_equal(found.sizes, expected.sizes)
        np.testing.assert_allclose(found.centers, expected.centers)
