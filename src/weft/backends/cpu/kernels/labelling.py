"""The nearest known row of each new row: the notation is that of the reference.

Products in single precision show which known rows may be the nearest. These few are compared in
double precision, so that the answer is that of exact distances.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED

_LANES = 32
_PIECE = 64


@njit(**COMPILED)
def nearest_known(block, slack, rows, known, nearest, powered):
    """Fill `nearest` and `powered`, (b,), from `block` (b, n) with errors up to `slack`."""
    n_known = block.shape[1]
    lanes = np.empty(_LANES, block.dtype)
    whole = n_known - n_known % _LANES
    for r in range(block.shape[0]):
        row = block[r]
        # Loops, because numba needs longer to compile `lanes[:] = …`, `min()` and `dtype.type`.
        for j in range(_LANES):
            lanes[j] = np.inf
        for start in range(0, whole, _LANES):
            part = row[start : start + _LANES]
            for j in range(_LANES):
                lanes[j] = part[j] if part[j] < lanes[j] else lanes[j]
        low = lanes[0]
        for j in range(_LANES):
            low = lanes[j] if lanes[j] < low else low
        for j in range(whole, n_known):
            low = row[j] if row[j] < low else low
        exact = low + 2.0 * slack[r]
        lanes[0] = exact + 1e-6 * abs(exact)
        limit = lanes[0]  # not below `exact` after rounding to the block's type
        best = np.inf
        where = 0
        for start in range(0, n_known, _PIECE):
            part = row[start : start + _PIECE]
            hits = 0
            for j in range(part.size):
                hits += part[j] <= limit
            if hits == 0:
                continue
            for j in range(part.size):
                if part[j] <= limit:
                    total = 0.0
                    for f in range(rows.shape[1]):
                        d = known[start + j, f] - rows[r, f]
                        total += d * d
                    if total < best:
                        best = total
                        where = start + j
        nearest[r] = where
        powered[r] = best
