"""Minkowski centres by a series: cases solved by hand, and centres solved column by column."""

from __future__ import annotations

import numpy as np
import pytest

from weft.backends.cpu import kmeans, rounds
from weft.backends.cpu.expanded import can_expand, expanded_centers
from weft.kmeans.alternation import Start, alternate
from weft.kmeans.data import make_data
from weft.kmeans.weights import PowerWeights
from weft.parallel.threads import one_range, thread_runner


def _rows(X, exponent, load=None, run=one_range):
    load = np.ones(len(X)) if load is None else load
    return kmeans.load(np.ascontiguousarray(X), load, exponent, False, run, "cpu")


def _solve(rows, labels, previous):
    sizes = np.bincount(labels, weights=rows.load, minlength=len(previous))
    return expanded_centers(rows, labels, sizes, sizes > 0.0, previous)


def _groups(n_rows=6000, n_features=5, n_clusters=4, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_clusters, n_rows).astype(np.int32)
    centers = rng.normal(size=(n_clusters, n_features))
    X = centers[labels] + rng.standard_t(4, size=(n_rows, n_features))
    return X, labels, rng.uniform(0.5, 3.0, n_rows), centers + 0.3


@pytest.mark.parametrize("p", [1.2, 1.5, 3.0])
def test_two_values_by_hand(p):
    # One third of the mass is at 0, two thirds at 1: c^(p-1) = 2 (1 - c)^(p-1), so that
    # c = r / (1 + r) with r = 2^(1/(p-1)); at p = 1.5, r = 4 and c = 0.8.
    x = np.tile([0.0, 1.0, 1.0], 2000)[:, None]
    found = _solve(_rows(x, p), np.zeros(6000, dtype=np.int32), np.array([[0.5]]))
    r = 2.0 ** (1.0 / (p - 1.0))
    c = r / (1.0 + r)
    assert found.done.all()
    assert found.centers[0, 0] == pytest.approx(c, abs=1e-13)
    assert found.dispersions[0, 0] == pytest.approx(2000 * (c**p + 2 * (1 - c) ** p), rel=1e-12)


@pytest.mark.parametrize("p", [1.2, 1.5, 1.8, 2.5, 6.0])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_centers_are_those_of_columns_one_by_one(p, shift):
    X, labels, load, previous = _groups()
    rows = _rows(X + shift, p, load)
    found = _solve(rows, labels, previous + shift)
    exact, spread = kmeans.centers_of(rows, labels, previous + shift)
    assert found.done.mean() > 0.9
    width = np.ptp(X, axis=0).max()
    gap = np.abs(found.centers - exact)[found.done].max()
    assert gap < 1e-12 * width + 4 * np.spacing(shift)
    np.testing.assert_allclose(found.dispersions[found.done], spread[found.done], rtol=1e-9)


def test_a_sample_of_the_rows_leads_to_the_centers_of_all():
    X, labels, load, previous = _groups(60_000, 3, 2)
    rows = _rows(X, 1.5, load)
    found = _solve(rows, labels, previous + 2.0)
    exact, _ = kmeans.centers_of(rows, labels, previous)
    assert found.done.all()
    np.testing.assert_allclose(found.centers, exact, rtol=0, atol=1e-12)


def test_values_that_crowd_around_the_center_are_left_open():
    # Most rows of column 1 are exactly at the centre, and column 2 is constant: neither has a
    # series. Column 0 is found as it would be alone.
    X, labels, load, _ = _groups(n_features=3, n_clusters=1)
    X[:, 1] = np.where(np.arange(len(X)) % 10 < 8, 0.0, X[:, 1])
    X[:, 2] = 7.0
    found = _solve(_rows(X, 1.5, load), labels, np.zeros((1, 3)))
    assert found.done.tolist() == [[True, False, False]]
    alone = _solve(_rows(X[:, :1], 1.5, load), labels, np.zeros((1, 1)))
    np.testing.assert_allclose(found.centers[0, 0], alone.centers[0, 0], rtol=1e-12)


@pytest.mark.parametrize("p", [1.5, 1.8])
def test_rounds_with_series_and_without_end_alike(p, monkeypatch):
    X, _, load, _ = _groups()
    start = Start(X[:4].copy(), np.full((4, 5), 0.2))
    rule = PowerWeights(np.ones(5, dtype=bool), p)
    ends = []
    for least in (0, 10**9):
        monkeypatch.setattr(rounds, "EXPAND_ROWS", least)
        ends.append(alternate(make_data(X, load, p, one_range), start, rule, max_iter=8))
    np.testing.assert_array_equal(ends[0].labels, ends[1].labels)
    np.testing.assert_allclose(ends[0].centers, ends[1].centers, rtol=0, atol=1e-11)
    np.testing.assert_allclose(ends[0].trace, ends[1].trace, rtol=1e-10)


def test_rounds_give_up_a_series_that_finds_little(monkeypatch):
    monkeypatch.setattr(rounds, "EXPAND_ROWS", 0)
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (6000, 4)).astype(float)
    labels = rng.integers(0, 2, 6000).astype(np.int32)
    rows = _rows(X, 1.5)
    remembering = kmeans.begin(rows)
    found, spread = remembering.centers_of(labels, X[:2])
    exact, exact_spread = kmeans.centers_of(rows, labels, X[:2])
    np.testing.assert_allclose(found, exact, atol=1e-12)
    np.testing.assert_allclose(spread, exact_spread, rtol=1e-9)
    assert not remembering.expands


def test_empty_clusters_keep_their_centers():
    X, labels, load, previous = _groups()
    previous = np.vstack([previous, np.full(5, 9.0)])
    found = _solve(_rows(X, 1.5, load), labels, previous)
    assert not found.done[4].any()
    assert (found.centers[4] == 9.0).all()


def test_threads_change_no_bit():
    X, labels, load, previous = _groups(20_000)
    ends = []
    for n_threads in (1, 3):
        with thread_runner(n_threads) as run:
            ends.append(_solve(_rows(X, 1.5, load, run), labels, previous))
    for one, other in zip(*ends, strict=True):
        np.testing.assert_array_equal(one, other)


def test_where_a_series_is_tried():
    X = np.ones((5000, 2))
    assert can_expand(_rows(X, 1.5), (3, 2))
    assert not can_expand(_rows(X, 1.1), (3, 2))  # nearly a staircase
    assert not can_expand(_rows(X, 40.0), (3, 2))
    assert not can_expand(_rows(X, 1.5), (2**11, 2**11))  # too many sums
