"""Settings read and refused, starts made, and the best of them kept."""

from __future__ import annotations

import numpy as np
import pytest

from weft.kmeans import fitting
from weft.kmeans.alternation import DeadEnd, Outcome
from weft.kmeans.data import make_data, nearest
from weft.kmeans.fitting import better, fit_family, make_start, read_settings, varying
from weft.kmeans.seeding import anomalous_patterns
from weft.kmeans.weights import PowerWeights, Unweighted


def run(task, size):
    task(0, size)


def settings(n_features=2, n_rows=6, **given):
    return read_settings(n_features, n_rows, **{"n_clusters": 2, **given})


def test_defaults():
    found = read_settings(2, 6, n_clusters=None)
    assert (found.n_clusters, found.exponent, found.init, found.init_weights) == (
        None, 2.0, "anomalous", "auto",
    )  # fmt: skip
    assert (found.n_init, found.min_cluster_size, found.max_iter) == (1, 1, 300)
    assert (found.tol, found.n_jobs) == (0.0, None)


@pytest.mark.parametrize(
    ("init", "n_init"), [("anomalous", 1), ("scattered", 1), ("random", 10), ("k-means++", 10)]
)
def test_starts_by_chance_are_ten(init, n_init):
    assert settings(init=init).n_init == n_init
    assert settings(init=init, n_init=3).n_init == 3


def test_centers_that_are_given():
    given = [[0, 1], [2, 3]]
    found = settings(n_clusters=None, init=given)
    assert (found.n_clusters, found.n_init) == (2, 1)
    np.testing.assert_array_equal(found.init, given)
    assert settings(init=given).n_clusters == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"init": [0.0, 1.0]}, "init has shape"),
        ({"init": [[0.0], [1.0]]}, "init has shape"),
        ({"init": [[0.0, np.nan], [1.0, 1.0]]}, "init has shape"),
        ({"init": [[0.0, 1.0]]}, "init has 1 centres"),
        ({"n_clusters": 7}, "n_clusters=7 needs as many samples"),
        ({"n_clusters": 0}, "n_clusters=0"),
        ({"n_clusters": None, "init": "random"}, "init=.random. needs the number of clusters"),
        ({"distance_exponent": 0.99}, "distance_exponent"),
        ({"n_init": 0}, "n_init=0"),
        ({"n_init": "many"}, "n_init='many'"),
        ({"min_cluster_size": -0.5}, "min_cluster_size"),
        ({"max_iter": 0}, "max_iter=0"),
        ({"tol": 1.1}, "tol=1.1"),
        ({"tol": -0.1}, "tol=-0.1"),
        ({"init_weights": [1.0, 2.0, 3.0]}, "init_weights has shape"),
        ({"init_weights": np.ones((3, 2))}, "init_weights has shape"),
        ({"init_weights": [-1.0, 2.0]}, "init_weights has shape"),
        ({"init_weights": [0.0, 0.0]}, "init_weights has shape"),
        ({"init_weights": [[1.0, 1.0], [0.0, 0.0]]}, "init_weights has shape"),
        ({"init_weights": [np.inf, 1.0]}, "init_weights has shape"),
    ],
)
def test_what_cannot_be_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        settings(**given)


def test_what_is_just_possible_is_not():
    edge = settings(
        n_clusters=6,
        distance_exponent=1,
        n_init=1,
        min_cluster_size=0,
        max_iter=1,
        tol=1.0,
        init_weights=[0.0, 2.0],
    )
    assert (edge.n_clusters, edge.exponent, edge.min_cluster_size, edge.tol) == (6, 1.0, 0.0, 1.0)
    np.testing.assert_array_equal(edge.init_weights, [[0.0, 1.0]])
    both = settings(init_weights=[[1.0, 3.0], [1.0, 1.0]]).init_weights
    np.testing.assert_array_equal(both, [[0.25, 0.75], [0.5, 0.5]])
    assert settings(n_clusters=1).n_clusters == 1


def test_features_that_vary():
    X = np.array([[1.0, 2.0, np.nan], [1.0, 3.0, 4.0], [1.0, 2.0, 4.0]])
    np.testing.assert_array_equal(varying(X), [False, True, False])
    np.testing.assert_array_equal(varying(X[:, :1]), [True])  # none does: all count


# Starts ---------------------------------------------------------------------------------------

X = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [9.0, 5.0], [10.0, 5.0], [30.0, 5.0]])
ACTIVE = np.array([True, False])
PLAIN = Unweighted(ACTIVE)


def made(rule=PLAIN, seed=0, patterns=None, **given):
    data = make_data(X, np.ones(6), 2.0, run)
    read = settings(**given)
    return make_start(data, read, rule, ACTIVE, patterns, np.random.default_rng(seed))


def test_equal_weights_unless_others_are_given():
    found = made(init="scattered")
    np.testing.assert_array_equal(found.centers[:, 0], [30.0, 0.0])
    np.testing.assert_array_equal(found.weights, [[1.0, 0.0]] * 2)
    found = made(init=[[1.0, 5.0], [3.0, 5.0]], init_weights=[[1.0, 3.0]])
    np.testing.assert_array_equal(found.centers[:, 0], [1.0, 3.0])
    np.testing.assert_array_equal(found.weights, [[0.25, 0.75]] * 2)


def test_random_weights_are_of_features_that_vary():
    for seed in range(3):
        found = made(init="scattered", init_weights="random", seed=seed)
        np.testing.assert_array_equal(found.weights, [[1.0, 0.0]] * 2)
    data = make_data(np.random.default_rng(0).random((6, 2)), np.ones(6), 2.0, run)
    everything = np.ones(2, bool)
    read = settings(init="scattered", init_weights="random")
    found = make_start(
        data, read, Unweighted(everything), everything, None, np.random.default_rng(1)
    )
    drawn = np.random.default_rng(1).random((2, 2))
    np.testing.assert_allclose(found.weights, drawn / drawn.sum(axis=1, keepdims=True))


def test_patterns_bring_their_weights():
    rng = np.random.default_rng(0)
    table = np.vstack([rng.normal(size=(6, 2)) * [0.1, 2.0], rng.normal(size=(5, 2)) + 9.0])
    data = make_data(table, np.ones(11), 2.0, run)
    everything = np.ones(2, bool)
    rule = PowerWeights(everything, 2.0)
    patterns = anomalous_patterns(data, rule, everything)
    chosen = np.argsort(-patterns.sizes, kind="stable")[:2]
    for weights, wanted in [("auto", patterns.weights[chosen]), ("uniform", np.full((2, 2), 0.5))]:
        read = read_settings(2, 11, n_clusters=2, init_weights=weights)
        found = make_start(data, read, rule, everything, patterns, rng)
        np.testing.assert_array_equal(found.centers, patterns.centers[chosen])
        np.testing.assert_array_equal(found.weights, wanted)


def test_one_set_of_weights_for_all_is_pooled():
    rule = PowerWeights(np.ones(2, bool), 2.0, per_cluster=False)
    found = made(rule, init="scattered", init_weights=[[1.0, 3.0], [3.0, 1.0]])
    np.testing.assert_array_equal(found.weights, [[0.5, 0.5]] * 2)


@pytest.mark.parametrize("init", ["random", "k-means++"])
def test_chance_begins_at_rows(init):
    found = made(init=init)
    assert set(found.centers[:, 0]) <= set(X[:, 0])
    assert len(set(found.centers[:, 0])) == 2


# The best of them -----------------------------------------------------------------------------


def ended(criterion):
    return Outcome(np.empty(0, np.int32), X, X, criterion, 1, True, [])


def test_a_gain_in_the_last_bits_is_none():
    first = ended(1.0)
    assert better(None, first) is first
    near, lower = 1.0 - 0.8e-10, 1.0 - 1.2e-10
    for criterion, taken in [(1.0, False), (near, False), (lower, True), (2.0, False)]:
        other = ended(criterion)
        assert better(first, other) is (other if taken else first)
    # Entropy may make a criterion negative: what counts is its size.
    low = ended(-100.0)
    for criterion, taken in [(-100.0 - 0.8e-8, False), (-100.0 - 1.2e-8, True), (-99.0, False)]:
        other = ended(criterion)
        assert better(low, other) is (other if taken else low)
    nothing, again = ended(0.0), ended(0.0)
    assert better(nothing, again) is nothing


def test_the_least_criterion_wins_and_dead_ends_are_left_out():
    table = np.array([[0.0], [1.0], [10.0], [11.0], [30.0], [31.0]])
    calls = []

    class Nth:
        """An assignment that fails in some starts."""

        def __init__(self, bad):
            calls.append(self)
            self.bad = len(calls) in bad

        def __call__(self, data, centers, factors):
            if self.bad:
                raise DeadEnd("no place for row 3")
            return nearest(data, centers, factors)

    def fit(bad, seed=0):
        calls.clear()
        return fit_family(
            table,
            np.ones(6),
            read_settings(1, 6, n_clusters=3, init="random", n_init=8),
            lambda data, active: Unweighted(active),
            np.random.default_rng(seed),
            make_assign=lambda: Nth(bad),
        )

    free = fit(())
    assert free.outcome.criterion == pytest.approx(1.5)
    assert free.patterns is None
    assert len(calls) == 8
    np.testing.assert_array_equal(free.factors, np.ones((3, 1)))
    assert fit({1, 2, 3}).outcome.criterion >= free.outcome.criterion
    with pytest.raises(DeadEnd, match="row 3"):
        fit(set(range(1, 9)))


def test_only_several_free_starts_are_sent_elsewhere(monkeypatch):
    sent = []

    class Here:
        """A crew that does the work itself."""

        def __init__(self, owner, *, n_jobs):
            self.owner = owner

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def __call__(self, starts):
            sent.append(len(starts))
            return [self.owner.evaluate_part(starts[:1]), self.owner.evaluate_part(starts[1:])]

    monkeypatch.setattr(fitting, "works_elsewhere", lambda: True)
    monkeypatch.setattr(fitting, "Crew", Here)
    table = np.random.default_rng(0).normal(size=(30, 2))

    def fit(n_init, assign=None):
        return fit_family(
            table,
            np.ones(30),
            read_settings(2, 30, n_clusters=3, init="random", n_init=n_init),
            lambda data, active: Unweighted(active),
            np.random.default_rng(5),
            make_assign=assign,
        ).outcome

    assert fit(1).converged
    assert fit(4, lambda: nearest).converged
    assert sent == []
    spread = fit(2)
    assert sent == [2]
    monkeypatch.setattr(fitting, "works_elsewhere", lambda: False)
    alone = fit(2)
    assert sent == [2]
    np.testing.assert_array_equal(spread.labels, alone.labels)
    np.testing.assert_array_equal(spread.centers, alone.centers)
