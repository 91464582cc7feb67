"""Factors of eigenvectors: the same bits as SciPy's functions, and what they promise."""

import numpy as np
import pytest
from scipy.linalg import cho_factor, cho_solve, qr, svd

from weft.auto.candidates.factors import (
    independent_rows,
    lower_factor,
    nearest_rotation,
    orthonormal,
    solve_with,
)


@pytest.mark.parametrize("shape", [(12, 1), (30, 2), (140, 40), (333, 17)])
def test_factors_are_those_of_scipy(shape):
    vectors = np.random.default_rng(0).normal(size=shape)
    np.testing.assert_array_equal(independent_rows(vectors), qr(vectors.T, pivoting=True)[2])
    square = vectors[: shape[1]].T
    left, _, right = svd(square)
    np.testing.assert_array_equal(nearest_rotation(square), left @ right)
    basis = qr(vectors, mode="economic")[0]
    np.testing.assert_array_equal(orthonormal(vectors), basis)
    matrix = vectors @ vectors.T + np.eye(len(vectors))
    solved = cho_solve(cho_factor(matrix, lower=True), vectors)
    np.testing.assert_array_equal(solve_with(lower_factor(matrix), vectors), solved)


def test_factors_by_hand():
    # A rotation by 30 degrees, stretched: the nearest orthogonal matrix is the rotation.
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    turn = np.array([[c, -s], [s, c]])
    np.testing.assert_allclose(nearest_rotation(3.0 * turn), turn, atol=1e-15)
    # The longest row is first; the second is the one that differs most from its direction.
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 0.0], [2.0, 0.1]])
    assert independent_rows(rows)[:2].tolist() == [2, 1]
    # [[4, 2], [2, 2]] = L Lᵀ with L = [[2, 0], [1, 1]]; 4 x + 2 y = 2 and 2 x + 2 y = 2.
    factor = lower_factor(np.array([[4.0, 2.0], [2.0, 2.0]]))
    assert np.tril(factor).tolist() == [[2.0, 0.0], [1.0, 1.0]]
    assert solve_with(factor, np.array([[2.0], [2.0]])).ravel().tolist() == [0.0, 1.0]
    with pytest.raises(np.linalg.LinAlgError, match="dpotrf failed with code 2"):
        lower_factor(np.array([[1.0, 2.0], [2.0, 1.0]]))
