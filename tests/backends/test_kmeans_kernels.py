"""Kernels against the reference, the reference against cases solved by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from weft.backends.cpu.kernels import centers as cpu_centers
from weft.backends.cpu.kernels import kmeans as squared
from weft.backends.cpu.kernels import minkowski as cpu
from weft.backends.cpu.kernels.power import positive_power, positive_power_single
from weft.backends.cpu.screened import Bounds, make_screen, nearest_by_screen
from weft.backends.reference import kmeans as reference
from weft.parallel.threads import one_range

EXPONENTS = [1.0, 1.01, 1.4, 2.0, 2.7, 5.0]


def _rows(X, exponent, load=None):
    return reference.Rows(X, np.ones(len(X)) if load is None else load, exponent)


@njit
def _power(x, p, out):
    for i in range(x.size):
        out[i] = positive_power(x[i], p)


@njit
def _power_single(x, p, out):
    q = np.float32(p)
    for i in range(x.size):
        out[i] = positive_power_single(x[i], q)


def _table(n_rows=203, n_features=7, n_clusters=4, seed=0, missing=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
        X[:, 0] = rng.normal(size=n_rows)
    centers = rng.normal(size=(n_clusters, n_features))
    factors = rng.uniform(0.01, 1.0, size=centers.shape)
    return X, centers, factors


@pytest.mark.parametrize("p", [-0.99, -0.6, 0.4, 1.0, 1.01, 1.4, 3.0, 5.0])
def test_power_is_the_power(p):
    x = np.concatenate([10.0 ** np.linspace(-12, 12, 1001), [1.0, 2.0, 0.5, np.sqrt(0.5)]])
    out = np.empty_like(x)
    _power(x, p, out)
    bound = 2e-15 * (1.0 + np.abs(p * np.log2(x)))
    assert (np.abs(out / x**p - 1.0) < bound).all()


@pytest.mark.parametrize("p", [1.01, 1.4, 3.0, 5.0])
def test_single_power_keeps_its_promise(p):
    x = (10.0 ** np.linspace(-6, 6, 2001)).astype(np.float32)
    out = np.empty_like(x)
    _power_single(x, p, out)
    exact = x.astype(np.float64) ** p
    bound = 2e-7 * (8.0 + np.abs(p * np.log2(x.astype(np.float64))))
    assert (np.abs(out / exact - 1.0) < bound).all()


def test_power_of_zero_is_nothing_and_never_inf():
    out = np.empty(2)
    _power(np.array([0.0, 5e-324]), 1.01, out)
    assert (out < 1e-300).all()
    _power(np.array([0.0, 5e-324]), -0.99, out)
    assert np.isfinite(out).all()


def test_distances_by_hand():
    # x = (1, 5), c = (3, 1), f = (2, 0.5), p = 3: 2·2³ + 0.5·4³ = 16 + 32 = 48.
    # With x_2 missing only the first feature counts: 16.
    X = np.array([[1.0, 5.0], [1.0, np.nan]])
    centers, factors = np.array([[3.0, 1.0]]), np.array([[2.0, 0.5]])
    out = np.empty((2, 1))
    cpu.powered_distances(X, centers, factors, 3.0, out)
    for found in (reference.distances(_rows(X, 3.0), centers, factors), out):
        np.testing.assert_allclose(found[:, 0], [48.0, 16.0], rtol=1e-14)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("p", EXPONENTS)
def test_distances_and_labels_match_the_reference(p, missing):
    X, centers, factors = _table(missing=missing)
    ours = np.empty((len(X), len(centers)))
    cpu.powered_distances(X, centers, factors, p, ours)
    theirs = reference.distances(_rows(X, p), centers, factors)
    np.testing.assert_allclose(ours, theirs, rtol=1e-13)
    labels, best = np.empty(len(X), np.int32), np.empty(len(X))
    cpu.nearest_centers(X, centers, factors, p, labels, best)
    np.testing.assert_array_equal(labels, theirs.argmin(axis=1))
    np.testing.assert_allclose(best, theirs.min(axis=1), rtol=1e-13)


@pytest.mark.parametrize("p", EXPONENTS)
def test_a_row_has_the_same_distance_wherever_it_stands(p):
    X, centers, factors = _table(n_rows=130)
    whole = np.empty((130, len(centers)))
    cpu.powered_distances(X, centers, factors, p, whole)
    for start, stop in [(0, 1), (5, 70), (63, 130), (129, 130)]:
        part = np.empty((stop - start, len(centers)))
        cpu.powered_distances(X[start:stop], centers, factors, p, part)
        np.testing.assert_array_equal(part, whole[start:stop])


@pytest.mark.parametrize("p", [1.0, 1.01, 1.4, 1.5, 2.0, 3.0, 5.0])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_screened_labels_are_those_of_double_precision(p, offset):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(3000, 6)) + offset
    X[1000:2000] = X[0] + 1e-9 * rng.normal(size=(1000, 6))  # a thousand rows hard to tell apart
    centers = np.vstack([X[:3], X[:1], X[1000:1003]])  # the fourth repeats the first
    factors = rng.uniform(size=(7, 6)) ** 8
    expected, best = np.empty(3000, np.int32), np.empty(3000)
    cpu.nearest_centers(X, centers, factors, p, expected, best)
    todo = np.ones(3000, np.uint8)
    todo[500:2500] = np.arange(2000) % 13 == 0  # few in a tile: these rows are gathered
    found = Bounds(np.full(3000, -1, np.int32), np.empty(3000), np.empty(3000))
    whole = make_screen(X, one_range)
    assert nearest_by_screen(X, whole, centers, factors, p, one_range, todo, found)
    labels = np.where(todo, found.labels, expected).astype(np.int32)
    np.testing.assert_array_equal(labels, expected)
    root = np.sort(reference.distances(_rows(X, p), centers, factors), axis=1)[:, :2] ** (1.0 / p)
    done = todo == 1
    assert (root[done, 0] <= found.upper[done] * (1 + 1e-12)).all()
    assert (root[done, 1] >= found.lower[done] * (1 - 1e-12)).all()
    own = np.empty(3000)
    cpu.own_distances(X, labels, centers, factors, p, own)
    np.testing.assert_allclose(own, best, rtol=1e-13)


@pytest.mark.parametrize("p", EXPONENTS)
def test_ties_go_to_the_first_center(p):
    # The row 0 lies as far from -1 as from 1, and the last two centres are the same.
    X = np.zeros((70, 2))
    centers = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0]])
    labels, best = np.empty(70, np.int32), np.empty(70)
    cpu.nearest_centers(X, centers, np.ones((3, 2)), p, labels, best)
    assert (labels == 0).all()
    np.testing.assert_allclose(best, 2.0, rtol=1e-14)


def test_sums_and_dispersions_match_the_reference():
    X, centers, _ = _table()
    rng = np.random.default_rng(1)
    labels = rng.integers(4, size=len(X)).astype(np.int32)
    mass = rng.uniform(0.5, 2.0, len(X))
    sums, dispersions = np.empty((2, 4, X.shape[1]))
    squared.cluster_sums(X, labels, mass, sums)
    squared.cluster_dispersions(X, labels, mass, centers, dispersions)
    for k in range(4):
        own, weight = X[labels == k], mass[labels == k, None]
        np.testing.assert_allclose(sums[k], (weight * own).sum(axis=0), rtol=1e-12)
        spread = (weight * (own - centers[k]) ** 2).sum(axis=0)
        np.testing.assert_allclose(dispersions[k], spread, rtol=1e-12)


def test_rows_are_grouped_in_their_order():
    labels = np.array([2, 0, 2, 0, 0], dtype=np.int32)  # cluster 1 is empty
    order, starts = np.empty(5, np.int64), np.empty(4, np.int64)
    squared.group_rows(labels, order, starts)
    np.testing.assert_array_equal(order, [1, 3, 4, 0, 2])
    np.testing.assert_array_equal(starts, [0, 3, 3, 5])


def test_row_keys_match_and_ignore_position():
    X, *_ = _table(missing=True)
    multipliers = np.linspace(0.5, 1.5, X.shape[1])
    ours, turned = np.empty((2, len(X)))
    squared.row_keys(X, multipliers, ours)
    theirs = reference.row_keys(X, multipliers)
    squared.row_keys(np.ascontiguousarray(X[::-1]), multipliers, turned)
    np.testing.assert_allclose(ours, theirs, rtol=1e-13)
    np.testing.assert_array_equal(ours, turned[::-1])
    # 1 · 2 + 3 · 5 = 17, and 7 · 5 where the first value is missing.
    rows = np.array([[1.0, 3.0], [np.nan, 7.0]])
    assert reference.row_keys(rows, np.array([2.0, 5.0])).tolist() == [17.0, 35.0]
    with pytest.raises(ValueError, match="shorter"):
        reference.row_keys(rows, np.array([2.0]))


def _centers_of(backend, values, mass, p, guess=0.0):
    columns = np.asarray(values, dtype=np.float64)[None]
    n = columns.shape[1]
    centers, spread = np.full((1, 1), guess), np.empty((1, 1))
    if backend is reference:
        rows = _rows(columns.T, p, np.asarray(mass, float))
        center, cost = reference.center_of(rows, np.arange(n), centers[0])
        return center[0], cost[0]
    backend.column_centers(
        *(columns, np.arange(n), np.array([0, n]), np.asarray(mass, float), p),
        *(np.ones((1, 1), dtype=bool), 0, 1, centers, spread),
    )
    return centers[0, 0], spread[0, 0]


@pytest.mark.parametrize("backend", [reference, cpu_centers])
def test_weighted_medians_by_hand(backend):
    def median(values, mass):
        return _centers_of(backend, values, mass, 1.0)[0]

    assert median([3, 1], [1, 1]) == 2.0  # half of the mass on either side
    assert median([3, 1], [1.5, 1]) == 3.0
    assert median([3, 1], [1, 1.5]) == 1.0
    assert median([9, 1, 4, 2], [1, 1, 1, 1]) == 3.0
    assert median([9, 1, 4, 2], [1, 1, 1, 2]) == 2.0
    assert median([9, 1, 4, 2], [3, 1, 1, 1]) == 6.5  # 1 + 1 + 1 below, 3 at 9
    assert median([5, 5, 5], [1, 2, 3]) == 5.0


@pytest.mark.parametrize("backend", [reference, cpu_centers])
def test_centers_by_hand(backend):
    ones = np.ones(3)
    # Median of 0, 1, 10 is 1, Σ|x - 1| = 1 + 9 = 10; mean 11/3.
    assert _centers_of(backend, [0, 1, 10], ones, 1.0) == (1.0, 10.0)
    assert _centers_of(backend, [0, 1, 10], ones, 2.0)[0] == 11.0 / 3.0
    # Four values: halfway between the middle two. Mass 3 at 10 pulls the median there.
    assert _centers_of(backend, [0, 1, 2, 10], np.ones(4), 1.0)[0] == 1.5
    assert _centers_of(backend, [0, 1, 10], [1, 1, 3], 1.0)[0] == 10.0
    # p = 3: the slope m_1 c² = m_2 (1 - c)² for values 0, 1 of mass 1, 4: c = 2 (1 - c), c = 2/3.
    center, spread = _centers_of(backend, [0, 1], [1, 4], 3.0)
    assert center == pytest.approx(2.0 / 3.0, abs=1e-12)
    # (2/3)³ + 4 (1/3)³ = 12/27
    assert spread == pytest.approx(12.0 / 27.0, rel=1e-12)
    # p = 1.5, values 0, 1 of mass 1, 2: √c = 2 √(1 - c), c = 4/5.
    assert _centers_of(backend, [0, 1], [1, 2], 1.5)[0] == pytest.approx(0.8, abs=1e-12)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("p", EXPONENTS)
def test_centers_match_the_reference(p, missing):
    X, *_ = _table(n_rows=400, missing=missing)
    rng = np.random.default_rng(2)
    labels = rng.integers(3, size=len(X))
    order = np.argsort(labels, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=4))])  # the last is empty
    mass = rng.uniform(0.5, 2.0, len(X))  # in the order of `order`
    columns = np.ascontiguousarray(X.T)
    centers, spread = np.full((4, 7), 0.25), np.empty((4, 7))
    wanted = np.ones((4, 7), dtype=bool)
    cpu_centers.column_centers(columns, order, starts, mass, p, wanted, 0, 7, centers, spread)
    assert (centers[3] == 0.25).all()
    assert np.isnan(spread[3]).all()
    load = np.empty(len(X))
    load[order] = mass
    given = _rows(X, p, load), labels, np.full((4, 7), 0.25)
    expected, expected_spread = reference.centers_of(*given)
    np.testing.assert_allclose(centers, expected, atol=1e-10, rtol=0)
    np.testing.assert_allclose(spread[:3], expected_spread[:3], rtol=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.floats(-1e3, 1e3, width=32), min_size=1, max_size=40),
    p=st.sampled_from([1.01, 1.1, 1.4, 1.9, 2.5, 3.0, 5.0]),
    guess=st.floats(-2e3, 2e3),
)
def test_no_point_near_the_center_is_better(values, p, guess):
    mass = np.ones(len(values))
    center, spread = _centers_of(cpu_centers, values, mass, p, guess)
    reach = max(values) - min(values)
    assert min(values) <= center <= max(values)

    def cost(c):
        return (np.abs(np.asarray(values) - c) ** p).sum()

    assert spread == pytest.approx(cost(center), rel=1e-11, abs=1e-300)
    for step in (1e-9, 1e-6, 1e-3, 0.1):
        for c in (center - step * reach, center + step * reach):
            assert cost(c) >= cost(center) * (1.0 - 1e-13)


def test_center_survives_hard_scales():
    # Symmetric values: the centre is the middle, however large, however the power.
    for scale in (1e-150, 1.0, 1e150):
        center, _ = _centers_of(
            cpu_centers, np.array([-1.0, -0.5, 0.5, 1.0]) * scale, np.ones(4), 5.0
        )
        assert abs(center) <= 1e-11 * scale
    # Far from zero: 1e6 + (0, 1) with mass 1, 4 at p = 3 has its centre at 1e6 + 2/3.
    center, _ = _centers_of(cpu_centers, np.array([1e6, 1e6 + 1.0]), np.array([1.0, 4.0]), 3.0)
    assert center == pytest.approx(1e6 + 2.0 / 3.0, abs=1e-9)
    # p = 1.01 of 0, 0, 0, 1: |c|^0.01 · 3 = (1 - c)^0.01 needs c = 3^-100 ≈ 2e-48: zero, in effect.
    center, _ = _centers_of(cpu_centers, np.array([0.0, 0.0, 0.0, 1.0]), np.ones(4), 1.01)
    assert abs(center) <= 1e-12
    # All values the same, and a single value.
    assert _centers_of(cpu_centers, np.full(9, 3.3), np.ones(9), 1.4) == (3.3, 0.0)
    assert _centers_of(cpu_centers, np.array([-7.0]), np.ones(1), 5.0) == (-7.0, 0.0)


@pytest.mark.parametrize("exponent", [1.2, 1.5, 2.0, 3.0])
def test_sums_around_trial_centres_match_the_reference(exponent):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(131, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    centers = rng.normal(size=(4, 3))
    X[5], X[6] = centers[0], centers[1]  # on a centre
    labels = rng.integers(3, size=131).astype(np.int32)  # the last cluster is empty
    labels[5], labels[6] = 0, 1
    load, units = rng.random(131), np.array([1.0, 0.5, 4.0])
    found = [np.full((4, 3), np.nan) for _ in range(4)]
    cpu.cluster_powers(X, labels, load, centers, units, exponent, *found)
    wanted = reference.power_sums(reference.Rows(X, load, exponent), labels, centers, units)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
