"""A raw table of a million rows: seconds and memory of preparing and of clustering it.

Twenty columns of usual kinds: numbers with gaps, amounts and shares as text, dates, ordered and
other categories, yes and no, a code. Each task runs in its own process; the peak includes the
table, which is in memory before the task begins.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

N_GROUPS = 8
GAPS = 0.02


def raw_table(n_rows: int, seed: int = 0) -> pd.DataFrame:
    """Return eight groups in 8 numbers and 4 categories, with columns unrelated to them."""
    rng = np.random.default_rng(seed)
    group = rng.integers(N_GROUPS, size=n_rows)
    columns: dict[str, Any] = {}
    for number in range(8):
        values = rng.normal(size=N_GROUPS)[group] * 3.0 + rng.standard_normal(n_rows)
        values[rng.random(n_rows) < GAPS] = np.nan
        columns[f"number {number}"] = values
    for number in range(4):
        own = rng.integers(5, size=N_GROUPS)[group]
        other = rng.integers(5, size=n_rows)
        levels = np.array(["red", "green", "blue", "white", "black"], dtype=object)
        columns[f"colour {number}"] = levels[np.where(rng.random(n_rows) < 0.8, own, other)]
    amounts = rng.lognormal(6.0, 0.5, size=n_rows)
    columns["price"] = [f"${value:,.2f}" for value in amounts]
    columns["share"] = [f"{value:.1f} %" for value in rng.uniform(0, 100, size=n_rows)]
    days = rng.integers(0, 2000, size=n_rows)
    columns["ordered on"] = (np.datetime64("2015-01-01") + days).astype(str).astype(object)
    columns["paid"] = np.array(["yes", "no"], dtype=object)[rng.integers(2, size=n_rows)]
    columns["visits"] = rng.poisson(3.0, size=n_rows)
    columns["size"] = np.array(["S", "M", "L", "XL"], dtype=object)[rng.integers(4, size=n_rows)]
    columns["weight"] = rng.standard_normal(n_rows)
    columns["customer"] = [f"C-{number:07d}" for number in range(n_rows)]
    return pd.DataFrame(columns)


def _prepare(table: pd.DataFrame) -> Any:
    from weft import TablePreparer

    return TablePreparer().fit_transform(table).shape


def _weighted(table: pd.DataFrame) -> Any:
    from weft import WeightedKMeans

    return WeightedKMeans(N_GROUPS, random_state=0, n_jobs=2).fit(table).n_iter_


def _auto(table: pd.DataFrame) -> Any:
    from weft import AutoCluster

    return int(AutoCluster(random_state=0, n_jobs=2).fit(table).n_clusters_)


TASKS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "TablePreparer": _prepare,
    "WeightedKMeans": _weighted,
    "AutoCluster": _auto,
}


def time_task(name: str, n_rows: int) -> dict[str, Any]:
    """Run one task in this process, after a small table that compiles everything."""
    warnings.simplefilter("ignore")
    TASKS[name](raw_table(600))
    table = raw_table(n_rows)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    clock, processor = time.perf_counter(), time.process_time()
    found = TASKS[name](table)
    return {
        "found": str(found),
        "seconds": round(time.perf_counter() - clock, 1),
        "processor_seconds": round(time.process_time() - processor, 1),
        "GB_before": round(before / 2**20, 2),
        "peak_GB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


def run_raw(n_rows: int) -> dict[str, Any]:
    """Run each task in a process of its own."""
    out: dict[str, Any] = {"rows": n_rows, "columns": 20}
    for name in TASKS:
        call = f"{time_task.__name__}({name!r}, {n_rows})"
        code = f"from bench.scale.raw import *; print(json.dumps({call}))"
        done = subprocess.run(
            [sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True
        )
        out[name] = json.loads(done.stdout.splitlines()[-1])
        print(name, out[name], flush=True)
    return out
