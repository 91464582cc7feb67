"""DBSCAN: Ester et al. 1996, as used in O'Neill 2017, section 2.7.1.

Core rows have at least `min_samples` rows, themselves among them, within `eps`. Core rows within
`eps` of each other share a cluster. Any other row within `eps` of a core row joins the cluster of
its *nearest* core row. The paper does not specify this; the choice does not depend on the order of
the rows. All other rows are noise, -1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from weft._base.validation import check_integer, check_real
from weft.backends.spaces import Partitions, Spaces
from weft.search.clusterers.base import Clusterer

# eps=None takes this quantile of the distances to the min_samples-th row in the full data: most
# rows are then core rows, except for the sparsest tenth.
_AUTO_QUANTILE = 0.9


@dataclass(frozen=True)
class DBSCAN(Clusterer):
    """Density-based clusters; ``eps=None`` computes a radius before the search starts."""

    eps: float | None = None
    min_samples: int = 5

    precision = "float32"
    pair_bytes = 1

    def __post_init__(self) -> None:
        if self.eps is not None:
            check_real("eps", self.eps, low=0.0, open_low=True)
        check_integer("min_samples", self.min_samples, low=1)

    def prepare(self, full: Spaces) -> DBSCAN:
        if full.n_rows < self.min_samples:
            raise ValueError(
                f"min_samples={self.min_samples} needs at least {self.min_samples} samples, "
                f"got {full.n_rows}; lower min_samples."
            )
        if self.eps is not None:
            return self
        near = full.neighbours(max(self.min_samples - 1, 1))
        # The order of the nearest rows is not guaranteed, so take the farthest of them.
        reach = full.to_host(near.distances).max(axis=2, initial=0.0)
        eps = float(np.quantile(reach, _AUTO_QUANTILE))
        return replace(self, eps=eps if eps > 0.0 else 1.0)

    def cluster(self, spaces: Spaces) -> Partitions:
        if self.eps is None:
            raise ValueError("eps=None is computed by prepare(); call that first.")
        labels, core = spaces.dbscan(self.eps, self.min_samples)
        return Partitions(labels, anchors=core, radius=self.eps)
