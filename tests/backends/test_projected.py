"""Partitions of a whole swarm: by hand, and every backend against the reference."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import random_array

from weft.backends import CPU, REFERENCE
from weft.backends.cpu import projected as cpu_projected
from weft.parallel.threads import one_range

K = 3


def _table():
    X = np.random.default_rng(0).normal(size=(300, 5))
    X[100:200, :2] += 6.0
    return X - X.mean(axis=0)


def _load(backend, X, n_clusters=K):
    return backend.projected.load(X, n_clusters, one_range, backend.device)


def _swarm(n_particles=4, n_features=5):
    rng = np.random.default_rng(1)
    shape = (n_particles, K, n_features)
    dead = np.zeros((n_particles, K), dtype=bool)
    dead[1, 0] = True
    return rng.uniform(0.5, 2.0, shape), rng.normal(size=shape), dead


def _labels(n_rows=300):
    labels = np.random.default_rng(2).integers(-1, K, (4, n_rows)).astype(np.int32)
    labels[0] = 0  # two clusters have no rows
    return labels


def test_four_rows_by_hand(any_backend):
    # Rows ±1, ±3 in one feature. {-3, -1} and {1, 3}: means ∓2, dispersions 2. With factors 1 and
    # centres -2 and 2 each row is at distance 1 from its own mean.
    operations = any_backend.projected
    table = _load(any_backend, np.array([[-3.0], [-1.0], [1.0], [3.0]]), 2)
    own = operations.hold(table, np.array([[0, 1, 0, 1], [0, 0, 1, 1]], dtype=np.int32))
    sizes, centers, spread = operations.summarise(table, own, np.array([1]))
    assert sizes.tolist() == [[2.0, 2.0]]
    np.testing.assert_allclose(centers[0, :, 0], [-2.0, 2.0])
    np.testing.assert_allclose(spread[0, :, 0], [2.0, 2.0])
    both = np.repeat(centers, 2, axis=0)
    dead = np.zeros((2, 2), dtype=bool)
    labels, best = operations.assign(table, np.ones_like(both), both, dead, True)
    assert labels.tolist() == [[0, 0, 1, 1]] * 2
    np.testing.assert_allclose(best, 1.0)
    changed = operations.reassign(table, own, np.arange(2), np.ones_like(both), both, dead, True)
    assert changed.tolist() == [True, False]
    assert operations.fetch(own).tolist() == [[0, 0, 1, 1]] * 2


def test_summaries_and_assignments_are_those_of_the_reference(fast_backend):
    X, labels = _table(), _labels()
    factors, centers, dead = _swarm()
    every = np.arange(4)
    results = []
    for backend in (fast_backend, REFERENCE):
        operations, table = backend.projected, _load(backend, X)
        own = operations.hold(table, labels)
        summary = operations.summarise(table, own, every[1:])
        assigned = operations.assign(table, factors, centers, dead, True)
        changed = operations.reassign(table, own, every, factors, centers, dead, True)
        results.append((*summary, *assigned, changed, operations.fetch(own)))
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(labels, _labels())  # what was given stays as it was


def test_an_empty_cluster_gets_the_row_that_costs_most(any_backend):
    operations = any_backend.projected
    table = _load(any_backend, np.array([[-2.0], [-1.0], [3.0]]), 2)
    own = operations.hold(table, np.zeros((1, 3), dtype=np.int32))
    centers, dead = np.zeros((1, 2, 1)), np.array([[False, True]])
    operations.reassign(table, own, np.arange(1), np.ones((1, 2, 1)), centers, dead, True)
    assert operations.fetch(own).tolist() == [[0, 0, 1]]


def test_starts_are_drawn_alike(fast_backend):
    X = _table()
    draws = np.random.default_rng(3).uniform(size=(6, 3))
    chosen = []
    for backend in (fast_backend, REFERENCE):
        operations, table = backend.projected, _load(backend, X)

        def distances_to(rows, operations=operations, table=table):
            return operations.squared_distances(table, rows)

        nearest = distances_to(np.arange(6) * 40)
        second, nearest = operations.draw_next(nearest, draws, distances_to)
        third, nearest = operations.draw_next(nearest, draws[:, ::-1].copy(), distances_to)
        chosen.append((second, third))
        left = np.asarray(nearest.cpu() if hasattr(nearest, "cpu") else nearest)
        starts = np.stack([np.arange(6) * 40, second, third], axis=1)
        brute = (X[None, :, None] - X[starts][:, None]) ** 2  # (P, n, 3, M)
        np.testing.assert_allclose(left, brute.sum(axis=3).min(axis=2), atol=1e-9)
    np.testing.assert_array_equal(chosen[0], chosen[1])


@pytest.mark.parametrize("density", [0.02, 0.3])
def test_sparse_rows(density):
    X = random_array((40, 12), density=density, rng=np.random.default_rng(4), format="csr")
    csr = (X.data, X.indices, X.indptr)
    columns = np.random.default_rng(5).normal(size=(12, 3))
    labels = np.random.default_rng(6).integers(-1, 3, 40).astype(np.int32)
    for backend in (CPU, REFERENCE):
        operations = backend.projected
        products = operations.sparse_products(csr, columns)
        np.testing.assert_allclose(products, X.toarray() @ columns, atol=1e-12)
        totals = operations.sparse_totals(csr, labels, 3, 12)
        expected = [X.toarray()[labels == k].sum(axis=0) for k in range(3)]
        np.testing.assert_allclose(totals, expected, atol=1e-12)


def test_refilling_by_hand(host_backend):
    # Cluster 2 has no row. Row 0 is alone in its cluster, so row 1 moves, though it costs less.
    labels = np.array([0, 1, 1], dtype=np.int32)
    host_backend.projected.refill(labels, np.array([9.0, 0.5, 0.25]), 3)
    assert labels.tolist() == [0, 2, 1]
    # Rows that cost nothing stay.
    labels = np.array([0, 1, 1], dtype=np.int32)
    host_backend.projected.refill(labels, np.array([9.0, 0.0, 0.0]), 3)
    assert labels.tolist() == [0, 1, 1]
    # Two clusters are empty: each gets one row, the row that costs most first.
    labels = np.array([1, 1, 1, 1], dtype=np.int32)
    host_backend.projected.refill(labels, np.array([1.0, 4.0, 3.0, 2.0]), 3)
    assert labels.tolist() == [1, 0, 2, 1]
    labels = np.array([1, 1, 1], dtype=np.int32)
    host_backend.projected.refill(labels, np.array([4.0, 3.0, 2.0]), 3)
    assert labels.tolist() == [0, 2, 1]
    # The last row but one of a cluster may go, the last may not.
    labels = np.array([1, 1], dtype=np.int32)
    host_backend.projected.refill(labels, np.array([4.0, 3.0]), 3)
    assert labels.tolist() == [0, 1]


def test_a_start_on_equal_rows_is_the_last(host_backend):
    # All distances are 0: nothing is above any draw, so that the last row is taken.
    nearest = np.zeros((2, 3))
    chosen, left = host_backend.projected.draw_next(
        nearest, np.array([[0.0, 0.5], [0.9, 0.1]]), lambda rows: np.zeros((len(rows), 3))
    )
    assert chosen.tolist() == [2, 2]
    np.testing.assert_array_equal(left, nearest)


def test_a_draw_by_hand(host_backend):
    # Rows at 0, 1, 3 and 7; row 0 was drawn before: squares 0, 1, 9, 49, in all 59. The draws 0,
    # 1.5/59 and 0.5 are rows 1, 2 and 3. With row 3 the least is left: 0 + 1 + 9 + 0 = 10, with
    # row 2 it is 0 + 1 + 0 + 16 = 17, with row 1 it is 0 + 0 + 4 + 36.
    x = np.array([0.0, 1.0, 3.0, 7.0])
    nearest = (x**2)[np.newaxis]

    def distances_to(rows):
        return (x - x[rows, np.newaxis]) ** 2

    draws = np.array([[0.0, 1.5 / 59.0, 0.5]])
    chosen, left = host_backend.projected.draw_next(nearest, draws, distances_to)
    assert chosen.tolist() == [3]
    assert left.tolist() == [[0.0, 1.0, 9.0, 0.0]]
    chosen, left = host_backend.projected.draw_next(nearest, draws[:, :2], distances_to)
    assert chosen.tolist() == [2]
    assert left.tolist() == [[0.0, 1.0, 0.0, 16.0]]


def test_distances_from_products_are_never_negative(host_backend):
    # Rounding makes the product of a row with itself, or with its twin, too large.
    norms, rows = np.array([1.0, 4.0, 9.0]), np.array([1])
    products = np.array([[2.6, 4.0 + 1e-9, 1.0]])
    found = host_backend.projected.distances_from_products(norms, rows, products)
    np.testing.assert_array_equal(found, [[0.0, 0.0, 11.0]])


@pytest.mark.parametrize("scale", [1e-25, 1.0, 1e25])
def test_single_precision_has_a_scale_for_each_column(scale, fast_backend):
    # The squares of such columns are beyond single precision, and one column is 0.
    X = _table() * [1.0, scale, 1.0, 1.0, 0.0]
    factors, centers, dead = _swarm()
    factors *= [1.0, scale**-2, 1.0, 1.0, 1.0]
    centers *= [1.0, scale, 1.0, 1.0, 1.0]
    table = _load(fast_backend, X)
    operations = fast_backend.projected
    quick, _ = operations.assign(table, factors, centers, dead, False)
    exact, _ = REFERENCE.projected.assign(_load(REFERENCE, X), factors, centers, dead, True)
    assert (np.asarray(quick) == exact).mean() > 0.999
    assert not (np.asarray(quick)[1] == 0).any()  # that cluster has no centre
    none, _ = operations.assign(table, 0.0 * factors, centers, dead & False, False)
    assert not np.asarray(none).any()


def test_a_table_for_swarms_by_hand():
    # The largest values are 4, 0 and 0.5; with them the columns are within ±1.
    X = np.array([[-4.0, 0.0, 0.5], [1.0, 0.0, -0.25], [3.0, 0.0, -0.25]])
    table = _load(CPU, X)
    assert table.scale.tolist() == [4.0, 1.0, 0.5]
    np.testing.assert_array_equal(table.norms, [16.25, 1.0625, 9.0625])
    np.testing.assert_array_equal(table.squares, np.hstack([X**2, X]))
    scaled = X / [4.0, 1.0, 0.5]
    np.testing.assert_array_equal(table.quick, np.hstack([scaled**2, scaled]))
    assert table.quick.dtype == np.float32


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("n_rows", "heights"), [(256, [256]), (257, [256, 1]), (300, [256, 44])])
def test_rows_are_assigned_in_blocks(n_rows, heights, exact, monkeypatch):
    seen, sizes = [], []
    nearest = cpu_projected.kernels.nearest

    def spy(distances, labels, best):
        seen.append((distances.shape, distances.dtype.itemsize))
        nearest(distances, labels, best)

    def run(task, size):
        sizes.append(size)
        for number in range(size):
            task(number, number + 1)

    monkeypatch.setattr(cpu_projected.kernels, "nearest", spy)
    table = CPU.projected.load(np.resize(_table(), (n_rows, 5)), K, run, "cpu")
    factors, centers, dead = _swarm()
    CPU.projected.assign(table, factors, centers, dead, exact)
    assert seen == [((height, 4 * K), 8 if exact else 4) for height in heights]
    assert sizes == [len(heights)]
