"""AutoCluster on a folder of Parquet files: time, memory, and the bits of its sample.

The folder is made once and can be used by several runs. Each run is ``weft cluster`` on two
processes. It prints a digest of all labels, so that a run in which a worker was killed can be
compared with one in which none was.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
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
NAMES = [f"c{number}" for number in range(N_COLUMNS)]
FIRST = 1_000_000  # rows whose labels are compared


def make_folder(folder: Path, n_rows: int) -> dict[str, Any]:
    """Write the rows of `bench.scale.data`, a file for each block; files that exist are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(-(-n_rows // BLOCK_ROWS)):
        path = folder / f"part-{number:05d}.parquet"
        if path.exists():
            continue
        rows = block(number, min(BLOCK_ROWS, n_rows - number * BLOCK_ROWS))
        table = pyarrow.table(dict(zip(NAMES, rows.T, strict=True)))
        draft = path.with_suffix(".draft")
        # All cells are different, so neither a dictionary nor compression makes the file smaller.
        parquet.write_table(table, draft, use_dictionary=False, compression="none")
        draft.rename(path)
    size = sum(file.stat().st_size for file in folder.glob("part-*.parquet"))
    return {"rows": n_rows, "columns": N_COLUMNS, "GB": round(size / 1e9, 2)}


def labels_of(folder: Path, n_rows: int) -> np.ndarray:
    """Return the written labels of the first rows."""
    parts, count = [], 0
    for file in sorted((folder / "labels").glob("part-*.parquet")):
        parts.append(parquet.read_table(file)["cluster"].to_numpy())
        count += len(parts[-1])
        if count >= n_rows:
            break
    return np.concatenate(parts)[:n_rows]


def digest_of(folder: Path) -> tuple[int, str]:
    """Return how many rows have labels, and a digest of the labels and confidences of all."""
    digest, count = hashlib.sha256(), 0
    for file in sorted((folder / "labels").glob("part-*.parquet")):
        table = parquet.read_table(file)
        for name in ("row", "cluster", "confidence"):
            digest.update(table[name].to_numpy().tobytes())
        count += len(table)
    return count, digest.hexdigest()[:16]


def run_auto(home: Path, n_rows: int, *, kill: bool = False) -> dict[str, Any]:
    """Cluster a folder on two processes; with `kill`, one is killed while labels are written."""
    table, out = home / f"table-{n_rows}", home / f"out-{n_rows}"
    shutil.rmtree(out, ignore_errors=True)
    make_folder(table, n_rows)
    command = [sys.executable, "-m", "weft", "cluster", str(table), "--out", str(out)]
    with Peak() as peak:
        began = time.perf_counter()
        process = subprocess.Popen([*command, "--jobs", "2", "--quiet"], env=dict(os.environ))
        killed = _kill_one(process.pid, out / "labels") if kill else 0
        processor, status = _wait(process)
        seconds = time.perf_counter() - began
    found: dict[str, Any] = {
        "rows": n_rows,
        "columns": N_COLUMNS,
        "status": status,
        "seconds": round(seconds, 1),
        "processor_seconds": round(processor, 1),
        "peak_GB": round(peak.bytes / 1e9, 2),
        "workers_killed": killed,
    }
    if status == 0:
        n_first = min(FIRST, n_rows)
        first, rows = labels_of(out, n_first), _rows(np.arange(n_first))
        alone = AutoCluster(random_state=0).fit(_rows(sampled_places(n_rows)))
        found["clusters"] = int(read_model(out / "model.weft").model.n_clusters_)
        found["rows_labelled"], found["digest"] = digest_of(out)
        found["first_rows"] = n_first
        found["labels_differ_from_sample_alone"] = int((alone.predict(rows) != first).sum())
    return found


def _wait(process: subprocess.Popen[bytes]) -> tuple[float, int]:
    """Return the processor seconds of a process and its children, and its status."""
    _, status, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime, os.waitstatus_to_exitcode(status)


def _rows(numbers: np.ndarray) -> np.ndarray:
    """Return rows of the table by number."""
    out = np.empty((len(numbers), N_COLUMNS), dtype=np.float32)
    for number in np.unique(numbers // BLOCK_ROWS):
        own = numbers // BLOCK_ROWS == number
        out[own] = block(int(number), BLOCK_ROWS)[numbers[own] % BLOCK_ROWS]
    return out.astype(np.float64)


def _kill_one(parent: int, labels: Path) -> int:
    """Kill a worker while labels are being written; return how many were killed."""
    process = psutil.Process(parent)
    while not list(labels.glob("part-*.parquet")):
        if process.status() == psutil.STATUS_ZOMBIE:
            return 0
        time.sleep(0.2)
    workers = [p for p in process.children(recursive=True) if p.num_threads() > 3]
    for worker in workers[-1:]:
        worker.send_signal(signal.SIGKILL)
    return len(workers[-1:])
