"""Numbers of the prepared matrix in the words and units of the table they came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft._base.arrays import Floats
from weft.tables.reading import Reading


def in_units(readings: Sequence[Reading], values: Floats) -> dict[str, Any]:
    """Return one column per source column that is used: numbers, levels, days, hours.

    A gap (NaN) stays one: None among levels, NaT among dates.
    """
    made: dict[str, Any] = {}
    first = 0
    for reading in readings:
        if reading.width:
            made[reading.name] = _column(reading, values[:, first])
            first += reading.width
    return made


def _column(reading: Reading, own: Floats) -> Any:
    if reading.levels is not None:
        last = len(reading.levels) - 1
        return np.array(
            [
                None if np.isnan(code) else reading.levels[int(np.clip(round(code), 0, last))]
                for code in own
            ],
            dtype=object,
        )
    if reading.kind == "date":
        known = ~np.isnan(own)
        days = np.full(len(own), "NaT", dtype="datetime64[s]")
        seconds = np.round((reading.origin - own[known]) * 86400.0)
        days[known] = seconds.astype("int64").astype("datetime64[s]")
        return days
    return reading.source(0).in_units(own)
