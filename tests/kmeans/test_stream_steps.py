"""Single steps of a stream, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from weft.kmeans.streams import advance, begin, dispersions


def one_cluster(rows, *, low, high, center=0.0, exponent=2.0, mass=None):
    rows = np.asarray(rows, dtype=float)
    stream = begin(1, np.array([low]), np.array([high]))
    given = np.ones(len(rows)) if mass is None else np.asarray(mass, dtype=float)
    return advance(stream, rows, given, np.array([[center]]), np.ones((1, 1)), exponent)


def test_a_stream_begins_with_nothing():
    stream = begin(2, np.array([0.0, 1.0, 1.0]), np.array([3.0, 1.0, 9.0]))
    np.testing.assert_array_equal(stream.units, [0.5, 1.0, 0.125])
    for part in (stream.mass, stream.sizes):
        np.testing.assert_array_equal(part, np.zeros(2))
    for part in (stream.seen, stream.total, stream.curve):
        np.testing.assert_array_equal(part, np.zeros((2, 3)))


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_center_goes_where_new_rows_are(side):
    # Rows 0 and 2, then 3 and 20: the mean, 25/4, lies beyond all of the first batch.
    first = one_cluster([[0.0], [side * 2.0]], low=min(0.0, side * 2.0), high=max(0.0, side * 2.0))
    batch = np.array([[side * 3.0], [side * 20.0]])
    second = advance(first.stream, batch, np.ones(2), first.centers, np.ones((1, 1)), 2.0)
    assert second.centers[0, 0] == pytest.approx(side * 25 / 4)
    assert (second.stream.low[0], second.stream.high[0]) == ((0, 20) if side > 0 else (-20, 0))
    np.testing.assert_array_equal(second.stream.mass, [4.0])
    np.testing.assert_array_equal(second.stream.sizes, [4.0])
    np.testing.assert_array_equal(second.stream.seen, [[4.0]])
    values = np.array([0.0, 2.0, 3.0, 20.0])
    spread = ((values - values.mean()) ** 2).sum()
    np.testing.assert_allclose(dispersions(second.stream, 2.0), [[spread]])


def test_a_value_that_is_missing_hides_no_other():
    first = one_cluster([[0.0], [2.0]], low=0.0, high=2.0)
    batch = np.array([[3.0], [np.nan], [20.0]])
    second = advance(first.stream, batch, np.ones(3), first.centers, np.ones((1, 1)), 2.0)
    assert second.centers[0, 0] == pytest.approx(25 / 4)
    assert second.stream.high[0] == 20.0


@pytest.mark.parametrize(("high", "end"), [(0.5, 1.0), (3.0, 3.0), (8.0, 5.0)])
def test_a_step_stops_at_the_rows_seen(high, end):
    # At p = 1.2 Newton's step from 0 towards a row at 1 is 1 / (p - 1) = 5 long; rows before it
    # were at most `high`.
    found = one_cluster([[1.0]], low=-1.0, high=high, exponent=1.2)
    assert found.centers[0, 0] == pytest.approx(end)


def test_dispersions_to_the_second_order():
    # p = 3, rows 1 and 3 around 0, no other: in units (a range of 4: 1/4) d = -1/4, -3/4;
    # slope Σ |d| d = -10/16, curve Σ |d| = 1, step 10/16 / (2 · 1) = 5/16, five quarters: 1.25.
    found = one_cluster([[1.0], [3.0]], low=0.0, high=4.0, exponent=3.0)
    assert found.centers[0, 0] == pytest.approx(1.25)
    total = (1 + 27) / 64 - 3 * (10 / 16) * (5 / 16) + 3 * (5 / 16) ** 2
    np.testing.assert_allclose(found.stream.total, [[total]])
    np.testing.assert_allclose(dispersions(found.stream, 3.0), [[64 * total]])
    np.testing.assert_allclose(found.stream.curve, [[1.0]])


def test_a_dispersion_is_never_negative():
    # The parabola through |d|^1.2 at 1 falls below 0 where Newton's step ends.
    found = one_cluster([[1.0]], low=-1.0, high=8.0, exponent=1.2)
    np.testing.assert_array_equal(found.stream.total, [[0.0]])


def test_clusters_without_rows_stay_where_they_are():
    stream = begin(2, np.array([0.0]), np.array([60.0]))
    centers = np.array([[1.0], [50.0]])
    found = advance(
        stream, np.array([[0.0], [4.0]]), np.array([1.0, 3.0]), centers, np.ones((2, 1)), 2.0
    )
    np.testing.assert_allclose(found.centers, [[3.0], [50.0]])
    np.testing.assert_array_equal(found.labels, [0, 0])
    np.testing.assert_array_equal(found.stream.mass, [4.0, 0.0])


def test_what_was_never_seen_is_unknown():
    stream = begin(3, np.array([0.0, 0.0]), np.array([3.0, 1.0]))._replace(
        sizes=np.array([0.5, 0.0, 1.0]),
        seen=np.array([[0.5, 0.0], [0.0, 0.0], [1.0, 1.0]]),
        total=np.array([[1.0, 0.0], [0.0, 0.0], [0.5, 3.0]]),
    )
    # Units 1/2 and 1: a total in squares is divided by 1/4 and 1.
    expected = [[4.0, np.nan], [0.0, 0.0], [2.0, 3.0]]
    np.testing.assert_array_equal(dispersions(stream, 2.0), expected)
