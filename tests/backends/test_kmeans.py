"""Passes of the k-means family: by hand, and every backend against the reference."""

from __future__ import annotations

import numpy as np
import pytest

from weft.backends import REFERENCE
from weft.parallel.threads import one_range

every_power = pytest.mark.parametrize("exponent", [1.0, 1.4, 2.0, 3.0])


def _table(missing):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)) * [1.0, 30.0, 0.01, 1.0]
    X[150:] = X[:50]  # rows that repeat
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
        X[:, 3] = rng.normal(size=200)
    return X, rng.integers(1, 4, 200).astype(float)


def _load(backend, X, load, exponent):
    missing = bool(np.isnan(X).any())
    return backend.kmeans.load(X, load, exponent, missing, one_range, backend.device)


def _centers(X):
    rng = np.random.default_rng(1)
    centers = np.nan_to_num(X[[3, 70, 120]])
    return centers, rng.uniform(0.5, 1.5, centers.shape)


def _both(backend, X, load, exponent):
    return [(each.kmeans, _load(each, X, load, exponent)) for each in (backend, REFERENCE)]


def test_rows_on_a_line_by_hand(any_backend):
    # Rows 0, 1, 2, 10 with loads 1, 1, 2, 1; centres 0 and 8. Row 2 is 2² = 4 from the first and
    # 36 from the second; the first cluster's mean is (0 + 1 + 2·2) / 4 = 1.25, its dispersion
    # 1.25² + 0.25² + 2·0.75² = 2.75.
    X = np.array([[0.0], [1.0], [2.0], [10.0]])
    rows = _load(any_backend, X, np.array([1.0, 1.0, 2.0, 1.0]), 2.0)
    operations = any_backend.kmeans
    centers, ones = np.array([[0.0], [8.0]]), np.ones((2, 1))
    labels, unsure = operations.nearest(rows, centers, ones)
    assert len(unsure) == 0
    assert labels.tolist() == [0, 0, 0, 1]
    assert labels.dtype == np.int32
    assert operations.distances(rows, centers, ones)[2].tolist() == [4.0, 36.0]
    assert operations.own_distances(rows, labels, centers, ones).tolist() == [0.0, 1.0, 4.0, 4.0]
    means, spread = operations.centers_of(rows, labels, centers)
    np.testing.assert_allclose(means, [[1.25], [10.0]])
    np.testing.assert_allclose(spread, [[2.75], [0.0]], atol=1e-15)


def test_sums_around_a_trial_centre_by_hand(host_backend):
    # Around 8: |8 - 10| = 2 with load 1; slope Σ m d = -2, curvature Σ m = 1, total Σ m d² = 4.
    rows = _load(host_backend, np.array([[0.0], [10.0]]), np.ones(2), 2.0)
    labels, trial = np.array([0, 1], dtype=np.int32), np.array([[0.0], [8.0]])
    sums = host_backend.kmeans.power_sums(rows, labels, trial, np.ones(1))
    assert [each[1, 0] for each in sums] == [1.0, 4.0, -2.0, 1.0]


@every_power
@pytest.mark.parametrize("missing", [False, True])
def test_every_pass_is_that_of_the_reference(fast_backend, exponent, missing):
    X, load = _table(missing)
    centers, factors = _centers(X)
    (fast, rows), (slow, slow_rows) = _both(fast_backend, X, load, exponent)
    labels, unsure = fast.nearest(rows, centers, factors)
    expected, _ = slow.nearest(slow_rows, centers, factors)
    sure = np.setdiff1d(np.arange(len(X)), unsure)
    assert len(sure) > 150
    np.testing.assert_array_equal(labels[sure], expected[sure])
    labels = expected
    cases = [
        ("distances", (centers, factors)),
        ("own_distances", (labels, centers, factors)),
        ("centers_of", (labels, centers)),
        ("center_of", (np.arange(10, 60), centers[0])),
    ]
    on_host = not fast_backend.on_gpu
    if on_host:
        units = np.array([1.0, 0.03125, 64.0, 1.0])
        cases.append(("power_sums", (labels, centers, units)))
    for name, arguments in cases:
        one, other = (
            getattr(operations, name)(held, *arguments)
            for operations, held in ((fast, rows), (slow, slow_rows))
        )
        for a, b in zip(np.atleast_1d(one), np.atleast_1d(other), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9, err_msg=name)
    if on_host:
        multipliers = np.array([1.0, 0.5, 2.0, 0.7])
        np.testing.assert_allclose(
            fast.row_keys(X, multipliers), slow.row_keys(X, multipliers), rtol=1e-12
        )


@every_power
def test_some_of_the_rows(any_backend, exponent):
    X, load = _table(missing=False)
    centers, factors = _centers(X)
    rows, operations = _load(any_backend, X, load, exponent), any_backend.kmeans
    which = np.arange(5, 150, 7)
    part = operations.take(rows, which, X[which])
    whole = operations.distances(rows, centers, factors)
    np.testing.assert_array_equal(
        operations.nearest(part, centers, factors)[0], whole[which].argmin(axis=1)
    )
    np.testing.assert_allclose(
        operations.distances(part, centers, factors), whole[which], rtol=1e-12
    )


@every_power
def test_clusters_without_rows_and_features_never_seen(any_backend, exponent):
    X = np.array([[1.0, np.nan], [3.0, np.nan], [9.0, 5.0]])
    previous = np.array([[0.0, 7.0], [2.0, 2.0], [0.0, 0.0]])
    rows, operations = _load(any_backend, X, np.ones(3), exponent), any_backend.kmeans
    centers, spread = operations.centers_of(rows, np.array([0, 0, 2], dtype=np.int32), previous)
    assert centers[0, 1] == 7.0
    np.testing.assert_allclose(centers[1:], [[2.0, 2.0], [9.0, 5.0]])
    assert np.isnan(spread).tolist() == [[False, True], [False, False], [False, False]]
    np.testing.assert_array_equal(spread[1:], 0.0)


def test_a_tie_goes_to_the_first_or_is_left_open(any_backend):
    # Row 1 lies half-way between the centres 0 and 2.
    X, centers = np.array([[0.0], [1.0], [2.0]]), np.array([[2.0], [0.0]])
    for exponent in (1.0, 1.5, 2.0):
        rows = _load(any_backend, X, np.ones(3), exponent)
        labels, unsure = any_backend.kmeans.nearest(rows, centers, np.ones((2, 1)))
        assert labels[[0, 2]].tolist() == [1, 0]
        assert unsure.tolist() == ([1] if any_backend.on_gpu else [])
        if not any_backend.on_gpu:
            assert labels[1] == 0
            settled = any_backend.kmeans.settle(X[1:2], centers, np.ones((2, 1)), exponent)
            assert settled.tolist() == [0]
