"""A weighted sample of all rows, to start from.

O. Bachem, M. Lucic and A. Krause, "Scalable k-means clustering via lightweight coresets", KDD
2018: a row is drawn with a probability q. Half of q is the row's share of the mass, the other half
its share of the distances to the centre of the table, so that small groups far away are sampled.
Rows are drawn without replacement: those with the smallest e / q, where e is exponential. With τ
the smallest value that was left out, a row is in the sample with probability 1 - exp(-q τ). Its
mass is divided by that probability (bottom-k sampling, E. Cohen and H. Kaplan 2007), so that sums
over the sample are right on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats
from weft.kmeans.blocks import Blocks, block_data
from weft.kmeans.data import distances

SAMPLE_ROWS = 20_000


class Sample(NamedTuple):
    """Rows with the mass that each represents, in the order of the table."""

    rows: Floats
    mass: Floats


class _Draw(NamedTuple):
    center: Floats
    factors: Floats
    exponent: float
    total_mass: float
    total_distance: float
    seed: int
    size: int


class _Drawn(NamedTuple):
    key: Floats
    chance: Floats  # q, up to the sample's size
    mass: Floats
    rows: Floats
    place: NDArray[np.int64]  # (t, 2): block, row


def draw_sample(
    blocks: Blocks,
    center: Floats,
    active: NDArray[np.bool_],
    *,
    exponent: float,
    total_mass: float,
    seed: int,
    size: int = SAMPLE_ROWS,
    by_distance: bool = True,
) -> Sample:
    """Draw at most `size` rows in two passes; all of them if there are no more.

    Without `by_distance` rows are drawn by their mass alone, in one pass.
    """
    draw = _Draw(center, active.astype(float), exponent, total_mass, 0.0, seed, size)
    whole = blocks.fold(_reach, _total, draw) if by_distance else 0.0
    drawn = blocks.fold(_keys, partial(_least, size), draw._replace(total_distance=whole))
    mass = drawn.mass
    if len(mass) > size:
        kept = slice(0, size)
        mass = mass[kept] / -np.expm1(-drawn.chance[kept] * drawn.key[size])
    order = np.lexsort(drawn.place[: len(mass)].T[::-1])
    return Sample(np.ascontiguousarray(drawn.rows[order]), mass[order])


def _away(rows: Floats, mass: Floats, draw: _Draw) -> Floats:
    data = block_data(rows, mass, draw.exponent)
    powered = distances(data, draw.center[None], draw.factors[None])[:, 0]
    return data.load * powered


def _reach(number: int, rows: Floats, mass: Floats, draw: _Draw) -> float:
    return float(_away(rows, mass, draw).sum())


def _total(parts: Sequence[float]) -> float:
    return sum(parts)


def _keys(number: int, rows: Floats, mass: Floats, draw: _Draw) -> _Drawn:
    chance = 0.5 * mass / draw.total_mass
    if draw.total_distance > 0.0:
        chance += 0.5 * _away(rows, mass, draw) / draw.total_distance
    rng = np.random.default_rng([draw.seed, number])
    with np.errstate(divide="ignore"):
        key = rng.exponential(size=len(rows)) / chance
    order = np.argsort(key, kind="stable")[: draw.size + 1]
    place = np.column_stack([np.full(len(order), number), order])
    return _Drawn(key[order], chance[order], mass[order], rows[order], place)


def _least(size: int, parts: Sequence[_Drawn]) -> _Drawn:
    """Keep the rows with the smallest keys, and one more, whose key is the limit τ."""
    columns: list[Any] = [np.concatenate(column) for column in zip(*parts, strict=True)]
    order = np.argsort(columns[0], kind="stable")[: size + 1]
    return _Drawn(*(column[order] for column in columns))
