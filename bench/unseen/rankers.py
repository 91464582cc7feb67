"""Train the judge's rankers: of all candidates, and of those with a given number of clusters.

Every step is seeded and runs on one thread, so that the same evidence gives the same trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bench.unseen.evidence import TableEvidence
from bench.unseen.exporting import forest_of, join, scaled
from weft.auto.evidence.table import TABLE_NAMES
from weft.auto.judge import told_features
from weft.auto.pool import by_part, cluster_counts, rounded
from weft.auto.trees import Forest
from weft.auto.working import PLAIN_COLUMNS

RANKER_SEEDS = (1, 2, 3, 4, 5, 6)
# Share of the evidence that a tree may use, by seed. Rankers with less evidence make other
# mistakes, and the mean of both sorts is better than either on kinds left out. More draws reduce
# the variance.
FRACTIONS = {1: 0.4, 2: 0.4, 3: 0.15, 4: 0.15, 5: 0.4, 6: 0.15}
TOLD_SEEDS = (1, 2, 3, 4)
MANY_WEIGHT = 3.0  # of tables with so many columns that they are put on axes
LEVELS = 31  # grades of a candidate, by its adjusted Rand index
# Top-heavy: from one grade to the next the gain grows by a factor of about 1.09.
TOP_HEAVY = 4.0
LEAST_SPREAD = 0.05  # of the candidates' indices: a table with equal candidates is not used

COMMON: dict[str, Any] = {
    "num_threads": 1,
    "deterministic": True,
    "force_col_wise": True,
    "use_missing": False,
    "max_bin": 127,
    "verbosity": -1,
}
RANKER = {
    **COMMON,
    "objective": "lambdarank",
    "lambdarank_truncation_level": 10,
    "label_gain": [round(2 ** (TOP_HEAVY * level / LEVELS) - 1, 6) for level in range(LEVELS + 1)],
    "num_leaves": 31,
    "learning_rate": 0.06,
    "min_data_in_leaf": 60,
    "feature_fraction": FRACTIONS[1],
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
}
RANKER_TREES = 300
# Groups of this ranker are small: ten to thirty candidates.
TOLD = {**RANKER, "lambdarank_truncation_level": 5, "num_leaves": 15, "min_data_in_leaf": 20}
TOLD_TREES = 200
# Candidates of numbers next to the true one are used with half the weight.
TOLD_WEIGHTS = {-1: 0.5, 0: 1.0, 1: 0.5}

Relative = Callable[[np.ndarray], np.ndarray]
Group = tuple[np.ndarray, np.ndarray, float]  # features, indices and weight of one ranking


def ranker_features(table: TableEvidence, relative: Relative) -> np.ndarray:
    """Return the features of a table's candidates for the ranker, in single precision."""
    return by_part(rounded(table.values), table.part_of, relative).astype(np.float32)


def weight_of(table: TableEvidence) -> float:
    """Return how much a table counts: those of many columns more, because their kinds are few."""
    columns = np.exp(table.table_values[:, TABLE_NAMES.index("log_columns")])
    return MANY_WEIGHT if columns.max() > PLAIN_COLUMNS + 0.5 else 1.0


def mean_of(boosters: list[Any]) -> Forest:
    """Return the mean of several boosters as one forest."""
    return mean_forest([forest_of(booster) for booster in boosters])


def mean_forest(forests: Sequence[Forest]) -> Forest:
    """Return the mean of several forests as one."""
    return join([scaled(forest, 1 / len(forests)) for forest in forests])


def train_ranker(
    tables: Sequence[TableEvidence], relative: Relative, seeds: Sequence[int] = RANKER_SEEDS
) -> Forest:
    """Return a ranker of the candidates of clustered tables: the mean over seeds."""
    groups = []
    for table in (table for table in tables if table.clustered):
        features = ranker_features(table, relative)
        groups += _by_part(table, features, np.arange(len(features)), weight_of(table))
    forests = [
        _trained(groups, {**RANKER, "feature_fraction": FRACTIONS[seed]}, RANKER_TREES, (seed,))
        for seed in seeds
    ]
    return mean_forest(forests)


def train_told(
    tables: Sequence[TableEvidence], relative: Relative, seeds: Sequence[int] = TOLD_SEEDS
) -> Forest:
    """Return a ranker of candidates of one number of clusters, the true one or one next to it."""
    groups = []
    for table in (table for table in tables if table.clustered):
        values = rounded(table.values)
        beside_all = by_part(values, table.part_of, relative)
        for more, weight in TOLD_WEIGHTS.items():
            places = told_places(table, more)
            if len(places) == 0:
                continue
            own = beside_all[places], values[places], table.part_of[places]
            features = told_features(*own, relative).astype(np.float32)
            groups += _by_part(table, features, places, weight * weight_of(table))
    return _trained(groups, TOLD, TOLD_TREES, seeds)


def _by_part(
    table: TableEvidence, features: np.ndarray, places: np.ndarray, weight: float
) -> list[Group]:
    """Return the candidates at some places, in one group for each representation.

    A table counts once: its representations share its weight.
    """
    part_of = table.part_of[places]
    groups = []
    for part in np.unique(part_of):
        own = part_of == part
        aris = table.aris[places[own]]
        if len(aris) > 1 and np.ptp(aris) > LEAST_SPREAD:
            groups.append((features[own], aris, weight / len(table.table_values)))
    return groups


def told_places(table: TableEvidence, more: int = 0) -> np.ndarray:
    """Return the candidates with as many clusters as the truth, or this many more; none without."""
    return np.flatnonzero(cluster_counts(table.labels) == table.n_clusters + more)


def _trained(
    groups: list[Group],
    settings: dict[str, Any],
    n_trees: int,
    seeds: Sequence[int],
) -> Forest:
    import lightgbm

    features, aris, weights = zip(*groups, strict=True)
    grades = np.round(np.clip(np.concatenate(aris), 0, 1) * LEVELS)
    sizes = [len(own) for own in aris]
    data = lightgbm.Dataset(
        np.concatenate(features),
        grades.astype(int),
        group=sizes,
        weight=np.repeat(weights, sizes),
        params=settings,
        free_raw_data=True,
    )
    return mean_of(
        [
            lightgbm.train({**settings, "seed": seed, "data_random_seed": 1}, data, n_trees)
            for seed in seeds
        ]
    )
