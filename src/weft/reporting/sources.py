"""The answer in terms of the user's columns: coordinates are combined by source column.

A model that was fitted on a raw table works on coordinates; a category or a date has several. A
report names source columns only: weights are summed over the coordinates of a column, and clusters
are compared by the values of the table (numbers in their units, levels by name).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.columns.source import MixedTable, SourceColumn
from weft.reporting.facts import Facts
from weft.tables.plan import TablePlan

# Levels of a category that are compared, the most frequent ones.
N_LEVELS = 12


class Facets(NamedTuple):
    """The columns by which clusters are compared: one per number, level and part of a date."""

    values: Floats  # (n, F), gaps filled with the column's mean
    names: list[str]
    source: Integers  # (F,) the source column of each, among those that are used


def plan_of(model: Any) -> TablePlan | None:
    """Return the plan of a model that was fitted on a raw table."""
    plan = vars(model).get("_table")
    return plan if isinstance(plan, TablePlan) else None


def used_columns(plan: TablePlan) -> list[SourceColumn]:
    """Return the source columns that have coordinates."""
    return [column for column in plan.columns if column.is_used]


def by_source(facts: Facts, plan: TablePlan) -> Facts:
    """Return the facts with source columns instead of coordinates.

    The weight of a source column is the mean of its coordinates' weights, weighted by their
    variances: the contribution of the column to distances, relative to its variance.
    """
    names = [column.name for column in used_columns(plan)]
    owner, n = plan.owner, len(names)
    if len(owner) == n:  # one coordinate each
        return facts._replace(names=names)
    total = np.bincount(owner, plan.spread, n)[owner]
    counted = np.divide(plan.spread, total, out=np.zeros(len(owner)), where=total > 0)
    exponents = facts.exponents
    if exponents is not None:
        exponents = np.bincount(owner, exponents * counted, n)
    own = facts.cluster_weights
    if own is not None:
        shares = own * counted
        own = np.column_stack([shares[:, owner == source].sum(axis=1) for source in range(n)])
    share = facts.kept_share
    if share is not None:
        by_coordinate, share = share, np.zeros(n)
        np.maximum.at(share, owner, by_coordinate)
    return facts._replace(
        names=names,
        kept_share=share,
        weights=np.bincount(owner, facts.weights * counted, n),
        selected=np.bincount(owner, facts.selected, n) > 0,
        exponents=exponents,
        cluster_weights=own,
    )


def facets(table: MixedTable) -> Facets:
    """Return the columns by which clusters of a mixed table are compared."""
    values, names, source = [], [], []
    for number, column in enumerate(table.used):
        for own, name in _facets_of(column, table.values[:, list(column.positions)]):
            values.append(own)
            names.append(name)
            source.append(number)
    return Facets(np.column_stack(values), names, np.array(source, dtype=np.int64))


def _facets_of(column: SourceColumn, values: Floats) -> list[tuple[Floats, str]]:
    own = values[:, 0]
    unit = f" [{column.unit}]" if column.unit and column.unit != "%" else ""
    if column.kind == "yes/no":
        return [(_filled(own), column.name)]
    if column.kind == "category":
        levels = column.levels or ()
        known = own[~np.isnan(own)].astype(np.int64)
        counts = np.bincount(known, minlength=len(levels))
        shown = np.sort(np.argsort(-counts, kind="stable")[:N_LEVELS])
        # A missing value has no level: it is 0 in all of these columns.
        return [
            ((own == code).astype(np.float64), f"{column.name}: {levels[code]}") for code in shown
        ]
    if column.kind == "ordered" and column.levels:
        # A mean of positions is meaningless without the names of the first and last level.
        last = len(column.levels)
        scale = f"1 = {column.levels[0]}, {last} = {column.levels[-1]}"
        return [(_filled(own) + 1.0, f"{column.name} ({scale})")]
    if column.kind == "date":
        return [(_filled(own), f"{column.name} (age in days)")]
    if column.kind == "cyclic":
        period = column.periods[0]
        quarters = np.floor(own / (period / 4.0))
        ranges = _quarters(period, is_whole=bool((np.floor(own) == own)[~np.isnan(own)].all()))
        return [
            ((quarters == part).astype(np.float64), f"{column.name}: {ranges[part]}")
            for part in range(4)
        ]
    return [(_filled(column.in_units(own)), f"{column.name}{unit}")]


def _quarters(period: float, *, is_whole: bool) -> list[str]:
    """Return the quarters of a circle in words, such as "0 to 3"; for whole numbers "0 to 2"."""
    ends = [period * part / 4.0 for part in range(5)]
    pairs = list(pairwise(ends))
    if is_whole:
        pairs = [(np.ceil(first), np.ceil(end) - 1.0) for first, end in pairs]
    return [f"{first:g} to {last:g}" if first < last else f"{first:g}" for first, last in pairs]


def _filled(values: Floats) -> Floats:
    gaps = np.isnan(values)
    if not gaps.any():
        return values
    return np.where(gaps, values[~gaps].mean() if not gaps.all() else 0.0, values)
