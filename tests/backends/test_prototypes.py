"""Rows and prototypes: by hand, and every backend against the readable one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.metrics import davies_bouldin_score, silhouette_score

from weft.backends import CPU, REFERENCE
from weft.backends.cpu.kernels import moves as cpu_moves
from weft.backends.cpu.kernels import prototypes as kernels
from weft.backends.cpu.kernels import validity
from weft.backends.cpu.prototypes import TILE, mean_silhouettes
from weft.backends.reference import moves as reference_moves
from weft.backends.reference.prototypes import silhouette

# A fixture is a backend, which no example changes.
SHARED = [HealthCheck.function_scoped_fixture]


def _tables():
    rng = np.random.default_rng(0)
    yield "random", rng.normal(size=(90, 6))
    yield "few values", rng.integers(0, 3, (70, 4)).astype(float)
    yield "duplicates", np.repeat(rng.normal(size=(12, 3)), 6, axis=0)
    yield "one feature", rng.normal(size=(40, 1))
    yield "signed zeros", rng.choice([0.0, -0.0, 1.0, -1.0], (30, 2))
    yield "two rows", np.array([[0.0, 1.0], [2.0, 3.0]])


TABLES = dict(_tables())
every_table = pytest.mark.parametrize("name", TABLES)


def _load(backend, rows, **options):
    return backend.prototypes.load(rows, backend.device, **options)


def _centred(seed, levels):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(40, 5)) if levels is None else rng.integers(levels, size=(40, 5)) * 1.0
    return np.ascontiguousarray(rows - rows.mean(axis=0)), rng


def _agree(backend, name, load, *arguments, rtol=1e-10):
    """An operation's result beside the reference's; whole numbers must be the same."""
    results = []
    for each in (backend, REFERENCE):
        results.append(getattr(each.prototypes, name)(load(each), *arguments))
    for one, two in zip(*results, strict=True):
        if one.dtype.kind == "i":
            np.testing.assert_array_equal(one, two)
        np.testing.assert_allclose(one, two, rtol=rtol, atol=1e-12)
    return results[0]


def test_nearest_by_hand(host_backend):
    # Feature 1 alone: values 0, 1, 9, 5; prototypes at 0 and 10. 5 is at 25 from both: the first.
    rows = np.array([[7.0, -7.0, 3.0, 3.0], [0.0, 1.0, 9.0, 5.0]]).T
    data, operations = _load(host_backend, rows), host_backend.prototypes
    prototypes = np.array([[0.0], [10.0]])
    assert operations.nearest(data, np.array([1]), prototypes).tolist() == [0, 0, 1, 0]
    assert operations.nearest(data, np.array([1]), prototypes[:0]).tolist() == [0, 0, 0, 0]


def test_distances_to_the_nearest_by_hand():
    columns = np.array([[7.0, -7.0, 3.0, 3.0], [0.0, 1.0, 9.0, 5.0]])
    labels, squared = np.empty(4, dtype=np.int64), np.empty(4)
    kernels.nearest_prototypes(columns, np.array([1]), np.array([[0.0], [10.0]]), labels, squared)
    assert squared.tolist() == [0.0, 1.0, 1.0, 25.0]


def test_between_by_hand(host_backend):
    # Rows -3, -1, 1, 3, centred. Clusters {-3, -1}, {1, 3}: sums -4 and 4, |S|²/n_k = 8 each,
    # so Between = 16/4 = 4; the total is (9+1+1+9)/4 = 5 and Within = 1, as eq. 4 says:
    # each row is 1 from its mean. The third cluster is empty and does not count.
    data = _load(host_backend, np.array([[-3.0], [-1.0], [1.0], [3.0]]))
    assert host_backend.prototypes.between_sum(data, np.array([0, 0, 2, 2]), 3) == (4.0, 2)


def test_cluster_sums_by_hand():
    rows = np.array([[-3.0], [-1.0], [1.0], [3.0]])
    sums, counts = np.empty((3, 1)), np.empty(3, dtype=np.int64)
    kernels.cluster_sums(rows, np.array([0, 0, 2, 2]), sums, counts)
    assert sums.ravel().tolist() == [-4.0, 0.0, 4.0]
    assert counts.tolist() == [2, 0, 2]


def test_medoids_of_a_position_by_hand(host_backend):
    # Two features, three rows, threshold 0.5: a feature counts from 0 on, a medoid above 0.5.
    rows = np.array([[1.0, 0.0], [1.5, 5.0], [2.0, 0.0]])
    position = np.array([0.0, -1e-9, 0.5, 0.6, -2.0, 0.5])
    data = _load(host_backend, rows)
    features, medoids = host_backend.prototypes.medoids_of(data, position, 3)
    assert features.tolist() == [0]
    assert medoids.tolist() == [[1.5]]


def test_equal_medoids_are_one(host_backend):
    data = _load(host_backend, np.array([[1.0, 0.0], [1.0, 5.0], [2.0, 0.0]]))
    # In feature 0 rows 0 and 1 are the same medoid; in both features they are not.
    one = np.array([1.0, -1.0, 1.0, 1.0, 1.0, 0.0])
    assert host_backend.prototypes.medoids_of(data, one, 3)[1].tolist() == [[1.0], [2.0]]
    both = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    assert len(host_backend.prototypes.medoids_of(data, both, 3)[1]) == 3


def test_more_distinct_medoids_than_the_limit():
    rows, out = np.array([[1.0, 0.0], [1.0, 5.0], [2.0, 0.0]]), np.empty(3, dtype=np.int64)
    chosen = np.array([0, 1, 2])
    assert kernels.distinct_medoids(rows, np.array([0]), chosen, 3, out) == 2
    assert out[:2].tolist() == [0, 2]
    assert kernels.distinct_medoids(rows, np.array([0, 1]), chosen, 2, out) == 3


def test_k_is_the_number_of_medoids(any_backend):
    # One feature, values 0, 0, 4, centred: -4/3, -4/3, 8/3. Whatever the medoids, rows 0 and 1 are
    # one cluster and row 2 the other: Between = (2 · (4/3)² + (8/3)²) / 3 = 32/9.
    rows = np.array([[-4.0], [-4.0], [8.0]]) / 3.0
    positions = np.array(
        [
            [0.0, 1.0, -1.0, 1.0, 0.0],  # medoids 0 and 2
            [0.0, 1.0, 1.0, 1.0, 0.0],  # all three: two of them are equal, and K is 3
            [0.0, 1.0, 1.0, -1.0, 0.0],  # 0 and 1: equal, one cluster, no solution
            [-1.0, 1.0, 1.0, 1.0, 0.0],  # no feature
            [0.0, -1.0, -1.0, -1.0, 0.0],  # no medoid
        ]
    )
    data = _load(any_backend, rows, medoids=True)
    selected, clusters, between = any_backend.prototypes.medoid_swarm(data, positions, 3)
    assert selected.tolist() == [1, 1, 1, 0, 1]
    assert clusters.tolist() == [2, 3, 1, 0, 0]
    np.testing.assert_allclose(between, [32 / 9, 32 / 9, 0.0, 0.0, 0.0])
    # Above the limit: equal medoids count.
    _, clusters, between = any_backend.prototypes.medoid_swarm(data, positions, 2)
    assert clusters.tolist() == [2, 3, 1, 0, 0]
    np.testing.assert_allclose(between, [32 / 9, 0.0, 0.0, 0.0, 0.0])


def test_lloyd_by_hand(any_backend):
    # Centres 0 and 1 over 0, 1, 2, 10, 11: first {0}, {1, 2, 10, 11} → 0 and 6; then {0, 1, 2},
    # {10, 11} → 1 and 10.5; then no label changes. 50 has no row and stays.
    data = _load(any_backend, np.array([[0.0], [1.0], [2.0], [10.0], [11.0]]))
    start = np.array([[0.0], [1.0], [50.0]])
    for max_iter, expected in (
        (1, [0.0, 6.0, 50.0]),
        (2, [1.0, 10.5, 50.0]),
        (100, [1.0, 10.5, 50.0]),
    ):
        centers, labels = any_backend.prototypes.lloyd(data, start, max_iter)
        assert centers.ravel().tolist() == expected
        assert labels.tolist() == [0, 0, 0, 1, 1]
    assert start.ravel().tolist() == [0.0, 1.0, 50.0]


def test_lloyd_counts_its_steps():
    rows = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
    centers, labels = np.array([[0.0], [1.0]]), np.empty(5, dtype=np.int64)
    assert kernels.lloyd(rows, rows.T.copy(), centers, 100, labels) == 2


@settings(max_examples=25, deadline=None, suppress_health_check=SHARED)
@given(seed=st.integers(0, 10**6), levels=st.sampled_from([None, 2, 4]))
def test_medoid_swarms_agree(fast_backend, seed, levels):
    rows, rng = _centred(seed, levels)
    n, d = rows.shape
    positions = rng.uniform(-1.0, 1.0, (12, d + n + 1))
    positions[::2, -1] = rng.uniform(0.7, 1.1, 6)  # else nearly all have too many medoids
    _agree(fast_backend, "medoid_swarm", lambda b: _load(b, rows, medoids=True), positions, 6)


@every_table
def test_medoid_swarms_on_hard_tables(name, fast_backend):
    rows = TABLES[name]
    n, d = rows.shape
    rng = np.random.default_rng(1)
    positions = rng.uniform(-1.0, 1.0, (40, d + n + 1))
    positions[:, -1] = rng.uniform(0.5, 1.05, 40)  # few medoids, or none
    positions[:8, -1] = -0.9  # nearly all rows: few are distinct in the tables of few values
    positions[0, :d] = -1.0  # no feature
    cpu = CPU.prototypes.medoid_swarm(_load(CPU, rows), positions, 9)
    found = _agree(
        fast_backend, "medoid_swarm", lambda b: _load(b, rows, medoids=True), positions, 9
    )
    if fast_backend.device == "cuda":  # the same path to the last bit
        np.testing.assert_array_equal(found[2], cpu[2])
    assert (cpu[2] > 0.0).sum() > (3 if n > 2 else 0)


@every_table
def test_centroid_swarms_agree(name, fast_backend):
    rows = TABLES[name]
    features = np.arange(0, rows.shape[1], 2)
    positions = np.random.default_rng(2).normal(size=(7, 5 * len(features)))
    _agree(fast_backend, "centroid_swarm", lambda b: _load(b, rows), positions, features)


@every_table
def test_strings_of_centres_agree(name, fast_backend):
    rows = TABLES[name]
    rng = np.random.default_rng(3)
    flags = (rng.random((30, 6)) < 0.6) * 1.0
    flags[0], flags[1, 1:] = 0.0, 0.0  # no centre, and one at most
    centers = rows[rng.integers(len(rows), size=(30, 6))]
    centers[5:9] = np.round(centers[5:9])
    positions = np.hstack([flags, centers.reshape(30, -1)])
    _agree(fast_backend, "string_swarm", lambda b: _load(b, rows), positions, 6, rtol=1e-9)


@every_table
def test_subsets_of_a_pool_agree(name, fast_backend):
    rows = TABLES[name]
    rng = np.random.default_rng(4)
    pool = rows[rng.integers(len(rows), size=7)]
    bits = (rng.random((30, 7)) < 0.5) * 1.0
    bits[0], bits[1] = 0.0, 1.0
    load = lambda b: b.prototypes.load_pool(_load(b, rows), pool)  # noqa: E731 - one line
    _agree(fast_backend, "subset_swarm", load, bits)


@every_table
def test_k_means_and_its_silhouettes_agree(name, fast_backend):
    rows = TABLES[name]
    rng = np.random.default_rng(5)
    sizes = [size for size in (2, 3, 5, 7, 7) if size <= len(rows)]
    starts = [rng.choice(len(rows), size=size, replace=False) for size in sizes]
    for steps in (1, 100):
        for start in starts:
            _agree(fast_backend, "lloyd", lambda b: _load(b, rows), rows[start], steps)
        found, expected = (
            backend.prototypes.kmeans_silhouettes(_load(backend, rows), starts, 7, steps)
            for backend in (fast_backend, REFERENCE)
        )
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_between_and_within_add_up_to_the_total():
    # The identity that spares a second pass, on the definition of eq. 4 and 5.
    rows, rng = _centred(4, None)
    n, d = rows.shape
    positions = rng.uniform(-1.0, 1.0, (20, d + n + 1))
    positions[:, -1] = 0.9
    data = _load(CPU, rows)
    _, clusters, between = CPU.prototypes.medoid_swarm(data, positions, 10)
    checked = 0
    for p in range(20):
        if not 2 <= clusters[p] <= 10:
            continue
        features, medoids = CPU.prototypes.medoids_of(data, positions[p], 10)
        labels = ((rows[:, None, features] - medoids[None]) ** 2).sum(2).argmin(axis=1)
        within = sum(
            ((rows[labels == k] - rows[labels == k].mean(axis=0)) ** 2).sum()
            for k in np.unique(labels)
        )
        assert between[p] == pytest.approx((rows**2).sum() / n - within / n, rel=1e-10)
        checked += 1
    assert checked > 5


@pytest.mark.parametrize("n_rows", [30, TILE + 37])
def test_silhouettes_are_scikit_learns(n_rows):
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(n_rows, 4))
    labelings = np.stack([rng.integers(k, size=n_rows) for k in (2, 3, 4)])
    expected = [silhouette_score(rows, labels) for labels in labelings]
    found = mean_silhouettes(rows, labelings, 5)
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    np.testing.assert_allclose([silhouette(rows, labels) for labels in labelings], expected)
    assert (mean_silhouettes(rows, labelings, 5, n_threads=3) == found).all()


def test_davies_bouldin_is_scikit_learns():
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(40, 3)), rng.integers(4, size=40)
    means = np.stack([rows[labels == k].mean(axis=0) for k in range(4)])
    found = validity.davies_bouldin(rows, labels, means, np.bincount(labels))
    assert found == pytest.approx(davies_bouldin_score(rows, labels))


def test_moves_agree():
    rng = np.random.default_rng(0)
    shape = (6, 9)
    arguments = (
        rng.normal(size=shape),
        rng.normal(size=shape),
        rng.normal(size=shape),
        rng.normal(size=9),
        rng.random((2, *shape)),
        np.array([0.7, 1.5, 1.4]),
        0.8,
    )
    for left, right in zip(
        cpu_moves.move_particles(*arguments),
        reference_moves.move_particles(*arguments),
        strict=True,
    ):
        np.testing.assert_allclose(left, right, rtol=1e-14, atol=1e-14)


def test_a_gene_of_one_half_is_not_active(any_backend):
    # Genes 0.5, 0.6, 0.7: the centre 5 does not count, and the rows go to 0 and 10.
    rows = np.array([[0.0], [1.0], [9.0], [10.0]])
    data = _load(any_backend, rows)
    position = np.array([[0.5, 0.6, 0.7, 5.0, 0.0, 10.0], [0.5, 0.6, 0.5, 5.0, 0.0, 10.0]])
    n_clusters, index = any_backend.prototypes.string_swarm(data, position, 3)
    # Means 0.5 and 9.5, scatters 0.5: (0.5 + 0.5) / 9.
    assert n_clusters.tolist() == [2, 1]
    assert index == pytest.approx([1.0 / 9.0, np.inf])
    pool = any_backend.prototypes.load_pool(data, np.array([[5.0], [0.0], [10.0], [300.0]]))
    bits = np.array([[0.5, 0.6, 0.7, 0.5], [0.5, 0.6, 0.5, 0.5], [0.0, 1.0, 0.0, 1.0]])
    n_clusters, intra, inter = any_backend.prototypes.subset_swarm(pool, bits)
    # Squares 0, 1, 1, 0 to the nearest of two centres; the third has no row for one of its centres.
    assert n_clusters.tolist() == [2, 1, 1]
    assert intra == pytest.approx([0.5, np.inf, np.inf])
    assert inter == pytest.approx([100.0, 0.0, 0.0])


def test_equal_rows_in_two_clusters_have_no_silhouette(host_backend):
    assert silhouette(np.zeros((4, 1)), np.array([0, 0, 1, 1])) == 0.0
    data = _load(host_backend, np.array([[0.0], [0.0], [3.0], [3.0]]))
    starts = [np.array([0, 2]), np.array([2, 0])]
    found = host_backend.prototypes.kmeans_silhouettes(data, starts, 2, 9)
    np.testing.assert_array_equal(found, 1.0)
    same = _load(host_backend, np.zeros((4, 1)))
    found = host_backend.prototypes.kmeans_silhouettes(same, starts, 2, 9)
    np.testing.assert_array_equal(found, 0.0)
