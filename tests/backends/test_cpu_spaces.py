"""Spaces of the CPU: distances in every form are those of the definition."""

from __future__ import annotations

import numpy as np
import pytest

from weft.backends.cpu.buffers import Buffers, aligned
from weft.backends.cpu.kernels.distances import power_error
from weft.backends.cpu.kernels.swarm_powers import Terms, error_of
from weft.backends.cpu.spaces import (
    BLOCK_ROWS,
    MatrixSpace,
    Space,
    Table,
    _scale_to_one,
    cross_blocks,
    with_matrices,
)
from weft.backends.spaces import Solution

N_ROWS = 2 * BLOCK_ROWS + 5
WEIGHTS = np.array([0.5, 0.0, 2.0, 1.0])
EXPONENTS = np.array([1.5, 9.0, 2.0, 1.0])  # that of the second column is not used
X = np.random.default_rng(0).normal(size=(N_ROWS, 4))


def by_definition(rows, known, exponents):
    """Powered distances: Σ |w (x − y)|^p over the columns with a weight."""
    gaps = np.abs((rows[:, None] - known[None]) * WEIGHTS)[..., WEIGHTS > 0.0]
    powers = 2.0 if exponents is None else exponents[WEIGHTS > 0.0]
    return (gaps**powers).sum(axis=2)


def distances_of(powered, exponents):
    """Distances: the root is 2, or the mean of the exponents."""
    root = 2.0 if exponents is None else exponents[WEIGHTS > 0.0].mean()
    return powered ** (1.0 / root)


@pytest.mark.parametrize("hold_matrix", [True, False])
@pytest.mark.parametrize("exponents", [None, EXPONENTS])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_and_matrix_are_the_distances(dtype, exponents, hold_matrix):
    table = Table.of(X)
    buffers = Buffers(hold_matrix=hold_matrix, dtype=dtype)
    space = Space.of(table, Solution(WEIGHTS, exponents), buffers)
    assert space.n_rows == N_ROWS
    assert not space.exact
    expected = distances_of(by_definition(X, X, exponents), exponents)
    tolerance = 2e-3 if dtype == np.float32 else 1e-6
    parts, firsts = [], []
    for first, block in space.blocks():
        firsts.append(first)
        parts.append(space.to_distances(block.copy()))
    np.testing.assert_allclose(np.concatenate(parts), expected, atol=tolerance)
    starts = np.cumsum([0] + [len(part) for part in parts[:-1]]).tolist()
    assert firsts == starts
    np.testing.assert_allclose(space.to_distances(space.matrix()), expected, atol=tolerance)
    assert space.matrix_ready
    # Once the matrix is there, it is the only block.
    ((first, block),) = space.blocks()
    assert first == 0
    assert block.shape == (N_ROWS, N_ROWS)
    taken = space.consume_matrix()
    np.testing.assert_allclose(space.to_distances(taken), expected, atol=tolerance)
    assert not space.matrix_ready
    exact = np.empty((N_ROWS, N_ROWS))
    space.exact_matrix(exact)
    np.testing.assert_allclose(space.to_distances(exact), expected, atol=1e-9)
    space.matrix()
    space.forget_matrix()
    assert not space.matrix_ready
    # A distance compares with powered distances as they do with each other.
    one = float(expected[0, 1])
    assert space.to_powered(one) == pytest.approx(float(exact[0, 1]), rel=1e-9)


@pytest.mark.parametrize(("hold_matrix", "n_held"), [(True, 3 * 4 // 2), (False, 1)])
def test_room_for_tiles_of_half_the_matrix(hold_matrix, n_held):
    space = Space.of(Table.of(X), Solution(WEIGHTS, None), Buffers(hold_matrix=hold_matrix))
    assert space.tile_store().shape == (n_held, BLOCK_ROWS, BLOCK_ROWS)


def test_matrices_that_are_made_together():
    table, buffers = Table.of(X), Buffers(hold_matrix=True, dtype=np.float32)
    solutions = [Solution(WEIGHTS, EXPONENTS), Solution(WEIGHTS, 3.0 - 0.5 * EXPONENTS / 9.0)]
    spaces = [Space.of(table, each, buffers) for each in solutions]
    for space, each in zip(with_matrices(spaces, 3), solutions, strict=True):
        assert space.matrix_ready
        expected = distances_of(by_definition(X, X, each.exponents), each.exponents)
        np.testing.assert_allclose(space.to_distances(space.matrix()), expected, atol=2e-3)


@pytest.mark.parametrize("exponents", [None, EXPONENTS])
def test_new_rows_against_known_ones(exponents):
    new = np.random.default_rng(1).normal(size=(BLOCK_ROWS + 3, 4))
    found = list(cross_blocks(new.T, X.T, Solution(WEIGHTS, exponents)))
    assert [first for first, _ in found] == [0, BLOCK_ROWS]
    expected = by_definition(new, X, exponents)
    np.testing.assert_allclose(np.concatenate([block for _, block in found]), expected)


def test_given_distances_are_exact():
    given = np.array([[0.0, 2.0], [2.0, 0.0]])
    space = MatrixSpace(given)
    assert space.exact
    assert space.n_rows == 2
    np.testing.assert_array_equal(space.matrix(), given)
    space.consume_matrix()[:] = 9.0
    np.testing.assert_array_equal(space.to_distances(space.matrix()), given)


def test_no_weight_is_no_distance():
    for exponents in (None, EXPONENTS):
        space = Space.of(Table.of(X), Solution(np.zeros(4), exponents), Buffers(hold_matrix=True))
        np.testing.assert_array_equal(space.to_distances(space.matrix()), 0.0)


@pytest.mark.parametrize(
    ("largest", "scale"),
    [(1.0, 1.0), (3.0, 0.25), (4.0, 0.25), (0.25, 4.0), (0.0, 1.0), (np.inf, 1.0), (0.3, 2.0)],
)
def test_a_power_of_two_brings_the_largest_to_one(largest, scale):
    assert _scale_to_one(largest) == scale


def test_buffers_are_kept_by_name_and_shape():
    buffers = Buffers(hold_matrix=False, dtype=np.float32)
    first = buffers.get("a", (2, 3))
    first[:] = 7.0
    assert buffers.get("a", (2, 3)) is first
    assert buffers.get("a", (3, 2)) is not first
    assert buffers.get("b", (2,), np.float64).dtype == np.float64
    assert first.dtype == np.float32
    part = buffers.part("c", (2, 3), 10)
    part[:] = np.arange(6.0).reshape(2, 3)
    assert buffers.part("c", (6,), 10).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    own = np.ones((2, 3), dtype=np.float32)
    buffers.put("a", own)
    assert buffers.get("a", (2, 3)) is own


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_start_on_a_cache_line(dtype):
    for n in range(1, 20):
        made = aligned((n, 3), dtype)
        assert made.shape == (n, 3)
        assert made.ctypes.data % 64 == 0
        made[:] = 1.0
        assert made.sum() == 3 * n


def test_the_layouts_of_a_table_by_hand():
    table = Table.of(np.array([[1.0, -2.0, 7.0], [2.0, 4.0, 7.0], [6.0, 1.0, 7.0]]))
    assert table.columns.tolist() == [[1.0, 2.0, 6.0], [-2.0, 4.0, 1.0], [7.0, 7.0, 7.0]]
    assert table.centred.tolist() == [[-2.0, -1.0, 3.0], [-3.0, 3.0, 0.0], [0.0, 0.0, 0.0]]
    assert table.spread.tolist() == [3.0, 3.0, 0.0]


@pytest.mark.parametrize(
    ("weights", "scale"),
    [
        ([1.0, 1.0], 0.5),
        ([0.0, 1.0], 8.0),
        ([4.0, 1.0], 0.125),
        ([0.25, 8.0], 1.0),
        ([0.0, 0.0], 1.0),
    ],
)
def test_the_scale_of_a_space_is_that_of_its_largest_column(weights, scale):
    # The largest centred values are 2 and 0.125.
    rows = np.array([[-2.0, 0.125], [2.0, -0.125]])
    space = Space.of(Table.of(rows), Solution(np.array(weights)), Buffers(hold_matrix=True))
    assert space.scale == scale
    assert space.to_distances(np.array([4.0])).tolist() == [2.0 / scale]
    assert space.to_powered(3.0) == (3.0 * scale) ** 2


@pytest.mark.parametrize("hold_matrix", [True, False])
def test_blocks_are_rows_of_tiles_unless_the_matrix_is_there(hold_matrix):
    firsts = [0, BLOCK_ROWS, 2 * BLOCK_ROWS]
    for exponents, expected in ((None, firsts), (EXPONENTS, [0] if hold_matrix else firsts)):
        buffers = Buffers(hold_matrix=hold_matrix)
        space = Space.of(Table.of(X), Solution(WEIGHTS, exponents), buffers)
        found = [(first, len(block)) for first, block in space.blocks()]
        assert [first for first, _ in found] == expected
        assert sum(length for _, length in found) == N_ROWS
        assert space.matrix_ready == (len(expected) == 1)


def test_bounds_of_errors():
    table, kept = Table.of(X), np.array([0, 2, 3])
    products = Space.of(table, Solution(WEIGHTS), Buffers(hold_matrix=True))
    assert products.doubt.share == 0.0
    np.testing.assert_array_equal(products.doubt.slack, products.rows.slack[:N_ROWS])
    assert (products.doubt.slack > 0.0).all()
    powers = Space.of(table, Solution(WEIGHTS, EXPONENTS), Buffers(hold_matrix=True))
    assert powers.doubt.slack.tolist() == [0.0] * N_ROWS
    assert powers.doubt.share == power_error(3)
    # In single precision, for each pair the bound of the kernel: half of it for either row.
    single = Buffers(hold_matrix=True, dtype=np.float32)
    powers = Space.of(table, Solution(WEIGHTS, EXPONENTS), single)
    terms = Terms.of(kept, WEIGHTS[kept], EXPONENTS[kept])
    slack, share = error_of(terms, WEIGHTS[kept] * table.spread[kept])
    assert powers.doubt.share == share
    np.testing.assert_array_equal(powers.doubt.slack, np.float32(slack / 2.0))
    given = MatrixSpace(np.zeros((3, 3)))
    assert (given.doubt.slack.tolist(), given.doubt.share) == ([0.0] * 3, 0.0)
    assert (given.columns.shape, given.exponents.shape, given.root) == ((0, 3), (0,), 1.0)


def test_the_root_of_a_space():
    table = Table.of(X)
    for weights, exponents, root in (
        (WEIGHTS, None, 2.0),
        (WEIGHTS, EXPONENTS, 1.5),
        (np.zeros(4), EXPONENTS, 1.0),
    ):
        space = Space.of(table, Solution(weights, exponents), Buffers(hold_matrix=True))
        assert space.root == root
        powered = space.to_powered(8.0)
        assert powered == (8.0 * space.scale) ** root
        assert space.to_distances(np.array([powered]))[0] == pytest.approx(8.0)


@pytest.mark.parametrize(
    ("largest", "scale"), [(5e-324, 2.0**1000), (2.0**-999, 2.0**999), (1e308, 2.0**-1000)]
)
def test_scales_stay_within_the_range_of_numbers(largest, scale):
    assert _scale_to_one(largest) == scale


def test_a_matrix_is_computed_once():
    space = Space.of(Table.of(X), Solution(WEIGHTS), Buffers(hold_matrix=True))
    matrix = space.matrix()
    matrix[0, 1] = -1.0  # what is there is used again
    assert space.matrix()[0, 1] == -1.0
    assert space.consume_matrix()[0, 1] == -1.0
    assert space.matrix()[0, 1] > 0.0
