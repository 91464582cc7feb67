"""The nearest known row of each new row: by brute force, with ties and far from all others."""

from __future__ import annotations

import numpy as np
import pytest

from weft.backends.cpu.kernels import labelling as cpu
from weft.backends.cpu.known_rows import nearest_rows_of
from weft.backends.spaces import Solution


def rows_of(n, seed=0):
    """Four groups, apart in each of three columns, beside three columns of noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    X[:, :3] += (
        12.0 * np.array([[0, 1, 2], [1, 2, 3], [2, 3, 0], [3, 0, 1]])[rng.integers(4, size=n)]
    )
    return X


def brute(X, known, solution):
    kept = solution.weights > 0
    away = np.abs(X[:, None, kept] - known[None][:, :, kept]) * solution.weights[kept]
    powers = 2.0 if solution.exponents is None else solution.exponents[kept]
    return (away**powers).sum(axis=2)


@pytest.mark.parametrize("exponents", [None, np.array([1.0, 2.0, 3.0, 1.5, 2.5, 2.0])])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_nearest_rows_against_brute_force(exponents, n_threads):
    X = rows_of(700)
    known = X[::7].copy()
    solution = Solution(np.array([1.0, 0.5, 0.0, 2.0, 1e-3, 1.0]), exponents)
    found = nearest_rows_of(X, known, solution, n_threads=n_threads)
    wanted = brute(X, known, solution)
    np.testing.assert_array_equal(found.indices, wanted.argmin(axis=1))
    np.testing.assert_allclose(found.powered, wanted.min(axis=1), rtol=1e-9, atol=1e-12)


def test_ties_go_to_the_first_however_near_single_precision_thinks_they_are():
    rng = np.random.default_rng(1)
    base = rng.normal(size=(40, 5))
    known = np.vstack([base, base, base + 1e-9])  # twice the same, and almost so
    found = nearest_rows_of(base, known, Solution(np.ones(5)))
    np.testing.assert_array_equal(found.indices, np.arange(40))
    found = nearest_rows_of(base + 1e-9, known, Solution(np.ones(5)))
    np.testing.assert_array_equal(found.indices, np.arange(80, 120))


def test_rows_far_beyond_the_known_ones_and_scales_out_of_the_ordinary():
    X = rows_of(300)
    X[5] = 1e30
    known = X[10:60]
    for scale in (1.0, 1e-140, 1e140):
        found = nearest_rows_of(X * scale, known * scale, Solution(np.ones(6)))
        wanted = brute(X, known, Solution(np.ones(6))).argmin(axis=1)
        np.testing.assert_array_equal(np.delete(found.indices, 5), np.delete(wanted, 5))
    one = nearest_rows_of(X, known[:1], Solution(np.ones(6)))
    assert not one.indices.any()


def test_kernel_against_brute_force():
    rng = np.random.default_rng(0)
    for n_known in (1, 31, 64, 200):
        rows, known = rng.normal(size=(50, 4)), rng.normal(size=(n_known, 4))
        known[n_known // 2] = known[0]
        block = ((known**2).sum(axis=1) - 2 * rows @ known.T).astype(np.float32)
        nearest, powered = np.empty(50, dtype=np.int64), np.empty(50)
        cpu.nearest_known(block, np.full(50, 1e-4), rows, known, nearest, powered)
        expected = brute(rows, known, Solution(np.ones(4)))
        np.testing.assert_array_equal(nearest, expected.argmin(axis=1))
        np.testing.assert_allclose(powered, expected.min(axis=1), rtol=1e-13)
