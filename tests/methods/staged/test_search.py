"""The search in stages with known positions: what each stage is asked for, and what it returns."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from weft.backends import CPU
from weft.methods.staged import ClusterEstimate, search
from weft.methods.staged.estimate import estimate_n_clusters
from weft.methods.staged.objectives import CentroidObjective, MedoidObjective, Partition, Terms
from weft.methods.staged.search import StagedSearch, polished, search_stages
from weft.search.swarms.base import Evaluation
from weft.search.swarms.staged import StagedPSO

# Two groups of three rows along the first column, centred; the second column is small.
ROWS = np.array([[-5.0, 0.0], [-4.0, 0.1], [-6.0, -0.1], [5.0, 0.0], [4.0, 0.1], [6.0, -0.1]])
TOTAL = float((ROWS**2).sum() / 6)


def position(features, medoids):
    """Return the position of features and medoids, by their numbers."""
    found = np.full(2 + 6 + 1, -1.0)
    found[features] = 1.0
    found[np.add(medoids, 2)] = 1.0
    found[-1] = 0.0
    return found


def searched(positions, fitness, **options):
    """Search with given best positions and return the answer and what each stage was asked for."""
    asked, given = [], iter(zip(positions, fitness, strict=True))

    def move(objective, swarm, start, rng, *, title, columns):
        asked.append((objective, swarm, start, title, columns))
        best, value = next(given)
        return SimpleNamespace(position=np.asarray(best), fitness=value)

    settings = StagedSearch(**{"n_particles": 3, "max_clusters": 4, **options})
    return search_stages(ROWS, settings, 7, move), asked


KNOWN = {"estimate": ClusterEstimate(3)}


@pytest.mark.parametrize(("stages", "estimate"), [(1, None), (2, 3)])
def test_a_search_for_medoids_only(stages, estimate):
    found, asked = searched([position([0], [1, 4])], [0.5], stages=stages, **KNOWN)
    assert found.n_clusters_estimate == estimate
    assert found.partition.labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert found.partition.features.tolist() == [0]
    assert found.partition.prototypes.tolist() == [[-4.0], [4.0]]
    assert len(found.stages) == 1
    objective, swarm, start, title, columns = asked[0]
    assert isinstance(objective, MedoidObjective)
    assert objective.n_threads == 1
    assert start.shape == (3, 9)
    assert (title, columns) == (f"stage {stages}", {"stage": stages})
    assert swarm == StagedPSO().at_stage(stages, polished=False)


def test_centroids_after_medoids():
    found, asked = searched(
        [position([0], [1, 4]), [-5.5, 5.5]], [0.5, 0.75], stages=3, n_threads=2, **KNOWN
    )
    assert found.partition.prototypes.tolist() == [[-5.5], [5.5]]
    assert [best.fitness for best in found.stages] == [0.5, 0.75]
    assert [each[3:] for each in asked] == [("stage 2", {"stage": 2}), ("stage 3", {"stage": 3})]
    objective, swarm, start = asked[1][:3]
    assert isinstance(objective, CentroidObjective)
    assert [each[0].n_threads for each in asked] == [2, 2]
    assert start.tolist() == [[-4.0, 4.0]] * 3
    assert swarm == StagedPSO().at_stage(3, polished=False)


@pytest.mark.parametrize("fitness", [0.0, 1e-9])
def test_without_a_solution_all_rows_are_one_cluster(fitness):
    found, asked = searched([position([0], [1, 4])], [fitness], polish="lloyd", **KNOWN)
    assert asked[0][1] == StagedPSO().at_stage(2, polished=True)
    assert len(asked) == len(found.stages) == 1
    assert bool(found.partition.labels.any()) is (fitness > 0.0)
    if fitness == 0.0:
        assert found.partition.labels.tolist() == [0] * 6
        assert found.partition.prototypes.tolist() == [[0.0, 0.0]]
        assert found.partition.features.tolist() == [0, 1]
        assert found.partition.selected is found.partition.features


@pytest.mark.parametrize("polish", ["lloyd", "prune"])
def test_the_polish_uses_all_features(polish):
    found, _ = searched([position([0], [0, 3])], [0.5], polish=polish, **KNOWN)
    np.testing.assert_allclose(found.partition.prototypes, [[-5.0, 0.0], [5.0, 0.0]], atol=1e-12)
    assert found.partition.features.tolist() == [0, 1]
    assert found.partition.selected.tolist() == [0]


def test_the_best_of_all_centres_to_drop_is_dropped():
    # Rows 0, 1, 10, 11, 30, 31 with a centre for each pair and two for the last: pruned to three.
    rows = np.array([[0.0], [1.0], [10.0], [11.0], [30.0], [31.0]])
    rows -= rows.mean(axis=0)
    terms = Terms(6, 1, float((rows**2).sum() / 6), 5, k_estimate=3.0, k_spread=6.0)
    labels = np.array([0, 0, 1, 1, 2, 3])
    given = Partition(labels, np.array([0]), rows[[0, 2, 4, 5]])
    assert polished(given, rows, terms, "lloyd").labels.tolist() == [0, 0, 1, 1, 2, 3]
    found = polished(given, rows, terms, "prune")
    assert found.labels.tolist() == [0, 0, 1, 1, 2, 2]
    np.testing.assert_allclose(
        found.prototypes, [rows[:2].mean(0), rows[2:4].mean(0), rows[4:].mean(0)]
    )
    # Two centres stay, even if one were as good.
    two = Terms(6, 1, terms.total, 5, k_estimate=1.0)
    given = Partition(np.array([0, 0, 0, 0, 1, 1]), np.array([0]), rows[[0, 4]])
    assert polished(given, rows, two, "prune").labels.tolist() == [0, 0, 0, 0, 1, 1]


# Settings of a search ----------------------------------------------------------------------------


def test_defaults_of_a_search():
    assert StagedSearch() == StagedSearch(
        2, None, "between-within", None, ClusterEstimate(), None, 100, StagedPSO(), CPU, 1
    )
    assert StagedSearch(n_threads=3).where == {"backend": CPU, "n_threads": 3}


@pytest.mark.parametrize(
    ("options", "n_rows", "expected"),
    [
        ({"stages": 1}, 9, None),
        ({"stages": 1, **KNOWN}, 9, None),
        (KNOWN, 9, 3),
        ({}, 26, ("cap", 5)),
        ({}, 3, ("cap", 2)),
        ({"max_clusters": 7}, 26, ("cap", 7)),
        ({"max_clusters": 40}, 26, ("cap", 26)),
    ],
)
def test_the_estimate_that_is_used(monkeypatch, options, n_rows, expected):
    def estimate(rows, *, n_estimates, max_clusters, rng, backend, n_threads):
        assert (len(rows), n_estimates, n_threads) == (n_rows, 30, 1)
        return SimpleNamespace(n_clusters=("cap", max_clusters))

    monkeypatch.setattr(search, "estimate_n_clusters", estimate)
    assert StagedSearch(**options).count(np.zeros((n_rows, 1)), None) == expected


@pytest.mark.parametrize(
    ("options", "estimate", "expected"),
    [
        ({}, 4, {"k_estimate": 4.0}),
        ({"stages": 1}, None, {"k_term": "inverse", "feature_term": "linear"}),
        ({"stages": 3}, 4, {"k_estimate": 4.0}),
        ({"feature_term": "none", "stages": 1}, 4, {"feature_term": "none", "k_estimate": 4.0}),
        ({"quality": "calinski-harabasz"}, None, {"quality": "calinski-harabasz"}),
        ({"max_clusters": 5}, None, {"max_clusters": 5}),
        ({"estimate": ClusterEstimate(k_spread=3.0)}, 2, {"k_spread": 3.0}),
    ],
)
def test_terms_of_a_search(options, estimate, expected):
    given = {"max_clusters": 2, "k_term": "inverse" if estimate is None else "gaussian"}
    assert StagedSearch(**options).terms(ROWS, estimate) == Terms(
        **{"n_rows": 6, "n_features": 2, "total": TOTAL, **given, **expected}
    )


# Fitness -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "n_selected", "n_clusters", "expected"),
    [
        # Between 4, within 1. One of three features: √8 / 3; K_est 6, σ 4, K 3: exp(-9/32).
        ({"k_estimate": 6.0}, 1, 3, 4.0 * np.sqrt(8.0) / 3.0 * np.exp(-9.0 / 32.0)),
        ({"k_term": "none"}, 2, 2, 4.0 * np.sqrt(5.0) / 3.0),
        ({"k_term": "none"}, 2, 7, 4.0 * np.sqrt(5.0) / 3.0),
        ({"k_term": "none"}, 2, 8, 0.0),
        ({"k_term": "none"}, 2, 1, 0.0),
        ({"k_term": "none"}, 0, 2, 0.0),
        ({"k_term": "none"}, 3, 2, 0.0),
        # A single feature has no term; with two, the second matters.
        ({"k_term": "none", "n_features": 1}, 1, 2, 4.0),
        ({"k_term": "none", "n_features": 2}, 1, 2, 4.0 * np.sqrt(3.0) / 2.0),
        ({"k_term": "none", "n_features": 1, "feature_term": "linear"}, 1, 2, 4.0),
        ({"k_term": "inverse", "feature_term": "none"}, 3, 4, 4.0 / 5.0),
        # As many clusters as rows: n - K counts as 1.
        ({"k_term": "none", "quality": "calinski-harabasz", "n_features": 1}, 1, 7, 4.0 / 6.0),
        ({"k_term": "none", "quality": "calinski-harabasz", "n_features": 1}, 1, 3, 8.0),
    ],
)
def test_factors_of_the_fitness(changes, n_selected, n_clusters, expected):
    terms = Terms(**{"n_rows": 7, "n_features": 3, "total": 5.0, "max_clusters": 7, **changes})
    found = terms.fitness(np.array([4.0]), np.array([n_selected]), np.array([n_clusters]))
    assert found == pytest.approx([expected])


@pytest.mark.filterwarnings("error")
def test_fitness_without_spread():
    # Equal rows have no spread at all; perfect clusters have 1e-12 of it left.
    terms = Terms(4, 1, 0.0, 3, k_term="none")
    assert terms.fitness(np.zeros(1), np.ones(1, int), np.full(1, 2)).tolist() == [0.0]
    perfect = Terms(4, 1, 0.5, 3, k_term="none")
    found = perfect.fitness(np.full(1, 0.5), np.ones(1, int), np.full(1, 2))
    assert found == pytest.approx([1e12])
    small = Terms(4, 1, 0.5, 3, k_term="none")
    assert small.fitness(np.full(1, 0.25), np.ones(1, int), np.full(1, 2)).tolist() == [1.0]
    assert Terms(4, 1, 0.5, 3) == Terms(
        4, 1, 0.5, 3, "between-within", "elliptical", "gaussian", 2.0, 1.5
    )


class NeverValid(MedoidObjective):
    """No particle has a fitness."""

    def __call__(self, positions):
        return Evaluation(np.zeros(len(positions)), {})


@pytest.mark.parametrize("n_features", [1, 2])
@pytest.mark.parametrize(("k_estimate", "n_medoids"), [(1.0, 2), (3.4, 3), (9.0, 5)])
@pytest.mark.parametrize("seed", range(6))
def test_a_first_position_with_the_estimated_number_of_medoids(
    seed, k_estimate, n_medoids, n_features
):
    rows = np.random.default_rng(1).normal(size=(6, n_features))
    terms = Terms(6, n_features, 1.0, 2, k_estimate=k_estimate)
    found = NeverValid(rows, terms).initial(np.random.default_rng(seed), 2)
    rng = np.random.default_rng(seed)
    drawn = rng.uniform(-1.0, 1.0, (2, n_features + 7))
    selected = rng.integers(n_features)
    assert found[1].tolist() == drawn[1].tolist()
    assert found[0, n_features:-1].tolist() == drawn[0, n_features:-1].tolist()
    # An instance above the threshold is a medoid.
    assert (found[0, n_features:-1] > found[0, -1]).sum() == n_medoids
    features = drawn[0, :n_features].copy()
    features[selected] = 0.5
    if n_features == 2 and features[1 - selected] >= 0.0:
        features[1 - selected] = -0.5
    assert found[0, :n_features].tolist() == features.tolist()


def test_positions_with_a_fitness_stay_as_they_are():
    class SomeValid(NeverValid):
        def __call__(self, positions):
            return Evaluation(np.array([0.0, 1e-9]), {})

    found = SomeValid(ROWS, Terms(6, 2, TOTAL, 3)).initial(np.random.default_rng(0), 2)
    assert found.tolist() == np.random.default_rng(0).uniform(-1.0, 1.0, (2, 9)).tolist()
    assert SomeValid(ROWS, Terms(6, 2, TOTAL, 3)).n_threads == 1
    assert CentroidObjective(ROWS, np.array([0]), Terms(6, 2, TOTAL, 3)).n_threads == 1


# Stage 1 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_rows", "most", "sizes"), [(9, 4, [2, 3, 4]), (3, 9, [2, 3]), (2, 2, [2]), (9, 1, [1])]
)
def test_starts_of_the_first_stage(n_rows, most, sizes):
    asked = []

    def silhouettes(data, starts, largest, n_steps, n_threads):
        asked.append((data, starts, largest, n_steps, n_threads))
        return np.tile(np.arange(float(len(sizes))), 2)

    operations = SimpleNamespace(
        load=lambda rows, device: (len(rows), device), kmeans_silhouettes=silhouettes
    )
    backend = SimpleNamespace(prototypes=operations, device="somewhere")
    found = estimate_n_clusters(
        np.zeros((n_rows, 1)),
        n_estimates=2,
        max_clusters=most,
        rng=np.random.default_rng(0),
        backend=backend,
    )
    assert (found.n_clusters, found.votes.tolist()) == (sizes[-1], [sizes[-1]] * 2)
    assert found.silhouettes.tolist() == [list(range(len(sizes)))] * 2
    data, starts, largest, n_steps, n_threads = asked[0]
    assert (data, n_steps, n_threads) == ((n_rows, "somewhere"), 100, 1)
    assert largest == min(most, n_rows)
    assert [len(start) for start in starts] == sizes * 2
    assert all(len(set(start)) == len(start) for start in starts)
