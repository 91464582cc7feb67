"""Tables in single precision, centres that they allow, and means in parts of the rows."""

from __future__ import annotations

import numpy as np
import pytest

from weft.backends.cpu import kmeans
from weft.backends.cpu import screened as screens
from weft.backends.cpu.expanded import MOST_PARTS, PART_ROWS
from weft.backends.cpu.kernels.screen import LARGEST_EXPONENT
from weft.backends.cpu.rounds import LEAST_ROWS, BoundedRounds
from weft.backends.cpu.screened import make_screen
from weft.kmeans.data import centers_of, make_data, nearest
from weft.parallel.threads import one_range as run


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
def test_extreme_scales_have_no_screen(half, usual):
    X = np.array([[-half, 0.0], [half, 1.0]])  # the other column is as ordinary as can be
    assert (make_screen(X, run) is not None) == usual


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


def test_a_narrow_column_has_a_scale_of_its_own():
    screen = make_screen(np.array([[0.0, 7.0], [0.5, 7.0], [0.25, 7.0]]), run)
    assert screen.half.tolist() == [0.25, 1.0]
    np.testing.assert_array_equal(screen.tiles[0].T[:3], [[-1.0, 0.0], [1.0, 0.0], [0.0, 0.0]])


@pytest.mark.parametrize(
    ("exponent", "n_rows", "missing", "is_made"),
    [
        (LARGEST_EXPONENT, 2, False, True),
        (LARGEST_EXPONENT + 0.1, 2, False, False),
        (1.5, 1, False, True),
        (1.5, 0, False, False),
        (1.5, 2, True, False),
    ],
)
def test_which_tables_have_a_screen(exponent, n_rows, missing, is_made):
    rows = kmeans.load(
        np.arange(2.0 * n_rows).reshape(-1, 2), np.ones(n_rows), exponent, missing, run, "cpu"
    )
    assert (rows.screen is not None) is is_made


@pytest.mark.parametrize(
    ("n_rows", "missing"), [(LEAST_ROWS - 1, False), (LEAST_ROWS, False), (LEAST_ROWS, True)]
)
def test_which_tables_have_rounds_that_remember(n_rows, missing):
    rows = kmeans.load(np.zeros((n_rows, 1)), np.ones(n_rows), 2.0, missing, run, "cpu")
    assert isinstance(kmeans.begin(rows), BoundedRounds) == (n_rows == LEAST_ROWS and not missing)


@pytest.mark.parametrize("n_rows", [1, 4096, 4097, 9000])
def test_ends_of_columns_in_stripes(n_rows):
    X = np.random.default_rng(n_rows).normal(size=(n_rows, 2))
    sizes = []

    def spread(task, size):
        sizes.append(size)
        for stripe in range(size):
            task(stripe, stripe + 1)

    low, high = screens.column_ends(X, spread)
    np.testing.assert_array_equal(low, X.min(axis=0))
    np.testing.assert_array_equal(high, X.max(axis=0))
    assert sizes == [-(-n_rows // 4096)]
