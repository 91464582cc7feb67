"""Settings of a projected search, states of its objectives, and sparse rows by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

from weft.methods.projected.criteria import Criterion, shares_of
from weft.methods.projected.dense import DenseSpace
from weft.methods.projected.objectives import (
    Best,
    PartitionObjective,
    WeightObjective,
    count_clusters,
)
from weft.methods.projected.settings import (
    Objective,
    Settings,
    SwarmSettings,
    read_exponent,
    read_settings,
)
from weft.methods.projected.sparse import SparseSpace
from weft.methods.projected.starts import draw_rows, plus_plus
from weft.parallel.threads import thread_runner

# Settings ----------------------------------------------------------------------------------------


def model(**changes):
    given = {
        **{"swarm": None, "objective": "psovw", "metric": "euclidean", "device": "cpu"},
        **{"n_particles": 10, "n_evaluations": 25, "weight_exponent": "auto", "polish": True},
        **{"particle": "clusters", "standardize": False},
    }
    return SimpleNamespace(**{**given, **changes})


def test_settings_that_are_read():
    expected = Settings(
        "psovw", "euclidean", "clusters", 8.0, None, 10, 2, True, 1e-4, False, SwarmSettings()
    )
    assert read_settings(model()) == expected
    assert (expected.averaged, expected.closing_rounds) == (False, 300)
    swarm = SwarmSettings(max_iter=7)
    record = Objective("lac", strength=0.5, dispersion_floor=0.25)
    found = read_settings(
        model(
            **{"swarm": swarm, "objective": record, "weight_exponent": 3, "n_evaluations": 10},
            **{"particle": "weights", "polish": False, "standardize": True},
        )
    )
    assert found == Settings(
        "lac", "euclidean", "weights", 3.0, 0.5, 10, 1, False, 0.25, True, swarm
    )
    assert (found.averaged, found.closing_rounds) == (True, 0)
    assert read_settings(model(swarm=swarm)).closing_rounds == 7
    jaccard = read_settings(model(metric="jaccard", device="auto"))
    assert (jaccard.metric, jaccard.exponent) == ("jaccard", 1.0)
    assert [read_exponent("auto", metric) for metric in ("euclidean", "jaccard")] == [8.0, 1.0]
    assert read_exponent(2, "jaccard") == 2.0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"metric": "jaccard", "device": "cuda"}, "device='cuda' is not available"),
        ({"metric": "jaccard", "objective": "lac"}, "objective='lac' is not available"),
        ({"n_evaluations": 9}, "n_evaluations=9 must be at least 10"),
        ({"weight_exponent": 0.5}, "weight_exponent=0.5 has no closed-form weights"),
        ({"weight_exponent": 0.5, "objective": "wkmeans"}, "no closed-form weights"),
        ({"weight_exponent": 0.5, "particle": "weights"}, "no closed-form weights"),
        ({"weight_exponent": 0.5, "polish": False}, "no closed-form weights"),
    ],
)
def test_settings_that_do_not_go_together(changes, words):
    with pytest.raises(ValueError, match=words):
        read_settings(model(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"device": "cuda"},
        {"weight_exponent": 1.0},
        {"weight_exponent": 0.5, "metric": "jaccard"},
        {"weight_exponent": 0.5, "objective": "ewkm"},
        {"weight_exponent": 0.5, "particle": "weights", "polish": False},
    ],
)
def test_settings_that_go_together(changes):
    assert read_settings(model(**changes)).n_generations == 2


# Objectives --------------------------------------------------------------------------------------


class Space:
    """Three clusters of two columns; partitions stay, and weights have known fitness."""

    n_clusters = 3
    shape = (4, 2)

    def settle(self, labels, n_rounds):
        return labels + 0, labels.sum(axis=1).astype(float)

    def lloyd(self, weights, centers, rng):
        labels = np.array([[0, 1, 1, -1]] * len(weights))
        return labels, centers + 1.0, weights[:, 0, 0] + 0.0


def test_partitions_from_a_file():
    objective = PartitionObjective(Space(), 1, lambda count: None)
    for position, is_allowed in (
        ([0.0, 2.0, -1.0], True),
        ([0.0, 3.0, 0.0], False),
        ([0.0, -2.0, 0.0], False),
        ([0.0, 0.5, 0.0], False),
        ([0.0, np.nan, 0.0], False),
    ):
        assert objective.accepts(np.array([position, [0.0, 0.0, 0.0]])) is is_allowed


def test_the_generator_of_new_starts_is_saved():
    none = PartitionObjective(Space(), 1, lambda count: None)
    assert none.get_state() == {"rng": None}
    none.set_state({"rng": None})
    rng = np.random.default_rng(3)
    objective = PartitionObjective(Space(), 1, lambda count: None, rng)
    state = objective.get_state()
    first = rng.random()
    objective.set_state(state)
    assert rng.random() == first


def test_positions_of_minus_1_start_again():
    drawn = []

    def draw(count):
        drawn.append(count)
        return np.array([[1, 1]] * count)

    positions = np.array([[-1.0, -1.0], [0.0, -1.0], [-1.0, 2.0], [0.0, 0.0], [-1.0, -1.0]])
    found = PartitionObjective(Space(), 1, draw)(positions)
    assert drawn == [2]
    assert positions.tolist() == [[1, 1], [0, -1], [-1, 2], [0, 0], [1, 1]]
    assert found.fitness.tolist() == [2.0, -1.0, 1.0, 0.0, 2.0]
    assert found.details["n_clusters"].tolist() == [1, 1, 1, 1, 1]
    assert PartitionObjective(Space(), 1, draw)(np.array([[0.0, 2.0]])).fitness.tolist() == [2.0]
    assert drawn == [2]


def test_clusters_with_rows():
    labels = np.array([[0, 2, 2], [-1, -1, -1], [1, 0, 2], [-1, 0, 0]])
    assert count_clusters(labels).tolist() == [2, 0, 3, 1]


def test_the_best_weights_are_kept_with_their_centres():
    start = np.zeros((2, 3, 2))
    objective = WeightObjective(Space(), start, 1, np.random.default_rng(0))
    assert objective.get_state() == {"centers": start, "best": None}
    # Shares ¼ and ½ of the first column; the second particle leads.
    found = objective(np.array([[0.25, 0.75], [0.5, 0.5]]))
    assert found.fitness.tolist() == [0.25, 0.5]
    assert found.details["n_clusters"].tolist() == [2, 2]
    assert objective.best.fitness == 0.5
    assert objective.best.weights.tolist() == [[0.5, 0.5]] * 3
    assert objective.best.centers.tolist() == [[1.0, 1.0]] * 3
    assert (start == 0.0).all()
    # As good is not better; worse neither.
    for position in ([0.5, 0.5], [0.25, 0.75]):
        objective(np.array([position, [0.0, 1.0]]))
        assert objective.best.centers.tolist() == [[1.0, 1.0]] * 3
    objective(np.array([[0.75, 0.25], [0.0, 1.0]]))
    assert objective.best.fitness == 0.75
    assert objective.best.centers.tolist() == [[4.0, 4.0]] * 3
    state = objective.get_state()
    other = WeightObjective(Space(), start, 1, np.random.default_rng(0))
    other.set_state(state)
    assert other.centers.tolist() == objective.centers.tolist()
    assert isinstance(other.best, Best)
    assert other.best.fitness == 0.75
    assert other.best.weights.tolist() == [[0.75, 0.25]] * 3
    other.set_state({"centers": start, "best": None})
    assert other.best is None
    with pytest.raises(ValueError, match="centers"):
        other.set_state({"centers": start[:1], "best": None})


def test_nothing_happens_without_a_valid_particle():
    class Unused(Space):
        def lloyd(self, weights, centers, rng):
            raise AssertionError("no particle is valid")

    objective = WeightObjective(Unused(), np.zeros((1, 3, 2)), 1, np.random.default_rng(0))
    found = objective(np.array([[1.5, 0.5]]))
    assert np.isneginf(found.fitness).tolist() == [True]
    assert found.details["n_clusters"].tolist() == [0]


# Dense rows --------------------------------------------------------------------------------------


def dense(X, n_clusters, exponent=2.0):
    criterion = Criterion("psovw", exponent, 1.0, np.zeros(X.shape[1]))
    with thread_runner(1) as run:
        return DenseSpace(X, n_clusters, criterion, run)


def test_an_empty_cluster_gets_a_random_row():
    X = np.array([[0.0], [1.0], [9.0], [10.0]])
    space = dense(X, 3)
    centers = np.array([[[-5.0], [5.0], [99.0]]])  # the mean is 5
    labels, means, fitness = space.lloyd(np.ones((1, 3, 1)), centers, np.random.default_rng(1))
    assert labels.tolist() == [[0, 0, 1, 1]]
    row = np.random.default_rng(1).integers(4, size=1)
    assert means[0].tolist() == [[-4.5], [4.5], (X[row[0]] - 5.0).tolist()]
    assert fitness == pytest.approx([-1.0])
    # Without an empty cluster no random number is drawn.
    rng = np.random.default_rng(1)
    space.lloyd(np.ones((1, 3, 1)), np.array([[[-5.0], [-4.0], [5.0]]]), rng)
    assert rng.random() == np.random.default_rng(1).random()


def test_rounds_by_hand():
    X = np.array([[0.0], [1.0], [3.0], [9.0]])
    labels = np.array([[0, 1, 1, 1], [0, 0, 0, 1]], dtype=np.int32)
    # Means 0 and 13/3: row 1 changes; then ½ and 6: row 2; then 4/3 and 9, the second partition.
    for n_rounds, expected, fitness in (
        (0, [0, 1, 1, 1], -104.0 / 3.0),
        (1, [0, 0, 1, 1], -18.5),
        (2, [0, 0, 0, 1], -14.0 / 3.0),
        (9, [0, 0, 0, 1], -14.0 / 3.0),
    ):
        found = dense(X, 2).settle(labels, n_rounds)
        assert found.labels.tolist() == [expected, [0, 0, 0, 1]]
        assert found.fitness == pytest.approx([fitness, -14.0 / 3.0])


def test_weights_of_a_single_particle_assign_its_rows():
    X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 9.0], [4.0, 9.0]])
    space = dense(X, 2)
    centers = X[[0, 3]] - X.mean(axis=0)
    # Weights in any unit: the first column alone, or the second; the other column has 1e-9.
    for weights, labels in (([3.0, 3e-9], [0, 1, 0, 1]), ([3e-9, 3.0], [0, 0, 1, 1])):
        assert space.assign_by_weights(np.array([weights] * 2), centers).tolist() == labels


@pytest.mark.parametrize(("n_rows", "n_trials", "expected"), [(4, 2, 2**19), (3, 2, 699050)])
def test_starts_at_once(n_rows, n_trials, expected):
    assert dense(np.eye(n_rows), 2).n_starts_at_once(n_trials) == expected
    assert dense(np.eye(n_rows), 2).n_starts_at_once(2**22) == 1


# Starts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_clusters", "n_trials"), [(2, 2), (3, 3), (7, 3), (8, 4)])
def test_candidates_of_a_start(n_clusters, n_trials):
    asked = []

    class Rows:
        shape = (30, 2)

        def __init__(self):
            self.n_clusters = n_clusters

        def n_starts_at_once(self, given):
            assert given == n_trials
            return 2

        def squared_distances(self, rows):
            return rows

        def draw_next(self, nearest, draws):
            asked.append(draws.shape)
            return nearest + 1, nearest + 1

    found = draw_rows(Rows(), 5, "k-means++", np.random.default_rng(0))
    assert found.shape == (5, n_clusters)
    assert (np.diff(found, axis=1) == 1).all()
    assert asked == [(count, n_trials) for count in (2, 2, 1) for _ in range(n_clusters - 1)]
    first = np.random.default_rng(0).integers(30, size=2)
    assert plus_plus(Rows(), 2, np.random.default_rng(0))[:, 0].tolist() == first.tolist()


# Sparse rows -------------------------------------------------------------------------------------

DENSE = np.array(
    [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 3.0], [0.0, 1.0, 4.0], [0.0, 0.0, 0.0]]
)


def sparse(n_clusters=2, exponent=1.5):
    with thread_runner(1) as run:
        return SparseSpace(csr_array(DENSE), n_clusters, exponent, run)


def similarity(x, z, weights, exponent):
    x, z = x * weights**exponent, z * weights**exponent
    below = x @ x + z @ z - x @ z
    return x @ z / below if below > 0.0 else 0.0


def similarities(weights, centers, exponent=1.5):
    return np.array(
        [
            [similarity(x, z, w, exponent) for z, w in zip(centers, weights, strict=True)]
            for x in DENSE
        ]
    )


def test_means_of_sparse_rows():
    labels = np.array([0, 0, 2, -1, -1])
    expected = [[1.5, 1.5, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 3.0]]
    assert sparse(3).means(labels).tolist() == expected
    previous = np.full((3, 3), 7.0)
    kept = sparse(3).means(labels, previous).tolist()
    assert kept == [expected[0], [7.0] * 3, expected[2]]


def test_distances_and_starts_of_sparse_rows():
    space = sparse()
    squared = ((DENSE[[0, 3], None] - DENSE) ** 2).sum(axis=2)
    np.testing.assert_allclose(space.squared_distances(np.array([0, 3])), squared)
    assert space.rows(np.array([3, 0])).tolist() == DENSE[[3, 0]].tolist()
    assert (space.shape, space.n_starts_at_once(4)) == ((5, 3), 1)
    assert space.norms.tolist() == [5.0, 5.0, 9.0, 17.0, 0.0]


def test_one_step_of_a_sparse_swarm():
    rng = np.random.default_rng(4)
    weights = rng.uniform(0.5, 1.0, size=(2, 3, 3))
    centers = np.stack([DENSE[[0, 2, 4]], DENSE[[3, 1, 4]]])
    spare = np.random.default_rng(9).integers(5, size=(2, 3))
    labels, means, fitness = sparse(3).lloyd(weights, centers, np.random.default_rng(9))
    for p in range(2):
        own = similarities(weights[p], centers[p]).argmax(axis=1)
        assert labels[p].tolist() == own.tolist()
        expected = np.stack(
            [DENSE[own == k].mean(axis=0) if (own == k).any() else DENSE[spare[p, k]]
             for k in range(3)]
        )  # fmt: skip
        np.testing.assert_allclose(means[p], expected)
        total = similarities(weights[p], expected)[np.arange(5), own].sum()
        assert fitness[p] == pytest.approx(total)
        nearest = sparse(3).assign_by_weights(weights[p], centers[p])
        assert nearest.tolist() == own.tolist()


@pytest.mark.parametrize("n_rounds", [0, 1, 2, 50])
@pytest.mark.parametrize("is_weighed", [True, False])
def test_rounds_of_sparse_rows(n_rounds, is_weighed):
    weights = np.array([[0.9, 0.3, 0.4], [0.2, 0.8, 0.7]])
    labels = np.array([0, 1, 0, 1, 0], dtype=np.int32)
    expected, used = labels.copy(), weights if is_weighed else np.ones((2, 3))
    for _ in range(n_rounds):
        means = np.stack([DENSE[expected == k].mean(axis=0) for k in range(2)])
        expected = similarities(used, means).argmax(axis=1)
    means = np.stack([DENSE[expected == k].mean(axis=0) for k in range(2)])
    own = similarities(used, means)[np.arange(5), expected]
    given = weights if is_weighed else None
    found = sparse().settle_one(labels, given, n_rounds)
    assert found[0].tolist() == expected.tolist()
    np.testing.assert_allclose(found[1], means)
    assert found[2] == pytest.approx(own.sum())
    assert labels.tolist() == [0, 1, 0, 1, 0]
    if not is_weighed:
        settled = sparse().settle(np.stack([labels, expected]), n_rounds)
        assert settled.labels[0].tolist() == expected.tolist()
        assert settled.fitness[0] == found[2]


def test_rows_in_no_cluster_do_not_count_before_the_first_round():
    labels = np.array([0, -1, 1, -1, -1], dtype=np.int32)
    found = sparse().settle_one(labels, None, 0)
    assert found[0].tolist() == labels.tolist()
    assert found[2] == pytest.approx(2.0)  # two rows that are their centres
    assert (sparse().settle_one(labels, None, 1)[0] >= 0).all()


def test_an_empty_sparse_cluster_gets_the_least_similar_row():
    # All rows in the first cluster, mean (3, 4, 7) / 5. The empty row 4 has similarity 0.
    found = sparse().settle_one(np.zeros(5, dtype=np.int32), None, 1)
    assert found[0].tolist() == [0, 0, 0, 0, 1]


def test_shares_where_all_weights_are_0():
    assert shares_of(np.zeros((1, 4))).tolist() == [[0.25] * 4]
