"""Products of tiles: values, and the order of their sums."""

from __future__ import annotations

import numpy as np
import pytest

from weft.backends.cpu.kernels import tile_products as kernels

TILE = 64
needs_fused = pytest.mark.skipif(not kernels.FUSED, reason="no fused multiply-add")


def products(Z, top=0, left=1):
    out = np.full(TILE * TILE, np.nan, Z.dtype)
    kernels.tile_products(Z, top, left, out)
    return out.reshape(TILE, TILE)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [0, 1, 2, 7, 8, 9, 31, 64, 320, 321])
def test_values(n_features, dtype):
    # Whole numbers: the products and their sums are exact in every order.
    Z = np.random.default_rng(n_features).integers(-9, 10, (3, n_features, TILE)).astype(dtype)
    for top, left in ((0, 0), (0, 1), (1, 2), (2, 0)):
        np.testing.assert_array_equal(products(Z, top, left), Z[top].T @ Z[left])


@needs_fused
def test_products_are_not_rounded():
    # 1 - (1 + u)(1 - u) = u² with u = 2^-13; rounded to 24 bits, the product would be 1.
    Z = np.zeros((2, 2, TILE), np.float32)
    Z[0, 0] = Z[1, 0] = 1.0
    Z[0, 1] = -(1.0 + 2.0**-13)
    Z[1, 1] = 1.0 - 2.0**-13
    assert np.all(products(Z) == 2.0**-26)


def survivors(row, column, n_features, first, second):
    """Return the sum of 2^40, -2^40 and a 1 for each other feature, at one place of a product."""
    Z = np.ones((2, n_features, TILE), np.float32)
    Z[0, first], Z[0, second] = 2.0**40, -(2.0**40)
    return products(Z)[row, column]


# A 1 is lost in a sum with ±2^40. What is left are the ones that are added after both.
@needs_fused
@pytest.mark.parametrize(("row", "column"), [(6, 0), (11, 63), (0, 8), (59, 30), (5, 55)])
def test_most_sums_take_one_feature_after_the_other(row, column):
    assert survivors(row, column, 12, 0, 1) == 10  # the ten after both
    assert survivors(row, column, 12, 2, 5) == 6
    assert survivors(row, column, 12, 0, 11) == 0


@needs_fused
@pytest.mark.parametrize(("row", "column"), [(0, 0), (5, 63), (53, 7), (60, 30), (63, 8)])
def test_sums_at_the_edges_take_even_and_odd_features_apart(row, column):
    # Even: 0 2 4 6 8 9 10 11 (all after the last whole eight), odd: 1 3 5 7; then both together.
    assert survivors(row, column, 12, 0, 1) == 0  # both large numbers stay until the end
    assert survivors(row, column, 12, 0, 2) == 10  # the six after both, and the odd four
    assert survivors(row, column, 12, 1, 3) == 10
    assert survivors(row, column, 12, 4, 9) == 6  # 10, 11, and the odd four
    assert survivors(row, column, 12, 0, 11) == 4  # the odd ones alone
    # Fewer than eight features: one after the other.
    assert survivors(row, column, 7, 0, 1) == 5
