"""kNN-graph clustering: O'Neill 2017, section 2.7.1 ("KNN-Clustering").

Each row is joined to its k nearest rows by an undirected edge; the connected components are the
clusters.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from weft._base.validation import check_integer
from weft.backends.cpu.kernels import neighbours as kernels
from weft.backends.cpu.spaces import Space
from weft.metrics.on_spaces import nearest_rows
from weft.search.clusterers.base import Clustering


@dataclass(frozen=True)
class KNNGraph:
    """Connected components of the graph of `n_neighbors` nearest rows (k = 3 in the paper)."""

    n_neighbors: int = 3
    # Rows that are near in the full data are probably near under weights: where to look first.
    guess: NDArray[np.int64] | None = field(default=None, init=False, repr=False, compare=False)

    n_matrices = 0
    precision = "float32"

    def __post_init__(self) -> None:
        check_integer("n_neighbors", self.n_neighbors, low=1)

    def check(self, n_rows: int) -> None:
        """Raise if there are too few rows."""
        if n_rows <= self.n_neighbors:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} needs more than {self.n_neighbors} samples, "
                f"got {n_rows}; lower n_neighbors."
            )

    def prepare(self, full: Space) -> KNNGraph:
        self.check(full.n_rows)
        prepared = replace(self)
        object.__setattr__(prepared, "guess", nearest_rows(full, self.n_neighbors + 1)[0])
        return prepared

    def cluster(self, space: Space) -> Clustering:
        indices, _ = nearest_rows(space, self.n_neighbors, self.guess)
        labels = np.empty(space.n_rows, dtype=np.int64)
        kernels.graph_components(indices, labels)
        return Clustering(labels, np.arange(space.n_rows))
