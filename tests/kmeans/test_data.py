"""What every pass over rows is made of: spans, loads, screens, nearest centres, means in parts."""

from __future__ import annotations

import numpy as np
import pytest

from weft.backends.cpu import screened as screens
from weft.backends.cpu.expanded import MOST_PARTS, PART_ROWS
from weft.backends.cpu.kernels.screen import LARGEST_EXPONENT
from weft.backends.cpu.screened import make_screen
from weft.kmeans.data import (
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


def test_a_screen_is_the_table_within_one():
    X = np.array([[0.0, 7.0, -4.0], [10.0, 7.0, -2.0], [5.0, 7.0, 0.0]])
    screen = make_screen(X, run)
    np.testing.assert_array_equal(screen.middle, [5.0, 7.0, -2.0])
    np.testing.assert_array_equal(screen.half, [5.0, 1.0, 2.0])  # a constant column: 1
    tile = screen.tiles[0].T  # its last row fills the tile
    np.testing.assert_array_equal(tile[:4], [[-1, 0, -1], [1, 0, 0], [0, 0, 1], [0, 0, 1]])
    # Halves of the ends are taken before their difference: no overflow.
    assert make_screen(np.array([[-1.7e308], [1.7e308]]), run) is None


@pytest.mark.parametrize(
    ("half", "usual"),
    [(1e30, True), (1.2e30, False), (1e-30, True), (1.2e-30, True), (0.8e-30, False), (0.0, True)],
)
def test_scales_out_of_the_ordinary_have_no_screen(half, usual):
    X = np.array([[-half, 0.0], [half, 1.0]])  # the other column is as ordinary as can be
    assert (make_screen(X, run) is not None) == usual


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


def test_factors_of_nothing_and_of_too_much():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 3.0]])
    data = make_data(X, np.ones(3), 1.5, run)
    centers = X[[2, 0]].copy()
    np.testing.assert_array_equal(nearest(data, centers, np.zeros((2, 2))), 0)  # all tie
    # Factor times half range to the power passes the largest number: rows on a centre are still
    # told, the row between is infinitely far from both.
    np.testing.assert_array_equal(nearest(data, centers, np.full((2, 2), 1.7e308)), [1, 0, 0])


@pytest.mark.parametrize(
    ("place", "factor", "screened"),
    [
        (5.0, 1.0, True),  # 4 half ranges from the middle
        (5.5, 1.0, False),
        (-3.0, 1.0, True),
        (-3.5, 1.0, False),
        (0.0, 0.0, False),
        (0.0, 1.7e308, True),
        (0.0, 1.7e308 * 2, False),
    ],
)
def test_screens_are_for_centers_that_are_not_far(monkeypatch, place, factor, screened):
    X = np.array([[0.0], [1.0], [2.0]])  # middle 1, half 1
    data = make_data(X, np.ones(3), 1.5, run)
    calls = []
    kernel = screens.kernels.nearest_screened
    monkeypatch.setattr(
        screens.kernels, "nearest_screened", lambda *given: (calls.append(1), kernel(*given))
    )
    with np.errstate(over="ignore"):
        nearest(data, np.array([[1.0], [place]]), np.full((2, 1), factor))
    assert len(calls) == screened


# Centres and dispersions ----------------------------------------------------------------------


@pytest.mark.parametrize("n_rows", [3, PART_ROWS, PART_ROWS + 1, 3 * PART_ROWS + 7])
def test_means_and_variances_in_parts(n_rows):
    rng = np.random.default_rng(n_rows)
    X = rng.normal(size=(n_rows, 2))
    labels = rng.integers(2, size=n_rows).astype(np.int32) * 2  # cluster 1 is empty
    labels[:2] = 0, 2
    mass = rng.random(n_rows) + 0.5
    previous = np.array([[5.0, 5.0], [6.0, 7.0], [8.0, 8.0]])
    found = centers_of(make_data(X, mass, 2.0, run), labels, previous)
    for k in (0, 2):
        rows = labels == k
        mean = np.average(X[rows], axis=0, weights=mass[rows])
        np.testing.assert_allclose(found.centers[k], mean, rtol=1e-10)
        np.testing.assert_allclose(
            found.dispersions[k], mass[rows] @ (X[rows] - mean) ** 2, rtol=1e-10
        )
    np.testing.assert_array_equal(found.centers[1], [6.0, 7.0])
    np.testing.assert_array_equal(found.dispersions[1], 0.0)
    np.testing.assert_array_equal(previous[0], 5.0)  # as it was


def test_the_number_of_parts_is_bounded():
    n_rows = MOST_PARTS * PART_ROWS + 5
    X = np.ones((n_rows, 1))
    X[-1] = 9.0
    sizes = []

    def spy(task, size):
        sizes.append(size)
        task(0, size)

    data = make_data(X, np.ones(n_rows), 2.0, spy)
    found = centers_of(data, np.zeros(n_rows, dtype=np.int32), np.zeros((1, 1)))
    assert sizes == [MOST_PARTS, MOST_PARTS]  # one pass for means, one for dispersions
    assert found.centers[0, 0] == pytest.approx((n_rows + 8) / n_rows, rel=1e-12)
    small = make_data(X[: PART_ROWS - 1], np.ones(PART_ROWS - 1), 2.0, spy)
    centers_of(small, np.zeros(PART_ROWS - 1, dtype=np.int32), np.zeros((1, 1)))
    assert sizes[2:] == [1, 1]


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
