"""Combined silhouette and connectedness: O'Neill 2017, section 4.4.

The paper uses the silhouette on the weighted features and the connectedness on all features
(the best variant of table 4.3).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from weft._base.arrays import Mask
from weft._base.validation import check_choice
from weft.backends.spaces import Array, Spaces
from weft.metrics.on_spaces import combine_csc
from weft.search.criteria.base import FEATURES, OutlierCriterion
from weft.search.criteria.connectedness import Connectedness
from weft.search.criteria.silhouette import Silhouette


@dataclass(frozen=True)
class CSC(OutlierCriterion):
    """Silhouette times connectedness; negative if one of them is negative."""

    silhouette: str = "weighted"
    connectedness: str = "full"
    n_neighbors: int = 5
    cap: float = 10.0
    _connected: Connectedness = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("silhouette", self.silhouette, FEATURES)
        check_choice("connectedness", self.connectedness, FEATURES)
        connected = Connectedness(self.outliers, self.connectedness, self.n_neighbors, self.cap)
        object.__setattr__(self, "_connected", connected)

    @property
    def recordable(self) -> bool:
        return self.silhouette == "weighted"

    def prepare(self, full: Spaces, screened: Mask | None = None) -> CSC:
        prepared = replace(self)
        object.__setattr__(prepared, "_connected", self._connected.prepare(full))
        return prepared

    def score(self, spaces: Spaces, labels: Array) -> Array:
        silhouette = Silhouette(self.outliers, self.silhouette).score(spaces, labels)
        return combine_csc(silhouette, self._connected.score(spaces, labels))
