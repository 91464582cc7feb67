"""From a mixed table to coordinates for methods that measure distances between rows.

Two ways: the points of the mixed metric (`weft.columns.mixed`), in which each source column counts
once, and plain columns (unchanged or scaled numbers, one 0/1 column per level),
as published methods and tables of numbers use them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.columns.mixed.blocks import TAIL, Block
from weft.columns.mixed.embedding import Embedding, learn_embedding, transform
from weft.columns.source import NUMERIC_KINDS, MixedTable, SourceColumn
from weft.tables.errors import InputError

SCALES = ("standard", "range", "none")


class PlainPoints(NamedTuple):
    """Unchanged or scaled columns, with gaps filled.

    Attributes
    ----------
    fills : ndarray of shape (p,)
        The value that replaces a gap in each column: the median, or the most frequent level.
    center, scale : ndarray of shape (d,)
        What is subtracted from each coordinate, and what it is divided by.
    """

    fills: Floats
    center: Floats
    scale: Floats


Points = Embedding | PlainPoints


def learn_points(table: MixedTable, scale: str) -> Points:
    """Learn how rows become coordinates.

    With ``scale="standard"`` a table of numbers without gaps is standardised, and any other table
    gets the points of the mixed metric; with "range" and "none" every table gets plain columns.
    """
    if scale == "standard" and not is_plain(table):
        return learn_embedding(table)
    fills = typical_values(table)
    values = _expanded(table, fills)
    center, width = np.zeros(values.shape[1]), np.ones(values.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        if scale == "standard":
            center, width = values.mean(axis=0), values.std(axis=0)
        elif scale == "range":
            center, width = values.min(axis=0), np.ptp(values, axis=0)
    broken = ~np.isfinite(center) | ~np.isfinite(width) | (width == 0)
    if broken.any():
        name = coordinate_names(table)[int(np.argmax(broken))]
        raise InputError(
            f"column {name!r} spans values too large or too close together to scale; rescale it, "
            f"or leave it out with --drop."
        )
    return PlainPoints(fills, center, width)


def is_plain(table: MixedTable) -> bool:
    """Return whether a table holds only numbers, without gaps."""
    numeric = all(column.kind in NUMERIC_KINDS for column in table.used)
    return numeric and bool(np.isfinite(table.values).all())


def place_rows(points: Points, table: MixedTable) -> Floats:
    """Return the coordinates of the rows of a table."""
    if isinstance(points, PlainPoints):
        rows = _expanded(table, points.fills)
        rows -= points.center  # in place: a table of millions of rows would be held three times
        rows /= points.scale
        return rows
    return transform(points, table.values)


def values_at(points: Points, table_columns: tuple[SourceColumn, ...], X: Floats) -> Floats:
    """Return the matrix (n, p) whose rows lie at some coordinates, or nearest to them.

    The opposite of `place_rows`: exact for numbers, the nearest level for categories, the angle for
    cyclic values.
    """
    if isinstance(points, Embedding):
        return values_of(points, X)
    used = [column for column in table_columns if column.is_used]
    own = X * points.scale + points.center
    out = np.empty((len(X), len(points.fills)))
    first = 0
    for column in used:
        for position, measure, period in zip(
            column.positions, column.measures, column.periods, strict=True
        ):
            if measure == "category":
                n_levels = len(column.levels or ())
                width = 1 if n_levels == 2 else n_levels
                part = own[:, first : first + width]
                out[:, position] = part[:, 0] > 0.5 if n_levels == 2 else part.argmax(axis=1)
            elif measure == "cyclic":
                width = 2
                angle = np.arctan2(own[:, first + 1], own[:, first])
                out[:, position] = _on_circle(angle, period)
            else:
                width = 1
                out[:, position] = own[:, first]
            first += width
    return out


def values_of(embedding: Embedding, X: Floats) -> Floats:
    """Return the matrix whose rows have these points in the mixed metric, or the nearest."""
    out = np.empty((len(X), len(embedding.blocks)))
    first = 0
    for block in embedding.blocks:
        own = X[:, first : first + block.width] / block.share
        first += block.width
        out[:, block.position] = _unplaced(block, own)
    return out


def _unplaced(block: Block, own: Floats) -> Floats:
    if block.measure in ("category", "ordered"):
        seen = np.flatnonzero(~np.isnan(block.points).any(axis=1))
        apart = ((own[:, np.newaxis, :] - block.points[seen]) ** 2).sum(axis=2)
        return seen[apart.argmin(axis=1)].astype(np.float64)
    if block.measure == "cyclic":
        cosine, sine, factor = block.points[0]
        unit = 1.0 / factor if factor > 0.0 else 0.0
        angle = np.arctan2(own[:, 1] * unit + sine, own[:, 0] * unit + cosine)
        return _on_circle(angle, block.period)
    middle, core, mean, factor = block.points[0]
    scores = own[:, 0] / factor + mean if factor > 0.0 else np.zeros(len(own))
    size = np.abs(scores)
    # Beyond TAIL the coordinate grows by the logarithm.
    size = np.where(size > TAIL, TAIL + np.expm1(np.maximum(size - TAIL, 0.0)), size)
    return middle + core * np.sign(scores) * size


def _on_circle(angle: Floats, period: float) -> Floats:
    """Return angles as values in [0, period); rounding must not make 0 the end of the circle."""
    values = np.mod(angle * period / (2.0 * np.pi), period)
    return np.where(values > period * (1.0 - 1e-12), 0.0, values)


def owners(points: Points, columns: tuple[SourceColumn, ...]) -> Integers:
    """Return for each coordinate the number of its source column among those that are used."""
    if isinstance(points, Embedding):
        return points.owner
    used = [column for column in columns if column.is_used]
    return np.repeat(np.arange(len(used)), [len(_plain_names(column)) for column in used])


def point_names(points: Points, columns: tuple[SourceColumn, ...]) -> list[str]:
    """Return a name for each coordinate."""
    used = [column for column in columns if column.is_used]
    if isinstance(points, PlainPoints):
        return [name for column in used for name in _plain_names(column)]
    names: list[str] = []
    for block in points.blocks:
        column = used[block.source]
        part = column.parts[column.positions.index(block.position)]
        if block.measure == "cyclic":
            own = [f"{part} cos".strip(), f"{part} sin".strip()]
        elif block.width > 1:
            own = [str(number) for number in range(1, block.width + 1)]
        else:
            own = [part]
        names += [f"{column.name} ({piece})" if piece else column.name for piece in own]
    return names


def typical_values(table: MixedTable) -> Floats:
    """Return the median, or the most frequent level, of each column of the matrix."""
    typical = np.zeros(table.values.shape[1])
    for column in table.used:
        for position, measure in zip(column.positions, column.measures, strict=True):
            seen = table.values[:, position]
            seen = seen[~np.isnan(seen)]
            if len(seen) and measure == "number":
                # Halved, so that the sum of the two middle values does not overflow.
                typical[position] = 2.0 * np.median(seen / 2.0)
            elif len(seen):
                found, counts = np.unique(seen, return_counts=True)
                typical[position] = found[counts.argmax()]
    return typical


def coordinate_names(table: MixedTable) -> list[str]:
    """Return the names of plain columns: "size", "colour=red"."""
    return [name for column in table.used for name in _plain_names(column)]


def _plain_names(column: SourceColumn) -> list[str]:
    names: list[str] = []
    for name, measure in zip(column.names, column.measures, strict=True):
        if measure == "category":
            levels = column.levels or ()
            shown = levels[1:] if len(levels) == 2 else levels
            names += [column.name] if column.kind == "yes/no" else [f"{name}={v}" for v in shown]
        elif measure == "cyclic":
            names += [f"{name} cos", f"{name} sin"]
        else:
            names.append(name)
    return names


def _expanded(table: MixedTable, fills: Floats) -> Floats:
    """Return numbers, one 0/1 column per level (one for two levels), and points on circles."""
    values = np.ascontiguousarray(np.where(np.isnan(table.values), fills, table.values))
    positions = [position for column in table.used for position in column.positions]
    measures = {measure for column in table.used for measure in column.measures}
    if measures == {"number"} and positions == list(range(values.shape[1])):
        return values
    parts: list[Floats] = []
    for column in table.used:
        for position, measure, period in zip(
            column.positions, column.measures, column.periods, strict=True
        ):
            own = values[:, position]
            if measure == "category":
                n_levels = len(column.levels or ())
                first = 1 if n_levels == 2 else 0
                parts += [(own == level).astype(np.float64) for level in range(first, n_levels)]
            elif measure == "cyclic":
                angle = own * (2.0 * np.pi / period)
                parts += [np.cos(angle), np.sin(angle)]
            else:
                parts.append(own)
    return np.column_stack(parts) if parts else np.empty((len(values), 0))
