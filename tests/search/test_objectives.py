"""From positions to fitness: by hand, and where a particle has nothing to offer."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from weft import metrics
from weft.backends import CPU
from weft.search.clusterers import make_clusterer
from weft.search.criteria import CRITERIA, make_criterion
from weft.search.objectives import FeatureObjective, FeatureSearch, search_features
from weft.search.particles import WeightExponentParticle, WeightParticle

# The search runs in single precision; what float64 gives is tested in tests/metrics.
SINGLE = 1e-5


def _objective(X, *, clusterer="knn", criterion="csc", particle=None, **options):
    X = np.asarray(X, dtype=float)
    return FeatureObjective(
        X,
        particle or WeightParticle(X.shape[1]),
        make_clusterer(
            clusterer,
            options.get("clusterer_params"),
            n_clusters=options.get("n_clusters"),
            seed=0,
        ),
        make_criterion(criterion, options.get("criterion_params")),
        backend=CPU,
        max_memory=options.get("max_memory", 2**30),
        n_jobs=options.get("n_jobs", 1),
    )


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(c, 0.5, (20, 3)) for c in (0.0, 6.0, 12.0)])


def test_csc_takes_silhouette_weighted_and_connectedness_full(blobs):
    position = np.array([0.5, -1.0, 2.0])
    weighted = blobs[:, [0, 2]] * [0.5, 2.0]
    labels = np.repeat([0, 1, 2], 20)
    expected = metrics.silhouette(weighted, labels) * metrics.connectedness(blobs, labels)
    outcome = _objective(blobs).evaluate(position)
    assert outcome.fitness == pytest.approx(expected, rel=SINGLE)
    assert (outcome.n_features, outcome.n_clusters) == (2, 3)


@pytest.mark.parametrize("silhouette", ["weighted", "full"])
@pytest.mark.parametrize("connectedness", ["weighted", "full"])
def test_the_four_variants_of_table_4_3(blobs, silhouette, connectedness):
    position = np.array([0.5, -1.0, 2.0])
    table = {"weighted": blobs[:, [0, 2]] * [0.5, 2.0], "full": blobs}
    labels = np.repeat([0, 1, 2], 20)
    expected = metrics.silhouette(table[silhouette], labels) * metrics.connectedness(
        table[connectedness], labels
    )
    params = {"silhouette": silhouette, "connectedness": connectedness}
    fitness = _objective(blobs, criterion_params=params).evaluate(position).fitness
    assert fitness == pytest.approx(expected, rel=SINGLE)


@pytest.mark.parametrize("name", ["bcr", "bic"])
def test_statistical_criteria_see_the_full_data(blobs, name):
    labels = np.repeat([0, 1, 2], 20)
    expected = getattr(metrics, name)(blobs, labels, artificial_noise=0.1)
    fitness = _objective(blobs, criterion=name).evaluate(np.array([0.5, -1.0, 2.0])).fitness
    assert fitness == pytest.approx(expected, rel=SINGLE)


def test_sparsity_is_better_when_lower(blobs):
    weighted = blobs[:, [0]] * 0.5
    objective = _objective(blobs, criterion="sparsity")
    position = np.array([0.5, -1.0, -1.0])
    labels = objective.cluster(objective.particle.decode(position)).labels
    assert objective.evaluate(position).fitness == pytest.approx(
        -metrics.sparsity(weighted, labels),
        rel=1e-3,  # the distances of near rows: three digits
    )


@pytest.mark.parametrize("clusterer", ["knn", "dbscan", "linkage", "affinity"])
def test_the_best_particle_is_not_clustered_again(blobs, clusterer):
    options = {"n_clusters": 3} if clusterer == "linkage" else {}
    positions = np.random.default_rng(2).uniform(0.1, 2.0, (9, 3))
    objective = _objective(blobs, clusterer=clusterer, **options)
    fitness = [outcome.fitness for outcome in objective.evaluate_part(positions)]
    best, other = (objective.particle.decode(positions[p]) for p in np.argsort(fitness)[[-1, 0]])
    expected = _objective(blobs, clusterer=clusterer, **options).cluster(best)
    objective.clusterer = None  # whoever asks it now gets an error
    found = objective.cluster(best)
    np.testing.assert_array_equal(found.labels, expected.labels)
    np.testing.assert_array_equal(found.anchors, expected.anchors)
    assert found[2:] == expected[2:]
    with pytest.raises(AttributeError):
        objective.cluster(other)


@pytest.mark.parametrize("clusterer", ["knn", "dbscan", "linkage", "affinity"])
def test_particles_with_exponents_get_the_same_bits_alone_and_together(blobs, clusterer):
    options = {"n_clusters": 3} if clusterer == "linkage" else {}
    particle = WeightExponentParticle(3)
    positions = np.random.default_rng(1).uniform(-2.0, 2.0, (19, 6))
    positions[7, :3] = -1.0  # nothing kept
    positions[9] = positions[3]
    outcomes = []
    # Room for eight, for two, and for one without its matrix (or, with messages, for just one).
    matrix = 4 * len(blobs) ** 2
    for room in (2**30, 8 * matrix, 6 * matrix if clusterer == "affinity" else 2 * matrix):
        objective = _objective(
            blobs, clusterer=clusterer, particle=particle, max_memory=room, **options
        )
        outcomes.append(objective.evaluate_part(positions))
        alone = _objective(
            blobs, clusterer=clusterer, particle=particle, max_memory=room, **options
        )
        assert [alone.evaluate(position) for position in positions] == outcomes[-1]
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert outcomes[0][7] == (-np.inf, 0, 0)
    assert len({outcome.fitness for outcome in outcomes[0]}) > 5


def test_exponents_change_the_distance(blobs):
    # Eq. 6.1 by brute force on two features, with the root at the mean of the kept exponents.
    particle = WeightExponentParticle(3)
    position = np.array([0.5, -1.0, 2.0, -1.0, 0.0, 1.0])  # p = 1.5, (2), 2.5
    objective = _objective(blobs, particle=particle, criterion="silhouette")
    gap = np.abs(blobs[:, np.newaxis, [0, 2]] - blobs[np.newaxis, :, [0, 2]]) * [0.5, 2.0]
    distances = (gap ** [1.5, 2.5]).sum(axis=-1) ** (1 / 2.0)
    labels = np.repeat([0, 1, 2], 20)
    expected = metrics.silhouette(distances, labels, metric="precomputed")
    assert objective.evaluate(position).fitness == pytest.approx(expected, rel=SINGLE)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_no_particle_is_ever_nan_or_an_exception(criterion):
    rng = np.random.default_rng(0)
    tables = {
        "constant": np.ones((9, 2)),
        "duplicates": np.repeat(rng.normal(size=(3, 2)), 3, axis=0),
        "one column constant": np.column_stack([np.zeros(9), np.arange(9.0)]),
        "binary": rng.integers(0, 2, (9, 2)).astype(float),
        "tiny": 1e-200 * rng.normal(size=(9, 2)),
    }
    swarm = np.array([[0.0, 0.0], [-1.0, -2.0], [1.0, 1.0], [1e-300, 1.0], [1e100, -1.0]])
    for X in tables.values():
        for clusterer, n_clusters in [
            ("knn", None),
            ("dbscan", None),
            ("affinity", None),
            ("linkage", 9),
        ]:
            objective = _objective(
                X, clusterer=clusterer, criterion=criterion, n_clusters=n_clusters
            )
            fitness = objective(swarm).fitness
            assert fitness.shape == (5,)
            assert not np.isnan(fitness).any()
            assert (fitness[:2] == -np.inf).all()  # all features dropped
            assert (fitness < np.inf).all()


def test_one_cluster_all_noise_and_unsettled_messages_are_infeasible(blobs):
    one = _objective(blobs, clusterer_params={"n_neighbors": 59})
    assert one.evaluate(np.ones(3)).fitness == -np.inf
    noise = _objective(blobs, clusterer="dbscan", clusterer_params={"eps": 1e-9})
    assert noise.evaluate(np.ones(3)) == (-np.inf, 3, 0)
    unsettled = _objective(blobs, clusterer="affinity", clusterer_params={"max_iter": 2})
    assert unsettled.evaluate(np.ones(3)).fitness == -np.inf


def test_outliers_are_a_cluster_or_left_out(blobs):
    X = np.concatenate([blobs, [[3.0, 3.0, 3.0]]])
    labels = np.append(np.repeat([0, 1, 2], 20), -1)
    for outliers in ("cluster", "exclude"):
        objective = _objective(
            X,
            clusterer="dbscan",
            clusterer_params={"eps": 1.8},
            criterion="bcr",
            criterion_params={"outliers": outliers},
        )
        assert objective.evaluate(np.ones(3)).fitness == pytest.approx(
            metrics.bcr(X, labels, noise=outliers), rel=1e-10
        )


def test_threads_memory_and_processes_do_not_change_a_bit(blobs):
    rng = np.random.default_rng(1)
    swarm = rng.uniform(-2, 2, (12, 3))
    expected = _objective(blobs)(swarm).fitness
    small = _objective(blobs, max_memory=1)
    assert not small.data.hold_matrix
    np.testing.assert_array_equal(small(swarm).fitness, expected)
    with _objective(blobs, n_jobs=3) as threaded:
        np.testing.assert_array_equal(threaded(swarm).fitness, expected)
    elsewhere = pickle.loads(pickle.dumps(_objective(blobs)))
    np.testing.assert_array_equal(elsewhere(swarm).fitness, expected)


def test_a_function_may_be_the_criterion(blobs):
    from sklearn.metrics import calinski_harabasz_score

    objective = _objective(blobs, criterion=calinski_harabasz_score)
    labels = np.repeat([0, 1, 2], 20)
    expected = calinski_harabasz_score(blobs[:, :2] * [1.0, 2.0], labels)
    assert objective.evaluate(np.array([1.0, 2.0, -1.0])).fitness == pytest.approx(expected)


def test_wrong_settings_are_named(blobs):
    with pytest.raises(ValueError, match="'dunn' is not known; choose one of 'csc'"):
        _objective(blobs, criterion="dunn")
    with pytest.raises(ValueError, match="no parameter 'alpha'; it takes: outliers, silhouette"):
        _objective(blobs, criterion_params={"alpha": 1})
    with pytest.raises(ValueError, match="silhouette='both' is not known"):
        _objective(blobs, criterion_params={"silhouette": "both"})
    with pytest.raises(ValueError, match="bind the parameters"):
        _objective(blobs, criterion=lambda X, labels: 0.0, criterion_params={"a": 1})


def test_a_partition_is_scored_once_where_labels_decide(blobs, monkeypatch):
    objective = _objective(blobs, criterion="bcr")
    calls = []
    score = type(objective.criterion).score
    monkeypatch.setattr(
        type(objective.criterion),
        "score",
        lambda self, *rest: calls.append(1) or score(self, *rest),
    )
    fitness = objective(np.array([[1.0, 1.0, 1.0], [0.9, 1.1, 1.0], [1.2, 1.0, 1.0]])).fitness
    assert len(calls) == 1
    assert len(set(fitness)) == 1


def test_a_particle_that_was_seen_is_not_evaluated_again(blobs):
    objective = _objective(blobs)
    seen = []
    cluster = objective.clusterer.cluster
    counting = type("Counting", (), {"cluster": lambda _, space: seen.append(1) or cluster(space)})
    objective.clusterer = counting()
    # The second differs from the first only in a feature that both drop.
    positions = np.array([[0.5, -1.0, 2.0], [0.5, -0.3, 2.0], [0.5, 0.1, 2.0], [0.5, -1.0, 2.0]])
    fitness = objective(positions).fitness
    assert len(seen) == 2
    assert fitness[0] == fitness[1] == fitness[3] != fitness[2]


def test_one_neighbour_is_the_fewest_of_connectedness():
    assert CRITERIA["connectedness"](n_neighbors=1).n_neighbors == 1
    with pytest.raises(ValueError, match="n_neighbors=0 must be"):
        CRITERIA["connectedness"](n_neighbors=0)


def test_the_cap_of_connectedness_is_above_0():
    assert CRITERIA["connectedness"](cap=1e-9).cap == 1e-9
    with pytest.raises(ValueError, match=r"cap=0\.0 must be"):
        CRITERIA["connectedness"](cap=0.0)
    with pytest.raises(ValueError, match="features='none' is not known"):
        CRITERIA["connectedness"](features="none")


def _search(particle, **options):
    return FeatureSearch(
        particle,
        make_clusterer("knn", None, n_clusters=None, seed=0),
        make_criterion("silhouette", None),
        "swarm",
        CPU,
        **options,
    )


def test_a_search_has_30_particles_and_a_gibibyte():
    search = _search(WeightParticle(3))
    assert (search.n_particles, search.init, search.n_jobs) == (30, "uniform", None)
    assert search.max_memory == 1024 * 1024 * 1024


@pytest.mark.parametrize("exponents", [False, True])
@pytest.mark.parametrize("is_found", [False, True])
def test_a_search_returns_the_best_position_or_all_features(blobs, exponents, is_found):
    particle = WeightExponentParticle(3) if exponents else WeightParticle(3)
    position = np.array([0.5, -1.0, 2.0, -1.0, 0.0, 1.0])[: particle.n_dimensions]
    seen = []

    def move(objective, swarm, positions, rng):
        seen.append((swarm, positions.shape))
        return SimpleNamespace(position=position, fitness=0.25 if is_found else -np.inf)

    found = search_features(blobs, _search(particle, n_particles=7), 0, move)
    assert seen == [("swarm", (7, particle.n_dimensions))]
    assert found.best.position is position
    assert found.clustering.labels.tolist() == np.repeat([0, 1, 2], 20).tolist()
    np.testing.assert_array_equal(found.anchors, blobs[found.clustering.anchors])
    if not is_found:
        assert found.fitness == -np.inf
        assert found.solution.weights.tolist() == [1.0, 1.0, 1.0]
        expected = [2.0, 2.0, 2.0]
    else:
        # The fitness is computed again in double precision.
        objective = _objective(blobs, criterion="silhouette", particle=particle)
        exact = objective.score(found.solution, found.clustering)
        assert found.fitness == exact != 0.25
        assert found.solution.weights.tolist() == [0.5, 0.0, 2.0]
        expected = [1.5, 2.0, 2.5]
    if exponents:
        assert found.solution.exponents.tolist() == expected
    else:
        assert found.solution.exponents is None
