"""Feature selection in its parts: neighbours by brute force, patterns that tie, picks."""

from __future__ import annotations

import numpy as np
import pytest

from weft.backends import CPU, Backend
from weft.methods.selection import fsfs as fsfs_module
from weft.methods.selection import maximal_information_compression
from weft.methods.selection.compression import centred, range_scaled
from weft.methods.selection.fsfs import Features, Lists, Tiles, fsfs
from weft.methods.selection.ikfs import _k_means, _pick, feature_patterns, ikfs


def test_features_in_half_ranges():
    # Means 2 and 5, half ranges 2 and ½; the constant becomes 0.
    X = np.array([[0.0, 4.5, 7.0], [4.0, 5.0, 7.0], [2.0, 5.5, 7.0]])
    expected = [[-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    np.testing.assert_allclose(range_scaled(X), expected, atol=1e-12)
    np.testing.assert_allclose(centred(X)[0], [-2.0, 2.0, 0.0])


# Neighbours --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many():
    """300 features, more than a tile, with their dissimilarities."""
    X = np.random.default_rng(3).normal(size=(12, 300))
    index = maximal_information_compression(X)
    np.fill_diagonal(index, np.inf)
    return Features(centred(X), CPU), index


def by_brute_force(index, alive, k, limit):
    left = np.flatnonzero(alive)
    near = np.sort(index[np.ix_(left, left)], axis=1)
    far = np.full(len(alive), np.inf)
    far[left] = near[:, k - 1]
    return far, (near <= limit).sum(axis=1).max()


@pytest.mark.parametrize("n_left", [300, 257, 40, 6])
def test_neighbours_are_those_of_brute_force(many, n_left):
    features, index = many
    rng = np.random.default_rng(n_left)
    alive = np.zeros(300, dtype=bool)
    alive[rng.choice(300, n_left, replace=False)] = True
    lists, tiles = Lists(features, alive, 5), Tiles(features)
    assert lists.length == min(n_left - 1, 2 * 5 + 32)
    left = np.flatnonzero(alive)
    near = np.sort(index[np.ix_(left, left)], axis=1)[:, : lists.length]
    np.testing.assert_allclose(lists.values[left], near)
    np.testing.assert_allclose(index[left[:, None], lists.indices[left]], near)
    for k in (1, 2, 5):
        far, _ = by_brute_force(index, alive, k, 0.0)
        np.testing.assert_allclose(tiles.farthest(alive, k), far)
        np.testing.assert_allclose(lists.farthest(alive, k), far)
    for limit in (0.0, 0.1, 0.2):
        _, most = by_brute_force(index, alive, 1, limit)
        assert tiles.max_within(alive, limit) == most
        assert lists.max_within(alive, limit) == min(most, max(lists.length, 0))


def test_lists_that_run_out_are_made_again(many):
    # All that are near to the first feature go, then more and more of the rest.
    features, index = many
    alive = np.ones(300, dtype=bool)
    lists = Lists(features, alive, 3)
    alive[np.argsort(index[0])[: lists.length - 1]] = False
    rng = np.random.default_rng(0)
    while True:
        far, _ = by_brute_force(index, alive, 3, 0.0)
        np.testing.assert_allclose(lists.farthest(alive, 3), far)
        if alive.sum() <= 4:
            break
        gone = rng.choice(np.flatnonzero(alive), max(1, (alive.sum() - 4) // 2), replace=False)
        alive[gone] = False


def test_which_search_for_neighbours_is_used(monkeypatch):
    made = []

    class Noted(Lists):
        def __init__(self, features, alive, k):
            made.append((int(alive.sum()), k))
            super().__init__(features, alive, k)

    monkeypatch.setattr(fsfs_module, "Lists", Noted)
    X = np.random.default_rng(0).normal(size=(15, 40))
    for k, expected in ((9, (40, 9)), (10, None)):
        made.clear()
        fsfs(centred(X), k)
        assert (made[0] if made and made[0][0] == 40 else None) == expected
        assert len(made) <= 1


def test_copies_go_in_pairs():
    # Nine copies: each step keeps one and drops two, as the limit is 0 and all losses are 0.
    x = np.repeat(np.random.default_rng(0).normal(size=(8, 1)), 9, axis=1)
    found = fsfs(centred(x), 2)
    assert found.discarded.tolist() == [2, 2, 2, 2]
    assert found.support.tolist() == [True] + [False] * 8
    # A limit that is given lowers k before the first step, here not.
    assert fsfs(centred(x), 8, epsilon=1.0).discarded.tolist() == [8]
    assert fsfs(centred(x), 3, epsilon=0.0).discarded.tolist() == [3, 3, 2]
    assert fsfs(centred(x[:, :2]), 1).discarded.tolist() == [1]


# Patterns and picks ------------------------------------------------------------------------------


def test_a_feature_as_near_to_the_mean_as_to_the_pattern_is_not_in_it():
    # The mean is 0. (-6, -3) is the farthest, alone; then (4, 0): 2 (2, 3)·(4, 0) = 16 = 4².
    columns = np.array([[4.0, 0.0], [2.0, 3.0], [-6.0, -3.0]])
    found = feature_patterns(columns)
    assert found.sizes.tolist() == [1, 1, 1]
    assert found.centers.tolist() == [[-6.0, -3.0], [4.0, 0.0], [2.0, 3.0]]


def loss(one, other):
    return float(maximal_information_compression(one, other))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("count", [1, 2, 4, 6])
def test_features_that_stand_for_a_cluster(seed, count):
    columns = np.random.default_rng(seed).normal(size=(6, 10)) * np.arange(1.0, 7.0)[:, None]
    columns -= columns.mean(axis=1, keepdims=True)
    middle = columns.mean(axis=0)
    near = [loss(middle, column) for column in columns]
    largest = sorted(range(6), key=lambda j: -near[j])[:count]
    spread = [int(np.argmin(near))]
    while len(spread) < count:
        others = [j for j in range(6) if j not in spread]
        spread.append(max(others, key=lambda j: min(loss(columns[i], columns[j]) for i in spread)))
    if count == 6:
        largest = spread = list(range(6))
    assert _pick(columns, count, "largest").tolist() == largest
    assert _pick(columns, count, "spread").tolist() == spread


class OnGPU(Backend):
    """The CPU's operations under the rules of a GPU."""

    on_gpu = True


def test_both_k_means_find_the_same():
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(30, 4)) + 6.0 * np.eye(4)[np.arange(30) % 3]
    start = columns[[0, 1, 2]]
    expected = (np.arange(30) % 3).tolist()
    found = [_k_means(columns, start, backend) for backend in (CPU, OnGPU("cpu"))]
    assert [labels.tolist() for labels in found] == [expected] * 2
    assert [labels.dtype for labels in found] == [np.int64] * 2


PICKED = {
    "spread": [0, 1, 2, 3, 9, 14, 15, 16, 18, 19, 22],
    "largest": [0, 6, 7, 10, 12, 13, 14, 17, 19, 22, 23],
}
TAKEN = [2, 2, 1, 1, 2, 1, 1, 1]
LABELS = "102410341024106410371054"


def test_a_recorded_selection():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(25, 4))[:, np.arange(24) % 4] + 0.9 * rng.normal(size=(25, 24))
    for pick, kept in PICKED.items():
        found = ikfs(range_scaled(X), pick=pick)
        assert np.flatnonzero(found.support).tolist() == kept
    assert found.n_taken.tolist() == TAKEN
    assert "".join(map(str, found.labels)) == LABELS
