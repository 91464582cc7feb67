"""Clusterings of one space on the CPU: which kernel runs, on which memory, and in which units."""

from __future__ import annotations

import numpy as np
import pytest

from weft.backends import REFERENCE
from weft.backends.cpu import space_clusterers
from weft.backends.cpu.buffers import Buffers
from weft.backends.cpu.space_clusterers import (
    SMALLEST,
    affinity_propagation,
    complete_linkage,
    dbscan,
)
from weft.backends.cpu.spaces import MatrixSpace, Space, Table
from weft.backends.reference import clusterings
from weft.backends.spaces import Plan, Solution

ROWS = np.random.default_rng(0).normal(size=(SMALLEST + 6, 3)) * 5.0


def space_of(rows, *, dtype=np.float32, exponents=None, hold_matrix=True):
    buffers = Buffers(hold_matrix=hold_matrix, dtype=dtype)
    return Space.of(Table.of(rows), Solution(np.ones(rows.shape[1]), exponents), buffers)


def euclidean(rows):
    return np.sqrt(((rows[:, None] - rows) ** 2).sum(axis=2))


@pytest.mark.parametrize("hold_matrix", [True, False])
@pytest.mark.parametrize("exponents", [None, np.array([2.0])])
@pytest.mark.parametrize("order", [[0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 1, 0]])
def test_border_rows_join_a_core_row_wherever_it_stands(order, exponents, hold_matrix):
    # Rows at 0, 1, 2 and 10: with three rows within 1, row 1 alone is a core row.
    x = np.array([0.0, 1.0, 2.0, 10.0])[order]
    space = space_of(x[:, None], exponents=exponents, hold_matrix=hold_matrix)
    labels, core = dbscan(space, 1.0, 3)
    assert labels.tolist() == [-1 if place == 10.0 else 0 for place in x]
    assert core.tolist() == [place == 1.0 for place in x]
    assert space.tiles_ready == (hold_matrix and exponents is None)
    labels, _ = dbscan(MatrixSpace(np.abs(x[:, None] - x)), 1.0, 3)
    assert labels.tolist() == [-1 if place == 10.0 else 0 for place in x]


@pytest.fixture
def linkages(monkeypatch):
    """Which kernels of complete linkage run, and on what."""
    calls = []
    settled, exact = space_clusterers.settled_linkage, space_clusterers.linkage_kernels

    class Exact:
        @staticmethod
        def complete_linkage(distances, n_clusters, labels):
            calls.append(("exact", distances.dtype.itemsize))
            exact.complete_linkage(distances, n_clusters, labels)

    def spy(distances, work, *behind):
        assert not np.shares_memory(distances, work)
        calls.append(("settled", distances.dtype.itemsize))
        return settled(distances, work, *behind)

    monkeypatch.setattr(space_clusterers, "linkage_kernels", Exact)
    monkeypatch.setattr(space_clusterers, "settled_linkage", spy)
    return calls


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_rows", [2, SMALLEST - 1, SMALLEST, SMALLEST + 6])
def test_small_tables_are_linked_in_double_precision(n_rows, dtype, linkages):
    rows, k = ROWS[:n_rows], min(n_rows, 5)
    space = space_of(rows, dtype=dtype)
    expected = clusterings.complete_linkage(euclidean(rows), k)
    np.testing.assert_array_equal(complete_linkage(space, k), expected)
    if n_rows < SMALLEST:
        assert linkages == [("exact", 8)]
        assert not space.matrix_ready
    else:
        assert linkages == [("settled", np.dtype(dtype).itemsize)]
        assert space.matrix_ready
    assert [name for name, _ in space.buffers._arrays].count("both") == 1
    assert space.buffers.get("both", (2, n_rows, n_rows)).dtype == dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("was_ready", [False, True])
def test_a_matrix_that_was_there_stays(was_ready, dtype, monkeypatch):
    # If bounds decide nothing, all distances are computed in double precision: in the memory of
    # the matrix, unless that was there before.
    monkeypatch.setattr(space_clusterers, "settled_linkage", lambda *_: False)
    space = space_of(ROWS, dtype=dtype)
    if was_ready:
        before = space.matrix().copy()
    expected = clusterings.complete_linkage(euclidean(ROWS), 4)
    np.testing.assert_array_equal(complete_linkage(space, 4), expected)
    assert space.matrix_ready is was_ready
    if was_ready:
        np.testing.assert_array_equal(space.matrix(), before)
    np.testing.assert_allclose(space.to_distances(space.matrix()), euclidean(ROWS), atol=1e-2)


def test_given_distances_are_linked_unchanged(linkages):
    distances = euclidean(ROWS)
    space = MatrixSpace(distances)
    expected = clusterings.complete_linkage(distances, 4)
    for _ in range(2):
        np.testing.assert_array_equal(complete_linkage(space, 4), expected)
    assert linkages == [("exact", 8)] * 2


@pytest.mark.parametrize("factor", [1.0, 20.0, 0.01])
@pytest.mark.parametrize("exponents", [None, np.array([1.0, 2.0, 1.5]), np.full(3, 2.0)])
def test_a_preference_has_the_unit_of_squared_distances(exponents, factor):
    # The numbers inside a space have a scale of their own; the preference is that of the caller.
    rows = ROWS[:30] * factor
    plan = Plan(None, None, exponents is not None, 2**20, 1, "cpu")
    reference = REFERENCE.features.load(rows, plan).space(Solution(np.ones(3), exponents))
    n_clusters = []
    for preference in (-30.0, -600.0):
        given = preference * factor**2
        expected = reference.affinity_propagation(0.7, given, 300, 15)
        space = space_of(rows, dtype=np.float64, exponents=exponents)
        exemplars, settled = affinity_propagation(space, 0.7, given, 300, 15)
        assert settled is bool(expected.converged[0])
        np.testing.assert_array_equal(np.unique(exemplars), np.flatnonzero(expected.anchors[0]))
        n_clusters.append(len(np.unique(exemplars)))
    assert n_clusters[0] > n_clusters[1]
