"""Affinity propagation: Frey and Dueck 2007, as used in O'Neill 2017, section 2.7.1.

The similarity is minus the squared distance. With exponents it is minus the squared *distance*
of eq. 6.1, not the powered sum, so that it stays comparable.
"""

from __future__ import annotations

from dataclasses import dataclass

from weft._base.validation import check_integer, check_real
from weft.backends.spaces import Partitions, Spaces
from weft.search.clusterers.base import Clusterer


@dataclass(frozen=True)
class AffinityPropagation(Clusterer):
    """Exemplars found by passing messages; ``preference=None`` is the median similarity.

    The paper does not give the damping. If the messages have not converged after `max_iter` rounds,
    the clustering is marked, and the search treats the particle as infeasible: otherwise the swarm
    would move to particles whose labels are arbitrary.
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

    def cluster(self, spaces: Spaces) -> Partitions:
        return spaces.affinity_propagation(
            self.damping, self.preference, self.max_iter, self.convergence_iter
        )
