"""From a sparse table to few axes, without making it dense: how new rows find their cluster."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from weft._base.arrays import Floats, Integers
from weft.auto import working
from weft.auto.working import PLAIN_COLUMNS, principal_axes

BLOCK_ROWS = 4096
N_VOTES = 15  # nearest anchors that vote on the cluster of a row
SAME = 1e-20  # squared distance, in units of the points' squares, at which a row is an anchor


class Projection(NamedTuple):
    """Principal axes of some columns, which rows are put on.

    Attributes
    ----------
    columns : (m,) columns of the table
    means : (m,) their means
    axes : (m, q) their coefficients on each axis
    unit_rows : whether rows are of length 1, before and after: only their direction counts
    """

    columns: Integers
    means: Floats
    axes: Floats
    unit_rows: bool

    def points(self, X: Any) -> Floats:
        """Return the rows of a dense or sparse table on the axes."""
        out = np.empty((X.shape[0], self.axes.shape[1]))
        for first in range(0, X.shape[0], BLOCK_ROWS):
            part = X[first : first + BLOCK_ROWS][:, self.columns]
            out[first : first + BLOCK_ROWS] = self.points_of_columns(part)
        return out

    def points_of_columns(self, part: Any) -> Floats:
        """Return rows that have only the columns of the axes, (n, m), on the axes."""
        if self.unit_rows:
            part = with_unit_rows(part)
        points = np.asarray(part @ self.axes) - self.means @ self.axes
        return working.with_unit_rows(points) if self.unit_rows else points


def learn_projection(
    table: Floats, columns: Integers, unit_rows: bool, most_axes: int
) -> Projection:
    """Return the axes of a dense `table` (n, m), whose columns are `columns` of the whole table."""
    rows = with_unit_rows(table) if unit_rows else table
    means = rows.mean(axis=0)
    centred = rows - means
    if len(columns) <= PLAIN_COLUMNS:
        return Projection(columns, means, np.eye(len(columns)), unit_rows)
    scores = principal_axes(centred, most_axes)
    # Scores are centred @ axes and orthogonal to each other.
    axes = (centred.T @ scores) / np.maximum((scores * scores).sum(axis=0), 1e-300)
    return Projection(columns, means, axes, unit_rows)


def nearest_points(points: Floats, known: Floats) -> Integers:
    """Return the nearest of the known points of each point, (n, 15), nearest first.

    A point that equals a known point gets only that one.
    """
    squares = (known * known).sum(axis=1)
    same = SAME * max(float(squares.mean()), 1e-300)
    n_nearest = min(N_VOTES, len(known))
    out = np.empty((len(points), n_nearest), dtype=np.int64)
    for first in range(0, len(points), BLOCK_ROWS):
        part = points[first : first + BLOCK_ROWS]
        distances = squares - 2.0 * (part @ known.T)
        nearest = np.argpartition(distances, n_nearest - 1, axis=1)[:, :n_nearest]
        by_distance = np.argsort(np.take_along_axis(distances, nearest, axis=1), axis=1)
        nearest = np.take_along_axis(nearest, by_distance, axis=1)
        is_known = ((part - known[nearest[:, 0]]) ** 2).sum(axis=1) <= same
        nearest[is_known] = nearest[is_known, :1]
        out[first : first + BLOCK_ROWS] = nearest
    return out


def vote(labels: Integers, nearest: Integers) -> Integers:
    """Return the label that most of each row's nearest anchors have; of equals, the nearer one.

    No more anchors vote than the smallest cluster has, so that small clusters can be joined.
    """
    sizes = np.bincount(labels[labels >= 0], minlength=1)
    nearest = nearest[:, : max(1, int(sizes.min()))]
    votes = labels[nearest] + 1  # -1, an outlier, is a label too
    counts = np.zeros((len(votes), int(labels.max()) + 2))
    # Nearer votes count slightly more. All additions together are less than one vote, so they only
    # break ties.
    weights = 1.0 + 0.5 ** np.arange(2.0, votes.shape[1] + 2.0)
    np.add.at(counts, (np.arange(len(votes))[:, np.newaxis], votes), weights)
    return counts.argmax(axis=1).astype(np.int64) - 1


def with_unit_rows(X: Any) -> Any:
    """Return rows of length 1; rows of zeros stay as they are. A sparse table stays sparse."""
    if sparse.issparse(X):
        out = sparse.csr_array(X, copy=True)
        owner = np.repeat(np.arange(out.shape[0]), np.diff(out.indptr))
        lengths = np.sqrt(np.bincount(owner, weights=out.data**2, minlength=out.shape[0]))
        out.data /= np.where(lengths > 0.0, lengths, 1.0)[owner]
        return out
    return working.with_unit_rows(X)
