"""Searches timed on a GPU and on the CPU of the same machine."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.gpu import methods
from bench.gpu.floors import N_FEATURES, N_GENERATIONS, N_PARTICLES, floor, warm_seconds
from bench.harness.timing import seconds
from bench.speed import swarm
from weft import FeatureSwarm, StagedSwarm
from weft.datasets import make_ellipsoids

SETTINGS: dict[str, dict[str, Any]] = {
    **swarm.SETTINGS,
    "exponents": {"clusterer": "knn", "exponents": True},
}
_CPU_MOST = 3000  # rows up to which the CPU runs whole searches


def _model(method: str, device: str, seed: int, **changes: Any) -> FeatureSwarm:
    settings = {
        "n_particles": N_PARTICLES,
        "n_generations": N_GENERATIONS,
        "patience": None,
        "max_memory": "40GiB" if device == "cuda" else "8GiB",
        "n_jobs": -1,
        **SETTINGS[method],
        **changes,
    }
    return FeatureSwarm(device=device, random_state=seed, **settings)


def search(method: str, rows: int, rates: dict[str, float]) -> dict[str, Any]:
    """Time a search on the GPU and on the CPU."""
    import torch

    X = make_ellipsoids(10, N_FEATURES, cluster_size=rows // 10, random_state=0).data
    rounds = 5 if rows <= 3000 and method != "affinity" else 3 if rows <= 20_000 else 1
    if rows >= 100_000:  # warmed up by a small generation, because a full run takes an hour
        _model(method, "cuda", 0, n_generations=2).fit(X)
    torch.cuda.reset_peak_memory_stats()
    fit = _model(method, "cuda", 0).fit
    found = {
        "seconds": (
            seconds(lambda: fit(X)) if rows >= 100_000 else warm_seconds(lambda: fit(X), rounds)
        ),
        "gigabytes": torch.cuda.max_memory_allocated() / 1e9,
        "floor": floor(method, rows, rates),
    }
    cheap = method != "affinity" or rows < 3000
    if rows <= _CPU_MOST and cheap:
        model = _model(method, "cpu", 0)
        model.fit(X[:: max(rows // 200, 1)])
        found["cpu_seconds"] = seconds(lambda: model.fit(X))
    elif rows <= 20_000:
        found["cpu_seconds"] = _scaled_cpu_seconds(method, X)
        found["cpu_scaled"] = True
    return found


def _scaled_cpu_seconds(method: str, X: np.ndarray) -> float:
    """Return the seconds of a whole search on the CPU, extrapolated from one and two generations;
    work that is done once per fit is not multiplied."""
    short = {"n_particles": 16} if method == "affinity" else {}
    models = [_model(method, "cpu", 0, n_generations=number, **short) for number in (1, 2)]
    models[0].fit(X)  # compiled, pages touched
    one, two = (seconds(lambda model=model: model.fit(X)) for model in models)
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
    return {"seconds": warm_seconds(generation, 50), "floor": limit}


def staged(rows: int) -> dict[str, Any]:
    """Time a StagedSwarm of 100 × 500, including stage 1; the floor is its random draws."""
    X = make_ellipsoids(10, N_FEATURES, cluster_size=rows // 10 + 1, random_state=0).data[:rows]
    rng = np.random.default_rng(0)
    shape = (2, 100, rows + N_FEATURES + 1)
    draws = np.median([seconds(lambda: rng.random(shape)) for _ in range(9)])
    return {
        "seconds": warm_seconds(lambda: StagedSwarm(device="cuda", random_state=0).fit(X), 3),
        "floor": float(500 * draws),
        "cpu_seconds": seconds(lambda: StagedSwarm(n_jobs=-1, random_state=0).fit(X)),
    }


def other_method(method: str, rows: int, rates: dict[str, float]) -> dict[str, Any]:
    """Time a fit of another method on the GPU and on the CPU."""
    import torch

    X = methods.table(method, rows)
    small = X[: max(200, 2 * methods.N_CLUSTERS)]
    torch.cuda.reset_peak_memory_stats()
    on_gpu, on_cpu = (methods.model(method, device) for device in ("cuda", "cpu"))
    found = {"seconds": warm_seconds(lambda: on_gpu.fit(X), 1 if method == "auto" else 3)}
    found["gigabytes"] = torch.cuda.max_memory_allocated() / 1e9
    on_cpu.fit(small)  # compiled
    found["cpu_seconds"] = seconds(lambda: on_cpu.fit(X))
    name = "support_" if hasattr(on_cpu, "support_") else "labels_"
    found["differing"] = int((getattr(on_gpu, name) != getattr(on_cpu, name)).sum())
    found["floor"] = methods.floor(method, rows, on_gpu, rates)
    return {key: value for key, value in found.items() if value is not None}


def same_path(rows: int, n_seeds: int = 30) -> dict[str, Any]:
    """Count the seeds with the same labels and weights as on the CPU."""
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
