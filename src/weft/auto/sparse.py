"""AutoCluster on a sparse table: some columns and rows of it made dense, the rest assigned.

The columns of a sparse table are measurements of one kind, such as counts of genes or words, or
values computed from them. So they have the same unit, and those that vary more count more. The
columns whose variance most exceeds what their mean explains, and at most 2,000 rows, are made dense
and searched like a wide table. Then every row gets the cluster that most of its nearest searched
rows have, on principal axes.

Rows of length 1 without negative values, as `TfidfVectorizer` makes them, are compared by their
direction: the points of the search are put back to length 1 (cosine geometry).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from weft._base.arrays import Floats, Integers
from weft._base.labels import number_by_first_row, order_by_first_row, renumber
from weft.auto.canonical import Signatures, mixed
from weft.auto.examining import FIXED, WIDE_AXES
from weft.auto.projection import (
    Projection,
    learn_projection,
    nearest_points,
    vote,
    with_unit_rows,
)
from weft.auto.working import MAX_ROWS
from weft.columns.variable import column_moments, variable_columns

CHUNK = 1 << 22  # stored values whose signatures are made at once
UNIT = 1e-6  # how far the length of a unit row may be from 1
BLOCK_CELLS = 4_000_000  # rows × columns that are made dense at once


class SparseSample(NamedTuple):
    """The part of a sparse table that is searched.

    Attributes
    ----------
    rows : (n,) rows of the table, in an order that follows from their values
    columns : (m,) columns of the table
    table : (n, m) these rows and columns
    scales : (d,) deviations of all columns of the table; 1 where a column is constant
    unit_rows : whether only the direction of a row counts
    """

    rows: Integers
    columns: Integers
    table: Floats
    scales: Floats
    unit_rows: bool


def as_canonical_csr(X: Any) -> Any:
    """Return a CSR array with sorted columns in each row, no zeros and no entry twice."""
    out = sparse.csr_array(X)
    if not out.has_canonical_format or (out.data == 0.0).any():
        out = out.copy()
        out.sum_duplicates()
        out.eliminate_zeros()
    return out


def take_sample(X: Any) -> SparseSample:
    """Return the rows and columns of a CSR array that are searched."""
    by_row, by_column = signatures(X)
    moments = column_moments(X)
    columns = variable_columns(moments, by_column)
    order = np.argsort(by_row, kind="stable")
    if len(order) > MAX_ROWS:
        rng = np.random.default_rng([FIXED, 7])
        order = order[np.sort(rng.choice(len(order), MAX_ROWS, replace=False))]
    unit_rows = has_unit_rows(X)
    table = X[order][:, columns].toarray()
    if unit_rows:
        table = with_unit_rows(table)
    deviations = np.sqrt(moments.variances)
    scales = np.where(deviations > 0.0, deviations, 1.0)
    if len(columns) == 0:  # no column varies: one column represents all
        columns, table = np.zeros(1, dtype=np.int64), np.zeros((len(order), 1))
    return SparseSample(order, columns.astype(np.int64), table, scales, unit_rows)


def has_unit_rows(X: Any) -> bool:
    """Return whether all rows that are not empty have length 1, and no value is below 0."""
    if X.nnz == 0 or X.data.min() < 0.0 or np.ptp(X.data) == 0.0:
        return False
    squares = np.add.reduceat(X.data * X.data, X.indptr[:-1][np.diff(X.indptr) > 0])
    return bool((np.abs(squares - 1.0) < UNIT).all())


def signatures(X: Any) -> tuple[Signatures, Signatures]:
    """Return numbers for rows and columns that follow from the values, not from their order."""
    columns = np.zeros(X.shape[1], dtype=np.uint64)
    for first, last, bits in _chunks(X):
        np.add.at(columns, X.indices[first:last], mixed(bits))
    columns = mixed(columns)
    rows = np.zeros(X.shape[0], dtype=np.uint64)
    owner = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    for first, last, bits in _chunks(X):
        np.add.at(rows, owner[first:last], mixed(bits ^ columns[X.indices[first:last]]))
    return rows, columns


def _chunks(X: Any) -> Iterator[tuple[int, int, Signatures]]:
    for first in range(0, X.nnz, CHUNK):
        last = min(first + CHUNK, X.nnz)
        yield first, last, X.data[first:last].view(np.uint64)


def dense_blocks(X: Any) -> Iterator[tuple[slice, Floats]]:
    """Yield the rows of a sparse table, dense, some at a time."""
    height = max(1, BLOCK_CELLS // max(X.shape[1], 1))
    for first in range(0, X.shape[0], height):
        span = slice(first, min(first + height, X.shape[0]))
        yield span, X[span].toarray()


def learn_sparse(learned: dict[str, Any], sample: SparseSample, X: Any) -> dict[str, Any]:
    """Return the fitted attributes for all rows and columns of X, a CSR array, from the sample."""
    kept = np.flatnonzero(learned["feature_weights_"] > 0.0)
    weak = learned["alternatives_"][1:]
    if not len(kept) and weak:  # "no clusters", but another answer is offered
        kept = weak[0]["features"]
    labels, nearest = learned["labels_"], np.zeros((X.shape[0], 1), dtype=np.int64)
    projection = Projection(np.zeros(1, dtype=np.int64), np.zeros(1), np.ones((1, 1)), False)
    anchors, anchor_labels = np.zeros((1, 1)), np.zeros(1, dtype=np.int64)
    if len(kept):
        table = sample.table[:, kept]
        projection = learn_projection(table, sample.columns[kept], sample.unit_rows, WIDE_AXES)
        anchors = X[sample.rows][:, projection.columns].toarray()
        known = projection.points_of_columns(anchors)
        nearest = nearest_points(projection.points(X), known)
        nearest[sample.rows] = np.arange(len(sample.rows))[:, np.newaxis]
    found = vote(labels, nearest)
    order = order_by_first_row(found)
    if len(kept):
        anchor_labels = renumber(labels, order)
    out = {
        **learned,
        "labels_": renumber(found, order),
        "cluster_stability_": learned["cluster_stability_"][order],
        "cluster_feature_weights_": _spread(learned["cluster_feature_weights_"][order], sample),
        "feature_scales_": sample.scales,
        "alternatives_": [
            {
                **one,
                "labels": number_by_first_row(vote(one["labels"], nearest)),
                "features": sample.columns[one["features"]],
            }
            for one in learned["alternatives_"]
        ],
        "candidates_": [
            {**one, "labels": number_by_first_row(vote(one["labels"], nearest))}
            for one in learned["candidates_"]
        ],
        "_fit_anchors": anchors,
        "_fit_anchor_labels": anchor_labels,
        "_fit_anchor_rows": sample.rows if len(kept) else np.zeros(1, dtype=np.int64),
        "_fit_projection": projection,
    }
    for name in ("feature_weights_", "feature_weight_intervals_", "feature_stability_"):
        out[name] = _spread(learned[name], sample)
    return out


def _spread(values: Floats, sample: SparseSample) -> Floats:
    """Put values of the sample's columns (last axis) where the whole table has them, else 0."""
    out = np.zeros((*values.shape[:-1], len(sample.scales)))
    out[..., sample.columns] = values
    return out
