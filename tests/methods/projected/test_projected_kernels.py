"""The swarm's sums and nearest centres: by hand, and each backend against the other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import random_array

from weft.backends.cpu.kernels import projected as cpu
from weft.backends.reference.kernels import projected as reference

BACKENDS = pytest.mark.parametrize("kernels", [reference, cpu], ids=["reference", "cpu"])


@BACKENDS
def test_totals_by_hand(kernels):
    rows = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])
    labels = np.array([[0, 1, 0], [-1, 1, 1]])
    out, counts = np.empty((2, 2, 2)), np.empty((2, 2))
    kernels.cluster_totals(rows, labels, out, counts)
    # first particle: rows 0 and 2 together, row 1 alone; second: row 0 in none, 1 and 2 together
    np.testing.assert_array_equal(out[0], [[5.0, 50.0], [2.0, 20.0]])
    np.testing.assert_array_equal(out[1], [[0.0, 0.0], [6.0, 60.0]])
    np.testing.assert_array_equal(counts, [[2, 1], [0, 2]])


@BACKENDS
def test_nearest_takes_the_first_on_a_tie(kernels):
    # two particles with three clusters each, side by side
    distances = np.array([[3.0, 1.0, 1.0, 0.5, 0.5, 2.0], [np.inf, 7.0, 6.0, 1.0, -1.0, 0.0]])
    labels, best = np.empty((2, 2), dtype=np.int32), np.empty((2, 2))
    kernels.nearest(distances, labels, best)
    np.testing.assert_array_equal(labels, [[1, 2], [0, 1]])
    np.testing.assert_array_equal(best, [[1.0, 6.0], [0.5, -1.0]])


@BACKENDS
def test_sparse_by_hand(kernels):
    # rows (1, 0, 2), (0, 0, 0), (0, 3, 0)
    csr = (np.array([1.0, 2.0, 3.0]), np.array([0, 2, 1]), np.array([0, 2, 2, 3]))
    out = np.empty((2, 3))
    kernels.sparse_totals(*csr, np.array([1, 0, 1]), out)
    np.testing.assert_array_equal(out, [[0, 0, 0], [1, 3, 2]])
    products = np.empty((3, 2))
    kernels.sparse_products(*csr, np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]), products)
    np.testing.assert_array_equal(products, [[7, 70], [0, 0], [6, 60]])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_backends_agree(dtype):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(137, 23)).astype(dtype)
    labels = rng.integers(-1, 4, size=(6, 137)).astype(np.int32)
    found = []
    for kernels in (reference, cpu):
        out, counts = np.empty((6, 4, 23)), np.empty((6, 4))
        kernels.cluster_totals(rows, labels, out, counts)
        near, best = np.empty((5, 137), dtype=np.int32), np.empty((5, 137), dtype=dtype)
        kernels.nearest(np.ascontiguousarray(rows[:, :20]), near, best)
        found.append((out, counts, near, best))
    for left, right in zip(*found, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-12)


def test_sparse_backends_agree():
    rng = np.random.default_rng(1)
    X = random_array((60, 40), density=0.1, rng=rng, format="csr")
    labels = rng.integers(-1, 3, size=60)
    columns = rng.normal(size=(40, 3))
    found = []
    for kernels in (reference, cpu):
        out, products = np.empty((3, 40)), np.empty((60, 3))
        kernels.sparse_totals(X.data, X.indices, X.indptr, labels, out)
        kernels.sparse_products(X.data, X.indices, X.indptr, columns, products)
        found.append((out, products))
    for left, right in zip(*found, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-12)


def test_sums_do_not_depend_on_who_else_is_in_the_swarm():
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(50, 7))
    labels = rng.integers(0, 3, size=(4, 50)).astype(np.int32)
    whole, counts = np.empty((4, 3, 7)), np.empty((4, 3))
    cpu.cluster_totals(rows, labels, whole, counts)
    for p in range(4):
        alone = np.empty((1, 3, 7))
        cpu.cluster_totals(rows, labels[p : p + 1], alone, np.empty((1, 3)))
        np.testing.assert_array_equal(alone[0], whole[p])
