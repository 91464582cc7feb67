"""Stage 1's estimate, and the fitness of stages 2 and 3."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import calinski_harabasz_score

from weft.methods.staged.estimate import estimate_n_clusters, largest_number
from weft.methods.staged.objectives import CentroidObjective, MedoidObjective, Partition, Terms


def centred(rows):
    return np.ascontiguousarray(rows - rows.mean(axis=0))


def test_the_cap_is_the_root_of_n():
    # 2335 rows: the printed 48 of 50d40c; 2212: 47 of 100d40c; 1339: 36 of 100d20c.
    assert [largest_number(n) for n in (2335, 2212, 1339, 2, 3, 4, 9)] == [48, 47, 36, 2, 2, 2, 3]


@pytest.mark.parametrize("k", [2, 3])
def test_the_estimate_finds_plain_blobs(k):
    rows, _ = make_blobs(150, centers=k, cluster_std=0.3, random_state=k)
    found = estimate_n_clusters(rows, n_estimates=30, max_clusters=12, rng=np.random.default_rng(0))
    assert found.n_clusters == k
    assert found.votes.shape == (30,)
    assert found.silhouettes.shape == (30, 11)


def test_the_median_of_votes_rounds_half_up():
    rows = np.random.default_rng(0).normal(size=(20, 2))
    scores = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # votes 2 and 3: median 2.5
    operations = SimpleNamespace(
        load=lambda rows, device: rows, kmeans_silhouettes=lambda *_: scores.ravel()
    )
    backend = SimpleNamespace(prototypes=operations, device="cpu")
    found = estimate_n_clusters(
        rows, n_estimates=2, max_clusters=4, rng=np.random.default_rng(0), backend=backend
    )
    assert found.n_clusters == 3


def test_terms_by_hand():
    # T = 5, Between = 4, Within = 1: quality 4. m' = 3 of m = 5: elliptical √(25-9)/5 = 0.8,
    # linear 0.4. K_est = 3, K = 5: σ = 2, exp(-4/8) = e^-0.5; D-PSO's factor 1/6.
    def value(**changes):
        terms = Terms(20, 5, 5.0, 6, **{"k_estimate": 3.0, **changes})
        return terms.fitness(np.array([4.0]), np.array([3]), np.array([5]))[0]

    assert value() == pytest.approx(4.0 * 0.8 * np.exp(-0.5))
    assert value(feature_term="linear") == pytest.approx(4.0 * 0.4 * np.exp(-0.5))
    assert value(k_term="inverse") == pytest.approx(4.0 * 0.8 / 6.0)
    assert value(k_term="none", feature_term="none") == pytest.approx(4.0)
    # Calinski–Harabasz: times (n - K)/(K - 1) = 15/4.
    ch = value(k_term="none", feature_term="none", quality="calinski-harabasz")
    assert ch == pytest.approx(15.0)


def test_invalid_particles_have_fitness_0():
    terms = Terms(20, 5, 5.0, 6)
    between = np.full(4, 4.0)
    fitness = terms.fitness(between, np.array([0, 2, 2, 2]), np.array([3, 1, 7, 6]))
    assert (fitness[:3] == 0.0).all()
    assert fitness[3] > 0.0


def test_perfect_clusters_have_a_finite_fitness():
    terms = Terms(4, 2, 1.0, 2)
    fitness = terms.fitness(np.array([1.0]), np.array([1]), np.array([2]))
    assert np.isfinite(fitness).all()


def test_the_quality_is_calinski_harabasz_of_scikit_learn():
    rows = centred(make_blobs(60, centers=4, random_state=1)[0])
    total = float((rows**2).sum() / 60)
    terms = Terms(60, 2, total, 7, "calinski-harabasz", "none", "none")
    objective = MedoidObjective(rows, terms)
    position = np.full(objective.n_dimensions, -1.0)
    position[:2] = 1.0  # both features
    position[[2, 20, 40]] = 1.0  # three medoids
    position[-1] = 0.0
    labels = objective.decode(position).labels
    fitness = objective(position[np.newaxis]).fitness[0]
    assert fitness == pytest.approx(calinski_harabasz_score(rows, labels), rel=1e-10)


def test_some_particle_is_a_solution_at_the_start():
    # 3000 rows: with thresholds in [-1, 1] next to all particles have far above √3000 medoids.
    rows = centred(np.random.default_rng(0).normal(size=(3000, 3)))
    terms = Terms(3000, 3, float((rows**2).sum() / 3000), largest_number(3000), k_estimate=4.0)
    objective = MedoidObjective(rows, terms)
    for seed in range(5):
        start = objective.initial(np.random.default_rng(seed), 10)
        assert objective(start).fitness.max() > 0.0


def test_stage_3_starts_from_stage_2s_fitness():
    rows = centred(make_blobs(80, centers=3, random_state=2)[0])
    terms = Terms(80, 2, float((rows**2).sum() / 80), 8, k_estimate=3.0)
    medoids = MedoidObjective(rows, terms)
    start = medoids.initial(np.random.default_rng(0), 200)
    evaluation = medoids(start)
    leader = int(evaluation.fitness.argmax())
    found = medoids.decode(start[leader])
    centroids = CentroidObjective(rows, found.features, terms)
    again = centroids(found.prototypes.reshape(1, -1))
    assert again.fitness[0] == evaluation.fitness[leader]
    assert again.details["n_clusters"][0] == evaluation.details["n_clusters"][leader]


def test_partitions_are_numbered_by_first_row():
    # The rows 3 and 2.9 belong to the prototype 3, then comes one of 0, then one of 2; 9 has none.
    rows, prototypes = (
        np.array([[3.0], [2.9], [0.0], [2.0], [0.1]]),
        np.array([[0.0], [2], [9], [3]]),
    )
    found = Partition.nearest(rows, np.array([0]), prototypes)
    assert found.labels.tolist() == [0, 0, 1, 2, 1]
    assert found.prototypes.ravel().tolist() == [3.0, 0.0, 2.0]
    assert found.selected.tolist() == [0]
    polished = Partition.nearest(rows, np.array([0]), prototypes, selected=np.array([1]))
    assert polished.selected.tolist() == [1]
