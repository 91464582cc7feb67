"""Ranks of columns: by hand, and beside SciPy's."""

import numpy as np
import pytest
from scipy.stats import rankdata

from weft.backends.cpu.ranks import TILE, unit_ranks


def test_ranks_by_hand():
    X = np.array([[3.0, 1.0], [1.0, 1.0], [2.0, 0.0]])
    # Column 0 has the ranks 3, 1, 2. In column 1 the two ones share ranks 2 and 3.
    # Centred: (1, -1, 0) and (0.5, 0.5, -1), of lengths √2 and √1.5.
    expected = np.array([[1.0, 0.5], [-1.0, 0.5], [0.0, -1.0]]) / np.sqrt([2.0, 1.5])
    np.testing.assert_allclose(unit_ranks(X), expected, rtol=1e-15)


@pytest.mark.parametrize("n_rows", [1, 2, 30, 300])
@pytest.mark.parametrize("kind", ["measured", "rounded", "some rounded", "constant", "missing"])
def test_ranks_are_those_of_scipy(n_rows, kind):
    X = np.random.default_rng(n_rows).normal(size=(n_rows, 40))
    if kind == "rounded":
        X = np.round(X)
    elif kind == "some rounded":
        X[:, ::3] = np.round(X[:, ::3], 1)
    elif kind == "constant":
        X[:] = 5.0
    elif kind == "missing":
        X[0, ::2] = np.nan
    expected = rankdata(X, axis=0) - (n_rows + 1) / 2.0
    expected /= np.maximum(np.sqrt((expected * expected).sum(axis=0)), 1e-300)
    np.testing.assert_array_equal(unit_ranks(X), expected)


def test_a_column_has_the_same_bits_in_any_table():
    X = np.random.default_rng(0).normal(size=(140, 2 * TILE + 3))
    X[:, ::5] = np.round(X[:, ::5])
    together = unit_ranks(X)
    for column in (0, 7, TILE - 1, TILE, 2 * TILE + 2):
        alone = unit_ranks(X[:, column : column + 1])
        np.testing.assert_array_equal(alone[:, 0], together[:, column])
    assert not unit_ranks(np.ones((5, 2))).any()
    assert unit_ranks(np.empty((0, 3))).shape == (0, 3)
