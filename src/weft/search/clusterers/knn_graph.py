"""kNN-graph clustering: O'Neill 2017, section 2.7.1 ("KNN-Clustering").

Each row is joined to its k nearest rows by an undirected edge; the connected components are the
clusters.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from weft._base.validation import check_integer
from weft.backends.spaces import Array, Partitions, Spaces
from weft.search.clusterers.base import Clusterer


@dataclass(frozen=True)
class KNNGraph(Clusterer):
    """Connected components of the graph of `n_neighbors` nearest rows (k = 3 in the paper)."""

    n_neighbors: int = 3
    # Rows that are near in the full data are probably near under weights, so they are tried first.
    guess: Array | None = field(default=None, init=False, repr=False, compare=False)

    precision = "float32"
    pair_bytes = 0
    recordable = True

    def __post_init__(self) -> None:
        check_integer("n_neighbors", self.n_neighbors, low=1)

    def prepare(self, full: Spaces) -> KNNGraph:
        if full.n_rows <= self.n_neighbors:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} needs more than {self.n_neighbors} samples, "
                f"got {full.n_rows}; lower n_neighbors."
            )
        prepared = replace(self)
        object.__setattr__(prepared, "guess", full.likely_neighbours(self.n_neighbors + 1))
        return prepared

    def cluster(self, spaces: Spaces) -> Partitions:
        nearest = spaces.nearest_rows(self.n_neighbors, self.guess)
        return Partitions(spaces.graph_components(nearest))
