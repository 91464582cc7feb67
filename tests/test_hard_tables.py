"""Kernels against the readable ones on numbers that hurt."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from weft.backends import CPU, REFERENCE
from weft.backends.cpu.kernels import distances as cpu_distances
from weft.backends.cpu.kernels import linkage as cpu_linkage
from weft.backends.cpu.kernels import minkowski as cpu_minkowski
from weft.backends.cpu.kernels import neighbours as cpu_neighbours
from weft.backends.cpu.kernels import prototypes as cpu_prototypes
from weft.backends.cpu.kernels import scores as cpu_scores
from weft.backends.reference import clusterings
from weft.backends.reference import prototypes as ref_prototypes

QUICK = settings(max_examples=60, deadline=None)


HURT = (0.0, -0.0, 1.0, -1.0, 1 / 3, 1 + 2**-52, 1e150, -1e150, 1e-150, 5e-324, 2.2e-308, 7.0)


@st.composite
def hard_tables(draw, palette=HURT, max_rows=9):
    n_rows, n_features = draw(st.integers(2, max_rows)), draw(st.integers(1, 4))
    cells = st.one_of(st.sampled_from(palette), st.integers(0, 1).map(float))
    X = draw(arrays(np.float64, (n_rows, n_features), elements=cells))
    if draw(st.booleans()):
        X[draw(st.integers(0, n_rows - 1))] = X[0]  # a duplicate
    if draw(st.booleans()):
        X[:, 0] = X[0, 0]  # a constant column
    return X


MILD = tuple(value for value in HURT if abs(value) < 1e100)


@given(hard_tables())
@QUICK
def test_distances_and_neighbours_on_hard_tables(X):
    columns = np.ascontiguousarray(X.T)
    n = len(X)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        expected = clusterings.powered_distances(columns)
    matrix = np.full((n, n), np.nan)
    cpu_distances.powered_matrix(columns, np.empty(0), matrix)
    np.testing.assert_array_equal(matrix, expected)
    for k in {1, n - 1}:
        indices, values, labels = np.full((n, k), -7), np.full((n, k), np.nan), np.full(n, -7)
        cpu_neighbours.nearest_in_block(matrix, 0, True, indices, values)
        nearest, near = clusterings.nearest_rows(matrix, k)
        np.testing.assert_array_equal(indices, nearest)
        np.testing.assert_array_equal(values, near)
        n_components = cpu_neighbours.graph_components(indices, labels)
        np.testing.assert_array_equal(labels, clusterings.graph_components(indices))
        assert n_components == labels.max() + 1


def _allowed(distances, k):
    """All partitions into k that complete linkage may end with, whichever of equal pairs merge."""
    reached = {frozenset(frozenset([i]) for i in range(len(distances)))}
    for _ in range(len(distances) - k):
        further = set()
        for parts in reached:
            heights = {
                pair: distances[np.ix_(list(pair[0]), list(pair[1]))].max()
                for pair in itertools.combinations(parts, 2)
            }
            least = min(heights.values())
            for (a, b), height in heights.items():
                if height == least:
                    further.add((parts - {a, b}) | {a | b})
        reached = further
    return reached


@given(hard_tables(MILD, max_rows=7), st.data())
@QUICK
def test_linkage_on_hard_tables(X, data):
    n = len(X)
    k = data.draw(st.integers(1, n))  # k = n too
    matrix = clusterings.powered_distances(X.T)
    allowed = _allowed(matrix, k)
    compiled = np.full(n, -7)
    cpu_linkage.complete_linkage(matrix.copy(), k, compiled)
    for labels in (clusterings.complete_linkage(matrix, k), compiled):
        groups = [np.flatnonzero(labels == label) for label in range(k)]
        assert frozenset(frozenset(group.tolist()) for group in groups) in allowed
        assert [group[0] for group in groups] == sorted(group[0] for group in groups)


@given(hard_tables(MILD), st.data())
@QUICK
def test_scores_on_hard_tables(X, data):
    n = len(X)
    raw = data.draw(arrays(np.int64, n, elements=st.integers(-1, 3)))
    labels = np.full(n, -1)
    if (raw >= 0).any():
        labels[raw >= 0] = np.unique(raw[raw >= 0], return_inverse=True)[1]
    counts = np.bincount(labels[labels >= 0])
    matrix = clusterings.powered_distances(X.T)
    indices = np.argsort(matrix + np.diag(np.full(n, -1.0)), axis=1, kind="stable")[:, 1:3].copy()
    near = np.sqrt(np.take_along_axis(matrix, indices, axis=1))
    found, sums = np.full((4, n), np.nan), np.zeros((len(counts), n))
    cpu_scores.add_cluster_sums(matrix, 0, labels, 2.0, sums)
    cpu_scores.silhouette_rows(sums, labels, counts, found[0])
    cpu_scores.nearest_by_label_block(matrix, 0, labels, found[1], found[2])
    cpu_scores.connectedness_rows(indices, near, labels, 10.0, found[3])
    expected = (
        clusterings.silhouette_rows(np.sqrt(matrix), labels),
        *clusterings.nearest_by_label(matrix, labels),
        clusterings.connectedness_rows(indices, near, labels, 10.0),
    )
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    assert (np.abs(found[0]) <= 1.0).all()


@given(hard_tables(MILD), st.data())
@QUICK
def test_nearest_centres_on_hard_tables(X, data):
    n, m = X.shape
    k = data.draw(st.integers(1, n))
    centers = X[data.draw(st.permutations(range(n)))[:k]].copy()
    factors = data.draw(arrays(float, (k, m), elements=st.sampled_from([0.0, 1.0, 0.5, 1e-9])))
    exponent = data.draw(st.sampled_from([1.0, 2.0, 3.5]))
    compiled, best = np.full(n, -7, np.int32), np.full(n, np.nan)
    cpu_minkowski.nearest_centers(X, centers, factors, exponent, compiled, best)
    rows = REFERENCE.kmeans.load(X, np.ones(n), exponent, False, None, "cpu")
    powered = REFERENCE.kmeans.distances(rows, centers, factors)
    np.testing.assert_allclose(best, powered.min(axis=1), rtol=1e-12, atol=1e-300)
    # Ties, and what rounding makes of them, may go either way, but never to a farther centre.
    for labels in (REFERENCE.kmeans.nearest(rows, centers, factors)[0], compiled):
        own = powered[np.arange(n), labels]
        assert (own <= powered.min(axis=1) * (1 + 1e-12) + 1e-300).all()


@given(hard_tables(MILD), st.data())
@QUICK
def test_prototypes_on_hard_tables(X, data):
    n, m = X.shape
    position = data.draw(arrays(float, m + n + 1, elements=st.sampled_from([-1.0, 0.0, 0.5, 1.0])))
    found = []
    for backend in (REFERENCE, CPU):
        rows = backend.prototypes.load(X, backend.device)
        features, medoids = backend.prototypes.medoids_of(rows, position, n)
        assert ((features >= 0) & (features < m)).all()
        labels = np.full(n, -7)
        if medoids.size:
            labels = backend.prototypes.nearest(rows, features, medoids)
        found.append((features, len(medoids), medoids.ravel(), labels))
    if medoids.size:
        columns, squared = np.ascontiguousarray(X.T), np.full(n, np.nan)
        cpu_prototypes.nearest_prototypes(columns, features, medoids, labels, squared)
        expected = ref_prototypes.squared_distances(X[:, features], medoids).min(axis=1)
        np.testing.assert_array_equal(squared, expected)
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)
