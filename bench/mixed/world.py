"""A synthetic world of mixed tables, on which the rules for such tables are chosen.

Every kind draws a table of numbers, categories, ordered, cyclic and heavy-tailed columns with known
clusters, or without any. Rules and the weights of the small judge (`weft.auto.source_judge`) are
chosen here, with whole kinds left out; the real sets of `bench.mixed.sets` are only looked at
afterwards. Each table then gets columns of noise and gaps, by its seed.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bench.mixed import kinds_lifelike as lifelike
from bench.mixed import kinds_plain as plain
from bench.mixed import kinds_without as without
from bench.mixed.drawing import Columns
from bench.mixed.sets import MixedSet, with_gaps, with_noise
from weft.columns.source import MixedTable

Maker = Callable[[np.random.Generator], tuple[Columns, np.ndarray]]
GAPS = (0.0, 0.0, 0.1, 0.3)  # of seeds 0 and 1, 2 and 3, 4 and 5, 6 and 7, then again


class World(NamedTuple):
    """A kind of table: how one is drawn, and whether it has clusters."""

    make: Maker
    clustered: bool = True


CLUSTERED: tuple[Maker, ...] = (
    plain.latent_classes,
    plain.numbers_and_levels,
    plain.factors,
    plain.crossed,
    plain.in_numbers,
    plain.symptoms,
    plain.yes_or_no,
    plain.weak_halves,
    plain.cycles,
    plain.with_outliers,
    plain.many_levels,
    lifelike.amounts,
    lifelike.nested,
    lifelike.patients,
    lifelike.households,
    lifelike.dependent_within,
    lifelike.animals,
    lifelike.graded,
    lifelike.survey,
    lifelike.customers,
)
WITHOUT: tuple[Maker, ...] = (
    without.one_trait,
    without.two_traits,
    without.skewed_trait,
    without.independent,
    without.few_pairs,
    without.tempers,
    without.spenders,
)
WORLDS = {
    **{maker.__name__: World(maker) for maker in CLUSTERED},
    **{maker.__name__: World(maker, clustered=False) for maker in WITHOUT},
}


def draw(kind: str, seed: int, *, gaps: float | None = None) -> MixedSet:
    """Return a table of a kind; every second seed has columns of noise, and gaps by turns."""
    rng = np.random.default_rng([zlib.crc32(kind.encode()), seed])
    made, labels = WORLDS[kind].make(rng)
    table = made.table()
    real = np.full(len(table.used), WORLDS[kind].clustered)
    data = MixedSet(table, np.unique(labels, return_inverse=True)[1], real)
    if seed % 2:
        data = with_noise(data, seed)
    share = GAPS[seed // 2 % len(GAPS)] if gaps is None else gaps
    if share > 0.0:
        leaves = _gaps_by_value if seed // 8 % 2 else with_gaps
        data = leaves(data, share, seed)
    return data


def _gaps_by_value(data: MixedSet, share: float, seed: int) -> MixedSet:
    """Delete cells more often where the first number, or level, of the table is large."""
    rng = np.random.default_rng(seed)
    first = data.table.values[:, 0]
    chance = np.where(first > np.median(first), 1.5 * share, 0.5 * share)
    gone = rng.random((len(first), len(data.table.used))) < chance[:, None]
    gone[gone.all(axis=1), 0] = False
    values = np.where(gone[:, data.table.source_of], np.nan, data.table.values)
    return data._replace(table=MixedTable(values, data.table.columns))
