"""A projected search from its table to its clusters: recorded numbers, and their definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.weighted_sums import weighted_sum

from weft.backends import CPU
from weft.methods.projected.fitting import (
    close_dense,
    close_sparse,
    dense_space,
    make_problem,
    standard_table,
)
from weft.methods.projected.objectives import Best, PartitionObjective, WeightObjective
from weft.methods.projected.settings import Settings, SwarmSettings
from weft.methods.projected.sparse import SparseSpace
from weft.parallel.threads import thread_runner
from weft.search.swarms.clpso import CLPSO, PartitionCLPSO


def settings(**changes):
    given = {
        **{"objective": "psovw", "metric": "euclidean", "particle": "clusters", "exponent": 2.0},
        **{"strength": None, "n_particles": 3, "n_generations": 7, "polish": True},
        **{"dispersion_floor": 0.01, "standardize": True, "swarm": SwarmSettings()},
    }
    return Settings(**{**given, **changes})


def numbers():
    """Return three groups of rows in five columns of other units, the third constant."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 5))
    X[:10, 0] += 4.0
    X[10:20, 1] -= 4.0
    X[20:, 3:] += 3.0
    X[:, 2] = 7.0
    return X * [1.0, 10.0, 1.0, 0.1, 3.0] + [0.0, 50.0, 0.0, 1.0, -9.0]


def documents():
    """Return rows of counts, one of them empty."""
    counts = np.random.default_rng(3).poisson(0.6, size=(20, 9)).astype(float)
    counts[:10, :3] += 1.0
    counts[5] = 0.0
    return csr_array(counts)


def searched(given):
    """Return the problem, the evaluation of its first swarm, and the clusters that follow."""
    rng = np.random.default_rng(5)
    with thread_runner(1) as run:
        if given.metric == "jaccard":
            space = SparseSpace(documents(), 3, given.exponent, run)
        else:
            table = standard_table(numbers(), given.standardize)
            space = dense_space(table, 3, given, run, CPU)
        problem = make_problem(space, given, rng)
        evaluation = problem.objective(problem.positions)
        best = problem.best(problem.positions[evaluation.fitness.argmax()])
        if given.metric == "jaccard":
            clusters = close_sparse(space, best, given)
        else:
            clusters = close_dense(numbers(), table, space, best, given, run)
    return problem, evaluation, clusters


def told(problem, evaluation, clusters):
    """Return a whole search in a few numbers."""
    factors = np.zeros(1) if clusters.factors is None else clusters.factors
    parts = (problem.positions, evaluation.fitness, clusters.centers, clusters.weights, factors)
    return [weighted_sum(part) for part in parts] + [clusters.fitness]


UNIFORM = SwarmSettings(init="random", weight_init="uniform", max_iter=2, n_steps=1)


@pytest.mark.parametrize(
    ("changes", "labels", "expected"),
    [
        (
            {},
            "222222222200000000001111111111",
            [-1.2414982, 16.983725, 81.146066, 0.3032884, -27.357657, -19.615383],
        ),
        (
            {"polish": False},
            "222222222200000000001111111111",
            [-1.2414982, 16.983725, 81.146066, 0.3032884, -27.357657, -19.615383],
        ),
        (
            {"standardize": False, "objective": "lac"},
            "000002002010111111110000000200",
            [0.79444909, -497.80175, 52.88423, -0.018787777, -0.018787777, 579.89117],
        ),
        (
            {"objective": "ewkm", "swarm": UNIFORM},
            "111111111111111111110020022002",
            [-5.3080542, -26.230695, 44.635196, -0.61988852, -13.844668, 29.817852],
        ),
        (
            {"objective": "wkmeans", "exponent": 8.0, "strength": 1.0},
            "111111111100000000002222222222",
            [-1.2414982, 20.915388, 86.423075, 0.033448062, -27.921663, -24.156264],
        ),
        (
            {"swarm": UNIFORM, "dispersion_floor": 0.0},
            "000001001022222222220022002202",
            [-4.6157823, 21.913054, 65.008349, 0.26489451, -0.60789703, -24.772777],
        ),
        (
            {"particle": "weights"},
            "000000000022222222221111111111",
            [-1.3902485, 21.275052, 23.950773, 0.35772426, -9.1144632, -19.615383],
        ),
        (
            {"particle": "weights", "polish": False},
            "000000000022222222221111111111",
            [-1.3902485, 21.275052, 23.950773, -0.013418924, -38.033888, -24.718953],
        ),
        (
            {"particle": "weights", "objective": "wkmeans", "swarm": UNIFORM},
            "222222222212111111110000000000",
            [-0.29280827, 100.16506, 36.797837, 0.24552924, -22.142839, -24.397746],
        ),
        (
            {"particle": "weights", "objective": "lac", "polish": False, "standardize": False},
            "000202002010111111110000000200",
            [-1.3902485, -495.07906, 50.630375, -0.013418924, -0.013418924, 570.5596],
        ),
        (
            {"particle": "weights", "objective": "ewkm", "strength": 0.5},
            "000000000022222222221111111111",
            [-1.3902485, 3.304863, 23.950773, 0.74812767, 0.42048103, -2.2162941],
        ),
        (
            {"metric": "jaccard", "exponent": 1.0},
            "22121022220002101012",
            [-0.90742007, -10.324568, -2.5388911, -0.83413048, 0, 12.975207],
        ),
        (
            {"metric": "jaccard", "swarm": UNIFORM, "polish": False},
            "11111011112000002201",
            [-0.70356917, -10.182354, -0.48583646, -0.11128946, 0, 12.819667],
        ),
        (
            {"metric": "jaccard", "particle": "weights"},
            "11111011110111220021",
            [-0.74582821, -10.151175, 0.2536708, 0.030204109, 0.030204109, 12.601004],
        ),
        (
            {"metric": "jaccard", "particle": "weights", "polish": False, "swarm": UNIFORM},
            "22222022121112002220",
            [-0.54670878, -9.0583807, 3.5158569, 0.090649232, 0.090649232, 14.830547],
        ),
    ],
)
def test_recorded_searches(changes, labels, expected):
    found = searched(settings(**changes))
    assert "".join(map(str, found[2].labels)) == labels
    assert told(*found) == pytest.approx(expected, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("particle", ["clusters", "weights"])
@pytest.mark.parametrize("objective", ["psovw", "lac", "ewkm", "wkmeans"])
@pytest.mark.parametrize("polish", [True, False])
def test_clusters_by_their_definition(objective, particle, polish):
    given = settings(objective=objective, particle=particle, polish=polish)
    problem, _, found = searched(given)
    X, criterion = numbers(), problem.objective.space.criterion
    gaps = (X[:, None] - found.centers) ** 2
    assert found.labels.tolist() == (gaps * found.factors).sum(axis=2).argmin(axis=1).tolist()
    np.testing.assert_allclose(found.weights.sum(axis=1), 1.0)
    assert (found.weights[:, 2] == 0.0).all()
    assert (found.centers[:, 2] == 7.0).all()
    # In units of the deviations.
    active = [0, 1, 3, 4]
    unit = X[:, active].std(axis=0)
    shares = found.weights[:, active]
    np.testing.assert_allclose(found.factors[:, active], criterion.factors(shares) / unit**2)
    spread = np.stack([gaps[found.labels == k, k][:, active].sum(axis=0) for k in range(3)])
    value = criterion.value(shares, found.sizes, spread / unit**2)
    assert found.fitness == pytest.approx(-float(value))
    # The floor is 0.01 of each variance, 1, times the rows of a cluster, 10.
    np.testing.assert_allclose(criterion.floor, 0.1)
    assert criterion.exponent == 2.0


def test_parts_of_a_problem():
    of_clusters = searched(settings())[0]
    assert isinstance(of_clusters.objective, PartitionObjective)
    assert of_clusters.objective.n_steps == 3
    assert of_clusters.swarm == PartitionCLPSO(3)
    assert of_clusters.positions.shape == (3, 30)
    assert of_clusters.best(np.array([0.0, 2.0])).tolist() == [0, 2]
    swarm = SwarmSettings(inertia=(0.8, 0.3), acceleration=1.25, bounds="repair")
    for objective, n_groups in (("psovw", 3), ("wkmeans", 1)):
        of_weights = searched(settings(particle="weights", swarm=swarm, objective=objective))[0]
        assert isinstance(of_weights.objective, WeightObjective)
        assert of_weights.objective.n_groups == n_groups
        assert of_weights.swarm == CLPSO(7, inertia=(0.8, 0.3), acceleration=1.25, bounds="repair")
        assert of_weights.positions.shape == (3, n_groups * 4)
        assert isinstance(of_weights.best(of_weights.positions[0]), Best)
    # Without a valid particle so far, the position itself is the answer.
    of_weights.objective.best = None
    assert of_weights.best(np.array([1.0, 0.0])).tolist() == [1, 0]


@pytest.mark.parametrize("particle", ["clusters", "weights"])
def test_swarms_that_do_not_fit_in_memory_are_refused(monkeypatch, particle):
    asked = []
    monkeypatch.setattr(
        "weft.methods.projected.fitting.check_swarm", lambda *given: asked.append(given)
    )
    searched(settings(particle=particle))
    assert asked == [(3, 30 if particle == "clusters" else 3 * 4)]


def test_a_strength_that_is_given_or_follows_from_the_table():
    # The dispersion of a random cluster in a column of variance 1: 30 rows over three clusters.
    auto = searched(settings(objective="ewkm"))[0].objective.space.criterion.strength
    assert auto == pytest.approx(10.0, rel=0.05)
    lac = searched(settings(objective="lac"))[0].objective.space.criterion.strength
    assert lac == pytest.approx(1.0, rel=0.05)
    given = searched(settings(objective="ewkm", strength=0.25))[0].objective.space.criterion
    assert given.strength == 0.25


def test_the_best_weights_of_sparse_rows_are_refined_on_request():
    rows, weights = documents(), np.linspace(0.5, 1.0, 27).reshape(3, 9)
    with thread_runner(1) as run:
        space = SparseSpace(rows, 3, 1.0, run)
    best = Best(0.25, weights, space.rows(np.array([0, 1, 2])))
    plain = close_sparse(space, best, settings(metric="jaccard", polish=False))
    assert plain.fitness == 0.25
    assert plain.centers is best.centers
    assert plain.labels.tolist() == space.assign_by_weights(weights, best.centers).tolist()
    labels, centers, fitness = space.settle_one(plain.labels, weights, 300)
    refined = close_sparse(space, best, settings(metric="jaccard"))
    assert refined.fitness == fitness != 0.25
    np.testing.assert_array_equal(refined.centers, centers)
    assert refined.labels.tolist() == labels.tolist() != plain.labels.tolist()
    for found in (plain, refined):
        np.testing.assert_allclose(found.weights, weights / weights.sum(axis=1, keepdims=True))
        assert found.factors is weights
