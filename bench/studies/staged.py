"""Tables 2 and 3 of Lensen, Xue and Zhang with two polishes of our own; the speed of the search.

    WEFT_DATA=... python -m bench.studies.staged [--runs 10] [--sets iris wine ...] [--speed]

Every finished run is appended to the results file at once; run the command again to continue.
Internal measures are computed on all features, scaled to [0, 1].
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm
from sklearn.metrics import pairwise_distances_argmin

from bench.harness import data, methods, places, records
from bench.harness.study import Run, load, printed, with_preset
from bench.harness.timing import seconds
from weft.methods.staged.estimate import largest_number
from weft.methods.staged.objectives import MedoidObjective, Terms
from weft.search.optimize import optimize
from weft.search.swarms.base import Evaluation
from weft.search.swarms.standard import StandardPSO

STUDIES = ("staged-2", "staged-3")
# Sets from files, and the study of their table.
SETS = {
    name: study
    for study in STUDIES
    for name, spec in load(study).data.items()
    if "file" in spec and printed(study, "f1", data=name)
}
_POLISHED = {"preset": "2-stage-lloyd", "params": {"n_clusters_estimate": "estimate"}}
METHODS = {
    **{
        name: load("staged-2").methods[name]
        for name in (
            "2-stage linear",
            "2-stage elliptical",
            "3-stage",
            "k_est-means",
            "k-means",
            "D-PSO",
        )
    },
    "2-stage + Lloyd": with_preset(_POLISHED),
    "2-stage + prune": with_preset(
        {**_POLISHED, "params": {**_POLISHED["params"], "polish": "prune"}}
    ),
}
# Columns of the tables, and the measures they are.
COLUMNS = {
    "features": "features",
    "K": "clusters",
    "scatter": "scatter",
    "intra": "intra",
    "purity": "row purity",
    "F": "f1",
}
# The paper gives means of 30 runs and no spread: ours is used instead, with a floor for rounding
# and for sets on which all our runs give the same result.
FLOORS = {"features": 0.5, "K": 0.25, "purity": 0.01, "F": 0.01}
PRINTED_RUNS = 30


def evaluate(name: str, method: str, run: int) -> dict:
    """Run one method once."""
    of = load(SETS[name])
    X, y = data.load(of.data[name], 0)
    seed = of.seed(Run(name, 0, method, run))  # the same for all methods: the same start
    at = methods.Setting(X, y, seed, of.paper, name, run, of.data[name], tuple(COLUMNS.values()))
    estimated = "estimate" in METHODS[method]["params"].values()
    k_est = methods.estimate(of.paper, name, run, at) if estimated else None
    found: dict[str, Any] = {}
    taken = seconds(lambda: found.update(methods.run(METHODS[method], at)))
    row = {column: found[measure] for column, measure in COLUMNS.items()}
    return {"k_est": k_est, "seconds": taken, **row}


def printed_row(name: str, method: str) -> dict[str, float]:
    """Return the printed numbers of a method on a set, by column; empty for our own methods."""
    values = {
        column: printed(SETS[name], measure, method, name) for column, measure in COLUMNS.items()
    }
    return {column: found[0] for column, found in values.items() if found}


def show(rows: list[dict], write) -> None:
    """Write the tables and the verdicts."""
    within_all = []
    for name in SETS:
        ours = [row for row in rows if row["cell"]["name"] == name]
        if not ours:
            continue
        write(f"\n{name}" + " " * (21 - len(name)) + "".join(f"{c:>17}" for c in COLUMNS) + "  n\n")
        for method in METHODS:
            runs = [row for row in ours if row["cell"]["method"] == method]
            if not runs:
                continue
            values = {c: np.array([row[c] for row in runs], dtype=float) for c in COLUMNS}
            told = printed_row(name, method)
            cells = "".join(f"{values[c].mean():8.3f} ±{values[c].std():7.3f}" for c in COLUMNS)
            write(f"{method:<21}{cells}{len(runs):3d}\n")
            if told:
                write(" " * 13 + "printed " + "".join(f"{told[c]:8g}" + " " * 9 for c in COLUMNS))
                write("\n")
            if method == "2-stage elliptical":
                within_all.append((name, judge(values, told, len(runs))))
    write("\n2-stage elliptical: difference from the paper (its standard error); * beyond two\n")
    for name, verdict in within_all:
        cells = "  ".join(
            f"{c} {d:+.3f} ({e:.3f}{'*' if abs(d) > max(2 * e, FLOORS[c]) else ''})"
            for c, (d, e) in verdict.items()
        )
        write(f"{name:<12} {'within ' if is_within(verdict) else 'OUTSIDE'}  {cells}\n")
    strict = sum(is_within(verdict, 2.0) for _, verdict in within_all)
    count = sum(is_within(verdict) for _, verdict in within_all)
    write(f"within two standard errors in every column: {strict} of {len(within_all)}\n")
    write(f"within the paper's noise (95 %, four columns together): {count} of {len(within_all)}\n")


def judge(values: dict, told: dict[str, float], n_runs: int) -> dict:
    """Return difference from the paper and its standard error, of each column."""
    verdict = {}
    for column in FLOORS:
        error = values[column].std(ddof=1) * np.sqrt(1 / n_runs + 1 / PRINTED_RUNS)
        verdict[column] = (values[column].mean() - told[column], error)
    return verdict


def is_within(verdict: dict, width: float | None = None) -> bool:
    """Return whether every column agrees with the printed value within its noise.

    Four columns are judged at once: each gets a quarter of the 5 %.
    """
    if width is None:
        width = float(norm.ppf(1 - 0.05 / (2 * len(verdict))))
    return all(
        abs(difference) <= max(width * error, FLOORS[column])
        for column, (difference, error) in verdict.items()
    )


class LoopObjective:
    """The same search with a Python loop over particles, as in a straightforward program."""

    def __init__(self, X: np.ndarray, terms: Terms) -> None:
        self.X, self.terms = X, terms

    def __call__(self, positions: np.ndarray) -> Evaluation:
        fitness = np.zeros(len(positions))
        n_rows, n_features = self.X.shape
        for p, position in enumerate(positions):
            features = np.flatnonzero(position[:n_features] >= 0)
            medoids = np.flatnonzero(position[n_features:-1] > position[-1])
            if len(features) == 0 or not 2 <= len(medoids) <= self.terms.max_clusters:
                continue
            chosen = self.X[:, features]
            labels = pairwise_distances_argmin(chosen, chosen[medoids])
            within = between = 0.0
            clusters = np.unique(labels)
            center = self.X.mean(axis=0)
            for cluster in clusters:
                rows = self.X[labels == cluster]
                mean = rows.mean(axis=0)
                within += ((rows - mean) ** 2).sum() / n_rows
                between += len(rows) / n_rows * ((mean - center) ** 2).sum()
            m, used, k = n_features, len(features), len(medoids)
            sigma = self.terms.k_estimate / 1.5
            k_term = np.exp(-((k - self.terms.k_estimate) ** 2) / (2 * sigma**2))
            fitness[p] = between / within * np.sqrt(m * m - used * used) / m * k_term
        return Evaluation(fitness)


def speed(write) -> None:
    """Time 100 × 500 on 10d20c, ours and the Python loop, from the same start."""
    X, _ = data.load(load("staged-3").data["10d20c"], 0)
    X = np.ascontiguousarray(X - X.mean(axis=0))
    terms = Terms(len(X), 10, float((X**2).sum() / len(X)), largest_number(len(X)), k_estimate=16)
    objective = MedoidObjective(X, terms)
    start = objective.initial(np.random.default_rng(0), 100)
    objective(start)  # compiled
    swarm = StandardPSO()
    optimize(objective, swarm, start, n_generations=2, rng=np.random.default_rng(0))
    times = {}
    for name, search, n_threads in (
        ("weft, 1 thread", objective, 1),
        ("weft, 2 threads", MedoidObjective(X, terms, n_threads=2), 2),
        ("Python loop", LoopObjective(X, terms), 1),
    ):
        began = time.perf_counter()
        with search if n_threads > 1 else nullcontext():
            best = optimize(search, swarm, start, n_generations=500, rng=np.random.default_rng(1))
        times[name] = time.perf_counter() - began
        write(f"{name:<16} {times[name]:8.2f} s   fitness {best.fitness:.12g}\n")
    loop = times["Python loop"]
    write(f"ratio: {loop / times['weft, 1 thread']:.1f}, with 2 threads ")
    write(f"{loop / times['weft, 2 threads']:.1f}\n")


def main() -> None:
    """Run, then show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS))
    parser.add_argument("--out", type=Path, default=places.RESULTS / "staged.jsonl")
    parser.add_argument("--speed", action="store_true", help="time the search instead")
    parser.add_argument("--show", action="store_true", help="only show what is there")
    arguments = parser.parse_args()
    if "WEFT_DATA" not in os.environ and not arguments.show:
        raise SystemExit("WEFT_DATA is not set; point it at the folder with the data sets.")
    if arguments.speed:
        speed(sys.stdout.write)
        return
    cells = [
        {"name": name, "method": method, "run": run}
        for name in arguments.sets
        for run in range(arguments.runs)
        for method in METHODS
    ]
    if arguments.show:
        rows = records.load(arguments.out)
    else:
        rows = records.run(arguments.out, cells, evaluate)
    show(rows, sys.stdout.write)


if __name__ == "__main__":
    main()
