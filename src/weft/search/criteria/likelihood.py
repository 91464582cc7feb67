"""Criteria of Gaussian models on the full, unweighted data: O'Neill 2017, 2.2.1.2 and 4.5."""

from __future__ import annotations

from dataclasses import dataclass

from weft._base.validation import check_real
from weft.backends.spaces import Array, Spaces
from weft.metrics.on_spaces import bcr_of, bic_of
from weft.search.criteria.base import OutlierCriterion


@dataclass(frozen=True)
class _Likelihood(OutlierCriterion):
    artificial_noise: float = 0.1

    labels_only = True
    number_bytes = 32

    def __post_init__(self) -> None:
        super().__post_init__()
        check_real("artificial_noise", self.artificial_noise, low=0.0)


@dataclass(frozen=True)
class BCR(_Likelihood):
    """Bayes clustering ratio (section 4.5)."""

    def score(self, spaces: Spaces, labels: Array) -> Array:
        return bcr_of(spaces, self.dense(spaces, labels), self.artificial_noise)


@dataclass(frozen=True)
class BIC(_Likelihood):
    """Bayesian information criterion (section 2.2.1.2)."""

    def score(self, spaces: Spaces, labels: Array) -> Array:
        return bic_of(spaces, self.dense(spaces, labels), self.artificial_noise)
