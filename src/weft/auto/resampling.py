"""Whether the answer is reproduced when three rows in ten are left out, more in large tables.

Each round leaves rows out and repeats the whole search: columns, candidates, judge. Rounds run in
the package's one loop, so that callbacks, checkpoints and signals work as in any search: a round is
a generation, its fitness the adjusted Rand index of both answers on the rows they share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from weft._base.arrays import Floats, Integers, Mask
from weft.columns.weights import association
from weft.search.swarms.base import Evaluation

SHARE = 0.7  # of the rows in a round
MAX_ROWS = 500  # of a round


class Repeat(NamedTuple):
    """The result of a round."""

    rows: Integers  # which rows it had
    labels: Integers  # their clusters
    kept: Mask  # the columns that it kept


class RoundState(NamedTuple):
    """The number of the round that is next, in the form of a swarm of one particle."""

    positions: Floats  # (1, 1)
    best_position: Floats  # (1,)
    best_fitness: float


class Rounds:
    """One round after the other, as a swarm that the loop can move."""

    def start(self, positions: Floats, rng: np.random.Generator) -> RoundState:
        """Return the first round."""
        return RoundState(positions, positions[0], -np.inf)

    def ask(self, state: RoundState, rng: np.random.Generator) -> RoundState:
        """Return the next round."""
        return state._replace(positions=state.positions + 1.0)

    def tell(self, state: RoundState, fitness: Floats) -> RoundState:
        """Note the best agreement so far."""
        if fitness[0] <= state.best_fitness:
            return state
        return state._replace(best_position=state.positions[0], best_fitness=float(fitness[0]))


def share_of_round(n_rows: int) -> float:
    """Return the share of the rows that a round is given, except for rounding."""
    return min(SHARE, MAX_ROWS / max(n_rows, 1))


def rows_of_round(n_rows: int, seed: int, number: int) -> Integers:
    """Return the rows that a round is given, in order."""
    rng = np.random.default_rng([seed, 1, number])
    size = min(max(4, int(SHARE * n_rows)), MAX_ROWS)
    return np.sort(rng.choice(n_rows, size, replace=False))


class RepeatedSearch:
    """The objective: repeats the search on some of the rows.

    `repeat(number)` returns the result of the round of that number.
    """

    def __init__(
        self,
        labels: Integers,
        n_columns: int,
        n_rounds: int,
        repeat: Callable[[int], Repeat],
    ) -> None:
        self.labels = labels
        self.n_columns = n_columns
        self.n_rounds = n_rounds
        self.repeat = repeat
        self.repeats: list[Repeat] = []

    def __call__(self, positions: Floats) -> Evaluation:
        """Run the round of that number."""
        repeat = self.repeat(int(positions[0, 0]))
        self.repeats.append(repeat)
        agreement = float(adjusted_rand_score(self.labels[repeat.rows], repeat.labels))
        n_clusters = np.array([repeat.labels.max() + 1])
        return Evaluation(np.array([agreement]), {"n_clusters": n_clusters})

    def accepts(self, positions: Any) -> bool:
        """Return whether these are numbers of rounds."""
        numbers = np.asarray(positions, dtype=float)
        return bool(((numbers >= 0) & (numbers < self.n_rounds) & (numbers % 1 == 0)).all())

    def get_state(self) -> dict[str, Any]:
        """Return the finished rounds."""
        return {"repeats": [list(each) for each in self.repeats]}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore rounds from a checkpoint, if they fit this table."""
        repeats = [Repeat(*(np.asarray(part) for part in each)) for each in state["repeats"]]
        for each in repeats:
            n = len(each.rows)
            sound = each.rows.ndim == each.labels.ndim == 1 and each.kept.shape == (self.n_columns,)
            sound = sound and len(each.labels) == n and 0 < n <= len(self.labels)
            sound = sound and each.rows.dtype == each.labels.dtype == np.int64
            sound = sound and each.kept.dtype == np.bool_
            if not (
                sound
                and 0 <= each.rows.min() <= each.rows.max() < len(self.labels)
                and -1 <= each.labels.min() <= each.labels.max() < n
            ):
                raise ValueError("its rounds do not fit this table.")
        self.repeats = repeats


def stability_of(labels: Integers, repeats: list[Repeat]) -> float:
    """Return the mean adjusted Rand index between the answer and its repeats."""
    return float(np.mean([adjusted_rand_score(labels[r.rows], r.labels) for r in repeats]))


def cluster_stability(labels: Integers, repeats: list[Repeat]) -> Floats:
    """Return each cluster's mean best Jaccard index over the repeats (Hennig 2007)."""
    n_clusters = int(labels.max()) + 1
    best = np.zeros((len(repeats), n_clusters))
    for number, repeat in enumerate(repeats):
        own = labels[repeat.rows]
        both = np.zeros((n_clusters + 1, int(repeat.labels.max()) + 2))
        np.add.at(both, (own, repeat.labels), 1.0)  # -1, an outlier, is the last row or column
        union = both.sum(axis=1)[:, np.newaxis] + both.sum(axis=0)[np.newaxis, :] - both
        best[number] = (both / np.maximum(union, 1.0))[:n_clusters, :-1].max(axis=1, initial=0.0)
    return best.mean(axis=0)


def weight_interval(table: Floats, weights: Floats, repeats: list[Repeat]) -> Floats:
    """Return 5 % and 95 % of each column's weight over the repeats, (2, d)."""
    drawn = np.zeros((len(repeats), len(weights)))
    for number, repeat in enumerate(repeats):
        used = repeat.kept & (weights > 0.0)
        inside = repeat.labels >= 0
        if used.any() and repeat.labels.max() > 0:
            rows = table[np.ix_(repeat.rows[inside], np.flatnonzero(used))]
            drawn[number, used] = association(rows, repeat.labels[inside])
    return np.quantile(drawn, [0.05, 0.95], axis=0)
