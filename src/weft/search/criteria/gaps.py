"""Sparsity and separation: O'Neill 2017, section 2.2.1.1."""

from __future__ import annotations

from dataclasses import dataclass

from weft._base.validation import check_choice
from weft.backends.spaces import Array, Spaces
from weft.search.criteria.base import FEATURES, OutlierCriterion, pick


@dataclass(frozen=True)
class _Gaps(OutlierCriterion):
    features: str = "weighted"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("features", self.features, FEATURES)

    def _both(self, spaces: Spaces, labels: Array) -> tuple[Array, Array]:
        chosen = pick(self.features, spaces)
        return chosen.sparsity_and_separation(self.dense(spaces, labels))


@dataclass(frozen=True)
class Sparsity(_Gaps):
    """Minus the sparsity, which is better when lower."""

    def score(self, spaces: Spaces, labels: Array) -> Array:
        return -self._both(spaces, labels)[0]


@dataclass(frozen=True)
class Separation(_Gaps):
    """Mean separation."""

    def score(self, spaces: Spaces, labels: Array) -> Array:
        return self._both(spaces, labels)[1]
