"""Conditions on one column, of which rules are made: at most, above, between, in.

A cut lies between two values that occur, at the shortest number that separates them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft.answers.views import ColumnView

# Shares of a cluster that a cut may leave out.
LEFT_OUT = (0.0, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.4)
MOST_LEVELS = 8  # of a category, in one condition


class Condition(NamedTuple):
    """What a row's value in one column must be.

    Attributes
    ----------
    column : int
        Which of the views.
    low, high : float
        Values above `low` and up to `high`; infinite where there is no such bound.
    levels : tuple of int
        Codes of a category that are allowed; empty for numbers.
    """

    column: int
    low: float = -np.inf
    high: float = np.inf
    levels: tuple[int, ...] = ()

    def holds(self, values: Floats) -> Mask:
        """Return which values fulfil the condition; missing values never do."""
        if self.levels:
            return np.isin(values, np.array(self.levels, dtype=np.float64))
        return (values > self.low) & (values <= self.high)

    def narrowed(self, other: Condition) -> Condition:
        """Return both conditions on the same column as one."""
        both = tuple(level for level in self.levels if level in other.levels)
        return Condition(
            self.column, max(self.low, other.low), min(self.high, other.high), both or self.levels
        )

    def show(self, view: ColumnView) -> str:
        """Return the condition in words."""
        if self.levels:
            return self._show_categories(view)
        if view.kind == "ordered":
            return self._show_levels(view)
        if self.low == -np.inf:
            return f"{view.name} ≤ {view.show_cut(self.high)}"
        if self.high == np.inf:
            return f"{view.name} > {view.show_cut(self.low)}"
        return f"{view.show_cut(self.low)} < {view.name} ≤ {view.show_cut(self.high)}"

    def _show_categories(self, view: ColumnView) -> str:
        names = [view.levels[level] for level in self.levels]
        if len(names) == 1:
            return f"{view.name} = {names[0]}"
        others = [name for code, name in enumerate(view.levels) if code not in self.levels]
        if 1 <= len(others) <= 2 < len(names):
            return f"{view.name} is {'neither ' if others[1:] else 'not '}{' nor '.join(others)}"
        return f"{view.name} is {', '.join(names[:-1])} or {names[-1]}"

    def _show_levels(self, view: ColumnView) -> str:
        last = len(view.levels) - 1
        first = 0 if self.low == -np.inf else int(np.floor(self.low)) + 1
        final = last if self.high == np.inf else int(np.floor(self.high))
        if first == final:
            return f"{view.name} = {view.levels[first]}"
        if first == 0:
            return f"{view.name} ≤ {view.levels[final]}"
        if final == last:
            return f"{view.name} ≥ {view.levels[first]}"
        return f"{view.levels[first]} ≤ {view.name} ≤ {view.levels[final]}"

    def to_dict(self, view: ColumnView) -> dict[str, Any]:
        """Return the condition in plain types."""
        return {
            "column": view.name,
            "low": None if self.low == -np.inf else float(self.low),
            "high": None if self.high == np.inf else float(self.high),
            "levels": [view.levels[level] for level in self.levels],
            "text": self.show(view),
        }


def possible_conditions(view: ColumnView, column: int, inside: Mask) -> list[Condition]:
    """Return the conditions on a column that describe the rows `inside`."""
    if view.is_category:
        return _level_sets(view, column, inside)
    observed = np.unique(view.values[~np.isnan(view.values)])
    own = view.values[inside]
    own = np.sort(own[~np.isnan(own)])
    if len(own) == 0 or len(observed) < 2:
        return []
    conditions = []
    places = np.unique((np.array(LEFT_OUT) * (len(own) - 1)).astype(np.int64))
    for lowest in np.unique(own[places]):
        below = int(np.searchsorted(observed, lowest)) - 1
        if below >= 0:
            conditions.append(Condition(column, low=shortest_between(observed[below], lowest)))
    for highest in np.unique(own[len(own) - 1 - places]):
        above = int(np.searchsorted(observed, highest, side="right"))
        if above < len(observed):
            conditions.append(Condition(column, high=shortest_between(highest, observed[above])))
    return conditions


def _level_sets(view: ColumnView, column: int, inside: Mask) -> list[Condition]:
    """Return sets of levels: the most characteristic level of the cluster, the best two, and so
    on."""
    n_levels = len(view.levels)
    known = ~np.isnan(view.values)
    total = np.bincount(view.values[known].astype(np.int64), minlength=n_levels)
    own = np.bincount(view.values[known & inside].astype(np.int64), minlength=n_levels)
    share = np.divide(own, total, out=np.zeros(n_levels), where=total > 0)
    order = np.lexsort((np.arange(n_levels), -own, -share))
    order = order[own[order] > 0][:MOST_LEVELS]
    if len(order) == (total > 0).sum():  # all levels together do not restrict anything
        order = order[:-1]
    return [Condition(column, levels=tuple(_sorted(order[: n + 1]))) for n in range(len(order))]


def _sorted(codes: Integers) -> list[int]:
    return [int(code) for code in np.sort(codes)]


def shortest_between(below: float, above: float) -> float:
    """Return the number with the fewest digits that is at least `below` and less than `above`."""
    middle = below + 0.5 * (above - below)
    if not below < middle < above:
        return float(below)
    power = int(np.floor(np.log10(abs(middle)))) if middle else 0
    for digits in range(1, 17):
        unit = 10.0 ** (power - digits + 1)
        # Rounded, or rounded down: whole numbers keep whole cuts.
        for rounded in (middle, np.floor(middle / unit) * unit if unit else middle):
            number = float(f"{rounded:.{digits}g}")
            if below <= number < above:
                return number
    return float(below)
