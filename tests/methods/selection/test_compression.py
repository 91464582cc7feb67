"""The compression index, by hand, by eigenvalues, and backend against reference."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from weft.backends import CPU, REFERENCE
from weft.backends.cpu.columns import compression_tiles
from weft.methods.selection import maximal_information_compression
from weft.methods.selection.compression import range_scaled

VALUES = st.floats(-1e3, 1e3, allow_nan=False, width=32)


def test_by_hand():
    # x = (0, 2), y = (0, 4): var 1 and 4, cov 2: dependent, so nothing is lost.
    assert maximal_information_compression([0.0, 2.0], [0.0, 4.0]) == 0.0
    # x = (-1, 1, -1, 1), y = (-2, -2, 2, 2): var 1 and 4, cov 0: the lesser variance.
    assert maximal_information_compression([-1, 1, -1, 1], [-2, -2, 2, 2]) == 1.0
    # x = (1, -1, 0, 0), y = (1, 0, -1, 0): var 1/2 each, cov 1/4: λ = 1/2 ± 1/4.
    assert maximal_information_compression([1, -1, 0, 0], [1, 0, -1, 0]) == pytest.approx(0.25)


def test_two_vectors_give_a_number_and_tables_a_matrix():
    x, y = np.array([-1.0, 1.0, -1.0, 1.0]), np.array([-2.0, -2.0, 2.0, 2.0])
    assert type(maximal_information_compression(x, y)) is float
    assert maximal_information_compression(x).tolist() == [[0.0]]
    assert maximal_information_compression(x[:, None], y).tolist() == [[1.0]]
    assert maximal_information_compression(x, y[:, None]).tolist() == [[1.0]]
    both = np.column_stack([x, y])
    assert maximal_information_compression(both, x).tolist() == [[0.0], [1.0]]
    assert maximal_information_compression(both).tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_equation_as_printed():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 30)) * [[1.0], [3.0]]
    a, b, rho = x.var(), y.var(), np.corrcoef(x, y)[0, 1]
    printed = 0.5 * ((a + b) - np.sqrt((a + b) ** 2 - 4 * a * b * (1 - rho**2)))  # eq. 5.2
    assert maximal_information_compression(x, y) == pytest.approx(printed)


@settings(max_examples=60, deadline=None)
@given(arrays(np.float64, (7, 2), elements=VALUES))
def test_is_the_least_eigenvalue_of_the_covariance(table):
    expected = np.linalg.eigvalsh(np.cov(table.T, ddof=0))
    found = maximal_information_compression(table[:, 0], table[:, 1])
    assert found == pytest.approx(max(expected[0], 0.0), abs=1e-9 * max(expected[1], 1.0))


def test_properties_of_section_5():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 40))
    value = maximal_information_compression(x, y)
    assert 0 <= value <= 0.5 * (x.var() + y.var())
    assert maximal_information_compression(y, x) == pytest.approx(value)
    assert maximal_information_compression(x + 5, y - 3) == pytest.approx(value)
    turned = np.column_stack([x, y]) @ [[0.6, -0.8], [0.8, 0.6]]
    assert maximal_information_compression(*turned.T) == pytest.approx(value)


def test_tables_are_the_pairs_however_they_are_cut():
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(12, 300)), rng.normal(size=(12, 4))
    found = maximal_information_compression(X, Y)
    assert found.shape == (300, 4)
    for i, j in ((0, 0), (255, 3), (256, 1), (299, 2)):
        assert found[i, j] == pytest.approx(maximal_information_compression(X[:, i], Y[:, j]))
    own = maximal_information_compression(X)
    np.testing.assert_allclose(own, own.T, atol=1e-12)
    np.testing.assert_allclose(np.diag(own), 0.0, atol=1e-12)


def test_constant_features_lose_nothing():
    assert maximal_information_compression([1.0, 1.0, 1.0], [1.0, 2.0, 9.0]) == 0.0
    assert range_scaled(np.ones((4, 2))).tolist() == [[0.0] * 4] * 2


def test_different_rows_are_refused():
    with pytest.raises(ValueError, match="3 rows and y has 2"):
        maximal_information_compression([1.0, 2.0, 3.0], [1.0, 2.0])


@pytest.mark.parametrize("shape", [(1, 1), (3, 70), (40, 7)])
def test_backends_agree(shape):
    rng = np.random.default_rng(3)
    columns = rng.normal(size=(sum(shape), 9))
    columns[0] = 0.0
    columns -= columns.mean(axis=1, keepdims=True)
    ours, theirs = (each.columns for each in (CPU, REFERENCE))
    first, second = columns[: shape[0]], columns[shape[0] :]
    found, expected = (
        np.concatenate([tile for _, tile in each.compression_tiles(first, second)])
        for each in (ours, theirs)
    )
    assert found.shape == shape
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
    indices = np.argsort(rng.normal(size=(6, 8)), axis=1).astype(np.int32)
    values = np.sort(rng.integers(0, 4, (6, 8)).astype(float), axis=1)
    alive = rng.random(8) < 0.6
    for k in (1, 3, 8):
        far = [each.kth_alive(indices, values, alive, k) for each in (ours, theirs)]
        np.testing.assert_array_equal(*far)
    for limit in (-1.0, 1.0, 9.0):
        counts = [each.count_alive_within(indices, values, alive, limit) for each in (ours, theirs)]
        np.testing.assert_array_equal(*counts)


def test_a_tile_is_all_that_lies_in_memory():
    columns = np.random.default_rng(4).normal(size=(600, 5))
    assert max(len(tile) for _, tile in compression_tiles(columns, columns)) == 256
