"""FSFS, feature selection using feature similarity: algorithm 5.1 (Mitra, Murthy, Pal 2002).

========  ====  ===========================================================================
symbol    here  meaning
========  ====  ===========================================================================
R         alive features that have not been discarded
k         k     how many nearest features the retained one stands for
r_i^k     far   dissimilarity λ2 of feature i to its k-th nearest in R
ε         limit what a discarded feature may lose
========  ====  ===========================================================================

The loop of step 6, which lowers k by one until some r_i^k is at most ε, is taken at once: that k
is the largest number of features that any feature has within ε.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft.backends.cpu.kernels.compression import alive_within, kth_alive
from weft.methods.selection.compression import compression_tiles

EPSILONS = ("first", "latest")
LIST_SHARE = 4  # lists of neighbours once k is below 1 / LIST_SHARE of the features left
LIST_SPARE = 32


class Selected(NamedTuple):
    """Which features stay, and how many features each step discarded within what."""

    support: Mask
    discarded: Integers  # k of each step
    limits: Floats  # r_i'^k of each step


class Neighbours(Protocol):
    """Looks at the features that are alive."""

    def farthest(self, alive: Mask, k: int) -> Floats: ...  # r_i^k (M,), inf if not alive

    def most_within(self, alive: Mask, limit: float) -> int: ...


class Tiles:
    """Makes every dissimilarity again for each look: for large k, where looks are few."""

    def __init__(self, columns: Floats) -> None:
        self.columns = columns

    def farthest(self, alive: Mask, k: int) -> Floats:
        left = np.flatnonzero(alive)
        out = np.full(len(alive), np.inf)
        for start, tile in compression_tiles(self.columns[left], self.columns[left]):
            _leave_out_self(tile, start)
            out[left[start : start + len(tile)]] = np.partition(tile, k - 1, axis=1)[:, k - 1]
        return out

    def most_within(self, alive: Mask, limit: float) -> int:
        left = np.flatnonzero(alive)
        most = 0
        for start, tile in compression_tiles(self.columns[left], self.columns[left]):
            _leave_out_self(tile, start)
            most = max(most, int((tile <= limit).sum(axis=1).max()))
        return most


class Lists:
    """Keeps the nearest features of each feature, and makes a list anew once it has run out."""

    def __init__(self, columns: Floats, alive: Mask, k: int) -> None:
        self.columns = columns
        self.length = min(int(alive.sum()) - 1, 2 * k + LIST_SPARE)
        self.indices = np.empty((len(columns), self.length), dtype=np.int32)
        self.values = np.empty((len(columns), self.length))
        self._fill(np.flatnonzero(alive), alive)

    def _fill(self, which: Integers, alive: Mask) -> None:
        left = np.flatnonzero(alive)
        length = min(self.length, len(left) - 1)
        position = np.searchsorted(left, which)
        self.values[which] = np.inf
        self.indices[which] = left[0]
        for start, tile in compression_tiles(self.columns[which], self.columns[left]):
            rows = np.arange(len(tile))
            tile[rows, position[start : start + len(tile)]] = np.inf
            near = np.argpartition(tile, length - 1, axis=1)[:, :length]
            near.sort(axis=1)  # so that equal values stay in the order of the features
            found = np.take_along_axis(tile, near, axis=1)
            order = np.argsort(found, axis=1, kind="stable")
            at = which[start : start + len(tile)]
            self.indices[at, :length] = left[np.take_along_axis(near, order, axis=1)]
            self.values[at, :length] = np.take_along_axis(found, order, axis=1)

    def farthest(self, alive: Mask, k: int) -> Floats:
        left = np.flatnonzero(alive)
        out = np.full(len(alive), np.inf)
        found = np.empty(len(left))
        kth_alive(self.indices[left], self.values[left], alive, k, found)
        short = ~np.isfinite(found)
        if short.any():
            self._fill(left[short], alive)
            again = np.empty(int(short.sum()))
            kth_alive(self.indices[left[short]], self.values[left[short]], alive, k, again)
            found[short] = again
        out[left] = found
        return out

    def most_within(self, alive: Mask, limit: float) -> int:
        left = np.flatnonzero(alive)
        found = np.empty(len(left), dtype=np.int64)
        alive_within(self.indices[left], self.values[left], alive, limit, found)
        return int(found.max())


def _leave_out_self(tile: Floats, start: int) -> None:
    rows = np.arange(len(tile))
    tile[rows, start + rows] = np.inf


def fsfs(columns: Floats, k: int, *, epsilon: str | float = "first") -> Selected:
    """Select among the centred rows of `columns` (M, n); 1 <= k <= M - 1."""
    alive = np.ones(len(columns), dtype=bool)
    look: Neighbours = Tiles(columns)
    limit = 0.0 if isinstance(epsilon, str) else epsilon
    discarded: list[int] = []
    limits: list[float] = []
    if not isinstance(epsilon, str):  # the limit is known before the first step: so is k
        k = min(k, look.most_within(alive, limit))
    while k >= 1:
        if isinstance(look, Tiles) and LIST_SHARE * k < alive.sum():
            look = Lists(columns, alive, k)
        far = look.farthest(alive, k)  # step 2
        kept = int(far.argmin())  # step 3; the first on a tie
        _discard_nearest(columns, alive, kept, k)
        discarded.append(k)
        limits.append(float(far[kept]))
        if epsilon == "latest" or (epsilon == "first" and len(limits) == 1):
            limit = limits[-1]
        k = min(k, int(alive.sum()) - 1)  # step 4
        if k <= 1:  # step 5
            break
        k = min(k, look.most_within(alive, limit))  # step 6
        if k <= 1:
            break
    return Selected(alive, np.array(discarded, dtype=np.int64), np.array(limits))


def _discard_nearest(columns: Floats, alive: Mask, kept: int, k: int) -> None:
    left = np.flatnonzero(alive)
    ((_, tile),) = compression_tiles(columns[[kept]], columns[left])
    away = tile[0]
    away[np.searchsorted(left, kept)] = np.inf
    alive[left[np.argsort(away, kind="stable")[:k]]] = False
