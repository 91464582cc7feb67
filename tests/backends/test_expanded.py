"""Minkowski centres by a series: cases solved by hand, and centres solved column by column."""

from __future__ import annotations

import numpy as np
import pytest

from weft.backends.cpu import expanded, kmeans, rounds
from weft.backends.cpu.expanded import (
    _guess,
    _rough_step,
    can_expand,
    expanded_centers,
    part_height,
    sums_in_parts,
)
from weft.backends.cpu.kernels import expansion
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


def test_a_series_is_tried_up_to_the_limits(monkeypatch):
    X = np.ones((10, 2))
    assert can_expand(_rows(X, 1.15), (3, 2))
    assert can_expand(_rows(X, 16.0), (3, 2))
    assert not can_expand(_rows(X, 16.01), (3, 2))
    monkeypatch.setattr(expanded, "MOST_NUMBERS", expansion.TERMS * 6)
    assert can_expand(_rows(X, 1.5), (3, 2))
    assert can_expand(_rows(X, 1.5), (2, 3))
    assert not can_expand(_rows(X, 1.5), (7, 1))
    assert not can_expand(_rows(X, 1.5), (1, 7))
    missing = kmeans.load(X, np.ones(10), 1.5, True, one_range, "cpu")
    assert not can_expand(missing, (1, 1))


def test_heights_of_parts_by_hand():
    assert part_height(100, 10) == 2048  # never less
    assert part_height(64 * 2048, 10) == 2048
    assert part_height(64 * 2048 + 1, 10) == 2049  # at most 64 parts
    assert part_height(2**20, 2**20) == 2**17  # 2²³ numbers are 8 parts
    assert part_height(2**20, 2**30) == 2**19  # but two parts at least


def test_sums_in_parts_visit_every_row_once():
    seen = []

    def task(part, span, out):
        seen.append((part, span.start, span.stop))
        out += np.arange(5000)[span].sum()

    total = sums_in_parts(one_range, task, 5000, (2, 3))
    assert seen == [(0, 0, 2048), (1, 2048, 4096), (2, 4096, 6144)]
    assert total.tolist() == [[5000 * 4999 / 2] * 3] * 2


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("p", [1.5, 2.0, 3.0])
def test_a_rough_step_is_the_definition(p, stride):
    # With a = x - g and q = m |a|^(p-2), the weighted mean is Σ q a / Σ q from the guess g.
    # Newton's step is longer by 1 / (p - 1); below p = 2 it is taken only near the centre.
    X, labels, load, _ = _groups(400, 3, 3)
    X[:, 1] *= 100.0
    X[:, 2] = 7.0
    guess = np.vstack([X[labels == k].mean(axis=0) for k in range(3)])
    guess[0, 0] += 5.0
    guess[:, 2] = 7.0
    unit = np.array([[0.5, 50.0, 1.0], [0.0, 30.0, 1.0], [1.0, 1.0, 1.0]])
    wanted = np.array([True, True, False])
    sizes = np.bincount(labels[::stride], load[::stride], minlength=3)
    step, sigma = _rough_step(_rows(X, p, load), labels, sizes, wanted, guess, unit, stride)
    newton = []
    for k, v in ((0, 0), (0, 1), (1, 1)):
        own = np.flatnonzero(labels[::stride] == k) * stride
        a, m = X[own, v] - guess[k, v], load[own]
        q = m * np.abs(a) ** (p - 2.0)
        width = ((m * np.abs(a) ** p).sum() / m.sum()) ** (1.0 / p)
        expected = (q * a).sum() / q.sum()
        newton.append(p >= 2.0 or abs(expected) < 0.5 * (p - 1.0) * width)
        expected /= p - 1.0 if newton[-1] else 1.0
        assert step[k, v] == pytest.approx(expected, rel=1e-3, abs=1e-5 * width)
        assert sigma[k, v] == pytest.approx(width, rel=1e-5)
    assert newton == [p >= 2.0, True, True]
    # No step without a unit, in a constant column, or in a cluster that is not wanted.
    for k, v in ((0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2)):
        assert step[k, v] == sigma[k, v] == 0.0


@pytest.mark.parametrize("n_rows", [400, 60_000])
@pytest.mark.parametrize(("p", "away"), [(1.5, 1.0), (4.0, 0.02)])
def test_a_guess_is_near_the_center_of_a_narrow_cluster(p, away, n_rows):
    # The column is 10 wide and the clusters are a thousandth of that.
    rng = np.random.default_rng(0)
    labels = (np.arange(n_rows) % 2).astype(np.int32)
    X = 10.0 * labels[:, None] + 0.01 * rng.exponential(size=(n_rows, 1))
    rows = _rows(X, p)
    exact, spread = kmeans.centers_of(rows, labels, np.array([[0.0], [10.0]]))
    sizes = np.bincount(labels).astype(float)
    width = (spread / sizes[:, None]) ** (1.0 / p)
    guess, sigma = _guess(rows, labels, sizes, np.array([True, True]), exact + away)
    assert (np.abs(guess - exact) < expanded.CLOSE * width).all()
    np.testing.assert_allclose(sigma, width, rtol=0.05)
    guess, sigma = _guess(rows, labels, sizes, np.array([True, False]), exact + away)
    assert (guess[1], sigma[1]) == (exact[1] + away, 0.0)


def _scripted(monkeypatch, steps, sigma):
    """Let rough steps be given ones, and return the list of what they are called with."""
    calls, left = [], iter(steps)

    def step(rows, labels, sizes, wanted, guess, unit, stride):
        calls.append((stride, sizes.tolist(), wanted.tolist(), unit.tolist()))
        return np.array(next(left)), np.array(sigma)

    monkeypatch.setattr(expanded, "_rough_step", step)
    return calls


def test_steps_to_a_guess_by_hand(monkeypatch):
    # One cluster of two is wanted: each 8192 / 2048 = 4th row is enough at first. The second step
    # is within 0.05 σ in both columns. Steps with all rows go on while s (3 / √4096 + 0.3 s) is
    # above 0.7 REACH = 0.00105, with s = step / σ: 0.02 gives 0.00106, and 0.0198 gives less.
    first, second, third, fourth = 1.0, 0.1, 0.04, 0.0396
    script = [[[x, 2.0 * x * (x == second)], [0.0, 0.0]] for x in (first, second, third, fourth)]
    calls = _scripted(monkeypatch, [*script, *script], [[2.0, 4.0], [0.0, 0.0]])
    labels = (np.arange(8192) // 4 % 2).astype(np.int32)
    rows = _rows(np.column_stack([np.arange(8192.0), labels]), 1.5, np.full(8192, 2.0))
    previous, sizes, wanted = np.zeros((2, 2)), np.array([8192.0, 8192.0]), np.array([True, False])
    guess, sigma = _guess(rows, labels, sizes, wanted, previous)
    half = rows.screen.half.tolist()
    later = [[2.0, 4.0], half]
    assert calls == [
        (4, [2048.0, 2048.0], [True, False], [half, half]),
        (4, [2048.0, 2048.0], [True, False], later),
        (1, [8192.0, 8192.0], [True, False], later),
        (1, [8192.0, 8192.0], [True, False], later),
    ]
    np.testing.assert_allclose(guess, [[first + second + third + fourth, 0.2], [0.0, 0.0]])
    assert sigma.tolist() == [[2.0, 4.0], [0.0, 0.0]]
    assert (previous == 0.0).all()


@pytest.mark.parametrize(
    ("n_rows", "wanted", "strides"),
    [
        (8191, [True, True], [1] * 5),  # a whole sample: no more steps than five
        (8192, [True, True], [2] * 5 + [1] * 3),
        (4095, [True, False], [1] * 5),
        (4096, [True, False], [2] * 5 + [1] * 3),
        (100, [False, False], [1] * 5),
        (4096, [False, False], [2] * 5 + [1] * 3),
    ],
)
def test_how_many_rows_the_steps_use(n_rows, wanted, strides, monkeypatch):
    calls = _scripted(monkeypatch, [np.ones((2, 1))] * 8, np.ones((2, 1)))
    labels = (np.arange(n_rows) // 2 % 2).astype(np.int32)
    rows = kmeans.load(np.ones((n_rows, 1)), np.ones(n_rows), 1.5, True, one_range, "cpu")
    sizes = np.bincount(labels).astype(float)
    _guess(rows, labels, sizes, np.array(wanted), np.zeros((2, 1)))
    assert [call[0] for call in calls] == strides
    for stride, counts, *_ in calls:
        assert counts == np.bincount(labels[::stride]).tolist()
    assert calls[0][3] == [[1.0], [1.0]]  # the unit of a table without a screen


@pytest.mark.parametrize("p", [1.2, 1.5, 1.8])
def test_newtons_step_is_taken_only_near_the_center(p):
    # The limit is half of (p - 1) σ: guesses on both sides of it, and not far from it.
    rng = np.random.default_rng(0)
    x = rng.normal(size=4000)
    labels, sizes = np.zeros(4000, dtype=np.int32), np.array([4000.0])
    rows, taken = _rows(x[:, None], p), []
    for away in np.linspace(0.05, 1.0, 20):
        a = x - away
        q = np.abs(a) ** (p - 2.0)
        width = (np.abs(a) ** p).mean() ** (1.0 / p)
        mean = (q * a).sum() / q.sum()
        share = abs(mean) / ((p - 1.0) * width)
        if 0.97 < share / 0.5 < 1.03:  # too near the limit for single precision
            continue
        step, _ = _rough_step(
            *(rows, labels, sizes, np.array([True]), np.array([[away]]), np.ones((1, 1)), 1)
        )
        taken.append(share < 0.5)
        expected = mean / (p - 1.0) if taken[-1] else mean
        assert step[0, 0] == pytest.approx(expected, rel=2e-2)
    assert {True, False} == set(taken)


def test_no_step_where_numbers_are_lost(monkeypatch):
    # Sums (total, slope, curve) of one cluster in five columns: a usual one, no curvature, no
    # total, an infinite total, and a slope that is not known.
    sums = np.array(
        [
            [[8.0, 8.0, 0.0, np.inf, 8.0]],
            [[2.0, 2.0, 2.0, 2.0, np.nan]],
            [[4.0, 0.0, 4.0, 4.0, 4.0]],
        ]
    )
    monkeypatch.setattr(expanded, "sums_in_parts", lambda *given: sums)
    rows = kmeans.load(np.ones((2, 5)), np.ones(2), 3.0, True, one_range, "cpu")
    step, sigma = _rough_step(
        *(rows, np.zeros(2, dtype=np.int32), np.array([1.0]), np.array([True])),
        *(np.zeros((1, 5)), np.full((1, 5), 3.0), 1),
    )
    # -2/4 units of 3, halved by p - 1 = 2; σ = 3 ∛8.
    assert step.tolist() == [[-0.75, 0.0, 0.0, 0.0, 0.0]]
    np.testing.assert_allclose(sigma, [[6.0, 0.0, 0.0, 0.0, 0.0]])
