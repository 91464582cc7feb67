"""Mercer kernels: by hand, and every backend against the readable one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weft.backends import CPU, REFERENCE
from weft.backends.cpu.kernels import mercer_cs as kernels
from weft.backends.reference import mercer as reference
from weft.methods.mercer.spaces import KernelSpace, Walk

LINE = np.array([[0.0], [2.0], [10.0], [12.0]])
# A fixture is a backend, which no example changes.
SHARED = [HealthCheck.function_scoped_fixture]
COMPILED_OR_READABLE = pytest.mark.parametrize(
    "functions", [kernels, reference], ids=["cpu", "reference"]
)


def _tables():
    rng = np.random.default_rng(0)
    yield "random", rng.normal(size=(60, 3))
    yield "few values", rng.integers(0, 3, (50, 2)).astype(float)
    yield "duplicates", np.repeat(rng.normal(size=(9, 4)), 5, axis=0)
    yield "two rows", np.array([[0.0, 1.0], [2.0, 3.0]])


TABLES = dict(_tables())
every_table = pytest.mark.parametrize("name", TABLES)


def _squared(rows):
    return ((rows[:, None] - rows[None]) ** 2).sum(axis=2)


def _load(backend, rows, distances):
    low = rows.min(axis=0)
    return backend.mercer.load(rows, distances, low, rows.max(axis=0) - low, backend.device)


def _swarm(rows, n_centers, n_particles=40):
    """Positions from rows, and some that hurt: no active threshold, twin centres, ties."""
    rng = np.random.default_rng(1)
    span = np.ptp(rows, axis=0)
    chosen = rows[rng.integers(len(rows), size=(n_particles, n_centers))]
    centers = (chosen - rows.min(axis=0)) / np.where(span > 0.0, span, 1.0)
    positions = np.hstack([rng.random((n_particles, n_centers)), centers.reshape(n_particles, -1)])
    positions[0, :n_centers] = 0.1
    positions[1, :n_centers] = 0.2
    positions[1, 2] = 0.9
    positions[2, n_centers:] = 0.5
    positions[3:6, n_centers:] = np.round(positions[3:6, n_centers:])
    return positions


def _agree(backend, name, rows, distances, *arguments):
    found, expected = (
        getattr(each.mercer, name)(_load(each, rows, distances), *arguments)
        for each in (backend, REFERENCE)
    )
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-9)


def test_widths_by_hand(host_backend):
    # Cluster 0 = {0, 2}: both at 2 from the farthest mate. Cluster 1 = {10, 11, 13}: 3, 2, 3.
    points = np.array([0.0, 2.0, 10.0, 11.0, 13.0])
    distances = np.abs(points[:, None] - points[None])
    widths = host_backend.mercer.mean_widths(distances, np.array([0, 0, 1, 1, 1]), 3)
    assert widths == pytest.approx([2.0, 8.0 / 3.0, 0.0])


@COMPILED_OR_READABLE
def test_two_centres_are_always_active(functions):
    # Thresholds 0.1, 0.5, 0.2: none above 0.5 (eq. 10 is strict), so the two highest are taken.
    position = np.array([0.1, 0.5, 0.2, 0.0, 0.5, 1.0])
    low, span = np.array([10.0]), np.array([4.0])
    centers = functions.active_centers(position, 3, 1, low, span)
    assert centers.ravel().tolist() == [12.0, 14.0]
    position[:3] = [0.9, 0.6, 0.8]
    centers = functions.active_centers(position, 3, 1, low, span)
    assert centers.ravel().tolist() == [10.0, 12.0, 14.0]


@COMPILED_OR_READABLE
def test_the_repair_averages_the_nearest_rows(functions):
    # n/k = 2 nearest rows each: of 0 they are 0 and 2, of 100 they are 10 and 12.
    moved = functions.nearest_average(LINE, LINE.T.copy(), np.array([[0.0], [100.0]]))
    assert moved.ravel().tolist() == [1.0, 11.0]


def test_the_repair_leaves_no_cluster_below_two_rows(host_backend):
    # Three centres, two of them far outside: as printed both would average the same rows and one
    # would stay empty; it is dropped, and what is returned is what was judged.
    position = np.array([1.0, 1.0, 1.0, 0.1, 0.95, 1.0])
    data = host_backend.mercer.load(
        LINE, _squared(LINE), np.array([0.0]), np.array([100.0]), host_backend.device
    )
    centers, labels = host_backend.mercer.input_partition(data, position, 3)
    counts = np.bincount(labels, minlength=len(centers))
    assert len(centers) == 1 or counts.min() >= 2


def test_kernel_kmeans_by_hand(host_backend):
    # The linear kernel is plain k-means: {0}, {2, 10, 12} → means 0 and 8 → {0, 2}, {10, 12}:
    # one step, and the sum of squares is 4 · 1.
    start = np.array([0, 1, 1, 1])
    labels, steps, total = host_backend.mercer.settle_labels(LINE @ LINE.T, start, 2, 100)
    assert labels.tolist() == [0, 0, 1, 1]
    assert steps == 1
    assert total == pytest.approx(4.0)
    assert start.tolist() == [0, 1, 1, 1]


def test_kernel_kmeans_from_rows_by_hand(any_backend):
    # From rows 0 and 2 as centres: {0} and {2, 10, 12}, then as above.
    gram = any_backend.mercer.load_gram(LINE @ LINE.T, any_backend.device)
    starts = [np.array([0, 1]), np.array([3, 0])]
    labels, steps, sums = any_backend.mercer.kernel_kmeans(gram, starts, 100)
    assert labels.tolist() == [[0, 0, 1, 1], [1, 1, 0, 0]]
    assert steps.tolist() == [1, 0]
    assert sums == pytest.approx([4.0, 4.0])


@pytest.mark.parametrize(
    ("max_iter", "labels", "steps", "total"),
    [
        # From {0}, {1, 2, 10, 11}: means 0 and 6, so 1 and 2 change sides; then nothing does.
        # Around 0 and 6: 0 + 25 + 16 + 16 + 25. Around 1 and 10.5: 1 + 0 + 1 + 0.25 + 0.25.
        (0, [0, 1, 1, 1, 1], 0, 82.0),
        (1, [0, 0, 0, 1, 1], 1, 2.5),
        (2, [0, 0, 0, 1, 1], 1, 2.5),
    ],
)
def test_kernel_kmeans_stops_after_its_steps(max_iter, labels, steps, total, host_backend):
    rows = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
    start = np.array([0, 1, 1, 1, 1])
    found = host_backend.mercer.settle_labels(rows @ rows.T, start, 3, max_iter)
    assert (found[0].tolist(), found[1]) == (labels, steps)
    assert found[2] == pytest.approx(total)


def test_kernel_kmeans_keeps_the_least_size(host_backend):
    # From {0}, {2, 10, 12} the step above leaves 2 and 2: allowed for a least size of 2, not of 3.
    start, gram = np.array([0, 1, 1, 1]), LINE @ LINE.T
    for least, expected in ((2, [0, 0, 1, 1]), (3, [0, 1, 1, 1])):
        labels, _, _ = host_backend.mercer.settle_labels(gram, start, 2, 100, least)
        assert labels.tolist() == expected


def test_means_in_feature_space_by_hand(host_backend):
    # Linear kernel: means 1 and 11, their squares 1 and 121.
    norms, counts = host_backend.mercer.mean_norms(LINE @ LINE.T, np.array([0, 0, 1, 1]), 3)
    assert norms == pytest.approx([1.0, 121.0, 0.0])
    assert counts.tolist() == [2, 2, 0]


def test_subtractive_centres_by_hand(any_backend):
    # α = β = ln 2 on 0, 1, 3: squared distances 1, 9, 4, so the potentials are
    # 1 + 2⁻¹ + 2⁻⁹, 1 + 2⁻¹ + 2⁻⁴ and 1 + 2⁻⁹ + 2⁻⁴. The second row has the highest. Times
    # 2⁻¹ and 2⁻⁴ it is taken off the first and the third: the third is now the highest.
    rows = np.array([[0.0], [1.0], [3.0]])
    gram = any_backend.mercer.load_gram(rows @ rows.T, any_backend.device)
    both = np.log(2.0)
    chosen, heights, labels = any_backend.mercer.subtractive_centers(gram, both, both, 2)
    highest = 1.0 + 2.0**-1 + 2.0**-4
    assert chosen.tolist() == [1, 2]
    assert heights == pytest.approx([highest, 1.0 + 2.0**-9 + 2.0**-4 - highest / 16.0])
    assert labels.tolist() == [0, 0, 1]


def test_the_gaussian_kernel_by_hand(any_backend):
    rows = np.array([[0.0, 0.0], [3.0, 4.0]])
    operations, device = any_backend.mercer, any_backend.device
    gram = operations.fetch_gram(operations.gaussian_gram(rows, 0.01, device))
    np.testing.assert_allclose(gram, [[1.0, np.exp(-0.25)], [np.exp(-0.25), 1.0]], rtol=1e-14)


def test_median_distance(any_backend):
    # Of 0, 0, 1, 3 the distances above 0 are 1, 1, 3, 3, 2: each twice, the median is 2.
    median = any_backend.mercer.median_distance
    assert median(np.array([[0.0], [0.0], [1.0], [3.0]]), any_backend.device) == 2.0
    assert median(np.ones((3, 2)), any_backend.device) == 1.0
    for rows in TABLES.values():
        expected = REFERENCE.mercer.median_distance(rows, "cpu")
        assert median(rows, any_backend.device) == pytest.approx(expected, rel=1e-13)


@settings(max_examples=25, deadline=None, suppress_health_check=SHARED)
@given(seed=st.integers(0, 10**6))
def test_swarms_agree(fast_backend, seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(30, 3))
    positions = rng.random((10, 5 + 15))
    squared = _squared(rows)
    distances = 2.0 * (1.0 - np.exp(-0.5 * squared))
    _agree(fast_backend, "input_cs_swarm", rows, distances, positions, 5, 0.5)
    _agree(fast_backend, "feature_cs_swarm", rows, squared, positions, 5, 2, 3)


@every_table
def test_printed_cs_on_hard_tables(name, fast_backend):
    rows = TABLES[name]
    distances = 2.0 * (1.0 - np.exp(-0.4 * _squared(rows)))
    _agree(fast_backend, "input_cs_swarm", rows, distances, _swarm(rows, 6), 6, 0.4)


@every_table
@pytest.mark.parametrize(("steps", "least"), [(0, 1), (1, 2), (3, 5)])
def test_weighted_cs_on_hard_tables(name, steps, least, fast_backend):
    rows = TABLES[name]
    for space in (KernelSpace.of(rows, "rbf", {"gamma": 0.5}, 4), Walk.of(rows, 3).space(2.0)):
        found, expected = (
            each.mercer.feature_cs_swarm(
                _load(each, space.coordinates, space.squared_distances()),
                _swarm(space.coordinates, 6),
                6,
                steps,
                least,
            )
            for each in (fast_backend, CPU)  # coordinates of twins differ by rounding alone
        )
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-9)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), least=st.sampled_from([0, 2]))
def test_kernel_kmeans_steps_agree(seed, least):
    rng = np.random.default_rng(seed)
    gram = np.exp(-_squared(rng.normal(size=(30, 3))))
    start = rng.integers(3, size=30)
    one, two = (each.mercer.settle_labels(gram, start, 3, 50, least) for each in (CPU, REFERENCE))
    assert (one[0] == two[0]).all()
    assert one[1:] == pytest.approx(two[1:])


@every_table
@pytest.mark.parametrize("max_iter", [1, 100])
def test_kernel_kmeans_from_rows_agrees(name, max_iter, fast_backend):
    rows = TABLES[name]
    rng = np.random.default_rng(3)
    starts = [rng.choice(len(rows), min(3, len(rows)), replace=False) for _ in range(5)]
    gram = np.exp(-0.3 * _squared(rows))
    found, expected = (
        each.mercer.kernel_kmeans(each.mercer.load_gram(gram, each.device), starts, max_iter)
        for each in (fast_backend, CPU)
    )
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_allclose(found[2], expected[2], rtol=1e-10, atol=1e-10)


def test_rows_join_the_nearest_start(any_backend):
    # Rows 0, 2, 6 and 12, starts 2 and 12: row 6 is 4 from the one and 6 from the other.
    rows = np.array([[0.0], [2.0], [6.0], [12.0]])
    gram = any_backend.mercer.load_gram(rows @ rows.T, any_backend.device)
    labels, steps, sums = any_backend.mercer.kernel_kmeans(gram, [np.array([1, 3])], 0)
    assert labels.tolist() == [[0, 0, 0, 1]]
    assert steps.tolist() == [0]
    # Around the mean 8/3: 64/9 + 4/9 + 100/9.
    assert sums == pytest.approx([168.0 / 9.0])


def test_a_row_alone_in_its_cluster_has_its_own_norm(host_backend):
    norms, counts = host_backend.mercer.mean_norms(LINE @ LINE.T, np.array([0, 0, 0, 1]), 2)
    assert norms == pytest.approx([16.0, 144.0])
    assert counts.tolist() == [3, 1]


@pytest.mark.parametrize(("least", "labels"), [(0, [0, 0, 0]), (1, [0, 0, 1]), (2, [0, 0, 1])])
def test_a_step_that_empties_a_cluster_needs_a_least_size_of_0(least, labels, host_backend):
    # Clusters {0, 2} and {1} have the same mean: row 1 would move to the first.
    rows = np.array([[0.0], [2.0], [1.0]])
    found, steps, total = host_backend.mercer.settle_labels(
        rows @ rows.T, np.array([0, 0, 1]), 2, 9, least
    )
    assert found.tolist() == labels
    assert steps == (least == 0)
    assert total == 2.0


def test_clusters_of_two_rows_need_no_repair(host_backend):
    # Centres at 0 and 12 have two rows each and stay where they are; with 0 and 3.6 the second has
    # three rows and the first one, so that both move to the mean of their two nearest rows.
    data = host_backend.mercer.load(
        LINE, _squared(LINE), np.array([0.0]), np.array([12.0]), host_backend.device
    )
    centers, labels = host_backend.mercer.input_partition(data, np.array([1.0, 1.0, 0.0, 1.0]), 2)
    assert centers.ravel().tolist() == [0.0, 12.0]
    assert labels.tolist() == [0, 0, 1, 1]
    centers, labels = host_backend.mercer.input_partition(data, np.array([1.0, 1.0, 0.0, 0.3]), 2)
    assert np.sort(centers.ravel()).tolist() == [1.0]  # both have the same two rows: one is dropped
    assert labels.tolist() == [0, 0, 0, 0]


@COMPILED_OR_READABLE
def test_a_threshold_of_one_half_is_not_active(functions):
    position = np.array([0.9, 0.5, 0.6, 0.0, 0.5, 1.0])
    centers = functions.active_centers(position, 3, 1, np.zeros(1), np.ones(1))
    assert centers.ravel().tolist() == [0.0, 1.0]


@COMPILED_OR_READABLE
def test_more_centres_than_rows_average_one_row_each(functions):
    centers = np.array([[0.5], [1.5], [9.0], [11.5], [40.0]])
    moved = functions.nearest_average(LINE, LINE.T.copy(), centers)
    assert moved.ravel().tolist() == [0.0, 2.0, 10.0, 12.0, 12.0]


def test_a_kernel_that_sees_no_distance_has_no_cs(host_backend):
    data = host_backend.mercer.load(
        LINE, _squared(LINE), np.array([0.0]), np.array([12.0]), host_backend.device
    )
    positions = np.array([[1.0, 1.0, 0.0, 1.0]])
    n_clusters, cs = host_backend.mercer.input_cs_swarm(data, positions, 2, 0.0)
    assert (n_clusters.tolist(), cs.tolist()) == ([2], [np.inf])


@pytest.mark.parametrize(("gap", "defined"), [(3.3e-6, True), (3.05e-6, False), (0.0, False)])
def test_means_that_differ_by_rounding_are_the_same(gap, defined, any_backend):
    # Ranges of 3 and 1, whose squares have the sum 10: means closer than √10⁻¹¹ are the same.
    rows = np.array([[0.0, 0.0], [0.0, 0.0], [gap, 0.0], [gap, 0.0], [3.0, 1.0], [3.0, 1.0]])
    data = _load(any_backend, rows, _squared(rows))
    position = np.array([[1.0, 1.0, 1.0, 0.0, 0.0, gap / 3.0, 0.0, 1.0, 1.0]])
    n_clusters, cs = any_backend.mercer.feature_cs_swarm(data, position, 3, 0, 0 if gap else 1)
    if gap:
        assert n_clusters.tolist() == [3]
        assert np.isfinite(cs).tolist() == [defined]
