"""Whole searches on a GPU: seconds, the CPU beside it, and how far from the machine's limit.

    python -m bench.gpu [--only knn linkage ...] [--path bench/results/gpu.jsonl]
    python -m bench.gpu --table            # the rows as Markdown, from the results file

Needs a GPU and torch; 80 GB of its memory for the largest row. Medians of warm runs: kernels are
compiled, and a run of the same size went before. Every row is a `fit` from a NumPy table to
labels, the draws on the host and the trips between host and GPU among it. CPU seconds are weft's
own on all cores of the same machine; "about": from one generation and two, not from thirty.

The floor is what the arithmetic alone would take at rates measured on the spot: products of
single precision on the matrix units (three per product), double precision, memory.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench import gpu_methods, records
from weft import FeatureSwarm, StagedSwarm
from weft.datasets import make_ellipsoids

RESULTS = Path(__file__).parent / "results" / "gpu.jsonl"
N_FEATURES, N_PARTICLES, N_GENERATIONS = 100, 30, 30
N_KEPT = 50  # of 100 features, about half have a weight above 0
ROUNDS = 200  # of affinity propagation, at most

SETTINGS: dict[str, dict[str, Any]] = {
    "knn": {},
    "dbscan": {"clusterer_params": {"eps": 0.3}},
    "linkage": {"n_clusters": 10},
    "affinity": {},
    "exponents": {"exponents": True},
}
TARGETS = {  # seconds on an H200
    ("knn", 800): 0.08,
    ("knn", 3000): 0.35,
    ("knn", 20_000): 4.0,
    ("knn", 100_000): 120.0,
    ("linkage", 3000): 3.0,
    ("affinity", 3000): 25.0,
    ("staged", 2893): 6.0,
    ("distances with exponents", 800): 0.002,
}
CELLS = [
    *[{"method": "knn", "rows": n} for n in (800, 1000, 3000, 10_000, 20_000, 100_000)],
    *[{"method": "exponents", "rows": n} for n in (800, 3000)],
    *[{"method": "linkage", "rows": n} for n in (800, 3000)],
    *[{"method": "affinity", "rows": n} for n in (800, 3000)],
    *[{"method": "dbscan", "rows": n} for n in (800, 3000, 10_000)],
    {"method": "distances with exponents", "rows": 800},
    {"method": "staged", "rows": 2893},
    {"method": "same path", "rows": 800},
    *gpu_methods.CELLS,
]
_CPU_MOST = 3000  # rows up to which the CPU runs whole searches


def _seconds(call: Callable[[], Any], rounds: int) -> float:
    import torch

    call()  # warm
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        began = time.perf_counter()
        call()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - began)
    return float(np.median(times))


def ceilings() -> dict[str, float]:
    """Measure the rates that floors are made from."""
    import torch

    source = torch.randn(2**28, device="cuda")
    target = torch.empty_like(source)
    copy = 8 * source.numel() / _seconds(lambda: target.copy_(source), 9)
    rates = {"bytes": copy}
    for name, dtype in (("single", torch.float32), ("double", torch.float64)):
        square = torch.randn(8192, 8192, device="cuda", dtype=dtype)
        torch.backends.cuda.matmul.allow_tf32 = name == "single"
        rates[name] = 2.0 * 8192**3 / _seconds(lambda square=square: square @ square, 9)
    torch.backends.cuda.matmul.allow_tf32 = False
    rates["single"] /= 3.0  # three products of shortened numbers make one of single precision
    chip = torch.cuda.get_device_properties(0)
    # 16 logarithms or exponentials per multiprocessor and clock, at about 1.98 GHz.
    rates["special"] = 16.0 * chip.multi_processor_count * 1.98e9
    return rates


def floor(method: str, n: int, rates: dict[str, float]) -> float:
    """Return the seconds below which no run of 900 evaluations can get."""
    pairs = float(n) * n
    product = 2.0 * pairs * N_KEPT / rates["single"]
    if method in ("exponents", "distances with exponents"):
        powers = 2.0 * pairs * N_KEPT / rates["special"]
        if method != "exponents":
            return N_PARTICLES * powers
        return N_PARTICLES * N_GENERATIONS * (powers + 3.0 * 4.0 * pairs / rates["bytes"])
    if method == "knn":  # neighbours, then the sums that need the labels: again, or kept
        once = product + min(product, 3.0 * 4.0 * pairs / rates["bytes"])
    elif method == "linkage":
        double = max(2.0 * pairs * N_KEPT / rates["double"], 8.0 * pairs / rates["bytes"])
        once = double + 8.0 * pairs / rates["bytes"] + product
    elif method == "affinity":
        once = product + ROUNDS * 5.0 * 4.0 * pairs / rates["bytes"] + product
    else:  # density: exact comparisons, twice
        once = 2.0 * 2.0 * pairs * N_KEPT / rates["double"] + product
    return N_PARTICLES * N_GENERATIONS * once


def _model(method: str, device: str, seed: int, **changes: Any) -> FeatureSwarm:
    clusterer = "knn" if method == "exponents" else method
    settings = {
        "n_particles": N_PARTICLES,
        "n_generations": N_GENERATIONS,
        "patience": None,
        "max_memory": "40GiB" if device == "cuda" else "8GiB",
        "n_jobs": -1,
        **SETTINGS[method],
        **changes,
    }
    return FeatureSwarm(clusterer, device=device, random_state=seed, **settings)


def search(method: str, rows: int, rates: dict[str, float]) -> dict[str, Any]:
    """Time a search on the GPU and on the CPU."""
    import torch

    X = make_ellipsoids(10, N_FEATURES, cluster_size=rows // 10, random_state=0).data
    rounds = 5 if rows <= 3000 and method != "affinity" else 3 if rows <= 20_000 else 1
    if rows >= 100_000:  # warm by a small generation, not by another hour of arithmetic
        _model(method, "cuda", 0, n_generations=2).fit(X)
    torch.cuda.reset_peak_memory_stats()
    fit = _model(method, "cuda", 0).fit
    if rows >= 100_000:
        began = time.perf_counter()
        fit(X)
        seconds = time.perf_counter() - began
    else:
        seconds = _seconds(lambda: fit(X), rounds)
    found = {
        "seconds": seconds,
        "gigabytes": torch.cuda.max_memory_allocated() / 1e9,
        "floor": floor(method, rows, rates),
    }
    cheap = method != "affinity" or rows < 3000
    if rows <= _CPU_MOST and cheap:
        model = _model(method, "cpu", 0)
        model.fit(X[:: max(rows // 200, 1)])
        began = time.perf_counter()
        model.fit(X)
        found["cpu_seconds"] = time.perf_counter() - began
    elif rows <= 20_000:
        found["cpu_seconds"] = _scaled_cpu_seconds(method, X)
        found["cpu_scaled"] = True
    return found


def _scaled_cpu_seconds(method: str, X: np.ndarray) -> float:
    """Return what a whole search would take on the CPU: one generation, and two, for what a
    further one costs; what is done once per fit is not multiplied."""
    short = {"n_particles": 16} if method == "affinity" else {}
    models = [_model(method, "cpu", 0, n_generations=number, **short) for number in (1, 2)]
    models[0].fit(X)  # compiled, pages touched
    one, two = (_clock(lambda model=model: model.fit(X)) for model in models)
    further = (two - one) * N_PARTICLES / short.get("n_particles", N_PARTICLES)
    return float(one + (N_GENERATIONS - 1) * further)


def powered_distances(rows: int, rates: dict[str, float]) -> dict[str, Any]:
    """Time PSO-FSWE's distances of a generation."""
    import torch

    from weft.backends.gpu.kernels.fused.distances import powered_rows, split_columns
    from weft.backends.gpu.kernels.metrics import DeviceTable, pack

    rng = np.random.default_rng(0)
    X = make_ellipsoids(10, N_FEATURES, cluster_size=rows // 10, random_state=0).data
    table = DeviceTable.of(X, torch.device("cuda"))
    weights = np.maximum(rng.uniform(-2, 2, (N_PARTICLES, N_FEATURES)), 0.0)
    packed = pack(weights, rng.uniform(1, 3, weights.shape), table.spread)

    def generation() -> None:
        powered_rows(split_columns(table, packed.to(table.X.device)), 0, rows)

    limit = floor("distances with exponents", rows, rates)
    return {"seconds": _seconds(generation, 50), "floor": limit}


def staged(rows: int) -> dict[str, Any]:
    """Time a StagedSwarm of 100 × 500, stage 1 among it; the floor is its random draws."""
    X = make_ellipsoids(10, N_FEATURES, cluster_size=rows // 10 + 1, random_state=0).data[:rows]
    rng = np.random.default_rng(0)
    shape = (2, 100, rows + N_FEATURES + 1)
    draws = np.median([_clock(lambda: rng.random(shape)) for _ in range(9)])
    seconds = _seconds(lambda: StagedSwarm(device="cuda", random_state=0).fit(X), 3)
    began = time.perf_counter()
    StagedSwarm(n_jobs=-1, random_state=0).fit(X)
    return {
        "seconds": seconds,
        "floor": float(500 * draws),
        "cpu_seconds": time.perf_counter() - began,
    }


def other_method(method: str, rows: int, rates: dict[str, float]) -> dict[str, Any]:
    """Time a fit of another method on the GPU and on the CPU."""
    import torch

    X = gpu_methods.table(method, rows)
    small = X[: max(200, 2 * gpu_methods.N_CLUSTERS)]
    torch.cuda.reset_peak_memory_stats()
    there, here = (gpu_methods.model(method, device) for device in ("cuda", "cpu"))
    seconds = _seconds(lambda: there.fit(X), 1 if method == "auto" else 3)
    gigabytes = torch.cuda.max_memory_allocated() / 1e9
    here.fit(small)  # compiled
    cpu_seconds = _clock(lambda: here.fit(X))
    name = "support_" if hasattr(here, "support_") else "labels_"
    found = {
        "seconds": seconds,
        "gigabytes": gigabytes,
        "cpu_seconds": cpu_seconds,
        "floor": gpu_methods.floor(method, rows, there, rates),
        "differing": int((getattr(there, name) != getattr(here, name)).sum()),
    }
    return {key: value for key, value in found.items() if value is not None}


def _clock(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def same_path(rows: int, n_seeds: int = 30) -> dict[str, Any]:
    """Count the seeds whose labels and weights are the CPU's."""
    X = make_ellipsoids(10, N_FEATURES, cluster_size=rows // 10, random_state=0).data
    same, differing = 0, []
    for seed in range(n_seeds):
        gpu, cpu = (_model("knn", device, seed).fit(X) for device in ("cuda", "cpu"))
        equal = np.array_equal(gpu.labels_, cpu.labels_)
        equal &= np.array_equal(gpu.feature_weights_, cpu.feature_weights_)
        same += equal
        if not equal:
            ours, theirs = gpu.history_["best_fitness"], cpu.history_["best_fitness"]
            apart = np.flatnonzero(~np.isclose(ours, theirs, rtol=1e-5))
            first = int(apart[0]) if len(apart) else len(ours) - 1
            differing.append([seed, first + 1, float(ours[first]), float(theirs[first])])
    return {"seeds": n_seeds, "same": int(same), "differing": differing}


def measure(path: Path, only: list[str] | None) -> None:
    """Measure the rows that are asked for and append them to `path`."""
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
        elif method in gpu_methods.MODELS:
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


def table(path: Path = RESULTS) -> str:
    """Return the results as Markdown; empty where there are none."""
    rows = {(r["cell"]["method"], r["cell"]["rows"]): r for r in records.load(path)}
    if not rows:
        return ""
    machine = next(iter(rows.values()))["machine"]
    rates = next(iter(rows.values()))["rates"]
    lines = [
        f"GPU: {machine['gpu']}. CPU beside it: {machine['cpu']}. Medians of warm runs of",
        "`python -m bench.gpu`: whole fits of 30 × 30 on 100 features, `StagedSwarm` 100 × 500.",
        "The floor is the arithmetic alone at measured rates: "
        f"{rates['single'] / 1e12:.0f} TFLOP/s of single-precision products, "
        f"{rates['double'] / 1e12:.0f} of double precision, {rates['bytes'] / 1e12:.1f} TB/s; for",
        "`StagedSwarm` it is the random draws, which stay on the host. What the other methods are",
        "is in `bench/gpu_methods.py`.",
        "",
        "| method | rows | GPU | wanted | CPU | ratio | floor | share of floor | GPU memory |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for cell in CELLS:
        key = (cell["method"], cell["rows"])
        if key not in rows or "seconds" not in rows[key]:
            continue
        r = rows[key]
        wanted = f"≤ {_short(TARGETS[key])}" if key in TARGETS else ""
        cpu, ratio = "", ""
        if "cpu_seconds" in r:
            cpu = ("about " if r.get("cpu_scaled") else "") + _short(r["cpu_seconds"])
            ratio = f"{r['cpu_seconds'] / r['seconds']:.2g}×"
        limit = " | "
        if "floor" in r:
            limit = f"{_short(r['floor'])} | {r['floor'] / r['seconds']:.0%}"
        memory = f"{r['gigabytes']:.1f} GB" if "gigabytes" in r else ""
        lines.append(
            f"| {key[0]} | {key[1]:,} | {_short(r['seconds'])} | {wanted} | {cpu} | {ratio} "
            f"| {limit} | {memory} |"
        )
    path_row = rows.get(("same path", 800))
    if path_row:
        lines += [
            "",
            f"Labels and weights are the CPU's on {path_row['same']} of {path_row['seeds']} seeds "
            "at 800 rows (kNN graph, 30 × 30).",
        ]
    others = [rows[key] for key in rows if key[0] in gpu_methods.MODELS]
    if others:
        same = sum(row["differing"] == 0 for row in others)
        lines += [
            "",
            f"From `weighted k-means` on, all labels (or features) are the CPU's in {same} of "
            f"{len(others)} rows.",
        ]
    return "\n".join(lines) + "\n"


def _short(seconds: float) -> str:
    if seconds < 0.1:
        return f"{1e3 * seconds:.3g} ms"
    return f"{seconds:.3g} s"


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
