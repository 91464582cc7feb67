"""The table of a feature search on the CPU: memory, precision, and what it remembers."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from weft.backends import CPU
from weft.backends.cpu.features import plan_memory
from weft.backends.spaces import INFEASIBLE, Outcome, Partitions, Plan, Solution
from weft.search.clusterers import Clusterer
from weft.search.criteria import Criterion

X = np.random.default_rng(0).normal(size=(6, 3))


def load(rows=X, *, exponents=False, precision="float32", n_matrices=0, max_memory=2**20, n_jobs=1):
    clusterer = SimpleNamespace(precision=precision, n_matrices=n_matrices)
    return CPU.features.load(rows, Plan(clusterer, None, exponents, max_memory, n_jobs, "cpu"))


class Scripted(Clusterer):
    """Returns given partitions, one after another."""

    def __init__(self, *labels, converged=None):
        self.left, self.converged = list(labels), converged

    def cluster(self, spaces):
        return Partitions(np.array([self.left.pop(0)]), converged=self.converged)


class Counting(Criterion):
    """Returns given scores, one for each call."""

    def __init__(self, *scores, labels_only=False):
        self.left, self.labels_only = list(scores), labels_only

    def score(self, spaces, labels):
        return np.array([self.left.pop(0)])


def test_memory_plan():
    # 1000 rows: 8 MB a matrix. A clusterer without need holds it if every thread can.
    assert plan_memory(8_000_000, 0, 2, 16_000_000) == (2, True)
    assert plan_memory(8_000_000, 0, 2, 15_999_999) == (2, False)
    # One that needs four runs on fewer threads, or says what is missing.
    assert plan_memory(8_000_000, 4, 8, 70_000_000) == (2, True)
    with pytest.raises(ValueError, match=r"4 matrices of .* raise max_memory"):
        plan_memory(8_000_000, 4, 8, 31_999_999)


@pytest.mark.parametrize(
    ("spread", "dtype"),
    [
        (1.0, np.float32),
        (1.1e-9, np.float32),
        (0.9e-9, np.float64),
        (0.9e9, np.float32),
        (1.1e9, np.float64),
        (0.0, np.float32),  # a constant column has no scale
    ],
)
def test_powers_in_single_precision_need_numbers_in_range(spread, dtype):
    rows = np.array([[-spread, 1.0], [spread, -1.0]])
    assert load(rows, exponents=True).dtype == dtype
    assert load(rows).dtype == np.float32  # squares have a scale of their own
    assert load(rows, precision="float64").dtype == np.float64


def test_memory_of_a_search_by_hand():
    # Six rows: a matrix of 36 numbers has 144 bytes in single precision.
    for max_memory, n_jobs, held in ((144, 1, True), (143, 1, False), (288, 2, True)):
        data = load(max_memory=max_memory, n_jobs=n_jobs)
        assert (data.n_threads, data.hold_matrix) == (n_jobs, held)
    assert not load(max_memory=287, n_jobs=2).hold_matrix
    assert load(max_memory=3 * 144, n_matrices=1, n_jobs=4).n_threads == 3
    # Room for 4 matrices: two threads have two each, one of which is the clusterer's.
    data = load(exponents=True, max_memory=4 * 144, n_matrices=1, n_jobs=2)
    assert data.n_together == 1
    assert load(exponents=True, max_memory=6 * 144, n_matrices=1, n_jobs=2).n_together == 2


def test_outcomes_by_hand():
    data, solution = load(), Solution(np.array([1.0, 0.0, 2.0]))
    two, one = [0, 1, 0, 1, 0, 1], [0] * 6

    def evaluate(labels, score, **options):
        (outcome,) = data.evaluate([solution], Scripted(labels, **options), Counting(score))
        return outcome

    assert evaluate(two, 0.25) == Outcome(0.25, 2, 2)
    assert evaluate(two, 0.25, converged=np.array([True])) == Outcome(0.25, 2, 2)
    assert evaluate(two, 0.5, converged=np.array([False])) == Outcome(INFEASIBLE, 2, 2)
    assert evaluate(one, 0.5) == Outcome(INFEASIBLE, 2, 1)
    assert evaluate([-1] * 6, 0.5) == Outcome(INFEASIBLE, 2, 0)
    for score in (np.nan, np.inf, -np.inf):
        assert evaluate(two, score) == Outcome(INFEASIBLE, 2, 2)
    assert evaluate([0, 1, 2, 0, 1, 2], -3.0) == Outcome(-3.0, 2, 3)


@pytest.mark.parametrize(
    ("labels_only", "scores"), [(True, [0.5, 0.5, 0.75]), (False, [0.5, 0.75])]
)
def test_a_partition_is_scored_once_if_labels_decide(labels_only, scores):
    data, solution = load(), Solution(np.ones(3))
    two, other = [0, 1] * 3, [0, 0, 1] * 2
    criterion = Counting(0.5, 0.75, labels_only=labels_only)
    labels = (two, two, other) if labels_only else (two, two)
    outcomes = data.evaluate([solution] * len(labels), Scripted(*labels), criterion)
    assert [outcome.fitness for outcome in outcomes] == scores
    assert criterion.left == []


def test_the_best_partition_is_remembered_and_the_first_of_equals():
    data = load()
    first, second, third = (Solution(np.full(3, weight)) for weight in (1.0, 2.0, 3.0))
    assert data.recall(first) is None
    partitions = [[0, 1] * 3, [0, 0, 1] * 2, [0, 1, 1] * 2]
    data.evaluate([first, second, third], Scripted(*partitions), Counting(0.5, 0.75, 0.75))
    assert data.recall(first) is None
    assert data.recall(third) is None
    assert data.recall(Solution(np.full(3, 2.0))).labels.tolist() == [partitions[1]]
    assert data.recall(Solution(np.full(3, 2.0), np.full(3, 2.0))) is None
    data.evaluate([first], Scripted(partitions[0]), Counting(0.7))
    assert data.recall(first) is None


@pytest.mark.parametrize("n_solutions", [1, 2, 3, 5])
def test_particles_have_the_same_result_together_and_alone(n_solutions):
    # Room for two matrices: groups of two, and one alone at the end.
    together = load(exponents=True, max_memory=2 * 144)
    alone = load(exponents=True, max_memory=144)
    assert (together.n_together, alone.n_together) == (2, 1)
    rng = np.random.default_rng(1)
    solutions = [
        Solution(rng.uniform(0.5, 1.0, 3), rng.uniform(1.0, 3.0, 3)) for _ in range(n_solutions)
    ]
    found, expected = (
        [space.matrix().copy() for space in data._spaces(solutions)] for data in (together, alone)
    )
    assert len(found) == n_solutions
    np.testing.assert_array_equal(found, expected)


def test_spaces_of_a_table():
    data, solution = load(), Solution(np.array([1.0, 0.0, 2.0]))
    np.testing.assert_array_equal(data.rows(np.array([4, 1])), X[[4, 1]])
    assert data.full().space.buffers.dtype == np.float32
    assert not data.full().space.buffers.hold_matrix
    usual, exact = data.space(solution), data.space(solution, exact=True)
    assert (usual.space.buffers.dtype, usual.space.buffers.hold_matrix) == (np.float32, True)
    assert (exact.space.buffers.dtype, exact.space.buffers.hold_matrix) == (np.float64, False)
    assert data.space(solution).space.buffers is usual.space.buffers  # of this thread
    columns = usual.selected_columns(0)
    assert columns.shape == (6, 2)
    np.testing.assert_allclose(columns[:, 1] / columns[0, 1], X[:, 2] / X[0, 2], rtol=1e-12)
    assert usual.full().selected_columns(0).shape == (6, 3)
    copy = pickle.loads(pickle.dumps(data))
    np.testing.assert_array_equal(copy.space(solution).distances(), usual.distances())
    assert copy.space(solution).space.buffers is not usual.space.buffers
