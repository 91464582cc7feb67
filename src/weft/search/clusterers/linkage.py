"""Complete-linkage agglomerative clustering: O'Neill 2017, section 2.7.1."""

from __future__ import annotations

from dataclasses import dataclass

from weft._base.validation import check_integer
from weft.backends.spaces import Partitions, Spaces
from weft.search.clusterers.base import Clusterer


@dataclass(frozen=True)
class CompleteLinkage(Clusterer):
    """Merge the two clusters with the smallest maximum distance until `n_clusters` remain."""

    n_clusters: int | None = None

    n_matrices = 2
    precision = "float32"

    def __post_init__(self) -> None:
        if self.n_clusters is None:
            raise ValueError("clusterer='linkage' needs the number of clusters; pass n_clusters=K.")
        check_integer("n_clusters", self.n_clusters, low=2)

    def prepare(self, full: Spaces) -> CompleteLinkage:
        if self.n_clusters is not None and self.n_clusters > full.n_rows:
            raise ValueError(
                f"n_clusters={self.n_clusters} is more than the {full.n_rows} samples; "
                "lower n_clusters."
            )
        return self

    def cluster(self, spaces: Spaces) -> Partitions:
        return Partitions(spaces.complete_linkage(int(self.n_clusters or 1)))
