"""All speed rows, and the page made from them: `make bench`.

    python -m bench.performance [PATTERN ...] [--again] [--page-only] [--quick]

Rows that are recorded in bench/results/speed.jsonl are not taken again, so the bench can be stopped
and goes on where it was; a pattern such as ``search/knn/*`` takes only the rows that match, and
``--again`` takes them anew. Run it on a machine that does nothing else. Within a row all sides run
in one process and in turns, and medians are compared; each row says on what machine.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn
from scipy.cluster import hierarchy
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist
from sklearn.cluster import DBSCAN, AffinityPropagation, AgglomerativeClustering
from sklearn.metrics import silhouette_score
from sklearn.neighbors import kneighbors_graph
from threadpoolctl import threadpool_limits

import weft
from bench import performance_page, records
from bench.speed_swarm import EPS, PLAN, Length, objective_of, roofline, search, seconds, table
from weft.backends.cpu.features import MAX_TOGETHER
from weft.backends.cpu.kernels import swarm_powers
from weft.backends.spaces import Solution
from weft.datasets import make_ellipsoids
from weft.metrics import silhouette

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "bench" / "results" / "speed.jsonl"

# Memory is read from Linux' own records; writing 5 sets the highest mark back. (What `getrusage`
# says is never less than what the parent had when it started the process.)
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
# Where growth starts from, and where each of the four goes.
BASE = {"n": 1000, "d": 100, "p": 10, "k": 10}
STEPS = {
    "n": [500, 1000, 2000, 4000],
    "d": [25, 50, 100, 200, 400],
    "p": [5, 10, 20, 40],
    "k": [5, 10, 20, 40],
}


def interleaved(calls: list[Callable[[], Any]], rounds: int) -> list[float]:
    """Return the median seconds of each call, all warmed up, taken in turns."""
    for call in calls:
        call()
    times = [[seconds(call) for call in calls] for _ in range(rounds)]
    return [float(value) for value in np.median(times, axis=0)]


def powered(n_rows: int, rounds: int) -> dict[str, Any]:
    """PSO-FSWE's distances beside NumPy's ``abs() ** p`` sum, one thread each.

    As many particles as a search takes together, the same for both sides.
    """
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(100, n_rows))
    exponents = rng.uniform(1, 3, (MAX_TOGETHER, 100))
    kept, weights = np.arange(100), np.ones(100)
    out = np.empty((MAX_TOGETHER, n_rows, n_rows), dtype=np.float32)

    def ours(n_particles: int) -> None:
        terms = [swarm_powers.Terms.of(kept, weights, each) for each in exponents[:n_particles]]
        halves = swarm_powers.halves_of(columns)
        joined = swarm_powers.Terms.joined(terms)
        swarm_powers.powered_matrices(halves, *joined, out[:n_particles])

    def peer() -> None:
        for each in exponents:
            total = np.zeros((n_rows, n_rows))
            for column, exponent in zip(columns, each, strict=True):
                total += np.abs(column[:, None] - column[None, :]) ** exponent

    with threadpool_limits(1):
        together, alone, theirs = interleaved(
            [lambda: ours(MAX_TOGETHER), lambda: ours(1), peer], rounds
        )
    return {
        "weft": together,
        "peers": {"NumPy": theirs},
        "rounds": rounds,
        "particles": MAX_TOGETHER,
        "alone": theirs / MAX_TOGETHER / alone,
    }


def silhouette_row(n_rows: int, rounds: int) -> dict[str, Any]:
    """The silhouette of a table beside scikit-learn's, two threads each."""
    data = make_ellipsoids(10, 100, cluster_size=n_rows // 10, random_state=0)
    X, labels = data.data, data.target
    ours, theirs = interleaved(
        [lambda: silhouette(X, labels, n_jobs=2), lambda: silhouette_score(X, labels)], rounds
    )
    same = silhouette(X, labels, n_jobs=1) == silhouette(X, labels, n_jobs=2)
    peers = {"scikit-learn": theirs}
    return {"weft": ours, "peers": peers, "rounds": rounds, "same_bits": bool(same)}


def one_clustering(name: str, n_rows: int, rounds: int) -> dict[str, Any]:
    """Labels from a table, once: weft on one thread, the libraries as they come."""
    X = table(n_rows)
    objective = objective_of(X, name)
    solution = Solution(np.ones(X.shape[1]))
    peers: dict[str, Callable[[], Any]] = {}
    if name == "knn":
        peers["scikit-learn, SciPy"] = lambda: connected_components(
            kneighbors_graph(X, 3), directed=False
        )
    elif name == "dbscan":
        peers["scikit-learn"] = lambda: DBSCAN(eps=EPS, min_samples=5).fit(X)
    elif name == "affinity":
        peers["scikit-learn"] = lambda: AffinityPropagation(random_state=0).fit(X)
    else:
        import fastcluster

        peers["scikit-learn"] = lambda: AgglomerativeClustering(10, linkage="complete").fit(X)
        peers["SciPy"] = lambda: hierarchy.linkage(pdist(X), "complete")
        peers["fastcluster"] = lambda: fastcluster.linkage(pdist(X), "complete")
    ours, *theirs = interleaved([lambda: objective.cluster(solution), *peers.values()], rounds)
    return {"weft": ours, "peers": dict(zip(peers, theirs, strict=True)), "rounds": rounds}


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
            # One thread: its own time is what counts, whatever else runs.
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


def cells(*, quick: bool) -> dict[str, Callable[[], dict[str, Any]]]:
    """Return all rows by name."""
    rows: dict[str, Callable[[], dict[str, Any]]] = {}
    sizes = [200] if quick else [800, 3000]
    for n in sizes:
        for name in ("knn", "dbscan", "linkage", "affinity"):
            length = Length(2, 1, 1) if quick else PLAN[name, n]
            rows[f"search/{name}/{n}"] = partial(search, name, n, length)
    rounds = 1 if quick else 5
    for n in sizes:
        rows[f"roofline/{n}"] = partial(roofline, n, 2 if quick else 25)
        rows[f"powered/{n}"] = partial(powered, n, rounds)
    large = 500 if quick else 10_000
    rows[f"silhouette/{large}"] = partial(silhouette_row, large, rounds)
    for name in ("knn", "dbscan", "linkage", "affinity"):
        n = sizes[-1]
        rows[f"once/{name}/{n}"] = partial(one_clustering, name, n, rounds)
    steps = {key: values[:2] for key, values in STEPS.items()} if quick else STEPS
    rows["growth/time"] = partial(time_growth, 2 if quick else 9, steps)
    further = {**steps, "n": [1000, 2000] if quick else [1000, 2000, 4000, 8000]}
    rows["growth/memory"] = partial(memory_growth, further)
    for n in [200, 400] if quick else [5000, 10_000, 20_000]:
        rows[f"memory/{n}"] = partial(peak_memory, n)
    return rows


def machine() -> str:
    """Say on what this runs."""
    model = ""
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        model = f"{names[0]}, " if names else ""
    return (
        f"{model}{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}, "
        f"weft {weft.__version__}"
    )


def main(given: list[str] | None = None) -> int:
    """Take the rows that are missing and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="only rows that match")
    parser.add_argument("--again", action="store_true", help="take recorded rows anew")
    parser.add_argument("--page-only", action="store_true", help="write the page, take nothing")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that it runs")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args(given)
    # Peers warn of rounds that were limited on purpose.
    warnings.simplefilter("ignore")
    folder = ROOT / "build" / "quick" if arguments.quick else None
    results = arguments.results or (folder / "speed.jsonl" if folder else RESULTS)
    rows = cells(quick=arguments.quick)
    wanted = [
        name
        for name in rows
        if not arguments.patterns or any(fnmatch.fnmatch(name, p) for p in arguments.patterns)
    ]
    if not wanted:
        parser.error(f"no row matches; rows are {', '.join(rows)}")
    if not arguments.page_only:
        if arguments.again and results.exists():
            kept = [row for row in records.load(results) if row["cell"]["row"] not in wanted]
            results.write_text("".join(json.dumps(row) + "\n" for row in kept))

        def take(row: str) -> dict[str, Any]:
            load = os.getloadavg()[0]
            found = {**rows[row](), "machine": machine(), "load": round(load, 1)}
            print(row, json.dumps(found), flush=True)
            return found

        records.run(results, [{"row": name} for name in wanted], take, report=lambda _: None)
    found = {row["cell"]["row"]: row for row in records.load(results)}
    page = arguments.page or (folder / "performance.md" if folder else performance_page.PAGE)
    performance_page.write(found, page)
    print(f"wrote {page}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
