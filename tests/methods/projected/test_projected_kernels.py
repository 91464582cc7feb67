"""The swarm's sums and nearest centres: by hand, and each backend against the other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import random_array

from weft.backends import CPU, REFERENCE
from weft.backends.cpu.kernels import projected as cpu

HOST = pytest.mark.parametrize("backend", [REFERENCE, CPU], ids=["reference", "cpu"])


def test_totals_by_hand():
    rows = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])
    labels = np.array([[0, 1, 0], [-1, 1, 1]])
    out, counts = np.empty((2, 2, 2)), np.empty((2, 2))
    cpu.cluster_totals(rows, labels, out, counts)
    # first particle: rows 0 and 2 together, row 1 alone; second: row 0 in none, 1 and 2 together
    np.testing.assert_array_equal(out[0], [[5.0, 50.0], [2.0, 20.0]])
    np.testing.assert_array_equal(out[1], [[0.0, 0.0], [6.0, 60.0]])
    np.testing.assert_array_equal(counts, [[2, 1], [0, 2]])


def test_nearest_takes_the_first_on_a_tie():
    # two particles with three clusters each, side by side
    distances = np.array([[3.0, 1.0, 1.0, 0.5, 0.5, 2.0], [np.inf, 7.0, 6.0, 1.0, -1.0, 0.0]])
    labels, best = np.empty((2, 2), dtype=np.int32), np.empty((2, 2))
    cpu.nearest(distances, labels, best)
    np.testing.assert_array_equal(labels, [[1, 2], [0, 1]])
    np.testing.assert_array_equal(best, [[1.0, 6.0], [0.5, -1.0]])


@HOST
def test_sparse_by_hand(backend):
    # rows (1, 0, 2), (0, 0, 0), (0, 3, 0)
    csr = (np.array([1.0, 2.0, 3.0]), np.array([0, 2, 1]), np.array([0, 2, 2, 3]))
    out = backend.projected.sparse_totals(csr, np.array([1, 0, 1]), 2, 3)
    np.testing.assert_array_equal(out, [[0, 0, 0], [1, 3, 2]])
    columns = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
    products = backend.projected.sparse_products(csr, columns)
    np.testing.assert_array_equal(products, [[7, 70], [0, 0], [6, 60]])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_kernels_against_plain_numpy(dtype):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(137, 23)).astype(dtype)
    labels = rng.integers(-1, 4, size=(6, 137)).astype(np.int32)
    out, counts = np.empty((6, 4, 23)), np.empty((6, 4))
    cpu.cluster_totals(rows, labels, out, counts)
    member = (labels[:, None, :] == np.arange(4)[:, None]).astype(float)
    np.testing.assert_allclose(out, member @ rows, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(counts, member.sum(axis=2))
    near, best = np.empty((5, 137), dtype=np.int32), np.empty((5, 137), dtype=dtype)
    cpu.nearest(np.ascontiguousarray(rows[:, :20]), near, best)
    grouped = rows[:, :20].reshape(137, 5, 4)
    np.testing.assert_array_equal(near, grouped.argmin(axis=2).T)
    np.testing.assert_array_equal(best, grouped.min(axis=2).T)


def test_sparse_backends_agree():
    rng = np.random.default_rng(1)
    X = random_array((60, 40), density=0.1, rng=rng, format="csr")
    labels = rng.integers(-1, 3, size=60)
    columns = rng.normal(size=(40, 3))
    csr = X.data, X.indices, X.indptr
    found = [
        (each.sparse_totals(csr, labels, 3, 40), each.sparse_products(csr, columns))
        for each in (REFERENCE.projected, CPU.projected)
    ]
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
