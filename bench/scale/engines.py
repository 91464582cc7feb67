"""The same search on threads, processes, Dask and Ray: equal bits, and the overhead."""

from __future__ import annotations

import os
import signal
import threading
import time
from functools import partial
from importlib.util import find_spec
from typing import Any

import joblib
import numpy as np
from dask.distributed import Client

from bench.scale.data import swarm_rows
from bench.scale.runs import cluster_of, swarm
from weft import FeatureSwarm


def bits(model: FeatureSwarm) -> list[bytes]:
    columns = (model.labels_, model.feature_weights_, model.history_["mean_fitness"])
    return [np.ascontiguousarray(column).tobytes() for column in columns]


def run_bits() -> dict[str, Any]:
    """A search of 30 particles over 30 generations, on any engine."""
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
    if find_spec("ray") is not None:  # only if it is installed
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
