"""What every pass over rows is made of: spans, loads, nearest centres, centres of other powers."""

from __future__ import annotations

import numpy as np
import pytest

from weft.backends.cpu.kernels.screen import LARGEST_EXPONENT
from weft.kmeans.data import (
    _settled,
    center_of,
    centers_of,
    distances,
    make_data,
    mass_of,
    nearest,
    own_distances,
)
from weft.parallel.threads import thread_runner

NAN = np.nan


def run(task, size):
    task(0, size)


def brute(X, centers, factors, p):
    return np.array(
        [
            [
                np.nansum(factor * np.abs(x - center) ** p)
                for center, factor in zip(centers, factors, strict=True)
            ]
            for x in X
        ]
    )


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 5])
@pytest.mark.parametrize("size", [0, 1, 2, 7, 100])
def test_spans_cover_a_range_once(n_jobs, size):
    spans = []
    with thread_runner(n_jobs) as spread_out:
        spread_out(lambda start, stop: spans.append((start, stop)), size)
    assert sorted(i for span in spans for i in range(*span)) == list(range(size))
    if min(n_jobs, size) > 1:
        assert all(start < stop for start, stop in spans)
        assert len(spans) == min(n_jobs, size)
        lengths = [stop - start for start, stop in spans]
        assert not lengths or max(lengths) - min(lengths) <= 1
    else:
        assert spans == [(0, size)]


# A table made ready ---------------------------------------------------------------------------


def test_a_row_that_lacks_values_counts_more():
    X = np.array([[1.0, 2.0, 3.0], [NAN, 2.0, 3.0], [NAN, NAN, 3.0], [NAN, NAN, NAN]])
    data = make_data(X, np.array([1.0, 2.0, 1.0, 1.0]), 2.0, run)
    assert data.rows.missing
    np.testing.assert_array_equal(data.load, [1.0, 3.0, 3.0, 3.0])
    np.testing.assert_array_equal(data.rows.load, data.load)
    np.testing.assert_array_equal(data.rows.columns, X.T)
    plain = make_data(X[:1], np.array([4.0]), 2.0, run)
    assert not plain.rows.missing
    assert plain.rows.plain
    np.testing.assert_array_equal(plain.load, [4.0])


def test_a_sum_that_overflows_is_nothing_missing():
    X = np.array([[1e308]] * 4 + [[-1e308]] * 4)
    with np.errstate(over="ignore", invalid="ignore"):
        assert np.isnan(X.sum())  # inf - inf
    assert make_data(X, np.ones(8), 2.0, run).rows.missing is False


def test_where_columns_and_a_screen_are_made():
    X = np.arange(6.0).reshape(3, 2)
    ones = np.ones(3)
    limit = LARGEST_EXPONENT
    for p, wanted in [(1.5, True), (2.0, True), (limit, True), (limit + 1.0, False)]:
        data = make_data(X, ones, p, run)
        nearest(data, X[:2], np.ones((2, 2)))
        assert ("screen" in vars(data.rows)) == (p != 2.0)  # a table of squares: only for rounds
        assert (data.rows.screen is not None) == wanted
        centers_of(data, np.zeros(3, dtype=np.int32), np.zeros((1, 2)))
        assert ("columns" in vars(data.rows)) == (p != 2.0)  # made where they are needed
    X[0, 0] = NAN
    assert make_data(X, ones, 1.5, run).rows.screen is None


# Nearest centres ------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [1.0, 1.2, 2.0, 3.0])
@pytest.mark.parametrize("scale", [1e-50, 1.0, 1e50])
@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("holes", [False, True])
def test_nearest_by_brute_force(p, scale, far, holes):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(300, 3)) * [1.0, 20.0, 0.01]
    centers = X[:5] + 0.1 * X[5:10]
    factors = rng.random((5, 3)) * scale
    if far:
        centers[3] = 1e4
    if holes:
        X[rng.random(X.shape) < 0.2] = NAN
        X[:, 1] = np.where(np.isnan(X).all(axis=1), 0.0, X[:, 1])
    mass = rng.random(300) + 0.5
    data = make_data(X, mass, p, run)
    wanted = brute(X, centers, factors, p)
    labels = nearest(data, centers, factors)
    np.testing.assert_array_equal(labels, wanted.argmin(axis=1))
    np.testing.assert_allclose(distances(data, centers, factors), wanted, rtol=1e-12)
    own = own_distances(data, labels, centers, factors)
    np.testing.assert_allclose(own, wanted.min(axis=1), rtol=1e-12)


# Centres and dispersions ----------------------------------------------------------------------


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0])
def test_the_center_of_some_rows(p):
    X = np.array([[0.0, 1.0], [4.0, 2.0], [90.0, 90.0], [8.0, 3.0]])
    data = make_data(X, np.array([1.0, 1.0, 5.0, 1.0]), p, run)
    found = center_of(data, np.array([0, 1, 3]), np.zeros(2))
    np.testing.assert_allclose(found.centers, [4.0, 2.0], atol=1e-9)
    np.testing.assert_allclose(found.dispersions, [2 * 4.0**p, 2.0], rtol=1e-9)


@pytest.mark.parametrize("p", [1.0, 1.5, 3.0])
def test_empty_clusters_and_lost_features_of_other_powers(p):
    X = np.array([[1.0, NAN], [3.0, NAN], [9.0, 5.0]])
    labels = np.array([0, 0, 2], dtype=np.int32)
    previous = np.array([[0.0, 7.0], [2.0, 2.0], [0.0, 0.0]])
    found = centers_of(make_data(X, np.ones(3), p, run), labels, previous)
    assert found.centers[0, 1] == 7.0
    np.testing.assert_array_equal(found.centers[1:], [[2.0, 2.0], [9.0, 5.0]])
    assert np.isnan(found.dispersions).tolist() == [[False, True], [False, False], [False, False]]
    np.testing.assert_array_equal(found.dispersions[1:], 0.0)


def test_mass_of_each_label():
    found = mass_of(np.array([2, 0, 2]), np.array([1.0, 2.0, 4.0]), 4)
    np.testing.assert_array_equal(found, [2.0, 0.0, 5.0, 0.0])


def test_rows_that_a_backend_leaves_open_are_settled():
    data = make_data(np.array([[0.0], [4.0], [9.0]]), np.ones(3), 1.5, run)
    centers, ones = np.array([[1.0], [8.0]]), np.ones((2, 1))
    for unsure, labels in (([], [7, 7, 7]), ([1], [7, 0, 7]), ([2, 0], [0, 7, 1])):
        found = np.full(3, 7, dtype=np.int32), np.array(unsure, dtype=np.int64)
        assert _settled(data, found, centers, ones).tolist() == labels
