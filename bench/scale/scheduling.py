"""How many workers help: task times are measured, schedules are simulated from them.

    python -m bench.scale.scheduling --measure  times on two workers → results/scheduling.json
    python -m bench.scale.scheduling            simulate, print, draw docs/_static/scheduling.png

A search is simulated generation by generation. The evaluation times of particles are drawn from the
measured ones, and particles are divided into one chunk per worker. All chunks are sent at once, run
after the time of a message, and the generation ends when the slowest chunk has returned. A pass
over blocks is a list schedule: the scheduler sends one task after the other, each takes its
measured time in the scheduler, and a worker takes the next when it is free. The simulation ignores
slow networks, workers that die and machines that differ, so real times can only be worse.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import time
from typing import Any

import joblib
import numpy as np

from bench.harness import places

MEASURED = places.RESULTS / "scheduling.json"
FIGURE = places.DOCS / "_static" / "scheduling.png"
WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
N_GENERATIONS = 30


class Idle:
    """Evaluates nothing, to measure the time of messages alone."""

    def __init__(self) -> None:
        self.table = np.zeros((3000, 150))

    def evaluate_part(self, part: np.ndarray) -> list[float]:
        return [0.0] * len(part)


def evaluation_times(n_rows: int, n_columns: int, count: int) -> list[float]:
    """CPU seconds of single evaluations of a PSO-FSW(CSC) search, in this thread."""
    from threadpoolctl import threadpool_limits

    from bench.scale.data import swarm_rows
    from weft.backends import CPU
    from weft.search.clusterers import make_clusterer
    from weft.search.criteria import make_criterion
    from weft.search.objectives import FeatureObjective
    from weft.search.particles import WeightParticle

    rows = np.hstack([swarm_rows(n_rows, seed)[0] for seed in (11, 12)])[:, :n_columns]
    objective = FeatureObjective(
        np.ascontiguousarray(rows, dtype=np.float64),
        WeightParticle(n_columns),
        make_clusterer("knn", None, n_clusters=None, seed=0),
        make_criterion("csc", None),
        backend=CPU,
        max_memory=2**30,
        n_jobs=1,
    )
    positions = np.random.default_rng(0).uniform(-2.0, 2.0, size=(count + 1, n_columns))
    times = []
    with threadpool_limits(1):
        for position in positions:
            began = time.thread_time()
            objective.evaluate(position)
            times.append(time.thread_time() - began)
    return times[1:]  # the first includes compilation and new memory


def block_times(exponent: float, count: int) -> list[float]:
    """CPU seconds of one block of a pass: 250,000 rows × 20, made, assigned and summed."""
    from bench.scale.data import BLOCK_ROWS, N_GROUPS, block
    from weft.kmeans.blocks import Step, sums

    centers = block(0, N_GROUPS).astype(np.float64)
    step = Step(centers, np.ones_like(centers), centers, np.ones(20), exponent, {})
    times = []
    for number in range(count + 1):
        began = time.thread_time()
        rows = block(number, BLOCK_ROWS).astype(np.float64)
        sums(number, rows, np.ones(len(rows)), step)
        times.append(time.thread_time() - began)
    return times[1:]


def measure() -> dict[str, Any]:
    """Measure on two workers of this machine."""
    from dask.distributed import Client, LocalCluster

    from weft.parallel.workers import Crew

    out: dict[str, Any] = {"cores": os.cpu_count()}
    out["evaluations"] = {
        "3000": evaluation_times(3000, 100, 60),
        "10000": evaluation_times(10_000, 100, 12),
    }
    out["blocks"] = {str(p): block_times(p, 6) for p in (2.0, 1.5)}
    positions = np.zeros((30, 100))
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
        joblib.parallel_config("dask"),
    ):
        with Crew(Idle(), n_threads=1, n_jobs=None) as crew:
            crew(positions)
            times = []
            for _ in range(30):
                began = time.perf_counter()
                crew(positions)
                times.append(time.perf_counter() - began)
        out["generation"] = float(np.median(times))
        client.gather(client.map(_nothing, range(50), pure=False))
        began = time.perf_counter()
        client.gather(client.map(_nothing, range(1000), pure=False))
        out["task"] = (time.perf_counter() - began) / 1000
    out["load"] = os.getloadavg()[0]
    return out


def _nothing(number: int) -> int:
    return number


def simulate_search(
    times: list[float], n_particles: int, n_workers: int, *, message: float, task: float
) -> float:
    """Return the seconds of a search of 30 generations on this many workers."""
    rng = np.random.default_rng(0)
    total = 0.0
    for _ in range(N_GENERATIONS):
        drawn = rng.choice(times, n_particles)
        chunks = np.array_split(drawn, min(n_workers, n_particles))
        # The scheduler sends one chunk after the other.
        ends = [task * (number + 1) + chunk.sum() for number, chunk in enumerate(chunks)]
        total += message + max(ends)
    return total


def simulate_pass(
    times: list[float], n_blocks: int, n_workers: int, *, message: float, task: float
) -> float:
    """Return the seconds of one pass: blocks, and the sums of 16 at a time."""
    rng = np.random.default_rng(0)
    free = [0.0] * n_workers
    clock = end = 0.0
    for seconds in rng.choice(times, n_blocks):
        clock += task
        begins = max(clock, heapq.heappop(free))
        heapq.heappush(free, begins + seconds)
        end = max(end, begins + seconds)
    n_left = n_blocks
    while n_left > 1:
        n_left = -(-n_left // 16)
        end += task * n_left / min(n_left, n_workers) + message / 4.0
    return end + message


def series(measured: dict[str, Any]) -> dict[str, list[float]]:
    """Speed-ups by number of workers."""
    ways = {"message": measured["generation"], "task": measured["task"]}
    out = {}
    for rows, n_particles in (("3000", 30), ("3000", 120), ("10000", 30), ("10000", 120)):
        times = measured["evaluations"][rows]
        alone = N_GENERATIONS * n_particles * float(np.mean(times))
        name = f"search, {int(rows):,} rows, {n_particles} particles"
        out[name] = [alone / simulate_search(times, n_particles, w, **ways) for w in WORKERS]
    for p, times in measured["blocks"].items():
        alone = 400 * float(np.mean(times))
        name = f"k-means, p = {float(p):g}, 10⁸ rows in 400 blocks"
        out[name] = [alone / simulate_pass(times, 400, w, **ways) for w in WORKERS]
    return out


def draw(found: dict[str, list[float]]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
    axes.plot(WORKERS, WORKERS, color="0.75", lw=1, label="as many times as workers")
    looks = [("C0", "-"), ("C0", "--"), ("C1", "-"), ("C1", "--"), ("C2", "-"), ("C3", "-")]
    for (name, values), (color, style) in zip(found.items(), looks, strict=True):
        axes.plot(WORKERS, values, color=color, ls=style, marker="o", ms=3, label=name)
    axes.set(xscale="log", yscale="log", xlabel="workers", ylabel="times as fast as one")
    axes.set_xticks(WORKERS, [str(w) for w in WORKERS])
    axes.set_yticks(WORKERS, [str(w) for w in WORKERS])
    axes.minorticks_off()
    axes.set_ylim(0.6, 600)
    axes.legend(fontsize=8, frameon=False, loc="upper left")
    axes.spines[["top", "right"]].set_visible(False)
    FIGURE.parent.mkdir(exist_ok=True)
    figure.savefig(FIGURE, dpi=130)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--measure", action="store_true")
    if parser.parse_args().measure:
        MEASURED.write_text(json.dumps(measure(), indent=1) + "\n")
    measured = json.loads(MEASURED.read_text())
    for rows, times in measured["evaluations"].items():
        print(f"evaluation of {int(rows):,} rows: {1e3 * np.mean(times):.1f} ms")
    for p, times in measured["blocks"].items():
        print(f"block of 250,000 rows, p = {p}: {1e3 * np.mean(times):.0f} ms")
    print(f"sending a generation to the workers and back: {1e3 * measured['generation']:.1f} ms")
    print(f"a task in the scheduler: {1e3 * measured['task']:.2f} ms")
    found = series(measured)
    print("workers".ljust(46), *(f"{w:6d}" for w in WORKERS))
    for name, values in found.items():
        print(name.ljust(46), *(f"{value:6.1f}" for value in values))
    draw(found)


if __name__ == "__main__":
    main()
