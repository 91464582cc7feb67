"""AutoCluster on a folder of Parquet files: time, memory, and the bits of its sample."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow
import pyarrow.parquet as parquet

from bench.scale.data import BLOCK_ROWS, N_NOISE, N_TRUE, block
from bench.scale.memory import Peak
from weft import AutoCluster
from weft.auto.large import sampled_places
from weft.io import read_model

N_COLUMNS = N_TRUE + N_NOISE
FIRST = 1_000_000  # rows whose labels are compared


def make_folder(folder: Path, n_rows: int) -> None:
    """Write the rows of `bench.scale.data`, a file for each block."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"c{number}" for number in range(N_COLUMNS)]
    for number in range(-(-n_rows // BLOCK_ROWS)):
        rows = block(number, min(BLOCK_ROWS, n_rows - number * BLOCK_ROWS))
        path = folder / f"part-{number:05d}.parquet"
        parquet.write_table(pyarrow.table(dict(zip(names, rows.T, strict=True))), path)


def labels_of(folder: Path, n_rows: int) -> np.ndarray:
    """Return the labels of the first rows as they were written."""
    parts, count = [], 0
    for file in sorted((folder / "labels").glob("part-*.parquet")):
        parts.append(parquet.read_table(file)["cluster"].to_numpy())
        count += len(parts[-1])
        if count >= n_rows:
            break
    return np.concatenate(parts)[:n_rows]


def run_auto(n_rows: int, *, kill: bool = False) -> dict[str, Any]:
    """Cluster a folder on two processes; with `kill`, one of them dies while labels are written."""
    with tempfile.TemporaryDirectory() as home:
        table, out = Path(home) / "table", Path(home) / "out"
        make_folder(table, n_rows)
        command = [sys.executable, "-m", "weft", "cluster", str(table), "--out", str(out)]
        with Peak() as peak:
            began = time.perf_counter()
            process = subprocess.Popen(
                [*command, "--jobs", "2", "--quiet"], env={**os.environ, "PYTHONUNBUFFERED": "1"}
            )
            killed = _kill_one(process.pid, out / "labels") if kill else 0
            status = process.wait()
            seconds = time.perf_counter() - began
        n_first = min(FIRST, n_rows)
        first = labels_of(out, n_first) if status == 0 else np.empty(0, dtype=int)
        rows = _rows(np.arange(n_first))
        model = read_model(out / "model.weft").model
        alone = AutoCluster(random_state=0).fit(_rows(sampled_places(n_rows)))
    return {
        "rows": n_rows,
        "columns": N_COLUMNS,
        "status": status,
        "seconds": round(seconds, 1),
        "peak_GB": round(peak.bytes / 1e9, 2),
        "clusters": int(model.n_clusters_),
        "workers_killed": killed,
        "first_rows": n_first,
        "labels_differ_from_sample_alone": int((alone.predict(rows) != first).sum()),
    }


def _rows(numbers: np.ndarray) -> np.ndarray:
    """Return rows of the table by number."""
    out = np.empty((len(numbers), N_COLUMNS), dtype=np.float32)
    for number in np.unique(numbers // BLOCK_ROWS):
        own = numbers // BLOCK_ROWS == number
        out[own] = block(int(number), BLOCK_ROWS)[numbers[own] % BLOCK_ROWS]
    return out.astype(np.float64)


def _kill_one(parent: int, labels: Path) -> int:
    """Kill a worker once labels are being written; return how many were."""
    while psutil.pid_exists(parent) and not list(labels.glob("part-*.parquet")):
        time.sleep(0.2)
    workers = [p for p in psutil.Process(parent).children(recursive=True) if p.num_threads() > 3]
    for worker in workers[-1:]:
        worker.send_signal(signal.SIGKILL)
    return len(workers[-1:])
