"""Objectives of GCUK and DCPSO: first populations, fitness from known measures, decoding."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from weft.methods.centroids.objectives import StringObjective, SubsetObjective, assign

ROWS = np.array([[0.0, 1.0], [2.0, 3.0], [10.0, 1.0], [12.0, 5.0]])


def test_first_strings_have_two_centres_or_more():
    objective = StringObjective(ROWS, 4)
    assert objective.n_threads == 1
    found = objective.initial(np.random.default_rng(0), 300)
    assert found.shape == (300, 4 + 8)
    flags, centers = found[:, :4], found[:, 4:].reshape(-1, 2)
    assert set(flags.ravel()) == {0.0, 1.0}
    assert set(flags.sum(axis=1)) == {2.0, 3.0, 4.0}
    assert (flags.any(axis=0) & ~flags.all(axis=0)).all()
    assert {tuple(center) for center in centers} == {tuple(row) for row in ROWS}


def test_fitness_of_strings_is_the_inverse_of_their_index(monkeypatch):
    objective = StringObjective(ROWS, 4)
    counts, index = np.array([2, 3, 4, 0]), np.array([0.25, 0.0, 4.0, np.inf])
    monkeypatch.setattr(objective, "evaluate_part", lambda positions: (counts, index))
    found = objective(np.zeros((4, 12)))
    assert found.fitness.tolist() == [4.0, 1.0 / 1e-12, 0.25, 0.0]
    assert found.details == {"n_clusters": counts}


def test_centres_that_a_string_holds():
    objective = StringObjective(ROWS, 3)
    position = np.array([0.6, 0.5, 1.0, 11.0, 3.0, 7.0, 7.0, 1.0, 2.0])
    assert objective.centers_of(position).tolist() == [[11.0, 3.0], [1.0, 2.0]]
    assert objective.labels_of(position).tolist() == [1, 1, 0, 0]


def test_the_nearest_centre_of_each_row():
    centers = np.array([[12.0, 5.0], [1.0, 1.0], [10.0, 0.0]])
    assert assign(ROWS, centers).tolist() == [1, 1, 2, 0]
    assert assign(ROWS, np.empty((0, 2))).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("penalty", [25.0, 10.0])
@pytest.mark.filterwarnings("error")
def test_fitness_of_subsets_is_the_inverse_of_turis_index(monkeypatch, penalty):
    given = {} if penalty == 25.0 else {"penalty": penalty}
    objective = SubsetObjective(ROWS, ROWS, **given)
    assert objective.n_threads == 1
    counts = np.array([2, 3, 5, 1, 2, 2, 2])
    intra = np.array([0.5, 2.0, 1.0, np.inf, 0.0, 1.0, 1.0])
    inter = np.array([3.0, 0.25, 1.0, 0.0, 2.0, 0.0, 1e305])
    monkeypatch.setattr(objective, "evaluate_part", lambda positions: (counts, intra, inter))
    found = objective(np.zeros((7, 4)))
    factors = penalty * norm.pdf(counts, 2.0, 1.0) + 1.0
    expected = [
        *(3.0 / (0.5 * factors[0]), 0.25 / (2.0 * factors[1]), 1.0 / factors[2], 0.0),
        *(2.0 / (1e-300 * factors[4]), 0.0, 1e300),
    ]
    np.testing.assert_allclose(found.fitness, expected, rtol=1e-12)
    assert found.details == {"n_clusters": counts}


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_bits_are_set_with_a_probability(share):
    found = SubsetObjective(ROWS, ROWS).initial(np.random.default_rng(1), 400, share)
    assert found.shape == (400, 4)
    assert set(found.ravel()) <= {0.0, 1.0}
    assert found.mean() == pytest.approx(share, abs=0.04)
    assert found.tolist() == (np.random.default_rng(1).random((400, 4)) < share).tolist()


def test_rows_of_a_subset_and_another_pool():
    objective = SubsetObjective(ROWS, np.array([[0.0, 0.0], [11.0, 3.0], [1.0, 2.0], [99.0, 9.0]]))
    assert objective.labels_of(np.array([0.5, 0.6, 1.0, 0.0])).tolist() == [1, 1, 0, 0]
    other = objective.with_pool(ROWS[[0, 3]])
    assert other.labels_of(np.array([1.0, 1.0])).tolist() == [0, 0, 1, 1]
    assert objective.pool.shape == (4, 2)
    # k-means from three centres; the one without rows is dropped.
    settled = objective.settle(np.array([[0.0, 0.0], [50.0, 9.0], [11.0, 3.0]]), 10)
    assert settled.tolist() == [[1.0, 2.0], [11.0, 3.0]]
    # Without a step centres stay.
    stay = objective.settle(np.array([[0.0, 0.0], [11.0, 4.0]]), 1)
    assert stay.tolist() == [[1.0, 2.0], [11.0, 3.0]]
