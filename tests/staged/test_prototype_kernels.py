"""Prototype kernels: by hand, and the compiled ones against the readable ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import silhouette_score

from weft.backends.cpu.kernels import moves as cpu_moves
from weft.backends.cpu.kernels import prototypes as cpu
from weft.backends.reference.kernels import moves as reference_moves
from weft.backends.reference.kernels import prototypes as reference

BACKENDS = pytest.mark.parametrize("kernels", [cpu, reference], ids=["cpu", "reference"])


def data(seed, n=40, d=5, levels=None):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, d)) if levels is None else rng.integers(levels, size=(n, d)) * 1.0
    rows = np.ascontiguousarray(rows - rows.mean(axis=0))
    return rows, np.ascontiguousarray(rows.T), rng


@BACKENDS
def test_nearest_prototypes_by_hand(kernels):
    # Feature 1 alone: values 0, 1, 9, 5; prototypes at 0 and 10. 5 is at 25 from both: the first.
    columns = np.array([[7.0, -7.0, 3.0, 3.0], [0.0, 1.0, 9.0, 5.0]])
    labels, squared = np.empty(4, dtype=np.int64), np.empty(4)
    prototypes = np.array([[0.0], [10.0]])
    kernels.nearest_prototypes(columns, np.array([1]), prototypes, labels, squared)
    assert labels.tolist() == [0, 0, 1, 0]
    assert squared.tolist() == [0.0, 1.0, 1.0, 25.0]


@BACKENDS
def test_between_by_hand(kernels):
    # Rows -3, -1, 1, 3, centred. Clusters {-3, -1}, {1, 3}: sums -4 and 4, |S|²/n_k = 8 each,
    # so Between = 16/4 = 4; the total is (9+1+1+9)/4 = 5 and Within = 1, as eq. 4 says:
    # each row is 1 from its mean. The third cluster is empty and does not count.
    rows = np.array([[-3.0], [-1.0], [1.0], [3.0]])
    labels = np.array([0, 0, 2, 2])
    sums, counts = np.empty((3, 1)), np.empty(3, dtype=np.int64)
    kernels.cluster_sums(rows, labels, sums, counts)
    assert sums.ravel().tolist() == [-4.0, 0.0, 4.0]
    assert counts.tolist() == [2, 0, 2]
    assert kernels.between_sum(sums, counts, 4) == (4.0, 2)


@BACKENDS
def test_decode_medoids_by_hand(kernels):
    # Two features, three rows, threshold 0.5: a feature counts from 0 on, a medoid above 0.5.
    position = np.array([0.0, -1e-9, 0.5, 0.6, -2.0, 0.5])
    features, chosen = kernels.decode_medoids(position, 2, 3)
    assert features.tolist() == [0]
    assert chosen.tolist() == [1]


@BACKENDS
def test_equal_medoids_are_one(kernels):
    rows = np.array([[1.0, 0.0], [1.0, 5.0], [2.0, 0.0]])
    out = np.empty(3, dtype=np.int64)
    chosen = np.array([0, 1, 2])
    # In feature 0 rows 0 and 1 are the same medoid; in both features they are not.
    assert kernels.distinct_medoids(rows, np.array([0]), chosen, 3, out) == 2
    assert out[:2].tolist() == [0, 2]
    assert kernels.distinct_medoids(rows, np.array([0, 1]), chosen, 3, out) == 3
    assert kernels.distinct_medoids(rows, np.array([0, 1]), chosen, 2, out) == 3  # above the limit


@BACKENDS
def test_k_is_the_number_of_medoids(kernels):
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
    selected, found, between = np.empty(5, np.int64), np.empty(5, np.int64), np.empty(5)
    kernels.medoid_swarm(positions, rows, rows.T.copy(), 3, selected, found, between)
    assert selected.tolist() == [1, 1, 1, 0, 1]
    assert found.tolist() == [2, 3, 1, 0, 0]
    np.testing.assert_allclose(between, [32 / 9, 32 / 9, 0.0, 0.0, 0.0])
    # Above the limit: equal medoids count.
    kernels.medoid_swarm(positions, rows, rows.T.copy(), 2, selected, found, between)
    assert found.tolist() == [2, 3, 1, 0, 0]
    np.testing.assert_allclose(between, [32 / 9, 0.0, 0.0, 0.0, 0.0])


@BACKENDS
def test_lloyd_by_hand(kernels):
    # Centres 0 and 1 over 0, 1, 2, 10, 11: first {0}, {1, 2, 10, 11} → 0 and 6; then {0, 1, 2},
    # {10, 11} → 1 and 10.5; then no label changes: two moves.
    rows = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
    centers = np.array([[0.0], [1.0]])
    labels = np.empty(5, dtype=np.int64)
    assert kernels.lloyd(rows, rows.T.copy(), centers, 100, labels) == 2
    assert labels.tolist() == [0, 0, 0, 1, 1]
    assert centers.ravel().tolist() == [1.0, 10.5]


def test_lloyd_keeps_an_empty_centre():
    rows = np.array([[0.0], [1.0]])
    centers = np.array([[0.0], [1.0], [50.0]])
    labels = np.empty(2, dtype=np.int64)
    cpu.lloyd(rows, rows.T.copy(), centers, 100, labels)
    assert centers.ravel().tolist() == [0.0, 1.0, 50.0]
    assert labels.tolist() == [0, 1]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), levels=st.sampled_from([None, 2, 4]))
def test_medoid_swarm_backends_agree(seed, levels):
    rows, columns, rng = data(seed, levels=levels)
    n, d = rows.shape
    positions = rng.uniform(-1.0, 1.0, (12, d + n + 1))
    positions[::2, -1] = rng.uniform(0.7, 1.1, 6)  # else nearly all have too many medoids
    results = []
    for kernels in (cpu, reference):
        out = np.empty(12, dtype=np.int64), np.empty(12, dtype=np.int64), np.empty(12)
        kernels.medoid_swarm(positions, rows, columns, 6, *out)
        results.append(out)
    for left, right in zip(*results, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-12)


def test_centroid_swarm_backends_agree():
    rows, columns, rng = data(3)
    features = np.array([0, 2, 3])
    positions = rng.normal(size=(8, 4 * 3))
    results = []
    for kernels in (cpu, reference):
        out = np.empty(8, dtype=np.int64), np.empty(8)
        kernels.centroid_swarm(positions, rows, columns, features, *out)
        results.append(out)
    for left, right in zip(*results, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-12)


def test_between_and_within_add_up_to_the_total():
    # The identity that spares a second pass, on the definition of eq. 4 and 5.
    rows, columns, rng = data(4)
    n, d = rows.shape
    positions = rng.uniform(-1.0, 1.0, (20, d + n + 1))
    positions[:, -1] = 0.9
    selected, clusters, between = np.empty(20, np.int64), np.empty(20, np.int64), np.empty(20)
    cpu.medoid_swarm(positions, rows, columns, 10, selected, clusters, between)
    checked = 0
    for p in range(20):
        if not 2 <= clusters[p] <= 10:
            continue
        features, chosen = cpu.decode_medoids(positions[p], d, n)
        distance = ((rows[:, None, features] - rows[None, chosen][:, :, features]) ** 2).sum(2)
        labels = distance.argmin(axis=1)
        within = sum(
            ((rows[labels == k] - rows[labels == k].mean(axis=0)) ** 2).sum()
            for k in np.unique(labels)
        )
        assert between[p] == pytest.approx((rows**2).sum() / n - within / n, rel=1e-10)
        checked += 1
    assert checked > 5


@BACKENDS
def test_silhouettes_against_scikit_learn(kernels):
    rows, _, rng = data(5, n=30)
    labelings = np.stack([rng.integers(k, size=30) for k in (2, 3, 4)])
    labelings[0, 0], labelings[0, 1] = 0, 1
    counts = np.stack([np.bincount(labels, minlength=5) for labels in labelings])
    distances = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(axis=2))
    out = np.zeros(3)
    for start in (0, 16):
        kernels.silhouette_tile(
            np.ascontiguousarray(distances[:, start : start + 16]), start, labelings, counts, out
        )
    expected = [silhouette_score(rows, labels) for labels in labelings]
    np.testing.assert_allclose(out / 30, expected, rtol=1e-12)


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
