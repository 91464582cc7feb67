"""Each way to count clusters, with its measurements given: the choice and its strength by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from weft.choosing import counting, mixture
from weft.choosing.evidence import by_all_rows, by_pairs, validity
from weft.choosing.mixture import Model, components_of, log_determinants, merge_down

RNG = np.random.default_rng(0)


def _give(monkeypatch, name, value):
    monkeypatch.setattr(counting, name, lambda *args: value)


def test_patterns_that_are_large_enough(monkeypatch):
    # 100 rows: a pattern has 2 rows at least. The fourth has 8, the next 1.
    sizes = np.array([50.0, 30.0, 10.0, 1.0, 8.0, 1.0])
    _give(monkeypatch, "plain_patterns", SimpleNamespace(sizes=sizes))
    found = counting.by_patterns(np.zeros((100, 1)), 10, RNG)
    assert found.n_clusters == 4
    assert found.strength == 1.0 - 1.0 / 8.0
    assert found.numbers.tolist() == [1, 2, 3, 4, 5, 6]
    assert found.scores[:2].tolist() == [0.5, 0.3]
    few = counting.by_patterns(np.zeros((100, 1)), 2, RNG)
    assert (few.n_clusters, few.strength) == (2, 1.0 - 10.0 / 30.0)
    # 500 rows: 2 % are 10.
    assert counting.by_patterns(np.zeros((500, 1)), 10, RNG).n_clusters == 3


def test_all_patterns_count_where_none_is_small(monkeypatch):
    _give(monkeypatch, "plain_patterns", SimpleNamespace(sizes=np.array([6.0, 4.0])))
    found = counting.by_patterns(np.zeros((10, 1)), 5, RNG)
    assert (found.n_clusters, found.strength) == (2, 1.0)
    _give(monkeypatch, "plain_patterns", SimpleNamespace(sizes=np.ones(10)))
    assert counting.by_patterns(np.zeros((10, 1)), 5, RNG).n_clusters == 1


def test_the_gap_by_hand(monkeypatch):
    # References 1 ± 0.1, so an error of 0.1 √1.1 = 0.105; gaps 1, 3 and 3.1: the third is not
    # clearly better than the second.
    answers = iter([np.array([0.0, -2.0, -2.1])] + [np.ones(3) + 0.1, np.ones(3) - 0.1] * 5)
    monkeypatch.setattr(counting, "_log_within", lambda *args: next(answers))
    found = counting.by_gap(RNG.normal(size=(20, 2)), 2, RNG)
    np.testing.assert_allclose(found.scores, [1.0, 3.0, 3.1])
    assert found.n_clusters == 2
    assert found.strength == pytest.approx(0.5 - 0.25 * 0.1 / (0.1 * np.sqrt(1.1)))
    assert found.numbers.tolist() == [1, 2, 3]


def test_a_gap_that_always_grows_has_no_answer(monkeypatch):
    answers = iter([np.array([0.0, -2.0, -9.0])] + [np.ones(3) + 0.1, np.ones(3) - 0.1] * 5)
    monkeypatch.setattr(counting, "_log_within", lambda *args: next(answers))
    found = counting.by_gap(RNG.normal(size=(20, 2)), 2, RNG)
    assert (found.n_clusters, found.strength) == (2, 0.0)


@pytest.mark.parametrize(
    ("values", "number", "strength"),
    [
        # Gaps 0.01, 0.02, 0.17, 0.02: the widest is clear of the second by 15 of 17.
        ([0.0, 0.01, 0.03, 0.2, 0.22], 3, 15 / 17),
        # Gaps 0.001, 0.01, 0.001: clear by 9 of 10, but a third of what leaves no doubt.
        ([0.0, 0.001, 0.011, 0.012], 2, 0.3),
        ([0.0, 0.5], 1, 1.0),
        ([0.0, 0.0, 0.0], 1, 0.0),
    ],
)
def test_the_eigengap_by_hand(monkeypatch, values, number, strength):
    _give(monkeypatch, "laplacian_spectrum", np.array(values))
    found = counting.by_eigengap(np.zeros((9, 1)), 8, RNG)
    assert found.n_clusters == number
    assert found.strength == pytest.approx(strength)
    assert found.numbers.tolist() == list(range(1, len(values)))


def test_spectra_by_hand():
    # Two rows, each the other's neighbour: D^-½ W D^-½ has the eigenvalues 1 and -1.
    np.testing.assert_allclose(counting.laplacian_spectrum(np.array([[0.0], [3.0]]), 2), [0, 2])
    # Corners of a triangle: ½ beside the diagonal, with the eigenvalues 1 and twice -½.
    triangle = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    np.testing.assert_allclose(counting.laplacian_spectrum(triangle, 3), [0.0, 1.5, 1.5], atol=1e-9)


def test_few_eigenvalues_of_many_rows_are_those_of_all():
    rows = np.random.default_rng(1).normal(size=(210, 2))
    few = counting.laplacian_spectrum(rows, 4)
    every = counting.laplacian_spectrum(rows, 210)
    np.testing.assert_allclose(few, every[:4], atol=1e-8)


def test_the_mixture_by_hand(monkeypatch):
    labels = np.array([0] * 10 + [1] * 10)
    one, two, best = Model(labels, 5.0), Model(labels, 7.0), Model(labels, 9.0)
    _give(monkeypatch, "mixtures", {(1, 1): one, (2, 1): two, (2, 3): best})
    _give(monkeypatch, "join_components", (labels, 0.1))
    # 20 rows in 4 dimensions are half of what shapes need; 0.1 of 0.25 edges cross.
    found = counting.by_mixture(np.random.default_rng(2).normal(size=(20, 4)), 3, RNG)
    assert found.n_clusters == 2
    assert found.strength == pytest.approx((1.0 - 0.1 / 0.25) * 20 / 40)
    assert found.numbers.tolist() == [1, 2]
    assert found.scores.tolist() == [5.0, 9.0]


def test_silhouettes_by_hand(monkeypatch):
    estimate = SimpleNamespace(
        n_clusters=3, votes=np.array([3, 3, 2, 4]), silhouettes=np.array([[0.1, 0.5], [0.3, 0.7]])
    )
    monkeypatch.setattr(counting, "estimate_n_clusters", lambda *args, **options: estimate)
    found = counting.by_silhouette(np.zeros((9, 1)), 5, RNG)
    assert (found.n_clusters, found.strength) == (3, 0.5)
    assert found.numbers.tolist() == [2, 3]
    np.testing.assert_allclose(found.scores, [0.2, 0.6])


def test_clear_halves_predict_each_other():
    rng = np.random.default_rng(3)
    rows = np.vstack([rng.normal(9.0 * k, 1.0, (30, 2)) for k in range(3)])
    found = counting.by_prediction(rows, 5, rng)
    assert found.n_clusters == 3
    assert found.scores[0] == 1.0
    assert found.scores[2] > 0.9
    assert found.strength == pytest.approx(found.scores[2] - found.scores[3:].max())


# The mixture's merges and the validity of clusterings ---------------------------------------------


@pytest.mark.parametrize("pairs_per_component", [6, 1])
@pytest.mark.parametrize("seed", range(6))
def test_the_cheapest_near_pair_is_merged(monkeypatch, seed, pairs_per_component):
    monkeypatch.setattr(mixture, "PAIRS_PER_COMPONENT", pairs_per_component)
    rng = np.random.default_rng(seed)
    sizes = np.array([2, 3, 4, 5, 9, 7])
    labels = np.repeat(np.arange(6), sizes)
    n = len(labels)
    rows = rng.normal(size=(n, 2)) + 1.5 * rng.normal(size=(6, 2))[labels] + [5.0, -3.0]
    prior, strength, q = 0.3, 4.0, 1

    def cost(members):
        own = rows[members]
        away = own - own.mean(axis=0)
        covariance = (away.T @ away + strength * prior * np.eye(2)) / (len(own) + strength)
        return 0.5 * len(own) * log_determinants(covariance, q) - len(own) * np.log(len(own) / n)

    def apart(pair):
        one, other = (rows[groups[k]].mean(axis=0) for k in pair)
        return ((one - other) ** 2).sum()

    groups = [np.flatnonzero(labels == k) for k in range(6)]
    pairs = [(a, b) for a in range(6) for b in range(a + 1, 6)]
    prices = {
        (a, b): cost(np.append(groups[a], groups[b])) - cost(groups[a]) - cost(groups[b])
        for a, b in sorted(pairs, key=apart)[: 6 * pairs_per_component]
    }
    cheapest = min(prices, key=lambda pair: prices[pair])
    merged = merge_down(rows, labels, 5, q, prior, strength)
    same = {(a, b) for a, b in pairs if merged[groups[a][0]] == merged[groups[b][0]]}
    assert same == {cheapest}


def test_components_by_hand():
    rows = np.array([[0.0, 0.0], [5.0, 5.0], [2.0, 4.0]])
    found = components_of(rows, np.array([0, 1, 0]))
    assert found.sizes.tolist() == [2.0, 1.0]
    assert found.means.tolist() == [[1.0, 2.0], [5.0, 5.0]]
    assert found.scatters.tolist() == [[[2.0, 4.0], [4.0, 8.0]], [[0.0, 0.0], [0.0, 0.0]]]


def test_validity_by_hand():
    # Squares within 2 + 2, in all 36 + 16 + 16 + 36 = 104; 104 / 4 is added to what is within, and
    # a quarter to all. Two centres of one column cost ½ · 2 · ln 4 / 4. A constant adds nothing.
    X, labels = np.array([[0.0], [2.0], [10.0], [12.0]]), np.array([3, 3, 7, 7])
    expected = -0.5 * np.log(30.0 / 130.0) - 0.25 * np.log(4.0)
    assert validity(X, labels) == pytest.approx(expected)
    assert validity(np.hstack([X, np.ones((4, 1))]), labels) == pytest.approx(expected)
    assert np.isnan(validity(X, np.zeros(4, int)))
    # Rows of mass 2 are two rows each, and a missing value is not there.
    doubled = validity(np.repeat(X, 2, axis=0), np.repeat(labels, 2))
    assert validity(X, labels, np.full(4, 2.0)) == pytest.approx(doubled)
    gap = np.vstack([X, [[np.nan]]])
    within, total, n = 4.0, 104.0, 5.0
    ratio = (within + total / n) / (total * (1.0 + 1.0 / n))
    price = 0.5 * 2 * np.log(n) / n
    assert validity(gap, np.append(labels, 3)) == pytest.approx(-0.5 * np.log(ratio) - price)


def test_labelled_rows_and_pairs_by_hand():
    labels = [np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])]
    # Rows 0, 1 and 3 have classes 0, 0 and 1; class 0 counts as well as class 1.
    np.testing.assert_allclose(by_all_rows(labels, np.array([0, 0, -1, 1])), [1.0, 2 / 3])
    must, cannot = np.array([[0, 1]]), np.array([[1, 2], [0, 3]])
    np.testing.assert_allclose(by_pairs(labels, must, cannot), [1.0, 0.25])
    np.testing.assert_allclose(by_pairs(labels, must, np.empty((0, 2), int)), [1.0, 0.0])
    np.testing.assert_allclose(by_pairs(labels, np.empty((0, 2), int), cannot), [1.0, 0.5])
