"""Hartigan's dip: the distance of a sample's distribution from the nearest with one mode.

References
----------
Hartigan, Hartigan (1985): The dip test of unimodality. Annals of Statistics 13, 70-84.
Hartigan (1985): Algorithm AS 217. Applied Statistics 34, 320-325.
"""

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED


@njit(inline="always", **COMPILED)
def hull(x, minorant, majorant):
    """Fill, for each point, the one before it on the greatest convex minorant of the
    distribution up to it, and the one after it on the least concave majorant from it on."""
    n = len(x)
    minorant[0] = 0
    for j in range(1, n):
        minorant[j] = j - 1
        while True:
            b = minorant[j]
            a = minorant[b]
            if b == 0 or (x[j] - x[b]) * (b - a) < (x[b] - x[a]) * (j - b):
                break
            minorant[j] = a
    majorant[n - 1] = n - 1
    for j in range(n - 2, -1, -1):
        majorant[j] = j + 1
        while True:
            b = majorant[j]
            a = majorant[b]
            if b == n - 1 or (x[j] - x[b]) * (b - a) < (x[b] - x[a]) * (j - b):
                break
            majorant[j] = a


@njit(inline="always", **COMPILED)
def chord_gap(x, start, end, side):
    """Largest gap, in rows, between the distribution and the chord from start to end.

    The distribution lies above the chord where `side` is 1, and below it where it is -1.
    """
    largest = 1.0
    if end - start > 1 and x[end] != x[start]:
        slope = (end - start) / (x[end] - x[start])
        for j in range(start, end + 1):
            largest = max(largest, side * ((j - start + side) - (x[j] - x[start]) * slope))
    return largest


@njit(**COMPILED)
def dip(x):
    """The dip of sorted values; at least 1 / (2 n)."""
    n = len(x)
    if n < 2 or x[0] == x[n - 1]:
        return 0.5 / max(n, 1)
    minorant = np.empty(n, dtype=np.int64)
    majorant = np.empty(n, dtype=np.int64)
    hull(x, minorant, majorant)
    lower = np.empty(n + 1, dtype=np.int64)  # points of the minorant, from `high` down
    upper = np.empty(n + 1, dtype=np.int64)  # points of the majorant, from `low` up
    low = 0
    high = n - 1
    largest = 1.0
    while True:
        n_lower = 0
        lower[0] = high
        while lower[n_lower] > low:
            lower[n_lower + 1] = minorant[lower[n_lower]]
            n_lower += 1
        n_upper = 0
        upper[0] = low
        while upper[n_upper] < high:
            upper[n_upper + 1] = majorant[upper[n_upper]]
            n_upper += 1
        # The largest distance between both curves bounds the new modal interval.
        from_lower = n_lower
        from_upper = n_upper
        i = n_lower - 1
        j = 1
        gap = 0.0
        if n_lower != 1 or n_upper != 1:
            while True:
                a = lower[i]
                b = upper[j]
                if a > b:
                    start = lower[i + 1]
                    chord = (x[b] - x[start]) * (a - start) / (x[a] - x[start])
                    distance = (b - start + 1) - chord
                    j += 1
                    if distance >= gap:
                        gap = distance
                        from_lower = i + 1
                        from_upper = j - 1
                else:
                    start = upper[j - 1]
                    chord = (x[a] - x[start]) * (b - start) / (x[b] - x[start])
                    distance = chord - (a - start - 1)
                    i -= 1
                    if distance >= gap:
                        gap = distance
                        from_lower = i + 1
                        from_upper = j
                i = max(i, 0)
                j = min(j, n_upper)
                if lower[i] == upper[j]:
                    break
        else:
            gap = 1.0
        if gap < largest:
            break
        deepest = 0.0
        for t in range(from_lower, n_lower):
            deepest = max(deepest, chord_gap(x, lower[t + 1], lower[t], 1))
        for t in range(from_upper, n_upper):
            deepest = max(deepest, chord_gap(x, upper[t], upper[t + 1], -1))
        largest = max(largest, deepest)
        if low == lower[from_lower] and high == upper[from_upper]:
            break
        low = lower[from_lower]
        high = upper[from_upper]
    return 0.5 * largest / n
