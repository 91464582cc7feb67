"""Rounds of an alternation: what a backend may remember from one round to the next."""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple, Protocol

from weft._base.arrays import Floats, Integers, Labels


class Rounds(Protocol):
    """Assignments and centres, round after round, of the rows of one table."""

    def nearest(self, centers: Floats, factors: Floats) -> tuple[Labels, Integers]:
        """As the operation of that name."""

    def centers_of(self, labels: Labels, previous: Floats) -> tuple[Floats, Floats]:
        """As the operation of that name."""


class Advance(NamedTuple):
    """Rounds that a backend has done by itself, from one look of the host to the next.

    If `converged`, `labels` are those of the round that found it, and `changed` says whether any
    row changed cluster in it. Else labels, centres and weights are those after the last round, and
    the host does the next one, where a cluster is empty, say.
    """

    labels: Labels
    centers: Floats
    weights: Floats
    trace: list[float]
    converged: bool
    changed: bool


class PlainRounds:
    """Rounds that remember nothing: the operations of a backend as they are."""

    def __init__(self, operations: ModuleType, rows: Any) -> None:
        self.operations = operations
        self.rows = rows

    def nearest(self, centers: Floats, factors: Floats) -> tuple[Labels, Integers]:
        labels, unsure = self.operations.nearest(self.rows, centers, factors)
        return labels, unsure

    def centers_of(self, labels: Labels, previous: Floats) -> tuple[Floats, Floats]:
        centers, dispersions = self.operations.centers_of(self.rows, labels, previous)
        return centers, dispersions
