"""Ways to count clusters: what they ask for, their limits, and recorded curves."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from weft.choosing import counting
from weft.choosing.n_clusters import METHODS, MOST_CLUSTERS, choose_n_clusters, vote
from weft.choosing.results import Curve


def groups():
    """Three groups of 13, 17 and 11 rows."""
    centers = np.array([[0.0, 0.0, 0.0], [5.0, 1.0, 0.0], [2.0, 4.0, 3.0]])
    rows = np.repeat(centers, [13, 17, 11], axis=0)
    return rows + np.random.default_rng(8).normal(size=rows.shape)


@pytest.mark.parametrize(
    ("name", "n_clusters", "strength", "numbers", "scores"),
    [
        ("silhouette", 3, 0.9, [2, 3, 4, 5], [0.36243082, 0.51959408, 0.41831544, 0.3780332]),
        (
            "patterns",
            4,
            0.5,
            [1, 2, 3, 4, 5],
            [0.36585366, 0.26829268, 0.26829268, 0.048780488, 0.024390244],
        ),
        (
            "gap",
            1,
            0.45372937,
            [1, 2, 3, 4, 5, 6],
            [0.1362542, 0.15353614, 0.58950544, 0.42833796, 0.36512635, 0.31578795],
        ),
        ("prediction", 3, 0.5047619, [1, 2, 3, 4, 5], [1, 0.71889048, 1, 0.4952381, 0.18333333]),
        (
            "eigengap",
            3,
            0.78459117,
            [1, 2, 3, 4, 5],
            [0.034646184, 0.034322249, 0.48660775, 0.10481961, 0.093017136],
        ),
        (
            "mixture",
            2,
            0.85321101,
            [1, 2, 3, 4, 5],
            [-178.70588, -167.81524, -174.70774, -180.23122, -187.2768],
        ),
    ],
)
def test_recorded_curves(name, n_clusters, strength, numbers, scores):
    found = METHODS[name](groups(), 5, np.random.default_rng(4))
    assert found.n_clusters == n_clusters
    assert found.strength == pytest.approx(strength, rel=1e-6)
    assert found.numbers.tolist() == numbers
    np.testing.assert_allclose(found.scores, scores, rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("silhouette", 800),
        ("gap", 1000),
        ("prediction", 2000),
        ("eigengap", 4000),
        ("mixture", 4000),
    ],
)
def test_rows_that_are_drawn(monkeypatch, name, size):
    class AskedError(Exception):
        pass

    def asked(rows, size, rng):
        raise AskedError(size)

    monkeypatch.setattr(counting, "sample", asked)
    with pytest.raises(AskedError) as caught:
        METHODS[name](np.zeros((9, 2)), 3, np.random.default_rng(0))
    assert caught.value.args == (size,)


@pytest.mark.parametrize(("n_rows", "most", "expected"), [(9, 5, 5), (6, 5, 5), (5, 5, 4)])
def test_the_silhouette_leaves_a_row_more_than_clusters(monkeypatch, n_rows, most, expected):
    given = {}

    def estimate(rows, **options):
        given.update(options)
        return SimpleNamespace(n_clusters=2, votes=np.array([2]), silhouettes=np.zeros((1, 1)))

    monkeypatch.setattr(counting, "estimate_n_clusters", estimate)
    counting.by_silhouette(np.zeros((n_rows, 1)), most, np.random.default_rng(0))
    assert (given["max_clusters"], given["n_estimates"]) == (expected, 30)


def test_a_pattern_of_two_rows_or_two_percent_counts(monkeypatch):
    sizes = np.array([40.0, 2.0, 2.0, 1.0])
    monkeypatch.setattr(counting, "plain_patterns", lambda rows: SimpleNamespace(sizes=sizes))
    rng = np.random.default_rng(0)
    found = counting.by_patterns(np.zeros((45, 1)), 3, rng)
    assert (found.n_clusters, found.strength) == (3, 0.5)
    assert found.scores.tolist() == [40 / 45, 2 / 45, 2 / 45]
    assert counting.by_patterns(np.zeros((100, 1)), 9, rng).n_clusters == 3
    assert counting.by_patterns(np.zeros((101, 1)), 9, rng).n_clusters == 1


@pytest.mark.parametrize(("n_rows", "most", "last"), [(20, 3, 4), (6, 5, 5), (7, 5, 6)])
def test_the_gap_is_compared_with_one_number_more(monkeypatch, n_rows, most, last):
    asked = []

    def within(rows, numbers, rng):
        asked.append((rows, numbers))
        return np.zeros(len(numbers))

    monkeypatch.setattr(counting, "_log_within", within)
    # Rows on a line that is turned in the plane: references are uniform on the same line.
    along = np.linspace(-1.0, 3.0, n_rows)
    rows = np.column_stack([3.0 * along + 7.0, 4.0 * along - 2.0])
    found = counting.by_gap(rows, most, np.random.default_rng(0))
    assert found.numbers.tolist() == list(range(1, last + 1))
    assert [numbers.tolist() for _, numbers in asked] == [found.numbers.tolist()] * 11
    # All gaps are 0, without any error: the first is as good as the next.
    assert (found.n_clusters, found.strength) == (1, 0.5)
    assert np.array_equal(asked[0][0], rows)
    references = np.vstack([reference for reference, _ in asked[1:]])
    assert references.shape == (10 * n_rows, 2)
    np.testing.assert_allclose(references @ [4.0, -3.0], 0.0, atol=1e-9)
    distances = references @ [0.6, 0.8]
    assert np.abs(distances).max() <= 10.0
    assert min(-distances.min(), distances.max()) > 8.5


@pytest.mark.parametrize(("fall", "strength"), [(0.5, 1.0), (0.0, 0.5)])
def test_gaps_without_an_error(monkeypatch, fall, strength):
    answers = iter([np.array([0.0, fall])] + [np.zeros(2)] * 10)
    monkeypatch.setattr(counting, "_log_within", lambda *args: next(answers))
    found = counting.by_gap(np.eye(3), 3, np.random.default_rng(0))
    assert (found.n_clusters, found.strength) == (1, strength)


def test_a_gap_of_one_error_less_than_the_next_is_enough(monkeypatch):
    # References 0 and 2 in turn, so the deviation is 1 and the error √1.1; gap 1 - 1.04 = -0.04.
    for first, number in ((-1.04, 1), (-1.06, 2)):
        answers = iter([np.array([-first, 0.0, 9.0])] + [np.zeros(3), np.full(3, 2.0)] * 5)
        monkeypatch.setattr(counting, "_log_within", lambda *args, given=answers: next(given))
        found = counting.by_gap(np.eye(5), 4, np.random.default_rng(0))
        assert found.n_clusters == number
        if number == 1:
            expected = 0.5 + 0.25 * first / np.sqrt(1.1)
            assert found.strength == pytest.approx(expected)


@pytest.mark.parametrize(("n_rows", "most", "n_values"), [(9, 3, 4), (4, 5, 3), (6, 5, 5)])
def test_the_eigenvalues_that_are_asked_for(monkeypatch, n_rows, most, n_values):
    asked = []

    def spectrum(rows, n_values):
        asked.append(n_values)
        return np.array([0.0, 0.5, 0.6])

    monkeypatch.setattr(counting, "laplacian_spectrum", spectrum)
    found = counting.by_eigengap(np.zeros((n_rows, 1)), most, np.random.default_rng(0))
    assert asked == [n_values]
    # Gaps 0.5 and 0.1: clear by four fifths.
    assert (found.n_clusters, found.strength) == (1, pytest.approx(0.8))


@pytest.mark.parametrize(
    ("n_rows", "n_values", "is_dense"),
    [(200, 4, True), (201, 4, False), (202, 100, False), (202, 101, True)],
)
def test_which_spectra_are_computed_whole(monkeypatch, n_rows, n_values, is_dense):
    asked = []

    def eigsh(matrix, k, which, v0, return_eigenvectors):
        asked.append((k, which, v0[:9].tolist(), return_eigenvectors))
        return np.linspace(0.9, 1.0, k)

    monkeypatch.setattr(counting, "eigsh", eigsh)
    rows = np.random.default_rng(0).normal(size=(n_rows, 2))
    values = counting.laplacian_spectrum(rows, n_values)
    assert len(values) == n_values
    assert values[0] == pytest.approx(0.0, abs=1e-9)
    start = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 0.5, 1.5]
    assert asked == ([] if is_dense else [(n_values, "LA", start, False)])


def test_a_graph_of_neighbours_by_its_definition():
    rows = 0.1 * np.random.default_rng(3).normal(size=(14, 2))
    squared = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
    order = np.argsort(squared, axis=1)[:, 1:11]
    width = np.sqrt(np.take_along_axis(squared, order, axis=1)[:, -1])
    graph = np.zeros((14, 14))
    for row, mates in enumerate(order):
        graph[row, mates] = np.exp(-squared[row, mates] / (width[row] * width[mates]))
    graph = np.maximum(graph, graph.T)
    root = 1.0 / np.sqrt(graph.sum(axis=1))
    values = np.linalg.eigvalsh(np.eye(14) - root[:, None] * graph * root)
    np.testing.assert_allclose(counting.laplacian_spectrum(rows, 5), values[:5], atol=1e-12)
    distances, neighbours = counting.neighbours_of(rows)
    np.testing.assert_array_equal(neighbours, order)
    np.testing.assert_allclose(distances[:, -1], width)
    assert counting.neighbours_of(rows[:3])[1].shape == (3, 2)


def test_equal_rows_are_as_near_as_can_be():
    # Two groups of 11 equal rows: 1 between all rows of a group, so 10 / 10 per row. Eigenvalues
    # of a group's Laplacian: 0 once, 1 + 1/10 ten times.
    rows = np.repeat([[0.0], [5.0]], 11, axis=0)
    expected = [0.0, 0.0, 1.1, 1.1]
    np.testing.assert_allclose(counting.laplacian_spectrum(rows, 4), expected, atol=1e-9)


@pytest.mark.parametrize(("n_rows", "most", "last"), [(9, 3, 3), (9, 8, 4), (10, 8, 5)])
def test_prediction_tries_as_many_clusters_as_a_half_has_rows(n_rows, most, last):
    rows = np.random.default_rng(0).normal(size=(n_rows, 2))
    found = counting.by_prediction(rows, most, np.random.default_rng(0))
    assert found.numbers.tolist() == list(range(1, last + 1))


@pytest.mark.parametrize(("n_rows", "most", "n_start"), [(90, 5, 10), (41, 9, 10), (3, 2, 1)])
def test_the_mixture_starts_from_pieces_of_four_rows(monkeypatch, n_rows, most, n_start):
    asked = []

    def kmeans(rows, n_clusters, n_init, rng):
        asked.append((rows.shape, n_clusters, n_init))
        return SimpleNamespace(labels=np.zeros(len(rows), dtype=int))

    monkeypatch.setattr(counting, "kmeans", kmeans)
    rows = np.random.default_rng(0).normal(size=(n_rows, 2))
    found = counting.by_mixture(rows, most, np.random.default_rng(0))
    assert asked == [((n_rows, 2), n_start, 1)]
    assert found.n_clusters == 1
    # Ten rows per column show a shape.
    assert found.strength == min(1.0, n_rows / 20.0)


# The choice as a whole ---------------------------------------------------------------------------


def _asked(monkeypatch, rows, **given):
    """Return what each method is asked for: rows, largest number and its first random number."""
    asked = {}

    def method(name):
        def answer(rows, most, rng):
            asked[name] = rows.tolist(), most, int(rng.integers(10**9))
            return Curve(2, 1.0, np.array([2]), np.zeros(1), "")

        return answer

    for name in METHODS:
        monkeypatch.setitem(METHODS, name, method(name))
    choose_n_clusters(rows, **given)
    return asked


@pytest.mark.parametrize(
    ("n_rows", "given", "most"),
    [
        (4, None, 2),
        (8, None, 2),
        (9, None, 3),
        (30 * 30, None, 30),
        (31 * 31, None, 30),
        (4, 3, 3),
        (4, 2, 2),
    ],
)
def test_the_largest_number_of_clusters(monkeypatch, n_rows, given, most):
    assert MOST_CLUSTERS == 30
    asked = _asked(monkeypatch, np.eye(n_rows, 1), max_clusters=given, methods="gap")
    assert [each[1] for each in asked.values()] == [most]


def test_each_method_has_random_numbers_of_its_own(monkeypatch):
    rows = np.arange(8.0).reshape(4, 2)
    asked = _asked(monkeypatch, rows, feature_weights=[0.0, 2.0], random_state=5)
    seed = np.random.RandomState(5).randint(2**31 - 1)
    expected = {
        name: int(np.random.default_rng([seed, number]).integers(10**9))
        for number, name in enumerate(METHODS)
    }
    assert {name: each[2] for name, each in asked.items()} == expected
    assert all(each[0] == [[2.0], [6.0], [10.0], [14.0]] for each in asked.values())


def test_limits_of_the_choice(monkeypatch):
    with pytest.raises(ValueError, match="max_clusters=4 must be between 2 and 3"):
        choose_n_clusters(np.eye(4), max_clusters=4)
    with pytest.raises(ValueError, match="4"):
        choose_n_clusters(np.eye(3))


def test_votes_have_a_least_weight():
    curve = Curve(2, 0.0, np.array([2]), np.zeros(1), "")
    found = vote({"gap": curve, "silhouette": curve._replace(n_clusters=3, strength=0.5)})
    assert found.weights == {"gap": pytest.approx(0.75 * 0.05), "silhouette": 0.5}
    assert (found.n_clusters, found.confidence) == (3, pytest.approx(0.5 / 0.5375))


@pytest.mark.parametrize(("strength", "n_clusters"), [(0.75, 3), (0.5, 1)])
def test_the_least_strength_of_a_prediction(monkeypatch, strength, n_clusters):
    monkeypatch.setattr(counting, "LEAST_STRENGTH", 0.75)
    monkeypatch.setattr(counting, "prediction_strength", lambda found, told: strength)
    rows = np.random.default_rng(0).normal(size=(9, 2))
    found = counting.by_prediction(rows, 3, np.random.default_rng(0))
    assert found.n_clusters == n_clusters
    assert found.strength == (strength if n_clusters > 1 else 0.0)
    assert found.scores.tolist() == [1.0, strength, strength]


def test_equal_rows_have_a_finite_logarithm():
    found = counting._log_within(np.ones((6, 2)), np.array([1, 2]), np.random.default_rng(0))
    np.testing.assert_allclose(found, np.log(1e-300))
