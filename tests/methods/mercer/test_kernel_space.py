"""Coordinates of a kernel's space: their inner products are those of the kernel."""

from __future__ import annotations

import numpy as np

from weft.methods.mercer.spaces import KernelSpace


def test_coordinates_have_the_inner_products_of_the_kernel():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8, 2))
    space = KernelSpace.of(X, "linear", {}, 5)
    centred = X - X.mean(axis=0)
    # Two axes hold all of it; what is left is rounding, and becomes exactly 0.
    found = space.coordinates
    np.testing.assert_allclose(found @ found.T, centred @ centred.T, atol=1e-9)
    assert (np.abs(found[:, 2:]) == 0.0).all()
    assert (np.abs(found[:, :2]).max(axis=0) > 0.1).all()
    none = KernelSpace.of(X, "linear", {}, 0)
    np.testing.assert_allclose(none.gram, X @ X.T)
    np.testing.assert_allclose(none.cross(X[:3]), X[:3] @ X.T)
