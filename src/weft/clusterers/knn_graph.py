"""kNN-graph clustering: O'Neill 2017, section 2.7.1 ("KNN-Clustering").

Each row is joined to its k nearest rows by an undirected edge; the connected components are the
clusters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft._validation import check_integer
from weft.clusterers.base import Clustering
from weft.kernels.cpu import neighbours as kernels
from weft.spaces import Space


@dataclass(frozen=True)
class KNNGraph:
    """Connected components of the graph of `n_neighbors` nearest rows (k = 3 in the paper)."""

    n_neighbors: int = 3

    n_matrices = 0

    def __post_init__(self) -> None:
        check_integer("n_neighbors", self.n_neighbors, low=1)

    def prepare(self, full: Space) -> KNNGraph:
        if full.n_rows <= self.n_neighbors:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} needs more than {self.n_neighbors} samples, "
                f"got {full.n_rows}; lower n_neighbors."
            )
        return self

    def cluster(self, space: Space) -> Clustering:
        indices = np.empty((space.n_rows, self.n_neighbors), dtype=np.int64)
        powered = np.empty((space.n_rows, self.n_neighbors))
        for start, block in space.blocks():
            kernels.nearest_in_block(block, start, True, indices, powered)
        labels = np.empty(space.n_rows, dtype=np.int64)
        kernels.graph_components(indices, labels)
        return Clustering(labels, np.arange(space.n_rows))
