"""A mixed table along its main directions: few coordinates, for methods that need few.

A category has many coordinates, and each of them carries little information. Directions along which
several source columns agree have a variance above 1, which no single column reaches under the
balance "directions". The rows along these directions keep what columns have in common and drop what
is specific to one column. It is a factor analysis of mixed data with the eigenvalue rule of Kaiser
("The application of electronic computers to factor analysis", 1960).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats
from weft.columns.mixed.embedding import Embedding, learn_embedding, transform
from weft.columns.source import MixedTable
from weft.parallel.blas import one_blas_thread

LEAST = 2  # directions that are kept in any case


class MainView(NamedTuple):
    """How rows are mapped to the main directions.

    Attributes
    ----------
    embedding : Embedding
        From values to coordinates.
    axes : ndarray of shape (P, r)
        The main directions, the first the largest.
    """

    embedding: Embedding
    axes: Floats


def learn_main_view(table: MixedTable) -> MainView:
    """Return the main directions of a table."""
    embedding = learn_embedding(table)
    points = transform(embedding, table.values, balance="directions")
    with one_blas_thread():
        values, axes = np.linalg.eigh(points.T @ points / max(len(points), 1))
    count = min(max(int((values > 1.0 + 1e-9).sum()), LEAST), len(values))
    axes = axes[:, ::-1][:, :count]
    # An eigenvector has no sign of its own: its largest entry is positive.
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(count)]
    return MainView(embedding, np.ascontiguousarray(axes * np.where(largest < 0.0, -1.0, 1.0)))


def along_main_directions(view: MainView, values: Floats) -> Floats:
    """Return rows (n, r) along the main directions."""
    with one_blas_thread():
        return transform(view.embedding, values, balance="directions") @ view.axes
