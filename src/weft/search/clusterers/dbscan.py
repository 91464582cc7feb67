"""DBSCAN: Ester et al. 1996, as used in O'Neill 2017, section 2.7.1.

Core rows have at least `min_samples` rows, themselves among them, within `eps`. Core rows within
`eps` of each other share a cluster. Any other row within `eps` of a core row joins the *nearest*
such row's cluster: the original leaves that open, and this choice does not depend on the order of
the rows. What is left is noise, -1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from weft._base.labels import number_by_first_row
from weft._base.validation import check_integer, check_real
from weft.backends.cpu.kernels import neighbours as kernels
from weft.backends.cpu.kernels import tiles as tile_kernels
from weft.backends.cpu.spaces import Space
from weft.metrics.on_spaces import nearest_neighbours
from weft.search.clusterers.base import Clustering

# eps=None takes this quantile of the distances to the min_samples-th row in the full data: most
# rows are then core rows, and the sparse tenth decides for itself.
_AUTO_QUANTILE = 0.9


@dataclass(frozen=True)
class DBSCAN:
    """Density clusters; ``eps=None`` takes a radius from the data before the search starts."""

    eps: float | None = None
    min_samples: int = 5

    n_matrices = 0
    precision = "float32"

    def __post_init__(self) -> None:
        if self.eps is not None:
            check_real("eps", self.eps, low=0.0, open_low=True)
        check_integer("min_samples", self.min_samples, low=1)

    def check(self, n_rows: int) -> None:
        """Raise if there are too few rows."""
        if n_rows < self.min_samples:
            raise ValueError(
                f"min_samples={self.min_samples} needs at least {self.min_samples} samples, "
                f"got {n_rows}; lower min_samples."
            )

    def prepare(self, full: Space) -> DBSCAN:
        self.check(full.n_rows)
        if self.eps is not None:
            return self
        near = nearest_neighbours(full, max(self.min_samples - 1, 1))
        return self.with_reach(near.distances[:, -1:])

    def with_reach(self, reach: NDArray[np.float64]) -> DBSCAN:
        """Return the clusterer with a radius taken from distances to the min_samples-th row."""
        eps = float(np.quantile(reach, _AUTO_QUANTILE)) if reach.size else 1.0
        return replace(self, eps=eps if eps > 0.0 else 1.0)

    def cluster(self, space: Space) -> Clustering:
        if self.eps is None:
            raise ValueError("eps=None is settled by prepare(); call that first.")
        n_rows = space.n_rows
        radius = space.to_powered(self.eps)
        parent = np.arange(n_rows)
        nearest = np.full(n_rows, -1, dtype=np.int64)
        reach = np.full(n_rows, np.inf)
        if space.rows is not None:
            within = np.empty(len(space.rows.norms), dtype=np.int32)
            store = space.tile_store()
            tile_kernels.count_in_tiles(*space.rows, radius, store, within)
            space.tiles_ready = space.buffers.hold_matrix
            core = within[:n_rows] >= self.min_samples
            tile_kernels.join_in_tiles(
                *space.rows, radius, space.tiles_ready, store, core, parent, nearest, reach
            )
        else:
            behind = (*space.doubt, space.columns, space.exponents)
            counts = np.empty(n_rows, dtype=np.int64)
            for start, block in space.blocks():
                kernels.count_within(block, start, radius, *behind, counts)
            core = counts >= self.min_samples
            for start, block in space.blocks():
                kernels.join_cores(block, start, radius, *behind, core, parent)
                kernels.nearest_core(block, start, radius, *behind, core, nearest, reach)
        labels = np.empty(n_rows, dtype=np.int64)
        kernels.label_roots(parent, core, labels)
        border = ~core & (nearest >= 0)
        labels[border] = labels[nearest[border]]
        return Clustering(number_by_first_row(labels), np.flatnonzero(core), self.eps)
