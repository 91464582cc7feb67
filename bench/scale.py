"""Rows that do not fit in memory, workers in other processes: what they cost, measured.

    python -m bench.scale rows --exponent 1.5      10,000,000 rows in blocks on 2 processes
    python -m bench.scale million --exponent 1.5   the first million in blocks and in memory
    python -m bench.scale swarm --clusterer knn    FeatureSwarm(max_samples=3000) on 1,000,000 rows
    python -m bench.scale small --clusterer knn    FeatureSwarm on 10,000 rows, all of them
                         --clusterer robust        the same from screened columns, no K given
                         --reach 10                groups as far apart as make_blobs has them
    python -m bench.scale bits                     threads, processes, Dask, a killed worker, Ray
    python -m bench.scale overhead [--rounds 3]    Dask beside threads, 900 evaluations

Each prints what it found and appends one line to bench/results/scale.jsonl. Memory is the resident
memory of this process and all its children, looked at ten times a second: pages that processes
share are counted for each. `load` is the machine's load average at the end: where it is above the
number of cores, wall times are those of a busy machine.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import tempfile
import threading
import time
import warnings
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dask.array as da
import joblib
import numpy as np
import psutil
from dask.distributed import Client, LocalCluster
from scipy.optimize import linear_sum_assignment

from weft import FeatureSwarm, WeightedKMeans
from weft.metrics import pair_f

RESULTS = Path(__file__).parent / "results" / "scale.jsonl"
N_GROUPS, N_TRUE, N_NOISE = 5, 10, 10
BLOCK_ROWS = 250_000


class Peak:
    """The largest resident memory of this process and its children while the block runs."""

    def __enter__(self) -> Peak:
        self.bytes = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        me = psutil.Process()
        while not self._over.wait(0.1):
            total = 0
            for process in [me, *me.children(recursive=True)]:
                try:
                    total += process.memory_info().rss
                except psutil.Error:
                    continue
            self.bytes = max(self.bytes, total)


def cluster_of(n_workers: int) -> LocalCluster:
    return LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0")


def block(number: int, n_rows: int) -> np.ndarray:
    """Some rows of five groups in ten columns, beside ten of noise, all of about unit variance."""
    rng = np.random.default_rng([7, number])
    centers = np.random.default_rng(7).uniform(-3, 3, size=(N_GROUPS, N_TRUE))
    rows = rng.standard_normal((n_rows, N_TRUE + N_NOISE), dtype=np.float32)
    rows[:, :N_TRUE] += centers[rng.integers(N_GROUPS, size=n_rows)].astype(np.float32)
    rows[:, :N_TRUE] /= 2.0
    return rows


def table(n_rows: int) -> da.Array:
    """The whole table, made block by block whenever somebody asks."""
    sizes = [BLOCK_ROWS] * (n_rows // BLOCK_ROWS)
    chunks = (tuple(sizes), (N_TRUE + N_NOISE,))

    def make(block_info: Any = None) -> np.ndarray:
        return block(block_info[None]["chunk-location"][0], BLOCK_ROWS)

    return da.map_blocks(make, chunks=chunks, dtype=np.float32, meta=np.empty((0, 0), np.float32))


def apart(found: np.ndarray, wanted: np.ndarray) -> float:
    """The largest difference between centres, each matched with its like."""
    gaps = np.abs(found[:, None] - wanted[None]).max(axis=2)
    pairs = linear_sum_assignment(gaps)
    return float(gaps[pairs].max())


def run_rows(n_rows: int, exponent: float) -> dict[str, Any]:
    """Fit a table that is never whole in memory, and write its labels."""
    model = WeightedKMeans(N_GROUPS, distance_exponent=exponent)
    with Peak() as peak, tempfile.TemporaryDirectory() as folder:
        with cluster_of(2) as cluster, Client(cluster):
            began = time.perf_counter()
            model.fit(table(n_rows))
            fitted = time.perf_counter()
            da.to_npy_stack(folder, model.labels_)
            written = time.perf_counter()
        files = sorted(Path(folder).glob("[0-9]*.npy"))
        counts = sum(np.bincount(np.load(file), minlength=N_GROUPS) for file in files)
    return {
        "rows": n_rows,
        "columns": N_TRUE + N_NOISE,
        "clusters": N_GROUPS,
        "exponent": exponent,
        "fit_s": round(fitted - began, 1),
        "labels_s": round(written - fitted, 1),
        "peak_GB": round(peak.bytes / 1e9, 2),
        "n_iter": model.n_iter_,
        "label_files": len(files),
        "sizes": [int(count) for count in counts],
        "noise_weight": float(model.feature_weights_[N_TRUE:].sum()),
    }


def run_million(n_rows: int, exponent: float) -> dict[str, Any]:
    """The first rows block by block and in memory, from the same start and from their own."""
    start = block(0, N_GROUPS * 20).astype(np.float64).reshape(N_GROUPS, 20, -1).mean(axis=1)
    make = partial(WeightedKMeans, distance_exponent=exponent)
    with cluster_of(2) as cluster, Client(cluster):
        lazy = make(init=start).fit(table(n_rows))
        lazy_own = make(N_GROUPS).fit(table(n_rows))
        labels = lazy.labels_.compute()
    rows = table(n_rows).compute(scheduler="synchronous")
    memory = make(init=start).fit(rows)
    memory_own = make(N_GROUPS).fit(rows)
    return {
        "rows": n_rows,
        "exponent": exponent,
        "apart_same_start": apart(lazy.cluster_centers_, memory.cluster_centers_),
        "labels_differ_same_start": int((labels != memory.labels_).sum()),
        "n_iter_same_start": [lazy.n_iter_, memory.n_iter_],
        "apart_own_start": apart(lazy_own.cluster_centers_, memory_own.cluster_centers_),
    }


def swarm_rows(n_rows: int, seed: int = 11, reach: float = 3.0) -> tuple[np.ndarray, np.ndarray]:
    """Six groups in 25 columns, beside 25 columns of noise, all of about unit variance.

    The groups' centres are uniform in [-reach, reach], around each the rows have variance 1, before
    all is brought to unit variance. scikit-learn's `make_blobs` has 10.
    """
    rng = np.random.default_rng(seed)
    centers = np.random.default_rng(5).uniform(-reach, reach, size=(6, 25))
    deviation = np.float32(np.sqrt(reach**2 / 3.0 + 1.0))
    truth = rng.integers(6, size=n_rows)
    rows = rng.standard_normal((n_rows, 50), dtype=np.float32)
    rows[:, :25] = (rows[:, :25] + centers[truth].astype(np.float32)) / deviation
    return rows, truth


def swarm(clusterer: str, **options: Any) -> FeatureSwarm:
    given: dict[str, Any] = {"n_clusters": 6} if clusterer == "linkage" else {}
    if clusterer == "robust":
        clusterer, given = "knn", {"init": "screened", "criterion": "robust"}
    return FeatureSwarm(clusterer, random_state=0, n_jobs=2, **given, **options)


def run_swarm(n_rows: int, clusterer: str, reach: float) -> dict[str, Any]:
    """Search on 3,000 rows of many."""
    rows, truth = swarm_rows(n_rows, reach=reach)
    swarm(clusterer, n_generations=1, n_particles=4).fit(rows[:500]).predict(rows[:500])
    with Peak() as peak:
        began = time.perf_counter()
        model = swarm(clusterer, max_samples=3000).fit(rows)
        seconds = time.perf_counter() - began
    weights = model.feature_weights_
    return {
        "rows": n_rows,
        "clusterer": clusterer,
        "reach": reach,
        "seconds": round(seconds, 1),
        "peak_GB": round(peak.bytes / 1e9, 2),
        "n_samples_search": model.n_samples_search_,
        "n_clusters": model.n_clusters_,
        "pair_f": pair_f(truth, model.labels_),
        "agreement": model.sample_agreement_,
        "noise_weight_share": float(weights[25:].sum() / weights.sum()),
        "generations": model.n_iter_,
    }


def run_small(n_rows: int, clusterer: str, reach: float) -> dict[str, Any]:
    """Search on all of 10,000 other rows of the same kind."""
    rows, truth = swarm_rows(n_rows, seed=12, reach=reach)
    began = time.perf_counter()
    model = swarm(clusterer).fit(rows)
    return {
        "rows": n_rows,
        "clusterer": clusterer,
        "reach": reach,
        "seconds": round(time.perf_counter() - began, 1),
        "n_clusters": model.n_clusters_,
        "pair_f": pair_f(truth, model.labels_),
        "generations": model.n_iter_,
    }


def bits(model: FeatureSwarm) -> list[bytes]:
    columns = (model.labels_, model.feature_weights_, model.history_["mean_fitness"])
    return [np.ascontiguousarray(column).tobytes() for column in columns]


def run_bits() -> dict[str, Any]:
    """A search of 30 particles over 30 generations, whoever evaluates it."""
    rows = swarm_rows(600)[0].astype(np.float64)
    make = partial(FeatureSwarm, patience=None, random_state=0)
    alone = make(n_jobs=1).fit(rows)
    out: dict[str, Any] = {"rows": 600, "evaluations": 900}
    out["threads"] = bits(make(n_jobs=2).fit(rows)) == bits(alone)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        out["processes"] = bits(make().fit(rows)) == bits(alone)
    with cluster_of(2) as cluster, Client(cluster) as client, joblib.parallel_config("dask"):
        out["dask"] = bits(make().fit(rows)) == bits(alone)
        killed: list[int] = []

        def kill(generation: Any) -> None:
            if generation.number == 10:
                pids = list(client.run(os.getpid).values())
                # In the middle of the next generation, not between two.
                after = 0.3 * generation.seconds / generation.number
                threading.Timer(after, os.kill, (pids[0], signal.SIGKILL)).start()
                killed.append(pids[0])

        model = make(callbacks=[kill]).fit(rows)
        out["dask, a worker killed in generation 11"] = bits(model) == bits(alone)
        left = set(client.run(os.getpid).values())
        out["killed worker is gone"] = bool(killed) and killed[0] not in left
        out["generations"] = model.n_iter_
    if find_spec("ray") is not None:  # is tried where it is installed
        out["ray"] = bits(_on_ray(make, rows)) == bits(alone)
    return out


def _on_ray(make: Any, rows: np.ndarray) -> FeatureSwarm:
    import ray
    from ray.util.joblib import register_ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    register_ray()
    try:
        with joblib.parallel_config(backend="ray", n_jobs=2):
            return make().fit(rows)
    finally:
        ray.shutdown()


def run_overhead(rounds: int, n_columns: int, clusterer: str) -> dict[str, Any]:
    """900 evaluations of 3,000 rows on two threads, and on two workers of Dask."""
    rows = np.hstack([swarm_rows(3000, seed)[0] for seed in (11, 12, 13, 14)]).astype(np.float64)
    rows = np.ascontiguousarray(rows[:, :n_columns])
    make = partial(swarm, clusterer, patience=None)
    times: dict[str, list[float]] = {"threads": [], "dask": []}
    same = True
    with cluster_of(2) as cluster, Client(cluster):
        make(n_generations=1).fit(rows)
        with joblib.parallel_config("dask"):
            make(n_generations=1).fit(rows)
        for _ in range(rounds):
            began = time.perf_counter()
            threads = make().fit(rows)
            times["threads"].append(time.perf_counter() - began)
            with joblib.parallel_config("dask"):
                began = time.perf_counter()
                dask = make().fit(rows)
                times["dask"].append(time.perf_counter() - began)
            same &= bits(threads) == bits(dask)
            print({key: round(value[-1], 2) for key, value in times.items()}, flush=True)
    ratios = [d / t for d, t in zip(times["dask"], times["threads"], strict=True)]
    return {
        "clusterer": clusterer,
        "rows": 3000,
        "columns": n_columns,
        "evaluations": 900,
        "seconds": {key: [round(v, 2) for v in value] for key, value in times.items()},
        "overhead_median": float(np.median(ratios)) - 1.0,
        "overhead_of_best": min(times["dask"]) / min(times["threads"]) - 1.0,
        "same_bits": bool(same),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    kinds = ("rows", "million", "swarm", "small", "bits", "overhead")
    parser.add_argument("what", choices=kinds)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--exponent", type=float, default=2.0)
    parser.add_argument("--clusterer", default="linkage")
    parser.add_argument("--reach", type=float, default=3.0, help="of the groups; make_blobs: 10")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--columns", type=int, default=100, help="of overhead; as in speed_swarm")
    given = parser.parse_args()
    # Searches are cut short on purpose.
    warnings.simplefilter("ignore")
    if given.what == "rows":
        found = run_rows(given.rows or 10_000_000, given.exponent)
    elif given.what == "million":
        found = run_million(given.rows or 1_000_000, given.exponent)
    elif given.what == "swarm":
        found = run_swarm(given.rows or 1_000_000, given.clusterer, given.reach)
    elif given.what == "small":
        found = run_small(given.rows or 10_000, given.clusterer, given.reach)
    else:
        found = (
            run_bits()
            if given.what == "bits"
            else run_overhead(given.rounds, given.columns, given.clusterer)
        )
    line = {"what": given.what, **found, "load": os.getloadavg()[0], "cores": os.cpu_count()}
    print(json.dumps(line, indent=1))
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("a") as file:
        file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
