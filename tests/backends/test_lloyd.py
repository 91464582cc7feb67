"""Plain k-means in one compiled call: cases by hand, and the definition by brute force."""

from __future__ import annotations

import numpy as np
import pytest

from weft.backends.cpu.kernels import lloyd as kernels
from weft.backends.cpu.lloyd import kmeans

LINE = np.array([0.0, 1.0, 1.5, 9.0, 10.0])[:, np.newaxis]
ORDER = np.arange(5)


def test_one_cluster_is_the_mean():
    found = kmeans(LINE, ORDER, np.array([[0.99]]), 1, 100)
    assert found.labels.tolist() == [0] * 5
    np.testing.assert_allclose(found.centers, [[4.3]])
    assert found.within == pytest.approx(((LINE - 4.3) ** 2).sum())


def test_two_clusters_by_hand():
    # The first draw takes row 0. Squared distances from it are 0, 1, 2.25, 81, 100, in all 184.25;
    # .5 of them is reached in row 4 (84.25 are before it). Then {0, 1, 1.5} and {9, 10}:
    # (25 + 1 + 16) / 36 + .25 + .25.
    found = kmeans(LINE, ORDER, np.array([[0.0, 0.5, 0.5]]), 2, 100)
    assert found.labels.tolist() == [0, 0, 0, 1, 1]
    np.testing.assert_allclose(found.centers[:, 0], [2.5 / 3.0, 9.5])
    assert found.within == pytest.approx(42 / 36 + 0.5)


def test_the_better_candidate_is_taken():
    # From row 0: .005 of 184.25 is reached in row 1, which leaves .25 + 64 + 81, and .99 in row 4,
    # which leaves 1 + 2.25 + 1.
    centers = np.empty((2, 1))
    kernels.spread_centers(LINE.T.copy(), ORDER, np.array([0.0, 0.005, 0.99]), centers)
    assert centers.ravel().tolist() == [0.0, 10.0]
    kernels.spread_centers(LINE.T.copy(), ORDER, np.array([0.0, 0.005, 0.001]), centers)
    assert centers.ravel().tolist() == [0.0, 1.0]


def test_draws_follow_the_order_that_is_given():
    centers = np.empty((1, 1))
    kernels.spread_centers(LINE.T.copy(), ORDER[::-1].copy(), np.array([0.3]), centers)
    assert centers[0, 0] == 9.0  # .3 × 5 is in the second place of the order


def test_the_best_start_counts_and_the_first_of_equal_ones():
    # From 9 and 10 the rounds end at {0, 1, 1.5} and {9, 10} as well: only the numbers differ.
    to_low, to_high = [0.0, 0.5, 0.5], [0.99, 0.5, 0.5]
    first = kmeans(LINE, ORDER, np.array([to_low, to_high]), 2, 100)
    other = kmeans(LINE, ORDER, np.array([to_high, to_low]), 2, 100)
    assert first.labels.tolist() == [0, 0, 0, 1, 1]
    assert other.labels.tolist() == [1, 1, 1, 0, 0]


def test_fewer_distinct_rows_than_clusters():
    rows = np.array([[1.0], [1.0], [5.0], [5.0]])
    draws = np.random.default_rng(0).random((3, 1 + 2 * 3))
    found = kmeans(rows, np.arange(4), draws, 3, 100)
    assert found.within == 0.0
    assert found.labels[0] == found.labels[1] != found.labels[2] == found.labels[3]


def test_an_empty_cluster_gets_the_farthest_row_of_a_cluster_with_others():
    sizes = np.array([2, 0, 1, 0])
    nearest, away = np.array([0.0, 0.0, 2.0]), np.array([1.0, 4.0, 9.0])
    # Row 2 is alone in its cluster, so row 1 moves; then no cluster has rows to give.
    assert kernels.fill_empty(sizes, nearest, away)
    assert nearest.tolist() == [0.0, 1.0, 2.0]
    assert sizes.tolist() == [1, 1, 1, 0]
    assert away.tolist() == [1.0, 0.0, 9.0]
    assert not kernels.fill_empty(sizes, nearest, away)
    alike = np.array([2, 0]), np.zeros(2), np.zeros(2)
    assert not kernels.fill_empty(*alike)  # rows at distance 0 stay


def test_a_round_limit_leaves_labels_of_the_last_centres():
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((200, 2))
    draws = rng.random((1, 1 + 4 * 3))
    found = kmeans(rows, np.arange(200), draws, 5, 1)
    squared = ((rows[:, np.newaxis] - found.centers) ** 2).sum(axis=2)
    np.testing.assert_array_equal(found.labels, squared.argmin(axis=1))
    assert found.within == pytest.approx(squared.min(axis=1).sum())


def by_definition(rows, order, draws, n_clusters):
    """Greedy k-means++ and Lloyd's rounds, a start at a time."""
    best = None
    for draw in draws:
        n_trials = (len(draw) - 1) // max(n_clusters - 1, 1)
        chosen = [order[int(draw[0] * len(rows))]]
        for c in range(1, n_clusters):
            away = ((rows[:, np.newaxis] - rows[chosen]) ** 2).sum(axis=2).min(axis=1)
            reached = np.cumsum(away[order])
            candidates = []
            for chance in draw[1 + (c - 1) * n_trials :][:n_trials]:
                candidate = order[np.searchsorted(reached, chance * reached[-1], side="right")]
                own = ((rows - rows[candidate]) ** 2).sum(axis=1)
                candidates.append((np.minimum(own, away).sum(), candidate))
            chosen.append(min(candidates, key=lambda pair: pair[0])[1])
        centers, labels = rows[chosen], None
        while True:
            squared = ((rows[:, np.newaxis] - centers) ** 2).sum(axis=2)
            new = squared.argmin(axis=1)
            if labels is not None and (new == labels).all():
                break
            labels = new
            centers = np.array([rows[labels == c].mean(axis=0) for c in range(n_clusters)])
        within = squared.min(axis=1).sum()
        if best is None or best[2] - within > 1e-10 * best[2]:
            best = labels, centers, within
    return best


@pytest.mark.parametrize("seed", range(12))
def test_k_means_by_definition(seed):
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(20, 300)), int(rng.integers(1, 9)), int(rng.integers(1, 8))
    rows = rng.standard_normal((n, d)) + 3.0 * rng.integers(0, 3, (n, 1))
    order = rng.permutation(n)
    draws = rng.random((int(rng.integers(1, 5)), 1 + (k - 1) * 3))
    labels, centers, within = by_definition(rows, order, draws, k)
    found = kmeans(rows, order, draws, k, 500)
    np.testing.assert_array_equal(found.labels, labels)
    np.testing.assert_allclose(found.centers, centers)
    assert found.within == pytest.approx(within)
