"""Tables that do not fit in memory, and searches on a sample of their rows."""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster
from scipy.optimize import linear_sum_assignment

from bench.scale.data import N_GROUPS, N_NOISE, N_TRUE, block, swarm_rows, table
from bench.scale.memory import Peak
from weft import FeatureSwarm, WeightedKMeans
from weft.metrics import pair_f


def cluster_of(n_workers: int) -> LocalCluster:
    return LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0")


def apart(found: np.ndarray, wanted: np.ndarray) -> float:
    """The largest difference between centres, each matched with its counterpart."""
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
