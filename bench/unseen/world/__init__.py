"""A world of synthetic tables of many kinds, each with its truth.

``make_table(kind, seed)`` gives the same bits wherever it is called; `CLUSTERED` and `CLUSTERLESS`
name the kinds. The judge of AutoCluster is trained on these tables and on nothing else.
"""

from __future__ import annotations

from typing import NamedTuple
from zlib import crc32

import numpy as np

from bench.unseen.world import (
    arrangements,
    blobs,
    classes,
    clusterless,
    columns,
    composites,
    continua,
    crowds,
    curves,
    expression,
    few_rows,
    lumps,
    measurements,
    packed,
    samples,
    scenes,
    solids,
    swarms,
    tissues,
    touching,
    weak,
    wide,
)
from bench.unseen.world.drawing import Kind, finish

WORLD_SEED = 20

KINDS: dict[str, Kind] = {
    **blobs.KINDS,
    **arrangements.KINDS,
    **curves.KINDS,
    **solids.KINDS,
    **composites.KINDS,
    **crowds.KINDS,
    **scenes.KINDS,
    **columns.KINDS,
    **measurements.KINDS,
    **packed.KINDS,
    **swarms.KINDS,
    **classes.KINDS,
    **wide.KINDS,
    **weak.KINDS,
    **samples.KINDS,
    **tissues.KINDS,
    **expression.KINDS,
    **few_rows.KINDS,
    **touching.KINDS,
    **clusterless.KINDS,
    **continua.KINDS,
    **lumps.KINDS,
}


class Table(NamedTuple):
    """A synthetic table with its truth.

    X : (n_rows, n_columns) float64
    y : (n_rows,) int64; -1 marks rows that are not scored, such as background noise
    relevant : (n_columns,) bool, whether a column says something about the clusters
    kind : its name
    clustered : False where the right answer is "no clusters"
    """

    X: np.ndarray
    y: np.ndarray
    relevant: np.ndarray
    kind: str
    clustered: bool


def make_table(kind: str, seed: int) -> Table:
    """Return table number `seed` of a kind.

    Examples
    --------
    >>> table = make_table("moons", 0)
    >>> table.X.shape[0] == len(table.y)
    True
    """
    if kind not in KINDS:
        raise ValueError(f"kind={kind!r} is not a kind of table; choose from {sorted(KINDS)}.")
    recipe = KINDS[kind]
    rng = np.random.default_rng(np.random.SeedSequence([WORLD_SEED, crc32(kind.encode()), seed]))
    X, y, relevant = finish(rng, recipe.draw(rng), recipe.finish)
    return Table(X, y, relevant & recipe.clustered, kind, recipe.clustered)
