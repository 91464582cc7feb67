"""Kernel CS, repairs, kernel k-means and validity: by hand, and compiled against readable."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import davies_bouldin_score

from weft.backends.cpu.kernels import mercer_cs as cpu
from weft.backends.cpu.kernels import validity as cpu_validity
from weft.backends.reference.kernels import mercer_cs as reference
from weft.backends.reference.kernels import validity as reference_validity
from weft.metrics import cs, evaluations_to_reach, huang_accuracy, kernel_cs

BACKENDS = pytest.mark.parametrize("kernels", [cpu, reference], ids=["cpu", "reference"])
LINE = np.array([[0.0], [2.0], [10.0], [12.0]])
HALVES = np.array([0, 0, 1, 1])


@BACKENDS
def test_widths_by_hand(kernels):
    # Cluster 0 = {0, 2}: both at 2 from the farthest mate. Cluster 1 = {10, 11, 13}: 3, 2, 3.
    points = np.array([0.0, 2.0, 10.0, 11.0, 13.0])
    distances = np.abs(points[:, None] - points[None])
    widths = np.empty(3)
    kernels.mean_widths(distances, np.array([0, 0, 1, 1, 1]), 3, widths)
    assert widths == pytest.approx([2.0, 8.0 / 3.0, 0.0])


@BACKENDS
def test_two_centres_are_always_active(kernels):
    # Thresholds 0.1, 0.5, 0.2: none above 0.5 (eq. 10 is strict), so the two highest are taken.
    position = np.array([0.1, 0.5, 0.2, 0.0, 0.5, 1.0])
    low, span = np.array([10.0]), np.array([4.0])
    centers = kernels.active_centers(position, 3, 1, low, span)
    assert centers.ravel().tolist() == [12.0, 14.0]
    position[:3] = [0.9, 0.6, 0.8]
    assert kernels.active_centers(position, 3, 1, low, span).ravel().tolist() == [10.0, 12.0, 14.0]


@BACKENDS
def test_the_repair_averages_the_nearest_rows(kernels):
    # n/k = 2 nearest rows each: of 0 they are 0 and 2, of 100 they are 10 and 12.
    moved = kernels.nearest_average(LINE, LINE.T.copy(), np.array([[0.0], [100.0]]))
    assert moved.ravel().tolist() == [1.0, 11.0]


@BACKENDS
def test_the_repair_leaves_no_cluster_below_two_rows(kernels):
    # Three centres, two of them far outside: as printed both would average the same rows and one
    # would stay empty; it is dropped, and what is returned is what was judged.
    position = np.array([1.0, 1.0, 1.0, 0.1, 0.95, 1.0])
    labels = np.empty(4, dtype=np.int64)
    low, span = np.array([0.0]), np.array([100.0])
    centers = kernels.decode_input(position, LINE, LINE.T.copy(), 3, low, span, labels)
    counts = np.bincount(labels, minlength=len(centers))
    assert len(centers) == 1 or counts.min() >= 2


@BACKENDS
def test_kernel_kmeans_by_hand(kernels):
    # The linear kernel is plain k-means: {0}, {2, 10, 12} → means 0 and 8 → {0, 2}, {10, 12}:
    # one step, and the sum of squares is 4 · 1.
    labels = np.array([0, 1, 1, 1])
    steps, total = kernels.kernel_kmeans(LINE @ LINE.T, 2, 100, 0, labels)
    assert labels.tolist() == [0, 0, 1, 1]
    assert steps == 1
    assert total == pytest.approx(4.0)


@BACKENDS
def test_kernel_kmeans_keeps_the_least_size(kernels):
    # From {0}, {2, 10, 12} the step above leaves 2 and 2: allowed for a least size of 2, not of 3.
    labels = np.array([0, 1, 1, 1])
    kernels.kernel_kmeans(LINE @ LINE.T, 2, 100, 3, labels)
    assert labels.tolist() == [0, 1, 1, 1]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_backends_agree(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(30, 3))
    columns = rows.T.copy()
    low, span = rows.min(axis=0), np.ptp(rows, axis=0)
    positions = rng.random((10, 5 + 15))
    squared = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
    distances = 2.0 * (1.0 - np.exp(-0.5 * squared))
    for name, arguments in (
        ("input_cs_swarm", (distances, 5, low, span, 0.5)),
        ("feature_cs_swarm", (squared, 5, low, span, 2, 3)),
    ):
        results = []
        for kernels in (cpu, reference):
            out = np.empty(10, dtype=np.int64), np.empty(10)
            getattr(kernels, name)(positions, rows, columns, *arguments, *out)
            results.append(out)
        assert (results[0][0] == results[1][0]).all()
        np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-10)
    gram = np.exp(-squared)
    labels = [rng.integers(3, size=30)] * 2
    found = []
    for kernels, start in zip((cpu, reference), labels, strict=True):
        moved = start.copy()
        found.append((moved, *kernels.kernel_kmeans(gram, 3, 50, 2, moved)))
    assert (found[0][0] == found[1][0]).all()
    assert found[0][1:] == pytest.approx(found[1][1:])


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_validity_backends_agree(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(25, 2))
    strings = np.hstack([rng.integers(2, size=(8, 4)) * 1.0, rng.normal(size=(8, 8))])
    bits = rng.integers(2, size=(8, 6)) * 1.0
    pool = rows[:6].copy()
    results = []
    for kernels in (cpu_validity, reference_validity):
        first = np.empty(8, dtype=np.int64), np.empty(8)
        kernels.string_swarm(strings, rows, rows.T.copy(), 4, *first)
        second = np.empty(8, dtype=np.int64), np.empty(8), np.empty(8)
        kernels.subset_swarm(bits, rows.T.copy(), pool, *second)
        results.append((*first, *second))
    for left, right in zip(*results, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-10)


def test_davies_bouldin_is_scikit_learns():
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(40, 3)), rng.integers(4, size=40)
    means = np.stack([rows[labels == k].mean(axis=0) for k in range(4)])
    found = cpu_validity.davies_bouldin(rows, labels, means, np.bincount(labels))
    assert found == pytest.approx(davies_bouldin_score(rows, labels))


def test_cs_by_hand():
    # Widths 2 and 2; means 1 and 11, each 10 from the other: (2 + 2) / (10 + 10).
    assert cs(LINE, HALVES) == pytest.approx(0.2)
    assert cs(LINE, np.zeros(4)) == np.inf
    assert cs([[0.0], [1.0], [0.0], [1.0]], HALVES) == np.inf  # both means at 0.5


def test_kernel_cs_by_hand():
    # Linear kernel: squares, so (4 + 4) / (100 + 100), wherever the means are taken.
    for where in ("input", "feature-space"):
        assert kernel_cs(LINE, HALVES, kernel="linear", centers=where) == pytest.approx(0.04)
    # Gaussian, σ = 1: the widest pair of each cluster is 2 apart, 2(1 - e^-2); the means 1 and 11
    # are 10 apart, 2(1 - e^-50).
    expected = (1.0 - np.exp(-2.0)) / (1.0 - np.exp(-50.0))
    assert kernel_cs(LINE, HALVES, sigma=1.0) == pytest.approx(expected)


def test_the_weighted_form_is_not_won_by_a_pair():
    # Two blobs of 20, and two twins far away from both: unweighted, splitting one blob's twins off
    # beats the truth; weighted it does not.
    rng = np.random.default_rng(0)
    blobs = np.vstack([rng.normal(0.0, 1.0, (20, 2)), rng.normal(8.0, 1.0, (20, 2))])
    X = np.vstack([blobs, [[0.0, 20.0], [0.0, 20.0]]])
    truth = np.repeat([0, 1, 0], [20, 20, 2])
    merged = np.repeat([0, 0, 1], [20, 20, 2])  # both blobs one cluster, the pair the other
    apart = np.repeat([0, 1, 2], [20, 20, 2])
    plain = {name: cs(X, labels) for name, labels in (("merged", merged), ("apart", apart))}
    weighted = {
        name: kernel_cs(X, labels, kernel="linear", weighted=True)
        for name, labels in (("truth", truth), ("merged", merged), ("apart", apart))
    }
    assert plain["merged"] < 1.0
    assert weighted["apart"] < weighted["merged"]


def test_precomputed_is_the_same():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(20, 3)), rng.integers(3, size=20)
    gram = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / (2 * 0.7**2))
    direct = kernel_cs(X, labels, sigma=0.7, centers="feature-space", weighted=True)
    given_gram = kernel_cs(
        gram, labels, kernel="precomputed", centers="feature-space", weighted=True
    )
    assert direct == pytest.approx(given_gram)
    with pytest.raises(ValueError, match="needs the rows themselves"):
        kernel_cs(gram, labels, kernel="precomputed")


def test_evaluations_to_reach():
    truth = [0, 0, 1, 1]
    runs = [[0, 0, 0, 1], [0, 1, 2, 2], [1, 1, 0, 0]]
    # The first has the right K and accuracy 3/4, the second the wrong K.
    assert evaluations_to_reach(truth, runs, [10, 20, 30], threshold=0.75) == 10.0
    assert evaluations_to_reach(truth, runs, [10, 20, 30], threshold=0.8) == 30.0
    assert evaluations_to_reach(truth, runs[:2], [10, 20], threshold=0.8) == np.inf
    assert huang_accuracy(truth, runs[0]) == 0.75
