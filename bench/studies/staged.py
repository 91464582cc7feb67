"""Tables 2 and 3 of Lensen, Xue and Zhang, printed numbers beside ours.

    WEFT_DATA=... python -m bench.studies.staged [--runs 10] [--sets iris wine ...] [--speed]

Every finished run is appended to the results file at once; started again, the command goes on
where it was. Internal measures are taken on all features, scaled to [0, 1].
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import zlib
from functools import cache
from pathlib import Path

import numpy as np
from scipy.stats import norm
from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances_argmin

from bench.harness import places, records
from weft import StagedSwarm
from weft.methods.staged.estimate import estimate_n_clusters, largest_number
from weft.methods.staged.objectives import MedoidObjective, Terms
from weft.metrics import pair_f1, purity, scatter_trace, sum_intra
from weft.search.optimize import optimize
from weft.search.swarms.base import Evaluation
from weft.search.swarms.standard import StandardPSO

FILES = {
    "iris": "iris",
    "wine": "wine",
    "libras": "movement_libras",
    "breast": "breast_cancer_wisconsin_683",
    "segment": "segment",
    "dermatology": "dermatology_358",
    "10d10c": "handl_10d-10c-no0",
    "10d20c": "handl_10d-20c_full-precision",
    "10d40c": "handl_10d-40c_full-precision",
}
# method -> settings of StagedSwarm; the two kinds of k-means have none
METHODS = {
    "2-stage linear": {"feature_term": "linear"},
    "2-stage elliptical": {},
    "3-stage": {"stages": 3},
    "k_est-means": None,
    "k-means": None,
    "D-PSO": {"stages": 1},
    "2-stage + Lloyd": {"polish": "lloyd"},
    "2-stage + prune": {"polish": "prune"},
}
COLUMNS = ("features", "K", "scatter", "intra", "purity", "F")
# Tables 2 and 3: features, K, scatter, sum of intra-cluster distances, purity, F-measure.
PRINTED = {
    "iris": {
        "2-stage linear": (1, 3, 26.78, 29.99, 0.9436, 0.8962),
        "2-stage elliptical": (1, 3, 27.4, 29.96, 0.9493, 0.9055),
        "3-stage": (1, 3, 26.9, 29.99, 0.9449, 0.898),
        "k_est-means": (4, 2, 9.8, 37.23, 0.6667, 0.7462),
        "k-means": (4, 3, 16.37, 30.58, 0.8404, 0.7751),
        "D-PSO": (1, 3.6, 35.03, 28.29, 0.9191, 0.8229),
    },
    "wine": {
        "2-stage linear": (2.27, 3.37, 12.53, 89.28, 0.9161, 0.8152),
        "2-stage elliptical": (3.57, 3.4, 13.96, 88.14, 0.9418, 0.8523),
        "3-stage": (3.67, 3.4, 14.55, 87.67, 0.9541, 0.8749),
        "k_est-means": (13, 2, 4.92, 104.2, 0.6073, 0.6357),
        "k-means": (13, 3, 12.68, 88.75, 0.9464, 0.8947),
        "D-PSO": (2.27, 3, 11.14, 90.26, 0.9167, 0.8414),
    },
    "libras": {
        "2-stage linear": (14.5, 17.77, 45.62, 388.1, 0.5017, 0.3423),
        "2-stage elliptical": (26.7, 17.9, 47.14, 383.9, 0.5005, 0.3501),
        "3-stage": (26.5, 17.73, 49.01, 380.0, 0.5012, 0.3596),
        "k_est-means": (90, 12.27, 31.28, 434.6, 0.4226, 0.3278),
        "k-means": (90, 15, 39.01, 409.4, 0.4705, 0.347),
        "D-PSO": (12.5, 6.13, 15.21, 515.6, 0.2859, 0.2518),
    },
    "breast": {
        "2-stage linear": (1.53, 2, 6.062, 344.2, 0.9407, 0.8994),
        "2-stage elliptical": (2.5, 2, 7.547, 335.6, 0.9571, 0.9251),
        "3-stage": (2.43, 2, 7.807, 334.7, 0.9573, 0.9254),
        "k_est-means": (9, 2, 8.2, 332.0, 0.9609, 0.9313),
        "k-means": (9, 2, 8.211, 332.0, 0.9611, 0.9316),
        "D-PSO": (1.6, 2.7, 10.17, 331.0, 0.9441, 0.8744),
    },
    "segment": {
        "2-stage linear": (1.33, 3, 19.33, 1245.0, 0.4251, 0.4536),
        "2-stage elliptical": (2.13, 3, 19.18, 1242.0, 0.4275, 0.4583),
        "3-stage": (1.8, 3, 19.36, 1241.0, 0.4276, 0.4595),
        "k_est-means": (18, 2, 4.063, 1482.0, 0.2857, 0.3362),
        "k-means": (18, 7, 60.86, 898.3, 0.6426, 0.5583),
        "D-PSO": (2.23, 5.23, 63.53, 984.4, 0.6089, 0.5725),
    },
    "dermatology": {
        "2-stage linear": (4.53, 3.97, 68.03, 405.5, 0.7837, 0.7886),
        "2-stage elliptical": (7.13, 4, 79.26, 401.6, 0.8025, 0.8206),
        "3-stage": (7.07, 4, 81.22, 400.9, 0.8083, 0.8311),
        "k_est-means": (34, 2.73, 55.69, 457.3, 0.612, 0.6113),
        "k-means": (34, 6, 93.58, 387.6, 0.8278, 0.7351),
        "D-PSO": (4.37, 3.8, 68.77, 409.4, 0.7602, 0.7587),
    },
    "10d10c": {
        "2-stage linear": (3.63, 8.97, 15.04, 782.6, 0.8051, 0.763),
        "2-stage elliptical": (4.93, 9.57, 15.63, 750.0, 0.8604, 0.8196),
        "3-stage": (4.9, 9.07, 16.11, 739.9, 0.8872, 0.8678),
        "k_est-means": (10, 5.43, 11.49, 815.9, 0.7743, 0.7786),
        "k-means": (10, 10, 17.7, 715.7, 0.9175, 0.833),
        "D-PSO": (3.3, 6.97, 12.63, 817.7, 0.7718, 0.7481),
    },
    "10d20c": {
        "2-stage linear": (5.07, 20.1, 75.32, 226.9, 0.9587, 0.9408),
        "2-stage elliptical": (6.1, 20.17, 85.2, 216.8, 0.9828, 0.9721),
        "3-stage": (6.07, 20, 90.17, 213.3, 0.9953, 0.9928),
        "k_est-means": (10, 15.13, 53.31, 292.7, 0.7907, 0.7651),
        "k-means": (10, 20, 70.02, 248.5, 0.8887, 0.8218),
        "D-PSO": (4.4, 14.7, 51.65, 282.7, 0.8249, 0.8305),
    },
    "10d40c": {
        "2-stage linear": (5.47, 39.73, 67.26, 452.0, 0.9182, 0.8699),
        "2-stage elliptical": (6.87, 39.7, 78.29, 417.3, 0.9615, 0.9437),
        "3-stage": (6.87, 40.1, 85.66, 402.9, 0.9824, 0.97),
        "k_est-means": (10, 29.83, 55.58, 499.9, 0.8385, 0.8234),
        "k-means": (10, 40, 74.5, 433.7, 0.9219, 0.8657),
        "D-PSO": (3.83, 15.6, 27.08, 756.4, 0.5692, 0.5477),
    },
}
# Print gives means of 30 runs and no spread: ours stands in for it, with a floor for rounding and
# for sets where every run of ours comes out the same.
FLOORS = {"features": 0.5, "K": 0.25, "purity": 0.01, "F": 0.01}
PRINTED_RUNS = 30


@cache
def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns scaled to [0, 1], constant ones left out, and the classes."""
    folder = Path(os.environ["WEFT_DATA"])
    table = np.genfromtxt(folder / f"{FILES[name]}.csv", delimiter=",", skip_header=1, dtype=str)
    X, y = table[:, :-1].astype(np.float64), np.unique(table[:, -1], return_inverse=True)[1]
    span = np.ptp(X, axis=0)
    X = X[:, span > 0]
    return np.ascontiguousarray((X - X.min(axis=0)) / np.ptp(X, axis=0)), y


def seed_of(*identity: object) -> int:
    """Return a seed that depends on what is run, not on when."""
    return zlib.crc32(repr(identity).encode())


def measure(X: np.ndarray, y: np.ndarray, labels: np.ndarray, n_features: int) -> dict:
    """Return one row of the table."""
    return {
        "features": n_features,
        "K": len(np.unique(labels)),
        "scatter": scatter_trace(X, labels),
        "intra": sum_intra(X, labels),
        "purity": purity(y, labels, average="row"),
        "F": pair_f1(y, labels),
    }


@cache
def estimate_of(name: str, run: int) -> int:
    """Return K_est, the same for all methods of a run."""
    X, _ = load(name)
    rng = np.random.default_rng(seed_of("estimate", name, run))
    most = largest_number(len(X))
    return estimate_n_clusters(X, n_estimates=30, max_clusters=most, rng=rng).n_clusters


def evaluate(name: str, method: str, run: int) -> dict:
    """Run one method once."""
    X, y = load(name)
    settings = METHODS[method]
    seed = seed_of("staged", name, run) % 2**31  # the same for all methods: the same start
    k_est = None if method in ("k-means", "D-PSO") else estimate_of(name, run)
    began = time.perf_counter()
    if settings is None:
        k = k_est or len(np.unique(y))
        model = KMeans(k, init="random", n_init=1, max_iter=500, random_state=seed).fit(X)
        row = measure(X, y, model.labels_, X.shape[1])
    else:
        model = StagedSwarm(random_state=seed, n_clusters_estimate=k_est, **settings).fit(X)
        row = measure(X, y, model.labels_, int(model.get_support().sum()))
    return {"k_est": k_est, "seconds": time.perf_counter() - began, **row}


def show(rows: list[dict], write) -> None:
    """Write the tables and the verdicts."""
    within_all = []
    for name in FILES:
        ours = [row for row in rows if row["cell"]["name"] == name]
        if not ours:
            continue
        write(f"\n{name}" + " " * (21 - len(name)) + "".join(f"{c:>17}" for c in COLUMNS) + "  n\n")
        for method in METHODS:
            runs = [row for row in ours if row["cell"]["method"] == method]
            if not runs:
                continue
            values = {c: np.array([row[c] for row in runs], dtype=float) for c in COLUMNS}
            printed = PRINTED[name].get(method)
            cells = "".join(f"{values[c].mean():8.3f} ±{values[c].std():7.3f}" for c in COLUMNS)
            write(f"{method:<21}{cells}{len(runs):3d}\n")
            if printed is not None:
                write(" " * 13 + "printed " + "".join(f"{p:8g}" + " " * 9 for p in printed) + "\n")
            if method == "2-stage elliptical":
                verdict = judge(values, dict(zip(COLUMNS, printed, strict=True)), len(runs))
                within_all.append((name, verdict))
    write("\n2-stage elliptical: difference from print (its standard error); * beyond two\n")
    for name, verdict in within_all:
        cells = "  ".join(
            f"{c} {d:+.3f} ({e:.3f}{'*' if abs(d) > max(2 * e, FLOORS[c]) else ''})"
            for c, (d, e) in verdict.items()
        )
        write(f"{name:<12} {'within ' if is_within(verdict) else 'OUTSIDE'}  {cells}\n")
    strict = sum(is_within(verdict, 2.0) for _, verdict in within_all)
    count = sum(is_within(verdict) for _, verdict in within_all)
    write(f"within two standard errors in every column: {strict} of {len(within_all)}\n")
    write(f"within print's noise (95 %, four columns together): {count} of {len(within_all)}\n")


def judge(values: dict, printed: dict, n_runs: int) -> dict:
    """Return difference from print and its standard error, of each column."""
    verdict = {}
    for column in FLOORS:
        error = values[column].std(ddof=1) * np.sqrt(1 / n_runs + 1 / PRINTED_RUNS)
        verdict[column] = (values[column].mean() - printed[column], error)
    return verdict


def is_within(verdict: dict, width: float | None = None) -> bool:
    """Whether every column is as near to print as its noise allows.

    Four columns are judged at once: each gets a quarter of the 5 %.
    """
    if width is None:
        width = float(norm.ppf(1 - 0.05 / (2 * len(verdict))))
    return all(
        abs(difference) <= max(width * error, FLOORS[column])
        for column, (difference, error) in verdict.items()
    )


class LoopObjective:
    """The same search with a Python loop over particles: what a straightforward program does."""

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
    X, _ = load("10d20c")
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
        if n_threads > 1:
            with search:
                best = optimize(
                    search, swarm, start, n_generations=500, rng=np.random.default_rng(1)
                )
        else:
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
    parser.add_argument("--sets", nargs="*", default=list(FILES), choices=list(FILES))
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
