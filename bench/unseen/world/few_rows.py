"""Wide tables of 9 to 29 rows: tables of other kinds, cut."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bench.unseen.world import clusterless, continua, expression, samples, tissues, weak, wide
from bench.unseen.world.drawing import Kind, Rng, Sketch

FEWEST, MOST = 12, 29
PER_CLUSTER = 4


def _cut(rng: Rng, sketch: Sketch) -> np.ndarray | None:
    """Return the rows that are kept: a few clusters, each of at least `PER_CLUSTER` rows."""
    n = int(rng.integers(FEWEST, MOST + 1))
    numbers, counts = np.unique(sketch.y[sketch.y >= 0], return_counts=True)
    large = rng.permutation(numbers[counts >= PER_CLUSTER])
    k = int(rng.integers(2, max(3, min(4, n // 6) + 1)))
    if len(large) < min(2, len(numbers)):
        return None
    rows: list[np.ndarray] = []
    for number in large[:k]:
        own = rng.permutation(np.flatnonzero(sketch.y == number))
        rows.append(own[: max(PER_CLUSTER, n // min(k, len(large)))])
    return np.concatenate(rows)


def cut_from(draws: list[Callable[[Rng], Sketch]], clustered: bool) -> Kind:
    """Return the kind of tables of other kinds, cut to a few rows."""

    def draw(rng: Rng) -> Sketch:
        while True:
            sketch = draws[rng.integers(len(draws))](rng)
            rows = _cut(rng, sketch)
            if rows is None:
                continue
            X = sketch.X[rows]
            varies = np.ptp(X, axis=0) > 0
            relevant = None if sketch.relevant is None else sketch.relevant[varies]
            if X.shape[1] > 2 * MOST and varies.sum() > 2 * MOST:
                return Sketch(X[:, varies], sketch.y[rows], relevant)

    return Kind(draw, "wide", clustered)


def _draws(*modules) -> list[Callable[[Rng], Sketch]]:
    kinds = [kind for module in modules for kind in module.KINDS.values()]
    return [kind.draw for kind in kinds if kind.clustered and kind.finish == "wide"]


KINDS = {
    "few_rows_of_types": cut_from(_draws(wide, tissues), True),
    "few_rows_behind_factors": cut_from(_draws(weak, expression), True),
    "few_rows_of_samples": cut_from(_draws(samples), True),
    "few_rows_of_one_factor": cut_from(
        [clusterless.wide_factors, continua.samples_by_degrees, expression.quality_by_degrees],
        False,
    ),
    "few_rows_of_one_population": cut_from(
        [continua.counts_of_one_population, continua.one_face, clusterless.wide_noise],
        False,
    ),
}
