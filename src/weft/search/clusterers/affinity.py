"""Affinity propagation: Frey and Dueck 2007, as used in O'Neill 2017, section 2.7.1.

The similarity is minus the squared distance. With exponents it is minus the squared *distance*
of eq. 6.1, not the powered sum, so that it stays comparable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft._base.labels import number_by_first_row
from weft._base.validation import check_integer, check_real
from weft.backends.cpu.kernels import affinity as kernels
from weft.backends.cpu.spaces import Space
from weft.search.clusterers.base import Clustering


@dataclass(frozen=True)
class AffinityPropagation:
    """Exemplars by messages; ``preference=None`` is the median similarity.

    The paper does not say how it damps. Where the messages have not settled after `max_iter`
    rounds the clustering is marked, and the search takes such a particle for infeasible:
    otherwise the swarm drifts to particles whose labels are an accident.
    """

    damping: float = 0.5
    preference: float | None = None
    max_iter: int = 200
    convergence_iter: int = 15

    n_matrices = 6  # distances, similarities, and twice two for messages in double precision
    precision = "float32"

    def __post_init__(self) -> None:
        check_real("damping", self.damping, low=0.5, high=1.0 - 1e-9)
        check_integer("max_iter", self.max_iter, low=1)
        check_integer("convergence_iter", self.convergence_iter, low=1)
        if self.preference is not None:
            check_real("preference", self.preference)

    def check(self, n_rows: int) -> None:
        """Any number of rows will do."""

    def prepare(self, full: Space) -> AffinityPropagation:
        return self

    def cluster(self, space: Space) -> Clustering:
        shape = (space.n_rows, space.n_rows)
        similarity = space.buffers.get("similarity", shape)
        squared = space.matrix()
        if space.root != 2.0:
            squared = similarity
            np.square(space.to_distances(space.matrix()), out=squared)
        if self.preference is None:
            preference = -_median(squared)
        else:
            preference = self.preference * space.scale**2
        np.negative(squared, out=similarity)
        np.fill_diagonal(similarity, preference)
        kernels.break_ties(similarity)
        exemplars = np.empty(space.n_rows, dtype=np.int64)
        converged = kernels.affinity_propagation(
            similarity,
            space.buffers.get("responsibility", shape, np.float64),
            space.buffers.get("availability", shape, np.float64),
            self.damping,
            self.max_iter,
            self.convergence_iter,
            exemplars,
        )
        anchors = np.unique(exemplars[exemplars >= 0])
        return Clustering(number_by_first_row(exemplars), anchors, converged=bool(converged))


def _median(squared: NDArray[Any]) -> float:
    """Return the median of all entries of a symmetric matrix with zeros on its diagonal.

    A count of the entries by their first 16 bits shows where it is; few are left to be sorted.
    """
    n_rows = len(squared)
    # In ascending order come the n zeros of the diagonal, then each entry of the upper half twice.
    places = [max((n_rows**2 - 1) // 2 - n_rows, 0) // 2, max(n_rows**2 // 2 - n_rows, 0) // 2]
    if n_rows**2 // 2 - n_rows < 1:
        return float(np.median(squared))
    shift = np.uint64(15 if squared.itemsize == 4 else 47)
    counts = np.empty(2**16, dtype=np.int64)
    kernels.upper_bins(squared, shift, counts)
    ends = np.cumsum(counts)
    first, last = np.searchsorted(ends, places, side="right")
    chosen = np.empty(counts[first : last + 1].sum(), dtype=squared.dtype)
    kernels.upper_between(squared, shift, np.uint64(first), np.uint64(last), chosen)
    within = np.array(places) - (ends[first] - counts[first])
    return float(np.partition(chosen, within)[within].astype(np.float64).mean())
