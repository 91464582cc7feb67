"""Each step of the alternation is the argmin of the criterion with the other two held."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from weft.kmeans.alternation import Start, alternate, fill_empty
from weft.kmeans.data import centers_of, make_data, nearest
from weft.kmeans.weights import EntropyWeights, PowerWeights, Unweighted, power_weights
from weft.parallel.threads import thread_runner

EXPONENTS = [(1.0, 1.0), (1.2, 1.2), (2.0, 1.3), (2.0, 2.0), (3.0, 3.0), (1.7, 4.0)]


def run(task, size):
    task(0, size)


def criterion(X, labels, centers, weights, p, beta, mass):
    """Eq. 3.6, written out."""
    total = 0.0
    for i, k in enumerate(labels):
        for v in range(X.shape[1]):
            total += mass[i] * weights[k, v] ** beta * abs(X[i, v] - centers[k, v]) ** p
    return total


def small(seed, n_rows=9, n_features=3, n_clusters=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    mass = rng.uniform(0.5, 2.0, n_rows)
    labels = np.arange(n_rows, dtype=np.int32) % n_clusters
    centers = rng.normal(size=(n_clusters, n_features))
    weights = rng.dirichlet(np.ones(n_features), n_clusters)
    return X, mass, labels, centers, weights


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("p", "beta"), EXPONENTS)
def test_assignment_is_the_best_of_all_assignments(p, beta, seed):
    X, mass, _, centers, weights = small(seed, n_rows=6)
    labels = nearest(make_data(X, mass, p, run), centers, weights**beta)
    every = product(range(2), repeat=6)  # all 64
    best = min(criterion(X, one, centers, weights, p, beta, mass) for one in every)
    ours = criterion(X, labels, centers, weights, p, beta, mass)
    assert ours == pytest.approx(best, rel=1e-13)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("p", [1.0, 1.05, 1.4, 2.0, 3.0, 5.0])
def test_center_is_the_best_on_a_dense_grid_and_by_golden_section(p, seed):
    X, mass, labels, centers, _ = small(seed)
    found, spread = centers_of(make_data(X, mass, p, run), labels, centers)
    for k in range(2):
        for v in range(3):
            y, m = X[labels == k, v], mass[labels == k]

            def cost(c, y=y, m=m):
                return (m * np.abs(y - c) ** p).sum()

            grid = np.linspace(y.min(), y.max(), 4001)
            costs = [cost(c) for c in grid]
            assert cost(found[k, v]) <= min(costs) * (1.0 + 1e-13)
            at = int(np.argmin(costs))
            bracket = (grid[max(at - 1, 0)], grid[min(at + 1, 4000)])
            golden = minimize_scalar(cost, bracket=bracket, method="golden", tol=1e-12)
            assert cost(found[k, v]) <= golden.fun * (1.0 + 1e-13)
            if p > 1.0:  # at 1 the minimum may be an interval
                # golden section compares values, so it sees √(rounding) of the range at best
                assert found[k, v] == pytest.approx(golden.x, abs=1e-6)
            assert spread[k, v] == pytest.approx(cost(found[k, v]), rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("beta", [1.2, 2.0, 3.0, 5.0])
@pytest.mark.parametrize("per_cluster", [True, False])
def test_weights_are_the_best_by_slsqp(beta, per_cluster, seed):
    X, mass, labels, centers, _ = small(seed)
    _, spread = centers_of(make_data(X, mass, beta, run), labels, centers)
    rule = PowerWeights(np.ones(3, bool), beta, 0.0, 0.01, per_cluster)
    found = rule.weights(spread, np.ones(2))
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-14)
    if not per_cluster:
        np.testing.assert_array_equal(found[0], found[1])
    pooled = spread if per_cluster else spread.sum(axis=0, keepdims=True)
    for k, dispersions in enumerate(pooled):
        scale = dispersions.mean()

        def cost(w, d=dispersions / scale):
            return (np.maximum(w, 0.0) ** beta * d).sum()

        solved = minimize(
            cost,
            np.full(3, 1.0 / 3.0),
            method="SLSQP",
            bounds=[(0.0, 1.0)] * 3,
            constraints={"type": "eq", "fun": lambda w: w.sum() - 1.0},
            options={"ftol": 1e-15, "maxiter": 1000},
        )
        assert cost(found[k]) <= solved.fun * (1.0 + 1e-12)
        np.testing.assert_allclose(found[k], solved.x, atol=2e-4)


@pytest.mark.parametrize("seed", range(3))
def test_entropy_weights_are_the_best_by_slsqp(seed):
    X, mass, labels, centers, _ = small(seed)
    _, spread = centers_of(make_data(X, mass, 2.0, run), labels, centers)
    found = EntropyWeights(np.ones(3, bool), 1.5, False).weights(spread, np.ones(2))
    for k in range(2):

        def cost(w, d=spread[k]):
            w = np.maximum(w, 1e-300)
            return (w * d).sum() + 1.5 * (w * np.log(w)).sum()

        solved = minimize(
            cost,
            np.full(3, 1.0 / 3.0),
            method="SLSQP",
            bounds=[(0.0, 1.0)] * 3,
            constraints={"type": "eq", "fun": lambda w: w.sum() - 1.0},
            options={"ftol": 1e-15},
        )
        assert cost(found[k]) <= solved.fun + 1e-12
        np.testing.assert_allclose(found[k], solved.x, atol=1e-5)


def test_weights_by_hand():
    # D = (1, 4), β = 2: w ∝ 1/D: (4/5, 1/5). β = 3: w ∝ D^(-1/2): (2/3, 1/3).
    active = np.ones(2, bool)
    spread = np.array([[1.0, 4.0]])
    np.testing.assert_allclose(power_weights(spread, 2.0, active), [[0.8, 0.2]], rtol=1e-15)
    np.testing.assert_allclose(power_weights(spread, 3.0, active), [[2 / 3, 1 / 3]], rtol=1e-15)
    # The mean offset: (1 + 2.5, 4 + 2.5) = (3.5, 6.5): w = (6.5, 3.5) / 10.
    rule = PowerWeights(active, 2.0, "mean")
    np.testing.assert_allclose(rule.weights(spread, np.ones(1)), [[0.65, 0.35]], rtol=1e-15)


def test_beta_of_one_takes_one_feature_the_first_on_a_tie():
    found = power_weights(np.array([[3.0, 1.0, 1.0]]), 1.0, np.ones(3, bool))
    np.testing.assert_array_equal(found, [[0.0, 1.0, 0.0]])


@pytest.mark.parametrize("beta", [1.0 + 1e-9, 1.001, 1.01])
def test_beta_near_one_neither_overflows_nor_underflows(beta):
    # (D_1 / D_2)^(1/(β-1)) is 0.5^1000 and far less: all for the first, and equal D share.
    spread = np.array([[1e-200, 2e-200, 1e200], [5.0, 5.0, 9e9]])
    found = power_weights(spread, beta, np.ones(3, bool))
    np.testing.assert_allclose(found, [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]], atol=1e-15)


@pytest.mark.parametrize("beta", [1.0, 1.0001, 2.0, 5.0])
def test_zero_dispersions_share_equally(beta):
    spread = np.array([[0.0, 2.0, 0.0, 1.0]])
    found = power_weights(spread, beta, np.ones(4, bool))
    expected = [[1.0, 0.0, 0.0, 0.0]] if beta == 1.0 else [[0.5, 0.0, 0.5, 0.0]]
    np.testing.assert_array_equal(found, expected)
    # A column that never varies has no say, however small its dispersion.
    active = np.array([False, True, True, True])
    np.testing.assert_array_equal(power_weights(spread, beta, active), [[0.0, 0.0, 1.0, 0.0]])


def test_the_grid_of_exponents_has_no_two_in_it():
    # Why exponents are compared with 2.0 only when they are 2.0: the grid's tenth entry is not.
    almost = np.arange(1, 5, 0.1)[10]
    assert almost != 2.0
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    mass = np.ones(40)
    labels = (np.arange(40) % 2).astype(np.int32)
    at_two = centers_of(make_data(X, mass, 2.0, run), labels, np.zeros((2, 3)))
    near = centers_of(make_data(X, mass, almost, run), labels, np.zeros((2, 3)))
    np.testing.assert_allclose(near.centers, at_two.centers, atol=1e-10)
    np.testing.assert_allclose(near.dispersions, at_two.dispersions, rtol=1e-10)


@pytest.mark.parametrize("scope", [True, False])
@pytest.mark.parametrize(("p", "beta"), EXPONENTS)
def test_criterion_falls_at_every_step_without_offset(p, beta, scope):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 4)) + 2.0 * rng.integers(2, size=(200, 1))
    data = make_data(X, np.ones(200), p, run)
    rule = PowerWeights(np.ones(4, bool), beta, 0.0, 0.01, scope)
    start = Start(X[:5].copy(), np.full((5, 4), 0.25))
    outcome = alternate(data, start, rule, max_iter=100)
    assert len(outcome.trace) > 2
    trace = np.array([*outcome.trace, outcome.criterion])
    assert (np.diff(trace) <= 1e-12 * trace[:-1]).all()
    by_hand = criterion(X, outcome.labels, outcome.centers, outcome.weights, p, beta, np.ones(200))
    assert outcome.criterion == pytest.approx(by_hand, rel=1e-12)


def test_entropy_criterion_falls_at_every_step():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(150, 4)) + 2.0 * rng.integers(2, size=(150, 1))
    data = make_data(X, np.ones(150), 2.0, run)
    rule = EntropyWeights(np.ones(4, bool), 20.0, False)
    outcome = alternate(data, Start(X[:4].copy(), np.full((4, 4), 0.25)), rule, max_iter=100)
    trace = np.array([*outcome.trace, outcome.criterion])
    assert len(trace) > 3
    assert (np.diff(trace) <= 1e-12 * np.abs(trace[:-1])).all()


def test_empty_clusters_take_the_dearest_rows():
    X = np.array([[0.0], [1.0], [3.0], [4.0]])
    data = make_data(X, np.array([1.0, 1.0, 1.0, 2.0]), 2.0, run)
    labels = np.zeros(4, np.int32)
    # All in cluster 0, centre 1: costs 1·1, 1·0, 1·4, 2·9. Cluster 1 takes row 3, 2 takes row 2.
    centers = np.array([[1.0], [50.0], [60.0]])
    assert fill_empty(data, labels, centers, np.ones((3, 1)))
    np.testing.assert_array_equal(labels, [0, 0, 2, 1])
    # Nothing costs anything: clusters stay empty.
    data = make_data(np.ones((4, 1)), np.ones(4), 2.0, run)
    labels = np.zeros(4, np.int32)
    assert not fill_empty(data, labels, centers, np.ones((3, 1)))


def test_a_far_start_leaves_no_cluster_empty():
    X = np.random.default_rng(5).normal(size=(60, 2))
    data = make_data(X, np.ones(60), 2.0, run)
    start = Start(np.array([[0.0, 0.0], [1e3, 1e3], [-1e3, 1e3]]), np.full((3, 2), 0.5))
    outcome = alternate(data, start, Unweighted(np.ones(2, bool)), max_iter=100)
    assert (np.bincount(outcome.labels, minlength=3) > 0).all()
    assert outcome.converged


@pytest.mark.parametrize("p", [1.0, 1.4, 2.0])
def test_threads_give_the_same_bits(p):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(7001, 5))
    mass = rng.uniform(0.5, 1.5, 7001)
    found = []
    for n_jobs in (1, 2, 3, 7):
        with thread_runner(n_jobs) as spread_out:
            data = make_data(X, mass, p, spread_out)
            rule = PowerWeights(np.ones(5, bool), 1.7)
            found.append(
                alternate(data, Start(X[:6].copy(), np.full((6, 5), 0.2)), rule, max_iter=8)
            )
    for other in found[1:]:
        assert other.criterion == found[0].criterion
        np.testing.assert_array_equal(other.labels, found[0].labels)
        np.testing.assert_array_equal(other.centers, found[0].centers)
        np.testing.assert_array_equal(other.weights, found[0].weights)
