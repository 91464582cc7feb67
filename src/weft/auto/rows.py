"""All rows of a table, given to a function part by part, whether they are in memory or not.

Results are added up in the order of the rows, not in the order in which they are computed, so no
bit depends on the number of threads or workers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from weft._base.arrays import Floats
from weft.parallel.threads import ordered_map

T = TypeVar("T")
PART_ROWS = 1 << 16

# ``function(first, rows, state)``: the number of the part's first row, its rows (m, d), the state.
PartFunction = Callable[[int, Floats, Any], T]


class Rows(Protocol):
    """Rows as coordinates, in parts."""

    def fold(self, function: PartFunction[T], add: Callable[[Sequence[T]], T], state: Any) -> T:
        """Return ``add`` of what `function` makes of every part."""
        ...


class RowsInMemory(NamedTuple):
    """The rows of an array."""

    X: Floats
    n_threads: int = 1

    def fold(self, function: PartFunction[T], add: Callable[[Sequence[T]], T], state: Any) -> T:
        """Return ``add`` of what `function` makes of every part."""

        def call(first: int) -> T:
            return function(first, self.X[first : first + PART_ROWS], state)

        firsts = range(0, len(self.X), PART_ROWS)
        return add(ordered_map(call, firsts, self.n_threads))
