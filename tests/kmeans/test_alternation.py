"""When an alternation stops and what it counts, and who fills an empty cluster."""

from __future__ import annotations

import numpy as np
import pytest

from weft.backends.rounds import Advance
from weft.kmeans.alternation import Start, alternate, fill_empty
from weft.kmeans.data import begin, make_data, nearest
from weft.kmeans.weights import EntropyWeights, PowerWeights, Unweighted


def run(task, size):
    task(0, size)


def table(X, mass=None, p=2.0):
    X = np.array(X, dtype=float)
    return make_data(X, np.ones(len(X)) if mass is None else np.array(mass, dtype=float), p, run)


ONE = Unweighted(np.ones(1, bool))


def start(*centers):
    return Start(np.array(centers, dtype=float)[:, None], np.ones((len(centers), 1)))


def fill(X, labels, centers, mass=None):
    labels = np.array(labels, dtype=np.int32)
    moved = fill_empty(
        table(X, mass), labels, np.array(centers, float)[:, None], np.ones((len(centers), 1))
    )
    return moved, labels.tolist()


def test_nothing_empty_nothing_moved():
    assert fill([[0.0], [5.0]], [0, 1], [1.0, 9.0]) == (False, [0, 1])


def test_a_row_of_a_pair_may_go_and_the_other_then_stays():
    # Costs 1 and 4: the second goes to cluster 1; the first is alone then, and cluster 2 empty.
    assert fill([[1.0], [-2.0]], [0, 0], [0.0, 50.0, 60.0]) == (True, [0, 1])


def test_a_row_alone_stays_however_dear():
    # Row 0 is alone and costs 81; of the others the dearest is row 2.
    assert fill([[9.0], [20.5], [22.0]], [0, 1, 1], [0.0, 20.0, 50.0]) == (True, [0, 1, 2])


def test_rows_that_cost_nothing_stay():
    assert fill([[0.0], [0.0], [0.0]], [0, 0, 0], [0.0, 50.0]) == (False, [0, 0, 0])
    # One row costs something: it goes, and the second empty cluster stays empty.
    assert fill([[0.0], [0.0], [0.5]], [0, 0, 0], [0.0, 50.0, 60.0]) == (True, [0, 0, 1])


def test_a_row_is_not_moved_twice():
    # Costs 100, 4, 1 around 0: 10 to cluster 1, 2 to cluster 2; and -1 is alone.
    found = fill([[10.0], [2.0], [-1.0]], [0, 0, 0], [0.0, 50.0, 60.0, 70.0])
    assert found == (True, [1, 2, 0])


def test_mass_makes_a_row_dear():
    found = fill([[1.0], [2.0], [3.0]], [0, 0, 0], [0.0, 50.0], mass=[10.0, 1.0, 1.0])
    assert found == (True, [1, 0, 0])


# Rounds ---------------------------------------------------------------------------------------


def naive(X, mass, centers, max_iter, tol):
    """k-means in one column; rounds counted but for one that changes nothing."""
    labels = None
    for n_iter in range(1, max_iter + 1):
        found = np.abs(X - centers[:, None]).argmin(axis=0)
        if labels is not None:
            changed = mass[found != labels].sum()
            if changed <= tol * mass.sum():
                return centers, found, n_iter - (found == labels).all(), True, n_iter - 1
        labels = found
        centers = np.array(
            [np.average(X[labels == k], weights=mass[labels == k]) for k in range(len(centers))]
        )
    return centers, np.abs(X - centers[:, None]).argmin(axis=0), max_iter, False, max_iter


@pytest.mark.parametrize("tol", [0.0, 0.01, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("max_iter", [1, 2, 3, 4, 100])
@pytest.mark.parametrize("seed", [0, 1])
def test_rounds_by_definition(tol, max_iter, seed):
    rng = np.random.default_rng(seed)
    X, mass = np.sort(rng.exponential(3.0, 40)), rng.uniform(0.2, 3.0, 40)
    begin = X[[0, 1, 2]]
    outcome = alternate(table(X[:, None], mass), start(*begin), ONE, max_iter=max_iter, tol=tol)
    centers, labels, n_iter, converged, n_updates = naive(X, mass, begin, max_iter, tol)
    np.testing.assert_allclose(outcome.centers[:, 0], centers, rtol=1e-12)
    np.testing.assert_array_equal(outcome.labels, labels)
    assert (outcome.n_iter, outcome.converged) == (n_iter, converged)
    cost = (mass * (X - centers[labels]) ** 2).sum()
    assert outcome.criterion == pytest.approx(cost, rel=1e-12)
    assert len(outcome.trace) == n_updates


def test_the_trace_is_the_criterion_after_each_round():
    # Rows 0, 1, 9, 10 from 0 and 1: {0}, {1, 9, 10} costs 0 + 434/9; then 1/2 + 1/2.
    outcome = alternate(table([[0.0], [1.0], [9.0], [10.0]]), start(0.0, 1.0), ONE, max_iter=9)
    mean = 20 / 3
    np.testing.assert_allclose(
        outcome.trace, [(1 - mean) ** 2 + (9 - mean) ** 2 + (10 - mean) ** 2, 1.0], rtol=1e-12
    )
    assert outcome.criterion == 1.0
    assert (outcome.n_iter, outcome.converged) == (2, True)


def test_labels_belong_to_the_centers_returned():
    # The empty cluster is given 10; with tol = 1 the second round is the last. Whatever was moved
    # by force, the labels are the nearest centres'.
    X = [[0.0], [1.0], [9.0], [10.0]]
    for tol in (0.0, 0.3, 1.0):
        for max_iter in (1, 2, 3):
            outcome = alternate(table(X), start(0.0, -900.0), ONE, max_iter=max_iter, tol=tol)
            near = np.abs(np.array(X) - outcome.centers[:, 0]).argmin(axis=1)
            np.testing.assert_array_equal(outcome.labels, near)


def test_refill_is_a_choice():
    X = [[0.0], [1.0], [9.0], [10.0]]
    with_it = alternate(table(X), start(0.0, -900.0), ONE, max_iter=9)
    without = alternate(table(X), start(0.0, -900.0), ONE, max_iter=9, refill=False)
    assert set(with_it.labels) == {0, 1}
    assert set(without.labels) == {0}
    assert without.centers[1, 0] == -900.0


def test_missing_values_weigh_in_sizes_and_costs():
    # One cluster, LAC: costs are means over loads; a row with one value of two counts twice.
    X = np.array([[0.0, 0.0], [2.0, np.nan], [4.0, 6.0]])
    rule = EntropyWeights(np.ones(2, bool), 3.0, True)
    data = table(X, [1.0, 1.0, 2.0])
    outcome = alternate(
        data, Start(np.array([[1.0, 1.0]]), np.full((1, 2), 0.5)), rule, max_iter=20
    )
    load = np.array([1.0, 2.0, 2.0])
    c0 = load @ X[:, 0] / 5.0
    c1 = (load[0] * 0.0 + load[2] * 6.0) / 3.0
    np.testing.assert_allclose(outcome.centers, [[c0, c1]], rtol=1e-12)
    spread = np.array([load @ (X[:, 0] - c0) ** 2, c1**2 + 2.0 * (6.0 - c1) ** 2])
    e = np.exp(-(spread / 5.0) / 3.0)
    np.testing.assert_allclose(outcome.weights, [e / e.sum()], rtol=1e-9)
    w = e / e.sum()
    total = w @ spread / 5.0 + 3.0 * (w * np.log(w)).sum()
    assert outcome.criterion == pytest.approx(total, rel=1e-9)
    assert outcome.trace[-1] == pytest.approx(total, rel=1e-9)


def test_a_feature_no_row_of_a_cluster_has_costs_nothing():
    X = np.array([[0.0, np.nan], [1.0, np.nan], [10.0, 1.0], [11.0, 3.0]])
    rule = PowerWeights(np.ones(2, bool), 2.0)
    outcome = alternate(
        table(X), Start(np.array([[0.0, 2.0], [10.0, 2.0]]), np.full((2, 2), 0.5)), rule, max_iter=9
    )
    assert np.isfinite(outcome.trace).all()
    assert outcome.trace[-1] == pytest.approx(outcome.criterion, rel=1e-12)


@pytest.mark.parametrize(
    ("n_rounds", "converged", "changed", "n_iter"),
    [
        (2, True, False, 2),  # the round that found nothing to do does not count
        (2, True, True, 3),  # it moved some rows, few enough to stop
        (5, False, True, 5),  # out of rounds
    ],
)
def test_rounds_that_a_backend_does_by_itself_are_counted(
    n_rounds, converged, changed, n_iter, monkeypatch
):
    data = table([[0.0], [1.0], [10.0], [11.0]])
    labels = np.array([0, 0, 1, 1], dtype=np.int32)
    trace = [2.0 - 0.1 * number for number in range(n_rounds)]

    class Alone:
        """Rounds of which the backend does all at once."""

        def __init__(self, rounds):
            self.rounds = rounds

        def __getattr__(self, name):
            return getattr(self.rounds, name)

        def advance(self, *state, max_rounds, allowed):
            assert (max_rounds, allowed) == (5, 0.0)
            centers = np.array([[0.5], [10.5]])
            return Advance(labels, centers, np.ones((2, 1)), trace, converged, changed)

    monkeypatch.setattr("weft.kmeans.alternation.begin", lambda data: Alone(begin(data)))
    found = alternate(data, start(0.0, 11.0), ONE, max_iter=5)
    assert (found.n_iter, found.converged) == (n_iter, converged)
    assert found.trace == trace
    assert found.labels.tolist() == [0, 0, 1, 1]
    assert found.criterion == pytest.approx(1.0)  # four rows, each 0.5 from its centre


class Alone:
    """Rounds that offer to do some by themselves, and remember how many they were asked for."""

    def __init__(self, rounds):
        self.rounds, self.asked = rounds, []

    def __getattr__(self, name):
        return getattr(self.rounds, name)

    def advance(self, labels, centers, weights, rule, *, max_rounds, allowed):
        self.asked.append((max_rounds, allowed))
        return Advance(labels, centers, weights, [7.0, 7.0], False, True)


def test_a_backend_goes_on_after_a_round_of_the_host(monkeypatch):
    # Of 8 rounds the backend does 2, and the host one that moves rows; then 5 are left, and after
    # another three 2. The host's second round moves no row.
    rounds = Alone(begin(table([[0.0], [1.0], [10.0], [11.0]], [2.0, 1.0, 1.0, 1.0])))
    monkeypatch.setattr("weft.kmeans.alternation.begin", lambda data: rounds)
    data = table([[0.0], [1.0], [10.0], [11.0]], [2.0, 1.0, 1.0, 1.0])
    found = alternate(data, start(0.0, 1.0), ONE, max_iter=8, tol=0.25)
    assert rounds.asked == [(8, 1.25), (5, 1.25)]
    assert (found.n_iter, found.converged) == (6, True)
    assert len(found.trace) == 5


class Nameless:
    """A rule of another library, which a backend cannot know."""

    def __getattr__(self, name):
        if name == "kind":
            raise AttributeError(name)
        return getattr(ONE, name)


@pytest.mark.parametrize(
    ("rule", "options"),
    [
        (Nameless(), {}),
        (ONE, {"refill": False}),
        (ONE, {"assign": lambda data, centers, factors: nearest(data, centers, factors)}),
    ],
)
def test_a_backend_does_no_round_by_itself_under_rules_of_its_caller(rule, options, monkeypatch):
    data = table([[0.0], [1.0], [10.0], [11.0]])
    rounds = Alone(begin(data))
    monkeypatch.setattr("weft.kmeans.alternation.begin", lambda data: rounds)
    found = alternate(data, start(0.0, 1.0), rule, max_iter=8, **options)
    assert rounds.asked == []
    assert found.labels.tolist() == [0, 0, 1, 1]
