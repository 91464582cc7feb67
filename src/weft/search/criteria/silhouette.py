"""Mean silhouette: Rousseeuw 1987, as used in O'Neill 2017, section 2.2.1.1."""

from __future__ import annotations

from dataclasses import dataclass

from weft._base.validation import check_choice
from weft.backends.spaces import Array, Spaces
from weft.search.criteria.base import FEATURES, OutlierCriterion, pick


@dataclass(frozen=True)
class Silhouette(OutlierCriterion):
    """Mean silhouette."""

    features: str = "weighted"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("features", self.features, FEATURES)

    @property
    def recordable(self) -> bool:
        return self.features == "weighted"

    def score(self, spaces: Spaces, labels: Array) -> Array:
        return pick(self.features, spaces).silhouette(self.dense(spaces, labels))
