"""Measures on every kind of space, stored or computed again, compared with brute force."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics

from weft.backends.cpu import space_measures
from weft.backends.cpu.buffers import Buffers
from weft.backends.cpu.features import Spaces
from weft.backends.cpu.kernels.products import TILE
from weft.backends.cpu.space_measures import (
    gaussian_scores,
    mean_of_labelled,
    nearest_neighbours,
    nearest_rows,
    silhouette_samples,
    sparsity_and_separation,
    symmetric_silhouette_samples,
)
from weft.backends.cpu.spaces import MatrixSpace, Space, Table
from weft.backends.spaces import Solution

WEIGHTS = np.array([0.5, 2.0, 0.0, 1.0])
EXPONENTS = np.array([1.5, 2.5, 3.0, 2.0])  # of those kept the mean is 2


def rows(n, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 4))


def distances(X, exponents):
    apart = np.abs(X[:, None, :] - X[None]) * WEIGHTS
    if exponents is None:
        return np.sqrt((apart**2).sum(axis=2))
    kept = WEIGHTS > 0
    return (apart[:, :, kept] ** exponents[kept]).sum(axis=2) ** (1.0 / exponents[kept].mean())


KINDS = ["products", "held products", "powers", "held powers", "given"]


def make(kind, X, dtype=np.float64):
    exponents = EXPONENTS if "powers" in kind else None
    known = distances(X, exponents)
    if kind == "given":
        return MatrixSpace(known), known
    buffers = Buffers(hold_matrix="held" in kind, dtype=dtype)
    return Space.of(Table.of(X), Solution(WEIGHTS, exponents), buffers), known


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_rows", [2, 7, TILE, TILE + 9])
def test_neighbours_by_brute_force(kind, n_rows):
    X = rows(n_rows)
    for k in {1, 3, n_rows - 1, n_rows + 5}:
        space, known = make(kind, X)
        np.fill_diagonal(known, np.inf)
        wanted = np.argsort(known, axis=1, kind="stable")[:, : min(k, n_rows - 1)]
        np.fill_diagonal(known, 0.0)
        for _ in range(2):  # the second time from what is held
            found = nearest_neighbours(space, k)
            np.testing.assert_array_equal(found.indices, wanted)
            np.testing.assert_allclose(
                found.distances, np.take_along_axis(known, wanted, axis=1), rtol=1e-9
            )
        assert space.tiles_ready == (kind == "held products")
        guessed, _ = nearest_rows(make(kind, X)[0], k, wanted)
        np.testing.assert_array_equal(guessed, wanted)


def test_a_single_row_has_no_neighbours():
    space, _ = make("products", rows(1))
    found = nearest_neighbours(space, 3)
    assert found.indices.shape == found.distances.shape == (1, 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_rows", [9, TILE + 9])
@pytest.mark.parametrize("at_once", [True, False])
def test_silhouettes_of_every_space(kind, n_rows, at_once, monkeypatch):
    if not at_once:
        monkeypatch.setattr(space_measures, "SUMS_AT_ONCE", 3 * n_rows - 1)
    X = rows(n_rows)
    labels = np.arange(n_rows) % 3
    space, known = make(kind, X)
    np.fill_diagonal(known, 0.0)
    wanted = sklearn.metrics.silhouette_samples(known, labels, metric="precomputed")
    for _ in range(2):
        np.testing.assert_allclose(silhouette_samples(space, labels), wanted, rtol=1e-8)
    assert Spaces(space).silhouette(labels[None]) == pytest.approx(wanted.mean(), rel=1e-8)
    # One sum for each row and cluster: exactly as many as are stored at once.
    monkeypatch.setattr(space_measures, "SUMS_AT_ONCE", 3 * n_rows)
    np.testing.assert_allclose(silhouette_samples(space, labels), wanted, rtol=1e-8)


def test_a_space_whose_matrix_is_there_gives_the_same():
    X, labels = rows(TILE + 9), np.arange(TILE + 9) % 3
    space, _ = make("held products", X)
    before = silhouette_samples(space, labels)
    assert space.tiles_ready
    space.matrix()
    np.testing.assert_allclose(silhouette_samples(space, labels), before, rtol=1e-9)
    nearest = nearest_rows(space, 4)[0]
    np.testing.assert_array_equal(nearest, nearest_rows(make("products", X)[0], 4)[0])


@pytest.mark.parametrize("n_rows", [9, TILE, 5 * TILE + 3])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_half_the_work_gives_the_same(n_rows, n_threads):
    X, labels = rows(n_rows), np.arange(n_rows) % 3
    labels[4] = -1
    space, _ = make("products", X)
    found = symmetric_silhouette_samples(space, labels, n_threads)
    np.testing.assert_allclose(found, silhouette_samples(space, labels), rtol=1e-9)
    with pytest.raises(ValueError, match="has no rows"):
        symmetric_silhouette_samples(make("powers", X)[0], labels, n_threads)


@pytest.mark.parametrize("kind", KINDS)
def test_gaps_of_every_space(kind):
    X, labels = rows(TILE + 9), np.arange(TILE + 9) % 2
    labels[:3] = -1, 2, -1  # a cluster of one row, and two rows in none
    space, known = make(kind, X)
    np.fill_diagonal(known, np.inf)
    widest, nearest = [], []
    for k in range(3):
        own, other = labels == k, (labels != k) & (labels >= 0)
        gaps = known[np.ix_(own, own)].min(axis=1)
        widest.append(gaps.max() if own.sum() > 1 else 0.0)
        nearest.append(known[np.ix_(own, other)].min())
    found = sparsity_and_separation(space, labels)
    np.testing.assert_allclose(found, [np.mean(widest), np.mean(nearest)], rtol=1e-8)
    assert sparsity_and_separation(space, np.full(len(X), -1)) == (0.0, 0.0)
    alone = sparsity_and_separation(space, np.zeros(len(X), dtype=np.int64))
    assert alone[0] > 0.0
    assert alone[1] == 0.0


def test_connectedness_counts_rows_that_are_in_a_cluster():
    # Rows 0, 1, 3 on a line; 0 and 1 together, 3 in none: (1 + 1) / 2 with one neighbour each.
    space = MatrixSpace(np.abs(np.subtract.outer([0.0, 1.0, 3.0], [0.0, 1.0, 3.0])))
    spaces = Spaces(space)
    neighbours = spaces.neighbours(1)
    assert spaces.connectedness(np.array([[0, 0, -1]]), neighbours, 10.0) == 1.0
    found = spaces.connectedness(np.array([[0, 0, 1]]), neighbours, 0.75)
    assert found == pytest.approx(1.0 / 3.0)


def test_a_constant_column_has_a_floor_of_its_own():
    # A column without spread has deviation 1e-12, one with spread s at least 1e-12 s: a cluster
    # whose rows are all the same there has the density of such a Gaussian.
    X = np.array([[0.0, 5.0], [0.0, 5.0], [8.0, 5.0], [8.0, 5.0]])
    own, _ = gaussian_scores(X, np.array([0, 0, 1, 1]), 0.0)
    expected = -np.log(4e-12) - np.log(1e-12) - np.log(2 * np.pi) + np.log(0.5)
    np.testing.assert_allclose(own, expected, rtol=1e-12)


def test_the_mean_of_labelled_rows():
    assert mean_of_labelled(np.array([1.0, 2.0, 6.0]), np.array([0, -1, 1])) == 3.5
    assert mean_of_labelled(np.array([1.0, 2.0]), np.array([-1, -1])) == 0.0


def test_sums_are_held_up_to_a_limit(monkeypatch):
    blocks = []
    kernel = space_measures.score_kernels.silhouette_block
    monkeypatch.setattr(
        space_measures.score_kernels,
        "silhouette_block",
        lambda *given: (blocks.append(len(given[0])), kernel(*given)),
    )
    X, labels = rows(12), np.arange(12) % 3
    for limit, n_blocks in ((35, 1), (36, 0), (37, 0)):
        monkeypatch.setattr(space_measures, "SUMS_AT_ONCE", limit)
        silhouette_samples(make("products", X)[0], labels)
        assert blocks == [12] * n_blocks
        blocks.clear()


def test_each_tile_is_in_one_part_of_the_work(monkeypatch):
    ranges = []
    kernel = space_measures.tile_kernels.add_tile_sums
    monkeypatch.setattr(
        space_measures.tile_kernels,
        "add_tile_sums",
        lambda *given: (ranges.append(given[4:6]), kernel(*given)),
    )
    n_rows = 30 * TILE
    symmetric_silhouette_samples(make("products", rows(n_rows))[0], np.arange(n_rows) % 2, 1)
    # Row i of 30 rows of tiles has 30 - i tiles: eight parts have about 58 each.
    assert [(int(first), int(last)) for first, last in ranges] == [
        (0, 2),
        (2, 4),
        (4, 6),
        (6, 9),
        (9, 12),
        (12, 15),
        (15, 19),
        (19, 30),
    ]


def test_rows_in_no_cluster_have_no_score_of_a_model():
    X = rows(6)
    own, other = gaussian_scores(X, np.array([0, -1, 0, 1, 1, -1]), 0.1)
    assert own[[1, 5]].tolist() == other[[1, 5]].tolist() == [0.0, 0.0]
    assert (own[[0, 2, 3, 4]] != 0.0).all()
    own, other = gaussian_scores(X, np.full(6, -1), 0.1)
    assert not own.any()
    assert not other.any()


def test_the_floor_of_a_deviation_is_that_of_its_column():
    # Columns with deviations 4, 0 and 0.5, which are all 0 within the clusters.
    X = np.array([[0.0, 5.0, 0.0], [0.0, 5.0, 0.0], [8.0, 5.0, 1.0], [8.0, 5.0, 1.0]])
    own, _ = gaussian_scores(X, np.array([0, 0, 1, 1]), 0.0)
    floors = np.log([4e-12, 1e-12, 0.5e-12]).sum()
    expected = -floors - 1.5 * np.log(2 * np.pi) + np.log(0.5)
    np.testing.assert_allclose(own, expected, rtol=1e-12)


def test_given_distances_are_used_unchanged():
    # 0.1 is not exact in single precision, and there are no columns to compute it from.
    space = MatrixSpace(np.array([[0.0, 0.1, 0.7], [0.1, 0.0, 0.3], [0.7, 0.3, 0.0]]))
    indices, powered = nearest_rows(space, 2)
    assert indices.tolist() == [[1, 2], [0, 2], [1, 0]]
    assert powered.tolist() == [[0.1, 0.7], [0.1, 0.3], [0.3, 0.7]]
    assert nearest_neighbours(space, 1).distances.tolist() == [[0.1], [0.1], [0.3]]
