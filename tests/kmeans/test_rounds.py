"""The alternation over blocks, step by step: Newton's steps, empty clusters, passes counted."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from weft.kmeans.alternation import Start, alternate
from weft.kmeans.blocks import add_sums, add_surveys, sums, survey
from weft.kmeans.chunked import (
    MAX_STEPS,
    SHORT_STEP,
    Table,
    alternate_blocks,
    fill_empty_blocks,
    fit_blocks,
    solve_centers,
    start_on_sample,
    whole_center,
)
from weft.kmeans.data import centers_of, make_data
from weft.kmeans.fitting import make_start, read_settings
from weft.kmeans.sampling import Sample, draw_sample
from weft.kmeans.weights import PowerWeights, Unweighted


class InMemory:
    """Blocks that are all here, and what each pass was asked."""

    def __init__(self, rows, mass, size):
        cuts = range(0, len(rows), size)
        self.parts = [(rows[i : i + size], mass[i : i + size]) for i in cuts]
        self.asked = []

    def fold(self, function, add, state, *, idle=False):
        self.asked.append((function.__name__, state))
        return add([function(i, *part, state) for i, part in enumerate(self.parts)])


def run(task, size):
    task(0, size)


def table(X, exponent, mass=None, size=5):
    X = np.asarray(X, dtype=np.float64)
    blocks = InMemory(X, np.ones(len(X)) if mass is None else np.asarray(mass, float), size)
    looked = blocks.fold(survey, add_surveys, None)
    blocks.asked.clear()
    return Table.of(blocks, looked, exponent)


def first_pass(found, centers, factors=None):
    step = found.step(centers, np.ones_like(centers) if factors is None else factors)
    return step, found.run(step)


# Centres --------------------------------------------------------------------------------------


def newton(values, mass, center, low, high, unit, p):
    """Newton's steps for one cluster and feature, in words: the trials, and the number of them.

    A step that leaves the bracket, or that left the slope above half of what it was, gives way to
    the middle of the bracket.
    """
    last, trials = math.inf, []
    for _ in range(MAX_STEPS):
        away = [((center - x) * unit, m) for x, m in zip(values, mass, strict=True) if x != center]
        slope = sum(m * abs(d) ** (p - 1) * math.copysign(1, d) for d, m in away)
        curve = sum(m * abs(d) ** (p - 2) for d, m in away)
        move = -slope / (curve * (p - 1)) if curve else 0.0
        if abs(move) <= SHORT_STEP:
            return trials, center + move / unit
        if slope < 0:
            low = max(low, center)
        else:
            high = min(high, center)
        trial = center + move / unit
        if low < trial < high and abs(slope) <= 0.5 * last:
            center, last = trial, abs(slope)
        else:
            center, last = 0.5 * (low + high), math.inf
        trials.append(center)
    return trials, center


@pytest.mark.parametrize("p", [1.1, 1.3, 1.7, 2.5, 4.0, 7.0])
@pytest.mark.parametrize("begin", [-40.0, 0.3, 3.0, 60.0])
def test_trials_are_those_of_newton_within_a_bracket(p, begin):
    values = [-40.0, 0.0, 0.4, 1.0, 3.0, 3.1, 60.0]
    mass = [1.0, 2.0, 1.0, 0.5, 1.0, 1.0, 1.0]
    one = table(np.array(values)[:, None], p, mass, size=3)
    step, found = first_pass(one, np.array([[begin]]))
    one.blocks.asked.clear()
    (centers, spread), n_passes = solve_centers(one, step, found)
    trials, end = newton(values, mass, begin, -40.0, 60.0, 2.0**-6, p)  # a range of 100
    asked = [state.trial[0, 0] for _, state in one.blocks.asked]
    np.testing.assert_allclose(asked, trials, rtol=1e-9, atol=1e-9)
    assert n_passes == len(trials)
    assert centers[0, 0] == pytest.approx(end, abs=1e-9)
    wanted = sum(m * abs(x - end) ** p for x, m in zip(values, mass, strict=True))
    assert spread[0, 0] == pytest.approx(wanted, rel=1e-9)


def test_at_two_the_first_pass_is_enough():
    X = np.array([[0.0, 1.0], [2.0, 5.0], [7.0, 100.0]])
    one = table(X, 2.0, [1.0, 3.0, 2.0])
    step, found = first_pass(one, np.array([[9.0, -7.0]]))
    (centers, spread), n_passes = solve_centers(one, step, found)
    assert n_passes == 0
    mean = np.average(X, axis=0, weights=[1.0, 3.0, 2.0])
    np.testing.assert_allclose(centers[0], mean, rtol=1e-14)
    np.testing.assert_allclose(spread[0], [1.0, 3.0, 2.0] @ (X - mean) ** 2, rtol=1e-12)


def test_all_features_are_solved_though_some_are_sooner():
    X = np.random.default_rng(0).normal(size=(40, 3)) * [1.0, 1e-6, 1e6]
    X[:, 1] = 3.0  # solved before the first step
    one = table(X, 1.4)
    step, found = first_pass(one, np.full((1, 3), 2.5))
    (centers, spread), _ = solve_centers(one, step, found)
    labels = np.zeros(40, dtype=np.int32)
    known = centers_of(make_data(X, np.ones(40), 1.4, run), labels, np.full((1, 3), 2.5))
    np.testing.assert_allclose(centers, known.centers, rtol=1e-9)
    np.testing.assert_allclose(spread, known.dispersions, rtol=1e-9)


@pytest.mark.parametrize("p", [1.5, 2.0, 3.0])
def test_clusters_without_rows_and_features_without_values_stay(p):
    X = np.array([[0.0, np.nan], [1.0, np.nan], [10.0, 4.0], [11.0, 6.0]])
    one = table(X, p, [0.25] * 4)
    centers = np.array([[0.0, 5.0], [10.0, 5.0], [99.0, 7.0]])
    step, found = first_pass(one, centers)
    moved, spread = solve_centers(one, step, found)[0]
    np.testing.assert_allclose(moved, [[0.5, 5.0], [10.5, 5.0], [99.0, 7.0]], atol=1e-7)
    # The first cluster has no value of the second feature, the last no rows at all.
    assert np.isnan(spread).tolist() == [[False, True], [False, False], [False, False]]
    np.testing.assert_array_equal(spread[2], 0.0)
    # Rows with one value of two count twice: 2 · 0.25 · 2 · 0.5^p.
    assert spread[0, 0] == pytest.approx(0.5**p, rel=1e-7)
    assert spread[1, 1] == pytest.approx(0.5, rel=1e-7)


def test_the_center_of_the_whole_table():
    X = np.array([[0.0, np.nan, 1.0], [2.0, 8.0, np.nan], [7.0, np.nan, 5.0]])
    mass = np.array([1.0, 2.0, 1.0])
    found, load = whole_center(table(X, 2.0, mass), np.array([True, False, True]))
    weights = mass * 1.5  # three features over two values
    assert load == weights.sum()
    np.testing.assert_allclose(found.centers, [11.0 / 4.0, 8.0, 3.0], rtol=1e-14)
    np.testing.assert_allclose(
        found.dispersions, [weights @ (X[:, 0] - 2.75) ** 2, 0.0, 12.0], atol=1e-12
    )


# Empty clusters -------------------------------------------------------------------------------


def test_empty_clusters_take_the_dearest_rows():
    # Costs around 0: 0, 1, 4, 9 and around 100: 25, 0. The dearest is 105, then 3, then 2.
    X = np.array([[0.0], [1.0], [2.0], [3.0], [105.0], [100.0]])
    one = table(X, 2.0, size=4)
    centers = np.array([[0.0], [900.0], [100.0], [901.0], [902.0]])
    step, found = first_pass(one, centers)
    step, found, n_passes = fill_empty_blocks(one, step, found)
    assert step.refilled == {(1, 0): 1, (0, 3): 3, (0, 2): 4}
    assert n_passes == 2
    np.testing.assert_array_equal(found.n_rows, [2.0, 1.0, 1.0, 1.0, 1.0])


def test_rows_alone_and_rows_on_their_center_stay():
    # 50 is alone: however dear, it stays. 0 and 0 lie on their centre.
    X = np.array([[0.0], [0.0], [50.0]])
    one = table(X, 2.0)
    step, found = first_pass(one, np.array([[0.0], [40.0], [900.0]]))
    again, same, n_passes = fill_empty_blocks(one, step, found)
    assert again is step
    assert same is found
    assert n_passes == 1  # the look at what rows cost
    step, found = first_pass(one, np.array([[0.0], [40.0]]))
    assert fill_empty_blocks(one, step, found) == (step, found, 0)


def test_the_last_row_but_one_of_a_cluster_is_free_to_go():
    # Two empty clusters, and a pair: one of the pair goes, the other is then alone.
    X = np.array([[1.0], [-2.0]])
    one = table(X, 2.0)
    step, found = first_pass(one, np.array([[0.0], [900.0], [901.0]]))
    step, found, _ = fill_empty_blocks(one, step, found)
    assert step.refilled == {(0, 1): 1}
    np.testing.assert_array_equal(found.n_rows, [1.0, 1.0, 0.0])


# Rounds ---------------------------------------------------------------------------------------


def groups(seed=0, n=60):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) + 2.5 * rng.integers(2, size=(n, 1))
    return X, rng.uniform(0.5, 2.0, n)


def both(X, mass, start, rule, exponent=2.0, **options):
    lazy, found, n_passes = alternate_blocks(table(X, exponent, mass, 13), start, rule, **options)
    memory = alternate(make_data(X, mass, exponent, run), start, rule, **options)
    np.testing.assert_allclose(lazy.centers, memory.centers, atol=1e-7)
    np.testing.assert_allclose(lazy.weights, memory.weights, atol=1e-7)
    np.testing.assert_allclose(lazy.trace, memory.trace, rtol=1e-7)
    assert lazy.criterion == pytest.approx(memory.criterion, rel=1e-7)
    assert (lazy.n_iter, lazy.converged) == (memory.n_iter, memory.converged)
    np.testing.assert_allclose(found.mass, np.bincount(memory.labels, mass, len(start.centers)))
    return lazy, n_passes


@pytest.mark.parametrize("exponent", [1.5, 2.0])
@pytest.mark.parametrize("tol", [0.0, 1e-9, 0.05, 0.3, 1.0])
@pytest.mark.parametrize("max_iter", [1, 2, 3, 100])
def test_rounds_are_those_in_memory(exponent, tol, max_iter):
    X, mass = groups()
    rule = PowerWeights(np.ones(3, bool), 1.7)
    start = Start(X[:4].copy(), np.full((4, 3), 1 / 3))
    both(X, mass, start, rule, exponent, max_iter=max_iter, tol=tol)


def test_passes_are_counted():
    # Rows 0, 1, 9 and 10 from 0 and 1: round 1 gives {0} and {1, 9, 10}, centres 0 and 20/3;
    # round 2 {0, 1} and {9, 10}, centres 1/2 and 19/2; round 3 finds the same: 3 passes, and the
    # last round, which changed nothing, is not counted.
    X = np.array([[0.0], [1.0], [9.0], [10.0]])
    rule = Unweighted(np.ones(1, bool))
    start = Start(X[:2].copy(), np.ones((2, 1)))
    outcome, n_passes = both(X, np.ones(4), start, rule, max_iter=10)
    assert (outcome.n_iter, outcome.converged, n_passes) == (2, True, 3)
    # Cut short after the first round, one more pass finds the rows of the centres returned.
    outcome, n_passes = both(X, np.ones(4), start, rule, max_iter=1)
    assert (outcome.n_iter, outcome.converged, n_passes) == (1, False, 2)
    # At most half of the mass changes from the second round on: it is the last, and counts.
    outcome, n_passes = both(X, np.ones(4), start, rule, max_iter=10, tol=0.5)
    assert (outcome.n_iter, outcome.converged, n_passes) == (2, True, 2)
    outcome, n_passes = both(X, np.ones(4), start, rule, max_iter=10, tol=0.2)
    assert (outcome.n_iter, outcome.converged, n_passes) == (2, True, 3)


def test_passes_that_fill_empty_clusters_are_counted():
    # All rows are nearest to 0; the empty cluster is given 10 in two passes more, and from then
    # on rows stay: {0, 1} and {9, 10} after the second round.
    X = np.array([[0.0], [1.0], [9.0], [10.0]])
    rule = Unweighted(np.ones(1, bool))
    start = Start(np.array([[0.0], [-900.0]]), np.ones((2, 1)))
    outcome, n_passes = both(X, np.ones(4), start, rule, max_iter=10)
    # Round 1: 3 passes; centres 10/3 and 10. Round 2: {0, 1}, {9, 10}. Round 3: the same.
    assert (outcome.n_iter, n_passes) == (2, 5)


@pytest.mark.parametrize("exponent", [1.5, 3.0])
@pytest.mark.parametrize("max_iter", [1, 10])
def test_passes_of_newtons_steps_are_counted(exponent, max_iter):
    # Every pass over the rows is one, also those that only move trial centres.
    X = np.array([[0.0], [1.0], [3.0], [9.0], [10.0], [14.0]])
    found = table(X, exponent)
    start = Start(np.array([[0.0], [-900.0]]), np.ones((2, 1)))
    rule = Unweighted(np.ones(1, bool))
    *_, n_passes = alternate_blocks(found, start, rule, max_iter=max_iter)
    assert n_passes == len(found.blocks.asked) > 6


# Where it starts ------------------------------------------------------------------------------


def settings(n_clusters, **changes):
    return read_settings(1, 6, n_clusters=n_clusters, **changes)


def test_the_best_of_the_starts_goes_on():
    X = np.array([[0.0], [1.0], [10.0], [11.0], [30.0], [31.0]])
    rule, active = Unweighted(np.ones(1, bool)), np.ones(1, bool)
    data = make_data(X, np.ones(6), 2.0, run)
    given = settings(3, init="random", n_init=6)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        start, patterns = start_on_sample(Sample(X, np.ones(6)), active, given, rule, rng)
        again = np.random.default_rng(seed)
        ends = [
            alternate(data, make_start(data, given, rule, active, None, again), rule, max_iter=300)
            for _ in range(6)
        ]
        best = min(ends, key=lambda end: end.criterion)
        np.testing.assert_array_equal(start.centers, best.centers)
        assert patterns is None


def test_of_starts_that_end_alike_the_first_stays():
    X = np.array([[0.0], [0.0], [5.0]])
    rule, active = Unweighted(np.ones(1, bool)), np.ones(1, bool)
    data = make_data(X, np.ones(3), 2.0, run)
    given = settings(2, init="random", n_init=8)
    firsts = set()
    for seed in range(6):
        first = make_start(data, given, rule, active, None, np.random.default_rng(seed))
        start, _ = start_on_sample(
            Sample(X, np.ones(3)), active, given, rule, np.random.default_rng(seed)
        )
        np.testing.assert_array_equal(start.centers, first.centers)  # all ends cost 0
        firsts.add(float(first.centers[0, 0]))
    assert firsts == {0.0, 5.0}


def test_patterns_are_looked_for_where_they_are_the_start():
    X = np.array([[0.0], [1.0], [2.0], [9.0], [10.0]])
    rule, active = Unweighted(np.ones(1, bool)), np.ones(1, bool)
    sample, rng = Sample(X, np.ones(5)), np.random.default_rng(0)
    start, patterns = start_on_sample(sample, active, settings(2), rule, rng)
    np.testing.assert_array_equal(patterns.sizes, [2.0, 3.0])
    np.testing.assert_array_equal(start.centers, [[1.0], [9.5]])
    assert start_on_sample(sample, active, settings(2, init="scattered"), rule, rng)[1] is None


def test_nothing_moves_before_the_first_round():
    # A start that is given is taken as it is, weights and all, however few rows stand for it.
    given = read_settings(2, 6, n_clusters=None, init=[[0.0, 1.0], [5.0, 7.0]], init_weights=[3, 1])
    rule = PowerWeights(np.ones(2, bool), 2.0)
    start, _ = start_on_sample(
        Sample(given.init, np.ones(2)),
        np.ones(2, bool),
        replace(given, max_iter=0),
        rule,
        np.random.default_rng(0),
    )
    np.testing.assert_array_equal(start.centers, given.init)
    np.testing.assert_array_equal(start.weights, [[0.75, 0.25]] * 2)


def test_sums_around_the_centers_returned():
    X, mass = groups(3)
    one = table(X, 2.0, mass, 7)
    rule = Unweighted(np.ones(3, bool))
    outcome, found, _ = alternate_blocks(
        one, Start(X[:3].copy(), np.ones((3, 3))), rule, max_iter=50
    )
    again = add_sums(
        [
            sums(i, *part, one.step(outcome.centers, np.ones((3, 3))))
            for i, part in enumerate(one.blocks.parts)
        ]
    )
    np.testing.assert_allclose(found.mass, again.mass)
    np.testing.assert_allclose(found.total, again.total, rtol=1e-9)


@pytest.mark.parametrize("init", ["anomalous", "random", "k-means++", "scattered"])
def test_a_whole_fit_is_a_sample_a_start_and_rounds(init):
    X, mass = groups(5, 90)
    one = table(X, 2.0, mass, 17)
    active, center = np.ones(3, bool), np.average(X, axis=0, weights=mass)
    rule = PowerWeights(active, 1.6)
    given = read_settings(3, 90, n_clusters=4, init=init, max_iter=3, tol=0.01)
    fit = fit_blocks(one, active, given, rule, center, np.random.default_rng(4))
    rng = np.random.default_rng(4)
    sample = draw_sample(
        one.blocks,
        center,
        active,
        exponent=2.0,
        total_mass=float(mass.sum()),
        seed=int(rng.integers(2**63)),
    )
    start, patterns = start_on_sample(sample, active, given, rule, rng)
    outcome, found, n_passes = alternate_blocks(one, start, rule, max_iter=3, tol=0.01)
    np.testing.assert_array_equal(fit.outcome.centers, outcome.centers)
    np.testing.assert_array_equal(fit.factors, rule.factors(outcome.weights))
    np.testing.assert_array_equal(fit.mass, found.mass)
    assert fit.n_passes == n_passes
    assert (fit.patterns is None) == (patterns is None) == (init != "anomalous")


def test_a_fit_from_given_centers_takes_them_as_they_are():
    X, mass = groups(6, 80)
    one = table(X, 2.0, mass, 17)
    active, rule = np.ones(3, bool), PowerWeights(np.ones(3, bool), 1.6)
    weights = np.array([[0.6, 0.3, 0.1]])
    given = read_settings(3, 80, n_clusters=None, init=X[:4], init_weights=weights, max_iter=2)
    fit = fit_blocks(one, active, given, rule, X.mean(axis=0), np.random.default_rng(4))
    start = Start(X[:4].copy(), np.repeat(weights, 4, axis=0))
    outcome, _, n_passes = alternate_blocks(one, start, rule, max_iter=2)
    np.testing.assert_array_equal(fit.outcome.centers, outcome.centers)
    np.testing.assert_array_equal(fit.outcome.weights, outcome.weights)
    assert fit.n_passes == n_passes
    assert fit.patterns is None


def test_one_round_on_the_sample_is_one():
    # From 0 and 1: {0} and {1, 9, 10}, whose centre is 20/3.
    X = np.array([[0.0], [1.0], [9.0], [10.0]])
    given = read_settings(1, 4, n_clusters=None, init=X[:2], max_iter=1)
    rule, rng = Unweighted(np.ones(1, bool)), np.random.default_rng(0)
    start, _ = start_on_sample(Sample(X, np.ones(4)), np.ones(1, bool), given, rule, rng)
    np.testing.assert_allclose(start.centers, [[0.0], [20 / 3]], rtol=1e-12)
