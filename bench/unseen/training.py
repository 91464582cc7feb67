"""Train the judge on the world: rankers, gate, confidence, and the curve that calibrates it.

Gate, confidence and curve learn from winners of rankers that have not seen the winner's kind of
table, in 6 folds of kinds, because the judge will meet kinds it was not trained on. Every step is
seeded and runs on one thread, so that the same world gives the same file, bit for bit.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from bench.unseen.evidence import TableEvidence
from bench.unseen.exporting import arrays_of
from bench.unseen.rankers import (
    COMMON,
    RANKER_SEEDS,
    Relative,
    mean_forest,
    mean_of,
    ranker_features,
    told_places,
    train_ranker,
    train_told,
)
from weft.auto.agreement import best_of_told, likely_candidates
from weft.auto.doubt import doubts
from weft.auto.judge import VERSION, told_features
from weft.auto.pool import by_part
from weft.auto.trees import Forest, logistic, predict

RIGHT = 0.8  # adjusted Rand index from which a partition counts as right
N_FOLDS = 6
SEEDS = (1, 2, 3, 4, 5)
FOLD_SEEDS = (1,)
# Shares of clusterless tables that may be called clustered, over kinds left out: of lumps, and of
# all. A single curve or frame is harder to distinguish from clusters than a lump. With one common
# limit such tables would determine the threshold for all tables.
LUMP_ALARMS, FALSE_ALARMS = 0.05, 0.1
# One piece, but not a lump.
SHAPED = ("uniform_shape", "one_filament", "one_long_curve", "one_ring", "bent_sheet")
# The answer is "no clusters" from this probability on. The limits allow more (`train` prints how
# much); wide tables of smooth factors and of counts need this value (decision 305). It is a fixed
# number, so that training again does not change answers near it.
THRESHOLD = 0.52
EVEN = 0.5  # confidence is calibrated on tables where clusters are the likelier
FEWEST_TO_CALIBRATE = 30
HOPELESS = 0.3  # clustered tables whose winner is below this are not used to train the gate

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
DOUBT_TREES = 200
# The gate has twice as many features (the best candidate of two representations): smaller trees.
GATE = {**DOUBT, "num_leaves": 4}
GATE_TREES = 300


class Winners(NamedTuple):
    """One row per table: the winner of a ranker that has not seen the table's kind."""

    gate: np.ndarray  # (tables, features of the gate)
    confidence: np.ndarray  # (tables, features of the confidence)
    aris: np.ndarray  # (tables,) of the winner
    best: np.ndarray  # (tables,) of the best candidate
    told: np.ndarray  # (tables,) of the winner where the true number of clusters is told


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


def train_gate(features: np.ndarray, clusterless: np.ndarray, weights: np.ndarray) -> Forest:
    """Return a classifier of tables: clustered or clusterless."""
    return _classifier(features, clusterless, weights, GATE, GATE_TREES)


def train_confidence(features: np.ndarray, right: np.ndarray, weights: np.ndarray) -> Forest:
    """Return a classifier of winners: right or wrong."""
    return _classifier(features, right, weights, DOUBT, DOUBT_TREES)


def _classifier(
    features: np.ndarray,
    truth: np.ndarray,
    weights: np.ndarray,
    settings: dict[str, Any],
    n_trees: int,
) -> Forest:
    """Return the mean of boosters over seeds."""
    import lightgbm

    data = lightgbm.Dataset(
        features.astype(np.float32), truth.astype(int), weight=weights, params=settings
    )
    boosters = [
        lightgbm.train({**settings, "seed": seed, "data_random_seed": 1}, data, n_trees)
        for seed in SEEDS
    ]
    return mean_of(boosters)


def winner_row(
    table: TableEvidence, ranker: Forest, told: Forest, relative: Relative
) -> tuple[np.ndarray, np.ndarray, float, float, float]:
    """Return the fields of `Winners` for one table."""
    features = ranker_features(table, relative)
    scores = predict(ranker, features)
    pool = table.pool()
    likely = likely_candidates(scores, pool.labels, pool.part_of)
    winner = likely.best()
    asked = doubts(features, scores, pool, likely, winner)
    told_ari = told_index(table, scores, told, relative)
    return asked.gate, asked.confidence, table.aris[winner], table.aris.max(), told_ari


def told_index(table: TableEvidence, scores: np.ndarray, told: Forest, relative: Relative) -> float:
    """Return the index of the told ranker's choice; NaN without a candidate of that number."""
    places = told_places(table)
    if len(places) == 0:
        return float("nan")
    pool = table.pool()
    own = pool.take(places)
    beside_all = by_part(pool.values, pool.part_of, relative)[places]
    ranks = predict(told, told_features(beside_all, own.values, own.part_of, relative))
    likely = likely_candidates(ranks, own.labels, own.part_of)
    every = likely_candidates(scores, pool.labels, pool.part_of)
    return float(table.aris[places[best_of_told(likely, own.labels, every, pool.labels)]])


def _curve_of(raw: np.ndarray, right: np.ndarray, passed: np.ndarray, known: np.ndarray):
    """Return the curve of the tables that the gate passes; of all tables if these are too few."""
    used = known & passed
    used = used if used.sum() >= FEWEST_TO_CALIBRATE else known
    return monotone_curve(raw[used], right[used])


def monotone_curve(raw: np.ndarray, truth: np.ndarray):
    """Return a monotone curve from raw probabilities to observed shares, as two arrays."""
    from sklearn.isotonic import IsotonicRegression

    model = IsotonicRegression(y_min=0.01, y_max=0.99).fit(raw, truth)
    # A few means over quantiles instead of every step, because single tables are noisy.
    grid = np.unique(np.quantile(raw, np.linspace(0, 1, 26)))
    value = np.array([model.predict(raw[(raw >= low) & (raw <= high)]).mean()
                      for low, high in pairwise(grid)])  # fmt: skip
    middle = (grid[:-1] + grid[1:]) / 2
    return middle, np.maximum.accumulate(value)


def gate_threshold(no_clusters: np.ndarray, clustered: np.ndarray, kinds: Sequence[str]) -> float:
    """Return the probability from which the answer is "no clusters", by the limits of alarms."""
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


_SHARED: list[Any] = []  # data for forked processes: tables, folds, relative


def _winners_of_fold(fold: int) -> list[tuple[np.ndarray, np.ndarray, float, float, float]]:
    tables, folds, relative = _SHARED
    others = [table for table, f in zip(tables, folds, strict=True) if f != fold]
    own = [table for table, f in zip(tables, folds, strict=True) if f == fold]
    ranker = train_ranker(others, relative, FOLD_SEEDS)
    told = train_told(others, relative, FOLD_SEEDS)
    return [winner_row(table, ranker, told, relative) for table in own]


def _ranker_of_all(seed: int) -> Forest:
    tables, _, relative = _SHARED
    return train_ranker(tables, relative, (seed,))


def leave_kinds_out(
    tables: Sequence[TableEvidence], relative: Relative, report=print, n_jobs: int = 1
) -> tuple[Winners, np.ndarray]:
    """Return the winners of rankers that have not seen the winner's kind, and the folds."""
    folds = folds_of_kinds(tables)
    _SHARED[:] = [tables, folds, relative]
    rows: list[Any] = [None] * len(tables)
    for fold, own in enumerate(_in_processes(_winners_of_fold, range(N_FOLDS), n_jobs)):
        for place, row in zip(np.flatnonzero(folds == fold), own, strict=True):
            rows[place] = row
        report(f"fold {fold + 1} of {N_FOLDS}: rankers trained without its kinds")
    return Winners(*(np.array(column) for column in zip(*rows, strict=True))), folds


def _in_processes(work: Callable[[int], Any], numbers: Iterable[int], n_jobs: int) -> Iterator[Any]:
    """Return the results of the work for each number, in their order."""
    if n_jobs == 1:
        yield from map(work, numbers)
        return
    with ProcessPoolExecutor(n_jobs, mp_context=multiprocessing.get_context("fork")) as pool:
        yield from pool.map(work, numbers)


def train(
    tables: Sequence[TableEvidence], relative: Relative, report=print, n_jobs: int = 1
) -> Trained:
    """Train everything on the evidence of the world's tables."""
    tables = [table for table in tables if len(table.aris)]
    winners, folds = leave_kinds_out(tables, relative, report, n_jobs)
    clustered = np.array([table.clustered for table in tables])
    right = clustered & (winners.aris >= RIGHT)

    tells = ~clustered | (winners.aris >= HOPELESS)
    gate_weights = _kind_weights(tables, tells)
    sure_weights = np.where(clustered, 1.0, 0.5)
    no_clusters, raw = np.empty(len(tables)), np.empty(len(tables))
    for fold in range(N_FOLDS):
        out = folds == fold
        taught = ~out & tells
        gate = train_gate(winners.gate[taught], ~clustered[taught], gate_weights[taught])
        sure = train_confidence(winners.confidence[~out], right[~out], sure_weights[~out])
        no_clusters[out] = logistic(predict(gate, winners.gate[out]))
        raw[out] = logistic(predict(sure, winners.confidence[out]))
    limit = gate_threshold(no_clusters, clustered, [table.kind for table in tables])
    report(f"the limits of false alarms allow a threshold of {limit:.3f}; {THRESHOLD} is used")
    passed = no_clusters < EVEN
    confidence = np.empty(len(tables))
    for fold in range(N_FOLDS):
        out = folds == fold
        confidence[out] = np.interp(raw[out], *_curve_of(raw, right, passed, ~out))

    report("final models on all kinds")
    rankers = list(_in_processes(_ranker_of_all, RANKER_SEEDS, n_jobs))
    curve = _curve_of(raw, right, passed, np.ones(len(tables), dtype=bool))
    arrays = {
        "version": np.array(VERSION),
        **arrays_of("ranker", mean_forest(rankers)),
        **arrays_of("told", train_told(tables, relative)),
        **arrays_of("gate", train_gate(winners.gate[tells], ~clustered[tells],
                                       gate_weights[tells])),
        **arrays_of("confidence", train_confidence(winners.confidence, right, sure_weights)),
        "gate_threshold": np.array(THRESHOLD),
        "curve_from": curve[0],
        "curve_to": curve[1],
    }  # fmt: skip
    return Trained(arrays, winners, no_clusters, confidence)
