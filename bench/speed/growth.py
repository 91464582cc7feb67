"""How time and memory of a search grow with rows, features, particles and clusters."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from bench.speed.swarm import objective_of
from weft.datasets import make_ellipsoids

# Memory is read from /proc; writing 5 to clear_refs resets the peak. (The peak of `getrusage` is
# never less than the memory of the parent when it started the process.)
_MEMORY = """
import pathlib
from weft import FeatureSwarm
from weft.datasets import make_ellipsoids
def fit(X, p):
    FeatureSwarm(n_particles=p, n_generations=1, max_memory="1GiB", n_jobs=2, random_state=0).fit(X)
def read(key):
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key)) / 2**20
fit(make_ellipsoids(4, 10, cluster_size=50, random_state=0).data, 4)
X = make_ellipsoids({k}, {d}, cluster_size={n} // {k}, random_state=0).data
early = read("VmHWM")
pathlib.Path("/proc/self/clear_refs").write_text("5")
before = read("VmRSS") - X.nbytes / 2**30
fit(X, {p})
print(before, read("VmHWM"), max(early, read("VmHWM")))
"""
# The first size, and the values of each of the four that grow.
BASE = {"n": 1000, "d": 100, "p": 10, "k": 10}
STEPS = {
    "n": [500, 1000, 2000, 4000],
    "d": [25, 50, 100, 200, 400],
    "p": [5, 10, 20, 40],
    "k": [5, 10, 20, 40],
}


def time_growth(rounds: int, steps: dict[str, list[int]]) -> dict[str, Any]:
    """How a generation's time grows in rows, features, particles and clusters; one thread."""
    found = {}
    for name, values in steps.items():
        taken = [_generation_seconds({**BASE, name: value}, rounds) for value in values]
        found[name] = {"values": values, "seconds": taken, "exponent": _exponent(values, taken)}
    return found


def _generation_seconds(size: dict[str, int], rounds: int) -> float:
    X = _data(size)
    objective = objective_of(X)
    rng = np.random.default_rng(0)
    with threadpool_limits(1, "blas"):
        taken = []
        for positions in rng.uniform(-2, 2, (rounds + 1, size["p"], X.shape[1])):
            # One thread: its processor time counts, not the time of other programs.
            began = time.process_time()
            objective(positions)
            taken.append(time.process_time() - began)
    return float(np.median(taken[1:]))


def _data(size: dict[str, int]) -> np.ndarray:
    return make_ellipsoids(
        size["k"], size["d"], cluster_size=size["n"] // size["k"], random_state=0
    ).data


def _exponent(values: list[int], measured: list[float]) -> float:
    return float(np.polyfit(np.log(values), np.log(measured), 1)[0])


def memory_growth(steps: dict[str, list[int]]) -> dict[str, Any]:
    """How the memory of a search on two threads grows: its table and all that it takes."""
    found = {}
    for name, values in steps.items():
        taken = []
        for value in values:
            before, after, _ = _peak({**BASE, "n": 4000, name: value})
            taken.append(max(after - before, 2.0**-12))
        found[name] = {"values": values, "gib": taken, "exponent": _exponent(values, taken)}
    return found


def _peak(size: dict[str, int]) -> list[float]:
    """Return resident memory in GiB: before a search (but for X), its peak, the process' peak."""
    printed = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _MEMORY.format(**size)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [float(number) for number in printed.split()]


def peak_memory(n_rows: int) -> dict[str, Any]:
    """Peak resident memory of a search at `n_rows` × 100 with ``max_memory="1GiB"``."""
    before, _, peak = _peak({"n": n_rows, "d": 100, "p": 4, "k": 10})
    return {"gib": peak, "before": before}
