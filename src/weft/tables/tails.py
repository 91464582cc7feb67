"""Columns of numbers with a heavy tail, which are compared by their logarithm.

Incomes, prices and counts are best compared by ratios: 10 and 20 differ as much as 1,000 and 2,000.
On a linear scale nearly all rows lie close together, and a few far away. A column is heavy-tailed
if it has no negative value, its upper half is much wider than its lower one, and the logarithm
corrects that. On the synthetic tables of `bench.mixed.world`, such columns then separate clusters
better (docs/decisions/0320). The column's note says what was done; reports use the units of the
table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weft._base.arrays import Floats
from weft.columns.source import MixedTable
from weft.tables.points import is_plain
from weft.tables.reading import Reading

KINDS = ("number", "amount", "count")
HEAVY = 1.0  # skewness from which a tail is heavy
MENDED = 0.7  # share of the skewness that the logarithm may leave
FEWEST_VALUES = 6  # distinct ones


def bend_tails(readings: Sequence[Reading], table: MixedTable) -> list[Reading]:
    """Return the readings with a logarithm where the column's tail is heavy.

    A table of plain numbers without gaps stays as it is.
    """
    if is_plain(table):
        return list(readings)
    positions = {column.name: column.positions[0] for column in table.used}
    return [
        _bent(reading, table.values[:, positions[reading.name]])
        if reading.kind in KINDS
        else reading
        for reading in readings
    ]


def _bent(reading: Reading, values: Floats) -> Reading:
    scale = tail_scale(values)
    if scale is None:
        return reading
    # A round number, so that the note can show it exactly.
    scale = float(f"{scale:.2g}")
    note = f"{reading.note}; heavy tail, compared by log(1 + x / {scale:g})"
    return replace(reading, curve="log", curve_scale=scale, note=note)


def tail_scale(values: Floats) -> float | None:
    """Return the unit of the logarithm for a heavy-tailed column, None for any other."""
    seen = np.sort(values[~np.isnan(values)])  # sums do not depend on the order of the rows
    if len(seen) < FEWEST_VALUES or seen[0] < 0.0 or not seen[-1] < 1e150:
        return None
    distinct = int((np.diff(seen) > 0.0).sum()) + 1
    before = _skewness(seen)
    if distinct < FEWEST_VALUES or before < HEAVY:
        return None
    scale = float(np.median(seen[seen > 0.0]))
    if not scale > 1e-150:
        return None
    return scale if abs(_skewness(np.log1p(seen / scale))) < MENDED * before else None


def _skewness(values: Floats) -> float:
    # Scaling by a power of two changes no bit of the result, and no cube overflows or becomes 0.
    values = np.ldexp(values, -int(np.frexp(values.max())[1]))
    away = values - values.mean()
    variance = float((away**2).mean())
    return float((away**3).mean()) / variance**1.5 if variance > 0.0 else 0.0
