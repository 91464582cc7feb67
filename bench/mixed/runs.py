"""Which cells the mixed bench has, and how one of them is run and measured."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from bench.mixed import rivals, sets
from bench.mixed.methods import Answer, available
from weft import WeightedKMeans
from weft.columns.mixed import embed, screen

PARTS = ("given", "noise", "gaps 10", "gaps 30", "control", "columns", "speed")
CONTROL_SEEDS = 20
COLUMN_SEEDS = 3
SPEED_SIZES = (10_000, 1_000_000)
SPEED_CLUSTERS = 8
SCREENING = "screening"


def cells(parts: list[str], methods: list[str], names: list[str]) -> Iterator[dict[str, Any]]:
    """Return the cells, part after part."""
    for part in parts:
        if part == "control":
            for name in sets.CONTROLS:
                for seed in range(CONTROL_SEEDS):
                    yield _cell(part, name, seed, SCREENING)
        elif part == "columns":
            for name in names:
                for seed in range(COLUMN_SEEDS):
                    yield _cell(part, name, seed, SCREENING)
        elif part == "speed":
            for n_rows in SPEED_SIZES:
                for method in ("WeightedKMeans", "KPrototypes"):
                    if method == "WeightedKMeans" or n_rows <= min(SPEED_SIZES):
                        yield _cell(part, f"{n_rows} × 20", 0, method)
        else:
            for method in methods:
                for name in names:
                    yield _cell(part, name, 0, method)


def _cell(part: str, data: str, seed: int, method: str) -> dict[str, Any]:
    return {"part": part, "set": data, "seed": seed, "method": method}


def evaluate(part: str, set: str, seed: int, method: str) -> dict[str, Any]:
    """Run one method once and measure its answer."""
    if part == "speed":
        return _in_a_process(set, method)
    if part == "control":
        data = sets.make_control(set, sets.seed_of(part, set, seed))
        return _screened(data, seed)
    if part == "columns":
        return _screened(sets.with_noise(sets.load(set), sets.seed_of(part, set, seed)), seed)
    data = _changed(part, set, seed)
    n_clusters = len(np.unique(data.labels))
    run = available()[method].run
    with threadpool_limits(1):
        began = time.perf_counter()
        try:
            answer = run(data.table, n_clusters, seed)
        except (ValueError, np.linalg.LinAlgError) as error:  # rivals give up on some tables
            return {"ari": 0.0, "error": f"{type(error).__name__}: {error}"[:200]}
        seconds = time.perf_counter() - began
    return {**measure(data, answer), "seconds": round(seconds, 3)}


def _changed(part: str, name: str, seed: int) -> sets.MixedSet:
    """Return a set in the form that a part of the bench needs."""
    data, draw = sets.load(name), sets.seed_of(part, name, seed)
    if part == "noise":
        return sets.with_noise(data, draw)
    if part.startswith("gaps"):
        return sets.with_gaps(data, int(part.split()[1]) / 100.0, draw)
    return data


def measure(data: sets.MixedSet, answer: Answer) -> dict[str, Any]:
    """Return adjusted Rand, K, and precision and recall of the kept source columns."""
    row: dict[str, Any] = {
        "ari": round(float(adjusted_rand_score(data.labels, answer.labels)), 6),
        "k": len(np.unique(answer.labels)),
        "k_true": len(np.unique(data.labels)),
    }
    if answer.kept is not None:
        row.update(_kept(data.real, answer.kept))
    return row


def _kept(real: np.ndarray, kept: np.ndarray) -> dict[str, Any]:
    hits, count = int((kept & real).sum()), int(kept.sum())
    return {
        "kept": count,
        "noise_kept": count - hits,
        "n_real": int(real.sum()),
        "n_columns": len(real),
        "precision": hits / count if count else None,
    }


def _screened(data: sets.MixedSet, seed: int) -> dict[str, Any]:
    began = time.perf_counter()
    found = screen(data.table, 0.05, np.random.default_rng(seed))
    seconds = time.perf_counter() - began
    row = _kept(data.real, found.kept)
    row["dependent_noise"] = int((found.dependent & ~data.real).sum())
    row["dependent"] = int(found.dependent.sum())
    row["seconds"] = round(seconds, 3)
    return row


def _in_a_process(size: str, method: str) -> dict[str, Any]:
    """Time a method where nothing else has taken memory."""
    command = [sys.executable, "-m", "bench.mixed", "--time", size.split()[0], method]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def time_large(n_rows: int, method: str) -> dict[str, Any]:
    """Run one start on a large table; compilation is not timed, peak memory is the process's."""
    run = _time_kprototypes if method == "KPrototypes" else _time_weighted
    run(sets.make_large(500))
    data = sets.make_large(n_rows)
    began = time.perf_counter()
    labels = run(data)
    return {
        "seconds": round(time.perf_counter() - began, 3),
        "ari": round(float(adjusted_rand_score(data.labels, labels)), 6),
        "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


def _time_weighted(data: sets.MixedSet) -> np.ndarray:
    points = embed(data.table, balance="directions").values
    model = WeightedKMeans(SPEED_CLUSTERS, init="k-means++", n_init=1, random_state=0)
    return np.asarray(model.fit(points).labels_)


def _time_kprototypes(data: sets.MixedSet) -> np.ndarray:
    return rivals.kprototypes(data.table, SPEED_CLUSTERS, 0, n_init=1)
