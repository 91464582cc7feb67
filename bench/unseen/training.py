"""Train the judge on the world: ranker, gate, confidence, and the curve that calibrates it.

Gate, confidence and curve learn from winners of rankers that have not seen the winner's kind of
table, in 8 folds of kinds, because the judge will work on kinds that nobody has seen. Every step is
seeded and runs on one thread, so that the same world gives the same file, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from bench.unseen.evidence import TableEvidence
from bench.unseen.exporting import arrays_of, forest_of, join, scaled
from weft.auto.evidence.table import TABLE_NAMES
from weft.auto.judge import VERSION, doubt_features, rounded
from weft.auto.trees import Forest, logistic, predict
from weft.auto.working import PLAIN_COLUMNS

RIGHT = 0.8  # adjusted Rand index from which a partition counts as right
N_FOLDS = 8
SEEDS = (1, 2, 3, 4, 5)
FOLD_SEEDS = (1,)
MANY_WEIGHT = 3.0  # of tables with more columns than are taken as they are
LEVELS = 31  # grades of a candidate, by its adjusted Rand index
# Shares of clusterless tables that may be called clustered, over kinds left out: of lumps, and of
# all. A single curve or frame is harder to tell from clusters than a lump is; under one common
# limit such tables would set the threshold for everybody.
LUMP_ALARMS, FALSE_ALARMS = 0.04, 0.1
SHAPED = ("uniform_shape", "one_filament", "one_ring", "bent_sheet")  # of one piece, but no lump
FEWEST_TO_CALIBRATE = 30
HOPELESS = 0.3  # a clustered table whose best candidate is below this teaches the gate nothing

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
    # Top-heavy: from one grade to the next the gain grows by a factor of about 1.12.
    "label_gain": [round(2 ** (5 * level / LEVELS) - 1, 6) for level in range(LEVELS + 1)],
    "num_leaves": 15,
    "learning_rate": 0.06,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
}
DOUBT = {
    **COMMON,
    "objective": "binary",
    "num_leaves": 6,
    "learning_rate": 0.04,
    "min_data_in_leaf": 15,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
}
RANKER_TREES = 250
DOUBT_TREES = 200

Relative = Callable[[np.ndarray], np.ndarray]


class Winners(NamedTuple):
    """One row per table: the winner of a ranker that has not seen the table's kind."""

    features: np.ndarray  # (tables, doubt features)
    aris: np.ndarray  # (tables,) of the winner
    best: np.ndarray  # (tables,) of the best candidate
    chosen: np.ndarray  # (tables,) position of the winner


class Trained(NamedTuple):
    """The arrays of the judge's file, and what was measured on kinds left out."""

    arrays: dict[str, np.ndarray]
    winners: Winners
    no_clusters: np.ndarray  # (tables,) probabilities, kinds left out
    confidence: np.ndarray  # (tables,) calibrated, kinds left out, curves of other folds


def folds_of_kinds(tables: Sequence[TableEvidence], n_folds: int = N_FOLDS) -> np.ndarray:
    """Return the fold of each table: all tables of a kind share one, both sorts are spread."""
    rng = np.random.default_rng(20)
    fold_of: dict[str, int] = {}
    for clustered in (True, False):
        kinds = sorted({table.kind for table in tables if table.clustered == clustered})
        for position, index in enumerate(rng.permutation(len(kinds))):
            fold_of[kinds[index]] = position % n_folds
    return np.array([fold_of[table.kind] for table in tables])


def ranker_features(table: TableEvidence, relative: Relative) -> np.ndarray:
    """Return what the ranker sees of a table's candidates, in single precision."""
    return relative(rounded(table.values)).astype(np.float32)


def weight_of(table: TableEvidence) -> float:
    """Return how much a table counts: those of many columns more, because their kinds are few."""
    n_columns = np.exp(table.table_values[TABLE_NAMES.index("log_columns")])
    return MANY_WEIGHT if n_columns > PLAIN_COLUMNS + 0.5 else 1.0


def _mean_of(boosters: list[Any]) -> Forest:
    return join([scaled(forest_of(booster), 1 / len(boosters)) for booster in boosters])


def train_ranker(
    tables: Sequence[TableEvidence], relative: Relative, seeds: Sequence[int] = SEEDS
) -> Forest:
    """Return a ranker of the candidates of clustered tables: the mean over seeds."""
    import lightgbm

    useful = [t for t in tables if t.clustered and len(t.aris) and np.ptp(t.aris) > 0.05]
    features = np.concatenate([ranker_features(table, relative) for table in useful])
    grades = np.concatenate([np.clip(table.aris, 0, 1) for table in useful]) * LEVELS
    data = lightgbm.Dataset(
        features,
        np.round(grades).astype(int),
        group=[len(table.aris) for table in useful],
        weight=np.concatenate([np.full(len(table.aris), weight_of(table)) for table in useful]),
        params=RANKER,
        free_raw_data=True,
    )
    boosters = [
        lightgbm.train({**RANKER, "seed": seed, "data_random_seed": 1}, data, RANKER_TREES)
        for seed in seeds
    ]
    return _mean_of(boosters)


def train_doubt(features: np.ndarray, truth: np.ndarray, weights: np.ndarray) -> Forest:
    """Return a classifier of winners: the mean over seeds."""
    import lightgbm

    data = lightgbm.Dataset(
        features.astype(np.float32), truth.astype(int), weight=weights, params=DOUBT
    )
    boosters = [
        lightgbm.train({**DOUBT, "seed": seed, "data_random_seed": 1}, data, DOUBT_TREES)
        for seed in SEEDS
    ]
    return _mean_of(boosters)


def winners_of(
    tables: Sequence[TableEvidence], rankers: Callable[[int], Forest], relative: Relative
) -> Winners:
    """Return the winners of all tables; `rankers(i)` gives the ranker that judges table i."""
    rows = []
    for position, table in enumerate(tables):
        features = ranker_features(table, relative)
        scores = predict(rankers(position), features)
        labels = table.labels.astype(np.int64)
        doubt = doubt_features(features, table.table_values, scores, labels)
        chosen = int(np.argmax(scores))
        rows.append((doubt, table.aris[chosen], table.aris.max(), chosen))
    return Winners(*(np.array(column) for column in zip(*rows, strict=True)))


def _curve_of(raw: np.ndarray, right: np.ndarray, passed: np.ndarray, known: np.ndarray):
    """Return the curve of the tables that the gate let pass; of all where these are too few."""
    used = known & passed
    used = used if used.sum() >= FEWEST_TO_CALIBRATE else known
    return monotone_curve(raw[used], right[used])


def monotone_curve(raw: np.ndarray, truth: np.ndarray):
    """Return a monotone curve from raw probabilities to observed shares, as two arrays."""
    from sklearn.isotonic import IsotonicRegression

    model = IsotonicRegression(y_min=0.01, y_max=0.99).fit(raw, truth)
    # A few means over quantiles instead of every step: steps of single tables are chance.
    grid = np.unique(np.quantile(raw, np.linspace(0, 1, 26)))
    value = np.array([model.predict(raw[(raw >= low) & (raw <= high)]).mean()
                      for low, high in pairwise(grid)])  # fmt: skip
    middle = (grid[:-1] + grid[1:]) / 2
    return middle, np.maximum.accumulate(value)


def gate_threshold(no_clusters: np.ndarray, clustered: np.ndarray, kinds: Sequence[str]) -> float:
    """Return the probability from which "no clusters" is said: few clusterless tables pass it."""
    lumps = no_clusters[~clustered & ~np.isin(kinds, SHAPED)]
    limits = [np.quantile(no_clusters[~clustered], FALSE_ALARMS)]
    limits += [np.quantile(lumps, LUMP_ALARMS)] if len(lumps) else []
    return float(min(limits))


def _kind_weights(tables: Sequence[TableEvidence], used: np.ndarray) -> np.ndarray:
    """Return weights that give clustered and clusterless tables the same total."""
    clustered = np.array([table.clustered for table in tables])
    weights = used.astype(float)
    for part in (clustered, ~clustered):
        weights[part] /= max(weights[part].sum(), 1.0)
    return weights * used.sum() / weights.sum()


def leave_kinds_out(
    tables: Sequence[TableEvidence], relative: Relative, report=print
) -> tuple[Winners, np.ndarray]:
    """Return the winners of rankers that have not seen the winner's kind, and the folds."""
    folds = folds_of_kinds(tables)
    rankers: dict[int, Forest] = {}
    for fold in range(N_FOLDS):
        others = [table for table, f in zip(tables, folds, strict=True) if f != fold]
        rankers[fold] = train_ranker(others, relative, FOLD_SEEDS)
        report(f"fold {fold + 1} of {N_FOLDS}: ranker trained without its kinds")
    return winners_of(tables, lambda i: rankers[int(folds[i])], relative), folds


def train(tables: Sequence[TableEvidence], relative: Relative, report=print) -> Trained:
    """Train everything on the evidence of the world's tables."""
    tables = [table for table in tables if len(table.aris)]
    winners, folds = leave_kinds_out(tables, relative, report)
    clustered = np.array([table.clustered for table in tables])
    right = clustered & (winners.aris >= RIGHT)

    tells = ~clustered | (winners.best >= HOPELESS)
    gate_weights = _kind_weights(tables, tells)
    sure_weights = np.where(clustered, 1.0, 0.5)
    no_clusters, raw = np.empty(len(tables)), np.empty(len(tables))
    for fold in range(N_FOLDS):
        out = folds == fold
        gate = train_doubt(
            winners.features[~out & tells], ~clustered[~out & tells], gate_weights[~out & tells]
        )
        sure = train_doubt(winners.features[~out], right[~out], sure_weights[~out])
        no_clusters[out] = logistic(predict(gate, winners.features[out]))
        raw[out] = logistic(predict(sure, winners.features[out]))
    threshold = gate_threshold(no_clusters, clustered, [table.kind for table in tables])
    passed = no_clusters < threshold
    confidence = np.empty(len(tables))
    for fold in range(N_FOLDS):
        out = folds == fold
        confidence[out] = np.interp(raw[out], *_curve_of(raw, right, passed, ~out))

    report("final models on all kinds")
    curve = _curve_of(raw, right, passed, np.ones(len(tables), dtype=bool))
    arrays = {
        "version": np.array(VERSION),
        **arrays_of("ranker", train_ranker(tables, relative)),
        **arrays_of("gate", train_doubt(winners.features[tells], ~clustered[tells],
                                        gate_weights[tells])),
        **arrays_of("confidence", train_doubt(winners.features, right, sure_weights)),
        "gate_threshold": np.array(threshold),
        "curve_from": curve[0],
        "curve_to": curve[1],
    }  # fmt: skip
    return Trained(arrays, winners, no_clusters, confidence)
