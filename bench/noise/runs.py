"""Which cells the noise bench has, and how one of them is run and measured."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from bench.noise.methods import ALL, Answer, Task, available
from bench.noise.sets import (
    CURVE_SET,
    KIND_OF,
    KINDS,
    LEVELS,
    PURE,
    SETS,
    large,
    noisy,
    pure,
    seed_of,
)
from weft.metrics import pair_f

PARTS = ("sets", "curve", "pure", "kinds", "ablation", "times")
TABLE_LEVELS = (0, 100, 300)
CURVE_SEEDS, MANY_SEEDS, MANY_LEVELS = 3, 20, (0, 100, 200, 400)
KINDS_SETS = (CURVE_SET, "Gaussians 10d4c", "subspaces, easy", "wine")
ABLATION_SETS = (CURVE_SET, "Gaussians 10d20c", "subspaces, hard", "wine", "dermatology")
PURE_COUNT = 50
LARGE = ((10_000, 200), (200_000, 100))


def cells(parts: list[str], methods: list[str]) -> Iterator[dict[str, Any]]:
    """Return the cells, fast methods before slow ones, each part balanced over its methods."""
    known = available()
    names = [name for name in methods if name in known]
    plain = [name for name in names if not known[name].ablation]
    for slow in (False, True):
        tier = [name for name in plain if known[name].slow == slow]
        if "sets" in parts:
            yield from _set_cells(tier)
        if "curve" in parts:
            yield from _curve_cells(tier)
        if "pure" in parts and not slow:
            yield from _pure_cells([name for name in tier if not known[name].told])
        if "kinds" in parts:
            yield from _kind_cells([name for name in tier if name in ("AutoCluster", "k-means")])
    if "ablation" in parts:
        yield from _ablation_cells([name for name in names if known[name].ablation])
    if "times" in parts and "AutoCluster" in names:
        for n_rows, n_columns in LARGE:
            yield _cell("times", f"{n_rows}x{n_columns}", 300, "uniform", 0, "AutoCluster")


def _cell(part: str, data: str, level: int, kind: str, seed: int, method: str) -> dict[str, Any]:
    return {
        "part": part, "set": data, "level": level, "kind": kind, "seed": seed, "method": method
    }  # fmt: skip


def _set_cells(methods: list[str]) -> Iterator[dict[str, Any]]:
    for name in SETS:
        for level in TABLE_LEVELS:
            for method in methods:
                yield _cell("sets", name, level, KIND_OF[name], 0, method)


def _curve_cells(methods: list[str]) -> Iterator[dict[str, Any]]:
    # Seeds from 1 on: 0 is the set of the table.
    for seed in range(1, 1 + MANY_SEEDS):
        for level in LEVELS:
            for method in methods:
                if seed <= CURVE_SEEDS or (method == "AutoCluster" and level in MANY_LEVELS):
                    yield _cell("curve", CURVE_SET, level, "uniform", seed, method)


def _kind_cells(methods: list[str]) -> Iterator[dict[str, Any]]:
    for level in (100, 300):
        for name in KINDS_SETS:
            for kind in KINDS:
                for method in methods:
                    yield _cell("kinds", name, level, kind, 0, method)


def _pure_cells(methods: list[str]) -> Iterator[dict[str, Any]]:
    for number in range(PURE_COUNT):
        for method in methods:
            yield _cell("pure", "", 0, PURE[number % len(PURE)], number, method)


def _ablation_cells(methods: list[str]) -> Iterator[dict[str, Any]]:
    for level in TABLE_LEVELS:
        for name in ABLATION_SETS:
            for method in methods:
                yield _cell("ablation", name, level, KIND_OF[name], 0, method)


def evaluate(part: str, set: str, level: int, kind: str, seed: int, method: str) -> dict[str, Any]:
    """Run one method once and measure its answer."""
    if part == "times":
        return _in_a_process(set)
    if part == "pure":
        X = pure(kind, seed)
        y, real = np.zeros(len(X), dtype=int), np.zeros(X.shape[1], dtype=bool)
    else:
        X, y, real = noisy(set, level, kind, seed)
    n_clusters = len(np.unique(y))
    state = seed_of("method", set, level, kind, seed)
    task = Task(X, n_clusters, int(real.sum()), state)
    run = ALL[method].run
    with threadpool_limits(1):
        _warm_up(method)
        began, spent = time.perf_counter(), time.process_time()
        answer = run(task)
        seconds, cpu = time.perf_counter() - began, time.process_time() - spent
    return {**measure(y, real, answer), "seconds": round(seconds, 3), "cpu": round(cpu, 3)}


@cache
def _warm_up(method: str) -> None:
    """Run once on a small table: compilation is not timed."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 6)) + 6.0 * (np.arange(90) % 3)[:, None]
    ALL[method].run(Task(X, 3, 6, 0))


def measure(y: np.ndarray, real: np.ndarray, answer: Answer) -> dict[str, Any]:
    """Return adjusted Rand, pair-F, K, and precision and recall of the kept features.

    A row in no cluster counts as its own cluster, in both measures.
    """
    labels, kept = np.array(answer.labels), answer.kept
    alone = labels < 0
    apart = np.where(alone, labels.max() + 1 + np.cumsum(alone), labels)
    row: dict[str, Any] = {
        "n": len(y),
        "d": int(real.sum()),
        "k_true": len(np.unique(y)),
        "ari": round(float(adjusted_rand_score(y, apart)), 6),
        "f": round(pair_f(y, labels), 6),
        "k": len(np.unique(labels[~alone])),
    }
    if kept is not None:
        hits = int((kept & real).sum())
        row["kept"] = int(kept.sum())
        row["precision"] = hits / row["kept"] if row["kept"] else None
        row["recall"] = hits / row["d"] if row["d"] else None
    return row


def _in_a_process(size: str) -> dict[str, Any]:
    """Time AutoCluster in a new process, so that its memory can be measured."""
    command = [sys.executable, "-m", "bench.noise", "--time", size]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def time_large(size: str) -> dict[str, Any]:
    """Fit AutoCluster with two jobs; return time and the peak memory of the process."""
    import weft

    rng = np.random.default_rng(0)
    weft.AutoCluster(random_state=0).fit(
        rng.standard_normal((300, 8)) + 6.0 * (np.arange(300) % 3)[:, None]
    )
    n_rows, n_columns = (int(part) for part in size.split("x"))
    X, y, real = large(n_rows, n_columns)
    load = os.getloadavg()[0]
    began, spent = time.perf_counter(), time.process_time()
    model = weft.AutoCluster(random_state=0, n_jobs=2).fit(X)
    seconds, cpu = time.perf_counter() - began, time.process_time() - spent
    answer = Answer(model.labels_, model.get_support())
    return {
        **measure(y, real, answer),
        "seconds": round(seconds, 1),
        "cpu": round(cpu, 1),
        "load": round(load, 1),
        "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }
