"""Rounds of an alternation; a backend may keep data from one round to the next."""

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
    """Rounds that a backend has done on its own, until the host checks the result.

    If `converged`, `labels` are those of the last round, and `changed` says whether any row changed
    cluster in it. Otherwise labels, centres and weights are those after the last round, and the
    host does the next one, for example because a cluster is empty.
    """

    labels: Labels
    centers: Floats
    weights: Floats
    trace: list[float]
    converged: bool
    changed: bool


class PlainRounds:
    """Rounds without memory: they call the operations of a backend."""

    def __init__(self, operations: ModuleType, rows: Any) -> None:
        self.operations = operations
        self.rows = rows

    def nearest(self, centers: Floats, factors: Floats) -> tuple[Labels, Integers]:
        labels, unsure = self.operations.nearest(self.rows, centers, factors)
        return labels, unsure

    def centers_of(self, labels: Labels, previous: Floats) -> tuple[Floats, Floats]:
        centers, dispersions = self.operations.centers_of(self.rows, labels, previous)
        return centers, dispersions
