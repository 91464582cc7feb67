"""Factors of eigenvectors: the same bits as SciPy's functions, and what they promise."""

import numpy as np
import pytest
from scipy.linalg import qr, svd

from weft.auto.candidates.factors import independent_rows, nearest_rotation, orthonormal


@pytest.mark.parametrize("shape", [(12, 1), (30, 2), (140, 40), (333, 17)])
def test_factors_are_those_of_scipy(shape):
    vectors = np.random.default_rng(0).normal(size=shape)
    np.testing.assert_array_equal(independent_rows(vectors), qr(vectors.T, pivoting=True)[2])
    square = vectors[: shape[1]].T
    left, _, right = svd(square)
    np.testing.assert_array_equal(nearest_rotation(square), left @ right)
    basis = qr(vectors, mode="economic")[0]
    np.testing.assert_array_equal(orthonormal(np.asfortranarray(vectors)), basis)


def test_factors_by_hand():
    # A rotation by 30 degrees, stretched: the nearest orthogonal matrix is the rotation.
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    turn = np.array([[c, -s], [s, c]])
    np.testing.assert_allclose(nearest_rotation(3.0 * turn), turn, atol=1e-15)
    # The longest row is first; the second is the one that differs most from its direction.
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 0.0], [2.0, 0.1]])
    assert independent_rows(rows)[:2].tolist() == [2, 1]
    with pytest.raises(np.linalg.LinAlgError, match="singular values"):
        nearest_rotation(np.full((2, 2), np.nan))
