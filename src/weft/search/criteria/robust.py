"""Modularity (Newman and Girvan 2004) on one graph of neighbours for all particles.

A measure in the particle's own metric can be raised by a metric that shows two halves. This measure
does not depend on the metric: the labels are judged on a fixed graph, on which two halves reach at
most 1/2, but K clusters up to 1 - 1/K.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from sklearn.neighbors import NearestNeighbors

from weft._base.arrays import Floats, Integers, Mask
from weft._base.validation import check_integer
from weft.backends.spaces import Array, Spaces
from weft.metrics.on_spaces import modularity_of
from weft.search.criteria.base import OutlierCriterion


@dataclass(frozen=True)
class Robust(OutlierCriterion):
    """Modularity on the graph of the screened columns, or of all columns if there are none."""

    n_neighbors: int = 10
    graph: Integers | None = field(default=None, init=False, repr=False, compare=False)

    labels_only = True
    needs_screening = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("n_neighbors", self.n_neighbors, low=1)

    def prepare(self, full: Spaces, screened: Mask | None = None) -> Robust:
        rows = full.table()
        if screened is not None and screened.any():
            rows = rows[:, screened]
        nearest = NearestNeighbors(n_neighbors=min(self.n_neighbors, len(rows) - 1), n_jobs=1)
        prepared = replace(self)
        graph = nearest.fit(rows).kneighbors(return_distance=False)
        object.__setattr__(prepared, "graph", graph)  # (n, n_neighbors)
        return prepared

    def score(self, spaces: Spaces, labels: Array) -> Floats:
        if self.graph is None:
            return self.prepare(spaces).score(spaces, labels)
        dense = spaces.to_host(self.dense(spaces, labels))
        return np.array([modularity_of(_alone(each), self.graph) for each in dense])


def _alone(labels: Integers) -> Integers:
    """Return labels in which each row without a cluster is its own cluster."""
    inside = labels >= 0
    if inside.all():
        return labels
    return np.where(inside, labels, labels.max() + 1 + np.cumsum(~inside))
