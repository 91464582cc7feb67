"""Rows whose groups are known, for tests of candidates."""

from __future__ import annotations

import numpy as np
import pytest

from weft.auto.working import prepare


@pytest.fixture(scope="module")
def rows():
    """50 rows in three groups, on nine axes."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 9))
    X[:20, :3] += 6.0
    X[20:35, 3:6] += 6.0
    return prepare(X, 3)


@pytest.fixture(scope="module")
def truth(rows):
    return np.repeat([0, 1, 2], [20, 15, 15])[rows.order]
