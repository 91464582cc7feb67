"""Rounds that remember: bounds and sums of the last round beside the operations themselves."""

from __future__ import annotations

import numpy as np
import pytest

from weft import EntropyKMeans, WeightedKMeans
from weft.backends import CPU
from weft.backends.cpu import rounds as module
from weft.backends.cpu.expanded import Solved
from weft.backends.cpu.kernels import bounds
from weft.backends.cpu.rounds import LEAST_ROWS, BoundedRounds, Metric, _of_others
from weft.kmeans.alternation import Start, alternate
from weft.kmeans.data import make_data
from weft.kmeans.weights import PowerWeights
from weft.parallel.threads import one_range, thread_runner

N_ROWS = LEAST_ROWS + 77


def _table(kind="groups", n_features=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, n_features))
    X += 2.0 * rng.normal(size=(6, n_features))[rng.integers(0, 6, N_ROWS)]
    if kind == "few values":
        X = np.round(X)
    if kind == "far away":
        X += 1e7
    if kind == "one constant":
        X[:, 1] = 3.0
    return X, rng.integers(1, 4, N_ROWS).astype(float), X[rng.choice(N_ROWS, 7, replace=False)]


def test_a_bound_by_hand():
    # One row at upper bound 1, lower bound 4. Its centre moves by 0.5 and factors double the norm:
    # 2 (1 + 0.5) = 3. The others shrink to a half at worst and come nearer by 0.25: 4/2 - 0.25.
    upper, lower, todo = np.array([1.0]), np.array([4.0]), np.zeros(1, dtype=np.uint8)
    count = bounds.loosen_bounds(
        *(np.zeros(1, dtype=np.int32), np.array([2.0]), np.array([0.5])),
        *(np.array([0.5]), np.array([0.25]), upper, lower, todo),
    )
    assert upper[0] == pytest.approx(3.0, rel=1e-8)
    assert lower[0] == 1.75
    assert (count, todo[0]) == (1, 1)
    # Its distance to its own centre is in fact 1 < 1.75: the row stays.
    bounds.tighten_bounds(
        *(np.array([[1.0]]), np.zeros(1, dtype=np.int32), np.zeros((1, 1)), np.ones((1, 1)), 2.0),
        *(upper, lower, todo),
    )
    assert upper[0] == pytest.approx(1.0, rel=1e-8)
    assert todo[0] == 0


def test_least_and_largest_of_the_others():
    values = np.array([3.0, 1.0, 2.0])
    assert _of_others(values, np.min, np.inf).tolist() == [1.0, 2.0, 1.0]
    assert _of_others(values, np.max, 0.0).tolist() == [2.0, 3.0, 3.0]
    assert _of_others(values[:1], np.min, np.inf).tolist() == [np.inf]


def _few(X, load, exponent=2.0, column_centers=None):
    """Rounds over a table that is too small to have them otherwise."""
    rows = CPU.kmeans.load(np.array(X), np.array(load), exponent, False, one_range, "cpu")
    return BoundedRounds(rows, None, column_centers)


def test_means_of_light_clusters_by_hand():
    # Loads of 0.25 and 0.125: the means are 1 and 11, the sums of squares 0.25 · 2 and 0.125 · 2.
    rounds = _few([[0.0], [2.0], [10.0], [12.0]], [0.25, 0.25, 0.125, 0.125])
    labels = np.array([0, 0, 2, 2], dtype=np.int32)
    centers, spread = rounds.centers_of(labels, np.array([[3.0], [5.0], [9.0]]))
    assert centers.tolist() == [[1.0], [5.0], [11.0]]
    assert spread.tolist() == [[0.5], [0.0], [0.25]]


def test_sums_are_updated_until_a_quarter_of_the_rows_has_moved():
    X = np.arange(8.0)[:, None]
    rounds = _few(X, np.ones(8))
    first, later = np.array([[1.0], [6.0]]), np.array([[1.5], [6.5]])
    labels = np.repeat([0, 1], 4).astype(np.int32)
    for row, origin, moved in ((0, first, 0), (4, first, 1), (5, first, 2), (6, later, 0)):
        labels[row] = 0
        centers, spread = rounds.centers_of(labels, first if row == 0 else later)
        for k in (0, 1):
            own = X[labels == k]
            assert centers[k] == pytest.approx(own.mean())
            assert spread[k] == pytest.approx(((own - own.mean()) ** 2).sum())
        assert rounds.sums.moved == moved
        assert rounds.sums.origin.tolist() == origin.tolist()


def test_dispersions_around_a_far_origin_keep_their_digits():
    # Squares around 1e8 have 16 digits before the comma: 1 is only seen around the mean.
    rounds = _few([[0.0], [2.0], [4.0]], np.ones(3))
    centers, spread = rounds.centers_of(np.zeros(3, dtype=np.int32), np.array([[1e8]]))
    assert centers[0, 0] == pytest.approx(2.0, abs=1e-7)
    assert spread[0, 0] == pytest.approx(8.0, rel=1e-6)


def test_only_clusters_that_changed_are_solved_again():
    asked = []

    def column_centers(rows, order, edges, previous, wanted):
        asked.append((order.tolist(), edges.tolist(), previous.ravel().tolist()))
        assert wanted.all()
        return previous + 1.0, np.full_like(previous, 5.0)

    rounds = _few(np.arange(5.0)[:, None], np.ones(5), 1.5, column_centers)
    labels = np.array([0, 1, 1, 2, 0], dtype=np.int32)
    centers, spread = rounds.centers_of(labels, np.array([[10.0], [20.0], [30.0]]))
    assert asked.pop() == ([0, 4, 1, 2, 3], [0, 2, 4, 5], [10.0, 20.0, 30.0])
    assert (centers.ravel().tolist(), spread.ravel().tolist()) == ([11.0, 21.0, 31.0], [5.0] * 3)
    # The same labels and centres again: nothing is left to do.
    again, same = rounds.centers_of(labels, centers)
    assert asked == []
    assert (again.tolist(), same.tolist()) == (centers.tolist(), spread.tolist())
    # A row moves from cluster 1 to cluster 2.
    labels[2] = 2
    centers, spread = rounds.centers_of(labels, centers)
    assert asked.pop() == ([1, 2, 3], [0, 1, 3], [21.0, 31.0])
    assert centers.ravel().tolist() == [11.0, 22.0, 32.0]
    # Other centres than those that were found, even if only one: all are solved.
    rounds.centers_of(labels, np.add(centers, [[0.0], [0.0], [1.0]]))
    assert asked.pop()[1] == [0, 2, 3, 5]


@pytest.mark.parametrize(("n_done", "expands"), [(3, False), (4, True)])
def test_centres_that_a_series_leaves_open_are_solved_by_columns(n_done, expands, monkeypatch):
    # Cluster 0 is unchanged, cluster 2 is empty: the series is asked for 1 and 3 only, which have
    # 4 of the 6 centres that have changed. It must find more than half.
    asked = []

    def series(rows, labels, sizes, wanted, previous):
        asked.append((sizes.tolist(), wanted.tolist()))
        done = np.zeros(previous.shape, dtype=bool)
        done[[1, 3, 3, 1][:n_done], [0, 0, 1, 1][:n_done]] = True
        return Solved(previous + 100.0, np.full(previous.shape, 7.0), done)

    def column_centers(rows, order, edges, previous, wanted):
        asked.append((order.tolist(), edges.tolist(), wanted.tolist()))
        return previous + 1.0, np.full_like(previous, 5.0)

    monkeypatch.setattr(module, "EXPAND_ROWS", 4)
    monkeypatch.setattr(module, "expanded_centers", series)
    rounds = _few(np.zeros((4, 2)), [0.25, 0.25, 0.5, 0.25], 1.5, column_centers)
    labels = np.array([3, 1, 0, 3], dtype=np.int32)
    changed = np.array([False, True, True, True])
    centers, spread = np.zeros((4, 2)), np.full((4, 2), 3.0)
    rounds._solve(labels, changed, centers, spread)
    assert asked[0] == ([0.5, 0.25, 0.0, 0.5], [False, True, False, True])
    if n_done == 3:  # cluster 3 has all its centres, cluster 1 has one
        assert asked[1] == ([1], [0, 1, 1], [[False, True], [True, True]])
    else:
        assert asked[1] == ([], [0, 0], [[True, True]])
    last = (1.0, 5.0) if n_done == 3 else (100.0, 7.0)
    assert centers.tolist() == [[0.0, 0.0], [100.0, last[0]], [1.0, 1.0], [100.0, 100.0]]
    assert spread.tolist() == [[3.0, 3.0], [7.0, last[1]], [5.0, 5.0], [7.0, 7.0]]
    assert rounds.expands is expands


@pytest.mark.parametrize(("n_open", "tightened"), [(0, 0), (1, 1), (6, 1), (7, 0), (10, 0)])
def test_bounds_are_tightened_if_some_rows_but_not_most_are_open(n_open, tightened, monkeypatch):
    calls = []
    monkeypatch.setattr(bounds, "loosen_bounds", lambda *_: n_open)
    monkeypatch.setattr(bounds, "tighten_bounds", lambda *_: calls.append(1))
    centers, ones = np.array([[1.0], [8.0]]), np.ones((2, 1))
    rounds = _few(np.arange(10.0)[:, None], np.ones(10))
    rounds._loosen(Metric(centers, ones), centers, ones)
    assert len(calls) == tightened
    # The counts of two ranges are added.
    twice = _few(np.arange(20.0)[:, None], np.ones(20))
    object.__setattr__(twice.rows, "run", lambda task, n: [task(0, 10), task(10, n)])
    calls.clear()
    twice._loosen(Metric(centers, ones), centers, ones)
    assert len(calls) == 2 * tightened


def test_how_far_bounds_are_loosened_by_hand(monkeypatch):
    # p = 2. Factors of cluster 0 grow 4 and 9 times, norms by 2 to 3. In cluster 1 one factor is a
    # quarter of before, and one is 0 before and after (ratio 1). Those of cluster 2 stay.
    # Centre 0 moves by 3 and 4 with factors 1: 5. Centre 1 moves by 1 in a column with factor 16:
    # 4. Centre 2 moves by 1.
    given = []
    monkeypatch.setattr(bounds, "loosen_bounds", lambda *a: given.append(a) or 0)
    rounds = _few(np.zeros((3, 2)), np.ones(3))
    last = Metric(np.full((3, 2), 7.0), np.array([[1.0, 1.0], [16.0, 0.0], [1.0, 1.0]]))
    moved = 7.0 + np.array([[3.0, 4.0], [1.0, 9.0], [1.0, 0.0]])
    rounds._loosen(last, moved, np.array([[4.0, 9.0], [4.0, 0.0], [1.0, 1.0]]))
    _, grow, move, keep, drop, *_ = given.pop()
    assert (grow.tolist(), move.tolist()) == ([3.0, 1.0, 1.0], [5.0, 4.0, 1.0])
    # Norms change at least by 2, 1/2 and 1; times the moves that is 10, 2 and 1. Of the others:
    assert (keep.tolist(), drop.tolist()) == ([0.5, 1.0, 0.5], [2.0, 10.0, 10.0])
    # A factor that was 0 and is not any more: there is no bound for the others.
    rounds._loosen(last, moved, np.array([[4.0, 9.0], [np.inf, 1.0], [1.0, 1.0]]))
    _, grow, _, keep, _, *_ = given.pop()
    assert (grow.tolist(), keep.tolist()) == ([3.0, np.inf, 1.0], [0.0, 1.0, 0.0])
    # A single cluster has no others.
    one = Metric(last.centers[:1], last.factors[:1])
    rounds._loosen(one, moved[:1], last.factors[:1])
    assert [x.tolist() for x in given.pop()[3:5]] == [[np.inf], [0.0]]


@pytest.mark.parametrize("exponent", [1.0, 1.5, 1.8, 2.0, 3.0])
@pytest.mark.parametrize("kind", ["groups", "few values", "far away", "one constant"])
def test_every_round_is_that_of_the_operations(kind, exponent):
    X, load, centers = _table(kind)
    rule = PowerWeights(X.min(axis=0) < X.max(axis=0), max(exponent, 1.1))
    data = make_data(X, load, exponent, one_range)
    rounds = CPU.kmeans.begin(data.rows)
    assert isinstance(rounds, BoundedRounds)
    weights = np.full(centers.shape, 1.0 / centers.shape[1])
    spared = 0
    for _ in range(25):
        factors = rule.factors(weights)
        labels, unsure = rounds.nearest(centers, factors)
        spared += int((rounds.todo == 0).sum())
        expected, _ = CPU.kmeans.nearest(data.rows, centers, factors)
        np.testing.assert_array_equal(labels, expected)
        assert len(unsure) == 0
        found, spread = rounds.centers_of(labels, centers)
        exact, exact_spread = CPU.kmeans.centers_of(data.rows, labels, centers)
        np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-10)
        np.testing.assert_allclose(spread, exact_spread, rtol=1e-7, atol=1e-12)
        centers = found
        sizes = np.bincount(labels, weights=load, minlength=len(centers))
        weights = rule.weights(spread, sizes)
    assert spared > 5 * N_ROWS


def test_labels_that_were_changed_from_outside():
    # A refilled cluster: the sums follow the labels given, the bounds those that were found.
    X, load, centers = _table()
    data = make_data(X, load, 2.0, one_range)
    rounds = CPU.kmeans.begin(data.rows)
    ones = np.ones_like(centers)
    for shift in range(3):
        labels, _ = rounds.nearest(centers + shift, ones)
        labels[shift::50] = 3
        found, spread = rounds.centers_of(labels, centers)
        exact, exact_spread = CPU.kmeans.centers_of(data.rows, labels, centers)
        np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(spread, exact_spread, rtol=1e-9)


@pytest.mark.parametrize("exponent", [1.5, 2.0])
def test_one_thread_and_three_give_the_same_bits(exponent):
    X, load, centers = _table()
    weights = np.full(centers.shape, 1.0 / centers.shape[1])
    rule = PowerWeights(np.ones(X.shape[1], bool), exponent)
    ends = []
    for n_threads in (1, 3):
        with thread_runner(n_threads) as run:
            data = make_data(X, load, exponent, run)
            ends.append(alternate(data, Start(centers, weights), rule, max_iter=12))
    for one, other in zip(*ends, strict=True):
        np.testing.assert_array_equal(one, other)


def test_values_out_of_the_ordinary_and_centres_far_away():
    X, load, centers = _table()
    X[:, 0] *= 1e-35
    data = make_data(X, load, 2.0, one_range)
    rounds = CPU.kmeans.begin(data.rows)
    for scale in (1.0, 100.0, 1.0):
        found, _ = rounds.nearest(scale * centers, np.ones_like(centers))
        expected, _ = CPU.kmeans.nearest(data.rows, scale * centers, np.ones_like(centers))
        np.testing.assert_array_equal(found, expected)
    X, load, centers = _table()
    data = make_data(X, load, 2.0, one_range)
    rounds = CPU.kmeans.begin(data.rows)
    for scale in (1.0, 100.0, 1.0, 1.01):
        found, _ = rounds.nearest(scale * centers, np.ones_like(centers))
        expected, _ = CPU.kmeans.nearest(data.rows, scale * centers, np.ones_like(centers))
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("model", [WeightedKMeans(6, init="scattered"), EntropyKMeans(6)])
def test_whole_fits_end_where_rounds_without_memory_end(model, monkeypatch):
    from sklearn.base import clone

    from weft.backends.cpu import kmeans

    X, _, _ = _table()
    found = clone(model).set_params(random_state=0).fit(X)
    monkeypatch.setattr(kmeans, "LEAST_ROWS", 10**9)
    expected = clone(model).set_params(random_state=0).fit(X)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, rtol=1e-9)
    assert found.n_iter_ == expected.n_iter_
