"""The measures as the search calls them: Gaussian models, labels and the graph, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from weft.backends.cpu.buffers import Buffers
from weft.backends.cpu.features import Spaces
from weft.backends.cpu.space_measures import gaussian_scores
from weft.backends.cpu.spaces import Space, Table
from weft.backends.spaces import Solution
from weft.metrics.on_spaces import (
    bcr_of,
    bic_of,
    dense_labels,
    edges_between,
    modularity_of,
)


def rows(n, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 4))


# Gaussians ------------------------------------------------------------------------------------


def log_density(x, mean, deviation, share):
    z = (x - mean) / deviation
    return (-0.5 * z**2 - np.log(deviation) - 0.5 * np.log(2 * np.pi)).sum() + np.log(share)


def by_definition(X, labels, noise):
    clusters = [X[labels == k] for k in range(labels.max() + 1)]
    n = sum(map(len, clusters))
    own, other = [], []
    for k, cluster in enumerate(clusters):
        for x in cluster:
            all_ = [
                log_density(x, c.mean(axis=0), c.std(axis=0) + noise, len(c) / n) for c in clusters
            ]
            own.append(all_.pop(k))
            other.append(max(all_, default=0.0))
    return np.array(own), np.array(other)


def on_table(measure, X, labels, noise):
    """Return a measure of the Gaussian models of a table's clusters."""
    table = Table.of(X)
    space = Space.of(table, Solution(np.ones(X.shape[1])), Buffers(hold_matrix=False))
    (value,) = measure(Spaces(space, table), labels[None], noise)
    return value


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_gaussian_measures_by_definition(noise):
    X = rows(24, 3)
    labels = np.repeat([0, 1, 2, -1], [5, 9, 7, 3])
    own, other = by_definition(X, labels, noise)
    assert on_table(bcr_of, X, labels, noise) == pytest.approx((own - other).sum(), rel=1e-9)
    # Per cluster 4 means, 4 deviations, and two free shares; 21 rows.
    expected = own.sum() - 0.5 * (3 * 8 + 2) * np.log(21)
    assert on_table(bic_of, X, labels, noise) == pytest.approx(expected, rel=1e-9)
    found, best = gaussian_scores(X, labels, noise)
    np.testing.assert_allclose(found[labels >= 0], own, rtol=1e-9)
    np.testing.assert_allclose(best[labels >= 0], other, rtol=1e-9)


def test_gaussian_measures_of_fewer_than_two_clusters():
    X = rows(6)
    one, none = np.zeros(6, dtype=np.int64), np.full(6, -1)
    assert on_table(bcr_of, X, one, 0.1) == 0.0
    assert on_table(bcr_of, X, none, 0.1) == 0.0
    assert on_table(bic_of, X, none, 0.1) == 0.0
    own, _ = by_definition(X, one, 0.1)
    assert on_table(bic_of, X, one, 0.1) == pytest.approx(own.sum() - 0.5 * 8 * np.log(6), rel=1e-9)
    two = np.array([0, 0, 0, 1, 1, 1])
    assert on_table(bcr_of, X, two, 0.1) != 0.0


# Labels and the graph -------------------------------------------------------------------------


def test_labels_are_renumbered():
    given = [7, -1, 3, 7]
    np.testing.assert_array_equal(dense_labels(given), [1, -1, 0, 1])
    np.testing.assert_array_equal(dense_labels(given, noise="cluster"), [2, 0, 1, 2])
    np.testing.assert_array_equal(dense_labels([-1, -1]), [-1, -1])


def test_modularity_by_hand():
    # A path 0-1-2-3, each with one neighbour: 0→1, 1→0, 2→1, 3→2. Clusters {0, 1}, {2, 3}, {}.
    labels, neighbours = np.array([0, 0, 1, 1]), np.array([[1], [0], [1], [2]])
    # Edges inside 0: 0→1 and 1→0, counted from both ends 4; 2→1 between; 3→2 inside 1: 2.
    np.testing.assert_array_equal(edges_between(labels, neighbours), [[4, 1], [1, 2]])
    # Of 8 ends 6 are inside; 5/8 and 3/8 belong to the clusters.
    expected = 6 / 8 - (5 / 8) ** 2 - (3 / 8) ** 2
    assert modularity_of(labels, neighbours) == pytest.approx(expected, rel=1e-14)
    assert modularity_of(np.zeros(4, dtype=np.int64), neighbours) == 0.0


def test_the_bic_of_one_labelled_row_is_its_density():
    # The logarithm of one row is 0, so that parameters cost nothing.
    X, labels = rows(6), np.array([-1, 0, -1, -1, -1, -1])
    own, _ = by_definition(X, labels, 0.1)
    assert own.sum() != 0.0
    assert on_table(bic_of, X, labels, 0.1) == pytest.approx(own.sum(), rel=1e-9)
