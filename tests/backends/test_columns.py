"""Columns compared with each other: by hand, and every backend against the reference."""

from __future__ import annotations

import numpy as np
import pytest

from weft.backends import REFERENCE
from weft.columns import screening


def _rows(n_rows=90, n_columns=12):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 3)) @ rng.normal(size=(3, n_columns))
    X += 0.4 * rng.normal(size=X.shape)
    X[:, 5] = 1.0  # constant
    X[:, 6] = np.round(X[:, 6])  # few values
    return X


def _features():
    columns = _rows().T
    return np.ascontiguousarray(columns - columns.mean(axis=1, keepdims=True))


def test_the_score_of_two_coins_by_hand(any_backend):
    # Two columns that agree in 60 of 80 rows: χ² = 80 (30·30 - 10·10)² / 40⁴ = 20, one degree of
    # freedom, so z = (∛20 - 7/9) / √(2/9).
    x, y = np.repeat([0.0, 1.0], 40), np.repeat([0.0, 1.0, 0.0, 1.0], [30, 10, 10, 30])
    contrasts = screening.make_contrasts(np.column_stack([x, y]), any_backend)
    z = any_backend.columns.scores(contrasts.resident, np.array([0]), np.array([1]))
    assert z.shape == (1, 1)
    expected = (np.cbrt(20.0) - 7.0 / 9.0) / np.sqrt(2.0 / 9.0)
    assert z[0, 0] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("wide", [False, True])
def test_dependence_is_that_of_the_reference(fast_backend, wide, monkeypatch):
    if wide:
        monkeypatch.setattr(screening, "WIDE", 10)
    X = _rows()
    shuffled = np.random.default_rng(1).permutation(len(X))
    references = np.array([0, 2, 5, 9, 10])
    results = []
    for backend in (fast_backend, REFERENCE):
        contrasts = screening.make_contrasts(X, backend)
        operations = backend.columns
        for rows in (np.arange(len(X)), shuffled):
            results.append(operations.dependence(contrasts.resident, references, rows, 3))
        results.append([operations.scores(contrasts.resident, np.arange(12), references)])
    for one, other in zip(results[:3], results[3:], strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


def test_the_compression_of_two_features_by_hand(any_backend):
    # Variances 1 and 4 without covariance: the least eigenvalue of [[1, 0], [0, 4]] is 1; of two
    # proportional features it is 0.
    columns = np.array([[-1.0, 1.0, -1.0, 1.0], [-2.0, -2.0, 2.0, 2.0], [-3.0, 3.0, -3.0, 3.0]])
    operations = any_backend.columns
    features = operations.load_features(columns, any_backend.device)
    one = operations.take_features(features, np.array([0]))
    ((start, tile),) = operations.compression_tiles(one, features)
    assert start == 0
    np.testing.assert_allclose(tile, [[0.0, 1.0, 0.0]], atol=1e-12)
    np.testing.assert_allclose(
        operations.inner_products(features, np.array([2, 0])), [[12, 0, 36], [4, 0, 12]]
    )


def test_compression_is_that_of_the_reference(fast_backend):
    columns = np.repeat(_features(), 30, axis=0)  # 360 features: more than a tile
    columns += 0.1 * np.random.default_rng(2).normal(size=columns.shape)
    tiles = []
    for backend in (fast_backend, REFERENCE):
        features = backend.columns.load_features(columns, backend.device)
        whole = list(backend.columns.compression_tiles(features, features))
        assert [start for start, _ in whole] == [0, 256][: len(whole)]
        tiles.append(np.vstack([tile for _, tile in whole]))
    np.testing.assert_allclose(tiles[0], tiles[1], rtol=1e-7, atol=1e-12)


def test_lists_of_neighbours(host_backend):
    indices = np.array([[2, 0, 1], [1, 2, 0]], dtype=np.int32)
    values = np.array([[0.5, 1.0, 2.0], [0.0, 3.0, 4.0]])
    alive = np.array([True, False, True])
    operations = host_backend.columns
    assert operations.kth_alive(indices, values, alive, 2).tolist() == [1.0, 4.0]
    assert np.isnan(operations.kth_alive(indices, values, alive, 3)).all()
    assert operations.count_alive_within(indices, values, alive, 3.0).tolist() == [2, 1]
