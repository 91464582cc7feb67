"""Plain k-means, patterns and samples for the methods that count clusters, and their settings."""

from __future__ import annotations

import numpy as np
import pytest

from weft.kmeans import plain
from weft.kmeans.anomalous import AnomalousStart, read_anomalous
from weft.kmeans.ordering import canonical_order
from weft.kmeans.plain import kmeans, plain_patterns, sample

X = np.array([[0.0, 7.0], [1.0, 7.0], [1.5, 7.0], [9.0, 7.0], [10.0, 7.0]])


def test_k_means_by_hand():
    # {0, 1, 1.5} around 5/6 and {9, 10} around 9.5: (25 + 1 + 16)/36 + 0.25 + 0.25.
    found = kmeans(X, 2, 5, np.random.default_rng(0))
    low = found.labels[0]
    assert found.labels.tolist() == [low, low, low, 1 - low, 1 - low]
    assert found.labels.dtype == np.int64
    np.testing.assert_allclose(found.centers[[low, 1 - low]], [[5 / 6, 7.0], [9.5, 7.0]])
    assert found.within == pytest.approx(42 / 36 + 0.5)


def test_settings_of_plain_k_means(monkeypatch):
    given = []

    def spy(rows, order, draws, n_clusters, max_iter):
        given.append((order, draws.shape, n_clusters, max_iter))

    monkeypatch.setattr(plain.lloyd, "kmeans", spy)
    kmeans(X, 3, 4, np.random.default_rng(0))
    ((order, shape, n_clusters, max_iter),) = given
    # 1 draw for the first centre, 2 + floor(log 3) = 3 for each of the others.
    assert (shape, n_clusters, max_iter) == ((4, 1 + 2 * 3), 3, 100)
    np.testing.assert_array_equal(order, canonical_order(X)[0])


def test_k_means_does_not_depend_on_the_order_of_the_rows():
    rows = np.random.default_rng(1).standard_normal((80, 3))
    turned = kmeans(rows[::-1].copy(), 4, 2, np.random.default_rng(0))
    found = kmeans(rows, 4, 2, np.random.default_rng(0))
    np.testing.assert_array_equal(turned.labels[::-1], found.labels)


def test_plain_patterns_by_hand():
    # The mean is 4.3. Farthest is 10, and 9 is nearer to 10 than to the mean; then 0, 1 and 1.5.
    found = plain_patterns(X)
    assert found.labels.tolist() == [1, 1, 1, 0, 0]
    np.testing.assert_allclose(found.centers, [[9.5, 7.0], [5 / 6, 7.0]])
    assert found.sizes.tolist() == [2.0, 3.0]
    np.testing.assert_array_equal(found.weights, [[0.5, 0.5]] * 2)


@pytest.mark.parametrize("max_rows", [5, 6, 100])
def test_a_small_table_is_its_own_sample(max_rows):
    assert sample(X, max_rows, np.random.default_rng(0)) is X


@pytest.mark.parametrize("max_rows", [1, 3, 4])
def test_a_sample_has_different_rows_in_their_order(max_rows):
    drawn = np.random.default_rng(8).choice(5, max_rows, replace=False)
    found = sample(X[:, ::-1], max_rows, np.random.default_rng(8))
    np.testing.assert_array_equal(found, X[np.sort(drawn), ::-1])
    assert found.flags.c_contiguous


# Settings of a start from patterns ------------------------------------------------------------


def test_a_start_from_patterns_has_limits():
    usual = AnomalousStart()
    assert (usual.min_cluster_size, usual.pattern_offset) == (2, 0.01)
    assert AnomalousStart(0.0, 0.0).min_cluster_size == 0.0
    assert AnomalousStart(0.5, 1e100) == AnomalousStart(min_cluster_size=0.5, pattern_offset=1e100)
    for wrong in (
        {"min_cluster_size": -0.1},
        {"pattern_offset": -0.1},
        {"pattern_offset": 1.1e100},
    ):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            AnomalousStart(**wrong)


def test_other_starts_have_the_usual_settings():
    given = AnomalousStart(7)
    assert read_anomalous(given) is given
    for other in ("random", X):
        assert read_anomalous(other) == AnomalousStart()
