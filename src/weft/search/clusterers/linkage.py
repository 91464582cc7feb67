"""Complete-linkage agglomerative clustering: O'Neill 2017, section 2.7.1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft._base.validation import check_integer
from weft.backends.cpu.kernels import linkage as kernels
from weft.backends.cpu.kernels.vectors import PIECE as SMALLEST
from weft.backends.cpu.spaces import Space
from weft.search.clusterers.base import Clustering


@dataclass(frozen=True)
class CompleteLinkage:
    """Merge the two clusters whose farthest rows are nearest until `n_clusters` are left."""

    n_clusters: int | None = None

    n_matrices = 2
    precision = "float32"

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
        n_rows = space.n_rows
        labels = np.empty(n_rows, dtype=np.int64)
        if space.exact:
            kernels.complete_linkage(space.consume_matrix(), self.n_clusters, labels)
            return Clustering(labels, np.arange(n_rows))
        # Room for the distances and for as many to use up; or for all in double precision.
        both = space.buffers.get("both", (2, n_rows, n_rows))
        was_ready = space.matrix_ready
        if not was_ready:
            space.buffers.put("matrix", both[0])
        settled = n_rows >= SMALLEST and kernels.settled_linkage(
            space.matrix(),
            both[1],
            *space.doubt,
            space.columns,
            space.exponents,
            self.n_clusters,
            labels,
        )
        if not settled:
            exact = both.reshape(-1).view(np.float64)[: n_rows**2].reshape(n_rows, n_rows)
            space.exact_matrix(exact)
            kernels.complete_linkage(exact, self.n_clusters, labels)
            if not was_ready:
                space.forget_matrix()
        return Clustering(labels, np.arange(n_rows))
