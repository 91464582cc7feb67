"""Columns compared with each other: by hand, and every backend against the reference."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2_contingency

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
    exact = fast_backend.name == "cpu" and not wide  # counts; the others are in single precision
    tolerance = 1e-10 if exact else 1e-4
    for one, other in zip(results[:3], results[3:], strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("n_rows", [31, 128, 300])
def test_scores_of_bins_are_those_of_counts(fast_backend, n_rows):
    # Columns of two to four bins in a table of four, so that some have empty bins at the end.
    rng = np.random.default_rng(n_rows)
    bins = np.stack([rng.integers(0, levels, n_rows) for levels in (2, 3, 4, 4)], axis=1)
    bins[:4] = np.minimum(np.arange(4)[:, np.newaxis], [1, 2, 3, 3])  # every level occurs
    loaded = fast_backend.columns.load_bins(bins.astype(np.int8), 4, fast_backend.device)
    found = fast_backend.columns.scores(loaded, np.arange(4), np.arange(4))
    for one in range(4):
        for other in range(4):
            table = np.zeros((bins[:, one].max() + 1, bins[:, other].max() + 1))
            np.add.at(table, (bins[:, one], bins[:, other]), 1)
            test = chi2_contingency(table, correction=False)
            spread = 2.0 / (9.0 * test.dof)
            z = (np.cbrt(test.statistic / test.dof) - (1.0 - spread)) / np.sqrt(spread)
            assert found[one, other] == pytest.approx(z, rel=1e-4, abs=1e-4)


def test_constant_columns_depend_on_nothing_exactly(host_backend):
    # χ² = 0 exactly: z = (0 - 7/9) / √(2/9), with one degree of freedom at least.
    bins = np.array([[0, 0], [0, 1], [0, 0]] * 33, dtype=np.int8)
    loaded = host_backend.columns.load_bins(bins, 3, host_backend.device)
    z = host_backend.columns.scores(loaded, np.array([0]), np.array([0, 1]))
    np.testing.assert_allclose(z, -(7.0 / 9.0) / np.sqrt(2.0 / 9.0), rtol=1e-12)


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


@pytest.mark.parametrize("n_partners", [1, 2, 3])
def test_dependence_from_scores(n_partners, any_backend):
    # Columns 0 and 3 have three references as partners; each reference has the other two.
    bins = np.random.default_rng(3).integers(0, 3, (60, 5)).astype(np.int8)
    bins[:3] = np.arange(3)[:, np.newaxis]
    operations, references = any_backend.columns, np.array([1, 2, 4])
    loaded = operations.load_bins(bins, 3, any_backend.device)
    z = operations.scores(loaded, np.arange(5), references)
    overall, nearest = operations.dependence(loaded, references, np.arange(60), n_partners)
    for column in range(5):
        others = z[column, references != column]
        assert overall[column] == pytest.approx(others.sum() / np.sqrt(len(others)), rel=1e-4)
        largest = np.sort(others)[::-1][:n_partners]
        expected = largest.mean() if len(others) >= n_partners else -np.inf
        assert nearest[column] == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_a_reference_alone_depends_on_nothing(any_backend):
    bins = np.array([[0, 1], [1, 0], [0, 0]] * 20, dtype=np.int8)
    loaded = any_backend.columns.load_bins(bins, 2, any_backend.device)
    found = any_backend.columns.dependence(loaded, np.array([1]), np.arange(60), 1)
    assert (found[0][1], found[1][1]) == (0.0, -np.inf)
    assert np.isfinite(found[1][0])


def test_features_without_variance_compress_to_nothing(any_backend):
    columns = np.array([[0.0, 0.0], [0.0, 0.0], [-1.0, 1.0]])
    features = any_backend.columns.load_features(columns, any_backend.device)
    ((_, tile),) = any_backend.columns.compression_tiles(features, features)
    np.testing.assert_array_equal(tile, 0.0)
