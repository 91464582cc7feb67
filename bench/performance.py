"""All speed rows in one run, and the page made from them: `make bench`.

    python -m bench.performance [--rounds 5] [--quick] [--page docs/performance.md]

Run it on a machine that does nothing else. Every number is a median of interleaved runs in this
process, beside its peer; the page says on what machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn
from sklearn.metrics import silhouette_score
from threadpoolctl import threadpool_limits

import weft
from bench import gpu, speed_swarm
from weft.clusterers import make_clusterer
from weft.criteria import make_criterion
from weft.datasets import make_ellipsoids
from weft.kernels.cpu import distances as distance_kernels
from weft.metrics import silhouette
from weft.objectives import FeatureObjective
from weft.particles import WeightParticle

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "performance.md"
PICTURE = ROOT / "docs" / "_static" / "growth.svg"

_MEMORY = """
import resource
from weft import FeatureSwarm
from weft.datasets import make_ellipsoids
X = make_ellipsoids(10, 100, cluster_size={rows} // 10, random_state=0).data
FeatureSwarm(n_particles=4, n_generations=1, max_memory="1GiB", n_jobs=2, random_state=0).fit(X)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def interleaved(calls: list[Callable[[], Any]], rounds: int) -> list[float]:
    """Return the median seconds of each call, all warmed up, taken in turns."""
    for call in calls:
        call()
    times = [[speed_swarm._seconds(call) for call in calls] for _ in range(rounds)]
    return [float(value) for value in np.median(times, axis=0)]


def powered(n_rows: int, rounds: int) -> dict[str, Any]:
    """PSO-FSWE's distances beside NumPy's ``abs() ** p`` sum, one thread each."""
    rng = np.random.default_rng(0)
    columns, exponents = rng.normal(size=(100, n_rows)), rng.uniform(1, 3, 100)
    out = np.empty((n_rows, n_rows), dtype=np.float32)

    def peer() -> np.ndarray:
        total = np.zeros((n_rows, n_rows))
        for column, exponent in zip(columns, exponents, strict=True):
            total += np.abs(column[:, None] - column[None, :]) ** exponent
        return total

    with threadpool_limits(1):
        ours, theirs = interleaved(
            [lambda: distance_kernels.powered_matrix(columns, exponents, out), peer], rounds
        )
    return {"rows": n_rows, "weft": ours, "peer": theirs}


def silhouette_row(rounds: int) -> dict[str, Any]:
    """The silhouette of 10,000 × 100 beside scikit-learn's, two threads each."""
    data = make_ellipsoids(10, 100, cluster_size=1000, random_state=0)
    ours, theirs = interleaved(
        [
            lambda: silhouette(data.data, data.target, n_jobs=2),
            lambda: silhouette_score(data.data, data.target),
        ],
        rounds,
    )
    return {"rows": len(data.data), "weft": ours, "peer": theirs}


def peak_memory(n_rows: int) -> float:
    """Peak resident memory, in GiB, of a search at `n_rows` × 100 with max_memory="1GiB"."""
    printed = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _MEMORY.format(rows=n_rows)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return float(printed)


def _evaluation_seconds(n: int, d: int, k: int, p: int, rounds: int) -> float:
    X = make_ellipsoids(k, d, cluster_size=max(n // k, 4), random_state=0).data
    objective = FeatureObjective(
        X,
        WeightParticle(d),
        make_clusterer("knn", None, n_clusters=None, seed=0),
        make_criterion("csc", None),
        max_memory=2**30,
        n_jobs=1,
    )
    positions = np.random.default_rng(0).uniform(-2, 2, (p, d))
    with threadpool_limits(1, "blas"):
        return interleaved([lambda: objective(positions)], rounds)[0]


def growth(rounds: int, *, quick: bool) -> dict[str, dict[str, Any]]:
    """How a generation's time grows in rows, features, particles and clusters."""
    base = {"n": 1000, "d": 100, "k": 10, "p": 10}
    steps = {"n": [500, 1000, 2000, 4000], "d": [25, 50, 100, 200], "p": [5, 10, 20, 40]}
    steps["k"] = [5, 10, 20, 40]
    found = {}
    for name, values in steps.items():
        chosen = values[:2] if quick else values
        times = [_evaluation_seconds(**{**base, name: value}, rounds=rounds) for value in chosen]
        exponent = float(np.polyfit(np.log(chosen), np.log(times), 1)[0])
        found[name] = {"values": chosen, "seconds": times, "exponent": exponent}
    return found


def draw(grown: dict[str, dict[str, Any]], memory: dict[int, float]) -> None:
    """Write the growth picture."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    names = {"n": "rows", "d": "features", "p": "particles", "k": "clusters"}
    figure, axes = plt.subplots(1, 5, figsize=(14, 3), layout="constrained")
    for axis, (name, curve) in zip(axes, grown.items(), strict=False):
        axis.loglog(curve["values"], 1e3 * np.array(curve["seconds"]), "o-", color="#2b6cb0")
        axis.set(xlabel=names[name], title=f"time, exponent {curve['exponent']:.2f}")
    axes[0].set_ylabel("ms per generation of 10")
    axes[4].plot(list(memory), list(memory.values()), "o-", color="#2b6cb0")
    axes[4].set(xlabel="rows", ylabel="GiB", title="peak memory, limit 1 GiB", ylim=(0, None))
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, metadata={"Date": None})


def page(found: dict[str, Any]) -> str:
    """Write the page."""
    lines = [
        "# Performance",
        "",
        "Made by `make bench`; every number is a median of interleaved runs in one process, beside",
        "its peer. What the peers are, and how their long runs are scaled, is in the head of",
        "`bench/speed_swarm.py`.",
        "",
        f"Machine: {found['machine']}.",
        "",
        "## A whole search: 900 evaluations, 100 features, two threads",
        "",
        "| clusterer | rows | weft | PySwarms + scikit-learn | ratio | written with care | ratio |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for r in found["search"]:
        lines.append(
            f"| {r['clusterer']} | {r['rows']} | {r['weft']:.2f} s | {r['user']:.0f} s "
            f"| {r['user'] / r['weft']:.0f}× | {r['careful']:.1f} s "
            f"| {r['careful'] / r['weft']:.1f}× |"
        )
    bits = "in every row" if all(r["same_bits"] for r in found["search"]) else "NOT in every row"
    lines += ["", f"One thread and two give identical bits {bits}.", "", "## Parts", ""]
    lines += ["| part | weft | peer | ratio |", "| --- | --- | --- | --- |"]
    for r in found["powered"]:
        lines.append(
            f"| distances with an exponent per feature, {r['rows']} rows, one thread, vs NumPy "
            f"| {1e3 * r['weft']:.0f} ms | {1e3 * r['peer']:.0f} ms "
            f"| {r['peer'] / r['weft']:.0f}× |"
        )
    r = found["silhouette"]
    lines.append(
        f"| silhouette from a table, {r['rows']} rows, vs scikit-learn | {1e3 * r['weft']:.0f} ms "
        f"| {1e3 * r['peer']:.0f} ms | {r['peer'] / r['weft']:.1f}× |"
    )
    lines += ["", "## Beside the machine's limit", ""]
    for r in found["roofline"]:
        lines.append(
            f"- kNN-graph evaluation, {r['rows']} rows, one thread: "
            f"{1e3 * r['evaluation']:.2f} ms, {r['share']:.0%} of its roofline (half a product at "
            f"{r['sgemm_gflops']:.0f} GFLOP/s, three passes at {r['copy_gbytes']:.1f} GB/s)"
        )
    lines += ["", "## Growth", "", "![growth](_static/growth.svg)", ""]
    lines += ["| in | exponent of time |", "| --- | --- |"]
    names = {"n": "rows", "d": "features", "p": "particles", "k": "clusters"}
    lines += [f"| {names[key]} | {g['exponent']:.2f} |" for key, g in found["growth"].items()]
    lines += ["", '| rows × 100, `max_memory="1GiB"` | peak memory |', "| --- | --- |"]
    lines += [f"| {n} | {value:.2f} GiB |" for n, value in found["memory"].items()]
    on_gpu = gpu.table()
    if on_gpu:
        lines += ["", "## On a GPU", "", on_gpu.rstrip()]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--page", type=Path, default=PAGE)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    sizes = [200] if arguments.quick else [800, 3000]
    rounds = arguments.rounds
    found: dict[str, Any] = {
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python "
        f"{platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}, weft {weft.__version__}"
    }
    found["search"] = []
    for n in sizes:
        for name in speed_swarm.SETTINGS:
            found["search"].append(speed_swarm.row(name, n, rounds))
            print(json.dumps(found["search"][-1]), flush=True)
    found["powered"] = [powered(n, rounds) for n in sizes]
    found["silhouette"] = silhouette_row(rounds)
    print(json.dumps([found["powered"], found["silhouette"]]), flush=True)
    found["roofline"] = [speed_swarm.roofline(n, 5 * rounds) for n in sizes]
    found["growth"] = growth(rounds, quick=arguments.quick)
    memory_sizes = [200, 400] if arguments.quick else [1000, 5000, 10_000, 20_000]
    found["memory"] = {n: peak_memory(n) for n in memory_sizes}
    print(json.dumps([found["roofline"], found["growth"], found["memory"]]), flush=True)
    draw(found["growth"], found["memory"])
    arguments.page.write_text(page(found))
    print(f"wrote {arguments.page}")


if __name__ == "__main__":
    main()
