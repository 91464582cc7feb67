"""The century of years with two digits, which all dates of a column decide together.

`read_date` takes 70 to 99 for 1970 to 1999, and 00 to 69 for 2000 to 2069. Days of birth such as
"12.05.55" would then lie in the future, and 1955 far after 1985.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from weft._base.arrays import Floats, Mask
from weft.tables.dates import SHORT_YEARS, has_short_year, read_date

_CENTURY = 36_525.0  # days of 100 years
_FUTURE = 29_220.0  # 2050-01-01: dates from here on are rarely meant


def read_dates(
    texts: Sequence[str], form: str, low: float = -math.inf, high: float = math.inf
) -> Floats:
    """Return days since 1970-01-01 of the dates of a column, NaN for other text.

    Years with two digits get the century that is nearest to the range of the fit, `low` to `high`;
    without one, they are moved to the past if that closes a gap within the column.
    """
    days = np.array([read_date(text, form) for text in texts], dtype=np.float64)
    if form not in SHORT_YEARS:
        return days
    short = np.array([has_short_year(text, form) for text in texts], dtype=bool)
    if not short.any():
        return days
    earlier = np.array([read_date(text, form, shift=-100) for text in texts], dtype=np.float64)
    if math.isfinite(low) and math.isfinite(high):
        moved = short & (_distance(earlier, low, high) < _distance(days, low, high))
    else:
        moved = _beyond_gap(days, short)
    return np.where(moved, earlier, days)


def _distance(days: Floats, low: float, high: float) -> Floats:
    return np.maximum(np.maximum(low - days, days - high), 0.0)


def _beyond_gap(days: Floats, short: Mask) -> Mask:
    """Return which dates lie beyond the largest gap, if this gap is larger than that around 1970.

    Only where some would lie far in the future, and no year has four digits.
    """
    known = np.unique(days[~np.isnan(days)])
    nothing = np.zeros(len(days), dtype=bool)
    if len(known) < 2 or known[-1] < _FUTURE or not short[~np.isnan(days)].all():
        return nothing
    gaps = np.diff(known)
    widest = int(np.argmax(gaps))
    if gaps[widest] <= known[0] + _CENTURY - known[-1]:
        return nothing
    return days > known[widest]
