"""Mean connectedness: O'Neill 2017, section 4.4.1."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from weft._base.arrays import Mask
from weft._base.validation import check_choice, check_integer, check_real
from weft.backends.spaces import Array, Neighbours, Spaces
from weft.search.criteria.base import FEATURES, OutlierCriterion


@dataclass(frozen=True)
class Connectedness(OutlierCriterion):
    """Mean connectedness."""

    features: str = "full"
    n_neighbors: int = 5
    cap: float = 10.0
    # Computed on the full data, so it is the same for all particles.
    neighbours: Neighbours | None = field(default=None, init=False, repr=False, compare=False)

    recordable = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("features", self.features, FEATURES)
        check_integer("n_neighbors", self.n_neighbors, low=1)
        check_real("cap", self.cap, low=0.0, open_low=True)

    def prepare(self, full: Spaces, screened: Mask | None = None) -> Connectedness:
        if self.features == "weighted":
            return self
        prepared = replace(self)
        object.__setattr__(prepared, "neighbours", full.neighbours(self.n_neighbors))
        return prepared

    def score(self, spaces: Spaces, labels: Array) -> Array:
        neighbours = self.neighbours
        if neighbours is None:
            neighbours = spaces.neighbours(self.n_neighbors)
        return spaces.connectedness(self.dense(spaces, labels), neighbours, self.cap)
