"""Complete linkage that merges near rows first: labels are those of exact distances."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from weft.backends.cpu import space_clusterers
from weft.backends.cpu.buffers import Buffers
from weft.backends.cpu.kernels import linkage, near_linkage, near_pairs
from weft.backends.cpu.kernels import products as product_kernels
from weft.backends.cpu.kernels.exact_clusters import Exact, new_tree
from weft.backends.cpu.kernels.settled_linkage import (
    cut_settled,
    heights_at_cut,
    record_merge,
)
from weft.backends.cpu.space_measures import silhouette_samples
from weft.backends.cpu.spaces import Space, Table
from weft.backends.reference import clusterings
from weft.backends.reference.clusterings import powered_distances
from weft.backends.spaces import Solution

TILE = product_kernels.TILE


def rows_of(X):
    """Return the rows of a table for products, and their exact squared distances."""
    buffers = Buffers(hold_matrix=True, dtype=np.float32)
    space = Space.of(Table.of(X), Solution(np.ones(X.shape[1])), buffers)
    return space.rows, powered_distances(space.columns)


def empty_store(n_rows):
    n_tiles = product_kernels.count_tiles(n_rows)
    return np.full((n_tiles * (n_tiles + 1) // 2, TILE, TILE), np.nan, np.float32)


def labels_of(X, n_clusters, room=None):
    """Return the labels, or None if the function stopped."""
    n_rows = len(X)
    rows, _ = rows_of(X)
    room = 2 * n_rows**2 if room is None else room
    numbers, floats = np.empty(room, np.uint32), np.empty(room, np.float32)
    labels = np.full(n_rows, -7)
    store = empty_store(n_rows)
    found = near_linkage.near_linkage(*rows, store, numbers, floats, n_clusters, labels)
    return labels if found else None


def exact_labels(X, n_clusters):
    _, distances = rows_of(X)
    labels = np.full(len(X), -7)
    linkage.complete_linkage(distances, n_clusters, labels)
    return labels


def _tables():
    rng = np.random.default_rng(0)
    blobs = rng.normal(size=(300, 6)) + 4.0 * rng.integers(0, 3, (300, 1))
    yield "no clusters", rng.normal(size=(257, 5))
    yield "clusters", blobs
    yield "sorted clusters", blobs[np.argsort(blobs[:, 0])]
    yield "one feature", rng.normal(size=(300, 1))
    yield "heavy tails", rng.standard_cauchy(size=(320, 3))
    # float32 products do not distinguish such rows.
    yield "nearly equal pairs", np.repeat(blobs[:150], 2, axis=0) + 1e-7 * rng.normal(size=(300, 6))
    # Here they distinguish few rows, and the function may stop.
    yield "far from the mean", np.vstack([blobs, 1e4 + rng.normal(size=(2, 6))])
    yield "two scales", np.vstack([1e-3 * rng.normal(size=(150, 2)), rng.normal(size=(150, 2))])


MAY_STOP = ("far from the mean", "two scales")
TABLES = dict(_tables())


@pytest.mark.parametrize("name", TABLES)
def test_labels_are_those_of_exact_distances(name):
    X = TABLES[name]
    for n_clusters in (1, 2, 3, 10, 100, len(X) - 1, len(X)):
        found = labels_of(X, n_clusters)
        assert found is not None or name in MAY_STOP
        if found is not None:
            np.testing.assert_array_equal(found, exact_labels(X, n_clusters))


def test_labels_are_those_of_the_definition():
    X = TABLES["clusters"][:256]
    _, distances = rows_of(X)
    expected = clusterings.complete_linkage(distances, 12)
    np.testing.assert_array_equal(labels_of(X, 12), expected)


def _tied():
    rng = np.random.default_rng(1)
    yield "all equal", np.ones((256, 3))
    yield "bits", rng.integers(0, 2, (256, 6)).astype(float)
    yield "grid", np.indices((16, 16)).reshape(2, -1).T.astype(float)
    yield "three times each", np.repeat(rng.normal(size=(90, 4)), 3, axis=0)
    yield "a regular simplex", np.eye(256)


@pytest.mark.parametrize("name", dict(_tied()))
def test_ties_stop_the_function(name):
    # The tree depends on the order in which clusters are visited, so labels are not unique.
    assert labels_of(dict(_tied())[name], 5) is None


def test_a_tie_at_the_cut_stops_the_function():
    # 128 pairs along a line, 3 to 4 apart; the gaps within pairs are 1/128, 2/128, ..., and two of
    # them are made equal. Which of these two is merged is open if the cut is between them.
    starts = np.cumsum(np.random.default_rng(4).integers(300, 400, 128)) / 100.0
    gaps = np.arange(1, 129) / 128.0
    gaps[64] = gaps[63]
    starts = np.round(starts * 1024.0) / 1024.0  # sums and differences are exact
    X = np.column_stack([starts, starts + gaps]).reshape(-1, 1)
    # 64 pairs have gaps below, or equal to the first of the two; the cut is between the two.
    assert labels_of(X, 256 - 64) is None
    for n_clusters in (256 - 63, 256 - 65):
        np.testing.assert_array_equal(labels_of(X, n_clusters), exact_labels(X, n_clusters))


def test_too_little_memory_stops_the_function():
    assert labels_of(TABLES["clusters"], 3, room=6 * TILE * TILE) is None


@pytest.mark.parametrize("limit", [0.0, 0.5, 4.0, 12.0])
def test_near_pairs_are_all_below_the_limit(limit):
    X = TABLES["clusters"]
    n_rows = len(X)
    rows, _ = rows_of(X)
    matrix = np.empty((n_rows, n_rows), np.float32)
    product_kernels.product_matrix(*rows, matrix)
    slack = rows.slack[:n_rows]
    store = empty_store(n_rows)
    size = n_rows**2 // 2 + TILE**2
    first, second = np.empty((2, size), np.uint32)
    values = np.empty(size, np.float32)
    limit = np.float32(limit)
    n_pairs = near_pairs.list_near(
        rows.tiles, rows.norms, slack, rows.columns, limit, store, first, second, values
    )
    lower = matrix - slack[:, np.newaxis] - slack
    expected = {
        (i, j): matrix[i, j]
        for i, j in itertools.combinations(range(n_rows), 2)
        if lower[i, j] < limit
    }
    listed = dict(zip(zip(first[:n_pairs], second[:n_pairs], strict=True), values, strict=False))
    assert listed == expected
    assert len(listed) == n_pairs
    # The tiles are those of the matrix.
    number = 0
    for top in range(0, n_rows, TILE):
        for left in range(top, n_rows, TILE):
            block = matrix[top : top + TILE, left : left + TILE]
            tile = store[number, : block.shape[0], : block.shape[1]]
            np.testing.assert_array_equal(tile, block)
            number += 1


def test_lists_have_each_pair_twice():
    first, second = np.array([0, 1, 0], np.uint32), np.array([1, 3, 3], np.uint32)
    values = np.array([5.0, 6.0, 7.0], np.float32)
    starts = np.full(5, -7)
    keys, distances = np.empty(6, np.uint32), np.empty(6, np.float32)
    near_pairs.lists_of_rows(first, second, values, starts, keys, distances)
    assert starts.tolist() == [0, 2, 4, 4, 6]  # row 2 has no pair
    assert keys.tolist() == [1, 3, 0, 3, 1, 0]
    assert distances.tolist() == [5.0, 7.0, 5.0, 6.0, 6.0, 7.0]


def test_the_limit_is_a_quantile():
    rows, distances = rows_of(np.random.default_rng(5).normal(size=(1000, 4)))
    pairs = distances[np.triu_indices(1000, 1)]
    for share in (0.01, 0.1, 0.5):
        limit = near_pairs.near_limit(rows.tiles, rows.norms, 1000, share)
        assert 0.4 * share < np.mean(pairs < limit) < 2.0 * share


def test_distances_of_clusters_are_the_largest_of_their_pairs():
    # Clusters of rows k, k + 70, k + 140, ...: their rows are in different tiles.
    n_rows, n_clusters = 200, 70
    rng = np.random.default_rng(2)
    half = np.triu(rng.uniform(1.0, 2.0, (n_rows, n_rows)).astype(np.float32), 1)
    distances = half + half.T
    store, number = empty_store(n_rows), 0
    padded = np.full((256, 256), np.inf, np.float32)
    padded[:n_rows, :n_rows] = distances
    for top in range(0, n_rows, TILE):
        for left in range(top, n_rows, TILE):
            store[number] = padded[top : top + TILE, left : left + TILE]
            number += 1
    tree = new_tree(np.zeros(n_rows, np.float32))
    for merge, high in enumerate(range(n_clusters, n_rows)):
        record_merge(tree, merge, 0.0, high % n_clusters, high)
    heads = np.flatnonzero(~tree.dead)
    assert heads.tolist() == list(range(n_clusters))
    out = np.full((128, 128), np.nan, np.float32)
    near_linkage.cluster_distances(store, heads, tree, out)
    members = [np.arange(k, n_rows, n_clusters) for k in range(n_clusters)]
    for a, b in itertools.product(range(n_clusters), repeat=2):
        assert out[a, b] == distances[np.ix_(members[a], members[b])].max()


@pytest.mark.parametrize("n_merges", [1, 5, 60, 198])
def test_heights_at_a_cut(n_merges):
    heights = np.random.default_rng(3).integers(0, 50, 199).astype(float)
    ordered = np.sort(heights)
    assert heights_at_cut(heights, n_merges) == (ordered[n_merges - 1], ordered[n_merges])


@pytest.mark.parametrize("n_clusters", [1, 2, 5, 10, 11, 12])
def test_of_equally_high_merges_the_first_ones_are_cut_off_last(n_clusters):
    # Rows 2 k and 2 k + 1 are merged first, all at the same height: the stable order decides.
    n_rows = 12
    tree = new_tree(np.zeros(n_rows, np.float32))
    pairs = [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9), (10, 11)]
    rest = [(0, 2), (0, 4), (6, 8), (0, 6), (0, 10)]
    for merge, (low, high) in enumerate(pairs + rest):
        record_merge(tree, merge, 1.0 if merge < 6 else 2.0 + merge, low, high)
    distances, slack = np.ones((n_rows, n_rows), np.float32), np.zeros(n_rows, np.float32)
    exact = Exact(distances, slack, 0.0, np.arange(n_rows)[np.newaxis] * 1.0, np.empty(0))
    expected, found = np.full((2, n_rows), -7)
    linkage.cut_tree(tree.height, tree.left, tree.right, n_clusters, expected)
    # Neighbouring rows on a line: heights that are computed again are those of the pairs, 1.
    assert cut_settled(tree, exact, n_clusters, 10**6, False, found)
    np.testing.assert_array_equal(found, expected)
    tied = n_clusters in (10, 11)
    assert cut_settled(tree, exact, n_clusters, 10**6, True, found) is not tied


def test_a_search_gets_the_same_bits_either_way(monkeypatch):
    # The tiles that the labels were made from also serve the silhouette.
    X = TABLES["clusters"]
    results = []
    for smallest in (4 * TILE, 10**9):
        monkeypatch.setattr(space_clusterers, "SMALLEST_NEAR", smallest)
        buffers = Buffers(hold_matrix=True, dtype=np.float32)
        space = Space.of(Table.of(X), Solution(np.linspace(0.0, 2.0, X.shape[1])), buffers)
        labels = space_clusterers.complete_linkage(space, 4)
        assert space.tiles_ready == (smallest < len(X))
        results.append((labels, silhouette_samples(space, labels)))
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


def test_ties_are_tried_a_few_times_only(monkeypatch):
    monkeypatch.setattr(space_clusterers, "SMALLEST_NEAR", 4 * TILE)
    X = dict(_tied())["grid"]
    table, buffers = Table.of(X), Buffers(hold_matrix=True, dtype=np.float32)
    for attempt in range(5):
        space = Space.of(table, Solution(np.ones(2)), buffers)
        labels = space_clusterers.complete_linkage(space, 5)
        np.testing.assert_array_equal(labels, exact_labels(X, 5))
        assert buffers.n_failures == min(attempt + 1, 3)
