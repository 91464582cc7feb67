"""FSFS, feature selection using feature similarity: algorithm 5.1 (Mitra, Murthy, Pal 2002).

========  ====  ===========================================================================
symbol    name  meaning
========  ====  ===========================================================================
R         alive features that have not been discarded
k         k     how many nearest features the retained one replaces
r_i^k     far   dissimilarity λ2 of feature i to its k-th nearest in R
ε         limit largest allowed loss of a discarded feature
========  ====  ===========================================================================

The loop of step 6 lowers k by one until some r_i^k is at most ε. It is replaced by one step: that k
is the largest number of features that any feature has within ε.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft.backends import CPU, Backend

EPSILONS = ("first", "latest")
LIST_SHARE = 4  # lists are used when k is below 1 / LIST_SHARE of the remaining features
LIST_SPARE = 32


class Selected(NamedTuple):
    """The selected features, and for each step the number of discarded ones and its limit."""

    support: Mask
    discarded: Integers  # k of each step
    limits: Floats  # r_i'^k of each step


class Features:
    """Features on a backend, and dissimilarities between some of them."""

    def __init__(self, columns: Floats, backend: Backend) -> None:
        self.count = len(columns)
        self.operations = backend.columns
        self.resident: Any = self.operations.load_features(columns, backend.device)

    def tiles(self, which: Integers, others: Integers) -> Iterator[tuple[int, Floats]]:
        """Yield (first of `which`, λ2 of some of them with all `others`)."""
        one, other = (
            self.operations.take_features(self.resident, each) for each in (which, others)
        )
        tiles: Iterator[tuple[int, Floats]] = self.operations.compression_tiles(one, other)
        return tiles


class Neighbours(Protocol):
    """Finds neighbours among the features that are alive."""

    def farthest(self, alive: Mask, k: int) -> Floats: ...  # r_i^k (M,), inf if not alive

    def max_within(self, alive: Mask, limit: float) -> int: ...


class Tiles:
    """Computes every dissimilarity when it is needed: for large k, where few are needed."""

    def __init__(self, features: Features) -> None:
        self.features = features

    def farthest(self, alive: Mask, k: int) -> Floats:
        left = np.flatnonzero(alive)
        out = np.full(len(alive), np.inf)
        for start, tile in self._tiles(left):
            out[left[start : start + len(tile)]] = np.partition(tile, k - 1, axis=1)[:, k - 1]
        return out

    def max_within(self, alive: Mask, limit: float) -> int:
        tiles = self._tiles(np.flatnonzero(alive))
        return max(int((tile <= limit).sum(axis=1).max()) for _, tile in tiles)

    def _tiles(self, left: Integers) -> Iterator[tuple[int, Floats]]:
        """Yield tiles in which a feature is infinitely far from itself."""
        for start, tile in self.features.tiles(left, left):
            rows = np.arange(len(tile))
            tile[rows, start + rows] = np.inf
            yield start, tile


class Lists:
    """Stores the nearest features of each feature, and extends a list when it is exhausted."""

    def __init__(self, features: Features, alive: Mask, k: int) -> None:
        self.features = features
        self.length = min(int(alive.sum()) - 1, 2 * k + LIST_SPARE)
        self.indices = np.empty((features.count, self.length), dtype=np.int32)
        self.values = np.empty((features.count, self.length))
        self._fill(np.flatnonzero(alive), alive)

    def _fill(self, which: Integers, alive: Mask) -> None:
        left = np.flatnonzero(alive)
        length = min(self.length, len(left) - 1)
        position = np.searchsorted(left, which)
        self.values[which] = np.inf
        self.indices[which] = left[0]
        for start, tile in self.features.tiles(which, left):
            rows = np.arange(len(tile))
            tile[rows, position[start : start + len(tile)]] = np.inf
            near = np.argpartition(tile, length - 1, axis=1)[:, :length]
            near.sort(axis=1)  # so that equal values keep the order of the features
            values = np.take_along_axis(tile, near, axis=1)
            order = np.argsort(values, axis=1, kind="stable")
            at = which[start : start + len(tile)]
            self.indices[at, :length] = left[np.take_along_axis(near, order, axis=1)]
            self.values[at, :length] = np.take_along_axis(values, order, axis=1)

    def _kth_alive(self, which: Integers, alive: Mask, k: int) -> Floats:
        lists = self.indices[which], self.values[which]
        distances: Floats = CPU.columns.kth_alive(*lists, alive, k)
        return distances

    def farthest(self, alive: Mask, k: int) -> Floats:
        left = np.flatnonzero(alive)
        distances = self._kth_alive(left, alive, k)
        short = ~np.isfinite(distances)
        if short.any():
            self._fill(left[short], alive)
            distances[short] = self._kth_alive(left[short], alive, k)
        out = np.full(len(alive), np.inf)
        out[left] = distances
        return out

    def max_within(self, alive: Mask, limit: float) -> int:
        left = np.flatnonzero(alive)
        lists = self.indices[left], self.values[left]
        return int(CPU.columns.count_alive_within(*lists, alive, limit).max())


def fsfs(
    columns: Floats, k: int, *, epsilon: str | float = "first", backend: Backend = CPU
) -> Selected:
    """Select among the centred rows of `columns` (M, n); 1 <= k <= M - 1."""
    features = Features(columns, backend)
    alive = np.ones(len(columns), dtype=bool)
    look: Neighbours = Tiles(features)
    limit = 0.0 if isinstance(epsilon, str) else epsilon
    discarded: list[int] = []
    limits: list[float] = []
    if not isinstance(epsilon, str):  # the limit, and so k, is known before the first step
        k = min(k, look.max_within(alive, limit))
    while k >= 1:
        if isinstance(look, Tiles) and LIST_SHARE * k < alive.sum():
            look = Lists(features, alive, k)
        far = look.farthest(alive, k)  # step 2
        kept = int(far.argmin())  # step 3; the first on a tie
        _discard_nearest(features, alive, kept, k)
        discarded.append(k)
        limits.append(float(far[kept]))
        if epsilon == "latest" or (epsilon == "first" and len(limits) == 1):
            limit = limits[-1]
        k = min(k, int(alive.sum()) - 1)  # step 4
        if k <= 1:  # step 5
            break
        k = min(k, look.max_within(alive, limit))  # step 6
        if k <= 1:
            break
    return Selected(alive, np.array(discarded, dtype=np.int64), np.array(limits))


def _discard_nearest(features: Features, alive: Mask, kept: int, k: int) -> None:
    left = np.flatnonzero(alive)
    ((_, tile),) = features.tiles(np.array([kept]), left)
    away = tile[0]
    away[np.searchsorted(left, kept)] = np.inf
    alive[left[np.argsort(away, kind="stable")[:k]]] = False
