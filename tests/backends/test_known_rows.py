"""The nearest known row of each new row: by brute force, with ties and far from all others."""

from __future__ import annotations

import numpy as np
import pytest

from weft.backends.cpu import known_rows
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


def test_ties_go_to_the_first_row_whatever_single_precision_gives():
    rng = np.random.default_rng(1)
    base = rng.normal(size=(40, 5))
    known = np.vstack([base, base, base + 1e-9])  # twice the same, and almost so
    found = nearest_rows_of(base, known, Solution(np.ones(5)))
    np.testing.assert_array_equal(found.indices, np.arange(40))
    found = nearest_rows_of(base + 1e-9, known, Solution(np.ones(5)))
    np.testing.assert_array_equal(found.indices, np.arange(80, 120))


def test_rows_far_from_the_known_ones_and_extreme_scales():
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


# What is computed in single precision, and where -------------------------------------------------


@pytest.fixture
def parts(monkeypatch):
    """What `nearest_known` is called with; it finds row 0 everywhere."""
    calls = []

    def spy(block, slack, new_rows, known_rows, indices, powered):
        calls.append((block, slack, new_rows, known_rows))
        indices[:], powered[:] = 0, 1.0

    monkeypatch.setattr(known_rows, "nearest_known", spy)
    return calls


def test_rows_are_scaled_by_the_reach_of_the_known_ones(parts):
    # Column 1 is dropped. The known rows (0, 0) and (3, 8), with weights 2 and 1, are (-3, -4) and
    # (3, 4) around their middle: they reach 5, and 2⁻³ brings that to 0.625.
    known = np.array([[0.0, 9.0, 0.0], [3.0, -9.0, 8.0]])
    X = np.array([[1.5, 70.0, 4.0], [1.5, 0.0, 5.0]])
    found = nearest_rows_of(X, known, Solution(np.array([2.0, 0.0, 1.0])))
    ((block, slack, new_rows, known_rows_),) = parts
    np.testing.assert_array_equal(known_rows_, [[-0.375, -0.5], [0.375, 0.5]])
    np.testing.assert_array_equal(new_rows, [[0.0, 0.0], [0.0, 0.125]])
    # |known|² - 2 new · known, in single precision.
    assert block.dtype == np.float32
    np.testing.assert_array_equal(block, [[0.390625, 0.390625], [0.515625, 0.265625]])
    expected = 19.0 * 2.0**-23 * np.array([0.625, 0.75]) ** 2
    np.testing.assert_allclose(slack, expected, rtol=1e-12)
    assert found.powered.tolist() == [64.0, 64.0]  # 1 over the squared scale


@pytest.mark.parametrize(
    ("reach", "scale"), [(0.3, 2.0), (1.0, 1.0), (1.5, 0.5), (2.0, 0.5), (0.0, 1.0)]
)
def test_scales_are_powers_of_two(reach, scale, parts):
    nearest_rows_of(np.zeros((1, 1)), np.array([[-reach], [reach]]), Solution(np.ones(1)))
    np.testing.assert_array_equal(parts[0][3], [[-reach * scale], [reach * scale]])


@pytest.mark.parametrize(
    ("n_rows", "heights"), [(1, [1]), (256, [256]), (257, [256, 1]), (700, [256, 256, 188])]
)
def test_rows_come_in_tiles(n_rows, heights, parts, monkeypatch):
    sizes = []

    def spread(task, size, n_threads):
        sizes.append((size, n_threads))
        task(0, size)

    monkeypatch.setattr(known_rows, "map_ranges", spread)
    X = np.arange(float(n_rows))[:, None] / n_rows
    nearest_rows_of(X, np.array([[-1.0], [1.0]]), Solution(np.ones(1)))
    assert [len(block) for block, *_ in parts] == heights
    np.testing.assert_array_equal(np.concatenate([rows for _, _, rows, _ in parts]), X)
    assert sizes == [(len(heights), 1)]
    # Differences in double precision take tiles of their own.
    nearest_rows_of(X, np.array([[-1.0], [1.0]]), Solution(np.ones(1), np.ones(1)), n_threads=3)
    assert sizes[1:] == [(-(-n_rows // known_rows.BLOCK_ROWS), 3)]


def test_far_rows_and_exponents_are_computed_in_double_precision(parts, monkeypatch):
    # The known rows reach 1. A tile with a row a million times as far out is computed exactly.
    exact = []

    def spy(X, known, solution, nearest, n_threads):
        exact.append((len(X), n_threads))
        assert len(nearest.indices) == len(nearest.powered) == len(X)

    monkeypatch.setattr(known_rows, "_exact", spy)
    known, one = np.array([[-1.0, 5.0], [1.0, 5.0]]), Solution(np.array([1.0, 0.0]))
    X = np.zeros((300, 2))
    for far, expected in ((0.999e6, []), (1e6, [(44, 1)]), (np.inf, [(44, 1)])):
        X[299, 0] = far
        nearest_rows_of(X, known, one, n_threads=2)
        assert exact == expected
        assert len(parts) == 2 - len(expected)
        exact.clear()
        parts.clear()
    # Half a million in each of two columns is less than a million, three quarters are more.
    both = Solution(np.ones(2))
    for place, expected in ((5e5, []), (7.5e5, [(2, 1)])):
        nearest_rows_of(np.full((2, 2), place), known, both)
        assert exact == expected
    exact.clear()
    parts.clear()
    for solution in (Solution(np.zeros(2)), Solution(np.ones(2), np.full(2, 2.0))):
        nearest_rows_of(X, known, solution, n_threads=2)
        assert exact.pop() == (300, 2)
    assert parts == []
