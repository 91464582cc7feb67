"""Whole searches on a GPU: seconds, seconds of the CPU, and comparison with the machine's limit.

    python -m bench.gpu [--only knn linkage ...] [--path bench/results/gpu.jsonl]
    python -m bench.gpu --table            # the rows as Markdown, from the results file

Needs a GPU and torch; 80 GB of its memory for the largest row. Medians of warm runs: kernels are
compiled, and a run of the same size was made before. Every row is a `fit` from a NumPy table to
labels, including random draws on the host and transfers between host and GPU. CPU seconds are those
of weft on all cores of the same machine; "about": extrapolated from runs of one and two
generations.

The floor is the time that the arithmetic alone would take at rates measured on the same machine:
products of single precision on the matrix units (three per product), double precision, memory.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from bench.gpu import methods
from bench.gpu.floors import ceilings
from bench.gpu.page import CELLS, RESULTS, table
from bench.gpu.searches import other_method, powered_distances, same_path, search, staged
from bench.harness import records


def measure(path: Path, only: list[str] | None) -> None:
    """Measure the requested rows and append them to `path`."""
    import torch
    import triton

    rates = ceilings()
    chip = torch.cuda.get_device_properties(0)
    words = {
        "gpu": f"{chip.name}, {chip.total_memory / 1e9:.0f} GB, torch {torch.__version__}, "
        f"Triton {triton.__version__}",
        "cpu": f"{os.cpu_count()} cores, {platform.machine()}, NumPy {np.__version__}",
    }
    print({key: f"{value:.3g}" for key, value in rates.items()}, flush=True)

    def evaluate(method: str, rows: int) -> dict[str, Any]:
        began = time.perf_counter()
        if method == "staged":
            found = staged(rows)
        elif method == "same path":
            found = same_path(rows)
        elif method == "distances with exponents":
            found = powered_distances(rows, rates)
        elif method in methods.MODELS:
            found = other_method(method, rows, rates)
        else:
            found = search(method, rows, rates)
        found = {**found, "rates": rates, "machine": words}
        shown = {k: v for k, v in found.items() if k not in ("rates", "machine")}
        print(method, rows, shown, f"({time.perf_counter() - began:.0f} s)", flush=True)
        torch.cuda.empty_cache()
        return found

    cells = [cell for cell in CELLS if only is None or cell["method"] in only]
    records.run(path, cells, evaluate, report=lambda _: None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--path", type=Path, default=RESULTS)
    parser.add_argument("--table", action="store_true", help="print the table, measure nothing")
    arguments = parser.parse_args()
    # Searches are cut short on purpose.
    warnings.simplefilter("ignore")
    if not arguments.table:
        measure(arguments.path, arguments.only)
    print(table(arguments.path))


if __name__ == "__main__":
    main()
