"""Complete-linkage agglomerative clustering: O'Neill 2017, section 2.7.1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft._validation import check_integer
from weft.clusterers.base import Clustering
from weft.kernels.cpu import linkage as kernels
from weft.spaces import Space


@dataclass(frozen=True)
class CompleteLinkage:
    """Merge the two clusters whose farthest rows are nearest until `n_clusters` are left."""

    n_clusters: int | None = None

    n_matrices = 1
    precision = "float64"

    def __post_init__(self) -> None:
        if self.n_clusters is None:
            raise ValueError(
                "clusterer='linkage' needs to know when to stop merging; pass n_clusters=K."
            )
        check_integer("n_clusters", self.n_clusters, low=2)

    def check(self, n_rows: int) -> None:
        """Raise if there are too few rows."""
        if self.n_clusters is not None and self.n_clusters > n_rows:
            raise ValueError(
                f"n_clusters={self.n_clusters} is more than the {n_rows} samples; lower n_clusters."
            )

    def prepare(self, full: Space) -> CompleteLinkage:
        self.check(full.n_rows)
        return self

    def cluster(self, space: Space) -> Clustering:
        labels = np.empty(space.n_rows, dtype=np.int64)
        kernels.complete_linkage(space.consume_matrix(), self.n_clusters, labels)
        return Clustering(labels, np.arange(space.n_rows))
