"""Feature search: the same cases on the reference, the CPU and torch."""

from __future__ import annotations

import inspect
from types import SimpleNamespace

import numpy as np
import pytest

from weft.backends import CPU, REFERENCE, Backend
from weft.backends.spaces import Plan, Solution, Spaces
from weft.search.clusterers import CLUSTERERS, Clusterer, make_clusterer
from weft.search.criteria import CRITERIA, Criterion, make_criterion
from weft.search.objectives import FeatureObjective
from weft.search.particles import WeightExponentParticle, WeightParticle

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(center, 0.6, (12, 5)) for center in (0.0, 4.0, 8.0)])
X[::7] = RNG.normal(4.0, 6.0, X[::7].shape)  # rows between the groups
SOLUTIONS = [
    Solution(np.array([1.0, 0.5, 2.0, 0.0, 0.3])),
    Solution(np.array([0.0, 3.0, 0.0, 0.1, 0.0])),
    Solution(np.array([1.0, 0.5, 0.0, 2.0, 0.3]), np.array([1.0, 2.5, 2.0, 1.5, 3.0])),
]
IDS = ["four columns", "two columns", "exponents"]
CLOSE = {"rtol": 2e-5, "atol": 1e-6}  # the search of a GPU or CPU is in single precision


def space_of(backend, solution, clusterer="knn", *, exact=False, n_clusters=None):
    chosen = make_clusterer(clusterer, None, n_clusters=n_clusters, seed=0)
    plan = Plan(chosen, None, solution.exponents is not None, 2**28, 1, backend.device)
    data = backend.features.load(X, plan)
    return data.space(solution, exact=exact), chosen.prepare(data.full())


@pytest.fixture(params=SOLUTIONS, ids=IDS)
def solution(request):
    return request.param


def operations(kind):
    found = {
        name: inspect.signature(member)
        for name, member in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
    }
    return {
        name: [(each.name, each.kind, each.default) for each in signature.parameters.values()]
        for name, signature in found.items()
    }


def test_names_and_signatures_agree():
    pytest.importorskip("torch", reason="the GPU path needs torch: pip install 'weft[gpu]'")
    modules = [each.features for each in (CPU, REFERENCE, Backend("gpu"))]
    wanted = operations(Spaces)
    assert len(wanted) > 15
    for module in modules:
        assert operations(module.Spaces) == wanted, module
        assert operations(module.FeatureData) == operations(modules[0].FeatureData)
        assert inspect.signature(module.load).parameters.keys() == (
            inspect.signature(modules[0].load).parameters.keys()
        )


def test_distances_and_columns(fast_backend, solution):
    spaces, _ = space_of(fast_backend, solution, exact=True)
    expected, _ = space_of(REFERENCE, solution)
    assert (spaces.n_particles, spaces.n_rows, spaces.n_columns) == (1, len(X), 5)
    found = spaces.to_host(spaces.distances())
    np.testing.assert_allclose(found, expected.distances(), rtol=1e-7, atol=1e-6)
    np.testing.assert_array_equal(spaces.table(), X)
    columns, wanted = spaces.selected_columns(0), expected.selected_columns(0)
    # Without exponents the columns have a common factor, a power of 2.
    factor = columns[0, 0] / wanted[0, 0]
    assert np.log2(factor) == round(np.log2(factor))
    np.testing.assert_allclose(columns, factor * wanted, rtol=1e-12)
    full = spaces.to_host(spaces.full().distances())
    np.testing.assert_allclose(full, expected.full().distances(), rtol=1e-6, atol=1e-5)


def test_nearest_rows(fast_backend, solution):
    spaces, _ = space_of(fast_backend, solution)
    expected, _ = space_of(REFERENCE, solution)
    guess = spaces.full().likely_neighbours(5)
    for k in (1, 4, 100):
        wanted = np.sort(expected.nearest_rows(k), axis=2)
        for nearest in (spaces.nearest_rows(k), spaces.nearest_rows(k, guess)):
            np.testing.assert_array_equal(np.sort(spaces.to_host(nearest), axis=2), wanted)
        found = np.sort(spaces.to_host(spaces.neighbours(k).distances), axis=2)
        np.testing.assert_allclose(found, expected.neighbours(k).distances, rtol=1e-9)


@pytest.mark.parametrize("name", sorted(CLUSTERERS))
def test_every_clusterer_of_the_registry(name, fast_backend, solution):
    n_clusters = 4 if name == "linkage" else None
    spaces, clusterer = space_of(fast_backend, solution, name, n_clusters=n_clusters)
    plain, reference = space_of(REFERENCE, solution, name, n_clusters=n_clusters)
    found, wanted = clusterer.cluster(spaces), reference.cluster(plain)
    np.testing.assert_array_equal(spaces.to_host(found.labels), wanted.labels)
    assert found.radius == pytest.approx(wanted.radius)
    for one, other in ((found.anchors, wanted.anchors), (found.converged, wanted.converged)):
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_array_equal(spaces.to_host(one), other)
    assert isinstance(clusterer, Clusterer)


@pytest.mark.parametrize("outliers", ["cluster", "exclude"])
@pytest.mark.parametrize("name", sorted(CRITERIA))
def test_every_criterion_of_the_registry(name, outliers, fast_backend, solution):
    labels = np.arange(len(X))[None] // 12
    labels[0, ::9] = -1
    values = []
    for backend in (fast_backend, REFERENCE):
        for exact in (False, True):
            spaces, _ = space_of(backend, solution, exact=exact)
            criterion = make_criterion(name, {"outliers": outliers}).prepare(spaces.full())
            assert isinstance(criterion, Criterion)
            score = criterion.score(spaces, spaces.to_device(labels))
            assert score.shape == (1,)
            values.append(float(score[0]))
    np.testing.assert_allclose(values[0], values[2], **CLOSE)
    np.testing.assert_allclose(values[1], values[3], rtol=1e-8)


@pytest.mark.parametrize("features", ["weighted", "full"])
@pytest.mark.parametrize("name", ["silhouette", "connectedness", "sparsity", "separation"])
def test_measures_on_both_kinds_of_features(name, features, fast_backend):
    labels = np.arange(len(X))[None] // 12
    values = []
    for backend in (fast_backend, REFERENCE):
        spaces, _ = space_of(backend, SOLUTIONS[0], exact=True)
        criterion = make_criterion(name, {"features": features})
        criterion = criterion.prepare(spaces.full()) if features == "full" else criterion
        values.append(float(criterion.score(spaces, spaces.to_device(labels))[0]))
    assert values[0] == pytest.approx(values[1], rel=1e-8)


def test_counts_and_outliers(any_backend):
    spaces, _ = space_of(any_backend, SOLUTIONS[0])
    labels = np.full((1, len(X)), -1)
    labels[0, :5] = 0, 0, 1, 2, 2
    moved = spaces.to_device(labels)
    assert float(spaces.count_clusters(moved)[0]) == 3.0
    assert float(spaces.count_labelled(moved)[0]) == 5.0
    dense = spaces.to_host(spaces.outliers_as_cluster(moved))
    np.testing.assert_array_equal(dense[0], [0, 0, 1, 2, 2] + [3] * (len(X) - 5))
    assert dense.dtype == np.int64


@pytest.mark.parametrize("kind", [WeightParticle, WeightExponentParticle])
@pytest.mark.parametrize("clusterer", sorted(CLUSTERERS))
def test_a_generation_on_every_backend(kind, clusterer, fast_backend):
    particle = kind(5)
    positions = np.random.default_rng(2).uniform(-1, 2, (6, particle.n_dimensions))
    positions[3, :5] = -1.0  # nothing kept
    n_clusters = 3 if clusterer == "linkage" else None
    found, wanted = (
        FeatureObjective(
            X,
            particle,
            make_clusterer(clusterer, None, n_clusters=n_clusters, seed=0),
            make_criterion("csc", None),
            backend=backend,
            max_memory=2**28,
            n_jobs=1,
        )(positions)
        for backend in (fast_backend, REFERENCE)
    )
    np.testing.assert_allclose(found.fitness, wanted.fitness, rtol=1e-4)
    assert found.fitness[3] == -np.inf
    for name, values in wanted.details.items():
        np.testing.assert_array_equal(found.details[name], values)


class Halves(Clusterer):
    """A clusterer of a user's own, by the space's operations alone."""

    def cluster(self, spaces):
        far = spaces.distances()[:, 0] > 6.0  # from the first row
        return spaces.affinity_propagation(0.5, None, 200, 15)._replace(labels=far * 1, anchors=far)


class Spread(Criterion):
    """A criterion of a user's own."""

    def score(self, spaces, labels):
        return spaces.xp.log(1.0 + spaces.silhouette(labels) ** 2)


class OnNumPyAlone(Criterion):
    """One that does not ask for its arrays on the host."""

    def score(self, spaces, labels):
        raise TypeError("can't convert cuda:0 device type tensor to numpy.")


def test_clusterers_and_criteria_of_a_users_own(any_backend):
    particle = WeightParticle(5)
    objective = FeatureObjective(
        X, particle, Halves(), Spread(), backend=any_backend, max_memory=2**28, n_jobs=1
    )
    (outcome,) = objective.evaluate_part(np.ones((1, 5)))
    reference = FeatureObjective(
        X, particle, Halves(), Spread(), backend=REFERENCE, max_memory=2**28, n_jobs=1
    )
    (wanted,) = reference.evaluate_part(np.ones((1, 5)))
    assert outcome.n_clusters == wanted.n_clusters == 2
    assert outcome.fitness == pytest.approx(wanted.fitness, rel=1e-5)
    labels = objective.cluster(particle.decode(np.ones(5))).labels
    np.testing.assert_array_equal(labels, np.linalg.norm(X - X[0], axis=1) > 6.0)


def test_what_cannot_run_on_a_gpu_gets_one_sentence():
    pytest.importorskip("torch", reason="the GPU path needs torch: pip install 'weft[gpu]'")
    objective = FeatureObjective(
        X,
        WeightParticle(5),
        make_clusterer("knn", None, n_clusters=None, seed=0),
        OnNumPyAlone(),
        backend=Backend("gpu", "cpu:0"),
        max_memory=2**28,
        n_jobs=1,
    )
    with pytest.raises(ValueError, match=r"OnNumPyAlone does not work on a GPU .* device='cpu'"):
        objective(np.ones((2, 5)))


def test_memory_is_planned_for_clusterer_and_criterion():
    # Ten rows in double precision: 800 bytes a matrix. The clusterer needs two, the criterion one.
    rows, needs_two = X[:10], SimpleNamespace(n_matrices=2, precision="float64")
    needs_one = SimpleNamespace(n_matrices=1)

    def load(criterion, max_memory, *, clusterer=needs_two, exponents=False):
        plan = Plan(clusterer, criterion, exponents, max_memory, 1, "cpu")
        return CPU.features.load(rows, plan)

    assert load(None, 1600).n_threads == 1
    with pytest.raises(ValueError, match="keeps 2 matrices"):
        load(None, 1599)
    assert load(needs_one, 2400).hold_matrix
    with pytest.raises(ValueError, match="keeps 3 matrices"):
        load(needs_one, 2399)
    # Without exponents, or in double precision, particles do not run together.
    assert load(None, 80_000).n_together == load(None, 80_000, exponents=True).n_together == 1
    # In single precision a matrix has 400 bytes; two of the room are the clusterer's own.
    single = SimpleNamespace(n_matrices=2, precision="float32")
    for max_memory, n_together in ((800, 1), (1600, 2), (2399, 3), (4000, 8), (8000, 8)):
        data = load(None, max_memory, clusterer=single, exponents=True)
        assert (data.n_together, data.dtype) == (n_together, np.float32)


@pytest.mark.parametrize(
    ("labels", "sparsity", "separation"),
    [
        # Rows at 0, 1, 3, 9. {0, 1, 3}: the widest gap to the nearest mate is 2; {9} has no mate.
        ([0, 0, 0, 1], 1.0, 6.0),
        ([0, 0, 0, 0], 6.0, 0.0),  # no other cluster
        ([0, 1, -1, 2], 0.0, (1.0 + 1.0 + 8.0) / 3.0),
        ([-1, -1, -1, -1], 0.0, 0.0),
    ],
)
def test_gaps_of_few_rows_by_hand(labels, sparsity, separation, any_backend):
    plan = Plan(make_clusterer("knn", None, n_clusters=None, seed=0), None, False, 2**20, 1, "")
    rows = np.array([[0.0], [1.0], [3.0], [9.0]])
    data = any_backend.features.load(rows, plan._replace(device=any_backend.device))
    spaces = data.space(Solution(np.ones(1)), exact=True)
    found = spaces.sparsity_and_separation(spaces.to_device(np.array([labels])))
    assert [float(each[0]) for each in found] == pytest.approx([sparsity, separation])


def test_a_column_without_spread_has_a_deviation_of_its_own(any_backend):
    # All deviations within the clusters are 0. In the first and the last column, whose deviations
    # are 4 and 0.5, 1e-12 times that is taken, in the constant column 1e-12.
    plan = Plan(make_clusterer("knn", None, n_clusters=None, seed=0), None, False, 2**20, 1, "")
    rows = np.array([[0.0, 5.0, 0.0]] * 2 + [[8.0, 5.0, 1.0]] * 2)
    data = any_backend.features.load(rows, plan._replace(device=any_backend.device))
    spaces = data.space(Solution(np.ones(3)), exact=True)
    own, best_other = spaces.gaussian_scores(spaces.to_device(np.array([[0, 0, 1, 1]])), 0.0)
    floors = np.log([4e-12, 1e-12, 0.5e-12]).sum()
    expected = -floors - 1.5 * np.log(2.0 * np.pi) + np.log(0.5)
    np.testing.assert_allclose(spaces.to_host(own), [[expected] * 4], rtol=1e-12)
    assert (spaces.to_host(best_other) < -1e20).all()


def test_labels_without_outliers_are_not_copied(host_backend):
    spaces, _ = space_of(host_backend, SOLUTIONS[0])
    labels = np.array([[0, 1, 0]])
    assert spaces.outliers_as_cluster(labels) is labels


@pytest.mark.parametrize("exponents", [None, np.array([2.0])])
@pytest.mark.parametrize(
    ("min_samples", "labels", "core"),
    [
        # Rows at 0, 1, 2 and 10: within 1 there are 2, 3, 2 and 1 rows, themselves among them.
        (1, [0, 0, 0, 1], [True, True, True, True]),
        (2, [0, 0, 0, -1], [True, True, True, False]),
        (3, [0, 0, 0, -1], [False, True, False, False]),
        (4, [-1, -1, -1, -1], [False, False, False, False]),
    ],
)
def test_core_rows_by_hand(min_samples, labels, core, exponents, any_backend):
    clusterer = make_clusterer("dbscan", None, n_clusters=None, seed=0)
    plan = Plan(clusterer, None, exponents is not None, 2**20, 1, any_backend.device)
    data = any_backend.features.load(np.array([[0.0], [1.0], [2.0], [10.0]]), plan)
    spaces = data.space(Solution(np.ones(1), exponents))
    found, is_core = spaces.dbscan(1.0, min_samples)
    assert spaces.to_host(found).tolist() == [labels]
    assert spaces.to_host(is_core).tolist() == [core]


@pytest.mark.parametrize("patience", [1, 2, 5])
def test_messages_converge_after_patience_rounds(patience, host_backend):
    # With a preference above all similarities every row is an exemplar from the first round on.
    rows = np.array([[0.0], [5.0], [20.0]])
    clusterer = make_clusterer("affinity", None, n_clusters=None, seed=0)
    data = host_backend.features.load(rows, Plan(clusterer, None, False, 2**20, 1, "cpu"))
    for max_iter, converged in ((patience - 1, False), (patience, True), (patience + 1, True)):
        spaces = data.space(Solution(np.ones(1)))
        found = spaces.affinity_propagation(0.5, 1.0, max_iter, patience)
        assert bool(found.converged[0]) is converged
        if converged:
            assert found.labels.tolist() == [[0, 1, 2]]


def test_equal_rows_have_the_best_silhouette(any_backend):
    # Rows 0, 0 and 4, 4: a is 0, and b is 4. With all rows equal, a = b = 0.
    plan = Plan(make_clusterer("knn", None, n_clusters=None, seed=0), None, False, 2**20, 1, "")
    for far, expected in ((4.0, 1.0), (0.0, 0.0)):
        rows = np.array([[0.0], [0.0], [far], [far]])
        data = any_backend.features.load(rows, plan._replace(device=any_backend.device))
        spaces = data.space(Solution(np.ones(1)), exact=True)
        found = spaces.silhouette(spaces.to_device(np.array([[0, 0, 1, 1]])))
        assert float(found[0]) == expected


def test_the_reference_takes_a_whole_swarm_at_once():
    data = REFERENCE.features.load(X, None)
    assert data.evaluates_whole_swarms
    assert data.n_threads == data.n_together == 1
    assert data.recall(SOLUTIONS[0]) is None
    assert not CPU.features.FeatureData.evaluates_whole_swarms
