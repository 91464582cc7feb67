"""Fit the small judge of mixed tables on the synthetic world, with whole kinds left out.

    python -m bench.mixed.training            # evidence of missing tables, then the fit
    python -m bench.mixed.training --show     # the fit alone

Evidence is appended to bench/results/mixed_world.jsonl, one row per table. Tables of the first
seeds have no gaps, and the numbers are fitted on them. Tables of later seeds have gaps (`--seeds 4
5 6`): they are a test, and show whether a fit on both would choose other clusterings. The weights
are those under which the expected adjusted Rand index is largest, if a candidate is taken with a
probability that grows by e per unit of score; the confidence is a logistic regression on winners of
kinds left out. Printed are the numbers for `weft.auto.source_judge`, and how well they do on kinds
left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import adjusted_rand_score

from bench.harness import places, records
from bench.mixed.world import WORLDS, draw
from weft.auto.source_family import LEAST_STABLE, SourceCandidate, source_candidates
from weft.auto.source_judge import (
    SCORE,
    confidence_features,
    cost_of_clumps,
    ranked,
    score_features,
)
from weft.auto.source_rest import remaining_clumps
from weft.columns.mixed import screen
from weft.columns.source import MixedTable
from weft.parallel.blas import one_blas_thread
from weft.tables.tails import tail_scale

RESULTS = places.RESULTS / "mixed_world.jsonl"
N_SEEDS = 4  # seeds that the numbers are fitted on; later ones have gaps
MOST_NUMBERS = 4  # of clusters per table whose clusters are examined
RIGHT = 0.8  # adjusted Rand index of an answer that is right
SCORE_DECAY, CONFIDENCE_DECAY = 0.01, 0.002


def cells(seeds: list[int]) -> Iterator[dict[str, Any]]:
    """Return the tables, seed after seed."""
    for seed in seeds:
        for kind in WORLDS:
            yield {"kind": kind, "seed": seed}


def evaluate(*, kind: str, seed: int) -> dict[str, Any]:
    """Return the evidence of a table's candidates and how right each is."""
    data = draw(kind, seed)
    table = _bent(data.table)
    found = screen(table, 0.05, np.random.default_rng(0))
    clumped = bool(found.kept.sum() >= 2)
    kept = found.kept if clumped else found.dependent
    row: dict[str, Any] = {"clumped": clumped, "n_clusters": int(data.labels.max()) + 1}
    if kept.sum() < 2:
        return {**row, "candidates": []}
    used = table.take_columns(np.flatnonzero(kept))
    rng = np.random.default_rng(1)
    with one_blas_thread():
        made = source_candidates(used, low=2, high=None, with_classes=clumped, rng=rng)
        if clumped:
            made = _looked_into(made, used)
    return {**row, "candidates": [_measured(each, data.labels) for each in made]}


def _looked_into(made: list[SourceCandidate], table: MixedTable) -> list[SourceCandidate]:
    """Return candidates with the clumps that remain; those of one number share the best one's.

    Numbers that were not examined have at least the clumps of larger ones, as in
    `weft.auto.source_rest.look_into_clusters`.
    """
    best: dict[int, float] = {}
    for each in ranked(made):
        if each.n_clusters not in best and len(best) < MOST_NUMBERS:
            rng = np.random.default_rng(2)
            best[each.n_clusters] = remaining_clumps(each.labels, table, rng)
    for count in {each.n_clusters for each in made} - set(best):
        finer = [remaining for number, remaining in best.items() if number > count]
        best[count] = max(finer, default=0.0)
    return [each._replace(remaining=best[each.n_clusters]) for each in made]


def _measured(candidate: SourceCandidate, labels: np.ndarray) -> dict[str, Any]:
    return {
        "score": score_features(candidate).round(5).tolist(),
        "confidence": confidence_features(candidate).round(5).tolist(),
        "remaining": round(candidate.remaining, 3),
        "n_clusters": candidate.n_clusters,
        "ari": round(float(adjusted_rand_score(labels, candidate.labels)), 5),
    }


def _bent(table: MixedTable) -> MixedTable:
    """Return the table with heavy-tailed columns on their curve, as raw tables are read."""
    values = table.values.copy()
    for column in table.used:
        if column.measures == ("number",) and column.kind != "ordered":
            place = column.positions[0]
            scale = tail_scale(values[:, place])
            if scale is not None:
                values[:, place] = np.log1p(values[:, place] / scale)
    return MixedTable(values, table.columns)


Tables = list[tuple[str, dict[str, Any]]]


def fit_score(tables: Tables) -> np.ndarray:
    """Return the weights under which the expected adjusted Rand index is largest."""
    most = max(len(row["candidates"]) for _, row in tables)
    X = np.zeros((len(tables), most, len(SCORE)))
    right = np.zeros((len(tables), most))
    absent = np.full((len(tables), most), -1e9)
    for number, (_, row) in enumerate(tables):
        count = len(row["candidates"])
        X[number, :count] = [each["score"] for each in row["candidates"]]
        right[number, :count] = [each["ari"] for each in row["candidates"]]
        absent[number, :count] = 0.0

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        z = X @ weights + absent
        chance = np.exp(z - z.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        expected = (chance * right).sum(axis=1)
        slope = np.einsum("nm,nmk->k", chance * (right - expected[:, None]), X) / len(tables)
        decay = SCORE_DECAY / len(weights)
        return -expected.mean() + decay * weights @ weights, -slope + 2.0 * decay * weights

    first = np.zeros(len(SCORE))
    first[0] = 5.0  # stability alone
    return minimize(loss, first, jac=True, method="L-BFGS-B", options={"maxiter": 300}).x


def fit_confidence(X: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the coefficients of a logistic regression."""

    def loss(b: np.ndarray) -> float:
        return float(
            (np.logaddexp(0.0, X @ b) - right * (X @ b)).mean()
        ) + CONFIDENCE_DECAY * float(b[1:] @ b[1:])

    return minimize(loss, np.zeros(X.shape[1])).x


def _allowed(row: dict[str, Any]) -> dict[str, Any]:
    """Return a table with the candidates that halves of its rows agree on, if there are any."""
    stable = [each for each in row["candidates"] if each["score"][0] >= LEAST_STABLE]
    return {**row, "candidates": stable or row["candidates"]}


def winner(row: dict[str, Any], weights: np.ndarray) -> dict[str, Any]:
    """Return the candidate that a table gets."""
    made = row["candidates"]
    scores = [float(np.dot(e["score"], weights)) - cost_of_clumps(e["remaining"]) for e in made]
    return made[int(np.argmax(scores))]


def show(rows: list[dict[str, Any]]) -> None:
    """Fit, and print the numbers and how well they do on kinds left out."""
    later = _clustered([row for row in rows if row["cell"]["seed"] >= N_SEEDS])
    rows = [row for row in rows if row["cell"]["seed"] < N_SEEDS]
    tables = [(row["cell"]["kind"], _allowed(row)) for row in rows if row["candidates"]]
    clumped = [(kind, row) for kind, row in tables if row["clumped"]]
    true = _clustered(rows)
    found, told, best = [], [], []
    for kind in sorted({kind for kind, _ in clumped}):
        weights = fit_score([each for each in true if each[0] != kind])
        for own, row in clumped:
            if own != kind:
                continue
            found.append((kind, winner(row, weights), row["n_clusters"] > 1))
            if row["n_clusters"] > 1:
                best.append(max(each["ari"] for each in row["candidates"]))
                told.extend(_told(row, weights))
    aris = [each["ari"] for _, each, has in found if has]
    print(f"{len(rows)} tables, {len(true)} with clusters that screening found")
    print(
        f"kinds left out: {np.mean(aris):.3f}; told K {np.mean(told):.3f}; best {np.mean(best):.3f}"
    )
    lost = sum(row["n_clusters"] == 1 for _, row in clumped)
    print(f"tables without clusters called clustered: {lost} of "
          f"{sum(row['n_clusters'] == 1 for row in rows)}")  # fmt: skip
    X = np.array([each["confidence"] for _, each, _ in found])
    right = np.array([has and each["ari"] >= RIGHT for _, each, has in found], dtype=float)
    kinds = np.array([kind for kind, _, _ in found])
    said = np.zeros(len(right))
    for kind in np.unique(kinds):
        b = fit_confidence(X[kinds != kind], right[kinds != kind])
        said[kinds == kind] = 1.0 / (1.0 + np.exp(-X[kinds == kind] @ b))
    for low, high in ((0.0, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 1.01)):
        own = (said >= low) & (said < high)
        if own.any():
            print(f"confidence {low} to {min(high, 1.0)}: {own.sum()} answers, said "
                  f"{said[own].mean():.2f}, right {right[own].mean():.2f}")  # fmt: skip
    print("SCORE =", tuple(fit_score(true).round(2).tolist()))
    print("CONFIDENCE =", tuple(fit_confidence(X, right).round(2).tolist()))
    if later:
        _show_gaps(true, later)


def _clustered(rows: list[dict[str, Any]]) -> Tables:
    """Return the tables with clusters that screening found."""
    clumped = [row for row in rows if row["clumped"] and row["n_clusters"] > 1]
    return [(row["cell"]["kind"], _allowed(row)) for row in clumped]


def _told(row: dict[str, Any], weights: np.ndarray) -> list[float]:
    """Return the adjusted Rand index with K given; empty if no candidate has K clusters."""
    same = [each for each in row["candidates"] if each["n_clusters"] == row["n_clusters"]]
    return [winner({"candidates": same}, weights)["ari"]] if same else []


def _show_gaps(true: Tables, later: Tables) -> None:
    """Print how well tables with gaps do on kinds left out, if they are in the fit and if not."""
    best = [max(each["ari"] for each in row["candidates"]) for _, row in later]
    print(
        f"{len(later)} tables with gaps and clusters that screening found; best {np.mean(best):.3f}"
    )
    for name, tables in (("without them", true), ("with them", true + later)):
        found, told = [], []
        for kind in sorted({kind for kind, _ in later}):
            weights = fit_score([each for each in tables if each[0] != kind])
            for own, row in later:
                if own == kind:
                    found.append(winner(row, weights)["ari"])
                    told.extend(_told(row, weights))
        print(f"fit {name}: kinds left out {np.mean(found):.3f}; told K {np.mean(told):.3f}")


def main() -> None:
    """Run what is missing, then fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--seeds", type=int, nargs="*", default=list(range(N_SEEDS)))
    arguments = parser.parse_args()
    if not arguments.show:
        records.run(RESULTS, cells(arguments.seeds), evaluate)
    show(records.load(RESULTS))


if __name__ == "__main__":
    main()
