"""Sparse tables: which part is searched, and what is learned of all rows, against definitions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from weft._base.labels import number_by_first_row, order_by_first_row, renumber
from weft.auto import projection
from weft.auto import sparse as tables
from weft.auto.projection import Projection, learn_projection, nearest_points, vote
from weft.auto.sparse import as_canonical_csr, has_unit_rows, learn_sparse, signatures, take_sample
from weft.auto.working import principal_axes
from weft.columns.variable import column_moments, variable_columns


def counts(n=30, d=8, seed=0):
    X = np.random.default_rng(seed).poisson(0.8, (n, d)).astype(float)
    X[:, 3] = 0.0
    X[:, 5] = 2.0
    X[: n // 2, 6:] += 4.0
    return X


# The sample ---------------------------------------------------------------------------------------


def test_what_is_searched_of_a_sparse_table(monkeypatch):
    X = counts()
    given = sparse.csr_array(X)
    by_row, by_column = signatures(given)
    sample = take_sample(given)
    order = np.argsort(by_row, kind="stable")
    assert_array_equal(sample.rows, order)
    columns = variable_columns(column_moments(given), by_column)
    assert_array_equal(sample.columns, columns)
    assert_array_equal(np.sort(columns), [0, 1, 2, 4, 6, 7])  # the others do not vary
    assert sample.columns.dtype == np.int64
    assert_array_equal(sample.table, X[order][:, columns])
    deviations = X.std(axis=0)
    assert_allclose(sample.scales, np.where(deviations > 0.0, deviations, 1.0))
    assert sample.unit_rows is False
    # Of more rows, some are drawn, in the order of their values.
    monkeypatch.setattr(tables, "MAX_ROWS", 30)
    assert_array_equal(take_sample(given).rows, order)
    monkeypatch.setattr(tables, "MAX_ROWS", 12)
    drawn = np.sort(np.random.default_rng([0, 7]).choice(30, 12, replace=False))
    assert_array_equal(take_sample(given).rows, order[drawn])
    assert take_sample(given).table.shape == (12, 6)


def test_rows_of_length_1_are_searched_as_directions():
    X = counts()
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    given = sparse.csr_array(X)
    sample = take_sample(given)
    assert sample.unit_rows is True
    part = X[np.ix_(sample.rows, sample.columns)]
    assert_allclose(sample.table, part / np.linalg.norm(part, axis=1, keepdims=True))


@pytest.mark.parametrize(("off", "is_unit"), [(0.9e-6, True), (1.1e-6, False)])
def test_lengths_of_rows_may_differ_by_a_millionth(off, is_unit):
    rows = np.array([[0.6, 0.8], [0.0, 0.0], [np.sqrt(0.5), np.sqrt(0.5 + off)]])
    assert has_unit_rows(sparse.csr_array(rows)) is is_unit
    assert has_unit_rows(sparse.csr_array(rows[::-1])) is is_unit


def test_entries_of_a_sparse_table_are_in_order_and_not_zero():
    given = sparse.csr_array(([2.0, 1.0], [2, 0], [0, 2]), shape=(1, 3))
    given.has_sorted_indices = False
    found = as_canonical_csr(given)
    assert found.indices.tolist() == [0, 2]
    assert found.data.tolist() == [1.0, 2.0]
    assert given.indices.tolist() == [2, 0]
    zero = sparse.csr_array(([0.0, 1.0], [0, 2], [0, 2]), shape=(1, 3))
    assert as_canonical_csr(zero).nnz == 1
    assert zero.nnz == 2
    plain = sparse.csr_array(np.eye(2))
    assert np.shares_memory(as_canonical_csr(plain).data, plain.data)


def test_signatures_are_those_of_the_bits():
    # A table of one value: its row has the mixed bits of the value and its column's signature.
    value = np.array([2.5])
    one = sparse.csr_array(value[None])
    rows, columns = signatures(one)
    bits = tables.mixed(value.view(np.uint64))
    assert columns.tolist() == tables.mixed(bits).tolist()
    assert rows.tolist() == tables.mixed(value.view(np.uint64) ^ columns).tolist()
    # Empty rows and columns have the signature of nothing; sums wrap around.
    rows, columns = signatures(sparse.csr_array((2, 2)))
    assert rows.tolist() == [0, 0]
    assert len(set(columns.tolist())) == 1


# What is learned ----------------------------------------------------------------------------------


def learned_of(sample, n_columns):
    n = len(sample.rows)
    labels = np.where(np.arange(n) % 5 == 0, 1, 0)
    labels[3] = -1
    other = np.arange(n) % 3
    weights = np.zeros(n_columns)
    weights[[0, 2, 4]] = [1.0, 0.25, 0.5]
    return {
        "labels_": labels,
        "feature_weights_": weights,
        "feature_weight_intervals_": np.stack([weights, 2.0 * weights]),
        "feature_stability_": np.arange(n_columns) / 10.0,
        "cluster_stability_": np.array([0.25, 0.75]),
        "cluster_feature_weights_": np.arange(2.0 * n_columns).reshape(2, n_columns),
        "alternatives_": [{"labels": other, "features": np.array([0, 4]), "method": "a"}],
        "candidates_": [{"labels": (other + 1) % 3, "method": "c"}],
        "verdict_": "stays",
    }


@pytest.mark.parametrize("unit_rows", [False, True])
def test_labels_of_all_rows_are_votes_of_the_searched_ones(monkeypatch, unit_rows):
    X = counts(40)
    if unit_rows:
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    monkeypatch.setattr(tables, "MAX_ROWS", 25)
    given = sparse.csr_array(X)
    sample = take_sample(given)
    known = learned_of(sample, len(sample.columns))
    found = learn_sparse(known, sample, given)
    kept = sample.columns[[0, 2, 4]]
    axes = learn_projection(sample.table[:, [0, 2, 4]], kept, unit_rows, 12)
    made = found["_fit_projection"]
    assert_array_equal(made.columns, kept)
    assert_array_equal(made.axes, axes.axes)
    assert made.unit_rows is unit_rows
    assert_array_equal(found["_fit_anchors"], X[np.ix_(sample.rows, kept)])
    assert_array_equal(found["_fit_anchor_rows"], sample.rows)
    nearest = nearest_points(axes.points(X), axes.points(X[sample.rows]))
    nearest[sample.rows] = np.arange(25)[:, None]
    labels = vote(known["labels_"], nearest)
    order = order_by_first_row(labels)
    assert_array_equal(found["labels_"], renumber(labels, order))
    assert_array_equal(found["_fit_anchor_labels"], renumber(known["labels_"], order))
    assert_array_equal(found["cluster_stability_"], known["cluster_stability_"][order])
    # A searched row keeps its own label, whatever its neighbours have.
    assert_array_equal(labels[sample.rows], known["labels_"])

    def spread(values):
        out = np.zeros((*values.shape[:-1], X.shape[1]))
        out[..., sample.columns] = values
        return out

    assert_array_equal(
        found["cluster_feature_weights_"], spread(known["cluster_feature_weights_"][order])
    )
    for name in ("feature_weights_", "feature_weight_intervals_", "feature_stability_"):
        assert_array_equal(found[name], spread(known[name]))
    assert_array_equal(found["feature_scales_"], sample.scales)
    (one,), (number,) = found["alternatives_"], found["candidates_"]
    other = known["alternatives_"][0]["labels"]
    assert_array_equal(one["labels"], number_by_first_row(vote(other, nearest)))
    assert_array_equal(one["features"], sample.columns[[0, 4]])
    assert_array_equal(number["labels"], number_by_first_row(vote((other + 1) % 3, nearest)))
    assert (one["method"], number["method"], found["verdict_"]) == ("a", "c", "stays")


# Axes ---------------------------------------------------------------------------------------------


def test_few_columns_are_their_own_axes_and_many_have_principal_ones():
    rng = np.random.default_rng(0)
    for width, is_plain in ((12, True), (13, False)):
        table = rng.standard_normal((40, width))
        found = learn_projection(table, np.arange(width) + 5, False, 6)
        assert_allclose(found.means, table.mean(axis=0))
        assert_array_equal(found.columns, np.arange(width) + 5)
        if is_plain:
            assert_array_equal(found.axes, np.eye(12))
        else:
            scores = principal_axes(table - table.mean(axis=0), 6)
            assert_allclose((table - found.means) @ found.axes, scores, atol=1e-9)
            assert_allclose(np.linalg.norm(found.axes, axis=0), 1.0)
            small = learn_projection(1e-6 * table, np.arange(width), False, 6)
            assert_allclose(np.abs(small.axes), np.abs(found.axes), atol=1e-6)
    assert not found.unit_rows


def test_axes_of_directions():
    rng = np.random.default_rng(1)
    table = rng.random((30, 4)) * np.arange(1.0, 31.0)[:, None]
    found = learn_projection(table, np.arange(4), True, 6)
    rows = table / np.linalg.norm(table, axis=1, keepdims=True)
    assert_allclose(found.means, rows.mean(axis=0))
    points = rows - rows.mean(axis=0)
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    assert_allclose(found.points(table), points)
    assert_allclose(found.points(sparse.csr_array(table)), points)
    some = Projection(np.array([2, 0]), found.means[[2, 0]], np.eye(2), False)
    assert_allclose(some.points(table), table[:, [2, 0]] - found.means[[2, 0]])


def test_a_point_that_is_known_has_one_neighbour():
    # Known points at 0, 3, 4 and 100, so that squares average 2506.25, and 1e-20 of it is 2.5e-17.
    known = np.array([[0.0], [3.0], [4.0], [100.0]])
    points = np.array([[3.0 + 4.9e-9], [3.0 + 5.1e-9], [3.4], [0.0]])
    found = nearest_points(points, known)
    assert found[0].tolist() == [1, 1, 1, 1]
    assert found[1].tolist() == [1, 2, 0, 3]
    assert found[2].tolist() == [1, 2, 0, 3]
    assert found[3].tolist() == [0, 0, 0, 0]
    assert nearest_points(np.ones((2, 1)), np.zeros((1, 1))).tolist() == [[0], [0]]
    assert found.dtype == np.int64
    # The unit does not matter.
    assert_array_equal(nearest_points(1e-12 * points, 1e-12 * known), found)


def test_votes_break_ties_by_the_nearer_and_never_more():
    labels = np.array([0] * 8 + [1] * 8)
    # Four votes each: the nearer ones decide, by less than a vote in all.
    one = np.array([[0, 1, 2, 3, 8, 9, 10, 11], [8, 0, 9, 1, 10, 2, 11, 3]])
    assert vote(labels, one).tolist() == [0, 1]
    # Five far ones win against three near ones.
    two = np.array([[0, 1, 2, 8, 9, 10, 11, 12], [8, 9, 10, 0, 1, 2, 3, 4]])
    assert vote(labels, two).tolist() == [1, 0]
    # Additions of 1/4, 1/8, ...: the first alone outweighs all later ones together.
    three = np.array([0, 1, 1, 0])
    assert vote(np.array([0, 0, 1, 1]), np.array([[2, 0]])).tolist() == [1]
    assert vote(three, np.array([[0, 1], [1, 3]])).tolist() == [0, 1]
    assert vote(labels, one).dtype == np.int64
    # The smallest cluster has a single row: the nearest anchor decides.
    assert vote(np.array([0, 1, 1, 1]), np.array([[0, 1, 2, 3]])).tolist() == [0]


def test_rows_are_put_on_axes_part_by_part(monkeypatch):
    monkeypatch.setattr(projection, "BLOCK_ROWS", 3)
    given = Projection(np.array([1]), np.array([2.0]), np.array([[3.0]]), False)
    X = np.arange(14.0).reshape(7, 2)
    assert given.points(X).ravel().tolist() == (3.0 * (X[:, 1] - 2.0)).tolist()
    assert given.points(sparse.csr_array(X)).ravel().tolist() == (3.0 * (X[:, 1] - 2.0)).tolist()
