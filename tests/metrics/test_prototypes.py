"""Measures by prototypes: by hand in two columns, with and without a kernel, and their edges."""

from __future__ import annotations

import math

import numpy as np
import pytest

from weft.metrics import (
    cs,
    evaluations_to_reach,
    huang_accuracy,
    kernel_cs,
    scatter_trace,
    sum_intra,
)

# Two clusters of two rows and one of three; the last row is in none.
NEAR = [[0.0, 0.0], [3.0, 4.0], [10.0, 0.0], [10.0, 2.0]]
FAR = [[0.0, 20.0], [0.0, 24.0], [3.0, 20.0]]
X = np.array([*NEAR, *FAR, [9.0, 9.0]])
LABELS = np.array([4, 4, 7, 7, 9, 9, 9, -1])


def kept():
    return [X[label == LABELS] for label in (4, 7, 9)]


def test_sum_intra_by_hand():
    # Halves of 5 and 2 twice each, and three distances to (1, 64/3).
    mean = np.array([1.0, 64.0 / 3.0])
    expected = 5.0 + 2.0 + sum(math.dist(row, mean) for row in X[4:7])
    assert sum_intra(X, LABELS) == pytest.approx(expected, rel=1e-14)


def test_scatter_trace_by_definition():
    rows = np.vstack(kept())
    center = rows.mean(axis=0)
    within = sum(np.outer(r - c.mean(axis=0), r - c.mean(axis=0)) for c in kept() for r in c)
    between = sum(
        len(c) * np.outer(c.mean(axis=0) - center, c.mean(axis=0) - center) for c in kept()
    )
    expected = np.trace(np.linalg.inv(within) @ between)
    assert scatter_trace(X, LABELS) == pytest.approx(expected, rel=1e-10)
    assert scatter_trace(X, np.zeros(8, int)) == pytest.approx(0.0, abs=1e-12)


def brute_cs(distance, means_apart, weighted=False):
    clusters = kept()
    width = [np.mean([max(distance(a, b) for b in c) for a in c]) for c in clusters]
    apart = [min(means_apart[i][j] for j in range(3) if j != i) for i in range(3)]
    if weighted:
        return sum(len(c) * w / a for c, w, a in zip(clusters, width, apart, strict=True)) / 7
    return sum(width) / sum(apart)


def test_cs_by_definition():
    means = [c.mean(axis=0) for c in kept()]
    apart = [[math.dist(a, b) for b in means] for a in means]
    assert cs(X, LABELS) == pytest.approx(brute_cs(math.dist, apart), rel=1e-12)
    assert cs(X, np.zeros(8)) == math.inf
    assert cs([[0.0], [2.0], [1.0], [1.0]], [0, 0, 1, 1]) == math.inf  # the same means


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("centers", ["input", "feature-space"])
def test_kernel_cs_by_definition(weighted, centers):
    def kernel(a, b, sigma=6.0):
        return math.exp(-(math.dist(a, b) ** 2) / (2.0 * sigma**2))

    def distance(a, b):
        return 2.0 - 2.0 * kernel(a, b)

    clusters = kept()
    if centers == "input":
        means = [c.mean(axis=0) for c in clusters]
        apart = [[distance(a, b) for b in means] for a in means]
    else:
        inner = [
            [np.mean([kernel(a, b) for a in c for b in d]) for d in clusters] for c in clusters
        ]
        apart = [[inner[i][i] - 2 * inner[i][j] + inner[j][j] for j in range(3)] for i in range(3)]
    expected = brute_cs(distance, apart, weighted)
    found = kernel_cs(X, LABELS, sigma=6.0, centers=centers, weighted=weighted)
    assert found == pytest.approx(expected, rel=1e-10)


def test_the_width_of_the_kernel():
    assert kernel_cs(X, LABELS) == kernel_cs(X, LABELS, sigma=1.1)
    assert kernel_cs(X, LABELS) != kernel_cs(X, LABELS, sigma=1.2)
    # γ = 1 / 2σ²; one that is given goes before it.
    assert kernel_cs(X, LABELS, gamma=0.02) == pytest.approx(kernel_cs(X, LABELS, sigma=5.0))
    with pytest.raises(ValueError, match="sigma=0"):
        kernel_cs(X, LABELS, sigma=0.0)


def test_a_kernel_matrix():
    gram = X @ X.T
    found = kernel_cs(gram, LABELS, kernel="precomputed", centers="feature-space")
    assert found == pytest.approx(
        kernel_cs(X, LABELS, kernel="linear", centers="feature-space"), rel=1e-10
    )
    # In a linear kernel means are the same on both sides.
    assert found == pytest.approx(kernel_cs(X, LABELS, kernel="linear"), rel=1e-10)
    with pytest.raises(ValueError, match="needs the rows themselves"):
        kernel_cs(gram, LABELS, kernel="precomputed")


@pytest.mark.parametrize("centers", ["input", "feature-space"])
@pytest.mark.parametrize("weighted", [False, True])
def test_kernel_cs_without_two_clusters(centers, weighted):
    given = {"kernel": "linear", "centers": centers, "weighted": weighted}
    assert kernel_cs(X, np.zeros(8), **given) == math.inf
    same = [[0.0], [2.0], [1.0], [1.0]]
    assert kernel_cs(same, [0, 0, 1, 1], **given) == math.inf
    # One pair of clusters has the same mean, the third is apart: by sums that is finite.
    three = [[0.0], [2.0], [1.0], [1.0], [9.0], [9.0]]
    found = kernel_cs(three, [0, 0, 1, 1, 2, 2], **given)
    assert found == (math.inf if weighted else pytest.approx(4.0 / 64.0))


def test_huangs_accuracy_is_the_best_assignment():
    # Clusters 0 and 1 both hold class 0: one of them, the larger, stands for it.
    assert huang_accuracy([0, 0, 0, 1, 1], [0, 0, 1, 2, 2]) == pytest.approx(4 / 5)


@pytest.mark.parametrize(
    ("threshold", "expected"), [(0.0, 80.0), (0.75, 80.0), (0.76, 120.0), (1.0, 120.0)]
)
def test_evaluations_until_it_is_right(threshold, expected):
    # Three clusters are one too many; then two with 3 of 4 rows right; then all.
    runs = [[0, 1, 2, 2], [0, 0, 1, 0], [0, 0, 1, 1]]
    found = evaluations_to_reach([0, 0, 1, 1], runs, [40, 80, 120], threshold=threshold)
    assert found == expected
    assert evaluations_to_reach([0, 0, 1, 1], runs[:1], [40], threshold=threshold) == math.inf


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(ValueError, match="3 entries for 8 rows"):
        sum_intra(X, [0, 1, 2])
    with pytest.raises(ValueError, match="all -1"):
        cs(X, np.full(8, -1))
    for threshold in (-0.1, 1.2):
        with pytest.raises(ValueError, match="threshold"):
            evaluations_to_reach([0], [[0]], [1], threshold=threshold)
    with pytest.raises(ValueError, match="centers='nowhere'"):
        kernel_cs(X, LABELS, centers="nowhere")


@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_two_clusters_are_enough_however_near(scale):
    two, labels = scale * np.array([[0.0], [2.0], [10.0], [12.0]]), [0, 0, 1, 1]
    assert cs(two, labels) == pytest.approx(4.0 / 20.0)
    for centers in ("input", "feature-space"):
        for weighted in (False, True):
            found = kernel_cs(two, labels, kernel="linear", centers=centers, weighted=weighted)
            assert found == pytest.approx(8.0 / 200.0)


def test_every_clustering_has_its_evaluations():
    with pytest.raises(ValueError, match="shorter"):
        evaluations_to_reach([0, 1], [[0, 0], [0, 0]], [1], threshold=1.0)
