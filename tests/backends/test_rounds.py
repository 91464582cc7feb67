"""Rounds that remember: bounds and sums of the last round beside the operations themselves."""

from __future__ import annotations

import numpy as np
import pytest

from weft import EntropyKMeans, WeightedKMeans
from weft.backends import CPU
from weft.backends.cpu.kernels import bounds
from weft.backends.cpu.rounds import LEAST_ROWS, BoundedRounds, _of_others
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
